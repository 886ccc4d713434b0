// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of a switch, as the conductor sets them between two windows: broken links, drops, wrong bits, storms. */
#include <stdbool.h>

#include "tests/unit/advance_fabric.h"

#include "bpf/port_fault.h"

#define LEN 1000

/* What left on @port, PFC or not. */
static u32 count(u32 port, bool pfc)
{
	u32 n = 0;

	for (u32 i = 0; i < w.n_log; i++)
		n += w.log[i].port == port && (w.log[i].id == FAB_NONE) == pfc;
	return n;
}

/* Wake the switch for @port at @at, as the conductor does after a change. */
static void wake(u32 port, u64 at)
{
	static struct node_cell node;

	node.next = TIME_NEVER;
	sw_wake(&w.sw, &node, &w.ports[port], at);
	assert_int_equal(node.next, at);
}

static void cut__takes_what_was_on_the_wire(void **state)
{
	u64 cut = 2 * T0, lost = cut - 1 + ser(LEN) + DELAY, kept = cut + ser(LEN) + DELAY;

	for (u32 late = 0; late < 2; late++) {
		reset(240000, 0, 0);
		w.ports[0].fault.cut = cut;
		inject(0, late ? kept : lost, LEN, 1, CLASS);
		assert_int_equal(run(kept + 10 * DELAY), 0);
		assert_int_equal(w.ports[0].stats.rx_frames, 1);
		assert_int_equal(w.ports[0].stats.drops[FAB_DROP_LINK], !late);
		assert_int_equal(count(1, false), late);
		assert_int_equal(w.ports[0].occ[CLASS], 0);
	}
}

static void cut__takes_pfc_frames_too(void **state)
{
	u64 cut = 2 * T0;

	for (u32 late = 0; late < 2; late++) {
		reset(240000, 0, 0);
		w.ports[0].fault.cut = cut;
		inject_pfc(0, cut - !late + ser(PFC_LEN) + DELAY, 1 << CLASS, LONG);
		assert_int_equal(run(10 * DELAY), 0);
		assert_int_equal(w.ports[0].stats.pause_rx, late);
		assert_int_equal(w.ports[0].pause.until[CLASS] > 0, late);
		assert_int_equal(w.top, FRAMES); /* its slot is free again */
	}
}

/* Frames that wait for a link when it breaks go at once, whatever the line was doing, and make room upstream. */
static void drain__empties_the_queues_at_once(void **state)
{
	u64 t = T0 + 40 * ser(LEN);

	reset(240000, 20000, 18000);
	inject_pfc(1, T0, 0xff, LONG);
	for (u32 i = 0; i < 30; i++)
		inject(0, T0 + i * ser(LEN) + 1, LEN, 1, CLASS);
	assert_int_equal(run(t), 0);
	assert_int_equal(w.ports[0].occ[CLASS], 30 * LEN);
	assert_int_equal(count(0, true), 1); /* PAUSE upstream */
	link_down(&w.ports[1], t);
	wake(1, t);
	assert_int_equal(run(t + 1), 0);
	assert_int_equal(w.ports[1].stats.drops[FAB_DROP_LINK], 30);
	assert_int_equal(w.ports[0].occ[CLASS], 0);
	assert_int_equal(w.ports[1].queue[CLASS], 0);
	assert_int_equal(count(1, false), 0);
	assert_int_equal(count(0, true), 2); /* resume */
	inject(0, t + 10, LEN, 1, CLASS);    /* nor does it take new ones */
	assert_int_equal(run(t + 11), 0);
	assert_int_equal(w.ports[1].stats.drops[FAB_DROP_LINK], 31);
	inject(0, t + 20, LEN, 2, CLASS); /* others go on */
	assert_int_equal(run(t + DELAY), 0);
	assert_int_equal(count(2, false), 1);
}

static void drain__of_one_class_leaves_the_others(void **state)
{
	reset(240000, 0, 0);
	w.ports[1].fault.drain = 1 << CLASS;
	for (u32 i = 0; i < 8; i++)
		inject(0, T0 + i, LEN, 1, i);
	w.frames[inject(0, T0 + 8, 60, 1, CLASS)].flags = 0; /* an ACK */
	assert_int_equal(run(T0 + 20 * ser(LEN)), 0);
	assert_int_equal(w.ports[1].stats.drops[FAB_DROP_WATCHDOG], 2);
	assert_int_equal(w.ports[1].stats.data_drops[FAB_DROP_WATCHDOG], 1);
	assert_int_equal(count(1, false), 7);
}

/* Frames that are drained give a shared buffer back all they had of it, headroom and pool, as frames that are sent do.
 */
static void drain__gives_back_shared_buffers(void **state)
{
	struct port *p = &w.ports[0];
	u64 t = T0 + PS_PER_US;

	reset(0, 1, 0); /* with PFC */
	share(20000, 1 << ALPHA_SHIFT >> 1, 2000, 5000);
	inject_pfc(1, T0, 0xff, LONG);
	for (u32 i = 0; i < 12; i++)
		inject(0, T0 + 1 + i, LEN, 1, CLASS);
	inject(2, T0 + 20, LEN, 1, 5); /* within its reserve */
	assert_int_equal(run(t), 0);
	assert_int_equal(p->use[CLASS].main, 9000); /* 7 of 7 are shared: PAUSE */
	assert_int_equal(p->use[CLASS].headroom, 3000);
	assert_int_equal(w.sw.pool.used, 7000);
	assert_int_equal(p->xoff, 1 << CLASS);
	link_down(&w.ports[1], t);
	wake(1, t);
	assert_int_equal(run(t + 1), 0);
	assert_int_equal(w.ports[1].stats.drops[FAB_DROP_LINK], 13);
	assert_int_equal(w.sw.pool.used, 0);
	for (u32 i = 0; i < PORTS; i++)
		for (u32 c = 0; c < FAB_CLASSES; c++)
			assert_int_equal(w.ports[i].use[c].main | w.ports[i].use[c].headroom | w.ports[i].occ[c], 0);
	assert_int_equal(p->xoff, 0);
	assert_int_equal(w.top, FRAMES);
	run(TIME_LIMIT);
	assert_int_equal(p->stats.pause_tx, 1);
	assert_int_equal(p->stats.resume_tx, 1);
}

