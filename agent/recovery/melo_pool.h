/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MELO's bits pool (APNet 2017, 3.2.3 and figure 3; REFERENCE 3.2): all connections of a host share one pool of bits,
 * in blocks of a byte. A connection's bitmap is a linked list of blocks that is read and written at its front and its
 * end only, so that every access is a few memory cycles of hardware. Block k of a bitmap covers packets 8k .. 8k+7.
 */
#ifndef LOSSLAB_MELO_POOL_H
#define LOSSLAB_MELO_POOL_H

#include <stdbool.h>

#include "bpf/types.h"

#define MELO_BLOCK 8        /* bits: "MELO chooses 1B as the block size" */
#define MELO_BLOCKS_MAX 256 /* block numbers have 8 bits */

struct melo_pool {
	u32 blocks;                   /* 1 .. MELO_BLOCKS_MAX */
	u32 avail_ptr;                /* avail[avail_ptr] and all above are free: as many blocks as this are in use */
	u32 peak;                     /* the most it has been */
	u8 avail[MELO_BLOCKS_MAX];    /* a stack of block numbers */
	u8 next_ptr[MELO_BLOCKS_MAX]; /* of each block in use but a list's last: the block that follows */
	u8 bits[MELO_BLOCKS_MAX];     /* packet n's is bit n % 8 of its block */
};

/* A connection's bitmap. All zero is an empty list. */
struct melo_list {
	u32 begin;             /* first packet covered, a multiple of 8 */
	u32 end;               /* first packet beyond, a multiple of 8; an empty list has end == begin */
	u8 start_ptr, end_ptr; /* blocks of packets begin and end - 1 */
};

/* A pool of @bits (8 .. 2048, a multiple of 8), all free. */
void melo_pool_init(struct melo_pool *pool, u32 bits);

/* Bits in free blocks. */
static inline u32 melo_pool_free(const struct melo_pool *pool)
{
	return (pool->blocks - pool->avail_ptr) * MELO_BLOCK;
}

/* Bits that melo_list_extend() would take from the pool. */
u32 melo_list_need(const struct melo_list *l, u32 first, u32 last);

/*
 * End access: add blocks of zeros until packet @last is covered. An empty list is begun with the block of packet
 * @first <= @last. All or nothing: false, and no block taken, if the pool has too few.
 */
bool melo_list_extend(struct melo_pool *pool, struct melo_list *l, u32 first, u32 last);

/* Front access: forget the bits of all packets below @first and give back the blocks that hold none above. */
void melo_list_advance(struct melo_pool *pool, struct melo_list *l, u32 first);

/* Give all blocks back. */
static inline void melo_list_clear(struct melo_pool *pool, struct melo_list *l)
{
	melo_list_advance(pool, l, l->end);
}

/* Is packet @n in the first or the last block of the list? The bits of others cannot be reached. */
static inline bool melo_list_reaches(const struct melo_list *l, u32 n)
{
	return n >= l->begin && n < l->end && (n - l->begin < MELO_BLOCK || l->end - n <= MELO_BLOCK);
}

/* The block of a packet that the list reaches. */
static inline u8 melo_list_block(const struct melo_list *l, u32 n)
{
	return n - l->begin < MELO_BLOCK ? l->start_ptr : l->end_ptr;
}

/* The bit of a packet that the list reaches. */
static inline bool melo_list_test(const struct melo_pool *pool, const struct melo_list *l, u32 n)
{
	return pool->bits[melo_list_block(l, n)] >> (n % MELO_BLOCK) & 1;
}

static inline void melo_list_set(struct melo_pool *pool, const struct melo_list *l, u32 n)
{
	pool->bits[melo_list_block(l, n)] |= 1U << (n % MELO_BLOCK);
}

/*
 * What MELO adds to the state of one connection, in hundredths of a byte, rounded up (paper 3.2.4; REFERENCE 3.6):
 * its own pointers and hole descriptors, and its share of both sides' pools of @bits each among @connections >= 1.
 */
u64 melo_bytes_per_connection_x100(u32 bits, u32 connections);

/*
 * Copying @bytes out of reorder buffers within @ps > 0 as a share of one 2.4 GHz core, in millionths, by the paper's
 * worst case (4.2.1, figure 6(a)): 40 Gb/s cost 82.2 % of a core. More than a million: more than a core.
 */
u64 melo_copy_cpu_ppm(u64 bytes, u64 ps);

#endif
