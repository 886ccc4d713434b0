// SPDX-License-Identifier: GPL-2.0
/* The records of a finished run, and the proof that no frame is missing. */
#include "lab/run/conductor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/pfc.h"
#include "lab/run/credit_audit.h"

struct audit {
	const struct plan *f;
	const struct plan_memory *m;
	struct host_report *hosts;
	u64 end; /* of the run */
};

/* Frames, PFC not counted, that have reached port @n and not been handled. */
static u64 in_arrival_queue(const struct audit *b, u32 n)
{
	const struct port *p = &b->m->ports[n];
	u64 count = 0;

	for (u32 at = p->arrq_head; at != b->m->rx[n].tail; at++)
		count += !(b->m->frames[b->m->arrivals[p->cfg.arrq_base + (at & p->cfg.arrq_mask)]].flags & FRAME_PFC);
	return count;
}

static u64 in_voqs(const struct audit *b, u32 s)
{
	const struct sw *sw = &b->m->switches[s];
	u64 count = 0;

	for (u32 v = 0; v < plan_voqs(sw->n_ports); v++)
		for (u32 id = b->m->voqs[sw->voq_base + v].head; id != FAB_NONE; id = b->m->frames[id].next)
			count++;
	return count;
}

/* What the far end of switch port @n has put on the link, as far as it was not lost on purpose. */
static u64 sent_towards(const struct audit *b, u32 n)
{
	u32 peer = b->m->ports[n].cfg.peer;

	if (peer & PEER_HOST)
		return b->hosts[peer & ~PEER_HOST].stats.tx_frames;
	return b->m->ports[peer].stats.tx_frames - b->m->ports[peer].stats.lost_out_frames;
}

/* Every link into a switch: what was sent has been handled or is waiting. */
static int check_links(const struct audit *b, struct run_result *r, struct err *err)
{
	char name[64];

	for (u32 n = 0; n < b->f->size.ports; n++) {
		u64 waiting = in_arrival_queue(b, n), handled = b->m->ports[n].stats.rx_frames,
		    sent = sent_towards(b, n);

		r->queued += waiting;
		if (sent == handled + waiting)
			continue;
		return err_set(err, -EPROTO, "frames: link into %s: %llu sent, %llu handled, %llu waiting",
			       plan_port_name(b->f, n, name, sizeof(name)), sent, handled, waiting);
	}
	return 0;
}

/* Every switch: what came in has gone out, been dropped, or is queued. */
static int check_switches(const struct audit *b, struct run_result *r, struct err *err)
{
	for (u32 s = 0; s < b->f->size.switches; s++) {
		u64 in = 0, out = 0, dropped = 0, queued = in_voqs(b, s);

		for (u32 i = 0; i < b->m->switches[s].n_ports; i++) {
			const struct port_stats *st = &b->m->ports[b->m->switches[s].port_base + i].stats;

			in += st->rx_frames;
			out += st->tx_frames;
			for (u32 d = 0; d < FAB_DROPS; d++)
				dropped += st->drops[d];
			dropped -= st->lost_out_frames;
		}
		r->queued += queued;
		if (in == out + dropped + queued)
			continue;
		return err_set(err, -EPROTO, "frames: switch %s: %llu in, %llu out, %llu dropped, %llu queued",
			       b->f->topo->nodes[b->f->topo->switches[s]].name, in, out, dropped, queued);
	}
	return 0;
}

/* All in all, and on the links into hosts. */
static int check_total(const struct audit *b, struct run_result *r, struct err *err)
{
	for (u32 h = 0; h < b->f->size.hosts; h++) {
		const struct port_stats *st = &b->m->ports[b->f->host_port[h]].stats;
		u64 came;

		r->sent += b->hosts[h].stats.tx_frames;
		r->delivered += b->hosts[h].stats.rx_frames;
		r->crossings_data += b->hosts[h].stats.tx_data;
		r->crossings_ack += b->hosts[h].stats.tx_frames - b->hosts[h].stats.tx_data;
		r->dropped += b->hosts[h].stats.lost_link;
		came = b->hosts[h].stats.rx_frames + b->hosts[h].stats.lost_link;
		if (st->tx_frames - st->lost_out_frames < came) {
			return err_set(err, -EPROTO, "frames: link to host %s: more received than sent",
				       b->f->topo->nodes[b->f->topo->hosts[h]].name);
		}
		r->queued += st->tx_frames - st->lost_out_frames - came;
	}
	for (u32 n = 0; n < b->f->size.ports; n++) {
		const struct port_stats *st = &b->m->ports[n].stats;

		for (u32 d = 0; d < FAB_DROPS; d++)
			r->dropped += st->drops[d];
		r->crossings_data += st->tx_data;
		r->crossings_ack += st->tx_frames - st->tx_data;
	}
	if (r->sent == r->delivered + r->dropped + r->queued)
		return 0;
	return err_set(err, -EPROTO, "frames: %llu sent, but %llu delivered + %llu dropped + %llu queued", r->sent,
		       r->delivered, r->dropped, r->queued);
}

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

