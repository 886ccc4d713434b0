// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether a run hangs, and what it waits for. */
#include "lab/run/hang.h"

#include <errno.h>
#include <stdlib.h>

#define DEADLOCK_INTERVAL (100 * PS_PER_US) /* of virtual time between two looks for one */

static int compare_times(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

int hang_watch_init(struct hang_watch *w, const struct plan *f)
{
	const struct flow_table *t = &f->flows;

	*w = (struct hang_watch){ .plan = f, .starts = calloc(t->n + 1, sizeof(u64)) };
	if (!w->starts)
		return -ENOMEM;
	for (u32 i = 0; i < t->n; i++)
		w->starts[i] = t->flows[i].start_ps;
	qsort(w->starts, t->n, sizeof(u64), compare_times);
	return 0;
}

void hang_watch_free(struct hang_watch *w)
{
	free(w->starts);
}

u32 unfinished_flows(const struct plan *f, u64 now)
{
	const struct flow_table *t = &f->flows;
	u32 n = 0;

	for (u32 i = 0; i < t->n; i++)
		n += t->flows[i].start_ps < now && t->results[i].done_ps == TIME_NEVER && !flow_error(&t->results[i]);
	return n;
}

bool hang_is_stuck(struct hang_watch *w, const struct hang_state *s)
{
	while (w->begun < w->plan->flows.n && w->starts[w->begun] < s->now)
		w->begun++;
	if (s->packets != w->packets || s->completed == w->begun || s->fault_pending) {
		w->packets = s->packets;
		w->since = s->now;
	}
	if (s->now - w->since <= w->plan->stuck_after)
		return false;
	if (unfinished_flows(w->plan, s->now))
		return true;
	w->since = s->now; /* those that have not completed have stopped in error */
	return false;
}

bool hang_deadlock_due(struct hang_watch *w, const struct hang_state *s)
{
	if (s->now < w->deadlock_due || w->plan->cfg->pfc_watchdog || s->fault_pending)
		return false;
	w->deadlock_due = s->now + DEADLOCK_INTERVAL;
	return true;
}

/* How many were left out of the list. */
static void explain_rest(u32 n, u32 most, const char *one, FILE *out)
{
	if (n > most)
		fprintf(out, "  ... and %u more %s%s\n", n - most, one, n - most == 1 ? "" : "s");
}

static void explain_flows(const struct topo *t, u64 now, const struct run_result *r, u32 most, FILE *out)
{
	u32 n = 0;

	for (u32 i = 0; i < r->n_flows; i++) {
		const struct flow *flow = &r->flows[i].flow;

		if (r->flows[i].completed || r->flows[i].error || flow->start_ps > now || n++ >= most)
			continue;
		fprintf(out, "  flow %u: %s -> %s, %llu bytes: not finished\n", i, t->nodes[t->hosts[flow->src]].name,
			t->nodes[t->hosts[flow->dst]].name, flow->bytes);
	}
	explain_rest(n, most, "flow", out);
}

/* The classes that port @p may not send at @now, a bit each. */
static u32 paused_classes(const struct port *p, u64 now)
{
	u32 paused = 0;

	for (u32 c = 0; c < FAB_CLASSES; c++)
		paused |= (u32)(p->pause.until[c] > now && p->pause.since[c] != TIME_NEVER) << c;
	return paused;
}

/* The node at the far end of switch port @n. */
static const char *far_node(const struct plan *f, u32 n)
{
	const struct topo *t = f->topo;
	u32 peer = f->ports[n].peer;

	return t->nodes[peer & PEER_HOST ? t->hosts[peer & ~PEER_HOST] : t->switches[f->ports[peer].sw]].name;
}

/* "  port s0:p2: paused by s1 in class 3, 5" */
static void explain_port(const struct plan *f, u32 n, u32 paused, FILE *out)
{
	char name[64], *before = "";

	fprintf(out, "  port %s: %s %s in class ", plan_port_name(f, n, name, sizeof(name)),
		f->fab.credits ? "out of credits from" : "paused by", far_node(f, n));
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		if (!(paused >> c & 1))
			continue;
		fprintf(out, "%s%u", before, c);
		before = ", ";
	}
	fputc('\n', out);
}

static void explain_ports(const struct plan *f, const struct plan_memory *m, u64 now, u32 most, FILE *out)
{
	u32 n = 0;

	for (u32 i = 0; i < f->size.ports; i++) {
		u32 paused = paused_classes(&m->ports[i], now);

		if (paused && n++ < most)
			explain_port(f, i, paused, out);
	}
	explain_rest(n, most, "port", out);
}

/* Without timeouts a lost packet is sent again only if a later packet of the flow shows the gap. */
static void explain_losses(const struct run_result *r, FILE *out)
{
	u64 lost = r->dropped;

	for (u32 h = 0; h < r->n_hosts; h++)
		lost += r->hosts[h].discarded;
	if (lost && r->cfg->timeouts == CFG_OFF)
		fprintf(out, "  %llu frames were lost and timeouts are off: try timeouts=on\n", lost);
}

void hang_explain(const struct plan *f, const struct plan_memory *m, u64 now, const struct run_result *r, u32 most,
		  FILE *out)
{
	if (r->n_deadlock)
		records_deadlock(r, out);
	explain_flows(f->topo, now, r, most, out);
	explain_ports(f, m, now, most, out);
	if (!r->n_deadlock)
		explain_losses(r, out);
}
