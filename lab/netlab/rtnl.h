/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few rtnetlink requests that a lab needs, sent in batches. A request is queued; its error is reported when the
 * queue is flushed, with the cookie of the request that failed.
 */
#ifndef LOSSLAB_RTNL_H
#define LOSSLAB_RTNL_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/types.h"

/* Requests per sendmsg(): errors of a whole batch must fit the default receive buffer (208 KB). */
#define RTNL_BATCH 64
#define RTNL_BUF (RTNL_BATCH * 512)
#define RTNL_WHY_MAX 128

struct mnl_socket;

struct rtnl {
	struct mnl_socket *sk;
	u32 seq;   /* of the last request queued */
	u32 first; /* of the first request of this batch */
	u32 n;
	size_t used;
	u32 cookie[RTNL_BATCH];
	u32 failed;             /* cookie of the first request that failed */
	char why[RTNL_WHY_MAX]; /* and why: the kernel's message if it gives one */
	char buf[RTNL_BUF] __attribute__((aligned(8)));
};

/* One end of a veth pair to be made. */
struct rtnl_end {
	int ns_fd;
	u32 ifindex;
	const char *ifname;
	u8 mac[6];
};

/* The connection stays in the network namespace that the calling thread is in now. 0 or -errno. */
int rtnl_open(struct rtnl *r);
void rtnl_close(struct rtnl *r);

/*
 * Queue a request. 0, or -errno of a request of an earlier batch.
 *
 * rtnl_veth: both ends are made at once, each in its own namespace; only end[0] is up. (The kernel
 * refuses to make the other end up: at that moment its peer is not yet there.) No interface in the
 * connection's own namespace may have end[0]'s ifindex, or the request would mean that one.
 */
int rtnl_veth(struct rtnl *r, const struct rtnl_end end[2], u32 mtu, u32 cookie);
int rtnl_set_up(struct rtnl *r, u32 ifindex, u32 cookie);
/* @addr in host byte order. */
int rtnl_addr(struct rtnl *r, u32 ifindex, u32 addr, u32 prefix, u32 cookie);

/* Send the queued requests and wait for all replies. 0, or -errno of the first failure. */
int rtnl_flush(struct rtnl *r);

#endif
