/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlines of loops that wait for something which should be there at once. They count the time in which the waiting
 * process has been running: if it was stopped (SIGSTOP, a suspended laptop, a paused VM), so was everything that it
 * waits for, and the pause must not fail a run. A gap between two looks counts as DEADLINE_GAP_MS at most.
 */
#ifndef LOSSLAB_DEADLINE_H
#define LOSSLAB_DEADLINE_H

#include <stdbool.h>
#include <time.h>

#include "bpf/types.h"

#define DEADLINE_GAP_MS 100

struct deadline {
	u64 waited; /* ms that count */
	u64 last;   /* ms: the last look; valid if `begun` */
	u32 limit;  /* ms */
	bool begun;
};

/* Look at @now, ms: has the deadline passed? The first look starts it. After `true`, look at the counter once more. */
static inline bool deadline_look(struct deadline *d, u64 now)
{
	u64 gap = d->begun ? now - d->last : 0;

	d->waited += gap < DEADLINE_GAP_MS ? gap : DEADLINE_GAP_MS;
	d->last = now;
	d->begun = true;
	return d->waited > d->limit;
}

/* Something has moved: start again. */
static inline void deadline_restart(struct deadline *d)
{
	d->waited = 0;
	d->begun = false;
}

static inline bool deadline_passed(struct deadline *d)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return deadline_look(d, (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000);
}

#endif
