#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# run with the kernel engine: a lone flow takes its ideal time, and an experiment leaves what it should and no more.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

link=200:2000000 # 40 Gb/s, 2 us

@test "run: a lone flow takes its ideal time, RoCE and IRN, 2, 4 and 6 links" {
	requires root veth kernel
	dir=$BATS_TEST_TMPDIR/out
	path=("$link" "$link" "$link" "$link" "$link" "$link")
	up fat-tree:k=4
	for how in "roce 1000" "irn 1000" "roce 2048" "irn 1024"; do
		mtu=${how#* }
		workload=$(lone_flows "$mtu" 0,1 0,2 0,15)
		kernel "$dir" transport="${how% *}" mtu="$mtu" workload=file:"$workload"
		for i in {0..11}; do
			check_ideal "$dir" "$mtu" first "$i" "${path[@]:0:2 + i / 4 * 2}"
		done
		all_done "$dir"
		twin "$BATS_TEST_TMPDIR/twin" topology=fat-tree:k=4 transport="${how% *}" mtu="$mtu" workload=file:"$workload"
		same_records "$dir" "$BATS_TEST_TMPDIR/twin"
	done
}

@test "run: a lone flow over links of mixed rates" {
	requires root veth kernel
	cat >"$BATS_TEST_TMPDIR/mixed" <<-'EOF'
		host h0
		host h1
		switch s0
		switch s1
		switch s2
		link h0 s0 100gbit 1us
		link s0 s1 40gbit 3us
		link s1 s2 10gbit 500ns
		link s2 h1 25gbit 2us
	EOF
	a=80:1000000 b=200:3000000 c=800:500000 d=320:2000000
	up "$BATS_TEST_TMPDIR/mixed"
	for transport in roce irn; do
		kernel "$BATS_TEST_TMPDIR/out" transport=$transport workload=file:"$(lone_flows 1000 0,1 1,0)"
		for i in 0 1 2 3; do
			check_ideal "$BATS_TEST_TMPDIR/out" 1000 first $i $a $b $c $d
			check_ideal "$BATS_TEST_TMPDIR/out" 1000 first $((i + 4)) $d $c $b $a
		done
	done
}

# 9.5 million link crossings; tests/twin/simulators.bats compares eight hash seeds with other simulators.
@test "run: RoCE with PFC, k=6, 5000 flows: no drops, and the twin's bytes" {
	requires root veth kernel
	workload=$REPO/tests/data/irn-k6-5000.csv
	up fat-tree:k=6
	kernel "$BATS_TEST_TMPDIR/kernel" transport=roce fc=pfc mtu=1000 workload=file:"$workload"
	all_done "$BATS_TEST_TMPDIR/kernel"
	[ "$(value "$BATS_TEST_TMPDIR/kernel" dropped)" -eq 0 ]
	twin "$BATS_TEST_TMPDIR/twin" topology=fat-tree:k=6 transport=roce fc=pfc mtu=1000 workload=file:"$workload"
	same_records "$BATS_TEST_TMPDIR/kernel" "$BATS_TEST_TMPDIR/twin"
}

@test "run: without a lab, a temporary one is brought up and taken down" {
	requires root veth kernel
	background "$LOSSLAB" run -q topology=star:n=4 flows=20
	pid=$!
	wait_for 10 test -e "/run/netns/run$pid-h3"
	wait "$pid"
	grep -q '20 completed (done)' "$BATS_TEST_TMPDIR/bg"
	[ -z "$(namespaces "run$pid-")" ]
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "run: an existing lab is used, and is as before without programs of the run" {
	requires root veth kernel
	up star:n=4
	kernel "$BATS_TEST_TMPDIR/out" flows=20
	all_done "$BATS_TEST_TMPDIR/out"
	"$LOSSLAB" status --name "$LAB" | grep ': up, star n=4'
	for n in s0 h0 ctl; do
		run ! grep -E 'xdp|prog' < <(node $n -- ip -o link show)
	done
}

@test "run: config.txt of a run on an existing lab repeats it, that lab's topology included" {
	requires root veth kernel
	up leaf-spine:leaves=2,hosts=2,rate=100gbit
	kernel "$BATS_TEST_TMPDIR/first" flows=20
	down
	"$LOSSLAB" run -q --engine twin --out "$BATS_TEST_TMPDIR/again" "$BATS_TEST_TMPDIR/first/config.txt"
	same_records "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/again"
	grep -qx topology=topology "$BATS_TEST_TMPDIR/first/config.txt"
	cmp "$BATS_TEST_TMPDIR/first/topology" "$BATS_TEST_TMPDIR/again/topology"
	for run in first again; do
		[ "$(value "$BATS_TEST_TMPDIR/$run" topology)" = '"leaf-spine leaves=2 spines=2 hosts=2"' ]
	done
}

@test "run: --json is all there is on stdout, and the numbers of the machine are there" {
	requires root veth kernel
	"$LOSSLAB" run -q --json topology=star:n=4 flows=20 >"$BATS_TEST_TMPDIR/summary.json" 2>"$BATS_TEST_TMPDIR/err"
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
	[ "$(head -c 1 "$BATS_TEST_TMPDIR/summary.json")" = "{" ]
	[ "$(value "$BATS_TEST_TMPDIR" engine)" = '"kernel"' ]
	for key in wall_s cpu_s peak_rss_kb hops_per_cpu_s; do
		holds "$(value "$BATS_TEST_TMPDIR" $key) > 0"
	done
}

# A queue pair in error is a result, not a failure of the run.
@test "run: queue pairs that stop in error: exit 0, flows and reasons named, counted in summary.json" {
	requires root veth kernel
	up star:n=4
	cat >"$BATS_TEST_TMPDIR/flows.csv" <<-'EOF'
		id,src,dst,bytes,start_ns,op
		0,0,3,50000,0,write
		1,1,2,50000,0,read
		2,2,1,9000,0,write
		3,3,0,50000,0,send
	EOF
	keys=(transport=irn workload=file:"$BATS_TEST_TMPDIR/flows.csv" region=10KB message=5KB rq=1 rq_delay=1ms rnr_retry=0)
	run -0 --separate-stderr "$LOSSLAB" run -q --name "$LAB" --out "$BATS_TEST_TMPDIR/out" "${keys[@]}"
	echo "$output"
	[ -z "$stderr" ]
	grep -qx '  flows        4, 1 completed (done)' <<<"$output"
	grep -qx '  errors       3 flows, flow 0 access, flow 1 access, flow 3 rnr' <<<"$output"
	[ "$(value "$BATS_TEST_TMPDIR/out" qp_errors)" -eq 3 ]
	[ "$(value "$BATS_TEST_TMPDIR/out" status)" = '"done"' ]
	conserved "$BATS_TEST_TMPDIR/out"
	[ "$(rows "$BATS_TEST_TMPDIR/out/flows.csv" '{ print v["error"] "," v["completed"] "," v["received_bytes"] }' | tr '\n' ' ')" = \
		"access,0,10000 access,0,10000 ,1,9000 rnr,0,5000 " ]
	"$LOSSLAB" run -q --json --name "$LAB" "${keys[@]}" | grep -qx ' *"qp_errors": 3,'
	# of many, the first four
	run -0 "$LOSSLAB" run -q --name "$LAB" transport=roce workload=permutation region=1KB message=1KB bytes=2KB
	tr -s ' \n' ' ' <<<"$output" | grep -q ' errors 4 flows, flow 0 access, flow 1 access, flow 2 access, flow 3 access frames '
	run -0 "$LOSSLAB" run -q topology=star:n=6 transport=roce fc=none loss=1 retry_cnt=0 workload=incast
	tr -s ' \n' ' ' <<<"$output" | grep -q ' errors 5 flows, flow 0 retry, flow 1 retry, flow 2 retry, flow 3 retry, \.\.\. '
	# a table has one line for each variant that had any
	printf 'workload=permutation\nbytes=2KB\n\n[ok]\n[bad]\nregion=1KB\n' >"$BATS_TEST_TMPDIR/scenario"
	run -0 "$LOSSLAB" run -q --name "$LAB" "$BATS_TEST_TMPDIR/scenario"
	echo "$output"
	[ "$(grep -c 'stopped in error' <<<"$output")" -eq 1 ]
	grep -qx 'bad: 4 of 4 flows stopped in error' <<<"$output"
}

# A host that waits for longer than a run may go without progress is not stuck before the run's end.
@test "run: stop_at ends a run before it would be called stuck" {
	requires root veth kernel
	up star:n=4
	# nothing arrives; the second time-outs, the next events after the first, are more than stuck_after behind the start
	keys=(transport=roce fc=none loss=1@s0 rto_high=90ms workload=permutation bytes=10KB stuck_after=100ms)
	kernel "$BATS_TEST_TMPDIR/out" "${keys[@]}" stop_at=95ms
	[ "$(value "$BATS_TEST_TMPDIR/out" status)" = '"stopped"' ]
	[ "$(value "$BATS_TEST_TMPDIR/out" virtual_ns)" = 95000000.000 ]
	twin "$BATS_TEST_TMPDIR/twin" topology=star:n=4 "${keys[@]}" stop_at=95ms
	same_records "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/twin"
	run -1 kernel "$BATS_TEST_TMPDIR/out" "${keys[@]}" stop_at=300ms
	[ "$(value "$BATS_TEST_TMPDIR/out" status)" = '"stuck"' ]
}

@test "run: --presets needs neither root nor a lab" {
	run -0 "$LOSSLAB" run --presets
	for name in roce roce-nopfc irn irn-gbn irn-nobdp melo iwarp irn-dcqcn roce-timely ib-aimd; do
		grep -qE "^$name +transport=" <<<"$output"
	done
}

@test "run: a user's lab is left alone, whatever its name" {
	requires root veth kernel
	"$LOSSLAB" up --name run9999999 star:n=2
	"$LOSSLAB" run -q topology=star:n=2 flows=5
	run "$LOSSLAB" status --name run9999999
	echo "$output"
	"$LOSSLAB" down --name run9999999
	[ "$status" -eq 0 ]
}

@test "run: a temporary lab whose name is taken gets another one" {
	requires root veth kernel
	# exec keeps the pid, by which a temporary lab is called
	bash -c '"$0" up --name "run$$" star:n=2 && exec "$0" run -q topology=star:n=3 flows=5' "$LOSSLAB" >"$BATS_TEST_TMPDIR/said"
	grep -q '5 completed (done)' "$BATS_TEST_TMPDIR/said"
	lab=$(sed -n '1s/:.*//p' "$BATS_TEST_TMPDIR/said")
	[ "$(ls "$LOSSLAB_RUN_DIR")" = "$lab" ]
	"$LOSSLAB" status --name "$lab" | grep ': up, star n=2'
	"$LOSSLAB" down --name "$lab"
}

@test "run: the temporary lab of a run that was killed is removed by the next run, one in use is not" {
	requires root veth kernel
	background "$LOSSLAB" run -q topology=star:n=4 workload=permutation bytes=200MB
	dead=$!
	background "$LOSSLAB" run -q topology=star:n=4 workload=permutation bytes=200MB
	alive=$!
	for pid in "$dead" "$alive"; do
		wait_for 10 grep -q '"complete": true' "$LOSSLAB_RUN_DIR/run$pid/manifest.json"
	done
	grep -q "\"pid\": $dead," "$LOSSLAB_RUN_DIR/run$dead/manifest.json"
	kill -KILL "$dead"
	wait "$dead" || :
	[ -n "$(namespaces "run$dead-")" ]
	"$LOSSLAB" run -q topology=star:n=2 flows=5
	[ -z "$(namespaces "run$dead-")" ]
	kill -0 "$alive"
	[ "$(count_namespaces "run$alive-")" -eq 6 ]
	kill -INT "$alive"
	wait "$alive" || :
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "run: a closed stderr changes nothing" {
	requires root veth kernel
	"$LOSSLAB" run -q topology=star:n=4 flows=20 out="$BATS_TEST_TMPDIR/a"
	"$LOSSLAB" run topology=star:n=4 flows=20 out="$BATS_TEST_TMPDIR/b" 2>&-
	same_records "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
}
