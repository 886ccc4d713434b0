/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What plan.c (the plan as a whole), plan_switch.c, plan_hosts.c, plan_trace.c and fault_parse.c share. */
#ifndef LOSSLAB_PLAN_IMPL_H
#define LOSSLAB_PLAN_IMPL_H

#include "lab/plan/plan.h"

/* A probability in parts per 1e9 as a fraction of 2^32. */
u32 prob32(u64 ppb);
/* Fill in f->fab, but for the slots. */
void plan_cfg(struct plan *f);
/* When port @p asks to pause and resume, by rate, delay and buffer. 0, or -EINVAL and err filled in. */
int plan_thresholds(const struct plan *f, struct port_cfg *p, struct err *err);
/* How many traffic classes data and ACKs use. The flows are generated already. */
u32 plan_classes(const struct plan *f);
/* buffer_mode=shared: refuse a buffer that leaves some switch nothing to share: 0, or -EINVAL and one line in err. */
int plan_check_pools(const struct plan *f, struct err *err);
/* Fill in f->nics; the ports and max_rtt are planned already. 0, or -errno and err filled in. */
int plan_hosts(struct plan *f, struct err *err);
/* ps per byte of the slowest port; ports of the largest switch. */
u32 plan_slowest_port(const struct plan *f);
u32 plan_most_ports(const struct plan *f);
/* rto_high=auto, in ps (REFERENCE 1.10). */
u64 plan_rto_high(const struct plan *f);
/*
 * trace=: who is traced, and a buffer in the parameters of each host concerned. Flows and hosts are planned already.
 * 0, or -errno and err filled in.
 */
int plan_trace(struct plan *f, struct err *err);
void plan_trace_free(struct plan *f);

#endif
