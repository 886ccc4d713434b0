#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Crossbars with iSLIP and a speed-up, and single input queues: what they cost, end to end.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

setup()
{
	T=$BATS_TEST_TMPDIR
}

@test "crossbar: a lone flow takes its links' and its crossbars' time to the nanosecond" {
	link=200:2000000
	for case in "1 200:0" "2 100:0" "8 25:0"; do
		xbar=${case#* }
		for mtu in 1000 2048; do
			# One ACK at the end: those on the way would share slots with the data.
			twin "$T/out" topology=fat-tree:k=4 mtu=$mtu transport=roce ack_every=message arbiter=islip speedup="${case% *}" \
				workload=file:"$(lone_flows $mtu 0,1 0,2 0,15)"
			for i in {0..3}; do check_ideal "$T/out" $mtu first "$i" $link "$xbar" $link; done
			for i in {4..7}; do check_ideal "$T/out" $mtu first "$i" $link "$xbar" $link "$xbar" $link "$xbar" $link; done
			for i in {8..11}; do
				check_ideal "$T/out" $mtu first "$i" $link "$xbar" $link "$xbar" $link "$xbar" $link "$xbar" $link "$xbar" $link
			done
		done
	done
}

@test "crossbar: a lone IRN flow under its computed cap loses less than 84 bytes' time to ACKs on the way" {
	for speedup in 1 1.5; do
		twin "$T/out" topology=fat-tree:k=4 transport=irn arbiter=islip speedup=$speedup workload=file:"$(flows 0,15,3000000,0)"
		holds "$(rows "$T/out/flows.csv" '{ print v["fct_ns"] - v["ideal_ns"] }') <= 84 * 0.2 * 5"
	done
}

# uniform KEYS...: one-packet messages between 16 hosts at one switch, over 500 us; the average slowdown.
uniform()
{
	printf '999 0\n1000 100\n' >"$T/sizes"
	twin "$T/out" topology=star:n=16 transport=roce workload=cdf:"$T/sizes" duration=500us "$@"
	all_done "$T/out"
	value "$T/out" avg_slowdown
}

# 16 inputs with one queue each carry 0.6 of the line (Karol 1987: 0.586 for many), ACKs included.
@test "crossbar: single queues saturate where VOQs do not, and a speed-up makes up for them" {
	plain=$(uniform load=0.7)
	[ "$(value "$T/out" pause_frames)" -eq 0 ]
	islip=$(uniform load=0.7 arbiter=islip)
	[ "$(value "$T/out" pause_frames)" -eq 0 ]
	once=$(uniform load=0.7 arbiter=islip iterations=1)
	fast=$(uniform load=0.7 arbiter=islip speedup=2)
	fifo=$(uniform load=0.7 arbiter=islip queues=fifo)
	[ "$(value "$T/out" pause_frames)" -gt 100 ]
	fifo_fast=$(uniform load=0.7 arbiter=islip queues=fifo speedup=2)
	fifo_low=$(uniform load=0.4 arbiter=islip queues=fifo)
	show "slowdown: per-output round-robin $plain, iSLIP $islip ($once with one iteration, $fast at speed-up 2), single queues $fifo ($fifo_fast at speed-up 2, $fifo_low at load 0.4)"
	holds "$plain < $fast && $fast < $islip && $islip < $once && $once < $fifo / 3"
	holds "$islip < 2 && $fifo > 10 && $fifo_fast < 2 && $fifo_low < 2"
}

@test "crossbar: with PFC, credits and shared buffers nothing is lost behind it, whatever its queues" {
	for keys in "" "queues=fifo" "speedup=3 output_buffer=1094" "iterations=1 queues=fifo"; do
		for fc in "fc=pfc" "fc=credit buffer=8320" "fc=pfc buffer_mode=shared buffer=300KB"; do
			# shellcheck disable=SC2086 # words
			twin "$T/out" topology=fat-tree:k=4 transport=roce flows=200 load=0.9 arbiter=islip $keys $fc
			all_done "$T/out"
			[ "$(value "$T/out" dropped)" -eq 0 ]
		done
	done
}

# shellcheck disable=SC2154 # stderr is set by run
refused() { # WHAT THE MESSAGE SAYS, KEYS...
	run -2 --separate-stderr "$LOSSLAB" run --engine twin "${@:2}"
	[[ $stderr == *"$1"* ]] || { echo "$stderr"; return 1; }
}

@test "crossbar: keys without meaning, and values out of range, are refused by name" {
	refused "speedup=2.00: arbiter=rr has no crossbar" speedup=2
	refused "iterations=1: arbiter=rr has no crossbar" iterations=1
	refused "output_buffer=1093: smaller than one frame; allowed: mtu + 94 = 1094" arbiter=islip output_buffer=1093
	refused "output_buffer=5: arbiter=rr has no crossbar" output_buffer=5
	refused "sched=wrr: arbiter=islip is strict itself" sched=wrr arbiter=islip
	refused "queues=fifo: ecn=ib needs the output of every frame" queues=fifo ecn=ib
	refused "arbiter=islip: ecn=ib-output counts only frames before the crossbar" arbiter=islip ecn=ib-output
	refused "speedup=0.99: out of range; allowed: 1.00..16.00" arbiter=islip speedup=0.99
	refused "iterations=17: out of range; allowed: 1..16" arbiter=islip iterations=17
	refused "arbiter=pim: unknown; allowed: rr|islip" arbiter=pim
	refused "queues=lifo: unknown; allowed: voq|fifo" queues=lifo
}
