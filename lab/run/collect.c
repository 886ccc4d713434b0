// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of a finished run. */
#include "lab/run/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/pfc.h"
#include "lab/run/audit.h"
#include "lab/run/computed.h"

/* What the rows are made from. */
struct source {
	const struct plan *f;
	const struct plan_memory *m;
	struct host_report *hosts;
	u64 end; /* of the run */
};

/* How long the port was paused, up to @now: what the pause state does not count yet is added. */
static void collect_pauses(struct port_record *row, const struct pause_state *pause, u64 now)
{
	row->paused_ps = pause_total(pause, now);
	for (u32 c = 0; c < FAB_CLASSES; c++)
		row->class_paused_ps[c] = pause_of_class(pause, c, now);
}

void collect_port(const struct plan *f, const struct plan_memory *m, u32 n, u64 now, struct port_record *row)
{
	const struct port *p = &m->ports[n];
	const struct topo *t = f->topo;

	*row = (struct port_record){
		.node = t->nodes[t->switches[p->cfg.sw]].name,
		.port = n - f->port_base[p->cfg.sw],
		.ps_per_byte = p->cfg.ps_per_byte,
	};
	columns_collect(&port_columns, SOURCE_PORT, p, row);
	collect_pauses(row, &p->pause, now);
	if (p->cfg.peer & PEER_HOST) {
		row->peer = t->nodes[t->hosts[p->cfg.peer & ~PEER_HOST]].name;
	} else {
		const struct port_cfg *far = &m->ports[p->cfg.peer].cfg;

		row->peer = t->nodes[t->switches[far->sw]].name;
		row->peer_port = far->number - f->port_base[far->sw];
	}
}

static void host_row(const struct source *b, u32 h, struct port_record *row)
{
	const struct port_cfg *far = &b->f->ports[b->f->host_port[h]];
	const struct topo *t = b->f->topo;

	*row = (struct port_record){
		.node = t->nodes[t->hosts[h]].name,
		.peer = t->nodes[t->switches[far->sw]].name,
		.peer_port = far->number - b->f->port_base[far->sw],
		.ps_per_byte = far->ps_per_byte,
		.drops = { [FAB_DROP_LINK] = b->hosts[h].stats.lost_link },
		.data_drops = { [FAB_DROP_LINK] = b->hosts[h].stats.lost_link_data },
	};
	columns_collect(&port_columns, SOURCE_NIC, &b->hosts[h].stats, row);
	collect_pauses(row, &b->hosts[h].pause, b->end);
}

static void host_record(const struct source *b, u32 h, struct host_record *row)
{
	row->host = b->f->topo->nodes[b->f->topo->hosts[h]].name;
	columns_collect(&host_columns, SOURCE_NIC, &b->hosts[h].stats, row);
	columns_collect(&host_columns, SOURCE_RECOVERY, &b->hosts[h].recovery, row);
}

static void flow_rows(const struct plan *f, struct run_result *r)
{
	for (u32 i = 0; i < f->flows.n; i++) {
		const struct flow_result *res = &f->flows.results[i];
		struct flow_record *row = &r->flows[i];

		row->flow = f->flows.flows[i];
		row->completed = res->done_ps != TIME_NEVER;
		row->fct_ps = row->completed ? res->done_ps - row->flow.start_ps : 0;
		row->ideal_ps = f->ideal[i];
		row->error = flow_error(res);
		columns_collect(&flow_columns, SOURCE_FLOW, res, row);
		row->timeouts += res->requester_timeouts;
	}
}

/*
 * When the run ended: with its last event, unless stop_at or until=arrivals ended it. So does a run that hangs,
 * although that is only noticed later, at an event that is still planned or after stuck_after.
 */
static u64 last_event(const struct conductor *c, const struct source *b)
{
	u64 last = 0;

	if (!strcmp(c->status, "arrivals") || !strcmp(c->status, "stopped"))
		return c->now;
	for (u32 h = 0; h < b->f->size.hosts; h++)
		if (b->hosts[h].clock > last)
			last = b->hosts[h].clock;
	for (u32 s = 0; s < b->f->size.switches; s++)
		if (b->m->switches[s].clock > last)
			last = b->m->switches[s].clock;
	return last;
}

/* The tiers of the switches' ports; those of hosts are 0. */
static int collect_tiers(const struct plan *f, struct run_result *r)
{
	u32 *tier = malloc(f->size.ports * sizeof(*tier));
	int rc = tier ? plan_tiers(f, tier) : -1;

	for (u32 n = 0; n < f->size.ports && !rc; n++)
		r->ports[n].tier = tier[n];
	free(tier);
	return rc ? -ENOMEM : 0;
}

static int collect(struct conductor *c, struct source *b, struct run_result *r)
{
	const struct plan *f = b->f;
	int rc = c->engine->ops->finish(c->engine, c->now, b->hosts);

	if (!rc)
		rc = audit_frames(f, b->m, b->hosts, r, &c->engine->err);
	if (!rc)
		rc = audit_credits(f, b->m, b->hosts, &c->engine->err);
	if (rc)
		return rc;
	b->end = last_event(c, b);
	c->now = b->end;
	r->virtual_ps = b->end;
	for (u32 n = 0; n < f->size.ports; n++)
		collect_port(f, b->m, n, b->end, &r->ports[n]);
	for (u32 h = 0; h < f->size.hosts; h++) {
		host_row(b, h, &r->ports[f->size.ports + h]);
		host_record(b, h, &r->hosts[h]);
	}
	flow_rows(f, r);
	r->cfg = f->cfg;
	r->windows = c->windows;
	r->status = c->status;
	r->deadlock = c->deadlock.ports;
	r->n_deadlock = c->deadlock.n;
	r->deadlock_class = c->deadlock.class;
	r->foreign = c->engine->foreign;
	r->samples = c->sampler.out;
	r->goodput = c->sampler.goodput;
	computed_collect(f, r);
	r->trace = c->tracer.out;
	return collect_tiers(f, r);
}

int collect_records(struct conductor *c, struct run_result *r)
{
	const struct plan *f = c->engine->plan;
	struct source b = { .f = f, .m = &c->engine->mem };
	int rc = -ENOMEM;

	memset(r, 0, sizeof(*r));
	r->n_flows = f->flows.n;
	r->n_ports = f->size.ports + f->size.hosts;
	r->n_hosts = f->size.hosts;
	r->flows = calloc(r->n_flows + 1, sizeof(*r->flows));
	r->ports = calloc(r->n_ports, sizeof(*r->ports));
	r->hosts = calloc(f->size.hosts, sizeof(*r->hosts));
	b.hosts = calloc(f->size.hosts, sizeof(*b.hosts));
	if (r->flows && r->ports && r->hosts && b.hosts)
		rc = collect(c, &b, r);
	free(b.hosts);
	return rc;
}
