#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Priority flow control over several hops: PAUSE spreads from a slow port to the senders, all is accounted for, nothing
# is lost, and everything resumes.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# A fat-tree k=4 whose host h0 has a link of 10 Gb/s. Pod 0: edges s0, s1, aggregations s8, s9; cores s16 to s19.
slow_h0()
{
	"$REPO/topo/fat-tree.sh" k=4 | sed 's/^link h0 s0$/& 10gbit/' >"$BATS_TEST_TMPDIR/slow"
	echo "$BATS_TEST_TMPDIR/slow"
}

# One host of every other pod sends $1 bytes to h0.
senders() { flows "4,0,$1,0" "8,0,$1,0" "12,0,$1,0"; }

# tiers DIR COLUMN: its sum over the tiers that the flows to h0 pass, from h0's edge back to the hosts.
tiers()
{
	rows "$1/ports.csv" "{
		n = substr(v[\"node\"], 2) + 0
		tier = v[\"node\"] ~ /^h/ ? 6 : n < 2 ? 1 : n >= 16 ? 3 : n >= 10 ? 4 : n >= 8 ? 2 : 5
		sum[tier] += v[\"$2\"]
	}
	END { for (t = 1; t <= 6; t++) printf \"%.0f%s\", sum[t], t < 6 ? \" \" : \"\\n\" }"
}

# How many tiers, from h0's edge on, have sent PAUSE; fails if one has that the tier before it has not.
depth()
{
	tiers "$1" pause_tx | awk '{ for (t = 1; t <= 6; t++) { if ($t && n < t - 1) exit 1; n += $t > 0 } print n }'
}

# Both ends of every link agree on its PFC frames, all of class 3 here; who has been paused has stood still for a time;
# nobody else has.
accounted()
{
	rows "$1/ports.csv" '{
		id = v["node"] ":" v["port"]; far[id] = v["peer"] ":" v["peer_port"]
		ptx[id] = v["pause_tx"]; prx[id] = v["pause_rx"]; rtx[id] = v["resume_tx"]; rrx[id] = v["resume_rx"]
		for (c = 0; c < 8; c++)
			if (v["pause_tx_" c] != (c == 3 ? v["pause_tx"] : 0) || v["pause_rx_" c] != (c == 3 ? v["pause_rx"] : 0) ||
			    v["paused_ns_" c] != (c == 3 ? v["paused_ns"] : 0)) { print id ": class " c; bad = 1 }
		if ((v["pause_rx"] > 0) != (v["paused_ns"] > 0)) { print id ": pause_rx and paused_ns disagree"; bad = 1 }
	}
	END {
		for (id in far)
			if (ptx[id] != prx[far[id]] || rtx[id] != rrx[far[id]]) { print id ": its far end got others"; bad = 1 }
		exit bad
	}'
}

@test "PFC: PAUSE spreads from a slow port hop by hop, back to the senders" {
	dir=$BATS_TEST_TMPDIR/out
	seen=
	for kb in 100 200 500 800 1500 6000; do
		twin "$dir" topology="$(slow_h0)" workload=file:"$(senders ${kb}000)"
		all_done "$dir"
		[ "$(value "$dir" dropped)" -eq 0 ]
		accounted "$dir"
		seen="$seen $(depth "$dir")"
	done
	[ "$seen" = " 0 1 2 3 5 5" ] # the sixth tier is hosts: they are paused, and pause nobody
	for column in pause_rx paused_ns; do
		tiers "$dir" $column
		[ "$(tiers "$dir" $column | awk '{ print ($1 == 0), ($2 > 0), ($3 > 0), ($4 > 0), ($5 > 0), ($6 > 0) }')" = "1 1 1 1 1 1" ]
	done
	# of the hosts, just the senders
	[ "$(rows "$dir/ports.csv" 'v["node"] ~ /^h/ && v["pause_rx"] > 0 { printf "%s ", v["node"] }')" = "h4 h8 h12 " ]
}

@test "PFC: every pause is followed by a resume, and the slow link is never idle" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology="$(slow_h0)" workload=file:"$(senders 6000000)"
	rows "$dir/ports.csv" 'v["pause_tx"] != v["resume_tx"] { print; bad = 1 } END { exit bad }'
	[ "$(value "$dir" pause_frames)" -eq "$(value "$dir" resume_frames)" ]
	# 18 MB at 10 Gb/s, 1082 bytes for 1000, and three RETHs: then the last byte is in
	first=$(ideal 1000 1000 first 200:2000000 200:2000000 200:2000000 200:2000000 200:2000000 800:2000000)
	want=$(awk -v first="$first" 'BEGIN { printf "%.3f\n", first + 17999 * 865.6 + 2 * 12.8 }')
	[ "$(rows "$dir/flows.csv" 'v["fct_ns"] > max { max = v["fct_ns"] } END { printf "%.3f\n", max }')" = "$want" ]
}

# No class may stand still for longer than the run, nor a port of one class for longer than that.
@test "PFC: time paused is within the run's time, and grows with the slowness of the port" {
	dir=$BATS_TEST_TMPDIR/out
	last=0
	for rate in 40gbit 10gbit 1gbit; do
		"$REPO/topo/fat-tree.sh" k=4 | sed "s/^link h0 s0\$/& $rate/" >"$BATS_TEST_TMPDIR/topo"
		twin "$dir" topology="$BATS_TEST_TMPDIR/topo" workload=file:"$(senders 3000000)"
		all_done "$dir"
		accounted "$dir"
		rows "$dir/ports.csv" "v[\"paused_ns\"] > $(value "$dir" virtual_ns) { print; bad = 1 } END { exit bad }"
		paused=$(total "$dir/ports.csv" paused_ns)
		[ "$paused" -gt "$last" ]
		last=$paused
	done
}

# A short pause must be said again and again, and a long one outlives its quanta: 838.8 us at 40 Gb/s.
@test "PFC: a pause that outlasts its quanta is refreshed, and nothing is lost" {
	dir=$BATS_TEST_TMPDIR/out
	"$REPO/topo/fat-tree.sh" k=4 | sed 's/^link h0 s0$/& 100mbit/' >"$BATS_TEST_TMPDIR/slow"
	twin "$dir" topology="$BATS_TEST_TMPDIR/slow" workload=file:"$(senders 600000)"
	all_done "$dir"
	accounted "$dir"
	[ "$(value "$dir" dropped)" -eq 0 ]
	[ "$(value "$dir" pause_frames)" -gt "$(value "$dir" resume_frames)" ]
	twin "$dir" topology="$(slow_h0)" workload=file:"$(senders 3000000)" quanta=100
	all_done "$dir"
	accounted "$dir"
	[ "$(value "$dir" dropped)" -eq 0 ]
	[ "$(value "$dir" pause_frames)" -gt $((2 * $(value "$dir" resume_frames))) ]
}

@test "PFC: the default headroom loses nothing at any rate and packet size, and is not twice what it takes" {
	dir=$BATS_TEST_TMPDIR/out
	for rate in 10gbit 40gbit 100gbit 400gbit; do
		for mtu in 64 1000 2048; do
			twin "$dir" topology=star:n=5,rate=$rate workload=incast bytes=2MB mtu=$mtu buffer=1MB
			all_done "$dir"
			[ "$(value "$dir" dropped)" -eq 0 ]
			[ "$(value "$dir" pause_frames)" -gt 0 ]
		done
	done
	# the most that a buffer held is near its size: 240000 bytes, of which the headroom is 22.8 KB
	twin "$dir" topology="$(slow_h0)" workload=file:"$(senders 3000000)"
	rows "$dir/ports.csv" 'v["max_buffer_bytes"] > max { max = v["max_buffer_bytes"] } END { print max; exit !(max > 230000 && max <= 240000) }'
}

# Data of class 3, ACKs of class 1, which wait for data, and thresholds so low that both pause: each has its own account.
@test "PFC: pauses are counted by class" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=6 flows=300 load=0.9 ack_class=1 xoff=600 xon=1 mtu=64 buffer=100KB
	all_done "$dir"
	rows "$dir/ports.csv" '{
		id = v["node"] ":" v["port"]; far[id] = v["peer"] ":" v["peer_port"]
		ns = 0
		for (c = 0; c < 8; c++) {
			tx[id, c] = v["pause_tx_" c]; rx[id, c] = v["pause_rx_" c]
			ns += v["paused_ns_" c]; sum[c] += v["paused_ns_" c]; asked[c] += v["pause_tx_" c]
		}
		if (v["pause_tx"] > tx[id, 3] + tx[id, 1] || ns - v["paused_ns"] > 0.01 || v["paused_ns"] - ns > 0.01) { print id; bad = 1 }
	}
	END {
		for (id in far)
			for (c = 0; c < 8; c++)
				if (tx[id, c] != rx[far[id], c]) { print id ": class " c; bad = 1 }
		for (c = 0; c < 8; c++)
			if ((sum[c] > 0) != (c == 3 || c == 1) || (asked[c] > 0) != (c == 3 || c == 1)) { print "class " c; bad = 1 }
		exit bad
	}'
}
