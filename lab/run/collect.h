/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a finished run. */
#ifndef LOSSLAB_COLLECT_H
#define LOSSLAB_COLLECT_H

#include "lab/records/records.h"
#include "lab/run/conductor.h"

/*
 * Collect the records of a finished run, and check that no frame and no credit is missing (lab/run/audit.h). 0, or
 * -EPROTO with engine->err naming the link. Free r->flows, r->ports and r->hosts afterwards; r->deadlock is the
 * conductor's.
 */
int collect_records(struct conductor *c, struct run_result *r);

/* The row of switch port @n in ports.csv as it is at @now. Of @f it needs the topology and port_base. */
void collect_port(const struct plan *f, const struct plan_memory *m, u32 n, u64 now, struct port_record *row);

#endif
