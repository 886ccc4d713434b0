/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs that hang: flows are unfinished, and nothing will finish them. Either a deadlock is there (lab/run/deadlock.h),
 * or no host has received a new packet for plan.stuck_after.
 */
#ifndef LOSSLAB_HANG_H
#define LOSSLAB_HANG_H

#include <stdio.h>

#include "lab/plan/plan.h"
#include "lab/records/records.h"
#include "lab/run/deadlock.h"

/* What is known of a run's progress. */
struct hang_watch {
	const struct plan *plan;
	u64 *starts;      /* [flows]: start times in order */
	u32 begun;        /* flows that have begun */
	u64 packets;      /* new packets received by all hosts, at the last look */
	u64 since;        /* virtual time of the last progress, or of the last moment without an unfinished flow */
	u64 deadlock_due; /* when to look for a deadlock again */
};

/* 0 or -ENOMEM; hang_watch_free() in any case. */
int hang_watch_init(struct hang_watch *w, const struct plan *f);
void hang_watch_free(struct hang_watch *w);

/* Flows that have begun before @now and have neither finished nor stopped in error. */
u32 unfinished_flows(const struct plan *f, u64 now);

/* What the conductor knows when it asks whether a run hangs. */
struct hang_state {
	u64 now;            /* the next event, or stop_at if that is earlier */
	u64 packets;        /* new packets received by all hosts so far */
	u64 completed;      /* flows that have reached their end */
	bool fault_pending; /* a scheduled fault is still to come: it may set things going again */
};

/* Has there been no progress for stuck_after although flows are unfinished? Never while a fault is pending. */
bool hang_is_stuck(struct hang_watch *w, const struct hang_state *s);
/*
 * Is it time to look for a deadlock? One never dissolves unless a fault or a watchdog does it, so a run that has one
 * need not go on.
 */
bool hang_deadlock_due(struct hang_watch *w, const struct hang_state *s);

/*
 * Say what a run that hangs waits for, as of @now: the cycle of a deadlock; unfinished flows and paused
 * ports, one line each, at most @most of either.
 */
void hang_explain(const struct plan *f, const struct plan_memory *m, u64 now, const struct run_result *r, u32 most,
		  FILE *out);

#endif
