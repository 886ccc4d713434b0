#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Faults at exact instants, worked out by hand where they can be. A packet's frame is 1058 bytes, the first 1074; with 24
# between frames and at 40 Gb/s that is 216.4 and 219.6 ns, and a link takes 2 us.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

port() { rows "$1/ports.csv" "v[\"node\"] == \"$2\" && v[\"port\"] == $3 { print v[\"$4\"] }"; }
host() { rows "$1/hosts.csv" "v[\"host\"] == \"$2\" { print v[\"$3\"] }"; }

# Over one switch, packet i arrives at 4439.2 + 216.4 i ns and has begun to leave the switch 2216.4 before (2219.6 for
# packet 0). By 100 us 442 have arrived (0 to 441), and ten more had begun to leave: those are lost on the link.
@test "faults: a link that breaks takes what is on it, to the frame" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=3 transport=irn-nobdp workload=file:"$(flows 0,1,1000000,0)" fault=100us:down:h1 stop_at=110us
	[ "$(rows "$dir/flows.csv" '{ print v["received_bytes"] }')" -eq 442000 ]
	[ "$(port "$dir" h1 0 drop_link)" -eq 10 ]
	[ "$(port "$dir" s0 1 tx_frames)" -eq 452 ]
	# what came to the switch for this link afterwards died there; of its ACKs, those on the way back
	[ "$(port "$dir" s0 1 drop_link)" -gt 40 ]
	[ "$(value "$dir" link)" -eq "$(total "$dir/ports.csv" drop_link)" ]
	[ "$(value "$dir" dropped)" -eq "$(value "$dir" link)" ]
	conserved "$dir"
}

@test "faults: the instant counts: a ps more, a frame more" {
	dir=$BATS_TEST_TMPDIR/out
	workload=$(flows 0,1,1000000,0)
	# packet 1 has arrived, whole, at 4655.6 ns: what happens at that time comes before it, a ps later after it
	for at in 4655600ps:1000 4655601ps:2000; do
		twin "$dir" topology=star:n=3 transport=irn workload=file:"$workload" fault="${at%:*}:down:h1" stop_at=20us
		[ "$(rows "$dir/flows.csv" '{ print v["received_bytes"] }')" -eq "${at#*:}" ]
	done
	# packet 1 begins to leave at 2439.2 ns, after the RETH's: at that time it does not
	for at in 2439200ps:1 2439201ps:2; do
		twin "$dir" topology=star:n=3 transport=irn workload=file:"$workload" fault="${at%:*}:down:h1" stop_at=20us
		[ "$(port "$dir" s0 1 tx_frames)" -eq "${at#*:}" ]
		[ "$(port "$dir" h1 0 drop_link)" -eq "${at#*:}" ]
	done
}

@test "faults: a link mends and the flows end; a break that nobody meets changes nothing" {
	dir=$BATS_TEST_TMPDIR/out
	for transport in irn roce; do
		twin "$dir" topology=star:n=4 transport=$transport fc=none workload=incast bytes=500KB fault=100us-200us:down:h0
		all_done "$dir"
		[ "$(value "$dir" link)" -gt 0 ]
		[ "$(value "$dir" retransmitted)" -gt 0 ]
	done
	twin "$dir" topology=star:n=4 transport=irn workload=file:"$(flows 0,1,1000000,0)"
	twin "$dir.2" topology=star:n=4 transport=irn workload=file:"$(flows 0,1,1000000,0)" fault="100us-200us:down:h2;0us:down:h3"
	cmp "$dir/flows.csv" "$dir.2/flows.csv"
	[ "$(value "$dir" virtual_ns)" = "$(value "$dir.2" virtual_ns)" ]
}

