#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A run that cannot go on says so, and why.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# PFC switches timeouts off; what is lost at the end of a flow then stays lost.
@test "stuck: RoCE with PFC and random loss hangs, exit 1, the flows by name" {
	dir=$BATS_TEST_TMPDIR/out
	run -1 twin "$dir" topology=star:n=4 transport=roce fc=pfc loss=0.01 flows=50
	open=$(($(value "$dir" flows) - $(value "$dir" completed)))
	[ "$open" -gt 0 ]
	[[ ${lines[0]} =~ ^"losslab: run: stuck at "[0-9]+" us: $open of 50 flows unfinished; waiting:"$ ]]
	[[ ${lines[1]} =~ ^"  flow "[0-9]+": h"[0-3]" -> h"[0-3]", "[0-9]+" bytes: not finished"$ ]]
	lost=$(value "$dir" dropped)
	[[ $output == *"  $lost frames were lost and timeouts are off: try timeouts=on"* ]]
	[ "$(value "$dir" status)" = '"stuck"' ]
	conserved "$dir"
	# those it names are those without fct_ns
	grep -o '^  flow [0-9]*' <<<"$output" | while read -r _ id; do
		[ -z "$(rows "$dir/flows.csv" "v[\"id\"] == $id { print v[\"fct_ns\"] v[\"slowdown\"] }")" ]
	done
	[ "$(rows "$dir/flows.csv" '!v["completed"] && v["fct_ns"] == "" { n++ } END { print n }')" -eq "$open" ]
}

@test "stuck: with timeouts on the same run ends" {
	twin "$BATS_TEST_TMPDIR/out" topology=star:n=4 transport=roce fc=pfc loss=0.01 flows=50 timeouts=on
	all_done "$BATS_TEST_TMPDIR/out"
}

@test "stuck: JSON says it too, and still is all there is on stdout" {
	code=0
	"$LOSSLAB" run -q --json -e twin topology=star:n=4 loss=0.01 flows=50 >"$BATS_TEST_TMPDIR/summary.json" 2>"$BATS_TEST_TMPDIR/err" || code=$?
	[ "$code" -eq 1 ]
	[ "$(head -c 2 "$BATS_TEST_TMPDIR/summary.json" | tr -d '\n')" = "{" ]
	[ "$(value "$BATS_TEST_TMPDIR" status)" = '"stuck"' ]
	grep -q '^losslab: run: stuck at ' "$BATS_TEST_TMPDIR/err"
}

# h1's frames die on their way in, the timer repeats them for ever: events without end, and no progress. The last event
# before the deadline was at most one timeout, 320 us, before it.
@test "stuck: events without progress end the run after stuck_after" {
	"$REPO/topo/star.sh" n=3 | sed 's/^link h1 s0$/& loss 1/' >"$BATS_TEST_TMPDIR/dead"
	dir=$BATS_TEST_TMPDIR/out
	for after in 1ms 20ms; do
		run -1 twin "$dir" topology="$BATS_TEST_TMPDIR/dead" transport=irn workload=file:"$(flows 1,0,5000,0 2,0,5000,0)" stuck_after=$after
		[[ ${lines[0]} == "losslab: run: stuck at "*": 1 of 2 flows unfinished; waiting:" ]]
		[ "${lines[1]}" = "  flow 0: h1 -> h0, 5000 bytes: not finished" ]
		at=${lines[0]#*stuck at }
		holds "${at%% *} >= ${after%ms}000 - 320 && ${at%% *} < ${after%ms}000 + 320"
		[ "$(value "$dir" completed)" -eq 1 ]
		conserved "$dir"
	done
}

# A packet takes 8.7 ms on the last link: nothing is received for longer than this run waits, and PAUSE stands.
@test "stuck: paused ports are named" {
	"$REPO/topo/dumbbell.sh" left=2 right=1 | sed 's/^link h2 s1 .*/link h2 s1 1mbit 2us/' >"$BATS_TEST_TMPDIR/slow"
	run -1 twin "$BATS_TEST_TMPDIR/out" topology="$BATS_TEST_TMPDIR/slow" stuck_after=5ms \
		workload=file:"$(flows 0,2,2000000,0 1,2,2000000,0)"
	grep '^  flow 0: h0 -> h2' <<<"$output"
	grep '^  port s0:p2: paused by s1 in class 3$' <<<"$output"
	conserved "$BATS_TEST_TMPDIR/out"
}

@test "stuck: what is not listed is counted" {
	run -1 twin "$BATS_TEST_TMPDIR/out" topology=star:n=16 workload=incast senders=12 bytes=100KB transport=irn timeouts=off loss=1
	[ "$(grep -c ': not finished$' <<<"$output")" -eq 8 ]
	[[ $output == *"  ... and 4 more flows"* ]]
}

# Each was called stuck when stuck_after was 100 ms whatever the run.
@test "stuck: slow links, long timers and scheduled faults are no hangs" {
	dir=$BATS_TEST_TMPDIR/out
	one=(topology=star:n=2 workload=incast senders=1 bytes=20000)
	twin "$dir" "${one[@]}" fc=none delay=60ms rate=10mbit
	all_done "$dir"
	for transport in roce irn iwarp; do # IRN resends what is still on its way: the buffer is full of duplicates
		twin "$dir" "${one[@]}" rate=2kbit transport=$transport
		all_done "$dir"
	done
	twin "$dir" "${one[@]}" fault=0us-150ms:down:h1 timeouts=on
	all_done "$dir"
	[ "$(value "$dir" retransmitted)" -gt 0 ]
	twin "$dir" "${one[@]}" transport=irn rto_high=200ms rto_low=200ms fault=0us-10us:drop=1:s0
	all_done "$dir"
	# a fault to come is waited for even where the run names a time; a fault that has no end is a hang
	twin "$dir" "${one[@]}" transport=irn stuck_after=1ms fault=0us-150ms:down:h1
	all_done "$dir"
	run -1 twin "$dir" "${one[@]}" transport=irn fault=0us:down:h1
	[ "$(value "$dir" status)" = '"stuck"' ]
}

@test "stuck: out of credits" {
	"$REPO/topo/dumbbell.sh" left=2 right=1 | sed 's/^link h2 s1 .*/link h2 s1 1mbit 2us/' >"$BATS_TEST_TMPDIR/slow"
	run -1 twin "$BATS_TEST_TMPDIR/out" topology="$BATS_TEST_TMPDIR/slow" stuck_after=5ms fc=credit \
		workload=file:"$(flows 0,2,2000000,0 1,2,2000000,0)"
	grep '^  port s0:p2: out of credits from s1 in class 3$' <<<"$output"
}
