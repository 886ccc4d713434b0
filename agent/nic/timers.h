/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Retransmission timers of many connections: a binary heap with lazy restarts. A timer that is put off stays
 * where it is; when it comes up too early it is put back with its true time. So a restart costs nothing.
 */
#ifndef LOSSLAB_TIMERS_H
#define LOSSLAB_TIMERS_H

#include "bpf/types.h"

struct timer {
	u64 time; /* not after the true deadline */
	u64 rank; /* breaks ties */
	u32 who;
};

struct timers {
	struct timer *heap;
	u32 n, room;
};

int timers_init(struct timers *t, u32 room);
void timers_free(struct timers *t);
/* Add one; there is room for `room`. */
void timers_push(struct timers *t, u64 time, u64 rank, u32 who);
/* Take the first away. Not to be called on an empty heap. */
struct timer timers_pop(struct timers *t);

static inline u64 timers_next(const struct timers *t)
{
	return t->n ? t->heap[0].time : TIME_NEVER;
}

#endif
