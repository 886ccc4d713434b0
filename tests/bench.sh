#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Speed, as medians of RUNS runs (3): the NIC's core, link crossings per CPU second of both engines, bring-up and tear-down, a
# window of a lone flow, memory. Machines differ and are noisy: the ratios are what to compare.
set -eu
cd "$(dirname "$0")/.."
B=${B:-build}
losslab=$B/losslab
runs=${RUNS:-3}
kernel=1
[ "$(id -u)" = 0 ] && "$losslab" doctor >/dev/null 2>&1 || kernel=

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# field NAME: a number of summary.json
field() { sed -n 's/^ *"'"$1"'": \([0-9.]*\),*$/\1/p; s/.*"'"$1"'": \([0-9.]*\)[,} ].*/\1/p' | head -1; }

# busy: CPU seconds that the whole machine has spent, softirq included
busy() { awk '/^cpu / { print ($2 + $3 + $4 + $7 + $8) / '"$(getconf CLK_TCK)"' }' /proc/stat; }

available() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }
# sample FILE: the machine's available memory, KB, twenty times a second until killed
sample() { while :; do available; sleep 0.05; done >"$1"; }

# crossings ENGINE WORDS...: data and ACK crossings, CPU seconds of the lab and of the whole machine, wall seconds, peak memory of
# the lab as the machine sees it: agents, BPF maps, namespaces
crossings() {
	local engine=$1 json before samples sampler
	shift
	samples=$(mktemp)
	before=$(busy)
	sample "$samples" &
	sampler=$!
	json=$("$losslab" run -q --json -e "$engine" "$@")
	kill $sampler
	wait $sampler 2>/dev/null || :
	awk -v d="$(field hops_data <<<"$json")" -v a="$(field hops_ack <<<"$json")" -v c="$(field cpu_s <<<"$json")" -v w="$(field wall_s <<<"$json")" \
		-v m="$(awk 'NR == 1 { most = least = $1 } { if ($1 < least) least = $1 } END { print most - least }' "$samples")" -v b="$before" -v e="$(busy)" \
		'BEGIN { print (d + a) / c / 1e6, d / c / 1e6, a / c / 1e6, (d + a) / (e - b + 1e-9) / 1e6, (d + a) / w / 1e6, m / 1024 }'
	rm -f "$samples"
}

row() { # LABEL ENGINE WORDS...
	local label=$1 out
	shift
	out=$(for ((i = 0; i < runs; i++)); do crossings "$@"; done)
	printf '%-28s' "$label"
	for column in 1 2 3 4 5; do printf '%10.2f' "$(awk '{ print $'$column' }' <<<"$out" | median)"; done
	printf '%12.0f\n' "$(awk '{ print $6 }' <<<"$out" | median)"
	last=$(awk '{ print $1 }' <<<"$out" | median)
}

"$B/tests/bench_core"

# connections ENGINE: 10,000 flows of 20 packets that one host sends at once
connections() {
	local table json
	table=$(mktemp)
	awk 'BEGIN { print "id,src,dst,bytes,start_ns"; for (i = 0; i < 10000; i++) print i ",0," 1 + i % 15 ",20000,0" }' >"$table"
	json=$("$losslab" run -q --json --engine "$1" topology=fat-tree:k=4 transport=irn workload=file:"$table")
	rm -f "$table"
	printf '  %-7s %s of 10000 flows done, %.2f CPU s, %.2f s\n' "$1" "$(field completed <<<"$json")" \
		"$(field cpu_s <<<"$json")" "$(field wall_s <<<"$json")"
}

echo
echo "A host with 10,000 connections at once, in a fabric"
connections twin
[ -z "$kernel" ] || connections kernel

echo
echo "Link crossings, millions: per CPU second of the lab's processes (all, data, ACKs), per CPU second of the machine, per second; MB"
printf '%-28s%10s%10s%10s%10s%10s%12s\n' "IRN's default case, k=6" all data ACKs machine wall memory
case6="topology=fat-tree:k=6 workload=heavy-tailed load=0.7 flows=3000"
for transport in irn roce; do
	# shellcheck disable=SC2086
	row "twin $transport" twin $case6 transport=$transport
	twin=$last
	[ -n "$kernel" ] || continue
	# shellcheck disable=SC2086
	row "kernel $transport" kernel $case6 transport=$transport
	awk -v t="$twin" -v k="$last" 'BEGIN { printf "  the twin is %.1f times as fast as the kernel engine\n", t / k }'
done
[ -n "$kernel" ] || { echo "The kernel engine needs root and what losslab doctor lists."; exit 0; }

echo
echo "Bring-up and tear-down, seconds (medians)"
for topology in fat-tree:k=4 fat-tree:k=6 fat-tree:k=8 fat-tree:k=16 melo; do
	ups='' downs=''
	for ((i = 0; i < runs; i++)); do
		t0=$(date +%s.%N)
		"$losslab" up --name bench "$topology" >/dev/null
		t1=$(date +%s.%N)
		"$losslab" down --name bench >/dev/null
		t2=$(date +%s.%N)
		ups+=$(awk -v a="$t0" -v b="$t1" 'BEGIN { print b - a }')$'\n'
		downs+=$(awk -v a="$t1" -v b="$t2" 'BEGIN { print b - a }')$'\n'
	done
	printf '  %-14s up %6.2f   down %6.2f\n' "$topology" "$(printf %s "$ups" | median)" "$(printf %s "$downs" | median)"
done

echo
echo "One flow alone, 3 MB over six links: wall time per window"
walls=$(for ((i = 0; i < runs; i++)); do
	json=$("$losslab" run -q --json topology=fat-tree:k=6 workload=incast senders=1 bytes=30MB)
	awk -v w="$(field wall_s <<<"$json")" -v n="$(field windows <<<"$json")" 'BEGIN { print w / n * 1e6 }'
done)
printf '  %.0f us\n' "$(median <<<"$walls")"
