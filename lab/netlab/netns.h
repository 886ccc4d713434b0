/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named network namespaces under /run/netns, as `ip netns` knows them, each with a mark of its owner.
 *
 * A name is a file onto which the namespace is mounted. Ours are all links to one unnamed file (O_TMPFILE) that
 * holds the lab's mark: link() fails if the name is taken, and the file it makes is marked from the start. So a
 * kill -9 never leaves a file of ours unmarked, and never marks a file of somebody else. The mark stays readable
 * below the mount, through a clone of the directory's mount without its submounts.
 */
#ifndef LOSSLAB_NETNS_H
#define LOSSLAB_NETNS_H

#include <stdbool.h>

#define NETNS_DIR "/run/netns"
#define NETNS_NAME_MAX 32 /* LAB-NODE with the final NUL */
#define NETNS_MARK_MAX 80

/*
 * Do names made here stay inside this mount namespace? So it is after `unshare -m`, in `ip netns exec`, in `losslab
 * exec` and in services with mounts of their own: other processes would see files without namespaces.
 */
bool netns_hidden(void);
/* Make NETNS_DIR and its mount, shared, as iproute2 does; left as it is where names are hidden. 0 or -errno. */
int netns_prepare(void);
/* Is there anything of this name, be it a namespace or a plain file? */
bool netns_name_taken(const char *name);
/* Is there a namespace of this name? */
bool netns_exists(const char *name);

/* A file of no name that holds @mark, for netns_create(). fd or -errno. */
int netns_mark_open(const char *mark);
/*
 * Claim @name, make a namespace with IPv6 off, mount it. The calling thread is in the new namespace
 * afterwards. Returns an fd of the namespace, -EEXIST if the name is taken, or -errno with nothing left.
 */
int netns_create(const char *name, int mark_fd);

/* The directory as it is below its mounts, for netns_remove(). fd, -ENOENT if there is none, or -errno. */
int netns_below(void);
/* Is @name, below its mount, a file with this mark? */
bool netns_marked(int below_fd, const char *name, const char *mark);
/* Remove @name if it bears @mark. 0, -ENOENT if nothing has this name, -EPERM if it is not ours (left alone), or
 * -errno. */
int netns_remove(int below_fd, const char *name, const char *mark);

/* An fd of an existing namespace, or -errno. */
int netns_open(const char *name);

#endif
