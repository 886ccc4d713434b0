#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print the network of MELO's evaluation (APNet 2017, section 4; REFERENCE 3.7): a leaf-spine network defined by its
# base round trip.
set -eu
# shellcheck source=topo/generator.inc disable=SC1091
. "$(dirname "$0")/generator.inc"

usage()
{
	cat <<'EOF'
usage: melo.sh [spines=4] [leaves=32] [hosts=10] [rate=40gbit]
               [uplink=100gbit] [rtt=16us]

        [spine] x 4
          |  \/  |
        [leaf]  [leaf] x 32
         h h     h h    x 10

spines, leaves   switches
hosts            hosts on each leaf
rate             of the links of hosts
uplink           rate of the links between leaves and spines
rtt              base round trip between hosts of two leaves, propagation only

A round trip crosses 4 links twice, so each has a delay of rtt / 8, which must
be a whole number of ps. Store-and-forward adds to it: 0.663 us at 40 and
100 Gb/s for a packet of 1000 bytes and its ACK. Hosts and switches are
numbered as by leaf-spine.sh.
EOF
}

spines=4 leaves=32 hosts=10 rate=40gbit uplink=100gbit rtt=16us
args "spines leaves hosts rate uplink rtt" "$@"
delay rtt "$rtt"

delay=$(awk -v t="$rtt" 'BEGIN {
	ps = t * (t ~ /ps/ ? 1 : t ~ /ns/ ? 1e3 : t ~ /us/ ? 1e6 : t ~ /ms/ ? 1e9 : 1e12)
	part = int(ps / 8 + 0.5)
	if ((ps - 8 * part) ^ 2 < 1e-6)
		printf "%.0fps\n", part
}')
[ -n "$delay" ] || fail "rtt=$rtt: an eighth of it is not a whole number of ps"

exec "$(dirname "$0")/leaf-spine.sh" spines="$spines" leaves="$leaves" hosts="$hosts" rate="$rate" uplink="$uplink" \
	delay="$delay"
