#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print a fat-tree of k-port switches: k*k*k/4 hosts, 5*k*k/4 switches, all links alike.
set -eu
# shellcheck source=topo/generator.inc disable=SC1091
. "$(dirname "$0")/generator.inc"

usage()
{
	cat <<'EOF'
usage: fat-tree.sh [k=6] [rate=40gbit] [delay=2us]

        (core)   (core)   (core)   (core)     (k/2)^2 core switches
           |  \  /  |        |  \  /  |
        [agg] [agg] ...   [agg] [agg] ...     k pods of k/2 aggregation
           |  \/  |          |  \/  |
        [edge][edge] ...  [edge][edge] ...    and k/2 edge switches,
         h h   h h         h h   h h          with k/2 hosts on each edge

k             ports of a switch, even, 2 to 16
rate, delay   of every link

Hosts are numbered pod by pod. Switches: all edges, then all aggregations, both
pod by pod, then the cores. Core c is linked to aggregation c / (k/2) of each
pod.
EOF
}

k=6 rate=40gbit delay=2us
args "k rate delay" "$@"
whole k "$k" 2 16
[ $((k % 2)) -eq 0 ] || fail "k=$k: must be even"
rate rate "$rate"
delay delay "$delay"

exec awk -v k="$k" -v rate="$rate" -v delay="$delay" 'BEGIN {
	half = k / 2; edges = k * half; hosts = edges * half; cores = half * half
	print "title fat-tree k=" k
	print "default", rate, delay
	for (h = 0; h < hosts; h++)
		print "host h" h
	for (s = 0; s < 2 * edges + cores; s++)
		print "switch s" s
	for (h = 0; h < hosts; h++)
		print "link h" h, "s" int(h / half)
	for (pod = 0; pod < k; pod++)
		for (e = 0; e < half; e++)
			for (a = 0; a < half; a++)
				print "link s" pod * half + e, "s" edges + pod * half + a
	for (pod = 0; pod < k; pod++)
		for (c = 0; c < cores; c++)
			print "link s" edges + pod * half + int(c / half), "s" 2 * edges + c
}'
