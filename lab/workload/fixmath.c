// SPDX-License-Identifier: GPL-2.0-or-later
/* Logarithm and power in fixed point. Error bounds are derived beside each step and tested in test_fixmath.c. */
#include "lab/workload/fixmath.h"

#define LN2_Q64 0xb17217f7d1cf79abULL /* ln 2 x 2^64, rounded down */
#define EXP_TERMS 20                  /* (ln 2)^21 / 21! < 2^-76: what the series leaves out */

/*
 * Squaring a number in [1, 2) doubles its logarithm: the bit that moves in front of the binary point is the
 * next bit of the result. Cutting a square to 63 bits loses less than 1.45 x 2^-63 of logarithm, which counts
 * half as much at each further bit: less than 2^-62 altogether, beside the 2^-48 of ending after 48 bits.
 */
u64 fx_log2(u64 x)
{
	u32 whole = 63 - (u32)__builtin_clzll(x | 1);
	u64 m = (x ? x : 1) << (63 - whole); /* 1.63 */
	u64 result = whole;

	for (u32 i = 0; i < FX_BITS; i++) {
		u128 square = (u128)m * m; /* 2.126, in [1, 4) */
		u32 bit = (u32)(square >> 127);

		m = (u64)(square >> (63 + bit));
		result = result << 1 | bit;
	}
	return result;
}

u64 fx_ln(u64 x)
{
	return (u64)(((u128)fx_log2(x) * LN2_Q64) >> 64);
}

u64 fx_neg_ln(u64 r)
{
	u64 log2 = (64ULL << FX_BITS) - fx_log2(r); /* -log2(r / 2^64) */

	return (u64)(((u128)log2 * LN2_Q64) >> 64);
}

/*
 * 2^f = e^y with y = f ln 2: the exponential series by Horner's rule, 1 + y/1 (1 + y/2 (1 + y/3 ...)).
 * Each round cuts off less than 2 units of 2^-62, and what earlier rounds lost is multiplied by y/k: less than
 * 2 e^y = 4 units in all, and as much again at most from y itself being cut to 64 bits.
 */
u64 fx_exp2_frac(u64 f)
{
	const u64 one = 1ULL << 62;
	u64 y = (u64)(((u128)(f << (64 - FX_BITS)) * LN2_Q64) >> 64); /* 0.64 */
	u64 sum = one;                                                /* 2.62 */

	for (u32 k = EXP_TERMS; k > 0; k--)
		sum = one + (u64)(((u128)sum * y) >> 64) / k;
	return sum;
}

u64 fx_exp2(u64 x)
{
	u64 whole = x >> FX_BITS;
	u64 m = fx_exp2_frac(x & (FX_ONE - 1));

	if (whole > 63)
		return ~0ULL;
	return whole == 63 ? m << 1 : m >> (62 - whole);
}
