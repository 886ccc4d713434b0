#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a run is told wrongly, or may not do: one clear line, the right exit code, nothing left behind.
# alone: it looks for what other runs leave under /run/netns

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	T=$BATS_TEST_TMPDIR
	BEFORE=$(traces)
}

teardown()
{
	lab_teardown && [ "$(traces)" = "$BEFORE" ]
}

# bad PATTERN WORD...: refused by run as usage, exit 2, on the twin.
bad() { refused 2 "$1" "$LOSSLAB" run -q -e twin "${@:2}"; }

@test "bad input: unknown keys and values" {
	bad '^losslab: .*colour' colour=red
	bad '^losslab: .*transport' transport=carrier-pigeon
	bad '^losslab: .*engine' engine=steam
	bad '^losslab: .*cc' cc=reno
	bad '^losslab: .*fc' fc=maybe
	bad '^losslab: .*workload' workload=nothing
	bad '^losslab: .*mtu' mtu=2049
	bad '^losslab: .*mtu' mtu=63
	bad '^losslab: .*mtu' mtu=
	bad '^losslab: .*loss' loss=1.5
	bad '^losslab: .*loss' loss=0.1@s99 topology=star:n=2
	bad '^losslab: .*flows' flows=-1
	bad '^losslab: .*flows' flows=1e3
	bad '^losslab: .*load' load=0
	bad '^losslab: .*seed' seed=18446744073709551616
	bad '^losslab: .*kmin' ecn=red kmin=100KB kmax=50KB
	bad '^losslab: .*xon' topology=star:n=2 xoff=1000 xon=1000
	bad '^losslab: .*buffer' topology=star:n=2 buffer=10KB
	bad '^losslab: .*quanta' topology=star:n=2 quanta=1
	bad '^losslab: .*senders' topology=star:n=3 workload=incast senders=3
	bad '^losslab: .*tap' topology=star:n=2 tap=s9
	bad '^losslab: .*tap' topology=star:n=2 tap=s0:p2
	bad '^losslab: ' =5
	bad '^losslab: .*one scenario at a time' one two
	bad '^losslab: .*no-such-scenario' no-such-scenario
	refused 2 'option --nonsense: unknown' "$LOSSLAB" run --nonsense
	refused 2 'option --name: needs a value' "$LOSSLAB" run --name
}

@test "bad input: what contradicts a transport" {
	bad '^losslab: cap=0: no packet could ever be sent; allowed: 1\.\.1048576' transport=irn cap=0
	bad '^losslab: cap=0: ' preset=irn cap=0
	bad '^losslab: cap=100: transport=roce has no cap; allowed: with transport=irn\|irn-gbn' transport=roce cap=100
	bad '^losslab: cap=3: transport=irn-nobdp ' preset=irn-nobdp cap=3
	bad '^losslab: melo_bits=7: a pool smaller than one block .*8\.\.2048 in steps of 8' transport=melo melo_bits=7
	bad '^losslab: melo_bits=0: a pool smaller than one block' transport=melo melo_bits=0
	bad '^losslab: melo_bits=12: between two steps' transport=melo melo_bits=12
	bad '^losslab: melo_bits=512: transport=irn has no pools' transport=irn melo_bits=512
	bad '^losslab: melo_cache=0: .*allowed: 1\.\.65536' transport=melo melo_cache=0
	bad '^losslab: melo_resend=holes: transport=roce ' transport=roce melo_resend=holes
	bad '^losslab: init_window=0: .*allowed: 1\.\.1000' transport=iwarp init_window=0
	bad '^losslab: init_window=2: transport=irn ' transport=irn init_window=2
	bad '^losslab: ack_every=2: transport=irn acknowledges every packet; allowed: with transport=roce\|melo' transport=irn ack_every=2
	bad '^losslab: ack_every=65: .*allowed: 1\.\.64, or message' ack_every=65
	bad '^losslab: backoff=on: transport=irn does not go back N' transport=irn backoff=on
	bad '^losslab: rto_low=400us: above rto_high' transport=irn rto_high=320us rto_low=400us
	bad '^losslab: retry_cnt=7: .*allowed: 0\.\.6, or infinite' retry_cnt=7
	bad '^losslab: psn0=16777216: .*allowed: 0\.\.16777215' psn0=16777216
	bad '^losslab: class=8: .*allowed: 0\.\.7' class=8
}

