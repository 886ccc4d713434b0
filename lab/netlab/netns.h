/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Named network namespaces under /run/netns, as `ip netns` knows them, each with a proof of whose it is.
 *
 * A name is a file onto which the namespace is mounted. Ours are all links to one unnamed file (O_TMPFILE) that
 * holds the lab's mark: link() both claims a name that nobody has and proves for good who claimed it. There is
 * no moment at which a kill -9 leaves a file of ours unmarked, or marks one of somebody else's. The file
 * stays readable below the mount, through a clone of the directory's mount that carries no submounts.
 */
#ifndef LOSSLAB_NETNS_H
#define LOSSLAB_NETNS_H

#include <stdbool.h>

#define NETNS_DIR "/run/netns"
#define NETNS_NAME_MAX 32 /* LAB-NODE with the final NUL */
#define NETNS_MARK_MAX 80

/* May this process make namespaces and interfaces (CAP_SYS_ADMIN and CAP_NET_ADMIN)? */
bool netns_permitted(void);
/* Make NETNS_DIR and its mount, shared, as iproute2 does. 0 or -errno. */
int netns_prepare(void);
/* Is there anything of this name, be it a namespace or a plain file? */
bool netns_name_taken(const char *name);
/* Does a namespace stand under this name? */
bool netns_stands(const char *name);

/* A file of no name that holds @mark, for netns_create(). fd or -errno. */
int netns_mark_open(const char *mark);
/*
 * Claim @name, make a namespace with IPv6 off, mount it. The calling thread is in the new namespace
 * afterwards. Returns an fd of the namespace, -EEXIST if the name is taken, or -errno with nothing left.
 */
int netns_create(const char *name, int mark_fd);

/* The directory as it is below its mounts, for netns_remove(). fd, -ENOENT if there is none, or -errno. */
int netns_below(void);
/* Remove @name if it bears @mark. 0, -ENOENT if nothing has this name, -EPERM if it is not ours (left alone), or
 * -errno. */
int netns_remove(int below_fd, const char *name, const char *mark);

/* An fd of a standing namespace, or -errno. */
int netns_open(const char *name);

#endif
