/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fc=credit: credit-based flow control per class, as InfiniBand has it per virtual lane (IBTA 1.3, section 7.9.4).
 * Buffers and frames are counted in blocks of 64 bytes. A transmitter counts the blocks it has sent (FCTBS, flow
 * control total blocks sent). A receiver counts the blocks that have arrived, and advertises how far the transmitter's
 * count may go (FCCL, flow control credit limit): arrived + free blocks. So a transmitter never sends a frame for which
 * the buffer has no room, and no frame is dropped for lack of buffer.
 *
 * When to send: while there are credits for one of the longest frames, whatever frame is next. When to advertise: once
 * the limit has grown by a step since the last time. A link would stop for ever if the step were so long that a
 * receiver with an empty buffer does not advertise while its transmitter lacks credits. Hence step <= blocks of the
 * buffer - blocks of the longest frame.
 *
 * Counters wrap at 2^32 (12 bits in IBTA, which would limit a buffer to 128 KB). A run begins as after a link's
 * initialisation: counts of 0, and a limit of one buffer at both ends.
 *
 * A link that comes up after a fault is initialised anew, like IBTA's LinkInitialize: both ends count from 0, a
 * transmitter has no credits until its far end advertises some, and a receiver advertises what its buffer has free
 * beside the frames it still holds. What was on the link when it went down, data or credits, never arrives, so nothing
 * of the old count enters the new one.
 *
 * In IBTA, FCTBS lets a receiver make up for blocks lost on the way: it takes FCTBS for its own count. Here no block is
 * lost uncounted: a frame that loss= or a fault's drop= takes counts as one that arrived damaged and takes no room, and
 * a link that goes down ends the count. So FCTBS always equals the receiver's count. A switch that finds a difference,
 * or no room for a frame, stops the run.
 */
#ifndef LOSSLAB_CREDIT_H
#define LOSSLAB_CREDIT_H

#include "bpf/abi.h"
#include "bpf/pfc.h"
#include "bpf/wire.h"

static inline u32 credit_blocks(u32 bytes)
{
	return (bytes + CREDIT_BLOCK - 1) / CREDIT_BLOCK;
}

/* Has the transmitter credits for @blocks more? */
static inline int credit_enough(const struct credit_tx *t, u32 class, u32 blocks)
{
	return (s32)(t->limit[class] - t->sent[class]) >= (s32)blocks;
}

/*
 * A frame of @len bytes of @class has been sent; the link is free again at @free. If no credits are left for one of the
 * longest frames, @longest blocks, the class is paused until credits arrive: a pause without an end.
 */
static inline void credit_sent(struct credit_tx *t, struct pause_state *s, u32 class, u32 len, u32 longest, u64 free)
{
	t->sent[class] += credit_blocks(len);
	if (credit_enough(t, class, longest))
		return;
	s->until[class] = TIME_NEVER;
	s->since[class] = free;
}

/* Credits have arrived: the far end advertises @limit. */
static inline void credit_receive(struct credit_tx *t, struct pause_state *s, u32 class, u32 limit, u32 longest,
				  u64 now)
{
	t->limit[class] = limit;
	if (s->until[class] != TIME_NEVER || !credit_enough(t, class, longest))
		return;
	pause_account(s, class, now);
	s->until[class] = now;
}

/* The link is initialised at @now: counts are 0, and the class is paused until credits arrive. */
static inline void credit_restart_tx(struct credit_tx *t, struct pause_state *s, u32 class, u64 now)
{
	t->sent[class] = t->limit[class] = 0;
	s->until[class] = TIME_NEVER;
	s->since[class] = now;
}

/* The same for a receiver: nothing has arrived, nothing is advertised. What the buffer holds stays. */
static inline void credit_restart_rx(struct credit_rx *r, u32 class)
{
	r->received[class] = r->advertised[class] = 0;
}

/* The limit that a receiver with a buffer of @size blocks may advertise. */
static inline u32 credit_limit(const struct credit_rx *r, u32 class, u32 size)
{
	return r->received[class] + size - r->held[class];
}

/* Has the limit grown by @step since it was last advertised? */
static inline int credit_must_advertise(const struct credit_rx *r, u32 class, u32 size, u32 step)
{
	return credit_limit(r, class, size) - r->advertised[class] >= step;
}

/*
 * Is the buffer full: has the far end no credits left for one of the longest frames, and is there nothing to advertise?
 */
static inline int credit_exhausted(const struct credit_rx *r, u32 class, u32 size, u32 step, u32 longest)
{
	return r->advertised[class] - r->received[class] < longest && !credit_must_advertise(r, class, size, step);
}

/* By how many blocks a limit grows before it is advertised: an eighth of the buffer. */
static inline u32 credit_step(u32 size)
{
	return size / 8 ? size / 8 : 1;
}

/* The bytes of a credit frame from port @port. */
static inline void credit_build(u8 *b, u32 port, u32 class, u32 fctbs, u32 fccl)
{
	pfc_build(b, port, 0, 0, 0); /* for the addresses */
	put16(b + 12, ETHERTYPE_CREDIT);
	put16(b + ETH_LEN, CREDIT_OPCODE);
	put16(b + CREDIT_CLASS_OFF, class);
	put32(b + CREDIT_FCTBS_OFF, fctbs);
	put32(b + CREDIT_FCCL_OFF, fccl);
}

#endif
