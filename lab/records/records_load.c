// SPDX-License-Identifier: GPL-2.0-or-later
/* How busy the links were, tier by tier, from what their ports counted. */
#include "lab/records/records_load.h"

#include <string.h>

#include "bpf/wire.h"

u32 records_load_ppb(const struct run_cfg *c)
{
	return workload_kind(c->workload) == WORKLOAD_POISSON ? c->load_ppb : c->background_ppb;
}

/* The time in which flows start. */
static u64 arrivals(const struct run_result *r)
{
	u64 last = 0;

	if (r->cfg->duration)
		return r->cfg->duration;
	for (u32 i = 0; i < r->n_flows; i++)
		if (r->flows[i].flow.start_ps > last)
			last = r->flows[i].flow.start_ps;
	return last;
}

/* Frames of PFC and of credits have one length. */
static u64 wire_time(const struct port_record *p)
{
	u64 control = p->pause_tx + p->resume_tx;

	return (p->tx_bytes + p->tx_frames * ETH_WIRE_EXTRA + control * wire_bytes(PFC_LEN)) * p->ps_per_byte;
}

static u64 ppm(unsigned __int128 part, unsigned __int128 of)
{
	return (u64)((part * 1000000 + of / 2) / of);
}

void records_link_use(const struct run_result *r, struct link_use *u)
{
	unsigned __int128 sum[TIERS_MAX] = { 0 };
	u64 most[TIERS_MAX] = { 0 };

	memset(u, 0, sizeof(*u));
	u->over_ps = arrivals(r);
	for (u32 i = 0; i < r->n_ports && u->over_ps; i++) {
		const struct port_record *p = &r->ports[i];
		u64 time = wire_time(p);

		if (p->tier >= TIERS_MAX)
			continue;
		if (p->tier >= u->n)
			u->n = p->tier + 1;
		u->tier[p->tier].ports++;
		sum[p->tier] += time;
		if (time > most[p->tier])
			most[p->tier] = time;
	}
	for (u32 t = 0; t < u->n; t++) {
		u->tier[t].mean_ppm =
			u->tier[t].ports ? ppm(sum[t], (unsigned __int128)u->over_ps * u->tier[t].ports) : 0;
		u->tier[t].busiest_ppm = ppm(most[t], u->over_ps);
	}
}
