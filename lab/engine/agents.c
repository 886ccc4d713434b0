// SPDX-License-Identifier: GPL-2.0
/* Agents: starting, waking, waiting, ending. */
#include "lab/engine/agents.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/io_packet.h"
#include "bpf/addr.h"
#include "lab/engine/chaos.h"
#include "lab/netlab/netlab.h"

#define WAIT_MS 100     /* between looks at whether all agents live */
#define WAIT_SECONDS 30 /* of wall time without any agent finishing */

static void futex_wait(u32 *word, u32 value, const struct timespec *timeout)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, timeout, NULL, 0);
}

static void futex_wake(u32 *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static const char *host_name(const struct plan *f, u32 h)
{
	return f->topo->nodes[f->topo->hosts[h]].name;
}

/* ---- in the agent ---- */

struct agent {
	const struct plan *f;
	struct agent_cell *cell;
	u32 *pending;
	u32 host;
	struct io_packet *io;
	struct nic_io nic_io;
	struct nic *nic;
};

static void publish(struct agent *g, u32 window, int rc)
{
	struct agent_cell *c = g->cell;

	c->stats = *nic_stats(g->nic);
	c->view.completed = c->stats.completed;
	c->view.fresh = c->stats.fresh;
	c->next = nic_next(g->nic);
	c->arrival = io_packet_first_arrival(g->io);
	c->sent = io_packet_sent(g->io);
	c->foreign = io_packet_foreign(g->io);
	if (!rc && io_packet_error(g->io)[0])
		rc = -EIO;
	if (rc) {
		c->error = rc;
		snprintf(c->message, sizeof(c->message), "%s",
			 io_packet_error(g->io)[0] ? io_packet_error(g->io)
				 : rc == -ETIME    ? "a frame came late"
						   : strerror(-rc));
	}
	__atomic_store_n(&c->done, window, __ATOMIC_RELEASE);
	if (__atomic_sub_fetch(g->pending, 1, __ATOMIC_ACQ_REL) == 0)
		futex_wake(g->pending);
}

static int work(struct agent *g)
{
	struct agent_cell *c = g->cell;
	int rc;

	chaos_delay(g->host + 1);
	io_packet_expect(g->io, c->expect);
	rc = nic_advance(g->nic, c->until);
	return rc ? rc : io_packet_flush(g->io);
}

static void serve(struct agent *g)
{
	struct agent_cell *c = g->cell;
	u32 seen = 0;

	for (;;) {
		u32 go = __atomic_load_n(&c->go, __ATOMIC_ACQUIRE);

		if (go == seen) {
			futex_wait(&c->go, go, NULL);
			continue;
		}
		seen = go;
		if (c->quit)
			break;
		publish(g, seen, work(g));
	}
	nic_report(g->nic);
	nic_recovery_stats(g->nic, &c->recovery);
	c->pause = *nic_pause(g->nic);
	c->credit = *nic_credit(g->nic);
	c->clock = nic_clock(g->nic);
	publish(g, seen, 0);
}

static int prepare(struct agent *g, const char *lab, const struct port_rx *rx)
{
	u32 port = g->f->host_port[g->host];
	struct io_params par = {
		.ifindex = HOST_IFINDEX_BASE + g->host,
		.frame_max = g->f->frame_max,
		.ring_frames = g->f->ports[port].arrq_mask + 1,
		.far_count = &rx[port].tail,
	};
	int fd = netlab_ns_fd(lab, host_name(g->f, g->host)), rc;

	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		snprintf(g->cell->message, sizeof(g->cell->message), "cannot enter its namespace");
		return fd < 0 ? fd : -errno;
	}
	close(fd);
	g->io = io_packet_open(&par, &rc, g->cell->message);
	if (!g->io)
		return rc;
	io_packet_bind(g->io, &g->nic_io);
	g->nic = nic_new(&g->f->nics[g->host], &g->nic_io);
	if (g->nic)
		return 0;
	snprintf(g->cell->message, sizeof(g->cell->message), "out of memory");
	return -ENOMEM;
}

/* The life of an agent. It dies with the conductor; signals from the terminal are the conductor's business. */
static void agent_main(struct agent *g, const char *lab, const struct port_rx *rx, pid_t conductor)
{
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != conductor)
		_exit(1);
	prctl(PR_SET_NAME, host_name(g->f, g->host));
	rc = prepare(g, lab, rx);
	if (rc) {
		g->cell->error = rc;
		if (__atomic_sub_fetch(g->pending, 1, __ATOMIC_ACQ_REL) == 0)
			futex_wake(g->pending);
		_exit(1);
	}
	publish(g, 0, 0);
	serve(g);
	_exit(0);
}

