/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent: the process that is one host. It runs the host's NIC window by window, as the conductor asks it to, and
 * shares a page with it. The conductor's half (starting, waking, waiting) is lab/engine/agents.c.
 */
#ifndef LOSSLAB_AGENT_H
#define LOSSLAB_AGENT_H

#include "agent/io_packet.h"
#include "agent/nic/nic.h"

/* What the conductor knows of a host, as of the end of the last window. */
struct host_view {
	u64 completed;   /* flows received in full */
	u64 fresh;       /* packets received for the first time */
	u64 fresh_bytes; /* their payload */
};

/* One host's page. The conductor writes the first cache line, the agent the rest. */
struct agent_cell {
	u32 go; /* futex: counts windows */
	u32 quit;
	u64 until;
	u64 expect;            /* lab frames sent to this host in earlier windows */
	_Alignas(64) u32 done; /* go of the window last finished */
	int error;             /* -errno: it has failed, and `message` says why */
	u64 next;              /* the next event it knows of */
	u64 arrival;           /* earliest arrival of what it sent in this window */
	u64 sent;              /* frames since the start */
	u64 foreign;           /* frames that were not the lab's */
	struct host_view view;
	struct nic_stats stats;
	/* as of quit */
	struct recovery_stats recovery;
	u64 clock;
	struct pause_state pause;
	struct credit_tx credit;
	char message[160];
};

struct agent_params {
	struct agent_cell *cell; /* shared with the conductor */
	u32 *pending;            /* shared futex: agents still at work; the last one wakes the conductor */
	struct io_params io;
	const struct nic_params *nic;
	void (*delay)(u32 who); /* called before each window (tests); may be NULL */
};

/*
 * Be the agent, in the host's network namespace, until cell->quit: report that it is ready, then run a window each time
 * `go` advances. Returns the exit code.
 */
int agent_run(const struct agent_params *par);
/* Report in place of agent_run() that this host cannot start. */
void agent_fail(const struct agent_params *par, int rc, const char *message);

#endif
