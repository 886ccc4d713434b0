// SPDX-License-Identifier: GPL-2.0-or-later
/* MELO's bits pool: the stack of free blocks, the lists, and what they cost. */
#include "agent/recovery/melo_pool.h"

#include <string.h>

void melo_pool_init(struct melo_pool *pool, u32 bits)
{
	*pool = (struct melo_pool){ .blocks = bits / MELO_BLOCK };
	for (u32 i = 0; i < pool->blocks; i++)
		pool->avail[i] = i;
}

static u8 allocate(struct melo_pool *pool)
{
	u8 block = pool->avail[pool->avail_ptr++];

	if (pool->avail_ptr > pool->peak)
		pool->peak = pool->avail_ptr;
	pool->bits[block] = 0;
	return block;
}

u32 melo_list_need(const struct melo_list *l, u32 first, u32 last)
{
	u32 from = l->begin == l->end ? first / MELO_BLOCK * MELO_BLOCK : l->end;

	return last < from ? 0 : (last - from) / MELO_BLOCK * MELO_BLOCK + MELO_BLOCK;
}

bool melo_list_extend(struct melo_pool *pool, struct melo_list *l, u32 first, u32 last)
{
	u32 need = melo_list_need(l, first, last);

	if (need > melo_pool_free(pool))
		return false;
	if (need && l->begin == l->end) {
		l->begin = first / MELO_BLOCK * MELO_BLOCK;
		l->end = l->begin + MELO_BLOCK;
		l->start_ptr = l->end_ptr = allocate(pool);
		need -= MELO_BLOCK;
	}
	for (; need; need -= MELO_BLOCK) {
		u8 block = allocate(pool);

		pool->next_ptr[l->end_ptr] = block;
		l->end_ptr = block;
		l->end += MELO_BLOCK;
	}
	return true;
}

void melo_list_advance(struct melo_pool *pool, struct melo_list *l, u32 first)
{
	while (l->begin < l->end && first - l->begin >= MELO_BLOCK && first > l->begin) {
		pool->avail[--pool->avail_ptr] = l->start_ptr;
		l->start_ptr = pool->next_ptr[l->start_ptr];
		l->begin += MELO_BLOCK;
	}
	if (l->begin < l->end && first > l->begin)
		pool->bits[l->start_ptr] &= 0xffU << (first - l->begin);
}

u64 melo_bytes_per_connection_x100(u32 bits, u32 connections)
{
	u64 own = 3 * 4 + 2 * 3 + 2 * 1;  /* holes; RCV.NXT and RCV.HIGH; start_ptr and end_ptr */
	u64 shared = 2ULL * 3 * bits / 8; /* of two sides: bits, next_ptr and avail */

	return own * 100 + (shared * 100 + connections - 1) / connections;
}

u64 melo_copy_cpu_ppm(u64 bytes, u64 ps)
{
	u64 ps_per_byte = 200; /* 40 Gb/s */

	return (unsigned __int128)bytes * ps_per_byte * 822000 / ps;
}
