// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of flows, from their definitions: numbers by hand. */
#include "tests/unit/unit.h"

#include "lab/records/records.h"

#define MB 1000000ULL
#define MS PS_PER_MS

static struct flow_record flows[1100];
static struct flow_stats s;

/* A flow to @dst of @bytes that runs from @start for @fct; 0: it does not complete. Its slowdown is fct in ms. */
static struct flow_record flow(u32 dst, u64 bytes, u64 start, u64 fct)
{
	return (struct flow_record){ .flow = { .dst = dst, .bytes = bytes, .start_ps = start },
				     .completed = fct > 0,
				     .fct_ps = fct,
				     .ideal_ps = MS };
}

static void compute(u32 n, u64 end)
{
	struct run_result r = { .flows = flows, .n_flows = n, .virtual_ps = end };

	for (u32 i = 0; i < n; i++)
		flows[i].flow.id = i;
	assert_int_equal(flow_stats(&r, &s), 0);
}

/* Rank ceil(p n) of the ascending values. */
static void ranks(void **state)
{
	static const struct {
		u32 n, p50, p95, p99, p999;
	} cases[] = { { 1, 1, 1, 1, 1 },
		      { 2, 1, 2, 2, 2 },
		      { 10, 5, 10, 10, 10 },
		      { 100, 50, 95, 99, 100 },
		      { 1000, 500, 950, 990, 999 },
		      { 1001, 501, 951, 991, 1000 } };
	u64 v[1001];

	for (u32 i = 0; i < 1001; i++)
		v[i] = i + 1;
	for (u32 i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(nearest_rank(v, cases[i].n, 500), cases[i].p50);
		assert_int_equal(nearest_rank(v, cases[i].n, 950), cases[i].p95);
		assert_int_equal(nearest_rank(v, cases[i].n, 990), cases[i].p99);
		assert_int_equal(nearest_rank(v, cases[i].n, 999), cases[i].p999);
	}
	assert_int_equal(nearest_rank(v, 0, 500), 0);
}

/* 1009 is prime: each of 1..1000 ms once, out of order; the last flow is unfinished and in none of them. */
static void percentiles__of_completed_flows(void **state)
{
	for (u32 i = 0, n = 0; i < 1008; i++)
		if ((i + 1) * 11 % 1009 <= 1000)
			flows[n++] = flow(i, 1, 0, (i + 1) * 11 % 1009 * MS);
	flows[1000] = flow(0, 1, 0, 0);
	compute(1001, 5000 * MS);
	assert_true(s.fct_ps.p50 == 500 * MS && s.fct_ps.p95 == 950 * MS);
	assert_true(s.fct_ps.p99 == 990 * MS && s.fct_ps.p999 == 999 * MS);
	assert_true(s.slowdown_ppm.p50 == 500000000 && s.slowdown_ppm.p95 == 950000000);
	assert_true(s.slowdown_ppm.p99 == 990000000 && s.slowdown_ppm.p999 == 999000000);
	compute(0, 0);
	assert_true(!s.fct_ps.p50 && !s.slowdown_ppm.p999 && !s.n_sizes && !s.fairness.flows && !s.requests.n);
}

/* Twelve flows: the tenths begin at places 0, 1, 2, 3, 4, 6, 7, 8, 9 and 10 of their order by size. */
static void sizes__tenths(void **state)
{
	static const u64 sizes[12] = { 70, 10, 20, 120, 50, 60, 110, 30, 40, 80, 90, 100 };
	static const u32 from[11] = { 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 12 };

	for (u32 i = 0; i < 12; i++)
		flows[i] = flow(i, sizes[i], 0, sizes[i] == 60 ? 0 : sizes[i] * MS);
	compute(12, 1000 * MS);
	assert_int_equal(s.n_sizes, 10);
	for (u32 k = 0; k < 10; k++) {
		assert_int_equal(s.size[k].from_bytes, 10 * (from[k] + 1));
		assert_int_equal(s.size[k].to_bytes, 10 * from[k + 1]);
		assert_int_equal(s.size[k].flows, from[k + 1] - from[k]);
	}
	/* 50 and 60 bytes, of which the latter did not complete; 110 and 120 */
	assert_true(s.size[4].completed == 1 && s.size[4].avg_slowdown_milli == 50000);
	assert_true(s.size[9].completed == 2 && s.size[9].avg_slowdown_milli == 115000);
	assert_true(s.size[9].slowdown_ppm.p50 == 110000000 && s.size[9].slowdown_ppm.p99 == 120000000);
	compute(3, 1000 * MS);
	assert_true(s.n_sizes == 3 && s.size[0].to_bytes == 10 && s.size[2].from_bytes == 70);
}

