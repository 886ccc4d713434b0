// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads from a seed: Poisson arrivals, incast, permutation.
 *
 * Every host has streams of its own for gaps, sizes and destinations: another load squeezes the same flows together,
 * and one more host does not change what the others draw (only whom they may send to).
 */
#include <errno.h>
#include <stdlib.h>

#include "lab/text.h"
#include "lab/workload/fixmath.h"
#include "lab/workload/workload_impl.h"

#define BURST_BYTES 1000000ULL    /* of a flow of incast and permutation, if not said */
#define GAP_MEAN_MAX (1ULL << 56) /* ps, 20 hours; so that a gap (at most 45 means) fits 2^62 ps */

/* A host's own clock: when its next flow starts, exact to the ps. */
struct source {
	u64 next_ps;
	u64 mean_ps; /* between two flows */
	u32 host;
	struct rng gap, size, dst;
};

/* Sources in a binary heap, the earliest first; at the same ps the host of the lower number. */
struct sources {
	struct source *heap;
	u32 n;
};

static bool earlier(const struct source *a, const struct source *b)
{
	return a->next_ps != b->next_ps ? a->next_ps < b->next_ps : a->host < b->host;
}

/* Let the source at @i sink to its place. */
static void sift_down(struct sources *s, u32 i)
{
	for (;;) {
		u32 least = i;

		for (u32 child = 2 * i + 1; child <= 2 * i + 2 && child < s->n; child++)
			if (earlier(&s->heap[child], &s->heap[least]))
				least = child;
		if (least == i)
			return;
		struct source moved = s->heap[i];

		s->heap[i] = s->heap[least];
		s->heap[least] = moved;
		i = least;
	}
}

/* The time of the source's next flow: a gap of -ln(u) means, cut to a ps. */
static void step(struct source *s)
{
	s->next_ps += (u64)(((u128)s->mean_ps * fx_neg_ln(rng_next(&s->gap))) >> FX_BITS);
	if (s->next_ps > WORKLOAD_START_MAX)
		s->next_ps = TIME_NEVER;
}

/*
 * Mean gap in ps. Per second a host sends load x C / (8 E[size]) flows; with C as ps per byte this is one flow
 * in E[size] x ps_per_byte / load.
 */
static u64 gap_mean(const struct run_cfg *c, u64 size_mean, u32 ps_per_byte)
{
	u128 gap = ((u128)size_mean * ps_per_byte * 100 / c->load_pct) >> MEAN_BITS;

	return gap > GAP_MEAN_MAX ? 0 : (u64)gap;
}

static int sources_init(const struct workload_args *a, const struct size_dist *d, struct sources *s)
{
	u64 seed = a->cfg->seed;

	s->heap = calloc(a->n_hosts, sizeof(*s->heap));
	if (!s->heap)
		return -ENOMEM;
	s->n = a->n_hosts;
	for (u32 h = 0; h < s->n; h++) {
		struct source *src = &s->heap[h];

		*src = (struct source){ .host = h,
					.mean_ps = gap_mean(a->cfg, d->mean, a->host_ps[h]),
					.gap = rng_stream(seed, RNG_ARRIVAL, h),
					.size = rng_stream(seed, RNG_SIZE, h),
					.dst = rng_stream(seed, RNG_DESTINATION, h) };
		if (!src->mean_ps) {
			free(s->heap);
			return err_set(a->err, -EINVAL,
				       "load=%u%%: host %u's flows would be less than 1 ps or more than 20 hours apart",
				       a->cfg->load_pct, h);
		}
		step(src);
	}
	for (u32 i = s->n / 2; i-- > 0;)
		sift_down(s, i);
	return 0;
}

/* The flow that the source begins now. Its start is cut to whole ns, so that a file of flows has short numbers. */
static struct flow next_flow(struct source *s, const struct size_dist *d, const struct workload_args *a)
{
	u32 dst = (u32)rng_below(&s->dst, a->n_hosts - 1);

