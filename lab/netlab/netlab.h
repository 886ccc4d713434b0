/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A standing lab in the kernel: namespaces NAME-h0, NAME-s0, ..., NAME-ctl, veth pairs between
 * them, addresses. Nothing here knows about BPF or flows.
 */
#ifndef LOSSLAB_NETLAB_H
#define LOSSLAB_NETLAB_H

#include "topo/topo.h"

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
 * (/run/losslab/NAME/{manifest.json,topology}), then create; on any failure take down what was made.
 * Returns 0 or -errno with err filled in.
 */
int netlab_up(const char *name, const struct topo *t, struct err *err);
/*
 * Remove the lab and only the lab, whatever state it is in: ends a run that is in progress (the holder of the lock,
 * SIGTERM then SIGKILL), removes exactly the namespaces its manifest lists, then the manifest.
 * -ENOENT if there is no such lab.
 */
int netlab_down(const char *name, struct err *err);
/*
 * Open a standing lab for a run: takes the lock (-EBUSY and the holder's pid in err if it is taken), reads its
 * topology, and checks that every namespace is there. netlab_close() gives the lock back.
 */
int netlab_open(const char *name, struct netlab *lab, struct err *err);
void netlab_close(struct netlab *lab);
bool netlab_exists(const char *name);
/* Open node's namespace: "h0", "s3", "ctl" (with the lab's prefix added): an fd for setns(), or -errno. */
int netlab_ns_fd(const char *name, const char *node);
/* Check a lab's name; 0 or -EINVAL with one line in err. */
int netlab_check_name(const char *name, struct err *err);

#endif
