// SPDX-License-Identifier: GPL-2.0-or-later
/* Credits: the counts on both sides by a worked table, stalls, wrapping, the frame's bytes, and that none is lost. */
#include "tests/unit/unit.h"

#include "bpf/credit.h"
#include "bpf/parse.h"

#define C 5
#define LONGEST 17 /* blocks of a frame of 1074 bytes */

static void blocks__round_up(void **state)
{
	assert_int_equal(credit_blocks(60), 1);
	assert_int_equal(credit_blocks(64), 1);
	assert_int_equal(credit_blocks(65), 2);
	assert_int_equal(credit_blocks(1074), LONGEST);
	assert_int_equal(credit_step(3750), 468);
	assert_int_equal(credit_step(7), 1);
}

/*
 * By hand: a buffer of 40 blocks, frames of 17, 2 and 17. After the first there are 23 left: go on. After the second
 * 21, after the third 4: stop until the limit is 36 + 17 = 53 or more.
 */
static void sent__stalls(void **state)
{
	struct credit_tx t = { .limit = { [C] = 40 } };
	struct pause_state s;

	pause_init(&s);
	credit_sent(&t, &s, C, 1074, LONGEST, 1000);
	assert_int_equal(s.until[C], 0);
	credit_sent(&t, &s, C, 128, LONGEST, 2000);
	assert_int_equal(s.until[C], 0);
	credit_sent(&t, &s, C, 1074, LONGEST, 3000);
	assert_int_equal(t.sent[C], 36);
	assert_true(s.until[C] == TIME_NEVER);
	assert_int_equal(s.until[C - 1], 0);
	credit_receive(&t, &s, C, 52, LONGEST, 4000);
	assert_true(s.until[C] == TIME_NEVER);
	credit_receive(&t, &s, C, 53, LONGEST, 5000);
	assert_int_equal(s.until[C], 5000);
	assert_int_equal(pause_accounted(&s), 2000); /* from when the link was free */
	credit_receive(&t, &s, C, 60, LONGEST, 6000);
	assert_int_equal(s.until[C], 5000); /* it was not standing still */
	assert_int_equal(pause_total(&s, 9000), 2000);
}

/* Enough for the longest frame, to the block, also where the counters wrap. */
static void enough__wraps(void **state)
{
	struct credit_tx t = { .sent = { [C] = 0xfffffff0U }, .limit = { [C] = 0xfffffff0U + LONGEST } };

	assert_true(t.limit[C] < t.sent[C]);
	assert_true(credit_enough(&t, C, LONGEST));
	t.sent[C]++;
	assert_false(credit_enough(&t, C, LONGEST));
}

/* The limit is what has come and what is free; it is told in steps. */
static void limit__by_hand(void **state)
{
	struct credit_rx r = { .received = { [C] = 36 }, .held = { [C] = 36 }, .advertised = { [C] = 40 } };

	assert_int_equal(credit_limit(&r, C, 40), 40);
	assert_false(credit_must_advertise(&r, C, 40, 1));
	assert_true(credit_exhausted(&r, C, 40, 5, 5));
	assert_false(credit_exhausted(&r, C, 40, 5, 4)); /* 4 blocks are left to the far end */
	r.held[C] = 32;
	assert_int_equal(credit_limit(&r, C, 40), 44);
	assert_false(credit_must_advertise(&r, C, 40, 5));
	assert_true(credit_exhausted(&r, C, 40, 5, 5));
	r.held[C] = 31;
	assert_true(credit_must_advertise(&r, C, 40, 5));
	assert_false(credit_exhausted(&r, C, 40, 5, 5)); /* it is about to hear */
	r = (struct credit_rx){ .received = { [C] = 5 }, .held = { [C] = 1 }, .advertised = { [C] = 0xfffffffeU } };
	assert_true(credit_must_advertise(&r, C, 40, 46));
	assert_false(credit_must_advertise(&r, C, 40, 47));
}

