#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print a dumbbell: two switches with hosts on each side and one link between them.
set -eu
# shellcheck source=topo/generator.inc disable=SC1091
. "$(dirname "$0")/generator.inc"

usage()
{
	cat <<'EOF'
usage: dumbbell.sh [left=2] [right=2] [rate=40gbit] [bottleneck=RATE]
                   [delay=2us]

        h0 --\                        /-- h2
             [s0] -- bottleneck -- [s1]
        h1 --/                        \-- h3

left, right   hosts on each side, 1 to 63
rate          of the links of hosts
bottleneck    rate of the link between the switches (default: rate)
delay         of every link

Hosts are numbered from the left side on.
EOF
}

left=2 right=2 rate=40gbit bottleneck='' delay=2us
args "left right rate bottleneck delay" "$@"
bottleneck=${bottleneck:-$rate}
whole left "$left" 1 63
whole right "$right" 1 63
rate rate "$rate"
rate bottleneck "$bottleneck"
delay delay "$delay"

exec awk -v left="$left" -v right="$right" -v rate="$rate" -v bottleneck="$bottleneck" \
	-v delay="$delay" 'BEGIN {
	print "title dumbbell left=" left " right=" right
	for (h = 0; h < left + right; h++)
		print "host h" h
	print "switch s0"
	print "switch s1"
	for (h = 0; h < left + right; h++)
		print "link h" h, "s" (h >= left), rate, delay
	print "link s0 s1", bottleneck, delay
}'
