#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever a tracked file cites of docs/reference.md must be there: one line per finding, exit 1 if there is any.
#
#   "reference 5.4", "REFERENCE 5.2-5.4", "docs/reference.md 2.2, 2.3", "reference 1.3 and 1.4": sections
#   "reference.md#54-from-functions-to-tables", in Markdown also "#54-...", and the same of glossary.md: anchors
set -u
cd "$(dirname "$0")/.." || exit 2
book=docs/reference.md
[ -r $book ] || { echo "$book: missing"; exit 1; }
bad=0
finding() { echo "$1"; bad=1; }

mapfile -t files < <(git ls-files | grep -vE '^(docs/reference\.md|tests/lint_reference\.sh)$')

# The section numbers that are headings: "## 2 ..." and "### 2.3 ...".
declare -A section
while read -r number; do
	[ -z "${section[$number]-}" ] || finding "$book: two headings numbered $number"
	section[$number]=1
done < <(grep -oE '^#{2,3} [0-9]+(\.[0-9]+)?' $book | grep -oE '[0-9.]+$')

number='[0-9]{1,2}(\.[0-9]{1,2})?'
cited="reference(\.md)? (sections? )?$number((, | and |-)[0-9]{1,2}\.[0-9]{1,2})*"
while IFS=: read -r file line text; do
	while read -r n; do
		[ -n "${section[$n]-}" ] || finding "$file:$line: reference $n: no such section in $book"
	done < <(grep -oE '[0-9]+(\.[0-9]+)?' <<<"$text")
done < <(printf '%s\0' "${files[@]}" | xargs -0 grep -HnIoiwE "$cited" --)

# Anchors as GitHub makes them of headings: lower case, blanks to hyphens, all but letters, digits, - and _ dropped.
anchors() { grep -E '^#+ ' "$1" | sed -E 's/^#+ +//; s/[^[:alnum:] _-]//g; s/ /-/g' | tr '[:upper:]' '[:lower:]'; }

for target in reference glossary; do
	[ -r docs/$target.md ] || continue
	known=$(anchors docs/$target.md)
	while IFS=: read -r file line text; do
		grep -qxF -- "${text#*#}" <<<"$known" || finding "$file:$line: $text: no such heading in docs/$target.md"
	done < <(git grep -noE "$target\\.md#[[:alnum:]_-]+" -- '*.md' && true
		grep -noE '\(#[[:alnum:]_-]+\)' docs/$target.md | sed -E "s|^([0-9]+):\(#(.*)\)$|docs/$target.md:\1:#\2|")
done
exit $bad
