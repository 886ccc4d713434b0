#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A cyclic buffer dependency stops a run: it is found as soon as it exists, and said by name.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# The ports of the cycle that it prints: each leads to the switch of the next one, the last to that of the first.
cycle()
{
	sed -n '/^  cycle of class 3, /,/[^,:]$/p' | tail -n +2 | tr ',' '\n' | tr -d ' ' | grep . | awk -F: -v csv="$1/ports.csv" '
		BEGIN { while ((getline line < csv) > 0) { split(line, v, ","); peer[v[1] ":p" v[2]] = v[3] } }
		NR == 1 { first = $0 }
		NR > 1 && peer[last] != $1 { print "no link from " last " to " $0; bad = 1 }
		{ last = $0 }
		END { print NR - 1; exit bad || last != first }'
}

# deadlock_of_seven DIR: the run in $output has stopped in a deadlock of all seven switches, told the same way in its records.
deadlock_of_seven()
{
	[ "$(cycle "$1" <<<"$output")" -eq 7 ]
	[ "$(value "$1" status)" = '"deadlock"' ]
	[ "$(value "$1" class)" -eq 3 ]
	[ "$(sed -n '/"ports": \[/,/\]/p' "$1/summary.json" | tr -d ' \n')" = '"ports":["s0:p1","s1:p2","s2:p2","s3:p2","s4:p2","s5:p2","s6:p2"]' ]
	[ "$(value "$1" dropped)" -eq 0 ]
	conserved "$1"
	holds "$(value "$1" virtual_ns) < 1000000" # it stands at 32 us; the next event after is a PAUSE said again
}

# Every host sends three switches on: 40 Gb/s in and 80 Gb/s for every link, all one way round.
@test "deadlock: seven switches in a ring, named and found at once" {
	dir=$BATS_TEST_TMPDIR/out
	run -1 twin "$dir" topology="$(ring 7)" workload=file:"$(around 7 3)" buffer=60KB
	[[ ${lines[0]} =~ ^"losslab: run: deadlock at "[0-9]+" us: 7 of 7 flows unfinished; waiting:"$ ]]
	deadlock_of_seven "$dir"
}

