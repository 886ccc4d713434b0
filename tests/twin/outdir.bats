#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a run writes and reads: directories for records, hostile input files, and planning that neither lasts nor ignores
# signals.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	T=$BATS_TEST_TMPDIR
	twin=("$LOSSLAB" run -q -e twin topology=star:n=2)
}

locked() { [ -e "$1/.losslab.lock" ]; }

@test "outdir: the second run into a directory is refused, the first one's records are whole" {
	background "${twin[@]}" workload=permutation bytes=200MB seed=1 out="$T/out"
	first=$!
	wait_for 10 locked "$T/out"
	refused 2 "out: $T/out: another run writes there" timeout 5 "${twin[@]}" workload=permutation bytes=20GB out="$T/out"
	wait "$first"
	[ "$(find "$T/out" -name '.*' -type f | wc -l)" -eq 0 ]
	grep -q '^seed=1$' "$T/out/config.txt"
	[ -s "$T/out/summary.json" ]
}

@test "outdir: what a killed run leaves is gone after the next one" {
	background "${twin[@]}" workload=permutation bytes=20GB out="$T/out"
	killed=$!
	wait_for 10 locked "$T/out"
	kill -KILL "$killed"
	wait "$killed" || :
	: >"$T/out/.losslab-flows.csv-0123456789abcdef"
	"${twin[@]}" workload=permutation out="$T/out"
	[ "$(find "$T/out" -name '.*' -type f | wc -l)" -eq 0 ]
	[ -s "$T/out/summary.json" ]
}

@test "outdir: links in the place of records, and directories that others may change" {
	echo precious >"$T/victim"
	mkdir "$T/out"
	ln -s "$T/victim" "$T/out/flows.csv"
	"${twin[@]}" workload=permutation out="$T/out"
	[ "$(cat "$T/victim")" = precious ]
	[ ! -L "$T/out/flows.csv" ]
	chmod 777 "$T/out"
	refused 2 "out: $T/out: everybody may write there" "${twin[@]}" workload=permutation out="$T/out"
}

@test "outdir: 5 GB of NUL are refused at once, in little memory" {
	[[ $LOSSLAB != */san/* ]] || skip "ASAN needs more address space than the limit here"
	truncate -s 5G "$T/nul"
	for key in workload=file: workload=cdf: fault_file= topology=; do
		words=("${twin[@]}")
		[ "$key" = topology= ] && words=("${twin[@]:0:5}")
		for out in '' "$T/out"; do
			refused 2 "$T/nul:1: a NUL byte" \
				bash -c 'ulimit -v 1000000; exec timeout 10 "$@"' sh "${words[@]}" "$key$T/nul" out="$out"
		done
	done
	[ ! -e "$T/out" ]
}

@test "outdir: a loop of links or a directory as an input file is exit 2 and its reason" {
	ln -s loop "$T/loop"
	for key in workload=file: workload=cdf: fault_file=; do
		refused 2 'Too many levels of symbolic links' "${twin[@]}" "$key$T/loop" out="$T/out"
		refused 2 'Is a directory' "${twin[@]}" "$key$T" out="$T/out"
	done
	refused 2 'Too many levels of symbolic links' "$LOSSLAB" run -q -e twin topology="$T/loop"
	refused 2 'Too many levels of symbolic links' "${twin[@]}" out="$T/loop"
}

@test "outdir: planning takes no time in proportion to packets" {
	timeout 10 "${twin[@]}" workload=permutation bytes=1099511627776 stop_at=1ms
}

@test "outdir: Ctrl-C ends a run that still reads or generates its flows" {
	mkfifo "$T/fifo"
	for key in workload=file:"$T/fifo" fault_file="$T/fifo"; do
		run timeout --preserve-status -s INT 1 "${twin[@]}" "$key" out="$T/out"
		echo "$output"
		[ "$status" -eq 1 ] && [[ $output == *"run: interrupted by SIGINT"* ]]
	done
	SECONDS=0
	run timeout --preserve-status -s INT 0.2 "${twin[@]}" flows=4000000 stop_at=1ns
	echo "$output"
	[ "$status" -eq 1 ] && [ "$SECONDS" -le 2 ]
}
