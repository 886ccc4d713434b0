#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A run is a function of its configuration and seed; transports deliver whatever the fabric does to them.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

busy=(topology=fat-tree:k=4 flows=300 buffer=60KB)

@test "the same seed twice: the same bytes; another seed: another digest" {
	a=$BATS_TEST_TMPDIR/a b=$BATS_TEST_TMPDIR/b
	for how in "transport=roce" "transport=roce fc=none" "transport=irn" "transport=irn fc=pfc" "transport=irn loss=0.001"; do
		for seed in 1 2; do
			# shellcheck disable=SC2086 # words
			twin "$a" "${busy[@]}" until=arrivals $how seed=$seed
			# shellcheck disable=SC2086
			twin "$b" "${busy[@]}" until=arrivals $how seed=$seed
			same_records "$a" "$b"
			value "$a" digest >>"$BATS_TEST_TMPDIR/digests"
		done
	done
	[ "$(sort "$BATS_TEST_TMPDIR/digests" | uniq -d)" = "" ]
}

@test "the seed decides about random loss too, not only about the flows" {
	dir=$BATS_TEST_TMPDIR/out
	for seed in 1 2 3; do
		twin "$dir" topology=star:n=3 workload=file:"$(flows 1,0,2000000,0 2,0,2000000,0)" transport=irn loss=0.001 seed=$seed
		value "$dir" digest >>"$BATS_TEST_TMPDIR/digests"
	done
	[ "$(sort -u "$BATS_TEST_TMPDIR/digests" | wc -l)" -eq 3 ]
}

@test "ECN marks change no flow as long as nobody listens to them" {
	a=$BATS_TEST_TMPDIR/a b=$BATS_TEST_TMPDIR/b
	twin "$a" "${busy[@]}"
	twin "$b" "${busy[@]}" ecn=red kmax=50KB
	[ "$(value "$b" ecn_marks)" -gt 0 ]
	cmp "$a/flows.csv" "$b/flows.csv"
}

@test "the PSNs' wrap changes nothing" {
	a=$BATS_TEST_TMPDIR/a b=$BATS_TEST_TMPDIR/b
	for how in "transport=roce fc=pfc" "transport=roce fc=none until=arrivals" "transport=irn" "transport=irn loss=0.001" \
		"transport=roce fc=none loss=0.001 until=arrivals"; do
		for psn0 in 16777000 16777215; do
			# shellcheck disable=SC2086 # words
			twin "$a" "${busy[@]}" $how psn0=0
			# shellcheck disable=SC2086
			twin "$b" "${busy[@]}" $how psn0=$psn0
			same_records "$a" "$b"
		done
	done
}

@test "all transports deliver everything under random loss" {
	dir=$BATS_TEST_TMPDIR/out
	for how in "transport=roce fc=none" "transport=irn" "transport=irn fc=pfc timeouts=on" "transport=roce fc=pfc timeouts=on"; do
		# shellcheck disable=SC2086 # words
		twin "$dir" topology=fat-tree:k=4 flows=100 load=0.3 loss=0.001 $how
		all_done "$dir"
		[ "$(value "$dir" loss)" -gt 0 ]
		[ "$(value "$dir" retransmitted)" -gt 0 ]
		holds "$(value "$dir" loss) / $(value "$dir" packet_hops) > 0.0007 && $(value "$dir" loss) / $(value "$dir" packet_hops) < 0.0013"
	done
}

@test "loss at one switch happens there only, and on one link of the topology on that link only" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=leaf-spine transport=irn flows=200 loss=0.01@s4
	all_done "$dir"
	[ "$(total "$dir/ports.csv" drop_loss)" -gt 0 ]
	[ "$(total "$dir/ports.csv" drop_loss 'v["node"] != "s4"')" -eq 0 ]
	"$REPO/topo/star.sh" n=4 | sed 's/^link h2 s0$/& loss 0.02/' >"$BATS_TEST_TMPDIR/lossy"
	twin "$dir" topology="$BATS_TEST_TMPDIR/lossy" transport=irn flows=200
	all_done "$dir"
	[ "$(total "$dir/ports.csv" drop_loss)" -gt 0 ]
	[ "$(total "$dir/ports.csv" drop_loss 'v["peer"] != "h2"')" -eq 0 ]
}
