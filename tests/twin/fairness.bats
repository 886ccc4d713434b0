#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Congestion controls: long flows to one receiver share its link, the queue before it stays short, and who stays takes
# what the others leave.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# The interval looked at: two runs that end at its ends have had the same events up to the first.
FROM=20000000 # ns
TO=120000000
START=8000000 # the last flow has started by then
LINE=5        # bytes per ns
GOODPUT=36.97 # Gb/s of payload: 1000 of 1082 bytes, of 40 Gb/s

# interval N FROM_NS TO_NS KEY=VALUE...: runs to both ends, in $T/from and $T/to. To h0 come N long flows, one from
# each host, the starts spread over $START, and in the interval 200 flows of one packet from the same hosts.
interval()
{
	local n=$1 from=$2 to=$3 i rows=()

	for ((i = 0; i < n; i++)); do rows+=("$((i + 1)),0,1000000000,$((i * START / n))"); done
	for ((i = 0; i < 200; i++)); do
		rows+=("$((i % n + 1)),0,1000,$((from + i * (to - from) / 220))")
	done
	flows "${rows[@]}" >/dev/null
	for i in from to; do
		twin "$T/$i" topology=star:n=$((n + 1)) workload=file:"$T/flows.csv" transport=roce stop_at="${!i}ns" \
			"${@:4}"
		conserved "$T/$i"
	done
}

received() { rows "$1/flows.csv" '{ print v["received_bytes"] }'; }

# rates N NS: the long flows' rates in the interval, in Gb/s.
rates()
{
	paste <(received "$T/from") <(received "$T/to") | head -n "$1" | awk -v ns="$2" '{ print ($2 - $1) * 8 / ns }'
}

# jain <RATES: Jain's index, the sum, the least and the largest.
jain()
{
	awk '{ sum += $1; squares += $1 * $1 }
		NR == 1 || $1 < least { least = $1 }
		$1 > largest { largest = $1 }
		END { print sum * sum / NR / squares, sum, least, largest }'
}

