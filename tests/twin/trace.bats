#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# trace=: a lone flow's events by hand, agreement with the counters, and that a trace changes nothing.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# events FILE EVENT COLUMN: the column's cells of these events, a blank between.
events() { rows "$1" "v[\"event\"] == \"$2\" { print v[\"$3\"] }" | tr '\n' ' '; }

# Two packets of 1074 and 1058 bytes, 24 more on the wire each, at 200 ps a byte; 2 us a link; a packet crosses two
# links, its ACK of 62 bytes too.
@test "trace: a lone flow, counted by hand" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=3 transport=irn workload=file:"$(flows 0,1,2000,0 2,1,1000,90000)" trace=flow:0 psn0=16777215
	file=$dir/trace.csv
	[ "$(events "$file" send time_ns)" = "0.000 219.600 " ]
	[ "$(events "$file" send packet)" = "0 1 " ]
	[ "$(events "$file" send psn)" = "16777215 0 " ]
	[ "$(events "$file" receive time_ns)" = "4439.200 4655.600 " ] # 2 x (219.6 + 2000); 216.4 behind it
	[ "$(events "$file" send_ack time_ns)" = "4439.200 4655.600 " ]
	[ "$(events "$file" ack rtt_ns)" = "8473.600 8470.400 " ] # 2 x (17.2 + 2000) more
	[ "$(events "$file" ack cum)" = "1 2 " ]
	[ "$(events "$file" timer_stop time_ns)" = "8690.000 " ]
	[ -z "$(rows "$file" 'v["flow"] != 0 || (v["host"] != "h0" && v["host"] != "h1")')" ]
}

@test "trace: agrees with flows.csv, and is in order" {
	dir=$BATS_TEST_TMPDIR/out
	for keys in "transport=roce fc=none" "transport=irn cc=dcqcn kmin=2KB kmax=10KB" transport=melo transport=iwarp; do
		# shellcheck disable=SC2086 # words
		twin "$dir" topology=star:n=5 $keys workload=incast bytes=50KB loss=0.01 trace=all
		rows "$dir/trace.csv" '
			v["time_ns"] + 0 < last { print "time runs back"; bad = 1 }
			{ last = v["time_ns"] + 0; n[v["flow"], v["event"]]++ }
			END {
				while ((getline line < "'"$dir"'/flows.csv") > 0) {
					cells = split(line, c, ",")
					if (!head++) { for (i = 1; i <= cells; i++) at[c[i]] = i; continue }
					id = c[at["id"]]
					if (n[id, "send"] + n[id, "resend"] != c[at["packets_sent"]] ||
					    n[id, "resend"] + 0 != c[at["retransmitted"]] || n[id, "nack"] + 0 != c[at["nacks"]] ||
					    n[id, "timeout"] + 0 != c[at["timeouts"]] || n[id, "cnp"] + 0 != c[at["cnps"]]) {
						print "flow " id " differs"
						bad = 1
					}
					resent += n[id, "resend"]
				}
				exit bad || !resent
			}'
	done
}

@test "trace: changes nothing else, and is not left over from an earlier run" {
	dir=$BATS_TEST_TMPDIR/out
	keys=(topology=star:n=4 flows=100 buffer=60KB cc=dcqcn)
	twin "$dir.plain" "${keys[@]}"
	[ ! -e "$dir.plain/trace.csv" ]
	twin "$dir" "${keys[@]}" trace=all
	same_records "$dir.plain" "$dir"
	[ "$(wc -l <"$dir/trace.csv")" -gt 1000 ]
	twin "$dir" "${keys[@]}" trace=host:h3
	[ -z "$(rows "$dir/trace.csv" 'v["host"] != "h3"')" ]
	twin "$dir" "${keys[@]}"
	[ -z "$(find "$dir" -name "*trace*")" ]
}

# refused 'LINE' WORD: exit code 2 and this line.
refused()
{
	run -2 --separate-stderr "$LOSSLAB" run -q -e twin topology=star:n=4 flows=10 "${@:2}"
	# shellcheck disable=SC2154 # stderr is set by run
	[ "$stderr" = "losslab: $1" ] || { echo "$stderr"; return 1; }
}

@test "trace: refuses what there is not" {
	out=out=$BATS_TEST_TMPDIR/out
	refused "trace: '10': no such flow; allowed: 0..9" trace=flow:0,10 "$out"
	refused "trace: 'h4': no host of that name in this topology" trace=host:h0,h4 "$out"
	refused "run: trace= needs out=DIR" trace=all
}

@test "trace: one that could not be kept fails the run, and there is no summary.json" {
	dir=$BATS_TEST_TMPDIR/out
	run -1 --separate-stderr bash -c "trap '' XFSZ; ulimit -f 400; exec '$LOSSLAB' run -q -e twin flows=200 trace=all out='$dir'"
	[[ $stderr == *"trace.csv: "* ]]
	[ ! -e "$dir/summary.json" ]
}
