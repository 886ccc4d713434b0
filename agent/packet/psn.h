/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PSN arithmetic: 24 bits, serial (IBTA 1.3, 9.7.2; REFERENCE 2.1: diff is the sign-extended 24-bit difference). */
#ifndef LOSSLAB_PSN_H
#define LOSSLAB_PSN_H

#include "bpf/wire.h"

/* Most PSNs a requester may have outstanding: beyond, old and new cannot be told apart. */
#define PSN_WINDOW_MAX (1U << 23)

/* a - b: > 0 if @a is later, 0 if equal, < 0 if earlier; exactly 2^23 ahead reads as earlier. */
static inline s32 psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline u32 psn_add(u32 psn, u32 n)
{
	return (psn + n) & PSN_MASK;
}

#endif