# queue N: the mean queue before h0 in KB, by the small flows' delays, and what nine tenths of them stayed below. A
# packet waits for those before it in its input's queue, and inputs take turns: so its delay times the line's rate is
# the whole queue, as far as the inputs' queues are alike.
queue()
{
	rows "$T/to/flows.csv" "v[\"id\"] >= $1 {
		print v[\"completed\"] ? (v[\"fct_ns\"] - v[\"ideal_ns\"]) * $LINE / 1000 : \"lost\" }" |
		sort -g | awk '/lost/ { exit 1 } { q[NR] = $1; sum += $1 } END { print sum / NR, q[int(NR * 0.9)] }'
}

# paused: PAUSE frames in the interval. Without any, PFC has no part in the shares.
paused() { echo $(($(value "$T/to" pause_frames) - $(value "$T/from" pause_frames))); }

# share WHAT N NS: sets and shows index, sum, least and largest of an interval of NS.
share()
{
	read -r index sum least largest <<<"$(rates "$2" "$3" | jain)"
	show "$(printf '%-28s Jain %.4f, %.2f Gb/s, %.2f to %.2f each' "$1" "$index" "$sum" "$least" "$largest")"
}

# contest CC N [KEY=VALUE...]: the same of the usual interval, and the queue's mean and most.
contest()
{
	interval "$2" $FROM $TO cc="$1" "${@:3}"
	share "$1, $2 flows" "$2" $((TO - FROM))
	read -r mean most <<<"$(queue "$2")"
	show "$(printf '%-28s queue %.0f KB on average, below %.0f KB in 9 of 10' "" "$mean" "$most")"
}

setup()
{
	lab_setup
	T=$BATS_TEST_TMPDIR
}

XOFF=216 # KB: what PFC leaves in each input
KMAX=200 # KB: a queue above it marks every packet

@test "fairness: without congestion control round-robin shares the link, and the queue is as long as PFC lets it be" {
	for n in 2 8 32; do
		contest none $n
		holds "$index > 0.999 && $mean > 0.95 * $n * $XOFF && $mean < 1.1 * $n * $XOFF"
		[ "$(paused)" -gt 100 ]
	done
}

# The mean queue is below kmax, and not a tenth of what it is without control. It goes beyond kmax at times: by what was
# on its way, and by what comes until the marks are heard through the queue itself. Nobody is paused.
shares()
{
	for n in 2 8 32; do
		contest "$1" $n "${@:2}"
		[ "$(paused)" -eq 0 ]
		holds "$index > 0.95 && $sum > 0.9 * $GOODPUT"
		holds "$mean < $KMAX && $mean < 0.1 * $n * $XOFF && $most < 3 * $KMAX"
	done
}

# Whatever is in the list: four flows keep the link busy, nobody starves, and the queue is shorter than without control.
@test "fairness: every congestion control, 4 flows: none starves" {
	controls=$("$LOSSLAB" run --list cc | awk '{ print $1 }')
	[ "$(wc -w <<<"$controls")" -ge 7 ]
	for control in $controls; do
		contest "$control" 4
		holds "$sum > 0.8 * $GOODPUT && $least > 0.2 && $mean < 4 * $XOFF"
	done
}

@test "fairness: dcqcn: 2, 8 and 32 flows share, the queue is short" { shares dcqcn; }
# InfiniBand's responses here go by RED over PFC, as the others: what they make of the same marks. Their own marking
# and credits are tests/twin/ib_spreading.bats.
RED=(ecn=red fc=pfc)
@test "fairness: ib-aimd: 2, 8 and 32 flows share, the queue is short" { shares ib-aimd "${RED[@]}"; }
@test "fairness: ib-fimd: 2, 8 and 32 flows share, the queue is short" { shares ib-fimd "${RED[@]}"; }

@test "fairness: ib-lipd: 2, 8 and 32 flows share, the queue is short" { shares ib-lipd "${RED[@]}"; }

# READ responses have no window (HP's proposal), so it is the rate alone that makes shares equal. It makes up for a mark
# in 64 packet times, 14 us, hardly more than a round trip: RED's marks do not hold that, and PAUSE has a part in the
# queue. AIMD and FIMD share all the same. Of LIPD's both steps are one x: marks that all flows get, and their absence,
# leave the differences as they are (Chiu and Jain 1989), and who starts last, at the line rate, keeps most of it.
@test "fairness: without a window ib-aimd and ib-fimd share, ib-lipd does not" {
	for control in ib-aimd ib-fimd; do
		contest "$control" 8 op=read "${RED[@]}"
		holds "$index > 0.95 && $sum > 0.9 * $GOODPUT && $mean < 8 * $XOFF"
	done
	contest ib-lipd 8 op=read "${RED[@]}"
	holds "$index < 0.6 && $largest > 5 * $least && $sum > 0.9 * $GOODPUT"
}

# ConnectX's form with the thresholds of the simulator it is from (REFERENCE 4.1: 100 and 400 KB at 25 Gb/s, and so on).
# With the paper's, made for other steps, its 8 Mb/s per 300 us are too slow a way to equal shares: the index of 8 flows
# is 0.88 over these 100 ms then, and 0.97 over the 200 ms that follow. Its queue is longer, and 32 flows are paused.
@test "fairness: dcqcn-connectx with its own thresholds: 2, 8 and 32 flows share" {
	for n in 2 8 32; do
		contest dcqcn-connectx $n kmin=160KB kmax=640KB pmax=0.2
		holds "$index > 0.95 && $sum > 0.9 * $GOODPUT && $mean < 640"
	done
}

# TIMELY goes by the gradient of round-trip times alone: where they do not change, any shares are as good as equal ones
# ("ECN or Delay", CoNEXT 2016). Five flows that start 6 ms apart with the paper's step: the first takes most, and it is
# only the sawtooth of steps and cuts that brings the shares together, in some 40 ms after the last start. The patched
# form goes by the round trip itself, and has done it in 4. No PAUSE comes in between in either.
@test "fairness: Timely's shares stay unequal for long, the patched form's do not" {
	START=30000000
	for form in timely timely-patched; do
		for from in 28 36 46 100; do
			interval 5 ${from}000000 $((from + 10))000000 cc=$form timely_delta=10mbit
			[ "$(paused)" -eq 0 ]
			share "$form, $from to $((from + 10)) ms" 5 10000000
			case $form.$from in
			timely.100) holds "$index > 0.95" ;;
			timely.*) holds "$index < 0.9 && $largest > 3 * $least" ;;
			*) holds "$index > 0.99" ;;
			esac
		done
	done
}

# both NS: what h0 has of the two flows that stay at that time.
both()
{
	twin "$T/out" topology=star:n=9 workload=file:"$T/flows.csv" transport=roce cc="$cc" "${how[@]}" stop_at="$1ns"
	total "$T/out/flows.csv" received_bytes 'v["id"] < 2'
}

