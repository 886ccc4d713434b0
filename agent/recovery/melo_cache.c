// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which connections' state is on chip (APNet 2017, 3.2.5; REFERENCE 3.5). The chip is a cache: a connection that is
 * used while it is not there takes the place of another, for which we choose the one not used for the longest. The
 * victim returns all its blocks and its bitmap goes off chip; the newcomer is given blocks to cover its bitmap.
 * Fetching takes time (3.2.1: at least 1 us): the NIC waits for it before it uses the connection (melo_conn_away()).
 * The paper does not say what happens if there are not enough. Here the high end is forgotten: those packets count as
 * not received, and the timeout has them sent again.
 */
#include "agent/recovery/melo_impl.h"

#include <stdlib.h>

int melo_conn_open(struct melo_side *side, struct melo_conn *c)
{
	side->connections++;
	if (!side->most)
		return 0;
	c->store = malloc(side->pool.blocks);
	return c->store ? 0 : -1;
}

static void push_newest(struct melo_side *side, struct melo_conn *c)
{
	c->newer = NULL;
	c->older = side->newest;
	if (c->older)
		c->older->newer = c;
	else
		side->oldest = c;
	side->newest = c;
}

static void unlink_conn(struct melo_side *side, struct melo_conn *c)
{
	if (c->newer)
		c->newer->older = c->older;
	else
		side->newest = c->older;
	if (c->older)
		c->older->newer = c->newer;
	else
		side->oldest = c->newer;
}

void melo_conn_close(struct melo_side *side, struct melo_conn *c)
{
	melo_list_clear(&side->pool, &c->list);
	if (c->on_chip) {
		unlink_conn(side, c);
		side->on_chip--;
		c->on_chip = false;
	}
	free(c->store);
	c->store = NULL;
}

static void put_out(struct melo_side *side, struct melo_conn *c)
{
	struct melo_list *l = &c->list;

	unlink_conn(side, c);
	side->on_chip--;
	side->evictions++;
	c->on_chip = false;
	c->stored_begin = l->begin;
	for (c->stored = 0; l->begin < l->end; c->stored++) {
		c->store[c->stored] = side->pool.bits[l->start_ptr];
		melo_list_advance(&side->pool, l, l->begin + MELO_BLOCK);
	}
}

/* What fits of the bitmap, down to the last block that says anything. */
static void restore(struct melo_side *side, struct melo_conn *c)
{
	u32 room = melo_pool_free(&side->pool) / MELO_BLOCK, fit = c->stored < room ? c->stored : room;

	for (u32 k = fit; k < c->stored; k++)
		side->forgotten += __builtin_popcount(c->store[k]);
	while (fit && !c->store[fit - 1])
		fit--;
	for (u32 k = 0; k < fit; k++) {
		u32 first = c->stored_begin + k * MELO_BLOCK;

		melo_list_extend(&side->pool, &c->list, first, first);
		side->pool.bits[c->list.end_ptr] = c->store[k];
		if (c->store[k])
			c->high = first + 32 - __builtin_clz(c->store[k]);
	}
	c->stored = 0;
}

/* The slow path of melo_conn_touch(). */
bool melo_conn_fetch(struct melo_side *side, struct melo_conn *c)
{
	bool stored = c->stored;

	if (c->on_chip) {
		unlink_conn(side, c);
		push_newest(side, c);
		return false;
	}
	if (side->on_chip == side->most)
		put_out(side, side->oldest);
	push_newest(side, c);
	side->on_chip++;
	c->on_chip = true;
	restore(side, c);
	return stored;
}
