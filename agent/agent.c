// SPDX-License-Identifier: GPL-2.0-or-later
/* What runs in a host's process. */
#include "agent/agent.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct agent {
	const struct agent_params *par;
	struct io_packet *io;
	struct nic_io nic_io;
	struct nic *nic;
};

static void finish_window(const struct agent_params *par)
{
	if (__atomic_sub_fetch(par->pending, 1, __ATOMIC_ACQ_REL) == 0)
		syscall(SYS_futex, par->pending, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static const char *reason(const struct agent *g, int rc)
{
	if (io_packet_error(g->io)[0])
		return io_packet_error(g->io);
	return rc == -ETIME ? "a frame came late" : strerror(-rc);
}

static void publish(struct agent *g, u32 window, int rc)
{
	struct agent_cell *c = g->par->cell;

	c->stats = *nic_stats(g->nic);
	c->view.completed = c->stats.completed;
	c->view.fresh = c->stats.fresh;
	c->view.fresh_bytes = c->stats.fresh_bytes;
	c->next = nic_next(g->nic);
	c->arrival = io_packet_first_arrival(g->io);
	c->sent = io_packet_sent(g->io);
	c->foreign = io_packet_foreign(g->io);
	if (!rc && io_packet_error(g->io)[0])
		rc = -EIO;
	if (rc) {
		c->error = rc;
		snprintf(c->message, sizeof(c->message), "%s", reason(g, rc));
	}
	__atomic_store_n(&c->done, window, __ATOMIC_RELEASE);
	finish_window(g->par);
}

static int run_window(struct agent *g)
{
	struct agent_cell *c = g->par->cell;
	int rc;

	if (g->par->delay)
		g->par->delay(g->par->nic->host + 1);
	io_packet_expect(g->io, c->expect);
	rc = nic_advance(g->nic, c->until);
	return rc ? rc : io_packet_flush(g->io);
}

static void report(struct agent *g)
{
	struct agent_cell *c = g->par->cell;

	nic_report(g->nic);
	nic_recovery_stats(g->nic, &c->recovery);
	c->pause = *nic_pause(g->nic);
	c->credit = *nic_credit(g->nic);
	c->clock = nic_clock(g->nic);
}

static void serve(struct agent *g)
{
	struct agent_cell *c = g->par->cell;
	u32 seen = 0;

	for (;;) {
		u32 go = __atomic_load_n(&c->go, __ATOMIC_ACQUIRE);

		if (go == seen) {
			syscall(SYS_futex, &c->go, FUTEX_WAIT, go, NULL, NULL, 0);
			continue;
		}
		seen = go;
		if (c->quit)
			break;
		publish(g, seen, run_window(g));
	}
	report(g);
	publish(g, seen, 0);
}

void agent_fail(const struct agent_params *par, int rc, const char *message)
{
	snprintf(par->cell->message, sizeof(par->cell->message), "%s", message);
	par->cell->error = rc;
	finish_window(par);
}

int agent_run(const struct agent_params *par)
{
	struct agent g = { .par = par };
	char err[IO_ERR_MAX];
	int rc;

	g.io = io_packet_open(&par->io, &rc, err);
	if (!g.io) {
		agent_fail(par, rc, err);
		return 1;
	}
	io_packet_bind(g.io, &g.nic_io);
	g.nic = nic_new(par->nic, &g.nic_io);
	if (!g.nic) {
		agent_fail(par, -ENOMEM, "out of memory");
		return 1;
	}
	publish(&g, 0, 0);
	serve(&g);
	return 0;
}
