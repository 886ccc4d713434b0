#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Wireshark reads what is on the links: RRoCE and PFC, on a host's port always, on a switch's when it is tapped.

load helpers
load ../twin/records
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	PCAP=$BATS_TEST_TMPDIR/pcap
	MARK=1
}

begun() { grep -qs 'File:' "$BATS_TEST_TMPDIR/bg"; }
marked() { [ "$(count "arp.dst.proto_ipv4 == 192.0.2.$MARK")" -gt 0 ]; }

# capture NODE PORT RUN-KEYS...: all that a packet socket there sees of a small incast, into $PCAP. dumpcap gets its frames
# in blocks; that they are all there is known by a frame of ours behind them: ARP, for an address that nobody asked for yet.
capture()
{
	local dumper

	rm -f "$BATS_TEST_TMPDIR/bg" "$PCAP" # a second capture is not to find the first's
	background env --default-signal=INT ip netns exec "$LAB-$1" dumpcap -P -i "$2" -w "$PCAP"
	dumper=$!
	wait_for 10 begun
	kernel "$BATS_TEST_TMPDIR/out" workload=incast bytes=100KB buffer=50KB "${@:3}"
	ip -n "$LAB-$1" addr replace 192.0.2.1/24 dev "$2"
	MARK=$((MARK + 1))
	node "$1" -- bash -c "echo >/dev/udp/192.0.2.$MARK/9"
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
	for transport in "roce fc=none timeouts=on" irn; do
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

# frame_bytes FILTER: the first frame that matches, in hex, without its stamp or what pads it.
frame_bytes()
{
	local hex

	hex=$(tshark -r "$PCAP" -o eth.fcs:Never -Y "$1" -x 2>/dev/null |
		awk '!NF { exit } { for (i = 2; i <= 17 && $i ~ /^[0-9a-f][0-9a-f]$/; i++) printf "%s", $i }')
	echo "${hex:0:28 + 2 * 16#${hex:32:4}}"
}

# The ICRC by gzip, which ends its output with a CRC-32 of its input: eight bytes of ones; the packet from the IP header on,
# with ones for what switches may change (TOS, TTL, both checksums, the BTH's byte with the ECN bits).
icrc_is_right()
{
	local hex want is

	hex=$(frame_bytes "$1")
	want=${hex: -8}
	hex=ffffffffffffffff${hex:28:2}ff${hex:32:12}ff${hex:46:2}ffff${hex:52:28}ffff${hex:84:8}ff${hex:94:-8}
	hex=$(fold -w 2 <<<"$hex" | sed 's/^/\\x/' | tr -d '\n')
	# shellcheck disable=SC2059 # bytes
	is=$(printf "$hex" | gzip -c | tail -c 8 | od -An -tx1 -N4 | tr -d ' ')
	[ "$is" = "$want" ] || { echo "ICRC of $1: $want, not $is"; return 1; }
}

# How often each combination of fields: "17,31*100 6,*1 ", in order.
tally() { fields "$@" | sort | uniq -c | awk '{ printf "%s*%s ", $2, $1 }'; }
# of_flow COLUMN: of the flow that h1 sends.
of_flow() { rows "$BATS_TEST_TMPDIR/out/flows.csv" "v[\"src\"] == 1 { print v[\"$1\"] }"; }

@test "capture: CNPs of DCQCN" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h1 eth0 transport=irn cc=dcqcn kmin=2KB kmax=5KB
	[ "$(of_flow cnps)" -gt 0 ]
	[ "$(count 'infiniband.bth.opcode == 129')" -eq "$(of_flow cnps)" ]
	# 74 bytes and the stamp; to the sender's QP, BECN, PSN 0, no AckReq
	[ "$(fields 'infiniband.bth.opcode == 129' frame.len ip.src ip.dst udp.length infiniband.bth.destqp infiniband.reserved \
		infiniband.bth.psn infiniband.bth.a | sort -u)" = 90,10.0.0.1,10.0.0.2,40,0x000002,40,0,0 ]
	# BTH, 16 zero bytes, ICRC
	[ "$(fields 'infiniband.bth.opcode == 129' udp.payload | grep -cE '^8100ffff4000000200000000(00){16}[0-9a-f]{8}$')" -eq \
		"$(of_flow cnps)" ]
	icrc_is_right 'infiniband.bth.opcode == 129'
}

