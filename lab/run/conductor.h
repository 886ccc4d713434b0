/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conductor: moves virtual time on, window by window, until a run is over. */
#ifndef LOSSLAB_CONDUCTOR_H
#define LOSSLAB_CONDUCTOR_H

#include "lab/run/deadlock.h"
#include "lab/run/fault_apply.h"
#include "lab/engine/engine.h"
#include "lab/run/sample.h"
#include "lab/run/tracer.h"

struct conductor {
	struct engine *engine;
	/* Called every few hundred windows with what is done so far; may be NULL. Non-zero ends the run (-EINTR). */
	int (*progress)(void *ctx, u32 completed, u32 flows, u64 now);
	void *progress_ctx;
	/* results */
	const char *status; /* "done", "arrivals", "stopped", "stuck", "deadlock" */
	u64 now;            /* virtual time, ps; after collect_records() the end of the run */
	u64 windows;
	u64 completed;
	struct deadlock deadlock; /* of status "deadlock"; free with conductor_free() */
	struct fault_run faults;
	struct sampler sampler; /* the result's, once records are collected */
	struct tracer tracer;   /* the same */
};

/*
 * Run to the end. 0 (also when the run hangs), or -errno with engine->err; -EINTR if interrupted (lab/interrupt.h).
 */
int conductor_run(struct conductor *c);
void conductor_free(struct conductor *c);

#endif
