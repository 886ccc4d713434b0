#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run sets of tests and count them: tests/run.sh SET...
#
#   unit   tests/unit/test_*.c, cmocka programs        bpf   those of them that load BPF programs
#   twin   tests/twin/*.bats, the twin engine          bats  tests/bats/*.bats, the kernel engine
#   fuzz   tests/fuzz/fuzz_*.c on their corpora and a fixed number of inputs made from a fixed seed
#   chaos  tests/chaos/chaos.sh, a few rounds from a fixed seed
#
# Everything speaks TAP here. JOBS files run at a time (default: one a core), except those with a line "# alone: WHY":
# they run by themselves at the end. The longest of the last time start first. Environment: B, the build folder; T,
# the name of one file without test_, fuzz_ and its ending; JOBS.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
JOBS=${JOBS:-$(nproc)}
T=${T-}
# Tests that call make themselves must not inherit SAN=1 and the like.
unset MAKEFLAGS MFLAGS MAKELEVEL SAN COV
times=$B/tests/times # seconds and name of each file, from the last run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The files of set $1, one a line, as SET:NAME.
files() {
	local f name
	case $1 in
	unit | bpf) set -- "$1" tests/unit/test_*.c ;;
	twin | bats) set -- "$1" "tests/$1"/*.bats ;;
	fuzz) set -- "$1" tests/fuzz/fuzz_*.c ;;
	chaos) set -- "$1" tests/chaos/chaos.sh ;;
	*) echo "tests/run.sh: $1: no such set: unit, twin, bpf, bats, fuzz, chaos" >&2; exit 2 ;;
	esac
	for f in "${@:2}"; do
		name=$(basename "$f")
		name=${name%.*}
		case $1:$name in unit:test_bpf_* | bpf:test_[!b]* | bpf:test_b[!p]*) continue ;; esac
		[ -e "$f" ] || continue
		case ${T:-$name} in "$name" | "${name#test_}" | "${name#fuzz_}") echo "$1:$name" ;; esac
	done
}

# File $1 (SET:NAME), its TAP on standard output.
run_file() {
	local set=${1%%:*} name=${1#*:}
	case $set in
	unit | bpf) CMOCKA_MESSAGE_OUTPUT=TAP "$B/tests/unit/$name" 2>&1 ;;
	twin | bats) LOSSLAB="$PWD/$B/losslab" bats --tap --timing "tests/$set/$name.bats" 2>&1 ;;
	fuzz) bash tests/fuzz/run.sh test "$name" 2>&1 ;;
	chaos) SEED=1 CHAOS_ROUNDS=12 bash tests/chaos/chaos.sh 2>&1 ;;
	esac
}

# What a file ended with, if its TAP does not say: a program that dies, or leaves out tests of its plan, has failed.
check_end() {
	local code=$2 tap=$3 planned ran
	planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$tap" | tail -n 1)
	ran=$(grep -cE '^(not )?ok ' "$tap")
	if [ "$code" != 0 ] && ! grep -E '^not ok' "$tap" | grep -qviE '# skip'; then
		echo "not ok - ended with code $code" >>"$tap"
	elif [ "${planned:-none}" != "$ran" ]; then
		echo "not ok - ran $ran tests of ${planned:-no plan}" >>"$tap"
	fi
}

start() {
	(
		from=$(date +%s%N)
		run_file "$1" >"$work/$1.tap" </dev/null
		code=$?
		check_end "$1" $code "$work/$1.tap"
		ms=$((($(date +%s%N) - from) / 1000000))
		printf '%d.%03d %s\n' $((ms / 1000)) $((ms % 1000)) "$1" >"$work/$1.time"
	) &
	running[$!]=$1
}

# Wait for one of those that run, and show it: a line, and all that is not the success of a test.
finish() {
	local pid file seconds drop
	wait -n -p pid "${!running[@]}"
	file=${running[$pid]}
	unset "running[$pid]"
	read -r seconds _ <"$work/$file.time"
	printf '# %-32s %8.1f s\n' "$file" "$seconds"
	grep -q '^not ok' "$work/$file.tap" && drop='^(ok |1\.\.|TAP)' || drop='^(ok |1\.\.|TAP|#)'
	grep -vE "$drop" "$work/$file.tap"
	return 0
}

# The slowest tests; of unit programs, which do not time their tests, the programs.
slowest() {
	local f
	for f in "$work"/*.tap; do
		f=${f##*/}
		case $f in
		twin:* | bats:*)
			sed -nE "s/^(not )?ok [0-9]+ (.*) in ([0-9]+)ms( # .*)?$/\3 ${f%.tap}: \2/p" "$work/$f"
			;;
		*) awk '{ printf "%d %s\n", $1 * 1000, $2 }' "$work/${f%.tap}.time" ;;
		esac
	done | sort -rn | head -n 10 | while read -r ms name; do
		printf '%7d.%d s  %.66s\n' $((ms / 1000)) $((ms % 1000 / 100)) "$name"
	done
}

[ $# -gt 0 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
for set in "$@"; do
	files "$set" || exit 2
done >"$work/list" || exit 2
[ -s "$work/list" ] || { echo "tests/run.sh: ${T:+T=$T: }no such test in: $*" >&2; exit 2; }

together=() alone=()
while read -r _ file; do
	case ${file%%:*} in
	chaos)
		alone+=("$file")
		continue
		;;
	twin | bats)
		if grep -q '^# alone: ' "tests/${file/://}.bats"; then
			alone+=("$file")
			continue
		fi
		;;
	esac
	together+=("$file")
done < <(awk 'FNR == NR && FILENAME != list { took[$2] = $1; next } { print took[$1] + 0, $1 }' \
	list="$work/list" "$([ -r "$times" ] && echo "$times" || echo /dev/null)" "$work/list" | sort -s -k1,1rn)

declare -A running=()
for file in "${together[@]}"; do
	[ ${#running[@]} -lt "$JOBS" ] || finish
	start "$file"
done
while [ ${#running[@]} -gt 0 ]; do finish; done
for file in "${alone[@]}"; do
	start "$file"
	finish
done

# Remember the times of these files, and those of files that did not run now.
{ cat "$work"/*.time; cat "$times" 2>/dev/null; } | awk '!seen[$2]++' >"$work/times"
mkdir -p "$(dirname "$times")" && cp "$work/times" "$times"

cat "$work"/*.tap >"$work/log"
skipped=$(grep -ciE '^(not )?ok .*# skip' "$work/log")
failed=$(grep -E '^not ok' "$work/log" | grep -cviE '# skip')
passed=$(grep -E '^ok' "$work/log" | grep -cviE '# skip')
echo "The slowest:"
slowest
(cd "$work" && grep -HiE '^(not )?ok .*# skip' -- *.tap) | sed -E 's/^(.*)\.tap:(not )?ok [0-9]* (- )?/skipped: \1: /'
(cd "$work" && grep -HE '^not ok' -- *.tap) | grep -viE '# skip' | sed -E 's/^(.*)\.tap:not ok ([0-9]+ )?(- )?/failed: \1: /'
echo "$passed passed, $failed failed, $skipped skipped"
# One file may consist of skipped tests only; all of them may not.
[ "$failed" = 0 ] && [ $((passed + (${#T} > 0 ? skipped : 0))) -gt 0 ]
