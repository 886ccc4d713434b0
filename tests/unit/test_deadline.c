// SPDX-License-Identifier: GPL-2.0-or-later
/* Deadlines count the time in which the waiting process was running. */
#include "tests/unit/unit.h"

#include "agent/deadline.h"

static void deadline__passes(void **state)
{
	struct deadline d = { .limit = 1000 };
	u64 now = 123456;

	for (; now <= 123456 + 1000; now += 10)
		assert_false(deadline_look(&d, now));
	assert_true(deadline_look(&d, now));
	assert_true(deadline_look(&d, now)); /* and stays so */
}

/* A process that was stopped for an hour, however often, has not waited for an hour. */
static void deadline__forgives_gaps(void **state)
{
	struct deadline d = { .limit = 1000 };
	u64 now = 5;

	assert_false(deadline_look(&d, now));
	for (u32 i = 0; i < 10; i++)
		assert_false(deadline_look(&d, now += 3600000));
	assert_true(deadline_look(&d, now += 3600000));
	assert_int_equal(d.waited, 11 * DEADLINE_GAP_MS);
}

static void deadline__starts_again(void **state)
{
	struct deadline d = { .limit = 50 };

	assert_false(deadline_look(&d, 1));
	assert_false(deadline_look(&d, 51));
	deadline_restart(&d);
	assert_false(deadline_look(&d, 5000));
	assert_false(deadline_look(&d, 5050));
	assert_true(deadline_look(&d, 5051));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deadline__passes),
		cmocka_unit_test(deadline__forgives_gaps),
		cmocka_unit_test(deadline__starts_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