# The run ends with its last event: the message, the summary and the account of every port's pauses end there.
@test "deadlock: one end of the run, and no port is paused for longer" {
	dir=$BATS_TEST_TMPDIR/out
	for kind in fc=pfc fc=credit; do
		run -1 twin "$dir" topology=ring:n=5,hosts=2 workload=permutation bytes=1MB buffer=60KB $kind
		at=${lines[0]#*deadlock at }
		end=$(value "$dir" virtual_ns)
		[ "${at%% *}" -eq "$((${end%.*} / 1000))" ]
		[ "$(rows "$dir/ports.csv" 'v["node"] ~ /^h/ && v["paused_ns"] > 0 { n++ } END { print (n > 0) }')" -eq 1 ]
		[ -z "$(rows "$dir/ports.csv" "{ for (c = 0; c < 8; c++) if (v[\"paused_ns_\" c] > $end) print v[\"node\"] }")" ]
	done
}

# The same with credits, and with memory that the ports of a switch share. With credits nothing at all happens any more when
# the cycle is closed, so the run's last event is the end of it.
@test "deadlock: seven switches in a ring with credits, and with shared buffers" {
	dir=$BATS_TEST_TMPDIR/out
	for kind in "fc=credit buffer=60KB" "fc=credit buffer=2.2KB" "buffer_mode=shared buffer=200KB" \
		"buffer_mode=shared buffer=400KB alpha=2 reserve=0"; do
		# shellcheck disable=SC2086 # two or more words
		run -1 twin "$dir" topology="$(ring 7)" workload=file:"$(around 7 3)" $kind
		deadlock_of_seven "$dir"
	done
}

@test "deadlock: a generated ring whose routes all go round has one, with its shortest ways none" {
	dir=$BATS_TEST_TMPDIR/out
	for fc in pfc credit; do
		case=(fc="$fc" buffer=60KB workload=permutation bytes=1MB seed=5)
		run -1 twin "$dir" topology=ring:n=5 "${case[@]}"
		[ "$(cycle "$dir" <<<"$output")" -eq 5 ]
		twin "$dir" topology=ring:n=5,routes=shortest "${case[@]}"
		all_done "$dir"
	done
}

# h8 gets its packets all the while: a part that stands still is enough.
@test "deadlock: found although other flows go on" {
	dir=$BATS_TEST_TMPDIR/out
	{ cat "$(ring 7)"; printf 'host h7\nhost h8\nlink h7 s0\nlink h8 s0\n'; } >"$BATS_TEST_TMPDIR/more"
	workload=$(around 7 3)
	echo 7,7,8,50000000,0 >>"$workload"
	for kind in fc=pfc fc=credit; do
		run -1 twin "$dir" topology="$BATS_TEST_TMPDIR/more" workload=file:"$workload" buffer=60KB $kind
		[ "$(value "$dir" status)" = '"deadlock"' ]
		holds "$(value "$dir" virtual_ns) < 200000"
		[ "$(rows "$dir/flows.csv" 'v["id"] == 7 { print (v["received_bytes"] > 0) }')" -eq 1 ]
	done
}

# Shortest paths over one link only never use a buffer on to another ring link: no cycle. Without PFC nothing waits.
@test "deadlock: none without a cycle, and none without PFC" {
	dir=$BATS_TEST_TMPDIR/out
	for kind in fc=pfc fc=credit; do
		twin "$dir" topology="$(ring 7)" workload=file:"$(around 7 1)" buffer=60KB $kind
		all_done "$dir"
	done
	twin "$dir" topology="$(ring 7)" workload=file:"$(around 7 3)" buffer=60KB fc=none transport=irn
	all_done "$dir"
	[ -z "$(value "$dir" class)" ]
}

# PAUSE everywhere and for long, but up and down trees have no cycles.
@test "deadlock: no false alarm on a fat-tree full of PAUSE, or short of credits" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=fat-tree:k=4 load=0.95 flows=400 buffer=2.2KB fc=credit
	all_done "$dir"
	holds "$(total "$dir/ports.csv" paused_ns) > 1000000"
	twin "$dir" topology=fat-tree:k=4 load=0.95 flows=400 buffer=200KB buffer_mode=shared alpha=1/16
	all_done "$dir"
	[ "$(value "$dir" pause_frames)" -gt 1000 ]
	twin "$dir" topology=fat-tree:k=4 load=0.95 flows=400 buffer=40KB xoff=8KB
	all_done "$dir"
	[ "$(value "$dir" pause_frames)" -gt 1000 ]
}

# Two of its variants cannot end: that is their result, and the others run all the same.
@test "deadlock: its scenario is one table, that says which variants have one" {
	dir=$BATS_TEST_TMPDIR/out
	run -1 "$LOSSLAB" run -q -e twin --out "$dir" "$REPO/scenarios/deadlock"
	echo "$output"
	[ "${#lines[@]}" -eq 13 ]
	[[ ${lines[0]} == scheme\ * ]]
	diff - <(tail -n +7 <<<"$output") <<-'END'
		RoCE with PFC: deadlock, 10 of 10 flows unfinished
		  cycle of class 3, each port waits for the next one:
		    s0:p2, s1:p3, s2:p3, s3:p3, s4:p3, s0:p2
		RoCE with credits: deadlock, 10 of 10 flows unfinished
		  cycle of class 3, each port waits for the next one:
		    s0:p2, s1:p3, s2:p3, s3:p3, s4:p3, s0:p2
		The averages are over completed flows only.
	END
	for i in 1 2; do
		[ "$(value "$dir/$i" status)" = '"deadlock"' ]
		[ "$(value "$dir/$i" dropped)" -eq 0 ]
	done
	for i in 3 4; do all_done "$dir/$i"; done
	[ "$(value "$dir/3" watchdog)" -gt 0 ]
	holds "$(value "$dir/4" virtual_ns) < $(value "$dir/3" virtual_ns)"
	[ "$("$LOSSLAB" run -q -e twin --json "$REPO/scenarios/deadlock" | grep -c '"digest"')" -eq 4 ]
}

@test "deadlock: of a variant that is stuck a scenario says what waits, and goes on" {
	printf 'topology=star:n=4\nflows=50\nloss=0.01\n\n[hangs]\nfc=pfc\n[ends]\nfc=pfc\ntimeouts=on\n' >"$BATS_TEST_TMPDIR/scenario"
	run -1 --separate-stderr "$LOSSLAB" run -q -e twin "$BATS_TEST_TMPDIR/scenario"
	# shellcheck disable=SC2154 # bats sets it
	[[ ${stderr_lines[0]} =~ ^"losslab: run: [hangs] stuck at "[0-9]+" us: "[0-9]+" of 50 flows unfinished; waiting:"$ ]]
	[[ ${stderr_lines[1]} =~ ^"  flow "[0-9]+": h" ]]
	[[ ${lines[2]} == hangs\ * && ${lines[3]} == ends\ * && ${lines[4]} == "hangs: stuck, "*" of 50 flows unfinished" ]]
}

@test "scenario: a variant that hangs is a result, but one whose records cannot be kept ends it" {
	printf 'topology=ring:n=5,hosts=2\nworkload=permutation\nbytes=1MB\nbuffer=60KB\n[a]\nfc=pfc\n[b]\ntransport=irn\n' >"$BATS_TEST_TMPDIR/two"
	mkdir -p "$BATS_TEST_TMPDIR/out/1/flows.csv"
	run -1 --separate-stderr "$LOSSLAB" run -e twin "$BATS_TEST_TMPDIR/two" out="$BATS_TEST_TMPDIR/out"
	# shellcheck disable=SC2154 # stderr is set by run
	[[ $stderr == *"1/flows.csv: "* ]]
	[ ! -e "$BATS_TEST_TMPDIR/out/2/flows.csv" ]
	rmdir "$BATS_TEST_TMPDIR/out/1/flows.csv"
	run -1 --separate-stderr "$LOSSLAB" run -e twin "$BATS_TEST_TMPDIR/two" out="$BATS_TEST_TMPDIR/out"
	[ -e "$BATS_TEST_TMPDIR/out/2/summary.json" ]
}

# Of a storm from h4: PFC stops others too, a watchdog ends it for all but h4's own flows, and IRN without PFC has none.
@test "storm: the scenario's variants end as it says" {
	run -1 "$LOSSLAB" run -q -e twin scenarios/storm out="$BATS_TEST_TMPDIR/out"
	state() { echo "$(value "$BATS_TEST_TMPDIR/out/$1" status) $(value "$BATS_TEST_TMPDIR/out/$1" qp_errors)"; }
	[ "$(state 1)" = '"stuck" 0' ] && [ "$(state 3)" = '"done" 0' ]
	[[ $(state 2) =~ ^'"done" '[1-9] ]]
	# the others of the first are flows of other hosts too; in error are those to h4 or from it alone
	[ "$(total "$BATS_TEST_TMPDIR/out/1/flows.csv" id '!v["completed"] && v["dst"] != 4 && v["src"] != 4')" -gt 0 ]
	[ "$(total "$BATS_TEST_TMPDIR/out/2/flows.csv" id 'v["error"] != "" && v["dst"] != 4 && v["src"] != 4')" -eq 0 ]
	[ -z "$(rows "$BATS_TEST_TMPDIR/out/2/flows.csv" '!v["completed"] && v["error"] == ""')" ]
}
