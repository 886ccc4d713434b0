#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# InfiniBand's congestion control as a loop, in HP's setting: links of 1 GB/s and 50 ns, four packets of 2 KB per buffer
# (scenarios/ib-spreading). The share of time for which the link between the switches has no credits is how far the
# congestion of one receiver has spread.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# uplink DIR: per cent of 20 ms for which it stood still.
uplink() { rows "$1/ports.csv" 'v["node"] == "s0" && v["peer"] == "s1" { print v["paused_ns"] / 20e6 * 100 }'; }

# Six inputs take turns at h6's link, five local hosts and the uplink: so without control that carries a sixth of the
# line for h6. The victim takes turns with the five remote flows, at a fifth of what they have together. So the uplink
# carries 1/6 + 1/30 = 0.2 of the line, and stands still for the rest.
@test "ib spreading: without control, with a window of 1 and with RED the uplink stands still, with ecn=ib it does not" {
	T=$BATS_TEST_TMPDIR/out
	recorded "$T" --engine twin "$REPO/scenarios/ib-spreading"
	for v in 1 2 3; do
		show "$(printf 'variant %d: paused %.1f %%' $v "$(uplink "$T/$v")")"
		holds "$(uplink "$T/$v") > 75 && $(uplink "$T/$v") < 85"
	done
	for v in 4 5 6; do
		show "$(printf 'variant %d: paused %.1f %%' $v "$(uplink "$T/$v")")"
		holds "$(uplink "$T/$v") > 2 && $(uplink "$T/$v") < 10"
		# not because all stand still: h6's link is in use
		holds "$(total "$T/$v/flows.csv" received_bytes 'v["dst"] == 6') > 0.75 * $(total "$T/1/flows.csv" received_bytes 'v["dst"] == 6')"
	done
	for v in 1 2 3 4 5 6; do
		conserved "$T/$v"
		[ "$(value "$T/$v" dropped)" -eq 0 ]
	done
}

# 40 Gb/s over 2 us: 20 KB are on their way in a loop's time, three frames of 1098 bytes and 24 of time each, a credit
# frame of 84; 8/7 of all that. A buffer below leaves a lone flow waiting (4,400 bytes: 4.9 times its ideal), and says so.
@test "credits: a buffer that cannot cover its link's loop is warned of" {
	T=$BATS_TEST_TMPDIR/out
	local most=()
	lone=(--engine twin --quiet topology=star:n=2 workload=incast bytes=1MB transport=roce cc=ib-lipd)
	said=$("$LOSSLAB" run "${lone[@]}" buffer=4400 --out "$T" 2>&1 >/dev/null)
	[ "$said" = "losslab: run: warning: buffer: 4400 bytes of credits leave the link of port s0:p0 idle, 26718 cover its loop (2 of 2 ports are short)" ]
	holds "$(rows "$T/flows.csv" '{ print v["slowdown"] }') > 4"
	[ -z "$("$LOSSLAB" run "${lone[@]}" buffer=26718 --out "$T" 2>&1 >/dev/null)" ]
	holds "$(rows "$T/flows.csv" '{ print v["slowdown"] }') < 1.01"
	# The same with traffic the other way, for which credits wait. Credit frames go once for an eighth of the buffer: of
	# 26,718 bytes 84 for each 3.3 KB, 2.5 % of the link; of 240 KB a tenth of that.
	for buffer in 22KB 26718 240KB; do
		"$LOSSLAB" run --engine twin --quiet topology=star:n=2 workload=permutation bytes=1MB transport=roce fc=credit \
			buffer=$buffer --out "$T" 2>/dev/null >&2
		most[${#most[@]}]=$(rows "$T/flows.csv" 'v["slowdown"] > most { most = v["slowdown"] } END { print most }')
	done
	show "both ways: slowdown ${most[0]} with 22 KB, ${most[1]} with what covers the loop, ${most[2]} with 240 KB"
	holds "${most[1]} < 1.03 * ${most[2]} && ${most[0]} > 1.05 * ${most[1]}"
}
