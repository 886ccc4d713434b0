// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of a run's flows. */
#include "lab/records/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/records/records_impl.h"

#define SUM_SCALE 1000000000000ULL /* an average's summands carry twelve decimals */
#define RATE_SCALE 1000000000ULL   /* bytes per ps -> per ms */

/* Room for one number and one index per flow, twice. */
struct scratch {
	u64 *a, *b;
	u32 *order;
};

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int compare(u64 x, u64 y)
{
	return x < y ? -1 : x > y;
}

static int by_size(const void *a, const void *b, void *flows)
{
	const struct flow_record *f = flows;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	int c = compare(f[x].flow.bytes, f[y].flow.bytes);

	return c ? c : compare(x, y);
}

/* Flows of one request stand together. */
static int by_request(const void *a, const void *b, void *flows)
{
	const struct flow_record *f = flows;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	int c = compare(f[x].flow.start_ps, f[y].flow.start_ps);

	c = c ? c : compare(f[x].flow.dst, f[y].flow.dst);
	return c ? c : compare(x, y);
}

u64 nearest_rank(const u64 *ascending, u32 n, u32 per_mille)
{
	u64 rank = ((u64)n * per_mille + 999) / 1000;

	return rank ? ascending[rank - 1] : 0;
}

/* Sorts @v. */
static struct percentiles percentiles(u64 *v, u32 n)
{
	qsort(v, n, sizeof(*v), compare_u64);
	return (struct percentiles){
		.p50 = nearest_rank(v, n, 500),
		.p95 = nearest_rank(v, n, 950),
		.p99 = nearest_rank(v, n, 990),
		.p999 = nearest_rank(v, n, 999),
	};
}

u128 slowdown_term(const struct flow_record *f, u64 ps)
{
	return f->ideal_ps ? ((u128)ps * SUM_SCALE + f->ideal_ps / 2) / f->ideal_ps : 0;
}

u64 slowdown_mean_milli(u128 sum, u32 n)
{
	u128 milli = (u128)n * (SUM_SCALE / 1000); /* sum -> thousandths of the mean */

	return n ? (u64)((sum + milli / 2) / milli) : 0;
}

static void all_flows(const struct run_result *r, struct scratch *m, struct flow_stats *s)
{
	u32 n = 0;

	for (u32 i = 0; i < r->n_flows; i++) {
		const struct flow_record *f = &r->flows[i];

		if (!f->completed)
			continue;
		m->a[n] = f->fct_ps;
		m->b[n++] = ratio(f->fct_ps, f->ideal_ps, 1000000);
	}
	s->fct_ps = percentiles(m->a, n);
	s->slowdown_ppm = percentiles(m->b, n);
}

/* The flows order[from .. to-1]. */
static struct size_class size_class(const struct run_result *r, struct scratch *m, u32 from, u32 to)
{
	struct size_class c = {
		.from_bytes = r->flows[m->order[from]].flow.bytes,
		.to_bytes = r->flows[m->order[to - 1]].flow.bytes,
		.flows = to - from,
	};
	u128 sum = 0;

	for (u32 i = from; i < to; i++) {
		const struct flow_record *f = &r->flows[m->order[i]];

		if (!f->completed)
			continue;
		sum += slowdown_term(f, f->fct_ps);
		m->a[c.completed++] = ratio(f->fct_ps, f->ideal_ps, 1000000);
	}
	c.avg_slowdown_milli = slowdown_mean_milli(sum, c.completed);
	c.slowdown_ppm = percentiles(m->a, c.completed);
	return c;
}

/* All flows, completed or not, so that the runs of a scenario have the same classes. */
static void sizes(const struct run_result *r, struct scratch *m, struct flow_stats *s)
{
	qsort_r(m->order, r->n_flows, sizeof(*m->order), by_size, r->flows);
	for (u32 k = 0; k < SIZE_CLASSES; k++) {
		u32 from = (u32)((u64)r->n_flows * k / SIZE_CLASSES);
		u32 to = (u32)((u64)r->n_flows * (k + 1) / SIZE_CLASSES);

		if (from < to)
			s->size[s->n_sizes++] = size_class(r, m, from, to);
	}
}

/* When the flow was over, or the run with it unfinished. */
static u64 end_of(const struct run_result *r, const struct flow_record *f)
{
	return f->completed ? f->flow.start_ps + f->fct_ps : r->virtual_ps;
}

/* Long: at least half as large as the largest. Those that stopped in error have no known end. */
static bool is_long(const struct run_result *r, const struct flow_record *f, u64 largest)
{
	return f->flow.bytes >= largest - largest / 2 && !f->error && end_of(r, f) > f->flow.start_ps;
}

