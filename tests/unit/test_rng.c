// SPDX-License-Identifier: GPL-2.0-or-later
/* The generator: against published numbers, pinned, unbiased, and streams apart from each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/workload/rng.h"

/* The first numbers of splitmix64 from state 1234567, as other implementations print them. */
static void next__published(void **state)
{
	static const u64 want[] = { 6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
				    4593380528125082431ULL, 16408922859458223821ULL };
	struct rng r = { .state = 1234567 };

	for (u32 i = 0; i < 5; i++)
		assert_int_equal(rng_next(&r), want[i]);
}

/* Golden: a change here changes every generated result. */
static void stream__pinned(void **state)
{
	struct rng a = rng_stream(1, RNG_ARRIVAL, 0), b = rng_stream(1, RNG_SIZE, 7);

	assert_int_equal(rng_next(&a), 1755682940272214826ULL);
	assert_int_equal(rng_next(&b), 7747473552362021826ULL);
	assert_int_equal(rng_below(&b, 1000), 470);
}

/* No two of 8 seeds x 4 purposes x 64 indices begin alike; neighbours differ in about half of their bits. */
static void stream__apart(void **state)
{
	static u64 first[8 * 4 * 64];
	u32 n = 0, bits = 0;

	for (u64 seed = 0; seed < 8; seed++)
		for (u32 purpose = RNG_ARRIVAL; purpose <= RNG_PERMUTATION; purpose++)
			for (u64 i = 0; i < 64; i++)
				first[n++] = rng_stream(seed, purpose, i).state;
	for (u32 i = 0; i < n; i++)
		for (u32 j = 0; j < i; j++)
			assert_true(first[i] != first[j]);
	for (u32 i = 1; i < n; i++)
		bits += (u32)__builtin_popcountll(first[i] ^ first[i - 1]);
	assert_in_range(bits, (n - 1) * 31, (n - 1) * 33);
}

static void below__bounds(void **state)
{
	struct rng r = rng_stream(5, RNG_DESTINATION, 0);

	for (u32 i = 0; i < 1000; i++) {
		assert_int_equal(rng_below(&r, 1), 0);
		assert_true(rng_below(&r, 3) < 3);
		assert_true(rng_below(&r, (1ULL << 63) + 1) <= 1ULL << 63);
	}
}

/* Six sides, 60 000 throws: chi square with 5 degrees of freedom stays below 20.5 (99.9 %). */
static void below__uniform(void **state)
{
	struct rng r = rng_stream(1, RNG_DESTINATION, 1);
	s64 seen[6] = { 0 }, squares = 0;

	for (u32 i = 0; i < 60000; i++)
		seen[rng_below(&r, 6)]++;
	for (u32 i = 0; i < 6; i++)
		squares += (seen[i] - 10000) * (seen[i] - 10000);
	assert_true(squares < 205000);
}

/* 3/4 of 2^64: without rejection, one third of the results would be twice as likely as the others. */
static void below__rejects(void **state)
{
	struct rng r = rng_stream(1, RNG_DESTINATION, 2);
	const u64 n = 3ULL << 62;
	u32 thirds[3] = { 0 };

	for (u32 i = 0; i < 30000; i++)
		thirds[rng_below(&r, n) % 3]++;
	for (u32 i = 0; i < 3; i++)
		assert_in_range(thirds[i], 9600, 10400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next__published), cmocka_unit_test(stream__pinned), cmocka_unit_test(stream__apart),
		cmocka_unit_test(below__bounds),   cmocka_unit_test(below__uniform), cmocka_unit_test(below__rejects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
