// SPDX-License-Identifier: GPL-2.0-or-later
/* Eight classes in one switch: nothing that one of them does is felt by another but through the link's time. */
#include <stdbool.h>

#include "tests/unit/advance_fabric.h"

#define ROOMY 1000000
#define LOW 1
#define MIDDLE 4
#define HIGH 7

static void weigh(u32 low, u32 middle, u32 high)
{
	w.cfg.wrr = 1;
	for (u32 c = 0; c < FAB_CLASSES; c++)
		w.cfg.wrr_quantum[c] = 1098;
	w.cfg.wrr_quantum[LOW] *= low;
	w.cfg.wrr_quantum[MIDDLE] *= middle;
	w.cfg.wrr_quantum[HIGH] *= high;
}

/* Departures of one class only, as (time, id) pairs; returns how many. */
static u32 of_class(u32 class, u64 *out)
{
	u32 n = 0;

	for (u32 i = 0; i < w.n_log; i++) {
		if (w.log[i].id == FAB_NONE || w.log[i].class != class)
			continue;
		out[2 * n] = w.log[i].arrival;
		out[2 * n++ + 1] = w.log[i].key;
	}
	return n;
}

/* Frames of MIDDLE that cross the switch, alone or among such of two classes that their output may not send. */
static u32 cross(bool others, bool weighted, u64 *out)
{
	struct rng rng = { .state = 6 };

	reset(ROOMY, 30000, 20000);
	if (weighted)
		weigh(3, 1, 9);
	inject_pfc(3, T0, 1 << LOW | 1 << HIGH, LONG);
	for (u32 i = 0; i < 600; i++) {
		u64 t = T0 + 1 + i * 100000;
		u32 len = 60 + rng_below(&rng, 1000), in = rng_below(&rng, 3);

		if (others && i < 100) {
			inject(in, t, 500, 3, LOW);
			inject(in, t, 500, 3, HIGH);
		}
		w.frames[inject(in, t, len, 3, MIDDLE)].flow_key = i;
	}
	assert_int_equal(run(T0 + 300 * PS_PER_US), 0);
	return of_class(MIDDLE, out);
}

/* To the picosecond: a class that is paused at an output holds nobody up, whichever way classes take turns. */
static void paused__holds_nobody_up(void **state)
{
	static u64 alone[2 * 600], among[2 * 600];

	for (u32 weighted = 0; weighted < 2; weighted++) {
		assert_int_equal(cross(false, weighted, alone), 600);
		assert_int_equal(cross(true, weighted, among), 600);
		assert_memory_equal(alone, among, sizeof(alone));
		assert_int_equal(w.ports[3].queue[LOW], 50000);
		assert_int_equal(w.ports[3].queue[HIGH], 50000);
	}
}

/* XOFF and XON are each class's own: a PAUSE names the full one only, and so does the resume. */
static void xoff__of_one_class(void **state)
{
	u64 go = T0 + PS_PER_US;

	reset(ROOMY, 3000, 1000);
	inject_pfc(1, T0, 1 << LOW | 1 << MIDDLE, LONG);
	for (u32 i = 0; i < 3; i++) {
		inject(0, T0 + 1 + i, 1000, 1, LOW);
		if (i < 2)
			inject(0, T0 + 1 + i, 1000, 1, MIDDLE);
	}
	assert_int_equal(run(T0 + 100), 0);
	assert_int_equal(w.n_log, 1);
	assert_int_equal(w.log[0].pause, 1 << LOW);
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		assert_int_equal(w.ports[0].stats.class_pause_tx[c], c == LOW);
		assert_int_equal(w.ports[1].stats.class_pause_rx[c], c == LOW || c == MIDDLE);
	}
	assert_int_equal(w.ports[0].occ[LOW], 3000);
	assert_int_equal(w.ports[0].occ[MIDDLE], 2000);
	inject_pfc(1, go, 1 << MIDDLE, 0);
	assert_int_equal(run(go + PS_PER_US), 0); /* MIDDLE empties: nobody is resumed */
	assert_int_equal(w.ports[0].occ[MIDDLE], 0);
	assert_int_equal(w.ports[0].stats.resume_tx, 0);
	inject_pfc(1, go + PS_PER_US, 1 << LOW, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[0].stats.resume_tx, 1);
	assert_int_equal(w.log[w.n_log - 2].resume | w.log[w.n_log - 1].resume, 1 << LOW);
	assert_int_equal(w.ports[0].stats.class_pause_tx[LOW], 1); /* a resume is no PAUSE */
	assert_int_equal(w.ports[1].stats.class_pause_rx[LOW], 1);
	assert_int_equal(pause_of_class(&w.ports[1].pause, LOW, TIME_LIMIT), go + PS_PER_US - T0);
	assert_int_equal(pause_of_class(&w.ports[1].pause, MIDDLE, TIME_LIMIT), go - T0);
	assert_int_equal(pause_of_class(&w.ports[1].pause, HIGH, TIME_LIMIT), 0);
}

