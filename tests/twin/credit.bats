#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Credits instead of PFC: nothing is lost, nobody waits without need, and lost frames do not take credits with them.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# Both ends of every link agree on the updates.
agreed()
{
	rows "$1/ports.csv" '{
		id = v["node"] ":" v["port"]; far[id] = v["peer"] ":" v["peer_port"]
		tx[id] = v["resume_tx"]; rx[id] = v["resume_rx"]
		if (v["pause_tx"] || v["pause_rx"]) { print id ": PFC"; bad = 1 }
	}
	END { for (id in far) if (tx[id] != rx[far[id]]) { print id ": its far end got others"; bad = 1 } exit bad }'
}

# Word of the credits that its ACKs have used goes ahead of a long flow's data now and then: 16.8 ns each time.
@test "credits: a lone flow takes its ideal time but for the credit frames in its way" {
	dir=$BATS_TEST_TMPDIR/out
	for mtu in 1000 2048; do
		twin "$dir" topology=fat-tree:k=4 fc=credit mtu=$mtu workload=file:"$(lone_flows $mtu 0,1 0,2 0,15)"
		rows "$dir/flows.csv" 'v["bytes"] < 3000 && v["slowdown"] != 1 { print; bad = 1 }
			v["bytes"] > 3000 && (v["fct_ns"] - v["ideal_ns"] > 3000 / 468 * 16.8 * 6) { print; bad = 1 } END { exit bad }'
		all_done "$dir"
		agreed "$dir"
	done
}

@test "credits: an incast loses nothing with buffers down to two frames, and uses the bottleneck to the full with more" {
	dir=$BATS_TEST_TMPDIR/out
	for kb in 2.2 4 40 240; do
		twin "$dir" topology=star:n=9 workload=incast bytes=300KB fc=credit buffer=${kb}KB
		all_done "$dir"
		agreed "$dir"
		[ "$(value "$dir" dropped)" -eq 0 ]
		[ "$(value "$dir" retransmitted)" -eq 0 ]
		[ "$(value "$dir" resume_frames)" -gt 0 ]
		rows "$dir/ports.csv" "v[\"max_buffer_bytes\"] > $kb * 1000 { print; bad = 1 } END { exit bad }"
	done
	# 8 x 300 packets of 1082 bytes on the wire, and a RETH each flow, at 200 ps per byte; 2 links and a packet before
	holds "$(rows "$dir/flows.csv" 'v["fct_ns"] > max { max = v["fct_ns"] } END { print max }') < 2400 * 216.4 + 8 * 3.2 + 4000 + 1000"
}

@test "credits: frames that are lost give theirs back, however many" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=fat-tree:k=4 transport=irn fc=credit buffer=10KB timeouts=on loss=0.01 flows=200
	all_done "$dir"
	agreed "$dir"
	[ "$(value "$dir" loss)" -gt 500 ]
	[ "$(value "$dir" buffer)" -eq 0 ]
}
