#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The checks that are scripts of our own find what they are for: each on a small tree with one violation.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
bad=0

# expect "FINDING" SCRIPT: exit 1 and exactly this line; "": exit 0 and nothing.
expect() {
	local said code
	said=$(bash "$here/$2" "$tree" 2>&1)
	code=$?
	[ "$said" = "$1" ] && [ $code = $((${#1} > 0)) ] && return
	printf 'tests/lint_self.sh: %s: code %d, "%s", not "%s"\n' "$2" $code "$said" "$1"
	bad=1
}

file() { mkdir -p "$tree/$(dirname "$1")" && printf '%s\n' "${@:2}" >"$tree/$1"; }

file bpf/types.h
file bpf/abi.h '#include "bpf/types.h"'
file topo/topo.h '#include <stdio.h>' '#include "bpf/types.h"'
file lab/text.c '#include "topo/topo.h"'
file lab/run/run.c '#include "agent/nic/nic.h"' '#include "lab/config/cfg.h"' '#include "lab/run/run.h"'
file agent/nic/nic.h '#include "agent/cc/cc.h"'
expect "" lint_layers.sh
file lab/text.c '#include "topo/topo.h"' '#include "lab/config/cfg.h"'
expect "lab/text.c:2: lab must not include lab/config/cfg.h" lint_layers.sh
file lab/text.c
file topo/topo.h '' '#include "bpf/abi.h"'
expect "topo/topo.h:2: topo must not include bpf/abi.h" lint_layers.sh
file topo/topo.h
file bpf/types.h '# include "topo/topo.h"'
expect "bpf/types.h:1: bpf must not include topo/topo.h" lint_layers.sh
file bpf/types.h
file agent/cc/cc.h '#include "agent/nic/nic.h"'
expect "agent/cc/cc.h:1: agent/cc must not include agent/nic/nic.h" lint_layers.sh
file agent/cc/cc.h
file lab/new/new.c
expect "lab/new/new.c:1: tests/lint_layers.sh has no row for the folder lab/new" lint_layers.sh

rm -r "${tree:?}"/*
file agent/a.c
file lab/run/b.c
file topo/t.c
file tests/unit/test_a.c
# shellcheck disable=SC2016 # backquotes of Markdown
file tests/unit/README.md '| `lab/run/*.c` | runs |' '| `topo/t.c` | all of it |'
expect "" lint_modules.sh
file lab/c.c
expect "lab/c.c:1: no tests/unit/test_c.c, and no row in tests/unit/README.md" lint_modules.sh
rm "$tree/lab/c.c"
file tests/unit/test_t.c
expect "tests/unit/README.md:2: topo/t.c: no module without a test of its own" lint_modules.sh
exit $bad
