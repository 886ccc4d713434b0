#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Print a leaf-spine fabric: every leaf is linked to every spine.
set -eu
# shellcheck source=topo/generator.inc disable=SC1091
. "$(dirname "$0")/generator.inc"

usage()
{
	cat <<'EOF'
usage: leaf-spine.sh [leaves=4] [spines=2] [hosts=4] [rate=40gbit] [uplink=RATE] [delay=2us]

        [spine]   [spine]         spines
          |   \  /   |            uplink: rate of these links, by default as "rate"
        [leaf]    [leaf]          leaves
         h h       h h            hosts: on each leaf, at "rate"

Hosts are numbered leaf by leaf; switches: the leaves, then the spines. A switch has at
most 64 ports.
EOF
}

leaves=4 spines=2 hosts=4 rate=40gbit uplink='' delay=2us
args "leaves spines hosts rate uplink delay" "$@"
uplink=${uplink:-$rate}
whole leaves "$leaves" 1 64
whole spines "$spines" 1 63
whole hosts "$hosts" 1 63
[ $((hosts + spines)) -le 64 ] || fail "hosts=$hosts spines=$spines: a leaf has at most 64 ports"
[ $((leaves * hosts)) -ge 2 ] || fail "leaves=$leaves hosts=$hosts: only one host"
rate rate "$rate"
rate uplink "$uplink"
delay delay "$delay"

exec awk -v leaves="$leaves" -v spines="$spines" -v per="$hosts" -v rate="$rate" \
	-v uplink="$uplink" -v delay="$delay" 'BEGIN {
	print "title leaf-spine leaves=" leaves " spines=" spines " hosts=" per
	for (h = 0; h < leaves * per; h++)
		print "host h" h
	for (s = 0; s < leaves + spines; s++)
		print "switch s" s
	for (h = 0; h < leaves * per; h++)
		print "link h" h, "s" int(h / per), rate, delay
	for (l = 0; l < leaves; l++)
		for (s = 0; s < spines; s++)
			print "link s" l, "s" leaves + s, uplink, delay
}'