@test "bad input: what contradicts a congestion control" {
	bad '^losslab: kmin=200000: above kmax=100000; allowed: up to kmax' ecn=red kmin=200KB kmax=100KB
	for cc in timely timely-patched; do
		bad "^losslab: ack_every=message: too few ACKs for cc=$cc; allowed: 1\.\.16" cc=$cc ack_every=message
		bad '^losslab: ack_every=17: ' cc=$cc ack_every=17
	done
	for cc in dcqcn dcqcn-connectx ib-aimd ib-lipd ib-fimd dctcp; do
		bad "^losslab: ecn=off: cc=$cc requires ECN marking; allowed: " cc=$cc ecn=off
	done
	for cc in $("$LOSSLAB" run --list cc | cut -d" " -f1); do
		bad "^losslab: cc=$cc: transport=iwarp has its own congestion control; allowed: with transport=" transport=iwarp cc="$cc"
	done
	bad '^losslab: timely_tlow=500us: not below timely_thigh=500us' cc=timely timely_tlow=500us
	bad '^losslab: timely_tlow=3us: cc=dcqcn does not use it; allowed: with cc=timely\|timely-patched' cc=dcqcn timely_tlow=3us
	bad '^losslab: dcqcn_g=16: cc=none does not use it' dcqcn_g=16
	bad '^losslab: dcqcn_g=0: .*allowed: 1\.\.65536' cc=dcqcn dcqcn_g=0
	bad '^losslab: rmin=1gbit: cc=ib-aimd does not use it' cc=ib-aimd rmin=1gbit
	bad '^losslab: ib_levels=3: .*power of two' cc=ib-fimd ib_levels=3
	bad '^losslab: cnp_interval=9us: cc=timely has no CNPs' cc=timely cnp_interval=9us
}

@test "bad input: what contradicts an operation" {
	bad '^losslab: op=atomic: unknown; allowed: write\|send\|read' op=atomic
	for op in read send; do
		bad "^losslab: op=$op: transport=iwarp writes only" transport=iwarp op=$op
		bad '^losslab: workload: .*reth=all' topology=star:n=2 op=$op reth=all
	done
	bad '^losslab: rq=0: no message could ever be received; allowed: 1\.\.65536' op=send rq=0
	bad '^losslab: rq=1: op=write posts no receives; allowed: with op=send' rq=1
	bad '^losslab: rnr_retry=1: op=read posts no receives' op=read rnr_retry=1
	bad '^losslab: rnr_timer=32: .*allowed: 0\.\.31' op=send rnr_timer=32
	bad '^losslab: message=0: .*allowed: 1\.\.1073741824 bytes, or flow' message=0
	bad '^losslab: message=2GB: .*allowed: 1\.\.1073741824' message=2GB
	bad '^losslab: region=0: .*allowed: 1\.\.' region=0
	bad '^losslab: region=10000: op=send addresses no memory; allowed: with op=write\|read' op=send region=10KB
	bad '^losslab: region=10000: transport=iwarp ' transport=iwarp region=10KB
	bad '^losslab: reth=all: transport=iwarp ' transport=iwarp reth=all
	bad '^losslab: .*2\^31 packets: .*message' topology=star:n=2 workload=incast bytes=20GB message=1
}

@test "bad input: presets" {
	bad '^losslab: preset=ir: no such preset; did you mean irn\? losslab run --presets lists them' preset=ir
	bad '^losslab: preset=carrier-pigeon: no such preset; losslab run --presets lists them' preset=carrier-pigeon
	"$LOSSLAB" run --presets | grep '^[^ ]' >"$T/presets"
	[ "$(wc -l <"$T/presets")" -gt 20 ]
	grep -E '^irn +transport=irn fc=none cc=none$' "$T/presets"
	while read -r name settings; do
		echo "$name"
		twin "$T/out" topology=star:n=3 flows=5 preset="$name"
		for key in $settings; do
			[[ $key != *=* ]] || grep -x "$key" "$T/out/config.txt"
		done
	done <"$T/presets"
}

