// SPDX-License-Identifier: GPL-2.0-or-later
/* A switch whose ports share a buffer: thresholds that others move, PAUSE and resume by them, headroom, drops. */
#include "tests/unit/advance_fabric.h"

#include "bpf/pfc.h"

#define ONE (1U << ALPHA_SHIFT)

/* Without PFC there is no headroom: what goes beyond the threshold is dropped, and the others' room shrinks by what one
 * has. */
static void admit__by_what_is_free(void **state)
{
	reset(0, 0, 0);
	share(9000, ONE / 2, 1000, 5000);
	inject_pfc(3, T0, 0xff, LONG);
	for (u32 i = 0; i < 6; i++)
		inject(0, T0 + 1 + i, 1000, 3, CLASS); /* 1 in the reserve; 1 of 4.5, 2 of 4, 3 of 3.5; not 4 of 3 */
	for (u32 i = 0; i < 6; i++)
		inject(1, T0 + 11 + i, 1000, 3, CLASS); /* 1 in the reserve; 1 of 3, 2 of 2.5; not 3 of 2 */
	inject(1, T0 + 20, 1000, 3, 5);                 /* another class: its own reserve */
	assert_int_equal(run(T0 + 30), 0);
	assert_int_equal(w.ports[0].occ[CLASS], 4000);
	assert_int_equal(w.ports[0].stats.drops[FAB_DROP_BUFFER], 2);
	assert_int_equal(w.ports[1].occ[CLASS], 3000);
	assert_int_equal(w.ports[1].stats.drops[FAB_DROP_BUFFER], 3);
	assert_int_equal(w.ports[1].occ[5], 1000);
	assert_int_equal(w.sw.pool.used, 5000);
	inject_pfc(3, T0 + PS_PER_US, 0xff, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.sw.pool.used, 0);
	for (u32 i = 0; i < 2; i++)
		assert_int_equal(w.ports[i].use[CLASS].main + w.ports[i].use[CLASS].headroom + w.ports[i].occ[CLASS],
				 0);
}

/* A class is paused when its headroom is touched, and resumed when the threshold is BUFFER_RESUME away again. */
static void pause__by_threshold(void **state)
{
	u32 n = 0;

	reset(0, 1, 0); /* with PFC */
	share(20000, ONE / 2, 0, 5000);
	inject_pfc(3, T0, 1 << CLASS, LONG);
	for (u32 i = 0; i < 7; i++)
		inject(0, T0 + 1 + i, 1000, 3, CLASS); /* the seventh makes 7 of 7 */
	assert_int_equal(run(T0 + 100), 0);
	assert_int_equal(w.ports[0].use[CLASS].main, 7000);
	assert_int_equal(w.n_log, 1); /* 7 of 6.5 now: PAUSE */
	assert_int_equal(w.log[0].pause, 1 << CLASS);
	inject(0, T0 + 200, 1000, 3, CLASS);
	assert_int_equal(run(T0 + 300), 0);
	assert_int_equal(w.ports[0].use[CLASS].headroom, 1000);
	inject_pfc(3, T0 + PS_PER_US, 1 << CLASS, 0);
	for (u64 t = T0 + PS_PER_US; !w.ports[0].stats.resume_tx; t += ser(1000), n++)
		assert_int_equal(run(t + 1), 0);
	/* 8 frames; the headroom's went first, then 7, 6, 5: 4 + 3.072 of 8 is the first that is enough */
	assert_int_equal(w.ports[0].use[CLASS].main, 4000);
	assert_int_equal(n, 4);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[0].stats.pause_tx, 1);
	assert_int_equal(w.sw.pool.used, 0);
}

/* The headroom that the plan gives, a byte more than a buffer of one's own needs, loses nothing; less does. */
static void headroom__lossless(void **state)
{
	u32 headroom = pfc_headroom(PS, DELAY, MTU_FRAME) + 1;
	u64 drops;

	fill(headroom, 1, &drops);
	assert_int_equal(drops, 0);
	fill(headroom - 2 * MTU_FRAME, 1, &drops);
	assert_true(drops > 0);
}

/* ecn=ib: a shared buffer is full when one more of the longest frames would go into the headroom. */
static void full__by_threshold(void **state)
{
	for (u32 longest = 1000; longest <= 1001; longest++) {
		reset(0, 1, 0);
		share(6000, ONE, 0, 5000);
		w.cfg.ecn = ECN_IB_INPUT;
		w.cfg.frame_max = longest;
		inject_pfc(3, T0, 1 << CLASS, LONG);
		inject(0, T0 + 1, 1000, 3, CLASS);
		inject(0, T0 + 2, 1000, 3, CLASS); /* 3000 of 4000 */
		inject(1, T0 + 3, 1000, 3, CLASS); /* 2000 of 3000 */
		inject_pfc(3, T0 + 10, 1 << CLASS, 0);
		assert_int_equal(run(TIME_LIMIT), 0);
		assert_int_equal(w.ports[3].stats.ecn_marks, 0);
	}
	for (u32 longest = 1000; longest <= 1001; longest++) {
		reset(0, 1, 0);
		share(5000, ONE, 0, 5000);
		w.cfg.ecn = ECN_IB_INPUT;
		w.cfg.frame_max = longest;
		inject_pfc(3, T0, 1 << CLASS, LONG);
		inject(0, T0 + 1, 1000, 3, CLASS); /* one more: 2000 of 4000 */
		inject(0, T0 + 2, 1000, 3, CLASS); /* one more: 3000 of 3000, or just beyond */
		inject_pfc(3, T0 + 10, 1 << CLASS, 0);
		assert_int_equal(run(TIME_LIMIT), 0);
		assert_int_equal(w.ports[3].stats.ecn_marks, longest == 1001 ? 2 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(admit__by_what_is_free),
		cmocka_unit_test(pause__by_threshold),
		cmocka_unit_test(headroom__lossless),
		cmocka_unit_test(full__by_threshold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
