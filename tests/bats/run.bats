#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
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
	workload=${LOSSLAB_SHARED:-$REPO/../shared}/workloads/irn-k6-5000.csv
	[ -e "$workload" ] || skip "needs workloads/irn-k6-5000.csv"
	up fat-tree:k=6
	kernel "$BATS_TEST_TMPDIR/kernel" transport=roce pfc=on mtu=1000 workload=file:"$workload"
	all_done "$BATS_TEST_TMPDIR/kernel"
	[ "$(value "$BATS_TEST_TMPDIR/kernel" dropped)" -eq 0 ]
	twin "$BATS_TEST_TMPDIR/twin" topology=fat-tree:k=6 transport=roce pfc=on mtu=1000 workload=file:"$workload"
	same_records "$BATS_TEST_TMPDIR/kernel" "$BATS_TEST_TMPDIR/twin"
}

@test "run: without a lab standing, one is brought up and taken down" {
	requires root veth kernel
	before=$(ip netns; ls -A /run/netns)
	run "$LOSSLAB" run -q topology=star:n=4 flows=20
	[ "$status" -eq 0 ]
	[[ $output == *"20 completed (done)"* ]]
	[ "$(ip netns; ls -A /run/netns)" = "$before" ]
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR")" ]
}

@test "run: a standing lab is used, and stands afterwards without programs of the run" {
	requires root veth kernel
	up star:n=4
	kernel "$BATS_TEST_TMPDIR/out" flows=20
	all_done "$BATS_TEST_TMPDIR/out"
	"$LOSSLAB" status --name "$LAB" | grep ': up, star n=4'
	for n in s0 h0 ctl; do
		run ! grep -E 'xdp|prog' < <(node $n -- ip -o link show)
	done
}

@test "run: config.txt of a run on a standing lab repeats it, that lab's topology included" {
	requires root veth kernel
	up leaf-spine:leaves=2,hosts=2,rate=100gbit
	kernel "$BATS_TEST_TMPDIR/first" flows=20
	down
	"$LOSSLAB" run -q --engine twin --out "$BATS_TEST_TMPDIR/again" "$BATS_TEST_TMPDIR/first/config.txt"
	same_records "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/again"
}

@test "run: --json is all there is on stdout, and the numbers of the machine are there" {
	requires root veth kernel
	"$LOSSLAB" run -q --json topology=star:n=4 flows=20 >"$BATS_TEST_TMPDIR/summary.json" 2>"$BATS_TEST_TMPDIR/err"
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
	[ "$(head -c 1 "$BATS_TEST_TMPDIR/summary.json")" = "{" ]
	[ "$(value "$BATS_TEST_TMPDIR" engine)" = '"kernel"' ]
	for key in wall_s cpu_s peak_rss_kb crossings_per_cpu_s; do
		holds "$(value "$BATS_TEST_TMPDIR" $key) > 0"
	done
}
