#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# What the compilers do not look at. One line per finding; exit 1 if there is any.
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0
finding() { echo "$1"; bad=1; }

mapfile -t c < <(git ls-files '*.c' '*.h')
mapfile -t sh < <(git ls-files '*.sh' '*.inc' '*.bash' '.ci/run')
mapfile -t bats < <(git ls-files '*.bats')

for f in "${c[@]}" "${sh[@]}" "${bats[@]}" Makefile; do
	head -3 "$f" | grep -q SPDX-License-Identifier || finding "$f:1: no SPDX line"
done
for f in "${c[@]}"; do
	n=$(wc -l <"$f")
	case $f in tests/*) most=700 ;; *) most=510 ;; esac
	[ "$n" -le $most ] || finding "$f: $n lines, at most $most"
done
shellcheck -x "${sh[@]}" || bad=1
shellcheck -x -s bats "${bats[@]}" || bad=1
# Its versions lay code out differently: Debian 12's is the one that counts.
if clang-format --version | grep -q 'version 14\.'; then
	clang-format --dry-run -Werror "${c[@]}" 2>&1 | grep -m 20 . && bad=1
else
	echo "skipped: clang-format: not version 14"
fi
mapfile -t user < <(printf '%s\n' "${c[@]}" | grep -v '^bpf/.*bpf')
cppcheck --quiet --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem \
	--suppress='*:tests/*' -I. -D_GNU_SOURCE -D'LIBBPF_OPTS(type,name,...)=struct type name = { .sz = sizeof(struct type), __VA_ARGS__ }' --std=c11 "${user[@]}" || bad=1
[ $bad = 0 ] && echo "lint: clean"
exit $bad
