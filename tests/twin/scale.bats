#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A fabric of 1,024 hosts and 320 switches under load: the twin counts every frame, and counts the same again.
# tests/bats/scale.bats has the kernel engine at 128 hosts and 80 switches.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# loaded KEYS...: heavy-tailed flows at 70 %, twice.
loaded()
{
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=fat-tree:k=16 load=0.7 flows=6000 "$@"
	all_done "$dir"
	[ "$(value "$dir" completed)" -eq 6000 ]
	[ "$(rows "$dir/ports.csv" 'END { print NR - 1 }')" -eq $((320 * 16 + 1024)) ]
	[ "$(rows "$dir/flows.csv" 'v["src"] > 1000 || v["dst"] > 1000' | wc -l)" -gt 0 ]
	twin "$dir.again" topology=fat-tree:k=16 load=0.7 flows=6000 "$@"
	same_records "$dir" "$dir.again"
	show "$*: $(value "$dir" packet_hops) link crossings, slowdown $(value "$dir" avg_slowdown)"
}

@test "scale: 1,024 hosts under load, IRN" {
	loaded transport=irn
	[ "$(value "$dir" buffer)" -gt 0 ]
	[ "$(value "$dir" retransmitted)" -gt 0 ]
}

@test "scale: 1,024 hosts under load, RoCE with PFC" {
	loaded transport=roce fc=pfc
	[ "$(value "$dir" dropped)" -eq 0 ]
	[ "$(value "$dir" pause_frames)" -gt 0 ]
}
