// SPDX-License-Identifier: GPL-2.0-or-later
/* The response functions of InfiniBand's congestion control: tables by hand, and the three properties for all. */
#include "tests/unit/unit.h"

#include <errno.h>

#include "agent/cc/ib_tables.h"

static const enum ib_function functions[] = { IB_AIMD, IB_LIPD, IB_FIMD };
#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static struct ib_tables made(enum ib_function f, u32 slowest, u32 window_max)
{
	struct ib_tables t;

	assert_int_equal(ib_tables_make(&t, f, slowest, window_max), 0);
	return t;
}

/* Is @a's rate less than @b's? */
static int slower(const struct ib_level *a, const struct ib_level *b)
{
	return (u64)a->num * b->den > (u64)b->num * a->den;
}

/* The counts of all levels but the line's, from the slowest. */
static void assert_counts(const struct ib_tables *t, const u32 *rpi, u32 n)
{
	assert_int_equal(t->n_levels, n + 1);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(t->level[n - i].rpi, rpi[i]);
}

/* REFERENCE 5.4's lists. */
static void make__lipd_counts(void **state)
{
	static const u32 eight[] = { 1, 2, 3, 4, 5, 7, 11 };
	static const u32 sixteen[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 20, 27, 41 };
	struct ib_tables t = made(IB_LIPD, 8, 1);

	assert_counts(&t, eight, 7);
	assert_int_equal(t.level[0].rpi, 22);
	ib_tables_free(&t);
	t = made(IB_LIPD, 16, 1);
	assert_counts(&t, sixteen, 15);
	ib_tables_free(&t);
}

static void make__fimd_counts(void **state)
{
	static const u32 rpi[] = { 1, 2, 4, 8 };
	struct ib_tables t = made(IB_FIMD, 16, 1);

	assert_counts(&t, rpi, 4);
	assert_int_equal(t.level[0].rpi, 16);
	ib_tables_free(&t);
}

/* j of X rates: each step up takes the same time, so j packets at rate j. */
static void make__aimd_counts(void **state)
{
	for (u32 slowest = 2; slowest <= 256; slowest++) {
		struct ib_tables t = made(IB_AIMD, slowest, 1);

		assert_int_equal(t.n_levels, slowest);
		for (u32 j = 1; j <= slowest; j++)
			assert_int_equal(t.level[slowest - j].rpi, j);
		ib_tables_free(&t);
	}
}

static void assert_level(const struct ib_tables *t, u32 i, u32 num, u32 den, u32 increase, u32 decrease)
{
	const struct ib_level *l = &t->level[i];

	assert_true((u64)l->num * den == (u64)num * l->den);
	assert_int_equal(l->increase, increase);
	assert_int_equal(l->decrease, decrease);
}

static void make__lipd_levels(void **state)
{
	struct ib_tables t = made(IB_LIPD, 3, 1);

	assert_int_equal(t.n_levels, 3);
	assert_level(&t, 0, 1, 1, 0, 1);
	assert_level(&t, 1, 2, 1, 0, 2);
	assert_level(&t, 2, 3, 1, 1, 2);
	ib_tables_free(&t);
}

static void make__fimd_levels(void **state)
{
	struct ib_tables t = made(IB_FIMD, 8, 1);

	assert_int_equal(t.n_levels, 4);
	assert_level(&t, 0, 1, 1, 0, 1);
	assert_level(&t, 1, 2, 1, 0, 2);
	assert_level(&t, 2, 4, 1, 1, 3);
	assert_level(&t, 3, 8, 1, 2, 3);
	ib_tables_free(&t);
}

/* Rates 5/5 .. 1/5: 5 -> 2, 4 -> 2, 3 -> 1, 2 -> 1, 1 -> 1. */
static void make__aimd_levels(void **state)
{
	struct ib_tables t = made(IB_AIMD, 5, 1);

	assert_int_equal(t.n_levels, 5);
	assert_level(&t, 0, 5, 5, 0, 3);
	assert_level(&t, 1, 5, 4, 0, 3);
	assert_level(&t, 2, 5, 3, 1, 4);
	assert_level(&t, 3, 5, 2, 2, 4);
	assert_level(&t, 4, 5, 1, 3, 4);
	ib_tables_free(&t);
}

static void make__windows(void **state)
{
	static const struct ib_window expected[] = { { 0 },       { 2, 1, 1 }, { 3, 1, 2 }, { 4, 1, 3 },
						     { 5, 2, 4 }, { 6, 2, 5 }, { 6, 3, 6 } };
	struct ib_tables t = made(IB_LIPD, 2, 6);

	assert_int_equal(t.window_max, 6);
	for (u32 w = 1; w <= 6; w++) {
		assert_int_equal(t.window[w].increase, expected[w].increase);
		assert_int_equal(t.window[w].decrease, expected[w].decrease);
		assert_int_equal(t.window[w].rpi, expected[w].rpi);
	}
	ib_tables_free(&t);
}

