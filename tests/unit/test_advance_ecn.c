// SPDX-License-Identifier: GPL-2.0-or-later
/* Marking by full input buffers, frame by frame: HP's rule for InfiniBand and its two variants. */
#include "tests/unit/advance_fabric.h"

#define LEN 1000
#define ROOM (3 * LEN) /* full with more than two frames in it */

enum { X, Y, Z, W, A, B, C, D, FRAMES_HERE };

/*
 * By hand. Output 2 is busy with X until well after all have come; outputs 1 and 3 are paused until T0 + 1 ms.
 *
 *	time   input  output  what happens
 *	T0     1      2       X leaves at once
 *	T0+1   1      2       Y waits
 *	T0+2   1      3       Z waits for a resume
 *	T0+2   1      1       W as well, for an output that no frame in the full buffer is bound for
 *	T0+3   0      2       A
 *	T0+4   0      3       B
 *	T0+5   0      2       C: input 0 holds 3000 bytes, it is full. There now: Y Z W A B C; of A, B and C, which fill
 *it, outputs 2 (could send) and 3 (stopped) T0+6   3      2       D: after the fact, and yet it leaves before A, Y and
 *C: input 3's turn comes first
 *
 * Marked, as bits: ib-input A B C; ib those and Y, for output 2 is root; ib-output, by outputs: Y A C, and Z B.
 */
static u32 play(enum fab_ecn ecn, u64 pause2, u32 quanta)
{
	u32 marked = 0, by_input = 0;

	reset(ROOM, 0, 0);
	w.cfg.ecn = ecn;
	w.cfg.frame_max = LEN;
	inject_pfc(1, T0 - 1, 1 << CLASS, LONG);
	inject_pfc(3, T0 - 1, 1 << CLASS, LONG);
	w.frames[inject(1, T0, LEN, 2, CLASS)].flow_key = X;
	w.frames[inject(1, T0 + 1, LEN, 2, CLASS)].flow_key = Y;
	w.frames[inject(1, T0 + 2, LEN - 100, 3, CLASS)].flow_key = Z;
	w.frames[inject(1, T0 + 2, 60, 1, CLASS)].flow_key = W;
	w.frames[inject(0, T0 + 3, LEN, 2, CLASS)].flow_key = A;
	w.frames[inject(0, T0 + 4, LEN, 3, CLASS)].flow_key = B;
	w.frames[inject(0, T0 + 5, LEN, 2, CLASS)].flow_key = C;
	w.frames[inject(3, T0 + 6, LEN, 2, CLASS)].flow_key = D;
	if (pause2) {
		inject_pfc(2, T0 + pause2, 1 << CLASS, quanta);
		inject_pfc(2, T0 + PS_PER_US, 1 << CLASS, 0);
	}
	inject_pfc(1, T0 + PS_PER_MS, 1 << CLASS, 0);
	inject_pfc(3, T0 + PS_PER_MS, 1 << CLASS, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.n_log, FRAMES_HERE);
	assert_int_equal(w.log[0].key, X);
	assert_int_equal(w.log[1].key, D);
	for (u32 i = 0; i < w.n_log; i++) {
		assert_int_equal(!(w.log[i].flags & FRAME_MARKED), !(w.log[i].flags & FRAME_CE));
		if (w.log[i].flags & FRAME_MARKED)
			marked |= 1U << w.log[i].key;
	}
	assert_int_equal(w.ports[1].stats.ecn_marks + w.ports[2].stats.ecn_marks + w.ports[3].stats.ecn_marks,
			 popcount64(marked));
	for (u32 i = 1; i < PORTS; i++) {
		const struct port_stats *st = &w.ports[i].stats;

		assert_int_equal(st->marks[FAB_MARK_INPUT] + st->marks[FAB_MARK_ROOT], st->ecn_marks);
		by_input += st->marks[FAB_MARK_INPUT];
	}
	assert_int_equal(by_input, popcount64(marked & (1U << A | 1U << B | 1U << C))); /* of input 0, the full one */
	return marked;
}

