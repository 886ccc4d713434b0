// SPDX-License-Identifier: GPL-2.0-or-later
/* The response functions of InfiniBand's congestion control: steps by hand, time per level, the three properties. */
#include "tests/unit/unit.h"

#include "agent/cc/ib_response.h"

#define ONE (1ULL << IB_FRACTION)

static const enum ib_function functions[] = { IB_AIMD, IB_LIPD, IB_FIMD };
#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* Packet times per packet. Tests may use floating point; what they test does not. */
static double times(const struct ib_params *p, u64 at)
{
	struct ib_delay d = ib_rate_delay(p, at);

	return (double)d.num / (double)d.den;
}

/* The time, in packet times, that unmarked packets take to bring x from @at to @x or less. */
static double time_to(const struct ib_params *p, u64 at, double x)
{
	double time = 0;

	while (times(p, at) > x) {
		u64 next = ib_rate_increase(p, at);

		assert_int_not_equal(next, at);
		time += ib_rate_rpi(p, at) * times(p, at);
		at = next;
	}
	return time;
}

static void assert_times(const struct ib_params *p, u64 at, double x)
{
	assert_true(times(p, at) > x - 1e-6 && times(p, at) < x + 1e-6);
}

static u64 least_rate(const struct ib_params *p)
{
	u64 at = ib_rate_line(p);

	while (ib_rate_decrease(p, at) != at)
		at = ib_rate_decrease(p, at);
	return at;
}

/* X = 4, by hand: 4 - 4/4 = 3, 3 - 3/4 = 2.25, 1.6875, 1.265625, then the line. A mark adds 1. */
static void lipd__by_hand(void **state)
{
	const struct ib_params p = { .levels = 4, .function = IB_LIPD };
	static const double up[] = { 4, 3, 2.25, 1.6875, 1.265625, 1, 1 };
	u64 at = ib_rate_line(&p);

	assert_times(&p, at, 1);
	for (u32 x = 2; x <= 6; x++) {
		at = ib_rate_decrease(&p, at);
		assert_times(&p, at, x < 4 ? x : 4);
	}
	for (u32 i = 0; i < sizeof(up) / sizeof(up[0]); i++) {
		assert_times(&p, at, up[i]);
		assert_int_equal(ib_rate_rpi(&p, at), 1);
		at = ib_rate_increase(&p, at);
	}
	at = ib_rate_increase(&p, 3 * ONE);
	assert_times(&p, ib_rate_decrease(&p, at), 3.25);
}

/*
 * REFERENCE 5.4: x falls by x / X per packet, and a packet comes every x packet times: X of them for each whole level,
 * wherever it lies. Levels end within a packet, so one packet time of the slower level more or less.
 */
static void lipd__time_per_level(void **state)
{
	for (u32 slowest = 2; slowest <= IB_LEVELS_MAX; slowest++) {
		const struct ib_params p = { .levels = slowest, .function = IB_LIPD };

		for (u32 x = 2; x <= slowest; x++) {
			double time = time_to(&p, x * ONE, x - 1);

			assert_true(time > slowest - 1e-3 && time <= slowest + x + 1e-3);
		}
		/* all levels in a row: nothing accumulates */
		assert_true(time_to(&p, slowest * ONE, 1) <= slowest * slowest);
		assert_true(time_to(&p, slowest * ONE, 1) >= (slowest - 1) * slowest - 1e-3);
	}
}

/* REFERENCE 5.4's list: 16, 8, 4, 2 have 1, 2, 4, 8; and so 16 packet times at each. */
static void fimd__by_hand(void **state)
{
	const struct ib_params p = { .levels = 16, .function = IB_FIMD };
	u64 at = ib_rate_line(&p);

	assert_times(&p, at, 1);
	for (u32 x = 2; x <= 32; x *= 2) {
		at = ib_rate_decrease(&p, at);
		assert_times(&p, at, x < 16 ? x : 16);
	}
	for (u32 x = 16; x > 1; x /= 2) {
		assert_times(&p, at, x);
		assert_int_equal(ib_rate_rpi(&p, at), 16 / x);
		at = ib_rate_increase(&p, at);
	}
	assert_times(&p, at, 1);
	assert_times(&p, ib_rate_increase(&p, at), 1);
}