@test "bad input: rates and delays" {
	bad '^losslab: .*rate' rate=0
	bad '^losslab: .*rate' rate=0gbit
	bad '^losslab: .*rate' rate=60gbit
	bad '^losslab: .*rate' rate=40
	bad '^losslab: .*delay' delay=0
	bad '^losslab: .*delay' delay=0us
	bad '^losslab: .*delay' delay=2s
	bad '^losslab: .*rate' topology=star:n=2,rate=0gbit
	bad '^losslab: .*delay' topology=star:n=2,delay=0us
}

@test "bad input: topologies" {
	bad 'must be even' topology=fat-tree:k=5
	bad 'k' topology=fat-tree:k=18
	bad 'k' topology=fat-tree:k=two
	bad 'colour' topology=star:colour=red
	bad 'no-such' topology=no-such
	bad 'no-such' topology="$T/no-such"
	printf 'host h0\nhost h1\nhost h2\nswitch s0\nlink h0 s0 40gbit 2us\nlink h1 s0 40gbit 2us\n' >"$T/lonely"
	bad "$T/lonely:[0-9]+: .*h2" topology="$T/lonely"
	printf 'host h0\nhost h0\n' >"$T/twice"
	bad "$T/twice:2: .*h0" topology="$T/twice"
	printf 'host h0\nhost h1\nswitch s0\nlink h0 s0 0gbit 2us\n' >"$T/zero"
	bad "$T/zero:4: .*0gbit" topology="$T/zero"
	printf 'host h0\nhost h1\nswitch s0\nlink h0 s0 40gbit 0us\n' >"$T/now"
	bad "$T/now:4: .*0us" topology="$T/now"
	printf 'host h0\nrouter r0\n' >"$T/word"
	bad "$T/word:2: .*router" topology="$T/word"
	: >"$T/empty"
	bad "$T/empty" topology="$T/empty"
}

# workload FILE-CONTENT PATTERN KEYS..., on a star of 4
workload()
{
	printf '%b' "$1" >"$T/flows.csv"
	bad "$T/flows.csv:$2" topology=star:n=4 workload=file:"$T/flows.csv" "${@:3}"
}

@test "bad input: files of flows" {
	head=id,src,dst,bytes,start_ns
	workload "$head\n0,0,4,1000,0\n" '2: .*dst 4.*0\.\.3'
	workload "$head\n0,9,1,1000,0\n" '2: .*src 9'
	workload "$head\n0,1,1,1000,0\n" '2: .*host 1'
	workload "$head\n0,0,1,0,0\n" '2: .*bytes'
	workload "$head\n0,0,1,1000\n" '2: .*4 columns'
	workload "$head\n0,0,1,1000,0,7\n" '2: .*columns'
	workload "$head\n0,0,1,1000,0\n0,1,2,1000,0\n" '3: .*id 0'
	workload "$head\n1,0,1,1000,0\n" '2: .*id 1'
	workload "$head\n0,0,1,many,0\n" '2: .*bytes'
	workload "$head\n0,0,1,-1,0\n" '2: .*bytes'
	workload "$head\n0,0,1,1000,0.0001\n" '2: .*start_ns'
	workload "$head\n0,0,1,99999999999999999999,0\n" '2: .*bytes'
	workload "$head,op\n0,0,1,1000,0,atomic\n" "2: op 'atomic' .*write.send.read"
	workload "$head,op\n0,0,1,1000,0\n" '2: .*5 columns'
	workload "$head,op\n0,0,1,1000,0,\n" "2: op ''"
	workload "$head,op\n0,0,1,1000,0,read\n" "2: op 'read': transport=iwarp" transport=iwarp
	workload "src,dst\n" '1: '
	workload "$head\n" '[0-9]+: .*no flows'
	workload '' '[0-9]+: .*empty'
	bad 'no-such.csv' topology=star:n=4 workload=file:"$T/no-such.csv"
	bad "$T" topology=star:n=4 workload=file:"$T"
}

@test "bad input: scenario files" {
	printf 'transport=irn\n# fine\n\nmtu=9000\n' >"$T/scenario"
	bad "$T/scenario:4: .*mtu" "$T/scenario"
	printf 'topology=star:n=2\nnonsense\n' >"$T/scenario"
	bad "$T/scenario:2: .*nonsense" "$T/scenario"
}

