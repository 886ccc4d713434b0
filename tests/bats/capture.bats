#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Wireshark reads what is on the links: RRoCE and PFC, on a host's port always, on a switch's when it is tapped.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	PCAP=$BATS_TEST_TMPDIR/pcap
}

begun() { grep -q 'File:' "$BATS_TEST_TMPDIR/bg"; }
marked() { [ "$(count 'arp.dst.proto_ipv4 == 192.0.2.9')" -gt 0 ]; }

# capture NODE PORT RUN-KEYS...: all that a packet socket there sees of a small incast, into $PCAP. dumpcap gets its frames
# in blocks; that they are all there is known by a frame of ours behind them.
capture()
{
	local dumper

	background env --default-signal=INT ip netns exec "$LAB-$1" dumpcap -P -i "$2" -w "$PCAP"
	dumper=$!
	wait_for 10 begun
	kernel "$BATS_TEST_TMPDIR/out" workload=incast bytes=100KB buffer=50KB "${@:3}"
	ip -n "$LAB-$1" addr replace 192.0.2.1/24 dev "$2"
	node "$1" -- bash -c 'echo >/dev/udp/192.0.2.9/9'
	wait_for 10 marked
	kill -INT "$dumper"
	wait "$dumper" || :
	cat "$BATS_TEST_TMPDIR/bg"
}

# fields FILTER FIELD...: one line per frame. The stamp must not pass for an FCS.
fields()
{
	local field args=()

	for field in "${@:2}"; do args+=(-e "$field"); done
	tshark -r "$PCAP" -o eth.fcs:Never -Y "$1" -T fields -E separator=, "${args[@]}" 2>/dev/null
}

count() { fields "$1" frame.number | wc -l; }
of_port() { total "$BATS_TEST_TMPDIR/out/ports.csv" "$3" "v[\"node\"] == \"$1\" && v[\"port\"] == $2"; }

# What h1, sending 100 packets of 1000 bytes to h0, has on its link: data out, ACKs and PFC in.
reads_as_roce()
{
	[ "$(count 'infiniband && ip.src == 10.0.0.2')" -eq 100 ]
	[ "$(count 'infiniband && ip.dst == 10.0.0.2')" -eq 100 ]
	# WRITE First, 98 Middle, Last; PSNs in order
	[ "$(fields 'infiniband && ip.src == 10.0.0.2' infiniband.bth.opcode | uniq -c | awk '{ printf "%s*%s ", $1, $2 }')" = "1*6 98*7 1*8 " ]
	[ "$(fields 'infiniband && ip.src == 10.0.0.2' infiniband.bth.psn)" = "$(seq 0 99)" ]
	[ "$(fields 'infiniband.bth.opcode == 6' infiniband.reth.dmalen)" -eq 100000 ]
	[ "$(fields 'infiniband.bth.opcode == 7' data.len | sort -u)" = 1000 ]
	# ACKs: syndrome 31, one per packet, QP numbers paired
	[ "$(fields 'ip.dst == 10.0.0.2' infiniband.bth.opcode infiniband.aeth.syndrome | sort -u)" = 17,31 ]
	[ "$(fields 'ip.dst == 10.0.0.2' infiniband.bth.psn)" = "$(seq 0 99)" ]
	# every frame has its ICRC, and none has an IP header that Wireshark finds wrong
	[ "$(fields 'infiniband' infiniband.invariant.crc | grep -cE '^0x[0-9a-f]{8}$')" -eq 200 ]
	[ "$(tshark -r "$PCAP" -o ip.check_checksum:TRUE -Y 'ip.checksum.status == "Bad"' 2>/dev/null | wc -l)" -eq 0 ]
	[ "$(fields 'infiniband' udp.dstport | sort -u)" = 4791 ]
}

reads_as_pfc()
{
	local pauses resumes

	pauses=$(fields 'macc.opcode == 0x0101' macc.cbfc.enbv macc.cbfc.pause_time.c3 eth.dst | grep -ciE '^0x0*8,65535,01:80:c2:00:00:01$')
	resumes=$(fields 'macc.opcode == 0x0101' macc.cbfc.enbv macc.cbfc.pause_time.c3 eth.dst | grep -ciE '^0x0*8,0,01:80:c2:00:00:01$')
	echo "$pauses PAUSE, $resumes resume, expected $1 and $2"
	[ "$pauses" -gt 0 ]
	[ "$pauses" -eq "$1" ]
	[ "$resumes" -eq "$2" ]
	[ "$(count macc)" -eq $((pauses + resumes)) ]
}

