#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the compilers do not look at. One line per finding; exit 1 if there is any. Lines that begin with "warning: "
# or "skipped: " are no findings.
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0
finding() { echo "$1"; bad=1; }

mapfile -t c < <(git ls-files '*.c' '*.h')
mapfile -t sh < <(git ls-files '*.sh' '*.inc' '*.bash' '.ci/run')
mapfile -t bats < <(git ls-files '*.bats')

for f in "${c[@]}" "${sh[@]}" "${bats[@]}" Makefile; do
	head -3 "$f" | grep -qE 'SPDX-License-Identifier: GPL-2\.0-or-later( \*/)?$' ||
		finding "$f:1: no line SPDX-License-Identifier: GPL-2.0-or-later"
done

# A file is one idea; a long one is worth a second look.
for f in "${c[@]}" "${sh[@]}" "${bats[@]}"; do
	n=$(wc -l <"$f")
	[ "$n" -le 800 ] || echo "warning: $f: $n lines; is it one idea?"
done

# Nothing may point to a folder beside the clone, or to one of some machine's.
while read -r line; do
	finding "$line: outside the repository"
done < <(git grep -nE '\.\./shared|(REPO|PWD)\}?/\.\.(/|$)|(^|[ "'"'"'=:(])/(work|home)/' -- ':!tests/lint.sh' | cut -c1-120)

bash tests/lint_layers.sh || bad=1
bash tests/lint_modules.sh || bad=1
bash tests/lint_reference.sh || bad=1
bash tests/lint_self.sh || bad=1

shellcheck -x "${sh[@]}" || bad=1
shellcheck -x -s bats "${bats[@]}" || bad=1
# Its versions lay code out differently: Debian 12's is the one that counts.
if clang-format --version | grep -q 'version 14\.'; then
	clang-format --dry-run -Werror "${c[@]}" 2>&1 | grep -m 20 . && bad=1
else
	echo "skipped: clang-format: not version 14"
fi
# cppcheck keeps what it knows of files that have not changed.
mapfile -t user < <(printf '%s\n' "${c[@]}" | grep -v '^bpf/.*bpf\|^tests/')
mkdir -p build/cppcheck
cppcheck -j2 --quiet --cppcheck-build-dir=build/cppcheck --enable=warning,performance,portability --inline-suppr \
	--error-exitcode=1 --suppress=missingIncludeSystem -I. -D_GNU_SOURCE --std=c11 \
	-D'LIBBPF_OPTS(type,name,...)=struct type name = { .sz = sizeof(struct type), __VA_ARGS__ }' "${user[@]}" || bad=1
[ $bad = 0 ] && echo "lint: clean"
exit $bad