@test "capture: marks echoed in answers, for InfiniBand's controls" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h1 eth0 transport=irn cc=ib-aimd fc=none ecn=red kmin=2KB kmax=5KB
	[ "$(of_flow cnps)" -gt 0 ] && [ "$(of_flow cnps)" -lt 100 ]
	[ "$(tally 'ip.dst == 10.0.0.2 && infiniband' infiniband.bth.opcode infiniband.reserved)" = \
		"17,00*$((100 - $(of_flow cnps))) 17,40*$(of_flow cnps) " ]
	icrc_is_right 'infiniband.reserved == 40'
}

@test "capture: READ requests and responses" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	# h0 asks for 100 KB in messages of 30 KB
	capture h1 eth0 transport=irn op=read message=30KB
	[ "$(fields 'infiniband.bth.opcode == 12' ip.src infiniband.bth.psn infiniband.reth.va infiniband.reth.dmalen)" = \
		"$(printf '10.0.0.1,%u,0x%016x,%u\n' 0 0 30000 30 30000 30000 60 60000 30000 90 90000 10000)" ]
	[ "$(fields 'infiniband.bth.opcode == 12' infiniband.reth.r_key frame.len | sort -u | wc -l)" -eq 1 ]
	[ "$(fields 'ip.src == 10.0.0.2 && infiniband' infiniband.bth.psn)" = "$(seq 0 99)" ]
	# First and Last have an AETH, and it counts messages
	[ "$(fields 'ip.src == 10.0.0.2 && infiniband && infiniband.aeth' infiniband.bth.opcode infiniband.bth.psn \
		infiniband.aeth.syndrome infiniband.aeth.msn | tr '\n' ' ')" = \
		"13,0,31,1 15,29,31,1 13,30,31,2 15,59,31,2 13,60,31,3 15,89,31,3 13,90,31,4 15,99,31,4 " ]
	[ "$(tally 'ip.src == 10.0.0.2 && infiniband' infiniband.bth.opcode data.len)" = "13,1000*4 14,1000*92 15,1000*4 " ]
	icrc_is_right 'infiniband.bth.opcode == 12'
	icrc_is_right 'infiniband.bth.opcode == 13'
	icrc_is_right 'infiniband.bth.opcode == 14'
	# and in messages of one packet
	capture h1 eth0 transport=roce op=read message=1000 bytes=10KB
	[ "$(tally 'infiniband' ip.src infiniband.bth.opcode infiniband.reth.dmalen)" = \
		"10.0.0.1,12,1000*10 10.0.0.1,17,*10 10.0.0.2,16,*10 " ]
}

@test "capture: a RETH in every WRITE" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h1 eth0 transport=irn reth=all message=30KB
	# the RETH of a Middle or Last stands where the payload begins, for tshark
	[ "$(tally 'ip.src == 10.0.0.2 && infiniband' infiniband.bth.opcode infiniband.reth.dmalen data.len)" = \
		"6,10000,1000*1 6,30000,1000*3 7,,1016*92 8,,1016*4 " ]
	# the address and what is left of the message
	[ "$(fields 'ip.src == 10.0.0.2 && infiniband.bth.psn == 31' data.data | cut -c 1-16,25-32)" = \
		"$(printf '%016x%08x' 31000 29000)" ]
	[ "$(fields 'ip.dst == 10.0.0.2 && infiniband.aeth' infiniband.aeth.msn | tail -n 1)" = 4 ]
	icrc_is_right 'infiniband.bth.opcode == 7'
}