/* ---- in the conductor ---- */

static int start_one(struct agents *a, u32 h, const char *lab, const struct port_rx *rx)
{
	struct agent g = { .f = a->plan, .cell = &a->cells[h], .pending = a->pending, .host = h };
	pid_t self = getpid();

	a->pids[h] = fork();
	if (a->pids[h] == 0)
		agent_main(&g, lab, rx, self);
	return a->pids[h] < 0 ? -errno : 0;
}

int agents_start(struct agents *a, const struct plan *f, const char *lab, const struct port_rx *rx, struct err *err)
{
	size_t bytes = f->size.hosts * sizeof(*a->cells) + 64;
	int rc = 0;

	memset(a, 0, sizeof(*a));
	a->plan = f;
	a->n = f->size.hosts;
	a->pids = calloc(a->n, sizeof(*a->pids));
	a->cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->cells == MAP_FAILED)
		a->cells = NULL;
	if (!a->pids || !a->cells) {
		return err_set(err, -ENOMEM, "agents: out of memory");
	}
	a->pending = (u32 *)(a->cells + a->n);
	*a->pending = a->n;
	for (u32 h = 0; !rc && h < a->n; h++)
		rc = start_one(a, h, lab, rx);
	if (rc) {
		return err_set(err, rc, "agents: cannot start: %s", strerror(-rc));
	}
	return agents_wait(a, err);
}

void agents_wake(struct agents *a, u32 h)
{
	__atomic_add_fetch(a->pending, 1, __ATOMIC_ACQ_REL);
	__atomic_add_fetch(&a->cells[h].go, 1, __ATOMIC_RELEASE);
	futex_wake(&a->cells[h].go);
}

static int failed(struct agents *a, struct err *err)
{
	for (u32 h = 0; h < a->n; h++) {
		if (!a->cells[h].error)
			continue;
		return err_set(err, a->cells[h].error, "host %s: %s", host_name(a->plan, h), a->cells[h].message);
	}
	return 0;
}

/* Has an agent ended that should not have? */
static int look_for_dead(struct agents *a, struct err *err)
{
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);

	for (u32 h = 0; pid > 0 && h < a->n; h++) {
		if (a->pids[h] != pid)
			continue;
		a->pids[h] = 0;
		if (a->cells[h].quit && WIFEXITED(status) && !WEXITSTATUS(status))
			return 0; /* it was told to */
		if (failed(a, err))
			return -ECHILD;
		return err_set(err, -ECHILD, "host %s: its agent has died (%s %d)", host_name(a->plan, h),
			       WIFSIGNALED(status) ? "signal" : "exit code",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
	return 0;
}

static int behind(struct agents *a, struct err *err)
{
	for (u32 h = 0; h < a->n; h++) {
		if (a->cells[h].done == a->cells[h].go)
			continue;
		return err_set(err, -ETIMEDOUT, "host %s: its agent has not finished a window within %d s",
			       host_name(a->plan, h), WAIT_SECONDS);
	}
	return -ETIMEDOUT;
}

int agents_wait(struct agents *a, struct err *err)
{
	struct timespec pause = { 0, WAIT_MS * 1000000L };
	u32 rounds = 0, pending, last = 0;
	int rc;

	while ((pending = __atomic_load_n(a->pending, __ATOMIC_ACQUIRE))) {
		struct timespec before, after;

		clock_gettime(CLOCK_MONOTONIC, &before);
		futex_wait(a->pending, pending, &pause);
		clock_gettime(CLOCK_MONOTONIC, &after);
		if ((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 < WAIT_MS / 2)
			continue;
		rc = look_for_dead(a, err);
		if (rc)
			return rc;
		rounds = pending == last ? rounds + 1 : 0;
		last = pending;
		if (rounds > WAIT_SECONDS * 1000 / WAIT_MS)
			return behind(a, err);
	}
	return failed(a, err);
}

int agents_finish(struct agents *a, struct err *err)
{
	for (u32 h = 0; h < a->n; h++) {
		a->cells[h].quit = 1;
		agents_wake(a, h);
	}
	return agents_wait(a, err);
}

void agents_stop(struct agents *a)
{
	for (u32 h = 0; a->pids && h < a->n; h++)
		if (a->pids[h] > 0)
			kill(a->pids[h], SIGKILL);
	for (u32 h = 0; a->pids && h < a->n; h++)
		if (a->pids[h] > 0)
			waitpid(a->pids[h], NULL, 0);
	if (a->cells)
		munmap(a->cells, a->n * sizeof(*a->cells) + 64);
	free(a->pids);
	memset(a, 0, sizeof(*a));
}