/* A storm goes on although a shared buffer would let the sender go. */
static void storm__whatever_shared_buffers_hold(void **state)
{
	struct port *p = &w.ports[0];

	reset(0, 1, 0);
	share(20000, 1 << ALPHA_SHIFT >> 1, 2000, 5000);
	assert_true(storm_begin(p, CLASS));
	wake(0, T0);
	inject(0, T0 + 1, LEN, 1, CLASS);
	assert_int_equal(run(T0 + 10 * DELAY), 0);
	assert_int_equal(p->xoff, 1 << CLASS);
	assert_int_equal(p->stats.resume_tx, 0);
	assert_true(storm_end(&w.cfg, &w.sw, p, CLASS)); /* it lets the sender go now */
	wake(0, T0 + 11 * DELAY);
	assert_int_equal(run(T0 + 20 * DELAY), 0);
	assert_int_equal(p->xoff, 0);
	assert_int_equal(p->stats.resume_tx, 1);
}

static void storm__pauses_for_ever_and_no_longer(void **state)
{
	struct port *p = &w.ports[0];
	u64 half = LONG * 12800ULL / 2, end = T0 + 10 * half;

	reset(240000, 20000, 18000);
	assert_true(storm_begin(p, CLASS));
	wake(0, T0);
	inject(0, T0 + 1, LEN, 1, CLASS); /* coming and going frames do not end it */
	assert_int_equal(run(end), 0);
	assert_int_equal(p->occ[CLASS], 0);
	assert_int_equal(count(0, true), 10);
	for (u32 i = 0, n = 0; i < w.n_log; i++) {
		if (w.log[i].port != 0)
			continue;
		assert_int_equal(w.log[i].pause, 1 << CLASS);
		assert_int_equal(w.log[i].arrival, T0 + n++ * half + ser(PFC_LEN) + DELAY);
	}
	assert_int_equal(p->stats.resume_tx, 0);
}

static void corrupt__changes_a_share_and_counts(void **state)
{
	u32 wrong = 0, trials = 4000;

	reset(240000, 0, 0);
	w.ports[1].fault.corrupt = 1U << 30; /* a quarter */
	for (u32 i = 0; i < trials; i++) {
		inject(0, T0 + i * ser(LEN), LEN, 1, CLASS);
		assert_int_equal(run(T0 + i * ser(LEN) + 1), 0);
	}
	run(T0 + 2 * trials * ser(LEN));
	assert_int_equal(count(1, false), trials);
	for (u32 i = 0; i < w.n_log; i++)
		wrong += !!(w.log[i].flags & FRAME_CORRUPT);
	assert_binomial(wrong, trials, 0.25);
	assert_int_equal(w.ports[1].stats.corrupted, wrong);
}

/* In the lab's memory it is one bit: twice is none. */
static void corrupt__twice_mends(void **state)
{
	u8 head[64] = { 0 }, same[64] = { 0 };
	u32 id;

	reset(240000, 0, 0);
	w.ports[1].fault.corrupt = ~0U;
	id = inject(0, T0, LEN, 1, CLASS);
	w.frames[id].flags |= FRAME_CORRUPT;
	assert_int_equal(run(T0 + 1), 0);
	assert_int_equal(w.log[0].flags & FRAME_CORRUPT, 0);
	fault_flip(head);
	assert_memory_not_equal(head, same, sizeof(head));
	fault_flip(head);
	assert_memory_equal(head, same, sizeof(head));
}

static void drop__takes_a_share_of_arrivals(void **state)
{
	u32 trials = 4000;

	reset(240000, 0, 0);
	w.ports[0].fault.drop = 1U << 30;
	for (u32 i = 0; i < trials; i++) {
		inject(0, T0 + i * ser(LEN), LEN, 1, CLASS);
		inject(2, T0 + i * ser(LEN), LEN, 3, CLASS);
		assert_int_equal(run(T0 + i * ser(LEN) + 1), 0);
	}
	assert_binomial(w.ports[0].stats.drops[FAB_DROP_FAULT], trials, 0.25);
	assert_int_equal(w.ports[2].stats.drops[FAB_DROP_FAULT], 0);
	assert_int_equal(w.ports[0].stats.rx_frames, trials);
	assert_int_equal(w.ports[0].stats.draws, 0); /* loss= draws as it does without */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut__takes_what_was_on_the_wire),
		cmocka_unit_test(cut__takes_pfc_frames_too),
		cmocka_unit_test(drain__empties_the_queues_at_once),
		cmocka_unit_test(drain__of_one_class_leaves_the_others),
		cmocka_unit_test(drain__gives_back_shared_buffers),
		cmocka_unit_test(storm__whatever_shared_buffers_hold),
		cmocka_unit_test(storm__pauses_for_ever_and_no_longer),
		cmocka_unit_test(corrupt__changes_a_share_and_counts),
		cmocka_unit_test(corrupt__twice_mends),
		cmocka_unit_test(drop__takes_a_share_of_arrivals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
