// SPDX-License-Identifier: GPL-2.0-or-later
/* The PFC watchdog: the times at which it stops a class and lets it go again, and what it does in a switch. */
#include <stdbool.h>

#include "tests/unit/advance_fabric.h"

#define LEN 1000
#define DETECT (100 * PS_PER_US)
#define RESTORE (250 * PS_PER_US)
#define LASTS (LONG * 12800ULL) /* a PAUSE */

static void guarded(void)
{
	reset(240000, 20000, 18000);
	w.cfg.watchdog = DETECT;
	w.cfg.restore = RESTORE;
}

/* PAUSE for port 1, and @n frames that wait for it. */
static void hold_up(u64 at, u32 n)
{
	inject_pfc(1, at, 1 << CLASS, LONG);
	for (u32 i = 0; i < n; i++)
		inject(0, at + 1 + i * ser(LEN), LEN, 1, CLASS);
}

static u64 stopped(void)
{
	return w.ports[1].watchdog.stopped;
}

static u64 dropped(void)
{
	return w.ports[1].stats.drops[FAB_DROP_WATCHDOG];
}

static void look__stops_after_the_detection_time(void **state)
{
	guarded();
	hold_up(T0, 5);
	assert_int_equal(run(T0 + DETECT), 0);
	assert_int_equal(stopped(), 0);
	assert_int_equal(dropped(), 0);
	assert_int_equal(run(T0 + DETECT + 1), 0);
	assert_int_equal(stopped(), 1 << CLASS);
	assert_int_equal(dropped(), 5);
	assert_int_equal(w.ports[1].watchdog.hits, 1);
	assert_int_equal(pause_accounted(&w.ports[1].pause), DETECT);
	assert_int_equal(w.ports[0].occ[CLASS], 0);
	inject(0, T0 + DETECT + 10, LEN, 1, CLASS);        /* new ones go the same way, at once */
	inject(0, T0 + DETECT + 10 + ser(LEN), LEN, 1, 0); /* other classes their own */
	assert_int_equal(run(T0 + DETECT + 11), 0);
	assert_int_equal(dropped(), 6);
	assert_int_equal(run(T0 + DETECT + DELAY), 0);
	assert_int_equal(w.ports[1].stats.tx_frames, 1);
}

/* Restoration counts from when the last PAUSE runs out: the first one, one that came since, or one taken back. */
static void look__restores(void **state)
{
	u64 last = T0 + DETECT + 70 * PS_PER_US, ends[] = { T0 + LASTS, last + LASTS, last };

	for (u32 i = 0; i < 3; i++) {
		u64 end = ends[i] + RESTORE;

		guarded();
		hold_up(T0, 1);
		if (i)
			inject_pfc(1, last, 1 << CLASS, i == 1 ? LONG : 0);
		assert_int_equal(run(end), 0);
		assert_int_equal(stopped(), 1 << CLASS);
		assert_int_equal(run(end + 1), 0);
		assert_int_equal(stopped(), 0);
		inject(0, end + 2, LEN, 1, CLASS);
		assert_int_equal(run(end + DELAY), 0);
		assert_int_equal(w.ports[1].stats.tx_frames, 1);
		assert_true(w.sw.best == KEY_NEVER); /* it does not look again */
	}
}

/* PAUSE said again goes on, one after a resume or a pause that ran out begins anew. */
static void hear__what_a_pause_without_break_is(void **state)
{
	u64 half = T0 + DETECT / 2;

	guarded();
	hold_up(T0, 5);
	inject_pfc(1, half, 1 << CLASS, LONG);
	assert_int_equal(run(T0 + DETECT + 1), 0);
	assert_int_equal(stopped(), 1 << CLASS);
	guarded();
	hold_up(T0, 5);
	inject_pfc(1, half, 1 << CLASS, 0);
	inject_pfc(1, half + 1, 1 << CLASS, LONG);
	assert_int_equal(run(half + DETECT + 1), 0);
	assert_int_equal(stopped(), 0);
	assert_int_equal(run(half + DETECT + 2), 0);
	assert_int_equal(stopped(), 1 << CLASS);
	guarded();
	inject_pfc(1, T0, 1 << CLASS, 1); /* for 12.8 ns */
	hold_up(half, 500);
	assert_int_equal(run(half + DETECT), 0);
	assert_int_equal(stopped(), 0);
	assert_int_equal(run(half + DETECT + 1), 0);
	assert_int_equal(stopped(), 1 << CLASS);
}

static void look__ends_with_the_pause(void **state)
{
	guarded();
	w.cfg.watchdog = LASTS; /* it runs out at the very instant */
	hold_up(T0, 5);
	assert_int_equal(run(T0 + LASTS + 10 * ser(LEN)), 0);
	assert_int_equal(stopped(), 0);
	assert_int_equal(w.ports[1].stats.tx_frames, 5);
	guarded();
	hold_up(T0, 5);
	inject_pfc(1, T0 + DETECT / 2, 1 << CLASS, 0);
	assert_int_equal(run(T0 + DETECT / 2 + 1), 0);
	assert_int_equal(w.ports[1].watchdog.next, 0); /* nothing left to look for: a run may end */
}

/* A port with nothing to send may be paused for as long as it likes. */
static void look__begins_again_when_nothing_waits(void **state)
{
	u64 at = T0 + DETECT + DETECT / 2;

	guarded();
	inject_pfc(1, T0, 1 << CLASS, LONG);
	inject(0, at, LEN, 1, CLASS);
	assert_int_equal(run(T0 + 2 * DETECT), 0);
	assert_int_equal(stopped(), 0);
	assert_int_equal(run(T0 + 2 * DETECT + 1), 0);
	assert_int_equal(stopped(), 1 << CLASS);
	assert_int_equal(dropped(), 1);
}

static void look__off_by_default(void **state)
{
	guarded();
	w.cfg.watchdog = 0;
	hold_up(T0, 5);
	assert_int_equal(run(T0 + LASTS), 0);
	assert_int_equal(stopped(), 0);
	assert_int_equal(w.ports[1].watchdog.next, 0);
}

/* Every class has a watch of its own. */
static void look__classes_apart(void **state)
{
	guarded();
	hold_up(T0, 1);
	inject_pfc(1, T0 + 20 * PS_PER_US, 1 << 6, LONG);
	inject(0, T0 + 30 * PS_PER_US, LEN, 1, 6);
	assert_int_equal(run(T0 + DETECT + 20 * PS_PER_US), 0);
	assert_int_equal(stopped(), 1 << CLASS);
	assert_int_equal(run(T0 + DETECT + 20 * PS_PER_US + 1), 0);
	assert_int_equal(stopped(), 1 << CLASS | 1 << 6);
	assert_int_equal(run(T0 + LASTS + RESTORE + 1), 0);
	assert_int_equal(stopped(), 1 << 6);
	assert_int_equal(w.ports[1].watchdog.hits, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(look__stops_after_the_detection_time),
		cmocka_unit_test(look__restores),
		cmocka_unit_test(hear__what_a_pause_without_break_is),
		cmocka_unit_test(look__ends_with_the_pause),
		cmocka_unit_test(look__begins_again_when_nothing_waits),
		cmocka_unit_test(look__off_by_default),
		cmocka_unit_test(look__classes_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
