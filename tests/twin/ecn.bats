#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
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

# Of ecn=ib-output a frame can be of the full buffer and wait for its output: then its own buffer is the cause.
@test "ECN: every mark has a cause, and it is the one configured" {
	dir=$BATS_TEST_TMPDIR/out
	for kind in red:red step:step ib-input:input ib:input,root ib-output:input,root; do
		twin "$dir" topology=fat-tree:k=4 flows=100 load=0.9 seed=3 buffer=60KB ecn=${kind%:*}
		rows "$dir/ports.csv" '{
			if (v["ecn_marks"] != v["mark_red"] + v["mark_step"] + v["mark_input"] + v["mark_root"]) { print; bad = 1 }
		}
		END { exit bad }'
		for cause in red step input root; do
			case ,${kind#*:}, in
			*,$cause,*) [ "$(value "$dir" $cause)" -gt 0 ] ;;
			*) [ "$(value "$dir" $cause)" -eq 0 ] ;;
			esac
		done
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

@test "ECN: step marks all that finds more than kmin, whatever kmax; nothing below" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=5 workload=incast ecn=red kmin=20KB kmax=20KB
	marks=$(value "$dir" ecn_marks)
	[ "$marks" -gt 100 ]
	twin "$dir" topology=star:n=5 workload=incast ecn=step kmin=20KB
	all_done "$dir"
	[ "$(value "$dir" ecn_marks)" -eq "$marks" ]
	twin "$dir" topology=star:n=5 workload=incast ecn=step kmin=240KB # of four inputs together
	[ "$(value "$dir" ecn_marks)" -lt "$marks" ]
	[ "$(value "$dir" ecn_marks)" -gt 0 ]
	twin "$dir" topology=star:n=5 workload=incast ecn=step kmin=960KB
	[ "$(value "$dir" ecn_marks)" -eq 0 ]
}

# Nobody listens to the marks here, so the three rules see the same traffic and can be compared mark by mark.
@test "ECN: ib marks when a buffer is full: its frames, those and the roots', all for its outputs" {
	dir=$BATS_TEST_TMPDIR/out
	last=0
	for ecn in ib-input ib ib-output; do
		twin "$dir" topology=fat-tree:k=4 flows=600 ecn=$ecn
		all_done "$dir"
		marks=$(value "$dir" ecn_marks)
		echo "$ecn: $marks"
		[ "$marks" -gt "$last" ]
		last=$marks
		digest=${digest:-$(value "$dir" digest)}
		[ "$(value "$dir" digest)" = "$digest" ]
	done
	[ "$marks" -lt "$(value "$dir" packets_sent)" ]
	twin "$dir" topology=fat-tree:k=4 flows=600 ecn=ib buffer=100MB
	[ "$(value "$dir" ecn_marks)" -eq 0 ]
}
