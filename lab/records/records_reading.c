// SPDX-License-Identifier: GPL-2.0-or-later
/* What a scenario's table says in words: whose flows are slower, compared like with like. */
#include <string.h>

#include "lab/config/scenario.h"
#include "lab/records/records_impl.h"

/* The runs that are compared. */
struct reading {
	const struct run_result *const *runs;
	const struct run_totals *totals;
	const char *const *labels;
	u32 n;
	u32 common; /* flows that completed in all */
	u32 begun;  /* flows that began in all */
	/* sums of slowdowns, of a run: of the flows in common, and of those begun */
	u128 sum[SCENARIO_VARIANTS], bound[SCENARIO_VARIANTS];
};

static bool is_compared(const struct reading *c, u32 v)
{
	return c->totals[v].completed > 0;
}

static bool same_flow(const struct flow *a, const struct flow *b)
{
	return a->src == b->src && a->dst == b->dst && a->bytes == b->bytes && a->start_ps == b->start_ps;
}

/* Have the compared runs the same flows? */
static bool same_flows(const struct reading *c)
{
	const struct run_result *first = c->runs[0];

	for (u32 v = 1; v < c->n; v++) {
		if (!is_compared(c, v))
			continue;
		if (c->runs[v]->n_flows != first->n_flows)
			return false;
		for (u32 i = 0; i < first->n_flows; i++)
			if (!same_flow(&c->runs[v]->flows[i].flow, &first->flows[i].flow))
				return false;
	}
	return true;
}

static bool has_begun(const struct run_result *r, const struct flow_record *f)
{
	return f->completed || f->flow.start_ps < r->virtual_ps;
}

/* How long the flow took, or has taken. */
static u64 age(const struct run_result *r, const struct flow_record *f)
{
	return f->completed ? f->fct_ps : r->virtual_ps - f->flow.start_ps;
}

static void add_flow(struct reading *c, u32 i)
{
	bool completed = true, begun = true;

	for (u32 v = 0; v < c->n; v++) {
		if (!is_compared(c, v))
			continue;
		completed &= c->runs[v]->flows[i].completed;
		begun &= has_begun(c->runs[v], &c->runs[v]->flows[i]);
	}
	c->common += completed;
	c->begun += begun;
	for (u32 v = 0; v < c->n; v++) {
		const struct flow_record *f = &c->runs[v]->flows[i];

		if (!is_compared(c, v) || !begun)
			continue;
		c->bound[v] += slowdown_term(f, age(c->runs[v], f));
		if (completed)
			c->sum[v] += slowdown_term(f, f->fct_ps);
	}
}

/* a / b with two decimals, rounded half up; "-" where there is none. */
static struct decimal quotient(u128 a, u128 b)
{
	return b ? decimal((u64)((a * 200 + b) / (b * 2)), 2) : (struct decimal){ "-" };
}

static int sign(u128 a, u128 b)
{
	return a < b ? -1 : a > b;
}

/* Does one average say slower than the first run, and the other faster? */
static bool is_undecided(const struct reading *c, u32 v)
{
	return sign(c->sum[v], c->sum[0]) * sign(c->bound[v], c->bound[0]) < 0;
}

/* Every flow completed in all runs: one number says it. */
static void put_plain(const struct reading *c, int width, FILE *out)
{
	for (u32 v = 1; v < c->n; v++)
		if (is_compared(c, v))
			fprintf(out, "  %-*s  %6s\n", width, c->labels[v], quotient(c->sum[v], c->sum[0]).s);
	fprintf(out, "All %u flows completed in each of them.\n", c->common);
}

static void put_both(const struct reading *c, int width, FILE *out)
{
	fprintf(out, "  %-*s  common   bound\n", width, "");
	for (u32 v = 1; v < c->n; v++)
		if (is_compared(c, v))
			fprintf(out, "  %-*s  %6s  %6s%s\n", width, c->labels[v], quotient(c->sum[v], c->sum[0]).s,
				quotient(c->bound[v], c->bound[0]).s, is_undecided(c, v) ? "  undecided" : "");
	fprintf(out, "common: %u of %u flows, those that completed in each of them.\n", c->common, c->runs[0]->n_flows);
	fprintf(out, "bound: %u flows; an unfinished one counts from its start to the run's end.\n", c->begun);
}

/* The runs' averages over whatever flows they have. */
static void put_unlike(const struct reading *c, int width, FILE *out)
{
	for (u32 v = 1; v < c->n; v++)
		if (is_compared(c, v))
			fprintf(out, "  %-*s  %6s\n", width, c->labels[v],
				quotient(c->totals[v].avg_slowdown_milli, c->totals[0].avg_slowdown_milli).s);
	fputs("The variants have different flows: each average is over its own.\n", out);
}

void records_reading(const struct run_result *const *runs, const struct run_totals *totals, const char *const *labels,
		     u32 n, FILE *out)
{
	struct reading c = { .runs = runs, .totals = totals, .labels = labels, .n = n };
	int width = 0;
	u32 others = 0;

	for (u32 v = 1; v < n; v++) {
		others += is_compared(&c, v);
		width = (int)max64((u64)width, strlen(labels[v]));
	}
	if (!others || !is_compared(&c, 0))
		return;
	fprintf(out, "Average slowdown relative to %s:\n", labels[0]);
	if (!same_flows(&c))
		return put_unlike(&c, width, out);
	for (u32 i = 0; i < runs[0]->n_flows; i++)
		add_flow(&c, i);
	if (c.common == runs[0]->n_flows)
		put_plain(&c, width, out);
	else
		put_both(&c, width, out);
}
