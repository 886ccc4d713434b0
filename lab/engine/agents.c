// SPDX-License-Identifier: GPL-2.0-or-later
/* Agents: starting, waking, waiting, ending. */
#include "lab/engine/agents.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bpf/addr.h"
#include "lab/engine/chaos.h"
#include "lab/interrupt.h"
#include "lab/netlab/netlab.h"

#define LOOK_MS 100         /* between looks at whether all agents live */
#define WINDOW_MS 30000     /* of wall time without any agent finishing */
#define FRAME_WAIT_MS 10000 /* an agent's own deadline for frames that should be there already */

/* Wait while *@word is @value, for @ms milliseconds at most. True if it took that long. */
static bool futex_wait(u32 *word, u32 value, u32 ms)
{
	struct timespec timeout = { ms / 1000, ms % 1000 * 1000000L };

	return syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0) && errno == ETIMEDOUT;
}

static void futex_wake(u32 *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static const char *host_name(const struct plan *f, u32 h)
{
	return f->topo->nodes[f->topo->hosts[h]].name;
}

/* ---- in the host's process ---- */

static int enter_namespace(const char *lab, const char *host)
{
	int fd = netlab_ns_fd(lab, host), rc;

	if (fd < 0)
		return fd;
	rc = setns(fd, CLONE_NEWNET) ? -errno : 0;
	close(fd);
	return rc;
}

/* The life of an agent. It dies with the conductor; signals from the terminal are the conductor's business. */
static void agent_main(const struct agents *a, u32 h, const char *lab, const struct port_rx *rx, pid_t conductor)
{
	const struct plan *f = a->plan;
	u32 port = f->host_port[h];
	struct agent_params par = {
		.cell = &a->cells[h],
		.pending = a->pending,
		.io = { .ifindex = HOST_IFINDEX_BASE + h,
			.frame_max = f->frame_max,
			.ring_frames = f->ports[port].arrq_mask + 1,
			.far_count = &rx[port].tail,
			.wait_ms = chaos_deadline(FRAME_WAIT_MS) },
		.nic = &f->nics[h],
		.delay = chaos_delay,
	};
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != conductor)
		_exit(1);
	prctl(PR_SET_NAME, host_name(f, h));
	rc = enter_namespace(lab, host_name(f, h));
	if (rc) {
		agent_fail(&par, rc, "cannot enter its namespace");
		_exit(1);
	}
	_exit(agent_run(&par));
}

/* ---- in the conductor ---- */

static int start_one(struct agents *a, u32 h, const char *lab, const struct port_rx *rx)
{
	pid_t self = getpid();

	a->pids[h] = fork();
	if (a->pids[h] == 0)
		agent_main(a, h, lab, rx, self);
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
	if (!a->pids || !a->cells)
		return err_set(err, -ENOMEM, "agents: out of memory");
	a->pending = (u32 *)(a->cells + a->n);
	*a->pending = a->n;
	for (u32 h = 0; !rc && h < a->n; h++)
		rc = start_one(a, h, lab, rx);
	if (rc)
		return err_set(err, rc, "agents: cannot start: %s", strerror(-rc));
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

/* Whether process @pid is stopped (SIGSTOP, a debugger): the state behind the name in /proc/PID/stat is T or t. */
static bool is_stopped(pid_t pid)
{
	char path[32], line[256], *end;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return false;
	end = fgets(line, sizeof(line), in) ? strrchr(line, ')') : NULL;
	fclose(in);
	return end && end[1] == ' ' && (end[2] == 'T' || end[2] == 't');
}

static bool is_behind(const struct agents *a, u32 h)
{
	return __atomic_load_n(&a->cells[h].done, __ATOMIC_ACQUIRE) != a->cells[h].go;
}

static bool one_is_stopped(const struct agents *a)
{
	for (u32 h = 0; h < a->n; h++)
		if (a->pids[h] > 0 && is_behind(a, h) && is_stopped(a->pids[h]))
			return true;
	return false;
}

static int name_hanging(const struct agents *a, u32 limit, struct err *err)
{
	u32 h = 0;

	while (h + 1 < a->n && !is_behind(a, h))
		h++;
	return err_set(err, -ETIMEDOUT, "host %s: its agent hangs: no agent has finished a window for %u ms",
		       host_name(a->plan, h), limit);
}

int agents_wait(struct agents *a, struct err *err)
{
	u32 pending, last = 0, waited = 0, limit = chaos_deadline(WINDOW_MS);
	int rc;

	while ((pending = __atomic_load_n(a->pending, __ATOMIC_ACQUIRE))) {
		bool timed_out = futex_wait(a->pending, pending, LOOK_MS);

		if (interrupted())
			return err_set(err, -EINTR, "run: interrupted");
		if (!timed_out)
			continue;
		rc = look_for_dead(a, err);
		if (rc)
			return rc;
		if (pending != last || one_is_stopped(a))
			waited = 0;
		last = pending;
		waited += LOOK_MS; /* however long this process itself was stopped */
		if (waited > limit && __atomic_load_n(a->pending, __ATOMIC_ACQUIRE) == pending)
			return name_hanging(a, limit, err);
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
