// SPDX-License-Identifier: GPL-2.0-or-later
/* PSN arithmetic across the wrap. */
#include "tests/unit/unit.h"

#include "agent/packet/psn.h"

/* REFERENCE 2.1. */
static void psn_diff__published(void **state)
{
	assert_int_equal(psn_diff(0, 0xffffff), 1);
	assert_int_equal(psn_diff(0xffffff, 0), -1);
	assert_true(psn_diff(0x7fffff, 0) > 0);
	assert_true(psn_diff(0x800000, 0) < 0);
	assert_int_equal(psn_diff(5, 5), 0);
}

/* The duplicate region of an expected e: e-1 .. e-(2^23-1); the other 2^23-1 are ahead. */
static void psn_diff__regions(void **state)
{
	static const u32 at[] = { 0, 1, 0x7fffff, 0x800000, 0x800001, 0xfffffe, 0xffffff };

	for (u32 i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		u32 e = at[i];

		assert_int_equal(psn_diff((e - (PSN_WINDOW_MAX - 1)) & PSN_MASK, e), -(s32)(PSN_WINDOW_MAX - 1));
		assert_int_equal(psn_diff(psn_add(e, PSN_WINDOW_MAX - 1), e), PSN_WINDOW_MAX - 1);
		assert_int_equal(psn_diff(psn_add(e, PSN_WINDOW_MAX), e), -(s32)PSN_WINDOW_MAX);
	}
}

static void psn_add__wraps(void **state)
{
	assert_int_equal(psn_add(0xffffff, 1), 0);
	assert_int_equal(psn_add(0xfffffe, 5), 3);
	assert_int_equal(psn_add(7, 1U << 24), 7);
	assert_int_equal(psn_add(0x123456, 0), 0x123456);
}

static void psn_diff__inverse_of_add(void **state)
{
	struct rng r = { .state = 1 };

	for (u32 i = 0; i < 100000; i++) {
		u32 psn = rng_below(&r, 1U << 24), n = rng_below(&r, PSN_WINDOW_MAX);

		assert_int_equal(psn_diff(psn_add(psn, n), psn), n);
		assert_int_equal(psn_diff(psn, psn_add(psn, n)), -(s64)n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(psn_diff__published),
		cmocka_unit_test(psn_diff__regions),
		cmocka_unit_test(psn_add__wraps),
		cmocka_unit_test(psn_diff__inverse_of_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
