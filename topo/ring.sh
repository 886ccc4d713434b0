#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print a ring of switches. By default all routes go round one way: a cyclic buffer dependency, so that PFC and
# credits can deadlock.
set -eu
# shellcheck source=topo/generator.inc disable=SC1091
. "$(dirname "$0")/generator.inc"

usage()
{
	cat <<'EOF'
usage: ring.sh [n=4] [hosts=2] [rate=40gbit] [ring=RATE] [delay=2us]
               [routes=clockwise]

        h h       h h
        [s0] ---> [s1]
         ^          |
         |          v
        [s3] <--- [s2]
        h h       h h

n        switches, 3 to 63
hosts    hosts on each switch, 1 to 62
rate     of the links of hosts
ring     rate of the links between switches (default: rate)
delay    of every link
routes   clockwise: every frame goes round by s0, s1, s2, ...
         shortest: the shorter way round; if both are equal, ECMP chooses

Hosts are numbered switch by switch. With clockwise routes, buffers depend on
each other in a cycle, so PFC and credits can deadlock.
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

# Ports of a switch: its hosts, the link from the previous switch, the link to the next; s0 has the last two swapped.
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
