/* SPDX-License-Identifier: GPL-2.0 */
/* Which frame an output sends next: strict priority between classes, round-robin over the inputs within one. */
#ifndef LOSSLAB_ARBITER_H
#define LOSSLAB_ARBITER_H

#include "bpf/bits.h"
#include "bpf/fabric.h"

/* The highest class that has frames and is not paused at @now; FAB_CLASSES if there is none. */
static inline u32 arbiter_class(u8 busy, const struct pause_state *pause, u64 now)
{
	for (u32 n = 0; n < FAB_CLASSES; n++) {
		u32 c = FAB_CLASSES - 1 - n;

		if ((busy >> c & 1) && pause->until[c] <= now)
			return c;
	}
	return FAB_CLASSES;
}

/* The first input of @inputs (not 0) at or after @turn, in circular order. */
static inline u32 arbiter_input(u64 inputs, u32 turn)
{
	u64 ahead = inputs & ~((1ULL << (turn & 63)) - 1);

	return ctz64(ahead ? ahead : inputs);
}

/* When the first of the classes in @busy may be sent, as far as pauses go; TIME_NEVER if @busy is 0. */
static inline u64 arbiter_ready(u8 busy, const struct pause_state *pause)
{
	u64 ready = TIME_NEVER;

	for (u32 c = 0; c < FAB_CLASSES; c++) {
		if (!(busy >> c))
			break;
		if ((busy >> c & 1) && pause->until[c] < ready)
			ready = pause->until[c];
	}
	return ready;
}

#endif
