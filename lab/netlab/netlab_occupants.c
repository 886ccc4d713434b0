// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The processes in a lab's namespaces. A namespace lives as long as a process is in it, whatever becomes of its name:
 * a lab is gone only when they are.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/netlab/netlab_impl.h"

#define COMMAND_MAX 16 /* of /proc/PID/comm, with the final NUL */

/* The inodes of a lab's namespaces; all are on one file system, nsfs. */
struct ns_set {
	dev_t dev;
	u32 n;
	ino_t *ino; /* sorted */
};

static int by_ino(const void *a, const void *b)
{
	ino_t x = *(const ino_t *)a, y = *(const ino_t *)b;

	return x < y ? -1 : x > y;
}

/* Of the names in the manifest only those that bear the lab's mark: no other namespace is the lab's. */
static int read_set(const struct manifest *m, struct ns_set *set)
{
	char mark[NETNS_MARK_MAX];
	int below = netns_below();
	struct stat st;

	memset(set, 0, sizeof(*set));
	if (below < 0)
		return below == -ENOENT ? 0 : below;
	set->ino = calloc(m->n_ns, sizeof(*set->ino));
	manifest_mark(m, mark);
	for (u32 i = 0; set->ino && i < m->n_ns; i++) {
		int fd = netns_marked(below, m->ns[i], mark) ? netns_open(m->ns[i]) : -1;

		if (fd < 0)
			continue;
		if (!fstat(fd, &st)) {
			set->dev = st.st_dev;
			set->ino[set->n++] = st.st_ino;
		}
		close(fd);
	}
	close(below);
	if (!set->ino)
		return -ENOMEM;
	qsort(set->ino, set->n, sizeof(*set->ino), by_ino);
	return 0;
}

static bool in_set(const struct ns_set *set, int dir, const char *path)
{
	struct stat st;

	return !fstatat(dir, path, &st, 0) && st.st_dev == set->dev &&
		bsearch(&st.st_ino, set->ino, set->n, sizeof(*set->ino), by_ino);
}

/* Threads may be in different namespaces. */
static bool process_in(const struct ns_set *set, int proc, const char *pid)
{
	char path[64];
	struct dirent *e;
	bool found = false;
	DIR *tasks;
	int fd;

	snprintf(path, sizeof(path), "%.16s/task", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tasks = fd < 0 ? NULL : fdopendir(fd);
	if (!tasks) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (e = readdir(tasks))) {
		snprintf(path, sizeof(path), "%.16s/ns/net", e->d_name);
		found = *e->d_name != '.' && in_set(set, dirfd(tasks), path);
	}
	closedir(tasks);
	return found;
}

static void read_command(int proc, const char *pid, char command[COMMAND_MAX])
{
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%.16s/comm", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, command, COMMAND_MAX - 1);
	if (fd >= 0)
		close(fd);
	if (n > 0 && command[n - 1] == '\n')
		n--;
	command[n > 0 ? n : 0] = '\0';
}

/* The pidfd makes sure that the signal goes to the process that was found there, and to no later one of its pid. */
static void send_signal(const struct ns_set *set, int proc, const char *pid, int sig)
{
	int pidfd = (int)syscall(SYS_pidfd_open, atoi(pid), 0);

	if (pidfd < 0)
		return;
	if (process_in(set, proc, pid))
		syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
	close(pidfd);
}

static void add_to_list(int proc, const char *pid, char *list, size_t size)
{
	char command[COMMAND_MAX];
	size_t used = strlen(list);

	if (used + 48 > size) {
		if (used + 6 < size && strcmp(list + used - 3, "..."))
			strcat(list, ", ...");
		return;
	}
	read_command(proc, pid, command);
	snprintf(list + used, size - used, "%s%s (%s)", used ? ", " : "", pid, command);
}

int netlab_occupants(const struct manifest *m, int sig, char *list, size_t size)
{
	DIR *proc = opendir("/proc");
	struct ns_set set;
	struct dirent *e;
	int n = 0, ret;

	*list = '\0';
	if (!proc)
		return -errno;
	ret = read_set(m, &set);
	while (!ret && set.n && (e = readdir(proc))) {
		if (*e->d_name < '0' || *e->d_name > '9' || atoi(e->d_name) == getpid() ||
		    !process_in(&set, dirfd(proc), e->d_name))
			continue;
		n++;
		add_to_list(dirfd(proc), e->d_name, list, size);
		if (sig)
			send_signal(&set, dirfd(proc), e->d_name, sig);
	}
	free(set.ino);
	closedir(proc);
	return ret ? ret : n;
}