/* A full buffer of one class drops that class only, and marking looks at the queue of the frame's own class. */
static void check_full(u8 ecn, u32 cause)
{
	reset(2000, 0, 0);
	w.cfg.ecn = ecn;
	w.cfg.kmin = w.cfg.kmax = 1500;
	inject_pfc(1, T0, 0xff, LONG);
	for (u32 i = 0; i < 3; i++) {
		inject(0, T0 + 1 + i, 1000, 1, HIGH);
		inject(2, T0 + 1 + i, 1000, 1, HIGH);
	}
	inject(0, T0 + 9, 1000, 1, LOW);
	inject(2, T0 + 9, 500, 1, LOW);
	assert_int_equal(run(T0 + 10), 0);
	assert_int_equal(w.ports[0].stats.drops[FAB_DROP_BUFFER], 1);
	assert_int_equal(w.ports[2].stats.drops[FAB_DROP_BUFFER], 1);
	assert_int_equal(w.ports[1].queue[HIGH], 4000);
	assert_int_equal(w.ports[1].queue[LOW], 1500);
	assert_int_equal(w.ports[1].stats.ecn_marks, 2); /* HIGH's third and fourth */
	for (u32 m = 0; m < FAB_MARKS; m++)
		assert_int_equal(w.ports[1].stats.marks[m], m == cause ? 2 : 0);
}

static void full__of_one_class_red(void **state)
{
	check_full(ECN_RED, FAB_MARK_RED);
}

static void full__of_one_class_step(void **state)
{
	check_full(ECN_STEP, FAB_MARK_STEP);
}

/* Weighted turns: bytes on the wire as 1:2:5, while all three have frames, from all inputs, of different sizes. */
static void wrr__shares_the_link(void **state)
{
	u64 bytes[FAB_CLASSES] = { 0 }, all = 0;

	reset(ROOMY, 0, 0);
	weigh(1, 2, 5);
	inject_pfc(3, T0, 0xff, LONG);
	for (u32 i = 0; i < 600; i++) {
		inject(i % 3, T0 + 1, 1074, 3, LOW);
		inject(i % 3, T0 + 1, 300, 3, MIDDLE);
		inject(i % 3, T0 + 1, 700, 3, HIGH);
	}
	inject_pfc(3, T0 + 2, 0xff, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.n_log, 1800);
	for (u32 i = 0; i < 600; i++) {
		bytes[w.log[i].class] += wire_bytes(w.log[i].len);
		all += wire_bytes(w.log[i].len);
	}
	assert_in_range(bytes[LOW] * 8, all - 8 * 3 * 1098, all + 8 * 3 * 1098);
	assert_in_range(bytes[MIDDLE] * 8, 2 * all - 8 * 4 * 1098, 2 * all + 8 * 4 * 1098);
	assert_in_range(bytes[HIGH] * 8, 5 * all - 8 * 7 * 1098, 5 * all + 8 * 7 * 1098);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paused__holds_nobody_up), cmocka_unit_test(xoff__of_one_class),
		cmocka_unit_test(full__of_one_class_red),  cmocka_unit_test(full__of_one_class_step),
		cmocka_unit_test(wrr__shares_the_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
