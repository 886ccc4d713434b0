/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process is meant, now and after its pid has been given to another one. */
#ifndef LOSSLAB_PROCESS_H
#define LOSSLAB_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "bpf/types.h"

/* A process, for good: no two of one boot have the same. pid 0: none. */
struct process_id {
	pid_t pid;
	u64 start;  /* field 22 of /proc/PID/stat: when it started, in clock ticks since boot */
	u64 pid_ns; /* inode of the pid namespace in which pid counts */
};

/* The calling process. 0 or -errno. */
int process_self(struct process_id *id);
/* Has this process certainly ended? False also if that cannot be known: another pid namespace. */
bool process_gone(const struct process_id *id);

#endif
