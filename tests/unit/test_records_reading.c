// SPDX-License-Identifier: GPL-2.0
/* The sentence under a scenario's table. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lab/records/records.h"

static char text[512];

static const char *reading(const struct run_totals *t)
{
	static const char *const labels[] = { "A", "B", "C", "D" };
	FILE *out = fmemopen(text, sizeof(text), "w");

	text[0] = '\0'; /* a sentence that is not there leaves what was there before */
	records_reading(t, labels, 4, out);
	fclose(out);
	return text;
}

/* A variant of which nothing has completed has no say, wherever it stands; if none has, there is no sentence. */
static void of_completed_only(void **state)
{
	struct run_totals t[4] = { { .completed = 3, .avg_slowdown_milli = 2000 },
				   { .completed = 3, .avg_slowdown_milli = 3000 },
				   { .completed = 1, .avg_slowdown_milli = 1000 },
				   { .completed = 2, .avg_slowdown_milli = 5000 } };

	assert_string_equal(reading(t),
			    "Against A, flows take on average 1.50 times as long with B, 0.50 times as "
			    "long with C and 2.50 times as long with D (average slowdown).\n");
	t[3].completed = 0;
	assert_string_equal(reading(t),
			    "Against A, flows take on average 1.50 times as long with B and 0.50 times as "
			    "long with C (average slowdown).\n");
	t[1].completed = 0;
	assert_string_equal(reading(t),
			    "Against A, flows take on average 0.50 times as long with C (average slowdown).\n");
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
