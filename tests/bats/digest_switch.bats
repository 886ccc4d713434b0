#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What the switches can do beyond their defaults: the kernel engine and the twin leave the same bytes, and what makes
# each case worth comparing has happened.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	T=$BATS_TEST_TMPDIR
}

# alike TOPOLOGY KEYS...: on the standing lab of that topology, and on the twin.
alike()
{
	twin "$T/twin" topology="$1" "${@:2}"
	kernel "$T/kernel" "${@:2}"
	same_records "$T/twin" "$T/kernel"
	conserved "$T/kernel"
}

# differs KEYS...: the twin's flows.csv for the last case is another one without these keys.
differs()
{
	twin "$T/other" "$@"
	! cmp -s "$T/other/flows.csv" "$T/twin/flows.csv"
}

@test "digest: kernel and twin with weighted turns between classes" {
	requires root veth kernel
	up star:n=5
	case=(flows=200 ack_class=6 seed=4)
	alike star:n=5 "${case[@]}" sched=wrr weights=1,1,1,1,1,1,100,1
	alike star:n=5 "${case[@]}" sched=wrr weights=1,1,1,9,1,1,1,1
	differs topology=star:n=5 "${case[@]}" sched=strict
	alike star:n=5 "${case[@]}" sched=wrr weights=1,1,1,9,1,1,1,1 transport=irn buffer=20KB
}

