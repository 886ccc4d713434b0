/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ECMP: one of the ports on a shortest path, by a hash of the 5-tuple that differs from switch to switch. */
#ifndef LOSSLAB_ROUTE_H
#define LOSSLAB_ROUTE_H

#include "bpf/bits.h"
#include "bpf/hash.h"

/* A frame's 5-tuple in 32 bits, the same at every switch. */
static inline u32 route_flow_key(u32 saddr, u32 daddr, u32 ports, u32 proto)
{
	return mix64(mix64((u64)saddr << 32 | daddr) ^ ((u64)proto << 32 | ports)) >> 32;
}

/* Choose among the ports of @mask (not 0). @seed is the switch's own: with one seed for all, the next tier sees one
 * residue class only. */
static inline u32 route_pick(u64 mask, u32 flow_key, u64 seed)
{
	u32 hash;

	if (!(mask & (mask - 1)))
		return ctz64(mask);
	hash = mix64(seed ^ flow_key) >> 32;
	return select64(mask, (u64)hash * popcount64(mask) >> 32);
}

#endif
