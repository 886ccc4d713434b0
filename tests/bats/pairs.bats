#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel and twin leave the same bytes for every pair of loss recovery and congestion control, and for every operation.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

# Queues of a few frames, so that all controls have something to do within the 200 packets of a flow.
MARKS=(ecn=red kmin=2KB kmax=10KB pmax=0.5)
TIMELY=(timely_tlow=6us timely_thigh=20us timely_min_rtt=5us timely_segment=4)

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
	[ "$(value "$T/kernel" engine)" = '"kernel"' ]
}

# counted KEY CONDITION...: numbers of the run's summary, "retransmitted > 0".
counted()
{
	while [ $# -gt 0 ]; do
		holds "$(value "$T/kernel" "$1") $2" || { echo "... which is $1"; return 1; }
		shift 2
	done
}

# all KEY: the names that transport= or cc= takes.
all() { "$LOSSLAB" run --list "$1" | awk '{ print $1 }'; }

# needs_marks CC: whether switches mark packets for it.
needs_marks()
{
	twin "$T/probe" topology=star:n=2 workload=permutation bytes=1 cc="$1" && ! grep -qx 'ecn=off' "$T/probe/config.txt"
}

# What the control goes by has happened.
has_controlled()
{
	if ! needs_marks "$1"; then
		counted ecn_marks '== 0' cnps '== 0'
		return
	fi
	counted ecn_marks '> 0' cnps '> 0'
	case $1 in
	dcqcn*) [ "$(total "$T/kernel/hosts.csv" cnps_tx)" -gt 0 ] ;;
	esac
}

# pairs TOPOLOGY TRANSPORT KEYS...: with each control, each of which makes another run of it. MUST: what happens without
# any, counted.
pairs()
{
	local topology=$1 transport=$2 cc keys digests='' digest ccs

	requires root veth kernel
	ccs="none $(all cc)"
	[ "$transport" != iwarp ] || ccs=none
	up "$topology"
	for cc in $ccs; do
		keys=(transport="$transport" cc="$cc" "${@:3}")
		! needs_marks "$cc" || keys+=("${MARKS[@]}")
		[[ $cc != timely* ]] || keys+=("${TIMELY[@]}")
		echo "${keys[*]}"
		alike "$topology" "${keys[@]}"
		all_done "$T/kernel"
		counted loss '> 0' retransmitted '> 0'
		has_controlled "$cc"
		[ "$cc" != none ] || counted "${MUST[@]}"
		digest=$(value "$T/kernel" digest)
		[[ $digests != *$digest* ]] || { echo "cc=$cc is as another was"; return 1; }
		digests+=$digest
	done
}

# An incast into buffers of some 18 frames, and a frame in 200 lost besides.
lossy()
{
	MUST=(buffer '> 0' pause_frames '== 0')
	pairs star:n=5 "$1" fc=none workload=incast bytes=200KB buffer=20KB loss=0.005
}

@test "pairs: kernel and twin, RoCE with each congestion control, lossy" { lossy roce; }
@test "pairs: kernel and twin, IRN with each congestion control, lossy" { lossy irn; }
@test "pairs: kernel and twin, IRN with go-back-N with each congestion control, lossy" { lossy irn-gbn; }
@test "pairs: kernel and twin, IRN without BDP-FC with each congestion control, lossy" { lossy irn-nobdp; }
@test "pairs: kernel and twin, IRN without SACK with each congestion control, lossy" { lossy irn-nosack; }
@test "pairs: kernel and twin, MELO with each congestion control, lossy" { lossy melo; }
@test "pairs: kernel and twin, iWARP, lossy" { lossy iwarp; }

# Several switches, paths and sizes of flows; ACKs in a class of their own, and PSNs that wrap.
paused()
{
	MUST=(buffer '== 0' pause_frames '> 0')
	pairs leaf-spine:leaves=2,spines=2,hosts=3 "$1" fc=pfc timeouts=on flows=40 load=1.0 load_of=payload buffer=60KB loss=0.002 seed=2 \
		class=1 ack_class=6 psn0=16777000
}

@test "pairs: kernel and twin, RoCE with each congestion control, PFC" { paused roce; }
@test "pairs: kernel and twin, IRN with each congestion control, PFC" { paused irn; }
@test "pairs: kernel and twin, IRN with go-back-N with each congestion control, PFC" { paused irn-gbn; }
@test "pairs: kernel and twin, IRN without BDP-FC with each congestion control, PFC" { paused irn-nobdp; }
@test "pairs: kernel and twin, IRN without SACK with each congestion control, PFC" { paused irn-nosack; }
@test "pairs: kernel and twin, MELO with each congestion control, PFC" { paused melo; }
@test "pairs: kernel and twin, iWARP, PFC" { paused iwarp; }

# Each has its two tests above, so that none takes long.
@test "pairs: every loss recovery has its tests" {
	for transport in $(all transport); do
		grep -q "{ lossy $transport; }" "$BATS_TEST_FILENAME"
		grep -q "{ paused $transport; }" "$BATS_TEST_FILENAME"
	done
}

INCAST=(workload=incast bytes=100KB buffer=30KB fc=none timeouts=on)

