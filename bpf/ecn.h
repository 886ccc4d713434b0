/* SPDX-License-Identifier: GPL-2.0 */
/* ECN marking by queue length, as DCQCN's congestion point (SIGCOMM 2015, section 3.1, figure 5). */
#ifndef LOSSLAB_ECN_H
#define LOSSLAB_ECN_H

#include "bpf/types.h"
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

/* Say so in a frame's IP header. The ICRC covers neither the bits nor the checksum. */
static inline void ecn_write_ce(u8 *frame)
{
	frame[IP_OFF + 1] |= 3;
	put16(frame + IP_OFF + 10, ip_checksum(frame + IP_OFF));
}

#endif
