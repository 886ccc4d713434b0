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
 * Interface indices. They are set at creation (IFLA ifindex), so that one BPF program serves every
 * port without a look-up: in a switch namespace a port has SWITCH_IFINDEX_BASE + its lab-wide port
 * number (switch 0's ports first, then switch 1's ...); in a host namespace the NIC has
 * HOST_IFINDEX_BASE + the host's number. In NAME-ctl the veth pair ctl0/ctl1 has CTL_IFINDEX and CTL_IFINDEX+1:
 * the emit program is attached there.
 */
#define SWITCH_IFINDEX_BASE 10000
#define HOST_IFINDEX_BASE 100000
#define CTL_IFINDEX 9000

/* Interface names: "eth0" in a host, "p0", "p1", ... in a switch. */

/* IPv4 address of host h: 10.0.0.0/8 + h + 1, prefix 8. MAC of host h: 02:00:00:00:hh:hh (h+1). MAC of a switch port g:
 * 02:01:00:gg:gg:gg. */
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
