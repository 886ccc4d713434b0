/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lab in the kernel: namespaces NAME-h0, NAME-s0, ..., NAME-ctl, veth pairs between them, addresses. Nothing here
 * knows about BPF or flows.
 */
#ifndef LOSSLAB_NETLAB_H
#define LOSSLAB_NETLAB_H

#include <sys/types.h>

#include "topo/topo.h"

#define LAB_PATH_MAX 256
#define LAB_NAME_MAX 16 /* with the final NUL; [a-z0-9_-]+, starts with a letter */

/*
 * Interfaces: "eth0" in a host, "p0", "p1", ... in a switch, and in NAME-ctl the veth pair ctl0, ctl1, to which the
 * emit program is attached. bpf/addr.h has their indices, MACs and IPv4 addresses.
 */
#define LAB_MTU 2300 /* of every veth, before XDP is attached */

struct netlab {
	char name[LAB_NAME_MAX];
	struct topo *topo;
	int lock_fd; /* the lab's lock, held by up, down and run */
};

/*
 * Build the lab @name from @t: refuse names that exist, write the manifest
 * (/run/losslab/NAME/{manifest.json,topology}), then create; on any failure remove what was made.
 * 0, or -errno and err filled in: -EXDEV if no other process would see the names (netns_hidden()).
 */
int netlab_up(const char *name, const struct topo *t, struct err *err);
/*
 * Build a temporary lab for this process, under a free name that is returned in @name. Its manifest names the process
 * as the owner, so that netlab_sweep() knows it. 0, or -errno and err filled in.
 */
int netlab_up_temporary(const struct topo *t, char name[LAB_NAME_MAX], struct err *err);
/* Remove the temporary labs whose owner has died before removing them. Never another lab, whatever its name. */
void netlab_sweep(void);

/* What netlab_down() does about processes in the lab's namespaces (started by `losslab exec`, say). */
enum netlab_down {
	NETLAB_DOWN_IF_EMPTY, /* nothing is removed while there are any */
	NETLAB_DOWN_KILL,     /* end them: SIGTERM, then SIGKILL */
	NETLAB_DOWN_ANYWAY,   /* remove the lab; its namespaces live on without names until they end */
};
#define NETLAB_OCCUPIED 1
/*
 * Remove the lab and only the lab, whatever state it is in: end the run in progress (the holder of the lock, SIGTERM
 * then SIGKILL), remove exactly the namespaces that its manifest lists, then the manifest. 0, -ENOENT if there is no
 * such lab, another -errno, or NETLAB_OCCUPIED and the processes in err.
 */
int netlab_down(const char *name, enum netlab_down how, struct err *err);
/*
 * Open an existing lab for a run: takes the lock (-EBUSY and the holder's pid in err if it is taken), reads its
 * topology, and checks that every namespace is there. netlab_close() gives the lock back.
 */
int netlab_open(const char *name, struct netlab *lab, struct err *err);
void netlab_close(struct netlab *lab);
bool netlab_exists(const char *name);
/* May this process read the labs' directory, which is root's? 0, or -EACCES with a line in err. */
int netlab_check_access(struct err *err);

/* The value that comes with the SIGTERM by which netlab_down() ends the process that holds a lab's lock. */
#define LAB_DOWN_VALUE 0x10551ab
/* The pid that holds the lab's lock, 0 if none does, -1 if it is in another pid namespace. */
pid_t netlab_holder(const char *name);
/* Every lab there is, by name in order: calls @fn until it returns non-zero, and returns that. */
int netlab_each(int (*fn)(const char *name, void *arg), void *arg);

/* Where labs are kept: $LOSSLAB_RUN_DIR, else /run/losslab. */
const char *netlab_run_dir(void);
/* RUN_DIR/NAME/@file into @path; -ENAMETOOLONG if it does not fit. */
int netlab_path(const char *name, const char *file, char path[LAB_PATH_MAX]);
/* Open node's namespace: "h0", "s3", "ctl" (with the lab's prefix added): an fd for setns(), or -errno. */
int netlab_ns_fd(const char *name, const char *node);
/* Check a lab's name; 0 or -EINVAL with one line in err. */
int netlab_check_name(const char *name, struct err *err);

#endif
