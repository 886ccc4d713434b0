// SPDX-License-Identifier: GPL-2.0-or-later
/* Identify a process by its pid, its start time and its pid namespace. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/netlab/process.h"

#define START_FIELD 22 /* of /proc/PID/stat, counted from 1; see proc(5) */

/* When process @pid started; 0 if there is none. */
static u64 start_time(pid_t pid)
{
	char path[32], text[1024], *field;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* The command in field 2 may hold blanks and parentheses: count from the last ')'. */
	field = strrchr(text, ')');
	for (int i = 2; field && i < START_FIELD; i++)
		field = strchr(field + 1, ' ');
	return field ? strtoull(field + 1, NULL, 10) : 0;
}

static u64 own_pid_ns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

int process_self(struct process_id *id)
{
	id->pid = getpid();
	id->start = start_time(id->pid);
	id->pid_ns = own_pid_ns();
	return id->start && id->pid_ns ? 0 : -ENOENT;
}

bool process_gone(const struct process_id *id)
{
	return id->pid_ns == own_pid_ns() && start_time(id->pid) != id->start;
}
