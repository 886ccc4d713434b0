/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applying a run's faults (lab/plan/fault.h) to its switches: the conductor ends a window at each fault's instant and
 * calls faults_apply() there. The rules of each fault are in bpf/port_fault.h.
 */
#ifndef LOSSLAB_FAULT_APPLY_H
#define LOSSLAB_FAULT_APPLY_H

#include "lab/plan/plan.h"

/* How far a run has come through its list of faults. Zeroed at first. */
struct fault_run {
	u32 next;             /* the first fault that is not applied yet */
	bool *dead;           /* [links]: those that routes avoid */
	struct routes routes; /* the switches' at present */
};

/* The time of the next fault, ps, or TIME_NEVER. */
u64 faults_next(const struct fault_run *r, const struct faults *p);
/*
 * Apply all faults at @at = faults_next() to the switches in @m, between two windows. Switches whose ports change get
 * an event at @at. 0 or -ENOMEM.
 */
int faults_apply(struct fault_run *r, const struct plan *f, struct plan_memory *m, u64 at);
void fault_run_free(struct fault_run *r);

#endif