static void full__marks_by_variant(void **state)
{
	assert_int_equal(play(ECN_OFF, 0, 0), 0);
	assert_int_equal(play(ECN_IB_INPUT, 0, 0), 1 << A | 1 << B | 1 << C);
	assert_int_equal(play(ECN_IB, 0, 0), 1 << Y | 1 << A | 1 << B | 1 << C);
	assert_int_equal(play(ECN_IB_OUTPUT, 0, 0), 1 << Y | 1 << Z | 1 << A | 1 << B | 1 << C);
}

/* An output that is stopped is root no more, even after it may send again; the full buffer's own frames stay marked. A
 * resume out of the blue changes nothing. */
static void full__stopped_is_no_root(void **state)
{
	assert_int_equal(play(ECN_IB, 100, LONG), 1 << A | 1 << B | 1 << C);
	assert_int_equal(play(ECN_IB, 100, 0), 1 << Y | 1 << A | 1 << B | 1 << C);
	assert_int_equal(play(ECN_IB_INPUT, 100, LONG), 1 << A | 1 << B | 1 << C);
	assert_int_equal(play(ECN_IB_OUTPUT, 100, LONG), 1 << Y | 1 << Z | 1 << A | 1 << B | 1 << C);
}

/* How many of three frames of @len bytes are marked that fill input 0 while their output is busy. */
static u32 fill_three(u32 len, u32 buffer, u32 xoff, u8 flags, u32 class)
{
	reset(buffer, xoff, 0);
	w.cfg.ecn = ECN_IB;
	w.cfg.frame_max = LEN;
	w.frames[inject(1, T0, LEN, 2, CLASS)].flags = FRAME_DATA; /* not ECN-capable, to keep the output busy */
	inject(1, T0 + 1, 60, 2, class ^ 1);                       /* another class is not concerned */
	for (u32 i = 0; i < 3; i++)
		w.frames[inject(0, T0 + 2 + i, len, 2, class)].flags = flags;
	assert_int_equal(run(TIME_LIMIT), 0);
	return w.ports[2].stats.ecn_marks;
}

/* Full: when there is no room for one more frame of the greatest length, to the byte; XOFF bounds the room under PFC.
 */
static void full__to_the_byte(void **state)
{
	u8 ect = FRAME_ECT | FRAME_DATA;

	for (u32 class = 0; class < FAB_CLASSES; class ++) {
		assert_int_equal(fill_three(LEN, 4 * LEN, 0, ect, class), 0);
		assert_int_equal(fill_three(LEN, 4 * LEN - 1, 0, ect, class), 3);
		assert_int_equal(fill_three(LEN, 9 * LEN, 4 * LEN, ect, class), 0);
		assert_int_equal(fill_three(LEN, 9 * LEN, 4 * LEN - 1, ect, class), 3);
		assert_int_equal(fill_three(60, 180 + LEN - 1, 0, ect, class), 3);
		assert_int_equal(fill_three(60, 180 + LEN, 0, ect, class), 0);
	}
	assert_int_equal(fill_three(LEN, 3 * LEN, 0, FRAME_DATA, CLASS), 0); /* not ECN-capable: ACKs */
	assert_int_equal(fill_three(LEN, 3 * LEN, 0, ect | FRAME_CE, CLASS), 0);
}

/* Step: by the bytes ahead in all VOQs of the output, and without a draw of the port's generator. */
static void step__above_kmin(void **state)
{
	reset(9 * LEN, 0, 0);
	w.cfg.ecn = ECN_STEP;
	w.cfg.kmin = 2 * LEN;
	inject_pfc(1, T0, 1 << CLASS, LONG);
	for (u32 i = 0; i < 3; i++)
		inject(i ? 0 : 2, T0 + 1 + i, LEN, 1, CLASS); /* the third finds 2000: not above */
	inject(3, T0 + 4, 60, 1, CLASS);
	inject_pfc(1, T0 + 5, 1 << CLASS, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[1].stats.ecn_marks, 1);
	assert_int_equal(w.ports[1].stats.draws, 0);
	for (u32 i = 0; i < w.n_log; i++)
		assert_int_equal(!!(w.log[i].flags & FRAME_MARKED), w.log[i].len == 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full__marks_by_variant),
		cmocka_unit_test(full__stopped_is_no_root),
		cmocka_unit_test(full__to_the_byte),
		cmocka_unit_test(step__above_kmin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
