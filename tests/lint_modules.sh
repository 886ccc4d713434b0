#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every module x.c has a test tests/unit/test_x.c or a row with the reason in tests/unit/README.md, and every row is
# needed: tests/lint_modules.sh [ROOT]. One line per finding; exit 1 if there is any.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2
list=tests/unit/README.md
bad=0
finding() { echo "$1"; bad=1; }

declare -A row used
# shellcheck disable=SC2016 # backquotes of Markdown
while IFS=: read -r line pattern; do
	row[$pattern]=$line
done < <(grep -nE '^\| `[^`]*\.c` \|' $list | sed -E 's/^([0-9]+):\| `([^`]*)`.*/\1:\2/')

while read -r file; do
	name=$(basename "$file" .c)
	[ ! -e "tests/unit/test_$name.c" ] || continue
	reason=
	for pattern in "${!row[@]}"; do
		# shellcheck disable=SC2053 # a pattern
		[[ $file == $pattern ]] && reason=$pattern && used[$pattern]=1
	done
	[ -n "$reason" ] || finding "$file:1: no tests/unit/test_$name.c, and no row in $list"
done < <(find agent lab topo -name '*.c' | sort)

for pattern in "${!row[@]}"; do
	[ -n "${used[$pattern]-}" ] || finding "$list:${row[$pattern]}: $pattern: no module without a test of its own"
done
exit $bad
