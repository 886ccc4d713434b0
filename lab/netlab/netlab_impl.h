/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of netlab share: the lab's directory, its lock, its removal. */
#ifndef LOSSLAB_NETLAB_IMPL_H
#define LOSSLAB_NETLAB_IMPL_H

#include "lab/netlab/manifest.h"
#include "lab/netlab/netlab.h"

/*
 * Take the lab's lock. With @create, make the lab's directory first; otherwise -ENOENT if there is none. -EBUSY and a
 * line with the holder's pid if another process has the lock. It is a POSIX record lock: the kernel knows its holder
 * and frees it when the holder dies. For the same reason a process that holds it must not open the file again: closing
 * any fd of it releases the lock.
 */
int netlab_lock(const char *name, bool create, struct err *err);
/* With the lock held: remove what the manifest lists and what bears its mark. 0, or -errno with a line in err. */
int netlab_remove(const struct manifest *m, struct err *err);
/*
 * With the lock held: remove the files that losslab writes in the lab's directory, the lock last, then the directory.
 * A directory with other files in it stays, with those files.
 */
int netlab_forget(const char *name, struct err *err);

/*
 * Find the processes in the lab's namespaces, the caller excepted, and list the first of them in @list as
 * "123 (tcpdump), 456 (bash)". With @sig, also send it to them. Returns how many, or -errno.
 */
int netlab_occupants(const struct manifest *m, int sig, char *list, size_t size);

#endif
