#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The libFuzzer targets, built by make with clang under ASAN and UBSAN.
#
#   tests/fuzz/run.sh test NAME       one target, fuzz_x: its corpus and as many inputs as it states, seed 1; TAP
#   tests/fuzz/run.sh for SECONDS     all targets, or fuzz_$T, that long each
#
# A target's corpus is tests/fuzz/corpus/x. An input that fails is left in build/fuzz/found: copy it into the corpus,
# where it is tested ever after, and mend what it found.
set -u
cd "$(dirname "$0")/../.." || exit 2
found=build/fuzz/found
mkdir -p $found

setting() { sed -nE "s/.*fuzz: .*\\b$2=([0-9]+).*/\1/p" "tests/fuzz/$1.c"; }

# fuzz NAME WORD...: new inputs go to a folder of the build's, never into the corpus itself.
fuzz() {
	local name=$1 new
	shift
	new=$(mktemp -d build/fuzz/new.XXXXXX)
	"build/tests/fuzz/$name" -max_len="$(setting "$name" max_len)" -timeout=20 -rss_limit_mb=2048 -verbosity=0 \
		-artifact_prefix="$found/$name-" "$@" "$new" "tests/fuzz/corpus/${name#fuzz_}" 2>&1
	set -- $?
	rm -rf "$new"
	return "$1"
}

case ${1-} in
test)
	echo 1..1
	runs=$(setting "$2" runs)
	if ! [ -x "build/tests/fuzz/$2" ]; then
		if compgen -G "$(${CLANG:-clang} -print-runtime-dir 2>/dev/null)/libclang_rt.fuzzer-*.a" >/dev/null; then
			echo "not ok 1 - $2: not built"
		else
			echo "ok 1 - $2 # SKIP no libFuzzer (Debian: libclang-rt-14-dev)"
		fi
	elif said=$(fuzz "$2" -seed=1 -runs="$runs"); then
		echo "ok 1 - $2: $runs inputs"
	else
		echo "not ok 1 - $2"
		tail -n 40 <<<"$said" | sed 's/^/# /'
	fi
	;;
for)
	bad=0
	for f in tests/fuzz/fuzz_*.c; do
		name=$(basename "$f" .c)
		[ "${T:-${name#fuzz_}}" = "${name#fuzz_}" ] || continue
		echo "# $name, ${2:?} s"
		fuzz "$name" -max_total_time="$2" -print_final_stats=1 | grep -E '^stat::number|ERROR|CHECK|SUMMARY|#[0-9]+ 0x|Test unit'
		[ "${PIPESTATUS[0]}" = 0 ] || bad=1
	done
	exit $bad
	;;
*) sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
