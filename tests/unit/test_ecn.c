// SPDX-License-Identifier: GPL-2.0-or-later
/* Marking: the curve and its frequencies. (What it does to a frame's bytes: test_packet.c.) */
#include "tests/unit/unit.h"

#include "bpf/ecn.h"
#include "bpf/hash.h"

#define KMIN 5000
#define KMAX 200000
#define ONE (1ULL << 32)
#define PMAX ((u32)(ONE / 100))

static void red_probability__curve(void **state)
{
	assert_true(ecn_red_probability(0, KMIN, KMAX, PMAX) == 0);
	assert_true(ecn_red_probability(KMIN, KMIN, KMAX, PMAX) == 0);
	assert_true(ecn_red_probability(KMIN + 1, KMIN, KMAX, PMAX) == PMAX / (KMAX - KMIN));
	assert_true(ecn_red_probability((KMIN + KMAX) / 2, KMIN, KMAX, PMAX) == PMAX / 2);
	assert_true(ecn_red_probability(KMAX, KMIN, KMAX, PMAX) == PMAX);
	assert_true(ecn_red_probability(KMAX + 1, KMIN, KMAX, PMAX) == ONE);
	assert_true(ecn_red_probability(~0ULL, KMIN, KMAX, PMAX) == ONE);
}

static void red_probability__rises(void **state)
{
	u64 last = 0;

	for (u64 q = 0; q <= KMAX; q += 13) {
		u64 p = ecn_red_probability(q, KMIN, KMAX, PMAX);

		assert_true(p >= last && p <= PMAX);
		last = p;
	}
}

/* A step, and the ends of the ranges. */
static void red_probability__extremes(void **state)
{
	assert_true(ecn_red_probability(1000, 1000, 1000, PMAX) == 0);
	assert_true(ecn_red_probability(1001, 1000, 1000, PMAX) == ONE);
	assert_true(ecn_red_probability(0, 0, 0, PMAX) == 0);
	assert_true(ecn_red_probability(1, 0, 0, PMAX) == ONE);
	assert_true(ecn_red_probability(1U << 30, 0, 1U << 30, ~0U) == ~0U);
	assert_true(ecn_red_probability(~0U, 0, ~0U, ~0U) == ~0U);
}

static void red_mark__certain(void **state)
{
	assert_false(ecn_red_mark(KMIN, KMIN, KMAX, PMAX, 0));
	assert_true(ecn_red_mark(KMAX + 1, KMIN, KMAX, PMAX, ~0U));
	assert_true(ecn_red_mark(KMAX, KMIN, KMAX, PMAX, PMAX - 1));
	assert_false(ecn_red_mark(KMAX, KMIN, KMAX, PMAX, PMAX));
}

static void red_mark__frequency(void **state)
{
	static const u32 queues[] = { KMIN + 1000, 50000, 102500, KMAX };
	u32 n = 200000;

	for (u32 i = 0; i < 4; i++) {
		u32 marks = 0;

		for (u32 k = 0; k < n; k++)
			marks += ecn_red_mark(queues[i], KMIN, KMAX, ONE / 2, draw32(3, i, k));
		assert_binomial(marks, n, 0.5 * (queues[i] - KMIN) / (KMAX - KMIN));
	}
}

static void step_mark__threshold(void **state)
{
	assert_false(ecn_step_mark(0, 0));
	assert_true(ecn_step_mark(1, 0));
	assert_false(ecn_step_mark(KMIN, KMIN));
	assert_true(ecn_step_mark(KMIN + 1, KMIN));
	assert_true(ecn_step_mark(1ULL << 40, KMIN)); /* a sum of many buffers */
}

static void ib_full__to_the_byte(void **state)
{
	assert_false(ecn_ib_full(0, 1000, 1000));
	assert_true(ecn_ib_full(1, 1000, 1000));
	assert_false(ecn_ib_full(0xfffff000U, ~0U, 0xfff));
	assert_true(ecn_ib_full(0xfffff001U, ~0U, 0xfff)); /* no 32-bit sum */
}

static void ib_mark__up_to(void **state)
{
	assert_false(ecn_ib_mark(1, 0, 0));
	assert_true(ecn_ib_mark(7, 7, 0));
	assert_true(ecn_ib_mark(7, 0, 7));
	assert_false(ecn_ib_mark(8, 7, 7));
	assert_true(ecn_ib_mark(8, 7, 9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(red_probability__curve),    cmocka_unit_test(red_probability__rises),
		cmocka_unit_test(red_probability__extremes), cmocka_unit_test(red_mark__certain),
		cmocka_unit_test(red_mark__frequency),       cmocka_unit_test(step_mark__threshold),
		cmocka_unit_test(ib_full__to_the_byte),      cmocka_unit_test(ib_mark__up_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