/* The whole range of rates is there: from the line's to line / slowest. */
static void assert_ordered(const struct ib_tables *t, u32 slowest)
{
	const struct ib_level *last = &t->level[t->n_levels - 1];

	assert_true(t->level[0].num == t->level[0].den);
	assert_true(last->num == last->den * slowest);
	for (u32 i = 0; i < t->n_levels; i++) {
		const struct ib_level *l = &t->level[i];

		assert_true(l->num >= 1 && l->den >= 1 && l->rpi >= 1);
		assert_true(l->increase < t->n_levels && l->decrease < t->n_levels);
		if (i + 1 < t->n_levels)
			assert_true(slower(l + 1, l));
		assert_int_equal(l->increase, i ? i - 1 : 0);
		if (l == last)
			assert_int_equal(l->decrease, i);
		else
			assert_true(slower(&t->level[l->decrease], l));
	}
}

/* 1: an increase after a decrease is no faster, but from the least rate; 3: there one packet suffices. */
static void assert_marks_outweigh(const struct ib_tables *t)
{
	for (u32 i = 0; i + 1 < t->n_levels; i++)
		assert_false(slower(&t->level[i], &t->level[t->level[t->level[i].decrease].increase]));
	assert_int_equal(t->level[t->n_levels - 1].rpi, 1);
}

/* 2: rpi * num / den does not decrease as levels get faster; and one packet less would not do. */
static void assert_slow_recover_first(const struct ib_tables *t)
{
	for (u32 i = 0; i + 1 < t->n_levels; i++) {
		const struct ib_level *l = &t->level[i], *s = l + 1;
		u64 there = (u64)s->rpi * s->num * l->den;

		assert_true((u64)l->rpi * l->num * s->den >= there);
		assert_true((u64)(l->rpi - 1) * l->num * s->den < there);
	}
}

static void properties__levels(void **state)
{
	for (u32 f = 0; f < N_FUNCTIONS; f++)
		for (u32 slowest = 2; slowest <= 256; slowest++) {
			struct ib_tables t;

			if (functions[f] == IB_FIMD && (slowest & (slowest - 1)))
				continue;
			t = made(functions[f], slowest, 1);
			assert_ordered(&t, slowest);
			assert_marks_outweigh(&t);
			assert_slow_recover_first(&t);
			ib_tables_free(&t);
		}
}

/* The same three, with w packets per round trip for a rate: the time before an increase is rpi / w. */
static void assert_window_properties(const struct ib_tables *t)
{
	assert_int_equal(t->window[1].rpi, 1);
	assert_int_equal(t->window[1].decrease, 1);
	for (u32 w = 1; w <= t->window_max; w++) {
		const struct ib_window *at = &t->window[w];

		assert_int_equal(at->increase, w < t->window_max ? w + 1 : w);
		if (w == 1)
			continue;
		assert_true(at->decrease >= 1 && at->decrease < w);
		assert_true(t->window[at->decrease].increase <= w);
		assert_true((u64)at->rpi * (w - 1) >= (u64)at[-1].rpi * w);
	}
}

static void properties__windows(void **state)
{
	static const u32 most[] = { 1, 2, 3, 7, 8, 110, 1000, 100000 };

	for (u32 f = 0; f < N_FUNCTIONS; f++)
		for (u32 i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
			struct ib_tables t = made(functions[f], 16, most[i]);

			assert_int_equal(t.window_max, most[i]);
			assert_window_properties(&t);
			ib_tables_free(&t);
		}
}

static void make__refuses(void **state)
{
	struct ib_tables t;

	for (u32 f = 0; f < N_FUNCTIONS; f++) {
		assert_int_equal(ib_tables_make(&t, functions[f], 0, 8), -EINVAL);
		assert_int_equal(ib_tables_make(&t, functions[f], 1, 8), -EINVAL);
		assert_int_equal(ib_tables_make(&t, functions[f], 257, 8), -EINVAL);
		assert_int_equal(ib_tables_make(&t, functions[f], 512, 8), -EINVAL);
		assert_int_equal(ib_tables_make(&t, functions[f], 8, 0), -EINVAL);
	}
	assert_int_equal(ib_tables_make(&t, IB_FIMD, 12, 8), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(make__lipd_counts),   cmocka_unit_test(make__fimd_counts),
		cmocka_unit_test(make__aimd_counts),   cmocka_unit_test(make__lipd_levels),
		cmocka_unit_test(make__fimd_levels),   cmocka_unit_test(make__aimd_levels),
		cmocka_unit_test(make__windows),       cmocka_unit_test(properties__levels),
		cmocka_unit_test(properties__windows), cmocka_unit_test(make__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