# As root every directory can be written to; but not below a file.
@test "bad input: a directory for records that cannot be, said before the run" {
	: >"$T/file"
	refused 2 "$T/file" timeout 5 "$LOSSLAB" run -q -e twin --out "$T/file/dir" topology=star:n=4 workload=permutation bytes=20GB
	refused 2 "$T/file" timeout 5 "$LOSSLAB" run -q -e twin --out "$T/file" topology=star:n=4 workload=permutation bytes=20GB
}

@test "bad input: the kernel engine refuses as the twin does, and leaves nothing" {
	requires root veth kernel
	refused 2 'must be even' "$LOSSLAB" run -q topology=fat-tree:k=5
	refused 2 'transport' "$LOSSLAB" run -q transport=x
	printf 'id,src,dst,bytes,start_ns\n0,0,4,1000,0\n' >"$T/flows.csv"
	refused 2 'flows.csv:2: .*dst 4' "$LOSSLAB" run -q topology=star:n=4 workload=file:"$T/flows.csv"
	refused 2 'buffer' "$LOSSLAB" run -q topology=star:n=4 buffer=10KB
	refused 2 'cap=0' "$LOSSLAB" run -q topology=star:n=4 transport=irn cap=0
	refused 2 'melo_bits=7' "$LOSSLAB" run -q topology=star:n=4 transport=melo melo_bits=7
	refused 2 'transport=iwarp' "$LOSSLAB" run -q topology=star:n=4 transport=iwarp cc=timely
	refused 2 'ecn=off' "$LOSSLAB" run -q topology=star:n=4 cc=dcqcn ecn=off
	refused 2 'ack_every=message' "$LOSSLAB" run -q topology=star:n=4 cc=timely ack_every=message
	refused 2 'reth=all' "$LOSSLAB" run -q topology=star:n=4 op=send reth=all
	refused 2 'preset=ir:' "$LOSSLAB" run -q topology=star:n=4 preset=ir
	[ -z "$(ls -A "$LOSSLAB_RUN_DIR" 2>/dev/null)" ]
}

@test "bad input: without root, exit 3 and the way out" {
	requires root setpriv
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${nobody[@]}" test -x "$LOSSLAB" || skip "needs the program readable by all"
	refused 3 'run: the kernel engine needs root: .*--engine twin' "${nobody[@]}" "$LOSSLAB" run topology=star:n=4 flows=10
	run "${nobody[@]}" env "LOSSLAB_TOPO=$LOSSLAB_TOPO" "$LOSSLAB" run -q --engine twin topology=star:n=4 flows=10
	[ "$status" -eq 0 ]
}

@test "bad input: faults that make no sense" {
	local twin=("$LOSSLAB" run -q -e twin topology=star:n=3 flows=10)

	refused 2 'fault 1ms:down:s1:p0: s1: no such node' "${twin[@]}" fault=1ms:down:s1:p0
	refused 2 'fault_file=/nowhere: No such file' "${twin[@]}" fault_file=/nowhere
	refused 2 'route_delay=soon: .*allowed: .*never' "${twin[@]}" route_delay=soon
}

@test "bad input: a lab that is not up, another topology than the lab's" {
	requires root veth kernel
	refused 2 "lab $LAB: .*losslab up --name $LAB" "$LOSSLAB" run -q --name "$LAB" flows=10
	refused 2 'lab name' "$LOSSLAB" run -q --name 'a b' flows=10
	up star:n=3
	refused 2 "topology: lab $LAB exists" "$LOSSLAB" run -q --name "$LAB" topology=star:n=4 flows=10
	refused 2 'senders' "$LOSSLAB" run -q --name "$LAB" workload=incast senders=3
	[ "$(count_namespaces "$LAB-")" -eq 5 ]
	"$LOSSLAB" run -q --name "$LAB" flows=10
}

moving() { kill -0 "$RUN" && [ "$(ip netns exec "$LAB-h0" cat /sys/class/net/eth0/statistics/rx_packets)" -gt "${1:-100}" ]; }

@test "bad input: two runs on one lab at once: the second is refused, the first goes on" {
	requires root veth kernel
	up star:n=4
	background "$LOSSLAB" run -q --json --out "$T/first" --name "$LAB" workload=permutation bytes=20MB
	RUN=$!
	wait_for 10 moving
	refused 2 "lab $LAB: in use by process $RUN" "$LOSSLAB" run -q --name "$LAB" flows=10
	wait "$RUN"
	all_done "$T/first"
}

