/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frame an output sends next: between classes by strict priority or weighted round-robin, within a class
 * round-robin over the inputs.
 */
#ifndef LOSSLAB_ARBITER_H
#define LOSSLAB_ARBITER_H

#include "bpf/bits.h"
#include "bpf/abi.h"

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

/*
 * Weighted round-robin: the class to serve next of those that have frames and are not paused at @now; FAB_CLASSES if
 * there is none. A class is served until it has used up its quantum of @wrr_quantum[class] bytes on the wire. What the
 * last frame takes beyond the quantum is deducted from the next one. What is left of a quantum when a class empties or
 * is paused is lost as soon as another class is served. This is surplus round-robin (Adiseshu, Parulkar and Varghese
 * 1996): unlike deficit round-robin it need not know the length of the next frame. Call arbiter_wrr_sent() with what
 * has been sent.
 */
static inline u32 arbiter_class_wrr(u8 busy, const struct pause_state *pause, u64 now, const u32 *wrr_quantum,
				    struct wrr *t)
{
	u32 at = t->at & (FAB_CLASSES - 1);

	if ((busy >> at & 1) && pause->until[at] <= now && t->left[at] > 0)
		return at;
	for (u32 n = 1; n <= FAB_CLASSES; n++) {
		u32 c = (at + n) & (FAB_CLASSES - 1);

		if (!(busy >> c & 1) || pause->until[c] > now)
			continue;
		t->left[c] = (t->left[c] < 0 ? t->left[c] : 0) + (s32)wrr_quantum[c];
		t->at = c;
		return c;
	}
	return FAB_CLASSES;
}

/* A frame of class @class has been sent, @bytes on the wire: take it off the quantum. */
static inline void arbiter_wrr_sent(struct wrr *t, u32 class, u32 bytes)
{
	t->left[class & (FAB_CLASSES - 1)] -= (s32)bytes;
}

/* The first input of @inputs (not 0) at or after @turn, in circular order. */
static inline u32 arbiter_input(u64 inputs, u32 turn)
{
	u64 ahead = inputs & ~((1ULL << (turn & 63)) - 1);

	return ctz64(ahead ? ahead : inputs);
}

/*
 * How long @bytes take through a crossbar @speedup hundredths as fast as a port of @ps_per_byte. Rounded up, so that
 * nothing gains by crossing in parts.
 */
static inline u64 xbar_time(u32 bytes, u32 ps_per_byte, u32 speedup)
{
	u32 s = speedup ? speedup : 100;

	return ((u64)bytes * ps_per_byte * 100 + s - 1) / s;
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
