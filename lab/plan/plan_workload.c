// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run's configuration means for its workload. */
#include "lab/plan/plan_workload.h"

#include "agent/packet/packet.h"
#include "agent/recovery/recovery.h"

u32 plan_message(const struct run_cfg *c)
{
	return c->message ? c->message : MESSAGE_MAX / c->mtu * c->mtu;
}

struct workload_spec plan_workload(const struct run_cfg *c)
{
	return (struct workload_spec){
		.text = c->workload,
		.seed = c->seed,
		.load_ppb = c->load_ppb,
		.load_of = c->load_of,
		.mtu = c->mtu,
		.message = plan_message(c),
		.half = c->half,
		.flows = c->flows,
		.duration = c->duration,
		.senders = c->senders,
		.bytes = c->bytes,
		.stripe = c->stripe,
		.repeat = c->repeat,
		.every = c->every,
		.background_ppb = c->background_ppb,
		.background_sizes = c->background_sizes,
		.op = c->op,
		.class = c->data_class,
		.class_mix = c->classes,
		.write_only = recovery_find(c->transport)->format == FORMAT_TCP ? c->transport : NULL,
	};
}