@test "pairs: kernel and twin, READ and SEND in messages, with each transport" {
	requires root veth kernel
	up star:n=5
	for transport in roce irn irn-gbn irn-nobdp irn-nosack melo; do
		for op in read send; do
			alike star:n=5 "${INCAST[@]}" transport=$transport op=$op message=3333 loss=0.01
			all_done "$T/kernel"
			counted loss '> 0' retransmitted '> 0'
			alike star:n=5 "${INCAST[@]}" transport=$transport op=$op message=20KB cc=dcqcn "${MARKS[@]}"
			all_done "$T/kernel"
			counted cnps '> 0'
		done
		alike star:n=5 "${INCAST[@]}" bytes=2KB transport=$transport op=read message=1
		all_done "$T/kernel"
		counted packets_sent '== 8000'
	done
}

@test "pairs: kernel and twin, a file with all operations mixed" {
	requires root veth kernel
	up star:n=5
	cat >"$T/mixed.csv" <<-'EOF'
		id,src,dst,bytes,start_ns,op
		0,0,1,50000,0,read
		1,2,1,50000,0,send
		2,3,1,70000,0,write
		3,1,0,100000,10,read
		4,0,4,3,0,send
		5,4,0,1,20000,read
		6,3,1,100000,5000,send
	EOF
	for how in "roce cc=timely ${TIMELY[*]}" "irn cc=ib-aimd ${MARKS[*]}" "melo cc=dcqcn ${MARKS[*]}" "irn-nobdp" "irn-gbn cap=2"; do
		# shellcheck disable=SC2086 # words
		alike star:n=5 workload=file:"$T/mixed.csv" fc=none buffer=30KB loss=0.01 message=12KB rq=1 rq_delay=8us transport=$how
		all_done "$T/kernel"
		counted retransmitted '> 0' rnr_naks '> 0'
	done
}

@test "pairs: kernel and twin, SENDs that find no receive posted" {
	requires root veth kernel
	up star:n=5
	for transport in roce irn irn-gbn irn-nobdp irn-nosack melo; do
		alike star:n=5 "${INCAST[@]}" transport=$transport op=send message=5KB rq=1 rq_delay=30us
		all_done "$T/kernel"
		counted rnr_naks '> 0' qp_errors '== 0'
		alike star:n=5 "${INCAST[@]}" transport=$transport op=send message=5KB rq=1 rq_delay=30us rnr_retry=0
		counted rnr_naks '> 0' qp_errors '== 4'
		[ "$(rows "$T/kernel/flows.csv" '{ print v["error"] }' | sort -u)" = rnr ]
	done
}

@test "pairs: kernel and twin, queue pairs that end in error: access, retry" {
	requires root veth kernel
	up star:n=5
	for transport in roce irn irn-gbn irn-nobdp irn-nosack melo; do
		for op in write read; do
			alike star:n=5 "${INCAST[@]}" transport=$transport op=$op region=50KB message=9KB
			counted qp_errors '== 4' completed '== 0'
			[ "$(rows "$T/kernel/flows.csv" '{ print v["error"] }' | sort -u)" = access ]
		done
		# what was within the region has arrived
		[ "$(rows "$T/kernel/flows.csv" 'v["received_bytes"] > 0' | wc -l)" -eq 4 ]
	done
	for transport in roce irn irn-gbn irn-nobdp irn-nosack melo iwarp; do
		alike star:n=5 "${INCAST[@]}" transport=$transport retry_cnt=1 loss=0.4
		counted qp_errors '> 0' timeouts '> 0'
		[ "$(rows "$T/kernel/flows.csv" 'v["error"] != "" { print v["error"] }' | sort -u)" = retry ]
	done
}

@test "pairs: kernel and twin, settings of one transport only" {
	requires root veth kernel
	up star:n=5
	while read -r keys; do
		echo "$keys"
		# shellcheck disable=SC2086 # words
		alike star:n=5 "${INCAST[@]}" loss=0.01 $keys
		counted retransmitted '> 0'
	done <<-'EOF'
		transport=melo melo_bits=8
		transport=melo melo_bits=64 melo_cache=1 workload=permutation
		transport=melo melo_resend=holes melo_cache=2 ack_every=16
		transport=melo melo_cache=1 melo_swap=3us retx_fetch=2us
		transport=melo mtu=64 bytes=20KB psn0=16777215
		transport=melo mtu=2048 ack_every=message
		transport=iwarp mtu=64 bytes=20KB
		transport=iwarp mtu=2048 psn0=16777215
		transport=iwarp init_window=1 fc=pfc buffer=60KB
		transport=iwarp init_window=1000 class=7 ack_class=0
		transport=irn cap=1
		transport=irn irn_lost=hls
		transport=irn-nosack rto=dynamic
		transport=roce timer_restart=send
		transport=roce backoff=on cc=timely
		transport=irn reth=all message=7777
		transport=irn retx_fetch=2us
		transport=irn-gbn backoff=on cap=5000
		transport=roce backoff=on ack_every=64
		transport=roce backoff=on reth=all
		transport=roce retx_fetch=500ns
		transport=irn cc=timely timely_segment=1
		transport=roce cc=timely ack_every=16 class=0 ack_class=7
		transport=roce cc=ib-fimd ib_levels=2 ack_every=message ecn=red kmin=2KB kmax=2KB
		transport=irn cc=dcqcn cnp_interval=1us dcqcn_bytes=20KB dcqcn_rate_timer=10us ecn=red kmin=2KB kmax=2KB
		transport=irn cc=dcqcn mtu=64 bytes=20KB buffer=10KB kmin=500 kmax=2KB pmax=0.5
	EOF
}