# h0 -> h15 of a fat-tree; one of s0's two links upwards is down for good.
@test "faults: routes follow after route_delay, or never" {
	dir=$BATS_TEST_TMPDIR/out
	rows=()
	for ((i = 0; i < 32; i++)); do rows+=("0,15,50000,$((i * 1000))"); done
	workload=$(flows "${rows[@]}")
	twin "$dir" topology=fat-tree:k=4 transport=irn workload=file:"$workload" fault=50us:down:s0:p2 route_delay=20us
	all_done "$dir"
	early=$(value "$dir" link)
	twin "$dir" topology=fat-tree:k=4 transport=irn workload=file:"$workload" fault=50us:down:s0:p2 route_delay=200us
	all_done "$dir"
	[ "$early" -gt 0 ] && [ "$early" -lt "$(value "$dir" link)" ]
	run -1 twin "$dir" topology=fat-tree:k=4 transport=irn workload=file:"$workload" fault=50us:down:s0:p2 route_delay=never \
		stuck_after=2ms
	[ "$(value "$dir" status)" = '"stuck"' ]
	conserved "$dir"
	# a host that is cut off has no route to it
	run -1 twin "$dir" topology=star:n=3 transport=irn workload=file:"$(flows 0,1,1000000,0)" fault=50us:down:h1 route_delay=0us \
		stuck_after=1ms
	[ "$(value "$dir" no_route)" -gt 0 ]
	[ "$(port "$dir" s0 1 drop_link)" -le 15 ] # what was waiting for it, and the ACKs on the link
}

@test "faults: a switch drops its share between two instants, and none outside" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=3 transport=irn workload=file:"$(flows 0,1,3000000,0)" fault=100us-400us:drop=0.05:s0
	all_done "$dir"
	dropped=$(value "$dir" fault)
	[ "$dropped" -gt 50 ]
	for at in 100us:0 400us:"$dropped"; do
		twin "$dir" topology=star:n=3 transport=irn workload=file:"$(flows 0,1,3000000,0)" fault=100us-400us:drop=0.05:s0 stop_at="${at%:*}"
		[ "$(value "$dir" fault)" -eq "${at#*:}" ]
	done
	twin "$dir" topology=star:n=3 transport=irn workload=file:"$(flows 0,1,3000000,0)" fault=0us:drop=0.05:s0
	holds "$(value "$dir" fault) / $(value "$dir" sent) > 0.04 && $(value "$dir" fault) / $(value "$dir" sent) < 0.06"
	twin "$dir" topology=star:n=3 transport=irn workload=file:"$(flows 0,1,3000000,0)" fault=100us-400us:drop=1:s0:p2
	all_done "$dir"
	[ "$(value "$dir" fault)" -eq 0 ]
}

@test "faults: corrupted frames reach their host, which throws each away" {
	dir=$BATS_TEST_TMPDIR/out
	for transport in irn roce iwarp; do
		twin "$dir" topology=star:n=3 transport=$transport fc=none workload=file:"$(flows 0,1,1000000,0)" fault=0us:corrupt=0.02:s0
		all_done "$dir"
		[ "$(value "$dir" dropped)" -eq 0 ]
		[ "$(total "$dir/ports.csv" corrupted)" -gt 20 ]
		[ "$(total "$dir/ports.csv" corrupted)" -eq "$(total "$dir/hosts.csv" discarded)" ]
		[ "$(value "$dir" retransmitted)" -gt 0 ]
	done
}

@test "faults: a storm of PAUSE stops a port for its time, to the ps, and spreads" {
	dir=$BATS_TEST_TMPDIR/out
	# quanta of 65535 are 838.8 us, said again half-way: at 100 and 519.4 us; nobody sends to h0
	twin "$dir" topology=star:n=3 workload=file:"$(flows 1,2,3000000,0)" fault=100us-600us:pause=3:h0
	all_done "$dir"
	[ "$(port "$dir" s0 0 pause_rx)" -eq 2 ]
	[ "$(port "$dir" h0 0 pause_tx)" -eq 2 ]
	[ "$(port "$dir" s0 0 resume_rx)" -eq 1 ]
	[ "$(port "$dir" s0 0 paused_ns)" = 500000.000 ]
	[ "$(rows "$dir/flows.csv" '{ print v["slowdown"] }')" = 1.000000 ]
	# by a switch it is the same
	twin "$dir" topology=star:n=3 workload=file:"$(flows 1,2,3000000,0)" fault=100us-600us:pause=3:s0:p0
	all_done "$dir"
	[ "$(port "$dir" h0 0 paused_ns)" = 500000.000 ]
	[ "$(port "$dir" h0 0 pause_rx)" -eq 2 ]
	# who sends to h0 waits for it, and so do those whose buffers that fills: a victim on another way
	twin "$dir" topology=dumbbell:left=3,right=2 workload=file:"$(flows 0,3,1000000,0 1,4,1000000,0)" fault=50us-800us:pause=3:h3
	all_done "$dir"
	[ "$(value "$dir" dropped)" -eq 0 ]
	[ "$(rows "$dir/flows.csv" 'v["id"] == 1 { print (v["slowdown"] > 2) }')" -eq 1 ]
}

