/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlock: output ports that wait for each other in a cycle. An output that PFC has paused, or that has no credits
 * left, waits for the buffer behind its link to drain; that buffer waits for the outputs its frames are bound for.
 * Where such waiting leads back to its beginning no frame will ever move again (cyclic buffer dependency).
 */
#ifndef LOSSLAB_DEADLOCK_H
#define LOSSLAB_DEADLOCK_H

#include "lab/plan/plan.h"

struct deadlock {
	u32 class;  /* the traffic class that stands still */
	u32 n;      /* ports in the cycle; 0: there is none */
	u32 *ports; /* [n] lab-wide numbers of outputs: each waits for the next one, the last for the first */
};

/*
 * Look for a deadlock among the switches as they are at @now, between two windows: the first class that has one, and
 * of it one cycle, from its lowest port on. 1 with *d filled in (free d->ports), 0 if there is none, -ENOMEM.
 */
int deadlock_find(const struct plan *f, const struct plan_memory *m, u64 now, struct deadlock *d);

#endif
