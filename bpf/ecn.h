/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ECN marking.
 *
 * red   by queue length, as DCQCN's congestion point (SIGCOMM 2015, section 3.1, figure 5).
 * step  any frame that finds more than kmin bytes in its queue, as DCTCP's (SIGCOMM 2010, section 3.1).
 * ib    HP's proposal for InfiniBand (Turner, Santos, Janakiraman, and its companion papers): when an input buffer is
 *       full, all frames in it are marked (congestion that came from further on), and so are all frames in the switch,
 *       whatever their input, that wait for the root outputs: those that a frame in the full buffer waits for and that
 *       could send now. An output is root until all that waited for it then has left, or until it is stopped itself,
 *       by a PAUSE or for want of credits.
 *       ib-input   only the frames in the full buffer (the simple scheme of HPL-2002-224)
 *       ib-output  only the frames that wait for an output of the full buffer, be it stopped or not (INFOCOM 2003)
 *
 * The proposal counts, per output, the frames that were there when the buffer filled up. Here a switch
 * numbers frames as it queues them: those that were there are those with a number up to the last one at that time. That
 * is exact whatever the order in which inputs are served, and needs no count down. A frame is marked as it leaves.
 */
#ifndef LOSSLAB_ECN_H
#define LOSSLAB_ECN_H

#include "bpf/abi.h"
#include "bpf/wire.h"

/*
 * The probability, x 2^32, of marking a frame that finds @queue bytes ahead of it in its output's VOQs:
 * 0 up to @kmin, rising linearly to @pmax at @kmax, certain beyond. kmin <= kmax.
 */
static inline u64 ecn_red_probability(u64 queue, u32 kmin, u32 kmax, u32 pmax)
{
	if (queue <= kmin)
		return 0;
	if (queue > kmax)
		return 1ULL << 32;
	return (queue - kmin) * pmax / (kmax - kmin);
}

/* Mark? @draw is uniform in 0..2^32-1. */
static inline int ecn_red_mark(u64 queue, u32 kmin, u32 kmax, u32 pmax, u32 draw)
{
	return draw < ecn_red_probability(queue, kmin, kmax, pmax);
}

/* Mark a frame that finds @queue bytes ahead of it? */
static inline int ecn_step_mark(u64 queue, u32 kmin)
{
	return queue > kmin;
}

/*
 * Is the buffer full that holds @occ bytes of at most @limit: could it not take one more frame of @frame_max? @limit is
 * the threshold XOFF under PFC: what lies above it is for frames that were on their way before. (With credits a buffer
 * is full when the far end has none left: credit_exhausted().)
 */
static inline int ecn_ib_full(u32 occ, u32 limit, u32 frame_max)
{
	return (u64)occ + frame_max > limit;
}

/* Is an output, one that a frame of the full buffer waits for, root? @stopped: it may not send now. */
static inline int ecn_ib_root(u32 ecn, int stopped)
{
	return ecn == ECN_IB_OUTPUT || (ecn == ECN_IB && !stopped);
}

/* Mark the frame of number @order, of an input and an output marked up to @full and @root? Numbers begin at 1. */
static inline int ecn_ib_mark(u64 order, u64 full, u64 root)
{
	return order <= full || order <= root;
}

/* Set CE in a frame's IP header and correct its checksum. The ICRC covers neither. */
static inline void ecn_write_ce(u8 *frame)
{
	frame[IP_OFF + 1] |= 3;
	put16(frame + IP_OFF + 10, ip_checksum(frame + IP_OFF));
}

#endif
