#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Topologies of several rates, with routes by hand, and large: the kernel engine and the twin leave the same bytes.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

T=$BATS_TEST_TMPDIR

@test "topology: kernel and twin on an oversubscribed leaf-spine fabric of 40 and 100 Gb/s" {
	requires root veth kernel
	topology=leaf-spine:leaves=2,spines=1,hosts=6,uplinks=2,uplink=100gbit,uplink_delay=1us
	up "$topology"
	for how in "transport=roce fc=pfc" "transport=irn loss=0.01"; do
		# shellcheck disable=SC2086 # two words
		{
			twin "$T/twin" topology="$topology" $how flows=60 load=1.00 buffer=60KB
			kernel "$T/kernel" $how flows=60 load=1.00 buffer=60KB
		}
		same_records "$T/twin" "$T/kernel"
	done
}

@test "topology: kernel and twin on a ring with routes by hand, which the lab keeps, and in its deadlock" {
	requires root veth kernel
	up ring:n=3,hosts=2
	twin "$T/twin" topology=ring:n=3,hosts=2 transport=irn flows=60 buffer=30KB
	kernel "$T/kernel" transport=irn flows=60 buffer=30KB
	same_records "$T/twin" "$T/kernel"
	grep -q '^route s0 h2 p2$' "$T/kernel/topology"
	workload=$(flows 0,4,2000000,0 1,5,2000000,0 2,0,2000000,0 3,1,2000000,0 4,2,2000000,0 5,3,2000000,0)
	run -1 twin "$T/twin" topology=ring:n=3,hosts=2 transport=roce workload=file:"$workload"
	run -1 kernel "$T/kernel" transport=roce workload=file:"$workload"
	[ "$(value "$T/kernel" completed)" -eq 0 ]
	same_records "$T/twin" "$T/kernel"
}

available() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }
# The machine's available memory, KB, until killed.
sample() { while :; do available; sleep 0.05; done; }

# MELO's fabric (REFERENCE 3.7) at its size. It takes 0.65 GB here; the bound has room for what else goes on.
@test "topology: kernel and twin on 320 hosts and 36 switches, within 4 GB" {
	requires root veth kernel
	before=$(available)
	background sample
	up melo
	[ "$(count_namespaces "$LAB-h")" -eq 320 ]
	[ "$(count_namespaces "$LAB-s")" -eq 36 ]
	for how in "transport=roce flows=200" "transport=irn workload=incast senders=64 bytes=20KB"; do
		# shellcheck disable=SC2086 # words
		{
			twin "$T/twin" topology=melo $how
			kernel "$T/kernel" $how
		}
		same_records "$T/twin" "$T/kernel"
	done
	[ "$(value "$T/kernel" buffer)" -gt 0 ]
	least=$(sort -n "$BATS_TEST_TMPDIR/bg" | head -1)
	echo "available before: $before KB, at least: $least KB"
	[ $((before - least)) -lt 4000000 ]
	[ $((before - least)) -gt 100000 ] # it was looked at while the lab was there
}
