// SPDX-License-Identifier: GPL-2.0-or-later
/* The comparison under a scenario's table. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lab/records/records.h"

static char text[512];

static const char *reading(const struct run_totals *t)
{
	static const char *const labels[] = { "A", "B", "C", "D" };
	FILE *out = fmemopen(text, sizeof(text), "w");

	text[0] = '\0'; /* if nothing is printed, the text of before is left */
	records_reading(t, labels, 4, out);
	fclose(out);
	return text;
}

/* Variants without completed flows are left out; if no others are left, nothing is printed. */
static void of_completed_only(void **state)
{
	struct run_totals t[4] = { { .completed = 3, .avg_slowdown_milli = 2000 },
				   { .completed = 3, .avg_slowdown_milli = 3000 },
				   { .completed = 1, .avg_slowdown_milli = 1000 },
				   { .completed = 2, .avg_slowdown_milli = 5000 } };

	assert_string_equal(reading(t), "Average slowdown relative to A:\n  B    1.50\n  C    0.50\n  D    2.50\n");
	t[3].completed = 0;
	assert_string_equal(reading(t), "Average slowdown relative to A:\n  B    1.50\n  C    0.50\n");
	t[1].completed = 0;
	assert_string_equal(reading(t), "Average slowdown relative to A:\n  C    0.50\n");
	t[2].completed = 0;
	assert_string_equal(reading(t), "");
	t[2].completed = 1;
	t[0].completed = 0;
	assert_string_equal(reading(t), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_completed_only) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
