// SPDX-License-Identifier: GPL-2.0
/* What depends on other keys, and what contradicts them. */
#include <string.h>

#include "lab/cfg_keys.h"
#include "lab/csv.h"
#include "lab/workload.h"

#define FLOWS_DEFAULT 2000

/* Bytes of a frame beyond its payload: Ethernet to BTH and the ICRC 58, RETH 16 (bpf/wire.h), and 20 to spare. */
#define FRAME_OVERHEAD 94

static void fill_in(struct run_cfg *c)
{
	enum workload_kind kind = workload_kind(c->workload);

	if (!c->pfc_set)
		c->pfc = !strcmp(c->transport, "roce");
	if (c->timeouts == CFG_AUTO)
		c->timeouts = c->pfc ? CFG_OFF : CFG_ON;
	if (c->ack_class == CFG_CLASS_SAME)
		c->ack_class = c->data_class;
	if (c->ecmp_seed == CFG_SEED_SAME)
		c->ecmp_seed = c->seed;
	if (kind == WORKLOAD_POISSON && !c->flows && !c->duration)
		c->flows = FLOWS_DEFAULT;
}

/* The ranges again: members may have been set without cfg_set(). */
static int check_ranges(const struct run_cfg *c, char *err)
{
	for (u32 i = 0; i < cfg_n_keys; i++) {
		const struct cfg_key *k = &cfg_keys[i];
		char value[64], allowed[160];

		if (k->kind > CFG_LOAD && k->kind != CFG_LOSS)
			continue;
		if (!cfg_in_range(k, cfg_get(c, k)))
			return csv_error(err, "%s=%s: out of range; allowed: %s", k->name,
					 cfg_number_text(k, cfg_get(c, k), value, sizeof(value)),
					 cfg_allowed(k, allowed, sizeof(allowed)));
	}
	return 0;
}

static int check_switch(const struct run_cfg *c, char *err)
{
	if (c->buffer < c->mtu + FRAME_OVERHEAD)
		return csv_error(err, "buffer=%u: smaller than one frame; allowed: mtu + %u = %u bytes or more",
				 c->buffer, FRAME_OVERHEAD, c->mtu + FRAME_OVERHEAD);
	if (c->xoff > c->buffer)
		return csv_error(err, "xoff=%u: above buffer=%u; allowed: up to the buffer, less its headroom", c->xoff,
				 c->buffer);
	if (c->xoff && c->xon > c->xoff)
		return csv_error(err, "xon=%u: above xoff=%u; allowed: up to xoff", c->xon, c->xoff);
	if (c->xon > c->buffer)
		return csv_error(err, "xon=%u: above buffer=%u; allowed: up to xoff", c->xon, c->buffer);
	if (c->kmin > c->kmax)
		return csv_error(err, "kmin=%u: above kmax=%u; allowed: up to kmax", c->kmin, c->kmax);
	if (*c->loss_at && !c->loss_ppb)
		return csv_error(err, "loss=0@%s: a switch without a loss; allowed: a probability above 0, or no @",
				 csv_quote(c->loss_at).s);
	return 0;
}

static int check_host(const struct run_cfg *c, char *err)
{
	bool irn = !strcmp(c->transport, "irn");

	if (irn && c->ack_every > 1)
		return csv_error(err, "ack_every=%u: irn acknowledges every packet; allowed: 1 with transport=irn",
				 c->ack_every);
	if (!irn && c->cap)
		return csv_error(err, "cap=%u: transport=%s has no cap; allowed: with transport=irn only", c->cap,
				 c->transport);
	if (c->rto_low > c->rto_high)
		return csv_error(err, "rto_low=%lluns: above rto_high=%lluns; allowed: up to rto_high",
				 c->rto_low / PS_PER_NS, c->rto_high / PS_PER_NS);
	return 0;
}

static int check_traffic(const struct run_cfg *c, char *err)
{
	enum workload_kind kind = workload_kind(c->workload);
	struct csv_quote spec = csv_quote(c->workload);

	if (kind == WORKLOAD_UNKNOWN)
		return csv_error(err, "workload=%s: unknown", spec.s);
	if (c->flows && c->duration)
		return csv_error(err, "flows=%u: duration is given too; allowed: one of the two", c->flows);
	if (kind != WORKLOAD_POISSON && c->flows)
		return csv_error(err,
				 "flows=%u: workload=%s says itself how many; allowed: with workloads that have a load",
				 c->flows, spec.s);
	if (kind != WORKLOAD_POISSON && c->duration)
		return csv_error(
			err,
			"duration=%lluns: workload=%s says itself how long; allowed: with workloads that have a load",
			c->duration / PS_PER_NS, spec.s);
	if (kind != WORKLOAD_INCAST && c->senders)
		return csv_error(err, "senders=%u: nothing to workload=%s; allowed: with workload=incast", c->senders,
				 spec.s);
	if (kind != WORKLOAD_INCAST && kind != WORKLOAD_BURST && c->bytes)
		return csv_error(err,
				 "bytes=%llu: nothing to workload=%s; allowed: with workload=incast or permutation",
				 c->bytes, spec.s);
	return 0;
}

int cfg_finish(struct run_cfg *c, char *err)
{
	int rc;

	fill_in(c);
	rc = check_ranges(c, err);
	if (!rc)
		rc = check_switch(c, err);
	if (!rc)
		rc = check_host(c, err);
	return rc ? rc : check_traffic(c, err);
}