static u64 largest_flow(const struct run_result *r)
{
	u64 largest = 0;

	for (u32 i = 0; i < r->n_flows; i++)
		largest = max64(largest, r->flows[i].flow.bytes);
	return largest;
}

/* The first instant at which most long flows are active. */
static u64 busiest(const struct run_result *r, struct scratch *m, u64 largest)
{
	u32 n = 0, ended = 0, most = 0;
	u64 at = 0;

	for (u32 i = 0; i < r->n_flows; i++) {
		if (!is_long(r, &r->flows[i], largest))
			continue;
		m->a[n] = r->flows[i].flow.start_ps;
		m->b[n++] = end_of(r, &r->flows[i]);
	}
	qsort(m->a, n, sizeof(*m->a), compare_u64);
	qsort(m->b, n, sizeof(*m->b), compare_u64);
	for (u32 i = 0; i < n; i++) {
		while (m->b[ended] <= m->a[i])
			ended++;
		if (i + 1 - ended <= most)
			continue;
		most = i + 1 - ended;
		at = m->a[i];
	}
	return at;
}

/* Jain's index (sum x)^2 / (n sum x^2) of the mean rates x, in kB/s: then no sum overflows. */
static void fairness(const struct run_result *r, struct scratch *m, struct fairness *j)
{
	u64 largest = largest_flow(r), at = busiest(r, m, largest);
	u128 sum = 0, squares = 0;

	j->to_ps = TIME_NEVER;
	for (u32 i = 0; i < r->n_flows; i++) {
		const struct flow_record *f = &r->flows[i];
		u64 end = end_of(r, f), x;

		if (!is_long(r, f, largest) || f->flow.start_ps > at || end <= at)
			continue;
		x = ratio(f->completed ? f->flow.bytes : f->received_bytes, end - f->flow.start_ps, RATE_SCALE);
		sum += x;
		squares += (u128)x * x;
		j->flows++;
		j->from_ps = max64(j->from_ps, f->flow.start_ps);
		j->to_ps = min64(j->to_ps, end);
	}
	if (j->flows < 2 || !squares) {
		*j = (struct fairness){ 0 };
		return;
	}
	squares *= j->flows;
	j->index_milli = (u64)((sum * sum * 2000 + squares) / (squares * 2));
}

static bool same_request(const struct flow_record *a, const struct flow_record *b)
{
	return a->flow.start_ps == b->flow.start_ps && a->flow.dst == b->flow.dst;
}

/* Of the request that order[from .. to-1] are: the time its last flow takes, or 0 if one has not completed. */
static u64 request_time(const struct run_result *r, const u32 *order, u32 from, u32 to)
{
	u64 last = 0;

	for (u32 i = from; i < to; i++) {
		if (!r->flows[order[i]].completed)
			return 0;
		last = max64(last, r->flows[order[i]].fct_ps);
	}
	return last;
}

static void requests(const struct run_result *r, struct scratch *m, struct requests *q)
{
	u128 sum = 0;
	u32 to;

	qsort_r(m->order, r->n_flows, sizeof(*m->order), by_request, r->flows);
	for (u32 from = 0; from < r->n_flows; from = to) {
		u64 ps;

		for (to = from + 1; to < r->n_flows; to++)
			if (!same_request(&r->flows[m->order[from]], &r->flows[m->order[to]]))
				break;
		if (to - from < 2)
			continue;
		q->n++;
		ps = request_time(r, m->order, from, to);
		if (!ps)
			continue;
		sum += ps;
		q->max_ps = max64(q->max_ps, ps);
		m->a[q->completed++] = ps;
	}
	if (q->completed)
		q->avg_ps = (u64)((sum + q->completed / 2) / q->completed);
	q->ps = percentiles(m->a, q->completed);
}

int flow_stats(const struct run_result *r, struct flow_stats *s)
{
	struct scratch m = {
		.a = calloc(r->n_flows + 1, sizeof(*m.a)),
		.b = calloc(r->n_flows + 1, sizeof(*m.b)),
		.order = calloc(r->n_flows + 1, sizeof(*m.order)),
	};
	int rc = m.a && m.b && m.order ? 0 : -ENOMEM;

	memset(s, 0, sizeof(*s));
	for (u32 i = 0; !rc && i < r->n_flows; i++)
		m.order[i] = i;
	if (!rc) {
		all_flows(r, &m, s);
		sizes(r, &m, s);
		fairness(r, &m, &s->fairness);
		requests(r, &m, &s->requests);
	}
	free(m.a);
	free(m.b);
	free(m.order);
	return rc;
}
