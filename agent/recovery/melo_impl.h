/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What MELO's files share: recovery_melo.c (the sender of data), melo_receiver.c, and melo_cache.c (which connections
 * are on chip).
 */
#ifndef LOSSLAB_MELO_IMPL_H
#define LOSSLAB_MELO_IMPL_H

#include "agent/recovery/melo_pool.h"
#include "agent/recovery/recovery.h"

/* In recovery_params.own. */
struct melo_params {
	u32 bits;   /* of each of a host's two pools, a multiple of 8, 8..2048 */
	u32 cache;  /* connections whose state is on chip at a time, per host and direction; 0 = all */
	u64 swap;   /* ps to fetch a connection's state from off-chip memory */
	bool holes; /* a timeout resends the holes only, not all from the front */
};
_Static_assert(sizeof(struct melo_params) <= sizeof(u64) * RECOVERY_PARAMS, "own parameters");

extern const struct recovery_ops recovery_melo;

static inline const struct melo_params *melo_params(const struct recovery_params *p)
{
	return (const struct melo_params *)p->own;
}

/*
 * One end of a connection as the cache sees it. The struct that holds it must not move while the connection is open.
 * The list is empty exactly if high is no more than the first packet missing (RCV.NXT, una); else packet high - 1 has
 * its bit set in the list's last block.
 */
struct melo_conn {
	struct melo_list list;
	u32 high;         /* one above the highest packet known to have arrived */
	u32 stored;       /* blocks of the bitmap that are off chip */
	u32 stored_begin; /* ... and the first packet that they cover */
	bool on_chip;     /* of interest only where the cache is limited */
	u8 *store;        /* off-chip memory, room for the whole pool; NULL where the cache is not limited */
	struct melo_conn *newer, *older; /* connections on chip, in the order in which they were last used */
};

/* What the connections of a host share in one direction. */
struct melo_side {
	struct melo_pool pool;
	u32 most; /* connections on chip at a time; 0 = all */
	u32 on_chip;
	u32 connections; /* opened */
	struct melo_conn *newest, *oldest;
	u64 evictions; /* connections evicted from the chip */
	u64 forgotten; /* packets known to have arrived whose bits found no room when their connection came back */
};

struct melo_host {
	struct melo_side rx, tx;
	u64 copied_packets, copied_bytes; /* as in struct recovery_stats */
	u64 drop_middle, drop_pool;
};

/* A sender's private state. Bit n: packet n has arrived, as far as NACKs have told or let guess. */
struct melo_tx {
	struct melo_conn c;
	u32 at;      /* the packet to send next in order: below next after a timeout */
	u32 scan;    /* below c.high: the next hole to resend. Every hole below has been resent */
	u8 scan_ptr; /* its block, while scan < c.high */
};
_Static_assert(sizeof(struct melo_tx) <= sizeof(u64) * RECOVERY_PRIVATE, "private state");

/* A receiver's. Bit n: packet n lies in the reorder buffer. c.high is RCV.HIGH + 1; RCV.NXT is the rqp's expected. */
struct melo_rx {
	struct melo_conn c;
	u32 n_holes;
	struct range holes[RANGES_MAX]; /* the nearest to RCV.HIGH, lowest first */
};
_Static_assert(sizeof(struct melo_rx) <= sizeof(u64) * RECOVERY_PRIVATE, "private state");

static inline struct melo_tx *melo_tx(const struct sqp *q)
{
	return (struct melo_tx *)q->priv;
}

static inline struct melo_rx *melo_rx(const struct rqp *r)
{
	return (struct melo_rx *)r->priv;
}

/* Room for the bitmap off chip, if it may have to go there. 0, or -1 without memory. */
int melo_conn_open(struct melo_side *side, struct melo_conn *c);
/* Give back blocks, the place on chip and the memory off it. */
void melo_conn_close(struct melo_side *side, struct melo_conn *c);
bool melo_conn_fetch(struct melo_side *side, struct melo_conn *c);

/*
 * A connection is about to be used: see that it is on chip. True if its bitmap came back from off chip: then its
 * blocks are others than before, and high may have fallen.
 */
static inline bool melo_conn_touch(struct melo_side *side, struct melo_conn *c)
{
	return side->most && side->newest != c && melo_conn_fetch(side, c);
}

/*
 * Is its state off chip? Never where the chip holds all connections; else also before its first use: what has not been
 * used yet has been set up in host memory.
 */
static inline bool melo_conn_away(const struct melo_side *side, const struct melo_conn *c)
{
	return side->most && side->connections > side->most && !c->on_chip;
}

int melo_open_receiver(struct rqp *r);
void melo_close_receiver(struct rqp *r);
u64 melo_fetch_receiver(const struct rqp *r);
void melo_receive(struct rqp *r, const struct data_event *d, struct reply *reply);

#endif
