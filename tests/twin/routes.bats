#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Routes given by hand, and the topologies that need them.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# Three ways from s0 to s2: by s1, straight, by s3. Ports of s0: h0, s1, s2, s3.
diamond()
{
	cat >"$BATS_TEST_TMPDIR/diamond" <<-'EOF'
		default 40gbit 2us
		host h0
		host h1
		switch s0
		switch s1
		switch s2
		switch s3
		link h0 s0
		link s0 s1 40gbit 1us
		link s0 s2
		link s0 s3
		link h1 s2
		link s1 s2 10gbit 1us
		link s3 s2 100gbit 3us
	EOF
	printf '%s\n' "$@" >>"$BATS_TEST_TMPDIR/diamond"
	echo "$BATS_TEST_TMPDIR/diamond"
}

@test "routes: a lone flow takes its ideal time on the way given by hand, and the shortest way without" {
	dir=$BATS_TEST_TMPDIR/out
	link=200:2000000
	for how in "transport=roce fc=pfc" "transport=irn fc=none"; do
		# shellcheck disable=SC2086 # two words
		lone() { twin "$dir" topology="$(diamond "$@")" $how workload=file:"$(lone_flows 1000 0,1)"; }
		lone
		for i in 0 1 2 3; do check_ideal "$dir" 1000 first $i $link $link $link; done
		lone "route s0 h1 p3"
		for i in 0 1 2 3; do check_ideal "$dir" 1000 first $i $link $link 80:3000000 $link; done
		all_done "$dir"
	done
	lone "route s0 h1 p1"
	for i in 0 1 2 3; do check_ideal "$dir" 1000 first $i $link 200:1000000 800:1000000 $link; done
}

@test "routes: several ports share the flows, the others have none, and answers take the shortest way" {
	dir=$BATS_TEST_TMPDIR/out
	rows=()
	for i in {0..99}; do rows+=("0,1,1000,${i}00000"); done
	twin "$dir" topology="$(diamond "route s0 h1 p3 p1")" transport=irn workload=file:"$(flows "${rows[@]}")"
	all_done "$dir"
	data() { rows "$dir/ports.csv" "v[\"node\"] == \"$1\" && v[\"port\"] == $2 { print v[\"tx_frames\"] }"; }
	[ "$(data s0 2)" -eq 0 ]
	[ "$(data s0 1)" -gt 25 ]
	[ "$(data s0 3)" -gt 25 ]
	[ $(($(data s0 1) + $(data s0 3))) -eq 100 ]
	[ "$(rows "$dir/ports.csv" 'v["node"] == "s2" && v["tx_frames"] > 0 { printf "%s ", v["peer"] }' | tr -d '\n')" = "s0 h1 " ]
}

@test "routes: a loop, and a route too long to follow, are refused by name" {
	run -2 twin "$BATS_TEST_TMPDIR/out" topology="$(diamond "route s2 h1 p1 p0")"
	[ "$output" = "losslab: route: to host h1: frames could go round: s0 s2 s0" ]
	line() { awk -v n="$1" 'BEGIN {
		print "default 40gbit 1us\nhost h0\nhost h1"
		for (s = 0; s < n; s++) print "switch s" s
		print "link h0 s0\nlink h1 s" n - 1
		for (s = 1; s < n; s++) print "link s" s - 1, "s" s
	}' >"$BATS_TEST_TMPDIR/line"; }
	line 64
	run -2 twin "$BATS_TEST_TMPDIR/out" topology="$BATS_TEST_TMPDIR/line"
	[ "$output" = "losslab: topology: a route of 65 links between two hosts: allowed: 64" ]
	line 63
	twin "$BATS_TEST_TMPDIR/out" topology="$BATS_TEST_TMPDIR/line" transport=irn workload=file:"$(flows 0,1,3000000,0)"
	[ "$(value "$BATS_TEST_TMPDIR/out" avg_slowdown)" = 1.000 ]
}

# Each host to the one half-way round: every link between switches carries frames that want to go on over the next one.
opposite() { flows 0,4,3000000,0 1,5,3000000,0 2,6,3000000,0 3,7,3000000,0 4,0,3000000,0 5,1,3000000,0 6,2,3000000,0 7,3,3000000,0; }

@test "ring: PFC deadlocks where buffers wait for each other in a circle; without PFC, or without the circle, it does not" {
	dir=$BATS_TEST_TMPDIR/out
	run -1 twin "$dir" topology=ring transport=roce fc=pfc workload=file:"$(opposite)"
	[ "$(value "$dir" completed)" -eq 0 ]
	[ "$(value "$dir" dropped)" -eq 0 ]
	conserved "$dir"
	# all four links on are paused, for good
	[ "$(grep -c '^  port s[0-3]:p[23]: paused' <<<"$output")" -eq 4 ]
	twin "$dir" topology=ring transport=irn fc=none workload=file:"$(opposite)"
	all_done "$dir"
	# one link less: a line
	"$REPO/topo/ring.sh" routes=shortest | grep -v '^link s3 s0 ' >"$BATS_TEST_TMPDIR/line"
	twin "$dir" topology="$BATS_TEST_TMPDIR/line" transport=roce fc=pfc workload=file:"$(opposite)"
	all_done "$dir"
	[ "$(value "$dir" pause_frames)" -gt 0 ]
}
