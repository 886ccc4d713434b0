#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Run sets of tests and count them: unit (cmocka programs), twin, bpf and bats (bats files). Everything speaks TAP here.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
broken=0

# A test program that ends badly without saying so in TAP is a failure too.
note() {
	if [ "$2" != 0 ] && ! grep -q '^not ok' <<<"$(tail -n "+$3" "$log" | grep -v '# SKIP')"; then
		echo "not ok - $1 ended with code $2" | tee -a "$log"
		broken=1
	fi
}

run_program() {
	local from
	from=$(($(wc -l <"$log") + 1))
	echo "# $1"
	CMOCKA_MESSAGE_OUTPUT=TAP "$B/tests/unit/$1" 2>&1 | sed 's/^ok \([0-9]*\) - /ok \1 - '"$1"': /' | tee -a "$log" | grep -v '^ok\|^1\.\.\|^TAP\|^#'
	note "$1" "${PIPESTATUS[0]}" "$from"
}

run_bats() {
	local from
	from=$(($(wc -l <"$log") + 1))
	echo "# $1"
	LOSSLAB="$PWD/$B/losslab" bats --tap "$1" 2>&1 | tee -a "$log" | grep -v '^ok\|^1\.\.'
	note "$1" "${PIPESTATUS[0]}" "$from"
}

for set in "$@"; do
	case $set in
	unit)
		for t in tests/unit/test_*.c; do
			t=$(basename "$t" .c)
			case $t in test_bpf_*) ;; *) run_program "$t" ;; esac
		done
		;;
	bpf) for t in tests/unit/test_bpf_*.c; do [ -e "$t" ] && run_program "$(basename "$t" .c)"; done ;;
	twin | bats) for t in tests/"$set"/*.bats; do [ -e "$t" ] && run_bats "$t"; done ;;
	*) echo "tests/run.sh: $set: no such set: unit, twin, bpf, bats" >&2; exit 2 ;;
	esac
done

skipped=$(grep -ciE '^(not )?ok .*# skip' "$log")
failed=$(grep -E '^not ok' "$log" | grep -cviE '# skip')
passed=$(grep -E '^ok' "$log" | grep -cviE '# skip')
grep -iE '# skip' "$log" | sed 's/^\(not \)\{0,1\}ok [0-9]* \(- \)\{0,1\}/skipped: /'
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$broken" = 0 ] && [ "$passed" -gt 0 ]
