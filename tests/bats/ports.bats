#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# losslab ports: of a run that is over, and of one that is on.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

@test "ports: a run's records as a table and as JSON" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=4 workload=incast bytes=300KB transport=irn-nobdp buffer=30KB
	run "$LOSSLAB" ports "$dir"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 10 ] # titles, units, four ports and four hosts
	read -r -a titles <<<"${lines[0]}"
	[ "${titles[*]}" = "port peer rx tx drops marks pause max queue" ]
	read -r -a units <<<"${lines[1]}"
	[ "${units[*]}" = "frames frames frames frames frames bytes" ]
	for line in "${lines[@]}"; do [ "${#line}" -le 80 ]; done
	read -r -a row <<<"${lines[3]}"
	want=$(rows "$dir/ports.csv" 'v["node"] == "s0" && v["port"] == 1 {
		print "s0:p1 h1:p0", v["rx_frames"], v["tx_frames"], v["drop_buffer"], v["ecn_marks"], v["pause_tx"],
			v["max_queue_bytes"]
	}')
	[ "${row[*]}" = "$want" ]
	[ "$(awk 'NR > 2 { sum += $5 } END { print sum }' <<<"$output")" -eq "$(value "$dir" dropped)" ]
	[ "$(value "$dir" dropped)" -gt 0 ]
	requires jq
	"$LOSSLAB" ports --json "$dir" | jq -r '.[] | [.[]] | @csv' | tr -d '"' >"$BATS_TEST_TMPDIR/json.csv"
	diff <(tail -n +2 "$dir/ports.csv" | sed 's/\.000\b//g') "$BATS_TEST_TMPDIR/json.csv"
}

# Each list is its row without what is 0, in order.
@test "ports: --all lists every column that is not 0" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=4 workload=incast bytes=300KB transport=roce buffer=60KB ecn=red kmax=6KB
	"$LOSSLAB" ports --all "$dir" >"$BATS_TEST_TMPDIR/said"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
		{ print $1 ":p" $2 " " $3 ":p" $4; for (i = 5; i <= NF; i++) if ($i + 0) printf "  %-16s %s\n", name[i], $i }' "$dir/ports.csv" |
		diff - "$BATS_TEST_TMPDIR/said"
	for name in mark_red pause_tx_3 pause_rx_3 paused_ns_3; do grep -q "^  $name  *[1-9]" "$BATS_TEST_TMPDIR/said"; done
}

@test "ports: what is no ports.csv is refused" {
	dir=$BATS_TEST_TMPDIR/out
	refused 2 "ports: $dir/ports.csv: No such file" "$LOSSLAB" ports "$dir"
	mkdir "$dir"
	for text in '' 'a,b\n' 'node,port\ns0\n' 'node,port\ns0,1,2\n'; do
		# shellcheck disable=SC2059 # the text is a format
		printf "$text" >"$dir/ports.csv"
		run -2 "$LOSSLAB" ports --json "$dir"
		[[ $output == *"losslab: ports: $dir/ports.csv:"[12]": "* ]]
	done
	refused 2 "ports: '$dir': one argument too many; usage: losslab ports" "$LOSSLAB" ports "$dir" "$dir"
	refused 2 "ports: $dir: given together with --name" "$LOSSLAB" ports --name lab "$dir"
	refused 2 "ports: lab $LAB: no such lab; none exist" "$LOSSLAB" ports --name "$LAB"
	refused 2 'ports: no current run; losslab ports DIR' "$LOSSLAB" ports
}

grows() { [ "$(first)" -gt "$1" ]; }
first() { "$LOSSLAB" ports --name "$LAB" | awk '$1 == "s0:p0" { print $3 }' | grep . || echo 0; }

@test "ports: of a run that is on, again and again, and the run does not notice" {
	requires root veth kernel
	up star:n=4
	refused 2 "ports: lab $LAB: no current run; losslab ports DIR" "$LOSSLAB" ports --name "$LAB"
	background "$LOSSLAB" run -q --out "$BATS_TEST_TMPDIR/kernel" --name "$LAB" workload=permutation bytes=50MB
	RUN=$!
	wait_for 20 grows 1000
	wait_for 20 grows $(($(first) + 1000))
	"$LOSSLAB" ports --all --name "$LAB" | grep -A1 '^s0:p0 h0:p0$' | grep '^  rx_frames '
	"$LOSSLAB" ports --name "$LAB" | awk 'NR > 2 { print $1, $2 }' >"$BATS_TEST_TMPDIR/names"
	diff "$BATS_TEST_TMPDIR/names" - <<<$'s0:p0 h0:p0\ns0:p1 h1:p0\ns0:p2 h2:p0\ns0:p3 h3:p0'
	wait "$RUN"
	refused 2 'no current run' "$LOSSLAB" ports --name "$LAB"
	twin "$BATS_TEST_TMPDIR/twin" topology=star:n=4 workload=permutation bytes=50MB
	same_records "$BATS_TEST_TMPDIR/twin" "$BATS_TEST_TMPDIR/kernel"
}

own() { "$LOSSLAB" ports | grep '^s0:p0 '; }

@test "ports: of the one run that is on, wherever it is, and labs are named where a name is wrong" {
	requires root veth kernel setpriv
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	LOSSLAB_RUN_DIR=$(mktemp -d) # where others may look
	chmod 755 "$LOSSLAB_RUN_DIR"
	background "$LOSSLAB" run -q topology=star:n=4 workload=permutation bytes=500MB
	RUN=$!
	wait_for 20 own
	refused 2 "exec: lab lab: no such lab; --name takes one of: run$RUN$" "$LOSSLAB" exec h0 true
	refused 2 "ports: lab other: no such lab; --name takes one of: run$RUN$" "$LOSSLAB" ports --name other
	refused 2 "status: lab other: no such lab; --name takes one of: run$RUN$" "$LOSSLAB" status --name other
	if "${nobody[@]}" test -x "$LOSSLAB"; then
		refused 3 "ports: labs belong to root .*: run with sudo" "${nobody[@]}" "$LOSSLAB" ports
	fi
	up star:n=2
	refused 2 "ports: lab $LAB: no current run" "$LOSSLAB" ports --name "$LAB"
	own
	refused 2 "exec: lab lab: .* one of: run$RUN, $LAB$" "$LOSSLAB" exec h0 true
	background "$LOSSLAB" run -q --name "$LAB" workload=permutation bytes=500MB
	wait_for 20 grows 1
	refused 2 "ports: 2 runs, one of them on lab $LAB: select one with --name" "$LOSSLAB" ports
	kill "${PIDS[@]}"
	wait
	"$LOSSLAB" down --all
	rmdir "$LOSSLAB_RUN_DIR"
}