/* As on the wire: IBTA's fields, and what the parser reads back; nothing but a normal update of a class there is. */
static void build__parse(void **state)
{
	static const u8 want[] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x06, 0x00, 0x00, 0x00, 0x00, 0x09, 0x88,
				   0xb5, 0x00, 0x00, 0x00, 0x05, 0x01, 0x02, 0x03, 0x04, 0xfa, 0xfb, 0xfc, 0xfd };
	u8 b[SLOT_SMALL] = { 0 };
	struct frame f;

	memset(b, 0xee, PFC_LEN);
	credit_build(b, 9, C, 0x01020304, 0xfafbfcfd);
	assert_memory_equal(b, want, sizeof(want));
	for (u32 i = sizeof(want); i < PFC_LEN; i++)
		assert_int_equal(b[i], 0);
	assert_int_equal(parse_frame(b, PFC_LEN, &f), 0);
	assert_int_equal(f.flags, FRAME_PFC | FRAME_CREDIT);
	assert_int_equal(f.class, C);
	assert_int_equal(f.fctbs, 0x01020304);
	assert_int_equal(f.fccl, 0xfafbfcfd);
	assert_int_equal(f.dst, FAB_NONE);
	b[CREDIT_CLASS_OFF + 1] = FAB_CLASSES;
	assert_int_equal(parse_frame(b, PFC_LEN, &f), -1);
	b[CREDIT_CLASS_OFF + 1] = C;
	b[CREDIT_CLASS_OFF] = 1;
	assert_int_equal(parse_frame(b, PFC_LEN, &f), -1);
	b[CREDIT_CLASS_OFF] = 0;
	b[ETH_LEN + 1] = 1; /* IBTA's "initialise" */
	assert_int_equal(parse_frame(b, PFC_LEN, &f), -1);
}

/*
 * A sender and a receiver with a wire between them, where data and credits take any time, for buffers from two frames
 * up: the buffer never holds more than it has room for, and a sender that waits always gets on, though some frames are
 * lost.
 */
static void link__never_overflows_nor_stops(void **state)
{
	struct rng rng = { .state = 11 };

	for (u32 trial = 0; trial < 400; trial++) {
		u32 longest = 1 + rng_below(&rng, 34), size = 2 * longest + rng_below(&rng, 400),
		    step = credit_step(size);
		u32 wire[64], w_head = 0, w_tail = 0, told = size, stored[1024], s_head = 0, s_tail = 0, sent = 0,
			      idle = 0;
		u32 start = trial % 2 ? 0 : 0xffffff00U; /* about to wrap */
		struct credit_tx t = { .sent = { [C] = start }, .limit = { [C] = start + size } };
		struct credit_rx r = { .received = { [C] = start }, .advertised = { [C] = start + size } };
		struct pause_state s;

		told += start;
		pause_init(&s);
		while (sent < 2000 && idle < 10000) {
			idle++;
			if (one_in(&rng, 2) && !s.until[C] && w_tail - w_head < 64) {
				u32 len = 60 + rng_below(&rng, longest * CREDIT_BLOCK - 59);

				credit_sent(&t, &s, C, len > longest * 64 ? longest * 64 : len, longest, 1);
				wire[w_tail++ % 64] = t.sent[C]; /* a frame is known by the count after it */
				idle = 0;
				sent++;
			}
			if (one_in(&rng, 3) && w_head != w_tail) {
				u32 blocks = wire[w_head++ % 64] - r.received[C];

				r.received[C] += blocks;
				if (!one_in(&rng, 20)) {
					r.held[C] += blocks;
					stored[s_tail++ % 1024] = blocks;
				}
				assert_true(r.held[C] <= size);
			}
			if (one_in(&rng, 4) && s_head != s_tail)
				r.held[C] -= stored[s_head++ % 1024];
			if (one_in(&rng, 5) && credit_must_advertise(&r, C, size, step))
				told = r.advertised[C] = credit_limit(&r, C, size);
			if (one_in(&rng, 5)) {
				credit_receive(&t, &s, C, told, longest, 0);
				assert_true((s32)(t.limit[C] - t.sent[C]) >= 0);
			}
		}
		assert_int_equal(sent, 2000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks__round_up), cmocka_unit_test(sent__stalls),
		cmocka_unit_test(enough__wraps),    cmocka_unit_test(limit__by_hand),
		cmocka_unit_test(build__parse),     cmocka_unit_test(link__never_overflows_nor_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