/* REFERENCE 5.3: r + Rmin per packet; a mark halves: of 5, 4, 3, 2, 1 units 2, 2, 1, 1, 1. */
static void aimd__by_hand(void **state)
{
	const struct ib_params p = { .levels = 5, .function = IB_AIMD };
	static const u32 half[] = { 0, 1, 1, 1, 2, 2 };

	assert_times(&p, ib_rate_line(&p), 1);
	for (u32 j = 1; j <= 5; j++) {
		assert_times(&p, j, 5.0 / j);
		assert_int_equal(ib_rate_rpi(&p, j), 1);
		assert_int_equal(ib_rate_increase(&p, j), j < 5 ? j + 1 : 5);
		assert_int_equal(ib_rate_decrease(&p, j), half[j]);
	}
}

/* 1: an increase after a decrease is no faster, but from the least rate; 3: there one packet suffices. */
static void assert_marks_outweigh(const struct ib_params *p, u64 at)
{
	u64 slower = ib_rate_decrease(p, at);

	if (at == slower) {
		assert_int_equal(ib_rate_rpi(p, at), 1);
		assert_true(times(p, ib_rate_increase(p, at)) < times(p, at));
		assert_times(p, at, p->levels);
		return;
	}
	assert_true(times(p, slower) > times(p, at));
	assert_true(times(p, ib_rate_increase(p, slower)) >= times(p, at));
}

/* 2: what a mark takes comes back no later at a slower rate: LIPD and FIMD in X packet times, AIMD in fewer. */
static void assert_recovers(const struct ib_params *p, u64 at)
{
	double time = time_to(p, ib_rate_decrease(p, at), times(p, at));

	assert_true(time <= p->levels + times(p, ib_rate_decrease(p, at)) + 1e-3);
}

static void properties__rates(void **state)
{
	for (u32 f = 0; f < N_FUNCTIONS; f++)
		for (u32 slowest = 2; slowest <= IB_LEVELS_MAX; slowest++) {
			const struct ib_params p = { .levels = slowest, .function = functions[f] };
			u64 at;

			if (functions[f] == IB_FIMD && (slowest & (slowest - 1)))
				continue;
			for (at = least_rate(&p); at != ib_rate_line(&p); at = ib_rate_increase(&p, at)) {
				assert_marks_outweigh(&p, at);
				assert_recovers(&p, at);
				assert_true(times(&p, ib_rate_increase(&p, at)) < times(&p, at));
			}
			assert_times(&p, at, 1);
			assert_int_equal(ib_rate_increase(&p, at), at);
		}
}

/* A window is cut in half, rounded down, and grows by a packet; w packets an increase are a round trip. */
static void windows__by_hand(void **state)
{
	assert_int_equal(ib_window_decrease(1), 1);
	assert_int_equal(ib_window_decrease(2), 1);
	assert_int_equal(ib_window_decrease(7), 3);
	assert_int_equal(ib_window_decrease(100000), 50000);
	assert_int_equal(ib_window_increase(1, 6), 2);
	assert_int_equal(ib_window_increase(5, 6), 6);
	assert_int_equal(ib_window_increase(6, 6), 6);
	for (u32 w = 2; w < 1000; w++)
		assert_true(ib_window_increase(ib_window_decrease(w), 1000) <= w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lipd__by_hand),     cmocka_unit_test(lipd__time_per_level),
		cmocka_unit_test(fimd__by_hand),     cmocka_unit_test(aimd__by_hand),
		cmocka_unit_test(properties__rates), cmocka_unit_test(windows__by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
