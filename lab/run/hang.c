// SPDX-License-Identifier: GPL-2.0
/* Runs that hang: what they wait for, in words. */
#include "lab/run/hang.h"

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