static void jain(u64 want)
{
	if (s.fairness.index_milli != want)
		fail_msg("index %llu, expected %llu", s.fairness.index_milli, want);
}

/* (sum x)^2 / (n sum x^2) for rates that are known: equal ones, 1:2:3, and one that has everything. */
static void jain__index(void **state)
{
	for (u32 i = 0; i < 4; i++)
		flows[i] = flow(i, MB, i, 10 * MS);
	compute(4, 100 * MS);
	jain(1000);
	assert_true(s.fairness.flows == 4 && s.fairness.from_ps == 3 && s.fairness.to_ps == 10 * MS);
	for (u32 i = 0; i < 3; i++)
		flows[i] = flow(i, MB, 0, 12 * MS / (i + 1));
	compute(3, 100 * MS);
	jain(857); /* 36 / (3 * 14) */
	for (u32 i = 1; i < 4; i++)
		flows[i] = flow(i, MB, 0, 0);
	compute(4, 100 * MS);
	jain(250);
	flows[0] = flow(0, MB, 0, 0); /* nobody got anything: there is no index */
	compute(4, 100 * MS);
	assert_int_equal(s.fairness.flows, 0);
}

/* Long flows only, at the first instant of which most are active; an unfinished one by what has come. */
static void jain__of_whom(void **state)
{
	flows[0] = flow(0, 10 * MB, 0, 10 * MS);
	flows[1] = flow(1, 10 * MB, 5 * MS, 10 * MS);
	flows[2] = flow(2, 10 * MB, 15 * MS, 1 * MS); /* begins as the last one ends */
	flows[3] = flow(3, 5 * MB - 1, 0, 16 * MS);   /* less than half of the largest */
	flows[4] = flow(4, 10 * MB, 6 * MS, 0);       /* half as fast as the others, until the run ends */
	flows[4].received_bytes = 5 * MB;
	flows[5] = flow(5, 10 * MB, 0, 0); /* stopped, nobody knows when */
	flows[5].error = QP_RETRY;
	compute(6, 16 * MS);
	jain(926); /* 1, 1, 0.5: 6.25 / (3 * 2.25) */
	assert_true(s.fairness.flows == 3 && s.fairness.from_ps == 6 * MS && s.fairness.to_ps == 10 * MS);
	flows[4].received_bytes = 0;
	compute(6, 16 * MS);
	jain(667); /* 1, 1, 0: 4 / (3 * 2) */
	compute(1, 16 * MS);
	assert_int_equal(s.fairness.flows, 0);
}

/* Flows that start together to one host; done when the last of them is. */
static void requests__times(void **state)
{
	flows[0] = flow(0, MB, 0, 1 * MS);
	flows[1] = flow(0, MB, 5 * MS, 1 * MS);
	flows[2] = flow(1, MB, 0, 7 * MS);
	flows[3] = flow(0, MB, 0, 3 * MS);
	flows[4] = flow(0, MB, 5 * MS, 0);
	flows[5] = flow(2, MB, 0, 90 * MS); /* alone */
	flows[6] = flow(1, MB, 0, 4 * MS);
	flows[7] = flow(0, MB, 0, 2 * MS);
	compute(8, 100 * MS);
	assert_true(s.requests.n == 3 && s.requests.completed == 2);
	assert_true(s.requests.avg_ps == 5 * MS && s.requests.max_ps == 7 * MS);
	assert_true(s.requests.ps.p50 == 3 * MS && s.requests.ps.p99 == 7 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),         cmocka_unit_test(percentiles__of_completed_flows),
		cmocka_unit_test(sizes__tenths), cmocka_unit_test(jain__index),
		cmocka_unit_test(jain__of_whom), cmocka_unit_test(requests__times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
