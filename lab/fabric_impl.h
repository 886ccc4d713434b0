/* SPDX-License-Identifier: GPL-2.0 */
/* What fabric.c (the plan as a whole), fabric_switch.c, fabric_hosts.c and faults.c share. */
#ifndef LOSSLAB_FABRIC_IMPL_H
#define LOSSLAB_FABRIC_IMPL_H

#include "lab/fabric.h"

/* A probability in parts per 1e9 as a fraction of 2^32. */
u32 fabric_chance(u64 ppb);
/* Fill in f->fab, but for the slots. */
void fabric_plan_cfg(struct fabric *f);
/* The most headroom that PFC needs at any port, in bytes, and the name of a switch port where it does, in @name. */
u64 fabric_headroom_most(const struct fabric *f, char *name, size_t n);
/* When port @p asks to pause and resume, by rate, delay and buffer. 0, or -EINVAL and one line in err[FABRIC_ERR_MAX].
 */
int fabric_plan_thresholds(const struct fabric *f, struct port_cfg *p, char *err);
/* The headroom, in bytes, with which a class under PFC loses nothing at port @p: above XOFF, or in a shared buffer. */
u64 fabric_headroom(const struct fabric *f, const struct port_cfg *p);
/* How many classes of traffic there are: of flows and of their answers. The flows are there already. */
u32 fabric_classes(const struct fabric *f);
/* buffers=shared: refuse a buffer that leaves some switch nothing to share: 0, or -EINVAL and one line in err. */
int fabric_check_pools(const struct fabric *f, char *err);
/* Fill in f->nics; the ports and max_rtt are planned already. 0, or -errno and one line in err[FABRIC_ERR_MAX]. */
int fabric_plan_hosts(struct fabric *f, char *err);

#endif
