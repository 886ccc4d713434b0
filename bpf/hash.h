/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashing: all randomness in the switches is a pure function of (seed, place, time or count). */
#ifndef LOSSLAB_HASH_H
#define LOSSLAB_HASH_H

#include "bpf/types.h"

/* A bijection of 64 bits whose output bits depend on all input bits (the finaliser of SplitMix64; Steele et al. 2014).
 */
static inline u64 mix64(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	x ^= x >> 31;
	return x;
}

/* The rank of an event among those that tie with it: by seed, never "lowest port first". */
static inline u64 tie_rank(u64 seed, u32 node, u32 port, u64 time)
{
	return mix64(mix64(mix64(seed) ^ ((u64)node << 32 | port)) ^ time);
}

/* The @n-th draw of a place's generator (SplitMix64: a counter, mixed); the upper half, 32 bits. */
static inline u32 draw32(u64 seed, u32 place, u64 n)
{
	return mix64(mix64(mix64(seed) ^ place) + n * 0x9e3779b97f4a7c15ULL) >> 32;
}

#endif
