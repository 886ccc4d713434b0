/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A switch's memory shared by its input ports, with a dynamic threshold (Choudhury and Hahne 1998; as in the switch
 * model of the HPCC authors' simulator: REFERENCE.md 8.1).
 *
 * Each port and class has a reserve of its own. What it holds beyond that is in the shared pool, as long as this part
 * stays within the threshold: alpha times what is free of the pool. A frame that would take it further goes into the
 * class's headroom, all of it; a class without PFC has none. PAUSE when the threshold is reached or the headroom is in
 * use; resume when the headroom is empty and the shared part is empty too, or BUFFER_RESUME below the threshold.
 *
 * Nothing is lost under PFC: a class that is not paused uses no headroom, so all of it is free when the decision to
 * pause is made. The frame that causes the pause is in the headroom as a whole, which is one byte more than
 * pfc_headroom() counts for it.
 */
#ifndef LOSSLAB_BUFFER_H
#define LOSSLAB_BUFFER_H

#include "bpf/types.h"

#define ALPHA_SHIFT 16 /* alpha is in units of 2^-16 */
#define BUFFER_RESUME 3072

/* What one port and class holds, in bytes. */
struct buffer_use {
	u32 main;     /* in its reserve, then in the shared pool */
	u32 headroom; /* in its headroom */
};

/* What the pool of the switch holds, in bytes; used <= size. */
struct buffer_pool {
	u64 size, used;
};

/* The part of @main bytes that lies in the pool. */
static inline u32 buffer_shared(u32 main, u32 reserve)
{
	return main > reserve ? main - reserve : 0;
}

/* How much of the pool a class may take now. */
static inline u64 buffer_threshold(const struct buffer_pool *pool, u32 alpha)
{
	return (pool->size - pool->used) * alpha >> ALPHA_SHIFT;
}

/*
 * Is there room for a frame of @len bytes outside the headroom? The second check is for an alpha above 1, which allows
 * more than the pool has free.
 */
static inline int buffer_fits(const struct buffer_use *u, const struct buffer_pool *pool, u32 len, u32 reserve,
			      u32 alpha)
{
	u32 shared = buffer_shared(u->main + len, reserve), more = shared - buffer_shared(u->main, reserve);

	return shared <= buffer_threshold(pool, alpha) && more <= pool->size - pool->used;
}

/* Count a frame of @len bytes in; 0 if there is no room for it, neither outside nor in @headroom bytes of headroom. */
static inline int buffer_take(struct buffer_use *u, struct buffer_pool *pool, u32 len, u32 reserve, u32 alpha,
			      u32 headroom)
{
	if (buffer_fits(u, pool, len, reserve, alpha)) {
		pool->used += buffer_shared(u->main + len, reserve) - buffer_shared(u->main, reserve);
		u->main += len;
		return 1;
	}
	if (u->headroom + len > headroom)
		return 0;
	u->headroom += len;
	return 1;
}

/* Count a frame of @len bytes out: the headroom empties first. */
static inline void buffer_give(struct buffer_use *u, struct buffer_pool *pool, u32 len, u32 reserve)
{
	u32 from = u->headroom < len ? u->headroom : len;

	u->headroom -= from;
	len -= from;
	pool->used -= buffer_shared(u->main, reserve) - buffer_shared(u->main - len, reserve);
	u->main -= len;
}

static inline int buffer_must_pause(const struct buffer_use *u, const struct buffer_pool *pool, u32 reserve, u32 alpha)
{
	return u->headroom || buffer_shared(u->main, reserve) >= buffer_threshold(pool, alpha);
}

static inline int buffer_may_resume(const struct buffer_use *u, const struct buffer_pool *pool, u32 reserve, u32 alpha)
{
	u32 shared = buffer_shared(u->main, reserve);

	return !u->headroom && (!shared || (u64)shared + BUFFER_RESUME <= buffer_threshold(pool, alpha));
}

#endif
