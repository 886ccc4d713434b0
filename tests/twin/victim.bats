#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What PFC does to bystanders: a flow that shares no more than a link with a congested one is paused with it, and none
# of another class is.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# congested LOCALS: a topology; prints its name. The hot flow h0 -> h2 and the victim h1 -> h3 share the link s0-s1, which
# has room for both; h4, h5... are the hot flow's rivals at s1.
#
#      h0 --\                         /-- h2
#           [s0] -- 100gbit -- [s1] ----- h3
#      h1 --/                         \-- h4, h5...
congested()
{
	local file=$BATS_TEST_TMPDIR/congested i last=$((3 + $1))

	{
		echo default 40gbit 2us
		echo 'switch s0'
		echo 'switch s1'
		for ((i = 0; i <= last; i++)); do printf 'host h%d\nlink h%d s%d\n' $i $i $((i > 1)); done
		echo link s0 s1 100gbit
	} >"$file"
	echo "$file"
}

# The victim's 3,000 packets, and of the hot flow and its rivals as many as keep h2's link busy meanwhile.
VICTIM=3000
crowd()
{
	local i rows=("1,3,${VICTIM}000,0" "0,2,$((2 * VICTIM))000,0")

	for ((i = 0; i < $1; i++)); do rows+=("$((4 + i)),2,$((2 * VICTIM))000,0"); done
	flows "${rows[@]}"
}

# victim DIR COLUMN: of its row in flows.csv.
victim() { rows "$1/flows.csv" "v[\"id\"] == 0 { print v[\"$2\"] }"; }

# with LOCALS KEYS...: the run, lossless one way or the other.
with()
{
	twin "$dir" topology="$(congested "$1")" workload=file:"$(crowd "$1")" "${@:2}"
	all_done "$dir"
	[ "$(value "$dir" dropped)" -eq 0 ]
}

# With PFC the link s0-s1 goes at the hot flow's pace. Its frames are taken from its two inputs in turns, so with the
# victim's 3,000 packets about as many of the hot flow have crossed; all but those in s1's buffer, xoff and the headroom
# at most, have left it for h2, on whose link each one waits for a frame of every rival: 216.4 ns for 1058 + 24 bytes.
slowed() # LOCALS KEYS...
{
	local held

	held=$((60000 + $("$LOSSLAB" headroom 100gbit 2us 1000 | awk 'END { print $1 }')))
	with "$1" fc=pfc xoff=60KB "${@:2}"
	[ "$(value "$dir" pause_frames)" -gt 0 ]
	show "$1 rivals, ${*:2}: the victim's slowdown is $(victim "$dir" slowdown) with PFC"
	holds "$(victim "$dir" fct_ns) > ($1 + 1) * 216.4 * ($VICTIM - $held / 1058)"
	holds "$(victim "$dir" slowdown) < $1 + 1"
}

# Without PFC it meets the hot flow on the way into the link only: the first packets come at the same time, and the one
# that waits has the other's 1074 + 24 bytes at 100 Gb/s ahead of it.
untouched() # LOCALS KEYS...
{
	with "$1" fc=none "${@:2}"
	[ "$(value "$dir" pause_frames)" -eq 0 ]
	holds "$(victim "$dir" fct_ns) - $(victim "$dir" ideal_ns) <= 87.840001"
}

# A window of 110 packets is 118 KB: it fits into the buffer, so nothing is lost without PFC, and it is more than xoff.
@test "victim: IRN's bystander falls back with PFC to what the hot flow gets, and without PFC feels nothing of it" {
	dir=$BATS_TEST_TMPDIR/out
	for rivals in 1 3 7; do
		slowed $rivals transport=irn cap=110 buffer=240KB
		untouched $rivals transport=irn cap=110 buffer=240KB
	done
}

# RoCE has no window: without PFC it takes a buffer for all that the hot flow may be ahead.
@test "victim: RoCE's bystander likewise" {
	dir=$BATS_TEST_TMPDIR/out
	for rivals in 1 3 7; do
		slowed $rivals transport=roce buffer=240KB
		untouched $rivals transport=roce buffer=8MB
	done
}

# The threshold is not to blame: without the hot flow nothing is paused.
@test "victim: alone it is not slowed down" {
	dir=$BATS_TEST_TMPDIR/out
	for transport in irn roce; do
		twin "$dir" topology="$(congested 1)" workload=file:"$(flows 1,3,${VICTIM}000,0)" xoff=60KB fc=pfc transport=$transport
		[ "$(victim "$dir" slowdown)" = 1.000000 ]
		[ "$(value "$dir" pause_frames)" -eq 0 ]
	done
}

# h0 pauses class 3 of the port to it. Data for it waits, but ACKs of class 6 for what it sends pass: all that its flow
# feels is the first PAUSE, 60 + 24 bytes ahead of its first packet. tests/unit/test_advance_classes.c has it for a class
# between two paused ones from all inputs, to the picosecond, and test_nic.c for a host.
@test "victim: a class that is paused stops, and another goes on through the same port" {
	dir=$BATS_TEST_TMPDIR/out
	case=(topology=star:n=3 transport=irn fc=pfc workload=file:"$(flows 0,1,1000000,0 2,0,100000,0)" fault=0us-2ms:pause=3:h0)
	twin "$dir" "${case[@]}" ack_class=6
	all_done "$dir"
	holds "$(victim "$dir" fct_ns) - $(victim "$dir" ideal_ns) < 16.800001"
	[ "$(rows "$dir/flows.csv" 'v["id"] == 1 { print (v["fct_ns"] > 2e6) }')" -eq 1 ]
	twin "$dir" "${case[@]}" ack_class=3
	all_done "$dir"
	holds "$(victim "$dir" fct_ns) > 2e6" # its window is open again when the first ACK comes
}

# The scenario's table: the same bounds as in slowed() and untouched() above, of its variants in turn.
@test "victim: the scenario shows it" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" "$REPO/scenarios/victim"
	for i in 1 2 3 4 5; do
		[ "$(value "$dir/$i" completed)" -eq 1 ]
		[ "$(value "$dir/$i" dropped)" -eq 0 ]
		ratio="$ratio $(value "$dir/$i" avg_slowdown)"
	done
	show "slowdown: RoCE with PFC, with DCQCN, without PFC, IRN with PFC, without:$ratio"
	read -r roce dcqcn deep irn irn_without <<<"$ratio"
	holds "$roce > 3.82 && $roce < 4 && $irn == $roce && $dcqcn < $roce / 2 && $deep == 1 && $irn_without == 1"
}