@test "capture: tshark reads RRoCE and PFC on a host's port" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h1 eth0
	reads_as_roce
	reads_as_pfc "$(of_port h1 0 pause_rx)" "$(of_port h1 0 resume_rx)"
	twin "$BATS_TEST_TMPDIR/twin" topology=star:n=4 workload=incast bytes=100KB buffer=50KB
	same_records "$BATS_TEST_TMPDIR/twin" "$BATS_TEST_TMPDIR/out"
}

@test "capture: ECN marks, and NAKs of go-back-N and IRN, at the receiver and the sender" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h0 eth0 ecn=red kmin=5KB kmax=20KB
	[ "$(count 'infiniband && ip.dst == 10.0.0.1 && ip.dsfield.ecn == 3')" -eq "$(value "$BATS_TEST_TMPDIR/out" ecn_marks)" ]
	[ "$(value "$BATS_TEST_TMPDIR/out" ecn_marks)" -gt 0 ]
	[ "$(count 'infiniband && ip.dst == 10.0.0.1 && ip.dsfield.ecn == 2')" -eq $((300 - $(value "$BATS_TEST_TMPDIR/out" ecn_marks))) ]
	for transport in "roce pfc=off timeouts=on" irn; do
		# shellcheck disable=SC2086 # words
		capture h1 eth0 transport=$transport loss=0.05
		nacks=$(rows "$BATS_TEST_TMPDIR/out/flows.csv" 'v["src"] == 1 { print v["nacks"] }')
		[ "$nacks" -gt 0 ]
		[ "$(count 'infiniband.aeth.syndrome.opcode == 3 && infiniband.aeth.syndrome.error_code == 0')" -ge "$nacks" ]
		if [ "$transport" = irn ]; then # the packet that triggered the NACK is later than the one expected
			fields 'infiniband.aeth.syndrome.opcode == 3' infiniband.bth.psn infiniband.aeth.msn |
				awk -F, '$2 <= $1 { print; bad = 1 } END { exit bad }'
		fi
	done
}

@test "capture: the stamp of every frame, in the order of virtual time, does not pass for more than a trailer" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h0 eth0
	# magic "LOSS", version 1; bytes 6 and 7 are the frame's length without it
	fields 'infiniband && ip.dst == 10.0.0.1' eth.trailer frame.len | tr -d : | awk -F, '
		{ if ($1 !~ /^(00)*4c4f53530001/) { print; bad = 1 } n++ }
		END { exit bad || n != 300 }'
	fields 'ip.dst == 10.0.0.1' eth.trailer | tr -d : | sed 's/.*4c4f53530001....//' >"$BATS_TEST_TMPDIR/arrivals"
	sort -c "$BATS_TEST_TMPDIR/arrivals"
}

@test "capture: tshark reads RRoCE and PFC on a tapped switch port" {
	requires root veth kernel tshark dumpcap
	"$LOSSLAB" run --help | grep -q '^  tap ' || skip "needs the key tap="
	up dumbbell:left=3,right=1
	capture s0 p1 tap=s0:p1
	twin "$BATS_TEST_TMPDIR/twin" topology=dumbbell:left=3,right=1 workload=incast bytes=100KB buffer=50KB
	same_records "$BATS_TEST_TMPDIR/twin" "$BATS_TEST_TMPDIR/out"
	# what arrives at p1 is what h1 sends: data, to h0
	[ "$(fields 'infiniband' infiniband.bth.opcode | uniq -c | awk '{ printf "%s*%s ", $1, $2 }')" = "1*6 98*7 1*8 " ]
	[ "$(fields 'infiniband' infiniband.bth.psn)" = "$(seq 0 99)" ]
	[ "$(fields 'infiniband' infiniband.invariant.crc | grep -cE '^0x[0-9a-f]{8}$')" -eq 100 ]
}

@test "capture: a tapped port between switches shows PFC" {
	requires root veth kernel tshark dumpcap
	"$LOSSLAB" run --help | grep -q '^  tap ' || skip "needs the key tap="
	"$REPO/topo/dumbbell.sh" left=1 right=3 | sed 's/^link h0 s0 .*/link h0 s0 10gbit 2us/' >"$BATS_TEST_TMPDIR/slow"
	up "$BATS_TEST_TMPDIR/slow"
	# h1 to h3, on s1, send to h0 over s1:p3 -> s0:p1; s0 pauses s1: its PFC arrives at s1:p3
	capture s1 p3 tap=s1
	reads_as_pfc "$(of_port s1 3 pause_rx)" "$(of_port s1 3 resume_rx)"
	[ "$(count infiniband)" -eq 300 ] # ACKs
}