@test "faults: under a storm without end a run is done when its flows are, or stuck" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=3 workload=file:"$(flows 1,2,3000000,0)" fault=100us:pause=3:h0
	[ "$(value "$dir" status)" = '"done"' ]
	run -1 twin "$dir" topology=star:n=3 workload=file:"$(flows 1,2,3000000,0 1,0,3000000,0)" fault=100us:pause=3:h0 stuck_after=3ms
	[ "$(value "$dir" status)" = '"stuck"' ]
	conserved "$dir"
}

@test "faults: a flapping link is its breaks one by one; a file is the key" {
	dir=$BATS_TEST_TMPDIR/out
	workload=$(flows 0,1,1000000,0)
	twin "$dir" topology=star:n=3 transport=irn workload=file:"$workload" fault=50us-120us:flap=10us/20us:h1
	all_done "$dir"
	printf '# breaks\n50us-60us:down:h1\n80us:down:s0:p1  # the same link\n90us:up:h1\n110us-120us:down:h1\n' >"$BATS_TEST_TMPDIR/faults"
	twin "$dir.2" topology=star:n=3 transport=irn workload=file:"$workload" fault_file="$BATS_TEST_TMPDIR/faults"
	same_records "$dir" "$dir.2"
	[ "$(value "$dir" link)" -gt 0 ]
}

@test "faults: a PAUSE that a break swallows holds up nobody" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=dumbbell:left=2,right=1 workload=file:"$(flows 0,2,2000000,0 1,2,2000000,0)" timeouts=on buffer=60KB \
		fault=200us-210us:down:s0:p2
	all_done "$dir"
	[ "$(value "$dir" link)" -gt 0 ]
}

# Over s0's links upwards and h3's own, in buffers of four frames: breaks shorter and longer than the 2 us of a link. The
# books of every link are looked at when the run ends; here the records: what has been told has been heard, or cut off.
@test "faults: with credits all flows get through flapping links, and no credit is lost" {
	dir=$BATS_TEST_TMPDIR/out
	for transport in irn roce; do
		twin "$dir" topology=fat-tree:k=4 transport=$transport fc=credit buffer=5KB timeouts=on flows=200 load=0.9 \
			fault="20us-300us:flap=1us/5us:s0:p2;50us-400us:flap=20us/30us:h3" route_delay=10us
		all_done "$dir"
		[ "$(value "$dir" link)" -gt 20 ]
		[ "$(value "$dir" buffer)" -eq 0 ]
		[ "$(total "$dir/ports.csv" pause_tx)" -eq 0 ]
		rows "$dir/ports.csv" '{ id = v["node"] ":" v["port"]; far[id] = v["peer"] ":" v["peer_port"]
			tx[id] = v["resume_tx"]; rx[id] = v["resume_rx"] }
			END { for (id in far) if (tx[id] < rx[far[id]] || (tx[id] > rx[far[id]] && id !~ /^s0:2|^s8:0|^s1:1/)) {
				print id; bad = 1 } exit bad }'
	done
}

# A lone flow over one switch, packets of 219.6 and 216.4 ns. The link breaks at 10 us and mends at 20; then the switch tells
# class 0 to 7 what is free, 16.8 ns each: class 3's word comes at 20 us + 4 * 16.8 ns + 2 us, and the next packet leaves.
@test "faults: a link that mends has credits when the far end has told them, to the ps" {
	dir=$BATS_TEST_TMPDIR/out
	lone=(topology=star:n=3 workload=file:"$(flows 0,1,1000000,0)" fc=credit transport=irn-nobdp timeouts=on)
	twin "$dir" "${lone[@]}" fault=10us-20us:down:h0 stop_at=24283600ps
	before=$(port "$dir" s0 0 rx_frames)
	twin "$dir" "${lone[@]}" fault=10us-20us:down:h0 stop_at=24283601ps # 22.0672 us + 216.4 ns + 2 us
	[ "$(port "$dir" s0 0 rx_frames)" -eq $((before + 1)) ]
	[ "$(port "$dir" h0 0 resume_rx)" -ge 4 ]
}

