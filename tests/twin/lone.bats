#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A flow alone on the fabric takes exactly its ideal time: slowdown 1.000000, not about 1.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

link=200:2000000 # 40 Gb/s, 2 us

# Same edge, same pod, another pod of a fat-tree k=4: 2, 4 and 6 links.
fat_tree()
{
	local mtu=$1 reth=$2 dir=$BATS_TEST_TMPDIR/out i path

	shift 2
	twin "$dir" topology=fat-tree:k=4 mtu="$mtu" reth="$reth" workload=file:"$(lone_flows "$mtu" 0,1 0,2 0,15)" "$@"
	for i in {0..11}; do
		path=("$link" "$link" "$link" "$link" "$link" "$link")
		check_ideal "$dir" "$mtu" "$reth" "$i" "${path[@]:0:2 + i / 4 * 2}"
	done
	[ "$(value "$dir" avg_slowdown)" = 1.000 ]
	[ "$(value "$dir" retransmitted)" -eq 0 ]
	all_done "$dir"
}

@test "lone flow: RoCE with PFC, 2, 4 and 6 links" {
	for mtu in 1000 1024 2048; do fat_tree $mtu first transport=roce fc=pfc; done
}

@test "lone flow: RoCE without PFC, 2, 4 and 6 links" {
	for mtu in 1000 1024 2048; do fat_tree $mtu first transport=roce fc=none; done
}

@test "lone flow: IRN without PFC, 2, 4 and 6 links" {
	for mtu in 1000 1024 2048; do fat_tree $mtu first transport=irn fc=none; done
}

@test "lone flow: IRN with PFC, 2, 4 and 6 links" {
	for mtu in 1000 1024 2048; do fat_tree $mtu first transport=irn fc=pfc; done
}

@test "lone flow: a RETH in every packet, coalesced ACKs, odd packet sizes" {
	fat_tree 1000 all transport=irn
	fat_tree 1000 all transport=roce
	fat_tree 1000 first transport=roce ack_every=64
	fat_tree 64 first transport=irn
	fat_tree 999 first transport=roce
}

@test "lone flow: 115 packets of 1024 bytes in flight fill 6 links, 114 do not, 110 take 1.043 of the time" {
	dir=$BATS_TEST_TMPDIR/out
	for case in "auto 1.000000" "115 1.000000" "114 1.008077" "110 1.043193"; do
		twin "$dir" topology=fat-tree:k=4 transport=irn mtu=1024 cap="${case% *}" workload=file:"$(flows 0,15,3000000,0)"
		[ "$(rows "$dir/flows.csv" '{ print v["slowdown"] }')" = "${case#* }" ]
	done
}

# h0 -100G 1us- s0 -40G 3us- s1 -10G 0.5us- s2 -25G 2us- h1, and h2 -40G 0.7us- s1.
mixed()
{
	cat >"$BATS_TEST_TMPDIR/mixed" <<-'EOF'
		host h0
		host h1
		host h2
		switch s0
		switch s1
		switch s2
		link h0 s0 100gbit 1us
		link s0 s1 40gbit 3us
		link s1 s2 10gbit 500ns
		link s2 h1 25gbit 2us
		link h2 s1 40gbit 700ns
	EOF
	echo "$BATS_TEST_TMPDIR/mixed"
}

@test "lone flow: links of mixed rates and delays" {
	dir=$BATS_TEST_TMPDIR/out
	a=80:1000000 b=200:3000000 c=800:500000 d=320:2000000 e=200:700000
	for mtu in 1000 1024 2048; do
		for how in "transport=roce fc=pfc" "transport=irn fc=pfc" "transport=irn fc=none"; do
			# shellcheck disable=SC2086 # two words
			twin "$dir" topology="$(mixed)" mtu=$mtu $how workload=file:"$(lone_flows $mtu 0,1 1,0 2,1 2,0)"
			for i in 0 1 2 3; do
				check_ideal "$dir" $mtu first $i $a $b $c $d
				check_ideal "$dir" $mtu first $((i + 4)) $d $c $b $a
				check_ideal "$dir" $mtu first $((i + 8)) $e $c $d
				check_ideal "$dir" $mtu first $((i + 12)) $e $b $a
			done
			all_done "$dir"
		done
	done
}

# Hosts at 40 Gb/s, two links of 100 Gb/s and another delay to each of two spines: all ways alike, whichever ECMP takes.
@test "lone flow: a leaf-spine fabric of 40 and 100 Gb/s" {
	dir=$BATS_TEST_TMPDIR/out
	topology=leaf-spine:leaves=3,spines=2,hosts=4,uplinks=2,uplink=100gbit,uplink_delay=1.5us
	host=200:2000000 up=80:1500000
	for mtu in 64 1000 2048; do
		for how in "transport=roce fc=pfc" "transport=irn fc=pfc" "transport=irn fc=none"; do
			# shellcheck disable=SC2086 # two words
			twin "$dir" topology=$topology mtu=$mtu $how workload=file:"$(lone_flows $mtu 0,11 9,2 5,6)"
			for i in {0..7}; do check_ideal "$dir" $mtu first "$i" $host $up $up $host; done
			for i in {8..11}; do check_ideal "$dir" $mtu first "$i" $host $host; done
			all_done "$dir"
		done
	done
}

@test "lone flow: without PFC a slower link ahead drops RoCE's frames, and the flow still completes" {
	dir=$BATS_TEST_TMPDIR/out
	twin "$dir" topology="$(mixed)" fc=none workload=file:"$(flows 0,1,3000000,0)"
	all_done "$dir"
	[ "$(value "$dir" buffer)" -gt 0 ]
	[ "$(value "$dir" retransmitted)" -gt 0 ]
	holds "$(value "$dir" avg_slowdown) > 1"
}
