/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names for fixed-width integers, the same in BPF programs and in user space. */
#ifndef LOSSLAB_TYPES_H
#define LOSSLAB_TYPES_H

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64; /* "%llu" in printf, on every architecture we build for */
typedef __s32 s32;
typedef __s64 s64;

/* Virtual times are picoseconds since the lab's start. */
#define TIME_NEVER ((u64)~0ULL)
#define PS_PER_NS 1000ULL
#define PS_PER_US 1000000ULL
#define PS_PER_MS 1000000000ULL
#define PS_PER_S (1000 * PS_PER_MS)

static inline u64 min64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max64(u64 a, u64 b)
{
	return a > b ? a : b;
}

#endif
