// SPDX-License-Identifier: GPL-2.0-or-later
/* Removing a lab: end the processes that use it, remove the namespaces with its mark, then its directory. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/netlab/caps.h"
#include "lab/netlab/netlab_impl.h"

#define STOP_MS 5000 /* from SIGTERM to SIGKILL, and from that to giving up */
#define STEP_MS 20
#define LEAVE_MS 500 /* for the agents of a run that was killed to end */

int netlab_remove(const struct manifest *m, struct err *err)
{
	char mark[NETNS_MARK_MAX];
	int below, ret = 0, one;
	u32 i;

	below = netns_below();
	if (below == -ENOENT)
		return 0;
	if (below < 0)
		return err_set(err, below, "%s: %s", NETNS_DIR, strerror(-below));
	manifest_mark(m, mark);
	for (i = 0; i < m->n_ns; i++) {
		one = netns_remove(below, m->ns[i], mark);
		/* Gone already, or somebody else's under a listed name: leave it. */
		if (one && one != -ENOENT && one != -EPERM)
			ret = err_set(err, one, "namespace %s: cannot be removed: %s", m->ns[i], strerror(-one));
	}
	close(below);
	return ret;
}

/* Wait until @pid, alive as @pidfd, has died or released the lock. */
static bool let_go(const char *name, pid_t pid, int pidfd, int ms)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	for (; ms > 0; ms -= STEP_MS)
		if (netlab_holder(name) != pid || poll(&p, 1, STEP_MS) > 0)
			return true;
	return false;
}

/* SIGTERM with a value by which the run can say who ended it. */
static void ask_to_end(int pidfd)
{
	siginfo_t info = { .si_signo = SIGTERM, .si_code = SI_QUEUE };

	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = LAB_DOWN_VALUE;
	syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, &info, 0);
}

/* End the process that holds the lab's lock. */
static int end_holder(const char *name, struct err *err)
{
	pid_t pid = netlab_holder(name);
	int pidfd, ret = 0;

	if (!pid)
		return 0;
	if (pid < 0)
		return err_set(err, -EBUSY, "lab %s: in use by a process of another pid namespace", name);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return errno == ESRCH ? 0 : err_set(err, -errno, "process %d: %s", (int)pid, strerror(errno));
	/* Still the holder after its pidfd was opened: then the pid cannot have passed on to somebody else. */
	if (netlab_holder(name) == pid) {
		ask_to_end(pidfd);
		if (!let_go(name, pid, pidfd, STOP_MS)) {
			syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
			if (!let_go(name, pid, pidfd, STOP_MS))
				ret = err_set(err, -EBUSY, "lab %s: process %d does not end", name, (int)pid);
		}
	}
	close(pidfd);
	return ret;
}

/* Take the lock, ending its holder first. *ended is set if there was one. */
static int take_over(const char *name, bool *ended, struct err *err)
{
	int lock, ret;

	for (;;) {
		lock = netlab_lock(name, false, err);
		if (lock != -EBUSY)
			return lock;
		*ended = true;
		ret = end_holder(name, err);
		if (ret)
			return ret;
	}
}

/* Wait until no process is in the lab's namespaces; their list, and how many or -errno. */
static int wait_empty(const struct manifest *m, int ms, char *list, size_t size)
{
	int n;

	for (;; ms -= STEP_MS) {
		n = netlab_occupants(m, 0, list, size);
		if (n <= 0 || ms <= 0)
			return n;
		poll(NULL, 0, STEP_MS);
	}
}

static int empty(const struct manifest *m, enum netlab_down how, struct err *err)
{
	char list[160];
	int n;

	if (how == NETLAB_DOWN_ANYWAY)
		return 0;
	n = wait_empty(m, LEAVE_MS, list, sizeof(list));
	if (n > 0 && how == NETLAB_DOWN_KILL) {
		netlab_occupants(m, SIGTERM, list, sizeof(list));
		n = wait_empty(m, STOP_MS, list, sizeof(list));
		if (n > 0) {
			netlab_occupants(m, SIGKILL, list, sizeof(list));
			n = wait_empty(m, STOP_MS, list, sizeof(list));
		}
	}
	if (n < 0)
		return err_set(err, n, "lab %s: /proc: %s", m->name, strerror(-n));
	if (!n)
		return 0;
	if (how == NETLAB_DOWN_KILL)
		return err_set(err, NETLAB_OCCUPIED, "lab %s: processes that do not end: %s", m->name, list);
	return err_set(err, NETLAB_OCCUPIED, "lab %s: processes run in it: %s: end them, or use --kill", m->name, list);
}

static int down_locked(const char *name, enum netlab_down how, struct err *err)
{
	struct manifest m;
	int ret;

	ret = manifest_of(&m, name, err);
	if (!ret) {
		ret = empty(&m, how, err);
		if (!ret)
			ret = netlab_remove(&m, err);
		manifest_free(&m);
	} else if (ret == -ENOENT) {
		ret = 0; /* `up` was killed before it made anything */
	}
	return ret ? ret : netlab_forget(name, err);
}

int netlab_down(const char *name, enum netlab_down how, struct err *err)
{
	bool ended = false;
	int lock, ret;

	ret = netlab_check_name(name, err);
	if (ret)
		return ret;
	ret = caps_check(CAPS_LAB, "", err);
	if (ret)
		return ret;
	lock = take_over(name, &ended, err);
	if (lock == -ENOENT && ended)
		return 0; /* it was being built, and has undone itself */
	if (lock < 0)
		return lock;
	ret = down_locked(name, how, err);
	close(lock);
	return ret;
}

/* A lab in use has a holder of its lock: it is left alone. */
static int sweep_one(const char *name, void *arg)
{
	struct manifest m;
	struct err err;
	int lock;

	if (manifest_of(&m, name, &err))
		return 0;
	if (m.owner.pid && process_gone(&m.owner)) {
		lock = netlab_lock(name, false, &err);
		/* What was read before the lock was taken may be another lab by now. */
		manifest_free(&m);
		if (lock >= 0 && !manifest_of(&m, name, &err) && m.owner.pid && process_gone(&m.owner) &&
		    !netlab_remove(&m, &err))
			netlab_forget(name, &err);
		if (lock >= 0)
			close(lock);
	}
	manifest_free(&m);
	return 0;
}

void netlab_sweep(void)
{
	netlab_each(sweep_one, NULL);
}