	return (struct flow){ .src = s->host,
			      .dst = dst + (dst >= s->host),
			      .op = a->cfg->op,
			      .bytes = d->draw(d, &s->size),
			      .start_ps = s->next_ps - s->next_ps % PS_PER_NS };
}

static int poisson(const struct workload_args *a, const struct size_dist *d, struct flow_list *out)
{
	const struct run_cfg *c = a->cfg;
	u64 end = c->duration ? c->duration : TIME_NEVER;
	struct sources s;
	int rc;

	if (!c->load_pct || (!c->flows && !c->duration))
		return err_set(a->err, -EINVAL, "workload=%s: a load, and flows or a duration, must be given",
			       text_quote(c->workload).s);
	rc = sources_init(a, d, &s);
	if (rc)
		return rc;
	while (!rc && (!c->flows || out->n < c->flows) && s.heap[0].next_ps < end) {
		struct flow f = next_flow(&s.heap[0], d, a);

		rc = flow_list_add(out, &f);
		step(&s.heap[0]);
		sift_down(&s, 0);
	}
	free(s.heap);
	if (!rc && c->flows && out->n < c->flows && !c->duration)
		rc = err_set(a->err, -EINVAL,
			     "flows=%u: the last would start after 53 days; a higher load or rate helps", c->flows);
	return rc;
}

int workload_heavy_tailed(const struct workload_args *a, struct flow_list *out)
{
	struct size_dist d;

	size_heavy_tailed(&d);
	return poisson(a, &d, out);
}

int workload_websearch(const struct workload_args *a, struct flow_list *out)
{
	struct size_dist d;

	size_websearch(&d);
	return poisson(a, &d, out);
}

int workload_cdf(const struct workload_args *a, struct flow_list *out)
{
	struct size_dist d;
	int rc = cdf_read(a->arg, &d, a->err);

	return rc ? rc : poisson(a, &d, out);
}

/*
 * Everyone at once to host 0. Fewer senders than hosts are spread evenly over the numbers 1..n-1,
 * that is over racks and pods, which the generators of topologies number one after the other.
 */
int workload_incast(const struct workload_args *a, struct flow_list *out)
{
	const struct run_cfg *c = a->cfg;
	u32 others = a->n_hosts - 1, senders = c->senders ? c->senders : others;
	int rc = 0;

	if (senders > others)
		return err_set(a->err, -EINVAL, "senders=%u: the network has %u hosts beside the receiver", senders,
			       others);
	for (u32 i = 0; i < senders && !rc; i++) {
		struct flow f = { .src = 1 + (u32)((u64)i * others / senders),
				  .op = c->op,
				  .bytes = c->bytes ? c->bytes : BURST_BYTES };

		rc = flow_list_add(out, &f);
	}
	return rc;
}

/* Shuffle 0..n-1 (Fisher-Yates) until nobody has himself: 1 in e shuffles is such, each equally likely. */
static void derange(u32 *to, u32 n, struct rng *r)
{
	bool again;

	do {
		again = false;
		for (u32 i = 0; i < n; i++)
			to[i] = i;
		for (u32 i = n; i-- > 1;) {
			u32 j = (u32)rng_below(r, i + 1), moved = to[i];

			to[i] = to[j];
			to[j] = moved;
		}
		for (u32 i = 0; i < n; i++)
			again |= to[i] == i;
	} while (again);
}

/* Every host sends one flow and receives one. */
int workload_permutation(const struct workload_args *a, struct flow_list *out)
{
	struct rng r = rng_stream(a->cfg->seed, RNG_PERMUTATION, 0);
	u32 *to = calloc(a->n_hosts, sizeof(*to));
	int rc = 0;

	if (!to)
		return -ENOMEM;
	derange(to, a->n_hosts, &r);
	for (u32 h = 0; h < a->n_hosts && !rc; h++) {
		struct flow f = {
			.src = h, .dst = to[h], .op = a->cfg->op, .bytes = a->cfg->bytes ? a->cfg->bytes : BURST_BYTES
		};

		rc = flow_list_add(out, &f);
	}
	free(to);
	return rc;
}
