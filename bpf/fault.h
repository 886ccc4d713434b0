/* SPDX-License-Identifier: GPL-2.0 */
/* Faults: what a broken link takes with it, and what a flipped bit is. The same for switches and NICs. */
#ifndef LOSSLAB_FAULT_H
#define LOSSLAB_FAULT_H

#include "bpf/abi.h"
#include "bpf/wire.h"

/* Set apart from other draws of a port: a fault must not shift what loss and marking draw. */
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
 * The bit that a corrupted frame has wrong: BTH's PSN or TCP's urgent pointer. No switch reads it, so the frame gets
 * to where it was bound, and the ICRC or TCP's checksum tells there. (Between switches real links would tell by the
 * FCS: this is what goes wrong inside a switch, between one FCS and the next.)
 */
#define FAULT_BYTE 53

static inline void fault_flip(u8 *head)
{
	head[FAULT_BYTE] ^= 1;
}

#endif
