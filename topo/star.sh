#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print a star: hosts around one switch.
set -eu
# shellcheck source=topo/generator.inc disable=SC1091
. "$(dirname "$0")/generator.inc"

usage()
{
	cat <<'EOF'
usage: star.sh [n=4] [rate=40gbit] [delay=2us]

        h0   h1
          \ /
         [s0]
          / \
        h2   h3

n             hosts, 2 to 64
rate, delay   of every link
EOF
}

n=4 rate=40gbit delay=2us
args "n rate delay" "$@"
whole n "$n" 2 64
rate rate "$rate"
delay delay "$delay"

exec awk -v n="$n" -v rate="$rate" -v delay="$delay" 'BEGIN {
	print "title star n=" n
	print "default", rate, delay
	for (h = 0; h < n; h++)
		print "host h" h
	print "switch s0"
	for (h = 0; h < n; h++)
		print "link h" h, "s0"
}'
