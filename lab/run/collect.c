// SPDX-License-Identifier: GPL-2.0
/* The records of a finished run, and the audit that no frame is missing. */
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

/* Frames without PFC that wait in the arrival queue of port @n. */
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

/* What the far end of switch port @n has sent, without the frames that `loss=` took from the link. */
static u64 sent_towards(const struct audit *b, u32 n)
{
	u32 peer = b->m->ports[n].cfg.peer;

	if (peer & PEER_HOST)
		return b->hosts[peer & ~PEER_HOST].stats.tx_frames;
	return b->m->ports[peer].stats.tx_frames - b->m->ports[peer].stats.lost_out_frames;
}

/* On every link into a switch: sent = handled + waiting. */
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

/* In every switch: in = out + dropped + queued. */
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

/* On the links into hosts, and in the lab as a whole. */
static int check_total(const struct audit *b, struct run_result *r, struct err *err)
{
	for (u32 h = 0; h < b->f->size.hosts; h++) {
		const struct port_stats *st = &b->m->ports[b->f->host_port[h]].stats;
		u64 came;

		r->sent += b->hosts[h].stats.tx_frames;
		r->delivered += b->hosts[h].stats.rx_frames;
		r->hops_data += b->hosts[h].stats.tx_data;
		r->hops_ack += b->hosts[h].stats.tx_frames - b->hosts[h].stats.tx_data;
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
		r->hops_data += st->tx_data;
		r->hops_ack += st->tx_frames - st->tx_data;
	}
	if (r->sent == r->delivered + r->dropped + r->queued)
		return 0;
	return err_set(err, -EPROTO, "frames: %llu sent, but %llu delivered + %llu dropped + %llu queued", r->sent,
		       r->delivered, r->dropped, r->queued);
}

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

static void host_row(const struct audit *b, u32 h, struct port_record *row)
{
	const struct port_cfg *far = &b->f->ports[b->f->host_port[h]];
	const struct topo *t = b->f->topo;

	*row = (struct port_record){
		.node = t->nodes[t->hosts[h]].name,
		.peer = t->nodes[t->switches[far->sw]].name,
		.peer_port = far->number - b->f->port_base[far->sw],
		.drops = { [FAB_DROP_LINK] = b->hosts[h].stats.lost_link },
	};
	columns_collect(&port_columns, SOURCE_NIC, &b->hosts[h].stats, row);
	collect_pauses(row, &b->hosts[h].pause, b->end);
}

static void host_record(const struct audit *b, u32 h, struct host_record *row)
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

/* How many more there are than were listed. */
static void explain_rest(u32 n, u32 most, const char *one, FILE *out)
{
	if (n > most)
		fprintf(out, "  ... and %u more %s%s\n", n - most, one, n - most == 1 ? "" : "s");
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
	explain_rest(n, most, "flow", out);
}

/* "class 3" or "classes 3, 5" for the bits @mask. */
static const char *class_list(u32 mask, char text[4 * FAB_CLASSES])
{
	char *at = text + sprintf(text, "class%s", mask & (mask - 1) ? "es" : "");
	const char *before = " ";

	for (u32 c = 0; c < FAB_CLASSES; c++)
		if (mask >> c & 1) {
			at += sprintf(at, "%s%u", before, c);
			before = ", ";
		}
	return text;
}

static void explain_ports(const struct conductor *c, u32 most, FILE *out)
{
	const struct plan *f = c->engine->plan;
	char name[64], classes[4 * FAB_CLASSES];
	u32 n = 0;

	for (u32 i = 0; i < f->size.ports; i++) {
		const struct port *p = &c->engine->mem.ports[i];
		u32 paused = 0;

		for (u32 k = 0; k < FAB_CLASSES; k++)
			paused |= (u32)(p->pause.until[k] > c->now && p->pause.since[k] != TIME_NEVER) << k;
		if (!paused || n++ >= most)
			continue;
		fprintf(out, "  port %s: paused, %s\n", plan_port_name(f, i, name, sizeof(name)),
			class_list(paused, classes));
	}
	explain_rest(n, most, "port", out);
}

/* Without timeouts, a lost packet is retransmitted only if a later packet of its flow reveals the gap. */
static void explain_losses(const struct run_result *r, FILE *out)
{
	u64 lost = r->dropped;

	for (u32 h = 0; h < r->n_hosts; h++)
		lost += r->hosts[h].discarded;
	if (lost && r->cfg->timeouts == CFG_OFF)
		fprintf(out, "  %llu frames were lost and timeouts are off: try timeouts=on\n", lost);
}

void hang_explain(const struct conductor *c, const struct run_result *r, u32 most, FILE *out)
{
	if (c->deadlock.n)
		records_deadlock(r, out);
	explain_flows(c, r, most, out);
	explain_ports(c, most, out);
	if (!c->deadlock.n)
		explain_losses(r, out);
}
