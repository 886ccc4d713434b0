#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a run leaves is complete, of the right types, and agrees with itself.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

lossy=(topology=fat-tree:k=4 flows=300 transport=irn buffer=60KB loss=0.001)

@test "records: until=arrivals stops with the last start, frames in flight accounted for" {
	dir=$BATS_TEST_TMPDIR/out
	for how in "transport=roce fc=pfc" "transport=roce fc=none" "transport=irn" "transport=irn fc=pfc"; do
		# shellcheck disable=SC2086 # words
		twin "$dir" topology=fat-tree:k=4 flows=300 until=arrivals $how
		[ "$(value "$dir" status)" = '"arrivals"' ]
		[ "$(value "$dir" queued)" -gt 0 ]
		conserved "$dir"
		[ "$(value "$dir" completed)" -lt 300 ]
		[ "$(value "$dir" virtual_ns)" = "$(rows "$dir/flows.csv" 'v["start_ns"] > max { max = v["start_ns"] } END { printf "%.3f\n", max }')" ]
		[ "$(total "$dir/flows.csv" completed)" -eq "$(value "$dir" completed)" ]
	done
}

@test "records: summary.json has all its keys, each of its type" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" "${lossy[@]}"
	for key in 'digest "[0-9a-f]{64}"' 'engine "twin"' 'status "done"' 'seed 1' 'topology "fat-tree:k=4"' 'preset ""' \
		'transport "irn"' 'cc "none"' 'fc "none"' 'buffer_mode "static"' 'ecn "off"' 'sched "strict"' 'queues "voq"' 'arbiter "rr"' 'op "write"' 'workload "heavy-tailed"' 'flows 300' 'completed 300' 'avg_slowdown [0-9]+\.[0-9]{3}' \
		'avg_fct_ns [0-9]+\.[0-9]{3}' 'p99_fct_ns [0-9]+\.[0-9]{3}' 'frames \{' 'sent [0-9]+' 'delivered [0-9]+' \
		'dropped [0-9]+' 'queued [0-9]+' 'drops \{' 'buffer [0-9]+' 'loss [0-9]+' 'no_route 0' 'drop_rate 0\.[0-9]{6}' 'drop_rate_other 0\.[0-9]{6}' \
		'sent_data [0-9]+' 'dropped_data [0-9]+' 'pfc_classes "all"' 'computed \{' 'rto_high "100us"' 'cap [0-9]+' \
		'stuck_after "100ms"' 'p50_fct_ns [0-9]+\.[0-9]{3}' 'p999_fct_ns [0-9]+\.[0-9]{3}' 'slowdown_by_size \[' 'fairness .*' 'requests null' \
		'ecn_marks 0' 'pause_frames 0' 'resume_frames 0' 'packets_sent [0-9]+' 'retransmitted [0-9]+' 'timeouts [0-9]+' \
		'nacks [0-9]+' 'cnps 0' 'rnr_naks 0' 'qp_errors 0' 'packet_hops [0-9]+' 'hops_data [0-9]+' 'hops_ack [0-9]+' 'windows [0-9]+' \
		'virtual_ns [0-9]+\.[0-9]{3}' 'foreign_frames 0' 'wall_s [0-9]+\.[0-9]+' 'cpu_s [0-9]+\.[0-9]+' 'peak_rss_kb [0-9]+'; do
		[ "$(grep -cE "^ {2,4}\"${key%% *}\": ${key#* },?\$" "$dir/summary.json")" -eq 1 ] || { echo "key $key"; cat "$dir/summary.json"; false; }
	done
}

