#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Print a ring of switches, by default with routes that go round one way: the cyclic buffer dependency that PFC and
# credits need for a deadlock.
set -eu
# shellcheck source=topo/generator.inc disable=SC1091
. "$(dirname "$0")/generator.inc"

usage()
{
	cat <<'EOF'
usage: ring.sh [n=4] [hosts=2] [rate=40gbit] [ring=RATE] [delay=2us] [routes=clockwise]

        h h       h h       n: switches, 3 to 63
        [s0] ---> [s1]      hosts: on each switch, 1 to 62
         ^          |       rate: of the hosts' links
         |          v       ring: of the links between switches, by default as "rate"
        [s3] <--- [s2]      routes: clockwise: every frame goes round by s0, s1, s2...;
        h h       h h               shortest: the shorter way, and by ECMP both where they are equal

Hosts are numbered switch by switch.
EOF
}

n=4 hosts=2 rate=40gbit ring='' delay=2us routes=clockwise
args "n hosts rate ring delay routes" "$@"
ring=${ring:-$rate}
whole n "$n" 3 63
whole hosts "$hosts" 1 62
rate rate "$rate"
rate ring "$ring"
delay delay "$delay"
case $routes in
clockwise | shortest) ;;
*) fail "routes=$routes: say clockwise or shortest" ;;
esac

# A switch's ports: its hosts, the link from the switch before it, the link on; with s0 the last two change places.
exec awk -v n="$n" -v per="$hosts" -v rate="$rate" -v ring="$ring" -v delay="$delay" -v routes="$routes" 'BEGIN {
	print "title ring n=" n " hosts=" per " " routes
	for (h = 0; h < n * per; h++)
		print "host h" h
	for (s = 0; s < n; s++)
		print "switch s" s
	for (h = 0; h < n * per; h++)
		print "link h" h, "s" int(h / per), rate, delay
	for (s = 0; s < n; s++)
		print "link s" s, "s" (s + 1) % n, ring, delay
	for (s = 0; s < n && routes == "clockwise"; s++)
		for (h = 0; h < n * per; h++)
			if (int(h / per) != s)
				print "route s" s, "h" h, "p" per + (s > 0)
}'