@test "digest: kernel and twin with each kind of marking" {
	requires root veth kernel
	up fat-tree:k=4
	for ecn in step ib ib-input ib-output; do
		alike fat-tree:k=4 flows=100 load=0.9 seed=3 buffer=60KB fc=pfc cc=ib-aimd ecn=$ecn
		[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
	done
	alike fat-tree:k=4 flows=100 load=0.9 seed=3 buffer=30KB cc=ib-lipd ecn=ib fc=none transport=irn
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
}

@test "digest: kernel and twin with a buffer that the ports of a switch share" {
	requires root veth kernel
	up fat-tree:k=4
	case=(flows=100 load=0.9 seed=3 buffer_mode=shared buffer=200KB)
	alike fat-tree:k=4 "${case[@]}"
	[ "$(value "$T/kernel" pause_frames)" -gt 0 ]
	[ "$(value "$T/kernel" dropped)" -eq 0 ]
	alike fat-tree:k=4 "${case[@]}" alpha=2 reserve=0 fc=pfc ecn=ib cc=ib-lipd
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
	alike fat-tree:k=4 "${case[@]}" headroom=4KB timeouts=on
	[ "$(value "$T/kernel" buffer)" -gt 0 ]
	differs topology=fat-tree:k=4 "${case[@]}"
	alike fat-tree:k=4 "${case[@]}" transport=irn alpha=1/16
	[ "$(value "$T/kernel" buffer)" -gt 0 ]
}

@test "digest: kernel and twin with crossbars, speed-up and single queues" {
	requires root veth kernel
	up fat-tree:k=4
	case=(flows=100 load=0.9 seed=3 arbiter=islip)
	alike fat-tree:k=4 "${case[@]}" transport=irn iterations=1 buffer=30KB
	[ "$(value "$T/kernel" buffer)" -gt 0 ]
	alike fat-tree:k=4 "${case[@]}" queues=fifo ack_class=6
	[ "$(value "$T/kernel" pause_frames)" -gt 0 ]
	differs topology=fat-tree:k=4 "${case[@]}" ack_class=6
	alike fat-tree:k=4 "${case[@]}" speedup=1.5 output_buffer=1100 iterations=16 fc=credit buffer=8320 ecn=ib-input cc=ib-lipd
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
	alike fat-tree:k=4 "${case[@]}" speedup=16 queues=fifo buffer_mode=shared buffer=200KB timeouts=on \
		"fault=200us-400us:down:s0:p2"
	[ "$(value "$T/kernel" link)" -gt 0 ]
	alike fat-tree:k=4 flows=100 load=0.9 seed=3 queues=fifo
	differs topology=fat-tree:k=4 flows=100 load=0.9 seed=3
}

@test "digest: kernel and twin with faults over shared buffers, weighted turns, marks by full buffers" {
	requires root veth kernel
	up fat-tree:k=4
	faults="200us-400us:down:s0:p2;250us-300us:down:h3;100us-600us:pause=3:h1;150us-500us:pause=3:s8:p1;0us-1ms:drop=0.02:s3"
	case=(flows=100 load=0.9 seed=3 buffer_mode=shared buffer=200KB timeouts=on "fault=$faults" route_delay=50us)
	alike fat-tree:k=4 "${case[@]}"
	[ "$(value "$T/kernel" link)" -gt 0 ]
	[ "$(value "$T/kernel" pause_frames)" -gt 0 ]
	alike fat-tree:k=4 "${case[@]}" buffer=240KB fc=pfc ecn=ib cc=ib-lipd sched=wrr ack_class=6 weights=1,1,1,9,1,1,1,1
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
	[ "$(value "$T/kernel" fault)" -gt 0 ]
	alike fat-tree:k=4 "${case[@]}" buffer=240KB fc=pfc ecn=ib cc=ib-lipd pfc_watchdog=50us
	[ "$(value "$T/kernel" watchdog)" -gt 0 ]
}

@test "digest: kernel and twin with credits" {
	requires root veth kernel
	up fat-tree:k=4
	case=(flows=100 load=0.9 seed=3 fc=credit)
	for buffer in 240KB 8KB; do
		alike fat-tree:k=4 "${case[@]}" buffer=$buffer
		[ "$(value "$T/kernel" resume_frames)" -gt 0 ]
		[ "$(value "$T/kernel" dropped)" -eq 0 ]
	done
	alike fat-tree:k=4 "${case[@]}" buffer=8KB ecn=ib cc=ib-lipd ack_class=6 sched=wrr weights=1,1,1,5,1,1,1,1
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
	alike fat-tree:k=4 "${case[@]}" buffer=8KB transport=irn loss=0.01 timeouts=on
	[ "$(value "$T/kernel" loss)" -gt 0 ]
}

@test "digest: kernel and twin with windows, a class for CNPs, and InfiniBand's own setting" {
	requires root veth kernel
	up fat-tree:k=4
	case=(flows=100 load=0.9 seed=3 buffer=60KB)
	alike fat-tree:k=4 "${case[@]}" preset=irn-aimd loss=0.001
	[ "$(value "$T/kernel" retransmitted)" -gt 0 ]
	alike fat-tree:k=4 "${case[@]}" preset=irn-dctcp
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
	alike fat-tree:k=4 "${case[@]}" transport=roce cc=dctcp op=read fc=none
	alike fat-tree:k=4 "${case[@]}" preset=irn-dcqcn kmin=2KB kmax=10KB cnp_class=6 ack_class=5
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
	alike fat-tree:k=4 flows=100 load=0.9 seed=3 delay=50ns mtu=2048 buffer=8500 preset=ib-lipd
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
}

# Small buffers, so that breaks meet links whose credits are used up; h3 and s8 mend several times.
@test "digest: kernel and twin with credits and every kind of fault" {
	requires root veth kernel
	up fat-tree:k=4
	faults="200us-400us:down:s0:p2;250us:down:h5;320us:up:h5;100us-600us:flap=20us/50us:h3;150us-500us:flap=3us/7us:s8:p1"
	faults="$faults;0us-1ms:drop=0.02:s3;100us-2ms:corrupt=0.02:s1"
	case=(flows=100 load=0.9 seed=3 fc=credit buffer=8KB timeouts=on "fault=$faults" route_delay=50us)
	alike fat-tree:k=4 "${case[@]}"
	for reason in link fault; do [ "$(value "$T/kernel" $reason)" -gt 0 ]; done
	[ "$(total "$T/kernel/ports.csv" corrupted)" -gt 0 ]
	[ "$(value "$T/kernel" buffer)" -eq 0 ]
	differs topology=fat-tree:k=4 "${case[@]/fault=*/fault=9s:up:h0}"
	alike fat-tree:k=4 "${case[@]}" transport=irn ecn=ib cc=ib-lipd ack_class=6 sched=wrr weights=1,1,1,5,1,1,1,1
	[ "$(value "$T/kernel" ecn_marks)" -gt 0 ]
	[ "$(value "$T/kernel" link)" -gt 0 ]
}

# With credits nothing is repeated: the run ends when there is no event left at all.
@test "digest: kernel and twin of a deadlock, with credits and with PFC" {
	requires root veth kernel
	up ring:n=5
	for fc in credit pfc; do
		case=(workload=permutation bytes=1MB buffer=60KB "fc=$fc")
		run -1 twin "$T/twin" topology=ring:n=5 "${case[@]}"
		run -1 kernel "$T/kernel" "${case[@]}"
		same_records "$T/twin" "$T/kernel"
		[ "$(value "$T/kernel" status)" = '"deadlock"' ]
		conserved "$T/kernel"
	done
}

@test "digest: kernel and twin with flows of several traffic classes" {
	requires root veth kernel
	up fat-tree:k=4
	case=(flows=100 load=0.9 seed=3 "class_mix=1,3,6")
	alike fat-tree:k=4 "${case[@]}" buffer=60KB sched=wrr weights=1,2,1,5,1,1,3,1
	differs topology=fat-tree:k=4 "${case[@]}" buffer=60KB
	for class in 1 3 6; do [ "$(total "$T/kernel/ports.csv" pause_rx_$class)" -gt 0 ]; done
	alike fat-tree:k=4 "${case[@]}" buffer=60KB op=read message=64KB cc=dcqcn ack_class=0 fault="100us-600us:pause=6:h2;50us-800us:pause=1:s3:p1"
	alike fat-tree:k=4 "${case[@]}" buffer_mode=shared buffer=300KB transport=melo cc=timely
	alike fat-tree:k=4 "${case[@]}" fc=credit buffer=8KB arbiter=islip
	alike fat-tree:k=4 "${case[@]}" transport=iwarp buffer=20KB
	[ "$(value "$T/kernel" buffer)" -gt 0 ]
}

@test "digest: kernel and twin with PFC for some classes alone" {
	requires root veth kernel
	up fat-tree:k=4
	case=(flows=100 load=0.9 seed=3 "class_mix=3,5" pfc_classes=3 sched=wrr rto_high=320us)
	for buffers in buffer=60KB "buffer_mode=shared buffer=250KB"; do
		# shellcheck disable=SC2086 # words
		alike fat-tree:k=4 "${case[@]}" $buffers
		[ "$(value "$T/kernel" buffer)" -gt 0 ]
		[ "$(total "$T/kernel/ports.csv" pause_tx_3)" -gt 0 ]
		[ "$(total "$T/kernel/ports.csv" pause_tx_5)" -eq 0 ]
		[ "$(total "$T/kernel/flows.csv" retransmitted 'v["class"] == 3')" -eq 0 ]
	done
}
