#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Many senders to one receiver: its link is filled, losses happen without PFC only, and are shared fairly.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# filled DIR SENDERS BYTES TOLERANCE: from the first packet's arrival on, the receiver got SENDERS x BYTES at its link's
# share of payload: 1000 of 1082 bytes on the wire, 40 Gb/s.
filled()
{
	local last first

	last=$(rows "$1/flows.csv" 'v["fct_ns"] > max { max = v["fct_ns"] } END { printf "%.3f\n", max }')
	# the first packet to arrive carries a RETH and has taken the shortest path, ideal_ns less the rest of its flow
	first=$(rows "$1/flows.csv" "{ t = v[\"ideal_ns\"] - (v[\"bytes\"] / 1000 - 1) * 216.4; if (!min || t < min) min = t }
		END { printf \"%.3f\\n\", min }")
	echo "$2 senders: first packet in at $first ns, last at $last ns"
	holds "(share = ($2 * $3 - 1000) * 8 / ($last - $first) / 40 / (1000 / 1082)) > 1 - $4 && share <= 1 + 1e-9"
}

# Exactly: every sender's RETH takes 3.2 ns too, but for the one of the first packet.
@test "incast: with PFC the receiver's link is never idle, to the ps, and nothing is dropped" {
	dir=$BATS_TEST_TMPDIR/out
	for n in 4 8 15; do
		for topology in star:n=$((n + 1)) fat-tree:k=4; do
			for transport in roce irn; do
				twin "$dir" topology=$topology transport=$transport fc=pfc workload=incast senders=$n bytes=3MB
				all_done "$dir"
				[ "$(value "$dir" dropped)" -eq 0 ]
				[ "$(value "$dir" retransmitted)" -eq 0 ]
				filled "$dir" $n 3000000 0.005
			done
		done
		# the star once more: the last byte is in when every packet has crossed the receiver's link back to back
		last=$(awk -v n=$n 'BEGIN { printf "%.3f\n", 4000 + 219.6 + n * (3000 * 216.4 + 3.2) }')
		twin "$dir" topology=star:n=$((n + 1)) workload=incast bytes=3MB
		[ "$(rows "$dir/flows.csv" 'v["fct_ns"] > max { max = v["fct_ns"] } END { printf "%.3f\n", max }')" = "$last" ]
	done
}

# With the rule of the authors' hardware: by the paper's, when the end of a flow is lost, no higher packet is acknowledged
# and each waits for the timer. The last flow then has the link for itself, and leaves it idle.
@test "incast: IRN without PFC fills the receiver's link, drops, and all flows complete" {
	dir=$BATS_TEST_TMPDIR/out
	for n in 8 15; do
		twin "$dir" topology=fat-tree:k=4 transport=irn workload=incast senders=$n bytes=30MB irn_lost=hls rto_high=320us
		all_done "$dir"
		[ "$(value "$dir" buffer)" -gt 0 ]
		filled "$dir" $n 30000000 0.005
	done
}

# Four hosts' packets in flight fit the buffers that they meet: BDP-FC alone keeps IRN from losing any. Smaller ones, and it does.
@test "incast: IRN from 4 hosts drops once buffers are smaller than what is in flight" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=5 transport=irn workload=incast bytes=30MB
	[ "$(value "$dir" dropped)" -eq 0 ]
	filled "$dir" 4 30000000 0.005
	twin "$dir" topology=star:n=5 transport=irn workload=incast bytes=3MB buffer=30KB
	all_done "$dir"
	[ "$(value "$dir" buffer)" -gt 0 ]
}

# 1 MB takes less than the timeout of 320 us; longer flows are sent over and over, which takes the twin minutes.
@test "incast: RoCE without PFC drops, and still every flow completes" {
	dir=$BATS_TEST_TMPDIR/out
	for n in 4 8 15; do
		for topology in star:n=$((n + 1)) fat-tree:k=4; do
			twin "$dir" topology=$topology transport=roce fc=none workload=incast senders=$n bytes=1MB
			all_done "$dir"
			[ "$(value "$dir" buffer)" -gt 0 ]
			[ "$(value "$dir" retransmitted)" -gt 0 ]
		done
	done
	twin "$dir" topology=star:n=9 transport=roce fc=none workload=incast bytes=3MB
	all_done "$dir"
	[ "$(value "$dir" buffer)" -gt 0 ]
}

# Every sender's timer has the same period. Left to tick alike, the fabric's state repeats, and the packet that each
# receiver waits for meets a full buffer every time, for ever (phase effects: Floyd and Jacobson, 1991).
@test "incast: equal timers do not lock senders out for good" {
	dir=$BATS_TEST_TMPDIR/out
	for seed in 1 2 3; do
		for n in 12 15; do
			twin "$dir" topology=fat-tree:k=4 transport=roce fc=none workload=incast senders=$n bytes=300KB buffer=60KB \
				rto_high=40us seed=$seed
			all_done "$dir"
		done
	done
}

# fair DIR: ports p1 and p2 of s0 lost about the same.
fair()
{
	local a b

	a=$(total "$1/ports.csv" drop_buffer 'v["node"] == "s0" && v["port"] == 1')
	b=$(total "$1/ports.csv" drop_buffer 'v["node"] == "s0" && v["port"] == 2')
	echo "drops: $a and $b"
	[ "$((a + b))" -gt 1000 ] && holds "$a < 1.05 * $b && $b < 1.05 * $a"
}

# Both senders' packets arrive at the same ps, one after the other; whoever is first at a tie must not be so always.
@test "two equal senders that tie share the losses" {
	dir=$BATS_TEST_TMPDIR/out
	"$REPO/topo/star.sh" n=3 | sed 's/^link h0 s0$/& 10gbit/' >"$BATS_TEST_TMPDIR/slow"
	for seed in 1 2 3; do
		for topology in star:n=3 "$BATS_TEST_TMPDIR/slow"; do
			twin "$dir" topology="$topology" transport=irn cap=100000 seed=$seed workload=incast bytes=10MB
			all_done "$dir"
			fair "$dir"
			twin "$dir" topology="$topology" transport=roce fc=none seed=$seed workload=incast bytes=1MB
			all_done "$dir"
			fair "$dir"
		done
	done
}