@test "capture: SEND, and RNR NAKs" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h1 eth0 transport=roce op=send message=30KB rq=1 rq_delay=20us rnr_timer=3
	[ "$(count 'infiniband.reth')" -eq 0 ]
	[ "$(of_flow rnr_naks)" -gt 0 ]
	# syndrome 32 + timer
	[ "$(tally 'infiniband.aeth' ip.src infiniband.bth.opcode infiniband.aeth.syndrome infiniband.aeth.syndrome.timer)" = \
		"10.0.0.1,17,31,*100 10.0.0.1,17,35,3*$(of_flow rnr_naks) " ]
	# each for the first packet of a message, and that one is sent again: First, 28 Middle, Last
	fields 'infiniband.aeth.syndrome == 35' infiniband.bth.psn | awk '$1 % 30 { print; bad = 1 } END { exit bad }'
	[ "$(fields 'ip.src == 10.0.0.2 && infiniband' infiniband.bth.psn | wc -l)" -eq $((100 + $(of_flow retransmitted))) ]
	[ "$(fields 'ip.src == 10.0.0.2 && infiniband' infiniband.bth.psn infiniband.bth.opcode | sort -un | cut -d, -f2 | uniq -c |
		awk '{ printf "%s*%s ", $1, $2 }')" = "1*0 28*1 1*2 1*0 28*1 1*2 1*0 28*1 1*2 1*0 8*1 1*2 " ]
	icrc_is_right 'infiniband.aeth.syndrome == 35'
	capture h1 eth0 transport=melo op=send message=1000 bytes=10KB
	[ "$(tally 'infiniband' ip.src infiniband.bth.opcode infiniband.aeth.syndrome)" = "10.0.0.1,17,31*10 10.0.0.2,4,*10 " ]
}

@test "capture: NAKs of what lies outside a region" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	# a WRITE of 100 KB is refused with its first packet
	capture h1 eth0 transport=roce region=50KB
	[ "$(tally 'ip.dst == 10.0.0.2 && infiniband' infiniband.bth.opcode infiniband.bth.psn infiniband.aeth.syndrome)" = "17,0,98*1 " ]
	# Remote Access Error
	[ "$(fields 'infiniband.aeth' infiniband.aeth.syndrome.opcode infiniband.aeth.syndrome.error_code)" = 3,2 ]
	[ "$(count 'ip.src == 10.0.0.2 && infiniband')" -eq "$(of_flow packets_sent)" ] && [ "$(of_flow error)" = access ]
	icrc_is_right 'infiniband.aeth.syndrome == 98'
	# of READs in messages of 20 KB the third is refused, by the sender of the data
	capture h1 eth0 transport=irn op=read region=50KB message=20KB
	[ "$(fields 'infiniband.aeth.syndrome.opcode == 3' ip.src infiniband.bth.opcode infiniband.bth.psn \
		infiniband.aeth.syndrome.error_code)" = 10.0.0.2,17,40,2 ]
	[ "$(of_flow received_bytes)" -eq 40000 ]
}

