/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logarithm and power in fixed point, integers only: libm's last bit differs between machines, these do not.
 * Q48: a u64 with 16 bits before and 48 bits after the binary point.
 */
#ifndef LOSSLAB_FIXMATH_H
#define LOSSLAB_FIXMATH_H

#include "bpf/types.h"

typedef unsigned __int128 u128;

#define FX_BITS 48
#define FX_ONE (1ULL << FX_BITS)

/* log2(x) in Q48, x >= 1 (0 is taken as 1). Never above the true value, and less than 2^-48 + 2^-62 below it. */
u64 fx_log2(u64 x);
/* ln(x) in Q48, x >= 1. Never above the true value, and less than 2^-47 below it. */
u64 fx_ln(u64 x);
/*
 * -ln(r / 2^64) in Q48, r >= 1 (0 is taken as 1), within 2^-47: with uniform r an exponential variate of mean 1,
 * at most 44.37.
 */
u64 fx_neg_ln(u64 r);
/* 2^f for a fraction f < 1 in Q48, as 2.62 fixed point, in [1, 2). Never above the true value, within 2^-58 of it. */
u64 fx_exp2_frac(u64 f);
/* 2^x rounded down to an integer, x in Q48; 2^64 and above give 2^64-1. Before rounding as exact as fx_exp2_frac(). */
u64 fx_exp2(u64 x);

#endif
