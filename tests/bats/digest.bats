#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel engine and the twin leave the same bytes, whatever else the machine does.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

# What differs in kind. Small buffers, so that few flows pause and drop.
KINDS=(
	"transport=roce fc=pfc"
	"transport=roce fc=none until=arrivals"
	"transport=irn fc=none"
	"transport=irn fc=pfc"
	"transport=irn loss=0.01"
	"transport=roce ecn=red kmin=5KB kmax=50KB"
)
SMALL=(flows=60 buffer=60KB seed=3)

setup()
{
	lab_setup
	T=$BATS_TEST_TMPDIR
}

# What makes each kind worth comparing has happened.
telling()
{
	case $2 in
	*loss=*) [ "$(value "$1" loss)" -gt 0 ] ;;
	*fc=none*) [ "$(value "$1" buffer)" -gt 0 ] && [ "$(value "$1" retransmitted)" -gt 0 ] ;;
	*ecn=*) [ "$(value "$1" ecn_marks)" -gt 0 ] ;;
	*) [ "$(value "$1" pause_frames)" -gt 0 ] ;;
	esac
}

# alike TOPOLOGY KEYS...: on the standing lab of that topology, and on the twin.
alike()
{
	local topology=$1

	shift
	# shellcheck disable=SC2068 # words
	twin "$T/twin" topology="$topology" $@
	# shellcheck disable=SC2068
	kernel "$T/kernel" $@
	same_records "$T/twin" "$T/kernel"
	[ "$(value "$T/kernel" engine)" = '"kernel"' ]
}

all_kinds()
{
	local kind

	requires root veth kernel
	up "$1"
	for kind in "${KINDS[@]}"; do
		echo "$kind"
		alike "$1" "${SMALL[*]} $2" "$kind"
		telling "$T/twin" "$kind"
	done
}

@test "digest: kernel and twin on a fat-tree" { all_kinds fat-tree:k=4; }
@test "digest: kernel and twin on a leaf-spine fabric" { all_kinds leaf-spine; }
@test "digest: kernel and twin on a star" { all_kinds star:n=8 "load=1.00 flows=120"; }

@test "digest: kernel and twin with packets of 64 and 2048 bytes, a RETH each, coalesced ACKs, ACKs in a class of their own" {
	requires root veth kernel
	up star:n=5
	alike star:n=5 workload=incast bytes=200KB mtu=2048 buffer=100KB
	alike star:n=5 workload=incast bytes=20KB mtu=64 transport=irn buffer=10KB
	alike star:n=5 workload=incast bytes=200KB reth=all buffer=60KB
	alike star:n=5 workload=incast bytes=200KB ack_every=16 buffer=60KB
	alike star:n=5 workload=permutation bytes=200KB ack_class=6 class=1
	alike star:n=5 workload=permutation bytes=300KB psn0=16777100
	alike star:n=5 workload=uniform:1KB-50KB flows=60 pattern=half load=0.655 load_of=payload
	alike star:n=5 workload=incast bytes=90KB stripe=on repeat=3 background=0.3 background_sizes=uniform:1KB-20KB
}

@test "digest: kernel and twin where PAUSE spreads over mixed rates, and is refreshed" {
	requires root veth kernel
	"$REPO/topo/fat-tree.sh" k=4 | sed 's/^link h0 s0$/& 10gbit 3us/; s/^link h5 s2$/& 100gbit 2us loss 0.001/' >"$T/mixed"
	up "$T/mixed"
	workload=$(flows 4,0,500000,0 8,0,500000,0 12,0,500000,0 5,1,200000,1000)
	alike "$T/mixed" workload=file:"$workload" buffer=80KB timeouts=on
	[ "$(value "$T/kernel" pause_frames)" -gt 0 ]
	alike "$T/mixed" workload=file:"$workload" buffer=80KB timeouts=on quanta=100
	[ "$(value "$T/kernel" pause_frames)" -gt "$(value "$T/kernel" resume_frames)" ]
}

@test "digest: kernel and twin end alike when a run is stuck" {
	requires root veth kernel
	up star:n=4
	run -1 twin "$T/twin" topology=star:n=4 transport=roce fc=pfc loss=0.01 flows=50
	said=$output
	run -1 kernel "$T/kernel" transport=roce fc=pfc loss=0.01 flows=50
	[ "$(value "$T/kernel" status)" = '"stuck"' ]
	same_records "$T/twin" "$T/kernel"
	diff <(grep -E '^(losslab|  flow [0-9]|  port)' <<<"$said") <(grep -E '^(losslab|  flow [0-9]|  port)' <<<"$output")
}

