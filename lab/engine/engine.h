/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the conductor asks of an engine: to run all nodes that have something to do up to a window's end. The kernel
 * engine does it with BPF programs, agents and veths; the twin in plain memory.
 */
#ifndef LOSSLAB_ENGINE_H
#define LOSSLAB_ENGINE_H

#include "agent/agent.h"
#include "lab/plan/plan.h"

/* What a host has to say at the end of a run. */
struct host_report {
	struct nic_stats stats;
	struct recovery_stats recovery;
	struct pause_state pause; /* of its port */
	u64 clock;                /* its last event */
	struct credit_tx credit;  /* fc=credit: what it has sent, and may */
};

struct engine {
	const struct plan *plan;
	struct plan_memory mem;
	struct host_view *hosts;
	u64 foreign; /* frames that were not the lab's */
	const struct engine_ops *ops;
	struct err err; /* one line, when a call has failed */
};

struct engine_ops {
	/*
	 * Run every node whose cell says next < until, up to @until; leave in its cell the time of its next event as
	 * far as it knows itself, and in `arrival` of other nodes' cells the earliest frame sent to them. Returns when
	 * all frames sent have arrived. 0 or -errno with e->err.
	 */
	int (*window)(struct engine *e, u64 until);
	/* The run is over at @now: fill the flow table's results and a report per host, and stop. */
	int (*finish)(struct engine *e, u64 now, struct host_report *reports);
	void (*destroy)(struct engine *e);
};

/* Either returns NULL with err filled in and *rc = -errno. */
struct engine *twin_new(const struct plan *f, int *rc, struct err *err);
struct engine *kernel_new(const struct plan *f, const char *lab, int *rc, struct err *err);

/* Say in e->err what state->error means; returns -errno. */
int engine_state_error(struct engine *e);

#endif
