/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sliding bitmap over packet numbers: bit n stands for packet n as long as n lies in a window no larger than
 * the bitmap. Moving the window is clearing what it leaves behind; nothing is ever shifted.
 */
#ifndef LOSSLAB_BITMAP_H
#define LOSSLAB_BITMAP_H

#include <stdbool.h>
#include <stdlib.h>

#include "bpf/types.h"

struct bitmap {
	u64 *words;
	u32 mask; /* bits - 1, bits a power of two, at least 64 */
};

/* Room for a window of @window packets. 0 or -1 without memory. */
static inline int bitmap_init(struct bitmap *b, u32 window)
{
	u64 bits = 64;

	while (bits < window)
		bits *= 2;
	b->mask = bits - 1;
	b->words = calloc(bits / 64, sizeof(u64));
	return b->words ? 0 : -1;
}

static inline void bitmap_free(struct bitmap *b)
{
	free(b->words);
	b->words = NULL;
}

static inline bool bitmap_test(const struct bitmap *b, u32 n)
{
	n &= b->mask;
	return b->words[n / 64] >> (n % 64) & 1;
}

static inline void bitmap_set(struct bitmap *b, u32 n)
{
	n &= b->mask;
	b->words[n / 64] |= 1ULL << (n % 64);
}

static inline void bitmap_clear(struct bitmap *b, u32 n)
{
	n &= b->mask;
	b->words[n / 64] &= ~(1ULL << (n % 64));
}

/* The first clear bit at or after @n and before @end; @end if there is none. */
static inline u32 bitmap_next_clear(const struct bitmap *b, u32 n, u32 end)
{
	while (n < end) {
		u32 at = n & b->mask;
		u64 clear = ~b->words[at / 64] >> (at % 64);

		if (clear) {
			n += __builtin_ctzll(clear);
			return n < end ? n : end;
		}
		n += 64 - at % 64;
	}
	return end;
}

#endif
