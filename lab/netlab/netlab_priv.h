/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of netlab share among themselves and with the commands that list labs. */
#ifndef LOSSLAB_NETLAB_PRIV_H
#define LOSSLAB_NETLAB_PRIV_H

#include <sys/types.h>

#include "lab/netlab/manifest.h"
#include "lab/netlab/netlab.h"

/* The value that goes with the SIGTERM by which netlab_down() ends the process that holds a lab's lock. */
#define LAB_DOWN_VALUE 0x10551ab

#define LAB_PATH_MAX 256

/* Where labs are kept: $LOSSLAB_RUN_DIR, else /run/losslab. */
const char *netlab_run_dir(void);
/* RUN_DIR/NAME/@file into @path; -ENAMETOOLONG if it does not fit. */
int netlab_path(const char *name, const char *file, char path[LAB_PATH_MAX]);
/*
 * Take the lab's lock. With @create the lab's directory is made first, else -ENOENT if there is none. -EBUSY and a line
 * with the holder's pid if it is taken. It is a POSIX record lock: the kernel knows its holder, and frees it when
 * the holder dies. For the same reason a process that holds it must not open the file again: closing any fd
 * of it gives the lock up.
 */
int netlab_lock(const char *name, bool create, struct err *err);
/* The pid that holds the lab's lock, 0 if none does, -1 if it cannot be told (another pid namespace). */
pid_t netlab_holder(const char *name);

/* With the lock held: remove what the manifest lists and bears its mark. 0 or -errno with a line in err. */
int netlab_remove(const struct manifest *m, struct err *err);
/* With the lock held: remove the lab's directory, and with it the manifest and the lock. */
int netlab_forget(const char *name, struct err *err);

/* Every lab there is, by name in order: calls @fn until it returns non-zero, and returns that. */
int netlab_each(int (*fn)(const char *name, void *arg), void *arg);

#endif
