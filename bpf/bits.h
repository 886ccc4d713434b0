/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bit operations that BPF's instruction set lacks. (Baseline x86-64 has no instruction to count ones either.) */
#ifndef LOSSLAB_BITS_H
#define LOSSLAB_BITS_H

#include "bpf/types.h"

/* Number of ones. */
static inline u32 popcount64(u64 x)
{
	x -= (x >> 1) & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (x * 0x0101010101010101ULL) >> 56;
}

/* Index of the lowest one; 64 if there is none. */
static inline u32 ctz64(u64 x)
{
#ifdef __bpf__
	return popcount64(~x & (x - 1));
#else
	return x ? __builtin_ctzll(x) : 64;
#endif
}

/*
 * Index of the @n-th one (n = 0: the lowest); n < popcount64(x). In BPF six halvings: no loop for the verifier to
 * unroll. Otherwise the ones below are taken off: equal paths are few.
 */
static inline u32 select64(u64 x, u32 n)
{
#ifdef __bpf__
	u32 pos = 0;

#pragma unroll
	for (u32 half = 32; half; half /= 2) {
		u32 below = popcount64(x & ((1ULL << half) - 1));
		u32 up = n >= below ? half : 0;

		n -= up ? below : 0;
		x >>= up;
		pos += up;
	}
	return pos;
#else
	while (n--)
		x &= x - 1;
	return ctz64(x);
#endif
}

#endif