# What cc= and fc= leave to be decided stands there decided.
@test "records: summary.json names flow control, buffers, marking and turns" {
	dir=$BATS_TEST_TMPDIR/out
	named() { [ "$(for k in fc buffer_mode ecn sched queues arbiter; do value "$dir" $k; done | tr -d '"\n')" = "$1" ]; }
	twin "$dir" topology=star:n=3 flows=5 cc=dcqcn
	named pfcstaticredstrictvoqrr
	twin "$dir" topology=star:n=3 flows=5 fc=credit ecn=ib cc=ib-lipd sched=wrr
	named creditstaticibwrrvoqrr
	twin "$dir" topology=star:n=3 flows=5 buffer_mode=shared buffer=1MB ecn=ib-input queues=fifo arbiter=islip
	named pfcsharedib-inputstrictfifoislip
}

@test "records: --json prints what summary.json holds" {
	dir=$BATS_TEST_TMPDIR/out
	"$LOSSLAB" run -q -e twin --json --out "$dir" "${lossy[@]}" >"$BATS_TEST_TMPDIR/stdout"
	cmp "$BATS_TEST_TMPDIR/stdout" "$dir/summary.json"
}

@test "records: JSON is JSON, also where there is nothing to average" {
	requires jq
	"$LOSSLAB" run -q -e twin --json "${lossy[@]}" | jq -e '.frames.sent == .frames.delivered + .frames.dropped + .frames.queued'
	"$LOSSLAB" run -q -e twin --json topology=star:n=2 workload=file:"$(flows 0,1,3000000,0 0,1,1,1)" until=arrivals |
		jq -e '.completed == 0 and .avg_slowdown == null and .avg_fct_ns == null and .p99_fct_ns == null'
}

@test "records: summary, flows.csv, ports.csv and hosts.csv agree" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" "${lossy[@]}" ecn=red
	flows=$dir/flows.csv ports=$dir/ports.csv hosts=$dir/hosts.csv
	[ "\"$(sha256sum <"$flows" | cut -d' ' -f1)\"" = "$(value "$dir" digest)" ]
	for key in packets_sent retransmitted timeouts nacks cnps rnr_naks completed; do
		[ "$(total "$flows" $key)" -eq "$(value "$dir" $key)" ]
	done
	[ "$(total "$ports" drop_buffer)" -eq "$(value "$dir" buffer)" ]
	[ "$(total "$ports" drop_loss)" -eq "$(value "$dir" loss)" ]
	[ "$(($(value "$dir" buffer) + $(value "$dir" loss) + $(value "$dir" no_route)))" -eq "$(value "$dir" dropped)" ]
	[ "$(total "$ports" ecn_marks)" -eq "$(value "$dir" ecn_marks)" ]
	for cause in red step input root; do
		[ "$(total "$ports" mark_$cause)" -eq "$(value "$dir" $cause)" ]
	done
	[ "$(total "$ports" tx_frames)" -eq "$(value "$dir" packet_hops)" ]
	[ "$(($(value "$dir" hops_data) + $(value "$dir" hops_ack)))" -eq "$(value "$dir" packet_hops)" ]
	[ "$(total "$ports" tx_frames 'v["node"] ~ /^h/')" -eq "$(value "$dir" sent)" ]
	[ "$(total "$hosts" tx_frames)" -eq "$(value "$dir" sent)" ]
	[ "$(total "$hosts" rx_frames)" -eq "$(value "$dir" delivered)" ]
	[ "$(total "$hosts" tx_data)" -eq "$(value "$dir" packets_sent)" ]
	[ -z "$(rows "$flows" 'v["error"] != "" { print }')" ]
	[ "$(total "$ports" rx_frames 'v["node"] ~ /^h/')" -eq "$(value "$dir" delivered)" ]
	[ "$(rows "$flows" '{ s += v["slowdown"]; n++ } END { printf "%.3f\n", s / n }')" = "$(value "$dir" avg_slowdown)" ]
	[ "$(rows "$flows" '{ s += v["fct_ns"]; n++ } END { printf "%.1f\n", s / n }')" = "$(printf %.1f "$(value "$dir" avg_fct_ns)")" ]
	[ "$(rows "$flows" '{ print v["fct_ns"] }' | sort -n | sed -n 297p)" = "$(value "$dir" p99_fct_ns)" ]
	for rank in 50:150 95:285 999:300; do # of 300 flows
		[ "$(rows "$flows" '{ print v["fct_ns"] }' | sort -n | sed -n "${rank#*:}p")" = "$(value "$dir" "p${rank%:*}_fct_ns")" ]
		[ "$(rows "$flows" '{ print v["slowdown"] }' | sort -n | sed -n "${rank#*:}p")" = "$(value "$dir" "p${rank%:*}_slowdown")" ]
	done
	rows "$flows" '{ q = v["fct_ns"] / v["ideal_ns"] - v["slowdown"]; if (v["slowdown"] < 1 || q > 1e-6 || q < -1e-6) exit 1 }'
}

# What the NICs have sent and not received, the switches have dropped; none of these frames is broken.
@test "records: dropped data frames are told from others" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" "${lossy[@]}"
	hosts=$dir/hosts.csv ports=$dir/ports.csv
	[ "$(value "$dir" queued)" -eq 0 ] && [ "$(total "$hosts" discarded)" -eq 0 ]
	data=$(value "$dir" dropped_data) all=$(value "$dir" dropped)
	[ "$data" -gt 0 ] && [ "$data" -lt "$all" ]
	[ "$(value "$dir" sent_data)" -eq "$(total "$hosts" tx_data)" ]
	[ "$data" -eq $(($(total "$hosts" tx_data) - $(total "$hosts" rx_data))) ]
	[ "$data" -eq "$(rows "$ports" '{ for (c in v) if (c ~ /^data_drop_/) s += v[c] } END { print s }')" ]
	[ "$(value "$dir" drop_rate)" = "$(awk "BEGIN { printf \"%.6f\", $data / $(value "$dir" sent_data) }")" ]
	[ "$(value "$dir" drop_rate_other)" = "$(awk "BEGIN { printf \"%.6f\", ($all - $data) / ($(value "$dir" sent) - $(value "$dir" sent_data)) }")" ]
	# each byte is new once, whatever was lost or came twice
	[ "$(total "$hosts" new_bytes)" -eq "$(total "$dir/flows.csv" bytes)" ]
	# a link that breaks: on the way to the host, and in the switch
	twin "$dir" topology=star:n=3 transport=irn workload=file:"$(flows 0,1,1000000,0)" fault=50us-80us:down:h1
	data=$(value "$dir" dropped_data)
	[ "$data" -eq "$(total "$dir/ports.csv" data_drop_link)" ] && [ "$(total "$dir/ports.csv" data_drop_link 'v["node"] == "h1"')" -gt 0 ]
	[ "$data" -eq $(($(total "$dir/hosts.csv" tx_data) - $(total "$dir/hosts.csv" rx_data))) ]
}

@test "records: an incast is a request, done when its last flow is" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=5 workload=incast bytes=100KB
	[ "$(value "$dir" number)" -eq 1 ] && [ "$(value "$dir" finished)" -eq 1 ]
	[ "$(value "$dir" max_rct_ns)" = "$(rows "$dir/flows.csv" '{ print v["fct_ns"] }' | sort -n | tail -1)" ]
	[ "$(value "$dir" long_flows)" -eq 4 ]
	holds "$(value "$dir" jain) > 0.99 && $(value "$dir" jain) <= 1"
}

@test "records: config.txt repeats the run" {
	a=$BATS_TEST_TMPDIR/a b=$BATS_TEST_TMPDIR/b
	twin "$a" "${lossy[@]}" seed=7
	"$LOSSLAB" run -q -o "$b" "$a/config.txt"
	same_records "$a" "$b"
	diff <(grep -v ^out= "$a/config.txt") <(grep -v ^out= "$b/config.txt")
}

# files DIR: a folder with a topology, faults and flows of its own, and a scenario that names them.
files()
{
	mkdir -p "$1"
	"$REPO/topo/star.sh" n=3 | sed 's/^title .*/title three of us/' >"$1/net"
	echo "1us-2us:down:h0" >"$1/mine"
	cp "$(flows 0,1,50000,0 2,1,50000,0)" "$1/sent"
	printf 'topology=net\nfault_file=mine\nworkload=file:sent\ntransport=irn\n' >"$1/scenario"
}

@test "records: what the run was given in files goes with them: moved, they repeat it" {
	dir=$BATS_TEST_TMPDIR/out
	files "$BATS_TEST_TMPDIR/in"
	twin "$dir" "$BATS_TEST_TMPDIR/in"
	grep -qx 'three of us, irn, .*' "$BATS_TEST_TMPDIR/said"
	[ "$(value "$dir" topology)" = '"three of us"' ]
	[ "$(value "$dir" link)" -gt 0 ]
	for line in topology=topology fault_file=faults workload=file:workload out=; do
		grep -qx "$line" "$dir/config.txt"
	done
	cmp "$dir/faults" "$BATS_TEST_TMPDIR/in/mine"
	cmp "$dir/workload" "$BATS_TEST_TMPDIR/in/sent"
	(
		cd "$BATS_TEST_TMPDIR/in"
		twin ../by-hand topology=net fault_file=mine workload=file:sent transport=irn
	)
	diff -r -x summary.json "$dir" "$BATS_TEST_TMPDIR/by-hand"
	rm -r "$BATS_TEST_TMPDIR/in"
	mv "$dir" "$BATS_TEST_TMPDIR/moved"
	touch -d @1 "$BATS_TEST_TMPDIR"/moved/*
	"$LOSSLAB" run -q "$BATS_TEST_TMPDIR/moved/config.txt" >"$BATS_TEST_TMPDIR/again"
	[ -z "$(find "$BATS_TEST_TMPDIR/moved" -type f -newermt @2)" ]
	[ ! -e "$dir" ]
	cd "$BATS_TEST_TMPDIR/moved"
	twin "$dir" config.txt
	diff -r -x summary.json "$dir" .
	diff <(grep -E 'digest|topology' "$dir/summary.json") <(grep -E 'digest|topology' summary.json)
}

@test "records: a run that fails leaves those of an earlier one as they are" {
	dir=$BATS_TEST_TMPDIR/out
	files "$BATS_TEST_TMPDIR/in"
	twin "$dir" "$BATS_TEST_TMPDIR/in"
	cp -r "$dir" "$BATS_TEST_TMPDIR/before"
	run -2 twin "$dir" topology=star:n=3 fault="1us:down:nowhere"
	diff -r "$dir" "$BATS_TEST_TMPDIR/before"
	twin "$dir" topology=star:n=3 flows=5
	[ ! -e "$dir/topology" ] && [ ! -e "$dir/faults" ] && [ ! -e "$dir/workload" ]
}

# limited BLOCKS COMMAND...: no file may grow beyond so many KiB; that fails as a full disk does.
limited()
{
	(
		trap '' XFSZ
		ulimit -f "$1"
		"${@:2}"
	)
}

@test "records: what cannot be written is named with its reason, exit 1, and leaves nothing half-done" {
	dir=$BATS_TEST_TMPDIR/out
	files "$BATS_TEST_TMPDIR/in"
	run -1 limited 1 "$LOSSLAB" run -q -e twin --out "$dir/a//b" "$BATS_TEST_TMPDIR/in"
	grep -qx "losslab: $dir/a//b/config.txt: File too large" <<<"$output"
	[ ! -e "$dir" ]
	mkdir "$dir"
	run -1 limited 4 "$LOSSLAB" run -q -e twin --out "$dir/a" topology=star:n=4 flows=200
	grep -qx "losslab: $dir/a/flows.csv: File too large" <<<"$output"
	[ -z "$(ls -A "$dir")" ]
}

@test "records: a command whose output cannot be written has not succeeded" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=3 flows=5
	for what in "run -q -e twin topology=star:n=3 flows=5" "run -q --json -e twin topology=star:n=3 flows=5" "run --help" \
		"run --presets" "ports $dir" "headroom 40gbit 2us 1000" --help --version; do
		# shellcheck disable=SC2086 # words
		run -1 bash -c '"$@" >/dev/full' -- "$LOSSLAB" $what
		[ "$output" = "losslab: stdout: cannot be written: No space left on device" ]
	done
	run -2 bash -c '"$@" >/dev/full' -- "$LOSSLAB" ports "$BATS_TEST_TMPDIR"
}

@test "records: of a scenario each variant's have its label, and ports says which directories there are" {
	requires jq
	dir=$BATS_TEST_TMPDIR/out
	printf 'topology=star:n=3\nflows=5\n[one "of"]\n[two]\ntransport=irn\n' >"$BATS_TEST_TMPDIR/scenario"
	"$LOSSLAB" run -q --json -e twin --out "$dir" "$BATS_TEST_TMPDIR/scenario" >"$BATS_TEST_TMPDIR/json"
	[ "$(jq -c 'map(.label)' "$BATS_TEST_TMPDIR/json")" = '["one \"of\"","two"]' ]
	[ "$(jq -r .label "$dir/2/summary.json")" = two ]
	run -2 "$LOSSLAB" ports "$dir"
	[ "${lines[0]}" = "losslab: ports: $dir: records of a scenario; give one variant's directory:" ]
	[ "${lines[1]}" = "  $dir/1 (one \"of\")" ] && [ "${lines[2]}" = "  $dir/2 (two)" ] && [ "${#lines[@]}" -eq 3 ]
	"$LOSSLAB" ports "$dir/2" | grep -q '^s0:p0'
	twin "$BATS_TEST_TMPDIR/single" topology=star:n=3 flows=5
	[ -z "$(value "$BATS_TEST_TMPDIR/single" label)" ]
}

@test "records: the twin has a named lab's topology, and refuses one that is not there" {
	refused 2 'lab nosuch: no such lab: .*losslab up' "$LOSSLAB" run -q -e twin -n nosuch flows=5
	refused 2 'No_Lab' "$LOSSLAB" run -q -e twin -n No_Lab flows=5
	requires root veth
	up star:n=3
	twin "$BATS_TEST_TMPDIR/out" --name "$LAB" flows=5
	[ "$(value "$BATS_TEST_TMPDIR/out" topology)" = '"star n=3"' ]
	twin "$BATS_TEST_TMPDIR/same" topology=star:n=3 flows=5
	same_records "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/same"
	refused 2 "topology: lab $LAB exists and has its own" "$LOSSLAB" run -q -e twin -n "$LAB" topology=star:n=3
}
