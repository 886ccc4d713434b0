// SPDX-License-Identifier: GPL-2.0-or-later
/* The mixer, the rank of ties and the counter generator: published, fair, and apart from each other. */
#include "tests/unit/unit.h"

#include "bpf/hash.h"

#define GOLDEN 0x9e3779b97f4a7c15ULL
#define TRIALS 20000

/* The first numbers of SplitMix64 from state 1234567, as other implementations print them. */
static void mix64__published(void **state)
{
	static const u64 want[] = { 6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
				    4593380528125082431ULL, 16408922859458223821ULL };

	for (u64 i = 0; i < 5; i++)
		assert_true(mix64(1234567 + (i + 1) * GOLDEN) == want[i]);
}

/* One bit in changes half of the bits out. */
static void mix64__avalanche(void **state)
{
	struct rng r = { .state = 2 };

	for (u32 bit = 0; bit < 64; bit++) {
		u32 changed = 0;

		for (u32 i = 0; i < 1000; i++) {
			u64 x = rng_next(&r);

			changed += __builtin_popcountll(mix64(x) ^ mix64(x ^ 1ULL << bit));
		}
		assert_in_range(changed, 31000, 33000);
	}
}

/* Of any two ports of a node that tie, each comes first about half of the time. */
static void tie_rank__fair(void **state)
{
	for (u32 a = 0; a < 6; a++) {
		for (u32 b = 0; b < a; b++) {
			u32 first = 0;

			for (u64 t = 0; t < TRIALS; t++)
				first += tie_rank(1, 40, a, t * 221200) < tie_rank(1, 40, b, t * 221200);
			assert_binomial(first, TRIALS, 0.5);
		}
	}
}

/* Who wins under one seed says nothing of who wins under another, nor at another node. */
static void tie_rank__seeds_apart(void **state)
{
	for (u64 seed = 2; seed < 10; seed++) {
		u32 same = 0, same_node = 0;

		for (u64 t = 0; t < TRIALS; t++) {
			int one = tie_rank(1, 3, 1, t) < tie_rank(1, 3, 2, t);

			same += one == (tie_rank(seed, 3, 1, t) < tie_rank(seed, 3, 2, t));
			same_node += one == (tie_rank(1, 3 + seed, 1, t) < tie_rank(1, 3 + seed, 2, t));
		}
		assert_binomial(same, TRIALS, 0.5);
		assert_binomial(same_node, TRIALS, 0.5);
	}
}

static void draw32__uniform(void **state)
{
	u64 sum = 0, n = 1000000;
	u32 buckets[16] = { 0 };

	for (u64 i = 0; i < n; i++) {
		u32 x = draw32(1, 7, i);

		sum += x;
		buckets[x >> 28]++;
	}
	/* the mean of a million: within five standard deviations, 2^32 / sqrt(12) / 1000 each */
	assert_in_range(sum / n, 2147483648ULL - 6200000, 2147483648ULL + 6200000);
	for (u32 b = 0; b < 16; b++)
		assert_binomial(buckets[b], n, 1.0 / 16);
}

/* Streams of other places and seeds are other streams, also shifted ones, and also the complement seed that losses use.
 */
static void draw32__streams_apart(void **state)
{
	for (u32 shift = 0; shift < 40; shift++) {
		u32 below[3] = { 0 };

		for (u64 i = 0; i < TRIALS; i++) {
			u32 x = draw32(1, 0, i);

			below[0] += x < draw32(1, 1, i + shift);
			below[1] += x < draw32(2, 0, i + shift);
			below[2] += x < draw32(~1ULL, 0, i + shift);
		}
		for (u32 k = 0; k < 3; k++)
			assert_binomial(below[k], TRIALS, 0.5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mix64__published), cmocka_unit_test(mix64__avalanche),
		cmocka_unit_test(tie_rank__fair),   cmocka_unit_test(tie_rank__seeds_apart),
		cmocka_unit_test(draw32__uniform),  cmocka_unit_test(draw32__streams_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
