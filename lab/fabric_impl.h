/* SPDX-License-Identifier: GPL-2.0 */
/* What fabric.c (the plan as a whole) and fabric_hosts.c (hosts) share. */
#ifndef LOSSLAB_FABRIC_IMPL_H
#define LOSSLAB_FABRIC_IMPL_H

#include "lab/fabric.h"

/* Fill in f->nics; the ports and max_rtt are planned already. 0, or -errno and one line in err[FABRIC_ERR_MAX]. */
int fabric_plan_hosts(struct fabric *f, char *err);

#endif
