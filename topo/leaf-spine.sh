#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print a leaf-spine fabric: every leaf is linked to every spine.
set -eu
# shellcheck source=topo/generator.inc disable=SC1091
. "$(dirname "$0")/generator.inc"

usage()
{
	cat <<'EOF'
usage: leaf-spine.sh [leaves=4] [spines=2] [hosts=4] [rate=40gbit] [delay=2us]
                     [uplinks=1] [uplink=RATE] [uplink_delay=DELAY]

        [spine]   [spine]
          |   \  /   |
          |   /  \   |
        [leaf]    [leaf]
         h h       h h

leaves, spines   switches
hosts            hosts on each leaf
rate, delay      of the links of hosts
uplinks          links from each leaf to each spine
uplink           rate of uplinks (default: rate)
uplink_delay     delay of uplinks (default: delay)

Oversubscription is hosts * rate : spines * uplinks * uplink. The output has it
as a comment: hosts=12 rate=40gbit spines=2 uplinks=1 uplink=100gbit gives
480 : 200 = 2.4. Hosts are numbered leaf by leaf; switches: the leaves, then
the spines. A switch has at most 64 ports. A leaf's ports: its hosts, then its
uplinks, spine by spine.
EOF
}

leaves=4 spines=2 hosts=4 rate=40gbit delay=2us uplinks=1 uplink='' uplink_delay=''
args "leaves spines hosts rate delay uplinks uplink uplink_delay" "$@"
uplink=${uplink:-$rate}
uplink_delay=${uplink_delay:-$delay}
whole leaves "$leaves" 1 64
whole spines "$spines" 1 63
whole hosts "$hosts" 1 63
whole uplinks "$uplinks" 1 63
[ $((hosts + spines * uplinks)) -le 64 ] ||
	fail "hosts=$hosts spines=$spines uplinks=$uplinks: a leaf has at most 64 ports"
[ $((leaves * uplinks)) -le 64 ] || fail "leaves=$leaves uplinks=$uplinks: a spine has at most 64 ports"
[ $((leaves * hosts)) -ge 2 ] || fail "leaves=$leaves hosts=$hosts: only one host"
rate rate "$rate"
rate uplink "$uplink"
delay delay "$delay"
delay uplink_delay "$uplink_delay"

exec awk -v leaves="$leaves" -v spines="$spines" -v per="$hosts" -v uplinks="$uplinks" -v down="$rate $delay" \
	-v up="$uplink $uplink_delay" '
function gbits(link)
{
	return link * (link ~ /tbit/ ? 1000 : link ~ /gbit/ ? 1 : link ~ /mbit/ ? 1e-3 : link ~ /kbit/ ? 1e-6 : 1e-9)
}
BEGIN {
	print "title leaf-spine leaves=" leaves " spines=" spines " hosts=" per (uplinks > 1 ? " uplinks=" uplinks : "")
	into = per * gbits(down); out = spines * uplinks * gbits(up)
	if (out)
		print "# of a leaf: hosts " into " Gb/s, uplinks " out " Gb/s: oversubscription " into / out
	for (h = 0; h < leaves * per; h++)
		print "host h" h
	for (s = 0; s < leaves + spines; s++)
		print "switch s" s
	for (h = 0; h < leaves * per; h++)
		print "link h" h, "s" int(h / per), down
	for (l = 0; l < leaves; l++)
		for (s = 0; s < spines; s++)
			for (u = 0; u < uplinks; u++)
				print "link s" l, "s" leaves + s, up
}'
