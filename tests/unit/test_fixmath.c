// SPDX-License-Identifier: GPL-2.0-or-later
/* Fixed point logarithm and power against values computed with 80 decimal digits, rounded down to the format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/workload/fixmath.h"
#include "lab/workload/rng.h"

struct pair {
	u64 x, y;
};

/* Not above the true value, and less than one unit (plus 2^-62) below it: the same integer or one less. */
static void log2__known(void **state)
{
	static const struct pair known[] = {
		{ 1, 0 },
		{ 2, 281474976710656ULL },
		{ 3, 446127282977750ULL },
		{ 10, 935039633142894ULL },
		{ 1000, 2805118899428682ULL },
		{ 200000, 4956673142425126ULL },
		{ 3000000, 6056365081835115ULL },
		{ 1000000000000000000ULL, 16830713396572095ULL },
		{ ~0ULL, 18014398509481983ULL },
	};

	for (u32 i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_in_range(known[i].y - fx_log2(known[i].x), 0, 1);
	for (u32 i = 0; i < 64; i++)
		assert_int_equal(fx_log2(1ULL << i), (u64)i << FX_BITS);
	assert_int_equal(fx_log2(0), 0);
}

static void log2__grows(void **state)
{
	for (u64 x = 1; x < 100000; x++)
		assert_true(fx_log2(x) < fx_log2(x + 1));
}

static void neg_ln__known(void **state)
{
	static const struct pair known[] = {
		{ 1, 12486629536330718ULL },
		{ 1ULL << 63, 195103586505167ULL },
		{ 1ULL << 62, 390207173010334ULL },
		{ 12345678901234567890ULL, 113035218410723ULL },
		{ ~0ULL, 0 },
	};

	for (u32 i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_in_range(fx_neg_ln(known[i].x) + 2 - known[i].y, 0, 4); /* 2^-47 is 2 units */
	assert_int_equal(fx_neg_ln(0), fx_neg_ln(1));
}

static void exp2__known(void **state)
{
	static const struct pair known[] = {
		{ 0, 1ULL << 62 },
		{ 0x800000000000ULL, 6521908912666391106ULL }, /* the square root of 2 */
		{ 0x400000000000ULL, 5484249825272419511ULL },
		{ 0xffffffffffffULL, 9223372036854753094ULL },
		{ 0x123456789abcULL, 4844693523008348091ULL },
	};

	for (u32 i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_in_range(known[i].y - fx_exp2_frac(known[i].x), 0, 16); /* 2^-58 is 16 units */
}

static void exp2__whole(void **state)
{
	for (u32 i = 0; i < 64; i++)
		assert_int_equal(fx_exp2((u64)i << FX_BITS), 1ULL << i);
	assert_int_equal(fx_exp2(64ULL << FX_BITS), ~0ULL);
	assert_int_equal(fx_exp2(~0ULL), ~0ULL);
	assert_true(fx_exp2((64ULL << FX_BITS) - 1) >
		    ~0ULL - (1ULL << 18)); /* 2^64 x (1 - ln 2 x 2^-48) and a margin */
}

/* There and back: 2^-48 of logarithm is x ln 2 / 2^48, less than a unit below 2^48. */
static void exp2__inverts_log2(void **state)
{
	struct rng r = rng_stream(1, RNG_SIZE, 0);

	for (u32 i = 0; i < 20000; i++) {
		u64 x = (rng_next(&r) >> 16 >> rng_below(&r, 47)) | 1;

		assert_in_range(x - fx_exp2(fx_log2(x)), 0, 1);
	}
}

/* The mean of 1e5 exponentials within 1 % of 1; a share of e^-1 exceeds it. Pinned to the unit as well. */
static void neg_ln__exponential(void **state)
{
	struct rng r = rng_stream(1, RNG_ARRIVAL, 0);
	u32 above = 0;
	u64 sum = 0;

	for (u32 i = 0; i < 100000; i++) {
		u64 e = fx_neg_ln(rng_next(&r));

		sum += e >> 16; /* Q32, so that the sum fits */
		above += e > FX_ONE;
	}
	assert_in_range(sum, 99000ULL << 32, 101000ULL << 32);
	assert_in_range(above, 36400, 37200);
	assert_int_equal(sum, 428811589329891ULL);
}

/* Golden: exact outputs, which results depend on to the last bit. */
static void all__pinned(void **state)
{
	assert_int_equal(fx_log2(123456789), 7565887195822588ULL);
	assert_int_equal(fx_ln(123456789), 5244273378219017ULL);
	assert_int_equal(fx_neg_ln(0x123456789abcdefULL), 1524496734573064ULL);
	assert_int_equal(fx_exp2_frac(0x5a5a5a5a5a5aULL), 5889868681171463915ULL);
	assert_int_equal(fx_exp2(0x2a5a5a5a5a5a5aULL), 5617016488238ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log2__known),         cmocka_unit_test(log2__grows),
		cmocka_unit_test(neg_ln__known),       cmocka_unit_test(exp2__known),
		cmocka_unit_test(exp2__whole),         cmocka_unit_test(exp2__inverts_log2),
		cmocka_unit_test(neg_ln__exponential), cmocka_unit_test(all__pinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