static void host_row(const struct audit *b, u32 h, struct port_record *row)
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

static void host_record(const struct audit *b, u32 h, struct host_record *row)
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
static u64 last_event(const struct conductor *c, const struct audit *b)
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

static int collect(struct conductor *c, struct audit *b, struct run_result *r)
{
	const struct plan *f = b->f;
	int rc = c->engine->ops->finish(c->engine, c->now, b->hosts);

	if (!rc)
		rc = check_links(b, r, &c->engine->err);
	if (!rc)
		rc = check_switches(b, r, &c->engine->err);
	if (!rc)
		rc = check_total(b, r, &c->engine->err);
	if (!rc)
		rc = credit_audit_check(f, b->m, b->hosts, &c->engine->err);
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
	struct audit b = { .f = f, .m = &c->engine->mem };
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

/* "deadlock of class 3: s0:p1 waits for s1:p2 waits for s0:p1" */
static void explain_deadlock(const struct plan *f, const struct deadlock *d, FILE *out)
{
	char name[64];

	fprintf(out, "  deadlock of class %u: ", d->class);
	for (u32 i = 0; i < d->n; i++)
		fprintf(out, "%s waits for ", plan_port_name(f, d->ports[i], name, sizeof(name)));
	fprintf(out, "%s\n", plan_port_name(f, d->ports[0], name, sizeof(name)));
}

/* What was not listed because it was too much. */
static void explain_rest(u32 n, u32 most, const char *what, FILE *out)
{
	if (n > most)
		fprintf(out, "  ... and %u %s more\n", n - most, what);
}

static void explain_flows(const struct conductor *c, const struct run_result *r, u32 most, FILE *out)
{
	const struct topo *t = c->engine->plan->topo;
	u32 n = 0;

	for (u32 i = 0; i < r->n_flows; i++) {
		const struct flow *flow = &r->flows[i].flow;

		if (r->flows[i].completed || r->flows[i].error || flow->start_ps > c->now || n++ >= most)
			continue;
		fprintf(out, "  flow %u: %s -> %s, %llu bytes: not finished\n", i, t->nodes[t->hosts[flow->src]].name,
			t->nodes[t->hosts[flow->dst]].name, flow->bytes);
	}
	explain_rest(n, most, "flows", out);
}

static void explain_ports(const struct conductor *c, u32 most, FILE *out)
{
	const struct plan *f = c->engine->plan;
	char name[64];
	u32 n = 0;

	for (u32 i = 0; i < f->size.ports; i++) {
		const struct port *p = &c->engine->mem.ports[i];
		u32 paused = 0;

		for (u32 k = 0; k < FAB_CLASSES; k++)
			paused |= (u32)(p->pause.until[k] > c->now && p->pause.since[k] != TIME_NEVER) << k;
		if (!paused || n++ >= most)
			continue;
		fprintf(out, "  port %s: paused, classes 0x%02x\n", plan_port_name(f, i, name, sizeof(name)), paused);
	}
	explain_rest(n, most, "ports", out);
}

/* What a flow has lost nobody sends again without timeouts, unless a later packet of it shows the gap. */
static void explain_losses(const struct run_result *r, FILE *out)
{
	u64 lost = r->dropped;

	for (u32 h = 0; h < r->n_hosts; h++)
		lost += r->hosts[h].discarded;
	if (lost && r->cfg->timeouts == CFG_OFF)
		fprintf(out,
			"  %llu frames were lost, and timeouts are off, as flow control loses none: try timeouts=on\n",
			lost);
}

void hang_explain(const struct conductor *c, const struct run_result *r, u32 most, FILE *out)
{
	if (c->deadlock.n)
		explain_deadlock(c->engine->plan, &c->deadlock, out);
	explain_flows(c, r, most, out);
	explain_ports(c, most, out);
	if (!c->deadlock.n)
		explain_losses(r, out);
}
