#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A congestion control is one file and one row: a copy of the sources gets one more, and it has a key, help, checks and
# records, and the same results on both engines. Nothing else in the copy is touched.

load ../bats/helpers
load records
bats_require_minimum_version 1.5.0

# A flow takes toy_share per cent of its line.
toy_source()
{
	cat <<-'EOF'
		// SPDX-License-Identifier: GPL-2.0-or-later
		/* A share of the line, whatever happens. */
		#include "agent/cc/cc.h"

		struct toy_params {
			u32 share;
			u64 rate;
		};
		_Static_assert(sizeof(struct toy_params) <= sizeof(u64) * CC_PARAMS, "own parameters");

		static const struct toy_params *toy(const struct cc *c)
		{
			return (const struct toy_params *)c->par->own;
		}

		static void toy_resolve(struct cc_params *p)
		{
			struct toy_params *own = (struct toy_params *)p->own;

			own->rate = p->line / 100 * param_or(own->share, 100);
		}

		static int toy_open(struct cc *c)
		{
			return 0;
		}

		static u64 toy_sent(struct cc *c, const struct cc_sent *s)
		{
			return toy(c)->rate >= c->par->line ? 0 : s->now + cc_gap(s->wire, toy(c)->rate);
		}

		static u64 toy_rate(struct cc *c, u64 now)
		{
			return toy(c)->rate;
		}

		static const struct param rows[] = {
			{ .name = "toy_share",
			  .kind = PARAM_NUM,
			  PARAM_OWN(cc_params, toy_params, share),
			  .min = 1,
			  .max = 99,
			  .special = { "auto", 0 },
			  .def = "auto",
			  .advanced = true,
			  .help = "per cent of the line that a flow takes" },
		};

		const struct cc_ops cc_toy = {
			.name = "toy",
			.what = "a fixed share of the line",
			.params = PARAM_TABLE(rows),
			.resolve = toy_resolve,
			.open = toy_open,
			.sent = toy_sent,
			.rate = toy_rate,
		};
	EOF
}

setup_file()
{
	local copy=$BATS_FILE_TMPDIR/copy

	mkdir -p "$copy"
	cp -pR "$REPO/agent" "$REPO/bpf" "$REPO/lab" "$REPO/topo" "$REPO/Makefile" "$copy"
	if [ -d "$(dirname "$LOSSLAB")/bpf" ]; then # the switch's programs are as they are: half of the time to build
		mkdir -p "$copy/build"
		cp -pR "$(dirname "$LOSSLAB")/bpf" "$copy/build"
	fi
	toy_source >"$copy/agent/cc/cc_toy.c"
	sed -i 's/^\tROW(cc_dcqcn) .*/\tROW(cc_toy) \\\n&/' "$copy/agent/cc/cc_table.c"
	make -s -j2 -C "$copy" LTO= CFLAGS=-O0 build/losslab >"$BATS_FILE_TMPDIR/make" 2>&1 || {
		tail -n 20 "$BATS_FILE_TMPDIR/make"
		return 1
	}
}

setup()
{
	lab_setup
	T=$BATS_TEST_TMPDIR
	LOSSLAB=$BATS_FILE_TMPDIR/copy/build/losslab
}

LONE=(topology=star:n=3 workload=incast senders=1 bytes=1MB cc=toy)

@test "new algorithm: one file and one row" {
	for part in agent bpf lab topo Makefile; do
		diff -rq "$REPO/$part" "$BATS_FILE_TMPDIR/copy/$part" >>"$T/changes" || :
	done
	cat "$T/changes"
	[ "$(wc -l <"$T/changes")" -eq 2 ]
	grep -q '^Only in .*/agent/cc: cc_toy\.c$' "$T/changes"
	grep -q '^Files .*/agent/cc/cc_table\.c .* differ$' "$T/changes"
	[ "$(diff "$REPO/agent/cc/cc_table.c" "$BATS_FILE_TMPDIR/copy/agent/cc/cc_table.c" | grep -c '^[<>]')" -eq 1 ]
}

@test "new algorithm: lists, help and checks know it" {
	run -0 "$LOSSLAB" run --list cc
	grep -qE '^toy +a fixed share of the line$' <<<"$output"
	run -0 "$LOSSLAB" run --help
	! grep -q toy_share <<<"$output" || false
	run -0 "$LOSSLAB" run --help-all
	grep -qE '^ +toy_share +toy: per cent of the line that a flow takes$' <<<"$output"
	run -2 "$LOSSLAB" run -e twin cc=dcqcn toy_share=25
	grep -q 'toy_share=25: cc=dcqcn does not use it; allowed: with cc=toy$' <<<"$output"
	run -2 "$LOSSLAB" run -e twin cc=toy toy_share=100
	grep -q 'toy_share=100: out of range; allowed: 1..99, or auto$' <<<"$output"
	run -2 "$LOSSLAB" run -e twin cc=toi
	grep -q 'allowed: none|toy|dcqcn|' <<<"$output"
}

@test "new algorithm: the twin runs it" {
	twin "$T/all" "${LONE[@]}"
	twin "$T/quarter" "${LONE[@]}" toy_share=25
	grep -qx toy_share=25 "$T/quarter/config.txt"
	all=$(rows "$T/all/flows.csv" '{ print v["fct_ns"] }')
	quarter=$(rows "$T/quarter/flows.csv" '{ print v["fct_ns"] }')
	holds "$quarter > 3.8 * $all && $quarter < 4 * $all"
}

@test "new algorithm: kernel and twin give the same" {
	requires root veth kernel
	up star:n=3
	twin "$T/twin" "${LONE[@]}" toy_share=25
	kernel "$T/kernel" "${LONE[@]:1}" toy_share=25
	same_records "$T/twin" "$T/kernel"
}
