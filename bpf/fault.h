/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Effects of faults on frames, for switches and NICs alike: which frames a broken link loses, which bit is corrupted.
 */
#ifndef LOSSLAB_FAULT_H
#define LOSSLAB_FAULT_H

#include "bpf/abi.h"
#include "bpf/wire.h"

/* A random stream of its own: a fault must not change what loss and marking draw. */
#define FAULT_SEED 0x6661756c74ULL

/*
 * Was the frame of @len bytes, which arrives at @arrival over a link, on that link when it broke at @cut? That is: had
 * it begun to leave the far end. Asked at or after @cut, when all that arrived before has been handled; 0: no break.
 */
static inline int fault_cut(u64 cut, u64 arrival, u32 len, u32 ps_per_byte, u64 delay)
{
	return cut && arrival - delay - (u64)wire_bytes(len) * ps_per_byte < cut;
}

/*
 * Where a corrupted frame has its wrong bit: in the BTH's PSN or in TCP's urgent pointer. No switch reads it, so the
 * frame reaches its destination, where the ICRC or TCP's checksum exposes it. (This models errors inside a switch. On a
 * real link the FCS would catch them.)
 */
#define FAULT_BYTE 53

static inline void fault_flip(u8 *head)
{
	head[FAULT_BYTE] ^= 1;
}

#endif