@test "digest: kernel and twin find the same deadlock" {
	requires root veth kernel
	up "$(ring 7)"
	run -1 twin "$T/twin" topology="$(ring 7)" workload=file:"$(around 7 3)" buffer=60KB
	run -1 kernel "$T/kernel" workload=file:"$(around 7 3)" buffer=60KB
	[ "$(value "$T/kernel" status)" = '"deadlock"' ]
	same_records "$T/twin" "$T/kernel"
}

@test "digest: kernel and twin with faults" {
	requires root veth kernel
	up fat-tree:k=4
	alike fat-tree:k=4 transport=irn flows=100 route_delay=200us \
		"fault=100us-3ms:down:s0:p2;250us-300us:down:h3;0us-1ms:flap=30us/50us:s9:p1"
	[ "$(value "$T/kernel" link)" -gt 0 ]
	alike fat-tree:k=4 transport=irn flows=100 "fault=200us-1ms:drop=0.1:s3;0us-5ms:corrupt=0.01:s1;100us:corrupt=0.5:s9"
	[ "$(value "$T/kernel" fault)" -gt 0 ]
	[ "$(total "$T/kernel/hosts.csv" discarded)" -gt 0 ]
	alike fat-tree:k=4 transport=iwarp flows=100 fault=0us:corrupt=0.01:s1
	[ "$(total "$T/kernel/hosts.csv" discarded)" -gt 0 ]
	alike fat-tree:k=4 transport=roce flows=200 buffer=60KB \
		"fault=100us-600us:pause=3:h1;150us-1ms:pause=3:s8:p1;500us-520us:down:h1" timeouts=on
	[ "$(rows "$T/kernel/ports.csv" 'v["node"] == "h1" { print v["pause_tx"] }')" -gt 0 ]
	[ "$(value "$T/kernel" link)" -gt 0 ]
}

@test "digest: kernel and twin with a PFC watchdog" {
	requires root veth kernel
	up star:n=4
	alike star:n=4 workload=incast bytes=1MB transport=roce fault=100us-600us:pause=3:h0 pfc_watchdog=100us
	[ "$(value "$T/kernel" watchdog)" -gt 0 ]
}

@test "digest: kernel and twin take the same samples" {
	requires root veth kernel
	up fat-tree:k=4
	alike fat-tree:k=4 flows=60 buffer=60KB sample=1500ns fault=20us-90us:down:h3 timeouts=on
	cmp "$T/twin/samples.csv" "$T/kernel/samples.csv"
	cmp "$T/twin/goodput.csv" "$T/kernel/goodput.csv"
	[ "$(rows "$T/kernel/samples.csv" 'v["paused"]' | wc -l)" -gt 0 ]
}

# Two kinds on one lab, one CPU or two, with all that may slow its processes down.
under()
{
	local kind

	for kind in "transport=roce fc=pfc" "transport=irn loss=0.01"; do
		# shellcheck disable=SC2086 # words
		twin "$T/twin" topology=fat-tree:k=4 "${SMALL[@]}" $kind
		# shellcheck disable=SC2086
		"$@" "$LOSSLAB" run -q --name "$LAB" --out "$T/kernel" "${SMALL[@]}" $kind
		same_records "$T/twin" "$T/kernel"
	done
}

@test "digest: the same with the machine kept busy by others" {
	requires root veth kernel sha256sum
	up fat-tree:k=4
	for _ in 1 2 3 4; do background sha256sum /dev/zero; done
	under env
}

@test "digest: the same on one CPU" {
	requires root veth kernel taskset
	up fat-tree:k=4
	under taskset -c 0
}

@test "digest: the same with random delays in agents and conductor" {
	requires root veth kernel
	up fat-tree:k=4
	under env LOSSLAB_CHAOS=2000
}

@test "digest: the same on one CPU, busy, with random delays, on a lab of its own" {
	requires root veth kernel taskset
	background taskset -c 0 sha256sum /dev/zero
	twin "$T/twin" topology=star:n=8 "${SMALL[@]}" transport=irn fc=pfc
	LOSSLAB_CHAOS=500 taskset -c 0 "$LOSSLAB" run -q --out "$T/kernel" topology=star:n=8 "${SMALL[@]}" transport=irn fc=pfc
	same_records "$T/twin" "$T/kernel"
}

# Runs that leave frames in buffers, paused ports and connections half-way must leave nothing to the next.
@test "digest: no state crosses the runs of a standing lab" {
	requires root veth kernel
	up star:n=8
	kernel "$T/first" flows=100 transport=irn
	kernel "$T/between" flows=100 transport=roce until=arrivals mtu=2048 buffer=60KB seed=9
	[ "$(value "$T/between" queued)" -gt 0 ]
	run -2 kernel "$T/between" topology=star:n=8
	kernel "$T/again" flows=100 transport=irn
	same_records "$T/first" "$T/again"
	"$LOSSLAB" run -q --out "$T/fresh" topology=star:n=8 flows=100 transport=irn
	same_records "$T/first" "$T/fresh"
}
