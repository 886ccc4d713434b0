/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credit-based flow control per class, as InfiniBand has it per virtual lane (IBTA 1.3, section 7.9.4). Buffers and
 * frames are counted in blocks of 64 bytes. A transmitter counts the blocks it has sent (FCTBS, total blocks sent); a
 * receiver counts those that have come and says how far the transmitter may count (FCCL, credit limit): what has come,
 * plus what is free. So a transmitter never sends what would find no room, and nothing is ever dropped for want of it.
 *
 * A transmitter sends while there is room for one of the longest frames, whatever is next in line: then it need not
 * know. A receiver speaks up when its limit has grown by a step. Both stop for ever only if the step were so long that
 * an empty buffer is not worth the mention while the transmitter waits: step <= blocks of the buffer - blocks of the
 * longest frame.
 *
 * Counters wrap at 2^32; IBTA's have 12 bits, which would bound a buffer to 128 KB. They begin at 0 with a limit of one
 * buffer on both sides, as after the initialisation of a link.
 *
 * A link that breaks is initialised anew when it mends, as IBTA's LinkInitialize does it: both ends count from 0, a
 * transmitter has no credits until its far end has told it some, and a receiver tells what its buffer has free beside
 * the frames it holds still. What was on the link when it broke, data or credits, never arrives, and so nothing of the
 * old count gets into the new one.
 *
 * FCTBS is there so that a receiver can make up for blocks that were lost on the way, by taking it for what has come.
 * Here no block is lost without being counted: a frame that loss= or a fault's drop= takes is one that arrives damaged,
 * which is counted and takes no room; and a break begins a new count. So FCTBS always agrees with what has come: to
 * take it over would change nothing, and a switch that finds otherwise stops the run, as it does with a frame that
 * finds no room.
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

/* Is there room for @blocks more? */
static inline int credit_enough(const struct credit_tx *t, u32 class, u32 blocks)
{
	return (s32)(t->limit[class] - t->sent[class]) >= (s32)blocks;
}

/*
 * @len bytes of @class have been sent; the link is free again at @free. Short of credits for one of the longest frames,
 * @longest blocks, the class stands still until credits come: a pause without an end.
 */
static inline void credit_sent(struct credit_tx *t, struct pause_state *s, u32 class, u32 len, u32 longest, u64 free)
{
	t->sent[class] += credit_blocks(len);
	if (credit_enough(t, class, longest))
		return;
	s->until[class] = TIME_NEVER;
	s->since[class] = free;
}

/* The far end says how far to count. */
static inline void credit_receive(struct credit_tx *t, struct pause_state *s, u32 class, u32 limit, u32 longest,
				  u64 now)
{
	t->limit[class] = limit;
	if (s->until[class] != TIME_NEVER || !credit_enough(t, class, longest))
		return;
	pause_account(s, class, now);
	s->until[class] = now;
}

/* The link is initialised at @now: the count begins anew, and the class stands still until the far end has spoken. */
static inline void credit_restart_tx(struct credit_tx *t, struct pause_state *s, u32 class, u64 now)
{
	t->sent[class] = t->limit[class] = 0;
	s->until[class] = TIME_NEVER;
	s->since[class] = now;
}

/* The same for a receiver: nothing has come, nothing been told; what the buffer holds stays. */
static inline void credit_restart_rx(struct credit_rx *r, u32 class)
{
	r->received[class] = r->advertised[class] = 0;
}

/* The limit that a receiver with a buffer of @size blocks may tell. */
static inline u32 credit_limit(const struct credit_rx *r, u32 class, u32 size)
{
	return r->received[class] + size - r->held[class];
}

/* Is it worth a frame to say so? */
static inline int credit_must_advertise(const struct credit_rx *r, u32 class, u32 size, u32 step)
{
	return credit_limit(r, class, size) - r->advertised[class] >= step;
}

/* Has the far end used up its credits, to less than one of the longest frames, with nothing to tell it? The buffer is
 * full. */
static inline int credit_exhausted(const struct credit_rx *r, u32 class, u32 size, u32 step, u32 longest)
{
	return r->advertised[class] - r->received[class] < longest && !credit_must_advertise(r, class, size, step);
}

/* How far a limit grows before the far end hears of it: an eighth of the buffer. Blocks. */
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