# rate FROM_NS TO_NS: of the two, in Gb/s.
rate()
{
	local before

	before=$(both "$1")
	awk -v bytes=$(($(both "$2") - before)) -v ns=$(($2 - $1)) 'BEGIN { print bytes * 8 / ns }'
}

# recovers CC US [KEY=VALUE...]: of 8 flows 6 end, the first and the last of them at $first and $last. Before that, the two others have
# their two eighths or so, and the given time after it 90 % of the line.
recovers()
{
	local i rows=("1,0,1000000000,0" "2,0,1000000000,1000000") before after

	cc=$1
	how=("${@:3}")
	for i in {3..8}; do rows+=("$i,0,20000000,$((i * 1000000 - 1000000))"); done
	flows "${rows[@]}" >/dev/null
	both 80000000
	[ "$(value "$T/out" completed)" -eq 6 ]
	read -r first last <<<"$(rows "$T/out/flows.csv" 'v["completed"] { at = v["start_ns"] + v["fct_ns"]
		if (!n++ || at < first) first = at
		if (at > last) last = at } END { printf "%d %d\n", first, last }')"
	before=$(rate $((first - 4000000)) "$first")
	after=$(rate $((last + $2 * 1000)) $((last + $2 * 1000 + 2000000)))
	show "$(printf '%-8s %.2f Gb/s, and %.2f from %d us after the others' "$1" "$before" "$after" "$2")"
	holds "$before < 0.4 * $GOODPUT && $after > 0.9 * $GOODPUT"
}

# From 5 Gb/s to 18: 5 timer events of fast recovery, then 13 Gb/s in additive steps of 40 Mb/s, one each 55 us: 18.2 ms
# if all were to end at once. The byte counter (10 MB, 4 ms at the line rate) adds a step now and then; hyper increase
# would need six of its events.
@test "recovery: dcqcn, in steps of R_AI" {
	recovers dcqcn 18200
	was=$(rate $((last + 2000000)) $((last + 4000000)))
	is=$(rate $((last + 8000000)) $((last + 10000000)))
	holds "(steps = ($is - $was) * 1.082 / 2 / 0.04) > 0.95 * 6000 / 55 && steps < 1.1 * 6000 / 55"
}

# From an eighth of the line to 0.45 of it. ib-lipd's rate comes from 8 packet times per packet to 2, 6 levels of 64
# packet times of 0.216 us (REFERENCE 5.4), 83 us; ib-fimd's by 4 to 2, 28 us; ib-aimd's, 1/64 more per packet, faster
# still. What takes longer is the window, a packet per round trip: up to 20 of 9 us.
@test "recovery: ib-aimd" { recovers ib-aimd 270 "${RED[@]}"; }
@test "recovery: ib-lipd" { recovers ib-lipd 270 "${RED[@]}"; }
@test "recovery: ib-fimd" { recovers ib-fimd 270 "${RED[@]}"; }

# survivor LEVELS NS: of 16 flows 15 stop at 20 ms, all at once, their links down; the rate of the one that is left over
# the 20 us before the given time after that, in Gb/s.
survivor()
{
	local at before

	for at in $((20000000 + $2 - 20000)) $((20000000 + $2)); do
		before=${received:-0}
		twin "$T/out" topology=star:n=17 workload=file:"$T/flows.csv" fault_file="$T/faults" transport=roce cc=ib-lipd \
			ib_levels="$1" "${RED[@]}" stop_at="${at}ns"
		received=$(rows "$T/out/flows.csv" 'v["id"] == 0 { print v["received_bytes"] }')
	done
	awk -v bytes=$((received - before)) 'BEGIN { print bytes * 8 / 20000 }'
}

# The rate alone comes from 16 packet times per packet to 4/3 in 15 levels: 0.2 ms at 64 of them, 0.8 ms at 256. The
# window adds its round trips.
@test "recovery: ib-lipd, who is left of 16 has 3/4 of the line in 0.4 ms at 64 levels, 1.5 ms at 256" {
	local i rows=()

	for ((i = 1; i <= 16; i++)); do rows+=("$i,0,1000000000,$((i * 500000))"); done
	flows "${rows[@]}" >/dev/null
	for ((i = 2; i <= 16; i++)); do echo "20ms:down:h$i"; done >"$T/faults"
	for at in 64:400000 256:1500000; do
		rate=$(survivor "${at%:*}" "${at#*:}")
		show "ib-lipd, ${at%:*} levels: $rate Gb/s after ${at#*:} ns"
		holds "$rate > 0.75 * $GOODPUT"
	done
}