@test "bad input: a lab of which a namespace is gone" {
	requires root veth kernel
	up star:n=4
	ip netns del "$LAB-h2"
	run "$LOSSLAB" run -q --name "$LAB" flows=10
	echo "$output"
	[ "$status" -ne 0 ] && [ "${#lines[@]}" -eq 1 ] && [[ $output =~ h2 ]]
}

# Frames without a stamp: an ARP request from h0 into the fabric, and one from a switch's port to h1. They are counted, and
# change nothing.
@test "bad input: foreign frames in the middle of a run are counted, and the digest is the twin's" {
	requires root veth kernel
	up star:n=4
	ip -n "$LAB-s0" addr add 10.9.9.9/8 dev p1
	background "$LOSSLAB" run -q --out "$T/kernel" --name "$LAB" workload=permutation bytes=20MB
	RUN=$!
	for n in 100 3000 6000; do
		wait_for 10 moving $n
		node h0 -- bash -c 'echo x >/dev/udp/10.0.0.77/9' || :
		node s0 -- bash -c 'echo x >/dev/udp/10.0.0.78/9' || :
	done
	wait "$RUN"
	twin "$T/twin" topology=star:n=4 workload=permutation bytes=20MB
	same_records "$T/twin" "$T/kernel"
	[ "$(value "$T/twin" foreign_frames)" -eq 0 ]
	echo "foreign: $(value "$T/kernel" foreign_frames)"
	[ "$(value "$T/kernel" foreign_frames)" -ge 2 ]
}

# datagram VERSION LENGTH: 82 bytes of a frame and what may pass for a stamp, from switch port s0:p1 to host h1. The last
# bytes of a datagram are the last ones of its frame.
datagram()
{
	local stamp

	printf -v stamp '\\x4c\\x4f\\x53\\x53\\x00\\x%02x\\x00\\x%02x\\0\\0\\0\\0\\0\\0\\0\\0' "$1" "$2"
	node s0 -- bash -c "printf '%040d$stamp' 0 >/dev/udp/10.0.0.78/9"
}

with_neighbour()
{
	up star:n=4
	ip -n "$LAB-s0" addr add 10.9.9.9/8 dev p1
	ip -n "$LAB-s0" neigh add 10.0.0.78 dev p1 lladdr "$(ip netns exec "$LAB-h1" cat /sys/class/net/eth0/address)"
}

@test "bad input: stamps of another version or length are foreign to TC and agent alike" {
	requires root veth kernel
	with_neighbour
	background "$LOSSLAB" run -q --out "$T/kernel" --name "$LAB" workload=permutation bytes=20MB
	RUN=$!
	wait_for 10 moving
	for n in 1 2 3; do
		datagram 2 82
		datagram 1 81
	done
	wait "$RUN"
	twin "$T/twin" topology=star:n=4 workload=permutation bytes=20MB
	same_records "$T/twin" "$T/kernel"
	[ "$(value "$T/kernel" foreign_frames)" -ge 6 ]
}

@test "bad input: a forged stamp ends the run, and the message says what it was" {
	requires root veth kernel
	with_neighbour
	background "$LOSSLAB" run -q --name "$LAB" workload=permutation bytes=100MB
	RUN=$!
	wait_for 10 moving
	datagram 1 82
	code=0
	wait "$RUN" || code=$?
	cat "$BATS_TEST_TMPDIR/bg"
	[ "$code" -eq 1 ]
	grep -qE '^losslab: link s0:p1 -> h1: more frames than sent: [0-9]+ foreign or repeated ones with the lab.s stamp$' "$BATS_TEST_TMPDIR/bg"
}

@test "bad input: a low limit of open files is raised, or the number needed is said" {
	requires root veth kernel setpriv prlimit
	prlimit --nofile=64:20000 "$LOSSLAB" run -q topology=star:n=32 flows=10
	refused 3 'open files: [0-9]+ are needed, 100 allowed: raise the limit \(ulimit -n [0-9]+\)' \
		setpriv --bounding-set=-sys_resource prlimit --nofile=64:100 "$LOSSLAB" run -q topology=star:n=32 flows=10
}