# Frames dropped on arrival have used credits and give them back; corrupted ones reach their host.
@test "faults: with credits a switch may drop and corrupt for ever, and nobody runs dry" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology=star:n=5 fc=credit buffer=2.2KB transport=irn timeouts=on workload=incast bytes=300KB \
		fault="0us:drop=0.1:s0;0us:corrupt=0.05:s0"
	all_done "$dir"
	[ "$(value "$dir" fault)" -gt 100 ]
	[ "$(total "$dir/ports.csv" corrupted)" -eq "$(total "$dir/hosts.csv" discarded)" ]
	[ "$(value "$dir" buffer)" -eq 0 ]
}

@test "faults: pause= is PFC's" {
	refused 2 'fault 1us:pause=3:h0: 3: credit flow control has no PAUSE; needs fc=pfc' \
		"$LOSSLAB" run -q -e twin topology=star:n=3 fc=credit fault=1us:pause=3:h0
}

# h2 pauses for ever; who sends to others must not suffer for it, when the watchdog has seen it.
@test "watchdog: the victims of a storm go on, what was bound for its source is dropped" {
	dir=$BATS_TEST_TMPDIR/out
	storm=("topology=dumbbell:left=2,right=2" workload=file:"$(flows 0,2,1000000,0 1,3,1000000,0)" fault=20us:pause=3:h2 stuck_after=3ms)
	run -1 twin "$dir" "${storm[@]}"
	[ "$(value "$dir" completed)" -eq 0 ]
	run -1 twin "$dir" "${storm[@]}" pfc_watchdog=100us
	[ "$(rows "$dir/flows.csv" 'v["id"] == 1 { print v["completed"] }')" -eq 1 ]
	[ "$(port "$dir" s1 0 watchdog)" -eq 1 ]
	[ "$(port "$dir" s1 0 drop_watchdog)" -gt 0 ]
	[ "$(value "$dir" dropped)" -eq "$(port "$dir" s1 0 drop_watchdog)" ]
	conserved "$dir"
	# from the first PAUSE to the detection; afterwards none is heeded
	[ "$(port "$dir" s1 0 paused_ns)" = 100000.000 ]
	# when the storm is over, so is the watchdog's intervention
	twin "$dir" "${storm[@]/20us:/20us-2ms:}" pfc_watchdog=100us
	all_done "$dir"
}

@test "watchdog: it breaks a deadlock" {
	dir=$BATS_TEST_TMPDIR/out
	run -1 twin "$dir" topology="$(ring 7)" workload=file:"$(around 7 3)" buffer=60KB
	[ "$(value "$dir" status)" = '"deadlock"' ]
	twin "$dir" topology="$(ring 7)" workload=file:"$(around 7 3)" buffer=60KB pfc_watchdog=100us
	all_done "$dir"
	[ "$(value "$dir" watchdog)" -gt 0 ]
}

@test "watchdog: not without PFC" {
	refused 2 'pfc_watchdog=1ms: fc=none sends no PAUSE; allowed: with fc=pfc$' "$LOSSLAB" run -q -e twin topology=star:n=3 transport=irn pfc_watchdog=1ms
}

# The far end of a mended link sends for a round trip until it hears that the buffer is as full as before.
@test "faults: PFC may drop where a link mends soon, and not where it has come to rest before it breaks again" {
	dir=$BATS_TEST_TMPDIR/out
	for case in "5us 1" "20us 0"; do
		twin "$dir" topology=star:n=8 workload=incast bytes=1000000 transport=roce fc=pfc timeouts=on buffer=60000 \
			fault="100us-300us:flap=100ns/${case% *}:h1"
		[ "$(value "$dir" link)" -gt 0 ]
		[ "$(($(value "$dir" buffer) > 0))" -eq "${case#* }" ]
	done
}
