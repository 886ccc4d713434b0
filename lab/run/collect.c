// SPDX-License-Identifier: GPL-2.0
/* The records of a finished run. */
#include "lab/run/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/pfc.h"
#include "lab/run/audit.h"

/* What the rows are made from. */
struct source {
	const struct plan *f;
	const struct plan_memory *m;
	struct host_report *hosts;
	u64 end; /* of the run */
};

/* What the row says of each class. */
static void by_class(struct port_record *row, const struct pause_state *pause, u64 now, const u64 *tx, const u64 *rx)
{
	row->paused_ps = pause_total(pause, now);
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		row->class_pause_tx[c] = tx[c];
		row->class_pause_rx[c] = rx[c];
		row->class_paused_ps[c] = pause_of_class(pause, c, now);
	}
}

void collect_port(const struct plan *f, const struct plan_memory *m, u32 n, u64 now, struct port_record *row)
{
	const struct port *p = &m->ports[n];
	const struct port_stats *st = &p->stats;
	const struct topo *t = f->topo;

	*row = (struct port_record){
		.node = t->nodes[t->switches[p->cfg.sw]].name,
		.port = n - f->port_base[p->cfg.sw],
		.rx_frames = st->rx_frames,
		.rx_bytes = st->rx_bytes,
		.tx_frames = st->tx_frames,
		.tx_bytes = st->tx_bytes,
		.drops = { [DROP_BUFFER] = st->drops[FAB_DROP_BUFFER],
			   [DROP_LOSS] = st->drops[FAB_DROP_LOSS],
			   [DROP_NO_ROUTE] = st->drops[FAB_DROP_NO_ROUTE],
			   [DROP_LINK] = st->drops[FAB_DROP_LINK],
			   [DROP_FAULT] = st->drops[FAB_DROP_FAULT],
			   [DROP_WATCHDOG] = st->drops[FAB_DROP_WATCHDOG] },
		.ecn_marks = st->ecn_marks,
		.pause_tx = st->pause_tx,
		.pause_rx = st->pause_rx,
		.resume_tx = st->resume_tx,
		.resume_rx = st->resume_rx,
		.max_queue = st->max_queue,
		.max_buffer = st->max_buffer,
		.corrupted = st->corrupted,
		.watchdog = p->watchdog.hits,
		.marks = { [MARK_RED] = st->marks[FAB_MARK_RED],
			   [MARK_STEP] = st->marks[FAB_MARK_STEP],
			   [MARK_INPUT] = st->marks[FAB_MARK_INPUT],
			   [MARK_ROOT] = st->marks[FAB_MARK_ROOT] },
	};
	by_class(row, &p->pause, now, st->class_pause_tx, st->class_pause_rx);
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
	const struct nic_stats *s = &b->hosts[h].stats;

	*row = (struct port_record){
		.node = t->nodes[t->hosts[h]].name,
		.peer = t->nodes[t->switches[far->sw]].name,
		.peer_port = far->number - b->f->port_base[far->sw],
		.rx_frames = s->rx_frames,
		.rx_bytes = s->rx_bytes,
		.tx_frames = s->tx_frames,
		.tx_bytes = s->tx_bytes,
		.drops = { [DROP_LINK] = s->lost_link },
		.pause_tx = s->pause_tx,
		.pause_rx = s->pause_rx,
		.resume_tx = s->resume_tx,
		.resume_rx = s->resume_rx,
	};
	by_class(row, &b->hosts[h].pause, b->end, s->class_pause_tx, s->class_pause_rx);
}

static void host_record(const struct source *b, u32 h, struct host_record *row)
{
	const struct nic_stats *s = &b->hosts[h].stats;
	const struct recovery_stats *c = &b->hosts[h].recovery;

	*row = (struct host_record){
		.host = b->f->topo->nodes[b->f->topo->hosts[h]].name,
		.rx_frames = s->rx_frames,
		.tx_frames = s->tx_frames,
		.tx_data = s->tx_data,
		.rx_data = s->rx_data,
		.acks_tx = s->acks_tx,
		.naks_tx = s->naks_tx,
		.cnps_tx = s->cnps_tx,
		.cnps_rx = s->cnps_rx,
		.discarded = s->discarded,
		.pool_rx_peak_bits = c->pool_rx_peak,
		.pool_tx_peak_bits = c->pool_tx_peak,
		.pool_rx_bits = c->pool_rx_now,
		.pool_tx_bits = c->pool_tx_now,
		.copied_packets = c->copied_packets,
		.copied_bytes = c->copied_bytes,
		.drop_middle = c->drop_middle,
		.drop_pool = c->drop_pool,
		.drop_order = s->drop_order,
		.swaps = c->swaps,
		.forgotten = c->forgotten,
	};
}

static void flow_rows(const struct plan *f, struct run_result *r)
{
	for (u32 i = 0; i < f->flows.n; i++) {
		const struct flow_result *res = &f->flows.results[i];

		r->flows[i] = (struct flow_record){
			.flow = f->flows.flows[i],
			.completed = res->done_ps != TIME_NEVER,
			.fct_ps = res->done_ps != TIME_NEVER ? res->done_ps - f->flows.flows[i].start_ps : 0,
			.ideal_ps = f->ideal[i],
			.packets_sent = res->packets_sent,
			.retransmitted = res->retransmitted,
			.timeouts = res->timeouts + res->requester_timeouts,
			.nacks = res->nacks,
			.cnps = res->cnps,
			.rnr_naks = res->rnr_naks,
			.received_bytes = res->received_bytes,
			.error = flow_error(res),
		};
	}
}

/*
 * The run ended with its last event, unless it was cut off. One that hangs does so too: that it was found out later, at
 * an event that would have come or after stuck_after, is no time that anything took.
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
	return 0;
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
