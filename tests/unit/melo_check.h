/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a pool of bits sound? It walks everything. */
#ifndef LOSSLAB_TESTS_MELO_CHECK_H
#define LOSSLAB_TESTS_MELO_CHECK_H

#include <string.h>

#include "agent/recovery/melo_pool.h"

/* Marks the blocks of a list as seen; none may have been. */
static inline bool melo_check_list(const struct melo_pool *pool, const struct melo_list *l, u8 *seen)
{
	u8 block = l->start_ptr;

	if (l->begin > l->end || l->begin % MELO_BLOCK || l->end % MELO_BLOCK)
		return false;
	for (u32 at = l->begin; at < l->end; at += MELO_BLOCK) {
		if (at != l->begin)
			block = pool->next_ptr[block];
		if (block >= pool->blocks || seen[block]++)
			return false;
	}
	return l->begin == l->end || block == l->end_ptr;
}

/*
 * Is every block either free or in exactly one of these @n lists, which are all that there are, and is every list as
 * long as it says?
 */
static inline bool melo_pool_check(const struct melo_pool *pool, const struct melo_list *const *lists, u32 n)
{
	u8 seen[MELO_BLOCKS_MAX] = { 0 };

	for (u32 i = pool->avail_ptr; i < pool->blocks; i++)
		if (pool->avail[i] >= pool->blocks || seen[pool->avail[i]]++)
			return false;
	for (u32 i = 0; i < n; i++)
		if (!melo_check_list(pool, lists[i], seen))
			return false;
	return pool->avail_ptr <= pool->blocks && !memchr(seen, 0, pool->blocks);
}

#endif
