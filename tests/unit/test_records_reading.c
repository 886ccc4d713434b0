// SPDX-License-Identifier: GPL-2.0-or-later
/* The comparison under a scenario's table: like with like. Ideal times are 1 ms, so slowdowns are times in ms. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lab/records/records.h"

#define MS PS_PER_MS
#define RUNS 3

static char text[1024];
static struct flow_record flows[RUNS][4];
static struct run_result runs[RUNS];

/* Run @v ends at @end ms; its four flows start at 0, 1, 2 and 3 ms and take this many ms, 0: do not complete. */
static void run(u32 v, u64 end, const u64 ms[4])
{
	for (u32 i = 0; i < 4; i++)
		flows[v][i] = (struct flow_record){ .flow = { .id = i, .bytes = 1000, .start_ps = i * MS },
						    .completed = ms[i] > 0,
						    .fct_ps = ms[i] * MS,
						    .ideal_ps = MS };
	runs[v] = (struct run_result){ .flows = flows[v], .n_flows = 4, .virtual_ps = end * MS };
}

#define RUN(v, end, ...) run(v, end, (const u64[4]){ __VA_ARGS__ })

static const char *reading(u32 n)
{
	static const char *const labels[] = { "A", "B", "C" };
	const struct run_result *r[RUNS];
	struct run_totals t[RUNS];
	FILE *out = fmemopen(text, sizeof(text), "w");

	text[0] = '\0'; /* if nothing is printed, the text of before is left */
	for (u32 v = 0; v < n; v++) {
		u64 sum = 0;

		r[v] = &runs[v];
		t[v] = (struct run_totals){ 0 };
		for (u32 i = 0; i < runs[v].n_flows; i++) {
			t[v].completed += flows[v][i].completed;
			sum += flows[v][i].fct_ps / (MS / 1000);
		}
		t[v].avg_slowdown_milli = t[v].completed ? sum / t[v].completed : 0;
	}
	records_reading(r, t, labels, n, out);
	fclose(out);
	return text;
}

static void all_completed(void **state)
{
	RUN(0, 9, 1, 2, 3, 2);
	RUN(1, 9, 2, 3, 4, 3);
	RUN(2, 9, 1, 1, 1, 1);
	assert_string_equal(reading(3),
			    "Average slowdown relative to A:\n  B    1.50\n  C    0.50\n"
			    "All 4 flows completed in each of them.\n");
}

/*
 * B's flow 3 and C's flow 1 did not complete. In common are flows 0 and 2: 4, 6 and 3 ms. With the unfinished ones
 * until 13 and 31 ms: A 8, B 6 + 3 + 10 = 19, C 1 + 30 + 2 + 2 = 35: C is faster by one and slower by the other.
 */
static void like_with_like(void **state)
{
	RUN(0, 9, 1, 2, 3, 2);
	RUN(1, 13, 2, 3, 4, 0);
	RUN(2, 31, 1, 0, 2, 2);
	assert_string_equal(reading(3),
			    "Average slowdown relative to A:\n"
			    "     common   bound\n"
			    "  B    1.50    2.38\n"
			    "  C    0.75    4.38  undecided\n"
			    "common: 2 of 4 flows, those that completed in each of them.\n"
			    "bound: 4 flows; an unfinished one counts from its start to the run's end.\n");
}

/* What had not begun when a run ended is in neither. */
static void not_begun(void **state)
{
	RUN(0, 9, 1, 2, 3, 2);
	RUN(1, 2, 2, 0, 0, 0);
	assert_string_equal(reading(2),
			    "Average slowdown relative to A:\n"
			    "     common   bound\n"
			    "  B    2.00    1.00\n"
			    "common: 1 of 4 flows, those that completed in each of them.\n"
			    "bound: 2 flows; an unfinished one counts from its start to the run's end.\n");
}

/* Nothing in common: there is no number for it. */
static void nothing_in_common(void **state)
{
	RUN(0, 9, 1, 0, 0, 0);
	RUN(1, 9, 0, 2, 2, 2);
	reading(2);
	assert_non_null(strstr(text, "\n  B       -    0.68\ncommon: 0 of 4 flows"));
}

/* Runs without completed flows are left out; if no others are left, nothing is printed. */
static void of_completed_only(void **state)
{
	RUN(0, 9, 2, 2, 2, 2);
	RUN(1, 9, 0, 0, 0, 0);
	RUN(2, 9, 1, 1, 1, 1);
	assert_string_equal(reading(3),
			    "Average slowdown relative to A:\n  C    0.50\n"
			    "All 4 flows completed in each of them.\n");
	assert_string_equal(reading(2), "");
	RUN(0, 9, 0, 0, 0, 0);
	assert_string_equal(reading(3), "");
}

static void unlike(void **state)
{
	RUN(0, 9, 2, 2, 2, 2);
	RUN(1, 9, 3, 3, 3, 3);
	flows[1][2].flow.bytes++;
	assert_string_equal(reading(2),
			    "Average slowdown relative to A:\n  B    1.50\n"
			    "The variants have different flows: each average is over its own.\n");
	flows[1][2].flow.bytes--;
	runs[1].n_flows = 3;
	assert_non_null(strstr(reading(2), "The variants have different flows"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_completed),     cmocka_unit_test(like_with_like),    cmocka_unit_test(not_begun),
		cmocka_unit_test(nothing_in_common), cmocka_unit_test(of_completed_only), cmocka_unit_test(unlike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
