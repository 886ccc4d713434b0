#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# 128 hosts and 80 switches under load on the kernel engine: every frame is accounted for, and the twin leaves the same
# bytes. tests/twin/scale.bats has 1,024 hosts.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

# loaded KEYS...: heavy-tailed flows at 70 %, on both engines.
loaded()
{
	local case=(load=0.7 flows=1200 "$@")

	requires root veth kernel
	dir=$BATS_TEST_TMPDIR/kernel
	up fat-tree:k=8
	[ "$(count_namespaces "$LAB-")" -eq $((128 + 80 + 1)) ]
	kernel "$dir" "${case[@]}"
	all_done "$dir"
	[ "$(value "$dir" completed)" -eq 1200 ]
	[ "$(value "$dir" engine)" = '"kernel"' ]
	twin "$BATS_TEST_TMPDIR/twin" topology=fat-tree:k=8 "${case[@]}"
	same_records "$BATS_TEST_TMPDIR/twin" "$dir"
	show "$*: $(value "$dir" packet_hops) link crossings in $(value "$dir" wall_s) s"
}

@test "scale: 128 hosts under load, IRN" {
	loaded transport=irn
	[ "$(value "$dir" buffer)" -gt 0 ]
	[ "$(value "$dir" retransmitted)" -gt 0 ]
}

@test "scale: 128 hosts under load, RoCE with PFC" {
	loaded transport=roce fc=pfc
	[ "$(value "$dir" dropped)" -eq 0 ]
	[ "$(value "$dir" pause_frames)" -gt 0 ]
}
