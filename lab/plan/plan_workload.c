// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run's configuration means for its workload. */
#include "lab/plan/plan_workload.h"

#include "agent/recovery/recovery.h"

struct workload_spec plan_workload(const struct run_cfg *c)
{
	return (struct workload_spec){
		.text = c->workload,
		.seed = c->seed,
		.load_pct = c->load_pct,
		.flows = c->flows,
		.duration = c->duration,
		.senders = c->senders,
		.bytes = c->bytes,
		.op = c->op,
		.class = c->data_class,
		.class_mix = c->classes,
		.write_only = recovery_find(c->transport)->format == FORMAT_TCP ? c->transport : NULL,
	};
}
