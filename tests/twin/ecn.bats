#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# ECN: switches mark by queue length; what is marked is data, and never an ACK.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

@test "ECN: marks, where the queue is, and all flows complete" {
	dir=$BATS_TEST_TMPDIR/out
	for transport in roce irn; do
		twin "$dir" topology=star:n=5 transport=$transport workload=incast ecn=red kmin=5KB kmax=50KB
		all_done "$dir"
		[ "$(value "$dir" ecn_marks)" -gt 0 ]
		[ "$(value "$dir" ecn_marks)" -eq "$(total "$dir/ports.csv" ecn_marks 'v["peer"] == "h0"')" ]
		[ "$(value "$dir" ecn_marks)" -le "$(value "$dir" packets_sent)" ]
	done
}

@test "ECN: off by default; no queue, no marks; more marks for lower thresholds" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=5 workload=incast
	[ "$(value "$dir" ecn_marks)" -eq 0 ]
	twin "$dir" topology=star:n=5 ecn=red kmin=5KB workload=file:"$(flows 0,1,3000000,0)"
	[ "$(value "$dir" ecn_marks)" -eq 0 ]
	last=0
	for kmax in 900KB 400KB 100KB 20KB; do
		twin "$dir" topology=star:n=5 workload=incast bytes=1MB ecn=red kmin=5KB kmax=$kmax pmax=0.1
		[ "$(value "$dir" ecn_marks)" -gt "$last" ]
		last=$(value "$dir" ecn_marks)
	done
}

# h2 and h3 fill the queue to h1, through which the ACKs of h1's own flow to h0 go. Beyond kmax every packet that may be
# marked is; so all but the few that find the queue short, and no more than all of them.
@test "ECN: ACKs in a queue of data are not marked" {
	dir=$BATS_TEST_TMPDIR/out
	for transport in roce irn; do
		twin "$dir" topology=star:n=4 transport=$transport ecn=red kmin=0 kmax=1 pmax=1 \
			workload=file:"$(flows 2,1,3000000,0 3,1,3000000,0 1,0,3000000,0)"
		all_done "$dir"
		marks=$(total "$dir/ports.csv" ecn_marks 'v["peer"] == "h1"')
		data=$(total "$dir/flows.csv" packets_sent 'v["dst"] == 1')
		frames=$(total "$dir/ports.csv" tx_frames 'v["peer"] == "h1"')
		echo "to h1: $frames frames, $data of them data, $marks marked"
		[ "$frames" -ge $((data + 3000)) ]
		[ "$marks" -le "$data" ]
		[ "$marks" -gt $((data - 10)) ]
	done
}
