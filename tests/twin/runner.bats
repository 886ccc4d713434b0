#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run.sh itself, on a tree of its own: a failure, a death and a lack of tests are reported, a skip is named.

load ../bats/helpers
bats_require_minimum_version 1.5.0

setup()
{
	lab_setup
	tree=$BATS_TEST_TMPDIR
	mkdir -p "$tree"/tests/{unit,twin,bats,fuzz} "$tree/build/tests/unit"
	cp "$REPO/tests/run.sh" "$tree/tests"
	cp "$REPO/tests/fuzz/run.sh" "$tree/tests/fuzz"
}

# program NAME LINE...: a unit program that is this shell script.
program()
{
	: >"$tree/tests/unit/test_$1.c"
	printf '%s\n' '#!/bin/sh' "${@:2}" >"$tree/build/tests/unit/test_$1"
	chmod +x "$tree/build/tests/unit/test_$1"
}

run_sets() { run env -u T B=build bash "$tree/tests/run.sh" unit twin bats fuzz; echo "$output"; }

@test "the runner: what passes and what is skipped, by name" {
	program good 'echo 1..2' 'echo "ok 1 - a"' 'echo "ok 2 - b # SKIP no trace"'
	printf '@test "quick" {\n:\n}\n@test "tool" {\nskip "needs sometool"\n}\n' >"$tree/tests/twin/x.bats"
	printf '# alone: it must\n@test "slow" {\nsleep 0.2\n}\n' >"$tree/tests/bats/y.bats"
	run_sets
	[ "$status" -eq 0 ]
	[[ $output == *"skipped: unit:test_good: b # SKIP no trace"* ]]
	[[ $output =~ skipped:\ twin:x:\ tool.*needs\ sometool ]]
	[[ $output =~ The\ slowest:[^:]*bats:y:\ slow ]]
	[[ $output == *"3 passed, 0 failed, 2 skipped" ]]
	[ -s "$tree/build/tests/times" ]
}

@test "the runner: a failure of each kind is reported, and the others run" {
	program good 'echo 1..1' 'echo "ok 1 - a"'
	program wrong 'echo 1..1' 'echo "not ok 1 - a"' 'exit 1'
	program dies 'echo 1..2' 'echo "ok 1 - a"' 'kill -9 $$'
	program short 'echo 1..2' 'echo "ok 1 - a"'
	program mute 'exit 0'
	printf '@test "false" {\necho some output\nfalse\n}\n' >"$tree/tests/twin/x.bats"
	printf '@test "no end" {\n' >"$tree/tests/bats/y.bats"
	printf '// fuzz: runs=1 max_len=3\n' >"$tree/tests/fuzz/fuzz_z.c"
	run_sets
	[ "$status" -eq 1 ]
	for what in "failed: unit:test_dies: ended with code 137" "failed: unit:test_short: ran 1 tests of 2" \
		"failed: unit:test_mute: ran 0 tests of no plan" "failed: unit:test_wrong: a" "failed: twin:x: false" \
		"# some output" "failed: bats:y: " "failed: fuzz:fuzz_z: "; do
		[[ $output == *"$what"* ]] || { echo "not said: $what"; false; }
	done
	[[ $output == *"3 passed, 7 failed, 0 skipped" ]]
}

@test "the runner: no libFuzzer, no such set, no such file" {
	printf '// fuzz: runs=1 max_len=3\n' >"$tree/tests/fuzz/fuzz_z.c"
	run env CLANG=/nonexistent T=z bash "$tree/tests/run.sh" fuzz
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"skipped: fuzz:fuzz_z: fuzz_z # SKIP no libFuzzer (Debian: libclang-rt-14-dev)"* ]]
	run env T=none bash "$tree/tests/run.sh" fuzz
	[ "$status" -eq 2 ] && [[ $output == *"T=none: no such test"* ]]
	run bash "$tree/tests/run.sh" all
	[ "$status" -eq 2 ] && [[ $output == *"all: no such set: unit, twin, bpf, bats, fuzz"* ]]
}
