// SPDX-License-Identifier: GPL-2.0
/* Taking a lab down: end who uses it, remove what bears its mark, forget it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/netlab/netlab_priv.h"

#define STOP_MS 5000 /* from SIGTERM to SIGKILL, and from that to giving up */
#define STEP_MS 20

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
		/* Gone already, or somebody else's under a name of ours: neither is our business. */
		if (one && one != -ENOENT && one != -EPERM)
			ret = err_set(err, one, "namespace %s: cannot be removed: %s", m->ns[i], strerror(-one));
	}
	close(below);
	return ret;
}

/* Wait until @pid, alive as @pidfd, has died or let go of the lock. */
static bool let_go(const char *name, pid_t pid, int pidfd, int ms)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	for (; ms > 0; ms -= STEP_MS)
		if (netlab_holder(name) != pid || poll(&p, 1, STEP_MS) > 0)
			return true;
	return false;
}

/* SIGTERM, told apart from others. */
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
				ret = err_set(err, -EBUSY, "lab %s: process %d: does not end", name, (int)pid);
		}
	}
	close(pidfd);
	return ret;
}

/* The lock, whoever has it now. *ended is set if somebody had. */
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

static int down_locked(const char *name, struct err *err)
{
	char path[LAB_PATH_MAX];
	struct manifest m;
	int ret;

	netlab_path(name, "manifest.json", path);
	ret = manifest_read(&m, path, name, err);
	if (!ret) {
		ret = netlab_remove(&m, err);
		manifest_free(&m);
	} else if (ret == -ENOENT) {
		ret = 0; /* `up` was killed before it made anything */
	}
	return ret ? ret : netlab_forget(name, err);
}

int netlab_down(const char *name, struct err *err)
{
	bool ended = false;
	int lock, ret;

	ret = netlab_check_name(name, err);
	if (ret)
		return ret;
	if (!netns_permitted())
		return err_set(err, -EPERM, "needs root: run with sudo");
	lock = take_over(name, &ended, err);
	if (lock == -ENOENT && ended)
		return 0; /* it was being built, and has undone itself */
	if (lock < 0)
		return lock;
	ret = down_locked(name, err);
	close(lock);
	return ret;
}
