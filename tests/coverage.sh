#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run unit, twin, bpf and bats in build/coverage and say which share of the lines ran, by folder. A host's process
# that a run kills writes no counters; bpf/*.h counts as the twin and the unit tests run it.
set -u
cd "$(dirname "$0")/.." || exit 2
B=build/coverage
command -v lcov >/dev/null || { echo "skipped: coverage: no lcov (Debian: lcov)"; exit 0; }

find $B -name '*.gcda' -delete
read -ra sets <<<"${SETS:-unit twin bpf bats}"
B=$B T=${T-} bash tests/run.sh "${sets[@]}"
failed=$?
lcov --quiet --capture --base-directory . --directory $B --no-external --output-file $B/lcov.info >$B/lcov.log 2>&1 ||
	{ cat $B/lcov.log >&2; exit 1; }

# A header's lines stand there once for each program that has it: a line counts once, as run if it ran in any.
awk -F'[:,]' -v root="$PWD/" '
	$1 == "SF" { file = index($2, root) == 1 ? substr($2, length(root) + 1) : $2; next }
	$1 == "DA" && file !~ /^tests\// { seen[file ":" $2] += $3 > 0 }
	END {
		for (line in seen) {
			folder = line
			sub(/\/[^\/]*$/, "", folder)
			lines[folder]++
			all++
			hit[folder] += seen[line] > 0
			ran += seen[line] > 0
		}
		for (f in lines)
			printf "%-16s %6d of %6d lines %6.1f %%\n", f, hit[f], lines[f], 100 * hit[f] / lines[f] | "sort"
		close("sort")
		if (!all)
			exit 1
		printf "%-16s %6d of %6d lines %6.1f %%\n", "all", ran, all, 100 * ran / all
	}' $B/lcov.info || exit 1
echo "By line: genhtml --output-directory $B/html $B/lcov.info"
exit $failed
