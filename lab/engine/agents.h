/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conductor's half of the agents: starting a process per host in its namespace, waking those that have something
 * to do in a window, waiting for them. They share one page per host and a count of those still at work.
 */
#ifndef LOSSLAB_AGENTS_H
#define LOSSLAB_AGENTS_H

#include <sys/types.h>

#include "agent/agent.h"
#include "lab/engine/engine.h"

struct agents {
	const struct plan *plan;
	u32 n;
	pid_t *pids;
	struct agent_cell *cells; /* shared */
	u32 *pending;             /* shared futex: agents still at work */
};

/*
 * Start an agent per host of @lab. @rx: the switch ports' counts of received frames, mapped from BPF. Returns when all
 * are ready: 0, or -errno and err filled in; agents_stop() in any case.
 */
int agents_start(struct agents *a, const struct plan *f, const char *lab, const struct port_rx *rx, struct err *err);
/* Set host @h to work on its cell's window. Call agents_wait() after the last one. */
void agents_wake(struct agents *a, u32 h);
/*
 * Wait for all that were woken. 0, or -errno and a line in err: an agent failed, died, or hangs; -EINTR: interrupted
 * (lab/interrupt.h). An agent that is stopped (SIGSTOP) is waited for without a deadline.
 */
int agents_wait(struct agents *a, struct err *err);
/* Have all report and end. */
int agents_finish(struct agents *a, struct err *err);
/* End and reap whatever is left, and free. */
void agents_stop(struct agents *a);

#endif
