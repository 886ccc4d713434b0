#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Digests do not depend on the compiler: another one, with other optimisations, makes the same records.

load ../bats/helpers
load records

@test "clang without optimisation and gcc with: the same records for every preset" {
	other=$BATS_TEST_TMPDIR/build
	make -s B="$other" CC=clang AR=ar LTO= CFLAGS=-O0 WARN= "$other/losslab" >/dev/null 2>&1
	sh topo/fat-tree.sh k=4 >"$BATS_TEST_TMPDIR/topology"
	presets=$("$LOSSLAB" run --presets | awk '/^[^ ]/ { print $1 }')
	[ "$(wc -w <<<"$presets")" -ge 20 ]
	for preset in $presets; do
		for binary in "$LOSSLAB" "$other/losslab"; do
			"$binary" run -q --json -e twin topology="$BATS_TEST_TMPDIR/topology" flows=150 until=arrivals preset="$preset" |
				jq -r .digest >>"$BATS_TEST_TMPDIR/$preset"
		done
		[ "$(uniq "$BATS_TEST_TMPDIR/$preset" | wc -l)" -eq 1 ] || { echo "$preset differs"; return 1; }
	done
	[ "$(cat "$BATS_TEST_TMPDIR"/*roce* "$BATS_TEST_TMPDIR"/i* | sort -u | wc -l)" -gt 8 ] # they are not all one run
}
