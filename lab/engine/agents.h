/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The agents: a process per host, in its namespace, woken for windows in which the host has something to do. They
 * and the conductor share one page per host and a count of those still at work.
 */
#ifndef LOSSLAB_AGENTS_H
#define LOSSLAB_AGENTS_H

#include <sys/types.h>

#include "lab/engine/engine.h"

/* One host's page. The conductor writes the first line, the agent the rest. */
struct agent_cell {
	u32 go; /* futex: counts windows */
	u32 quit;
	u64 until;
	u64 expect;            /* lab frames sent to this host in earlier windows */
	_Alignas(64) u32 done; /* go of the window last finished */
	int error;
	u64 next;    /* the next event it knows of */
	u64 arrival; /* earliest arrival of what it sent in this window */
	u64 sent;    /* frames since the start */
	u64 foreign;
	struct host_view view;
	struct nic_stats stats;
	/* as of quit */
	struct recovery_stats recovery;
	u64 clock;
	struct pause_state pause;
	struct credit_tx credit;
	char message[160];
};

struct agents {
	const struct plan *plan;
	u32 n;
	pid_t *pids;
	struct agent_cell *cells; /* shared */
	u32 *pending;             /* shared futex: agents still at work */
};

/*
 * Start an agent per host of @lab. @rx: the switch ports' counts of received frames, mapped from BPF. Returns when all
 * are ready: 0, or -errno and err filled in with none left running.
 */
int agents_start(struct agents *a, const struct plan *f, const char *lab, const struct port_rx *rx, struct err *err);
/* Set host @h to work on its cell's window. Call agents_wait() after the last one. */
void agents_wake(struct agents *a, u32 h);
/* Wait for all that were woken. 0, or -errno and a line in err: an agent failed, died, or is behind. */
int agents_wait(struct agents *a, struct err *err);
/* Have all report and end. */
int agents_finish(struct agents *a, struct err *err);
/* End and reap whatever is left, and free. */
void agents_stop(struct agents *a);

#endif