# Of each NACK, in hex behind the AETH: three holes, the first packet as counted from BTH's PSN and how many, 2 bytes each.
@test "capture: MELO's NACKs name the holes" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h0 eth0 transport=melo loss=0.05 senders=1 seed=2
	[ "$(value "$BATS_TEST_TMPDIR/out" drop_middle)" -eq 0 ] && [ "$(value "$BATS_TEST_TMPDIR/out" timeouts)" -eq 0 ]
	fields 'infiniband && ip.dst == 10.0.0.1' infiniband.bth.psn >"$BATS_TEST_TMPDIR/arrived"
	fields 'infiniband.aeth.syndrome.opcode == 3' infiniband.bth.psn infiniband.aeth.msn udp.payload frame.len >"$BATS_TEST_TMPDIR/nacks"
	cat "$BATS_TEST_TMPDIR/nacks"
	[ "$(cut -d, -f4 "$BATS_TEST_TMPDIR/nacks" | sort -u)" = 90 ]
	awk -F, '
		function number(h,  v) { for (; h != ""; h = substr(h, 2)) v = 16 * v + index("0123456789abcdef", substr(h, 1, 1)) - 1; return v }
		function hole(h, i) { return ($1 + number(substr(h, 33 + 8 * i, 4))) "+" number(substr(h, 37 + 8 * i, 4)) " " }
		NR == FNR { if (!($1 in at)) at[$1] = NR; next }
		{ # what had not arrived before the packet that the MSN names did: at most the last three holes
			n = 0; got = want = ""
			for (p = 0; p < $2; p++)
				if (!(p in at) || at[p] > at[$2]) {
					if (!n || first[n] + len[n] != p) { first[++n] = p; len[n] = 0 }
					len[n]++
				}
			for (i = n > 3 ? n - 2 : 1; i <= n; i++) want = want first[i] "+" len[i] " "
			for (i = 0; i < (n > 3 ? 3 : n); i++) got = got hole($3, i)
			if (n > most) most = n
			if (got != want || $1 != first[1]) { print "NACK " $1 ", " $2 ": holes " got ", missing " want; bad = 1 }
		}
		END { exit bad || most < 3 }' "$BATS_TEST_TMPDIR/arrived" "$BATS_TEST_TMPDIR/nacks"
	icrc_is_right 'infiniband.aeth.syndrome.opcode == 3'
}

@test "capture: iWARP's segments, and SACK blocks under loss" {
	requires root veth kernel tshark dumpcap
	up star:n=4
	capture h0 eth0 transport=iwarp loss=0.03 senders=1 seed=5
	[ "$(count tcp)" -gt 100 ]
	[ "$(tshark -r "$PCAP" -o tcp.check_checksum:TRUE -o ip.check_checksum:TRUE -o eth.fcs:Never -Y tcp -T fields -E separator=, \
		-e tcp.stream -e tcp.checksum.status -e ip.checksum.status 2>/dev/null | sort -u)" = 0,1,1 ]
	# a segment is an FPDU: 2 + 14 + 1000 + 4 bytes; the stream has no holes at the end
	fields 'tcp.len > 0' tcp.seq tcp.len | sort -un >"$BATS_TEST_TMPDIR/segments"
	[ "$(cat "$BATS_TEST_TMPDIR/segments")" = "$(seq 1 1020 100981 | sed 's/$/,1020/')" ]
	# ULPDU's length, DDP tagged (the last one says so), RDMAP Write, and where its payload belongs
	fields 'tcp.len > 0' tcp.seq tcp.payload | sort -un | cut -d, -f2 | cut -c 1-8,17-32 | awk '
		{ want = sprintf("03f6%s40%016x", NR == 100 ? "c1" : "81", (NR - 1) * 1000) }
		$1 != want { print $1 ", expected " want; bad = 1 }
		END { exit bad || NR != 100 }'
	# the answers say no more than what has arrived, which is what the flow's record says as well
	fields 'tcp.len == 0' tcp.ack | tail -1 | grep -qx 102001
	[ "$(count tcp.options.sack)" -gt 0 ]
	[ "$(fields 'tcp.options.sack' tcp.options.sack.count | sort -n | tail -1)" -ge 2 ]
	fields tcp ip.dst tcp.seq tcp.ack tcp.options.sack.count tcp.options.sack_le tcp.options.sack_re | awk -F, '
		$1 == "10.0.0.1" { arrived[$2] = 1; next }
		{ for (s = 1; s < $3; s += 1020) if (!(s in arrived)) { print "acknowledged " s; bad = 1 }
		  for (i = 0; i < $4; i++)
			for (s = $(5 + i); s < $(5 + $4 + i); s += 1020) {
				if (!(s in arrived)) { print "SACK of " s; bad = 1 }
				if (s <= $3) { print "SACK of " s " with ACK " $3; bad = 1 }
			} }
		END { exit bad }'
}
