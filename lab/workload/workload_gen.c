// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workloads from a seed: Poisson arrivals, incast, permutation.
 *
 * Every host has its own streams for gaps, sizes and destinations. So with another load the same flows arrive faster or
 * slower, and one more host does not change what the others draw (but for the destinations they choose from).
 */
#include <errno.h>
#include <stdlib.h>

#include "lab/text.h"
#include "lab/workload/fixmath.h"
#include "lab/workload/workload_impl.h"

#define BURST_BYTES 1000000ULL    /* default size of a flow of incast and permutation */
#define GAP_MEAN_MAX (1ULL << 56) /* ps, 20 hours; so that a gap (at most 45 means) fits 2^62 ps */

/* The arrivals at one host. */
struct arrivals {
	u64 next_ps; /* start of its next flow */
	u64 mean_ps; /* mean gap between two flows */
	u32 host;
	struct rng gap, size, dst;
};

/* A binary heap of all hosts' arrivals: the earliest first, at the same ps the host of the lower number. */
struct arrival_heap {
	struct arrivals *at;
	u32 n;
};

static bool earlier(const struct arrivals *a, const struct arrivals *b)
{
	return a->next_ps != b->next_ps ? a->next_ps < b->next_ps : a->host < b->host;
}

/* Restore the heap's order, which only entry @i may violate. */
static void sift_down(struct arrival_heap *s, u32 i)
{
	for (;;) {
		u32 least = i;

		for (u32 child = 2 * i + 1; child <= 2 * i + 2 && child < s->n; child++)
			if (earlier(&s->at[child], &s->at[least]))
				least = child;
		if (least == i)
			return;
		struct arrivals moved = s->at[i];

		s->at[i] = s->at[least];
		s->at[least] = moved;
		i = least;
	}
}

/* Draw the start of the next flow: a gap of -ln(u) means, cut to a ps. */
static void step(struct arrivals *s)
{
	s->next_ps += (u64)(((u128)s->mean_ps * fx_neg_ln(rng_next(&s->gap))) >> FX_BITS);
	if (s->next_ps > WORKLOAD_START_MAX)
		s->next_ps = TIME_NEVER;
}

/*
 * Mean gap in ps. Per second a host sends load x C / (8 E[size]) flows; with C as ps per byte this is one flow
 * in E[size] x ps_per_byte / load.
 */
static u64 gap_mean(u32 load_pct, u64 size_mean, u32 ps_per_byte)
{
	u128 gap = ((u128)size_mean * ps_per_byte * 100 / load_pct) >> MEAN_BITS;

	return gap > GAP_MEAN_MAX ? 0 : (u64)gap;
}

static int heap_init(const struct workload_args *a, const struct size_dist *d, struct arrival_heap *s)
{
	u64 seed = a->spec->seed;

	s->at = calloc(a->n_hosts, sizeof(*s->at));
	if (!s->at)
		return -ENOMEM;
	s->n = a->n_hosts;
	for (u32 h = 0; h < s->n; h++) {
		struct arrivals *host = &s->at[h];

		*host = (struct arrivals){ .host = h,
					   .mean_ps = gap_mean(a->spec->load_pct, d->mean, a->host_ps[h]),
					   .gap = rng_stream(seed, RNG_ARRIVAL, h),
					   .size = rng_stream(seed, RNG_SIZE, h),
					   .dst = rng_stream(seed, RNG_DESTINATION, h) };
		if (!host->mean_ps) {
			free(s->at);
			return err_set(a->err, -EINVAL,
				       "load=%u%%: host %u's flows would be less than 1 ps or more than 20 hours apart",
				       a->spec->load_pct, h);
		}
		step(host);
	}
	for (u32 i = s->n / 2; i-- > 0;)
		sift_down(s, i);
	return 0;
}

/* The flow that starts now. Its start is cut to whole ns, so that a file of flows has short numbers. */
static struct flow next_flow(struct arrivals *s, const struct size_dist *d, const struct workload_args *a)
{
	u32 dst = (u32)rng_below(&s->dst, a->n_hosts - 1);

	return (struct flow){ .src = s->host,
			      .dst = dst + (dst >= s->host),
			      .op = a->spec->op,
			      .bytes = d->draw(d, &s->size),
			      .start_ps = s->next_ps - s->next_ps % PS_PER_NS };
}

static int poisson(const struct workload_args *a, const struct size_dist *d, struct flow_list *out)
{
	const struct workload_spec *w = a->spec;
	u64 end = w->duration ? w->duration : TIME_NEVER;
	struct arrival_heap s;
	int rc;

	if (!w->load_pct || (!w->flows && !w->duration))
		return err_set(a->err, -EINVAL, "workload=%s: a load, and flows or a duration, must be given",
			       text_quote(w->text).s);
	rc = heap_init(a, d, &s);
	if (rc)
		return rc;
	while (!rc && (!w->flows || out->n < w->flows) && s.at[0].next_ps < end) {
		struct flow f = next_flow(&s.at[0], d, a);

		rc = flow_list_add(out, &f);
		step(&s.at[0]);
		sift_down(&s, 0);
	}
	free(s.at);
	if (!rc && w->flows && out->n < w->flows && !w->duration)
		rc = err_set(a->err, -EINVAL, "flows=%u: the last would start after 6 days; raise load or rate",
			     w->flows);
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
 * All senders at once to host 0. Fewer senders than hosts are spread evenly over the numbers 1..n-1, and so over racks
 * and pods: the topology generators number hosts rack by rack.
 */
int workload_incast(const struct workload_args *a, struct flow_list *out)
{
	const struct workload_spec *w = a->spec;
	u32 others = a->n_hosts - 1, senders = w->senders ? w->senders : others;
	int rc = 0;

	if (senders > others)
		return err_set(a->err, -EINVAL, "senders=%u: the network has %u hosts beside the receiver", senders,
			       others);
	for (u32 i = 0; i < senders && !rc; i++) {
		struct flow f = { .src = 1 + (u32)((u64)i * others / senders),
				  .op = w->op,
				  .bytes = w->bytes ? w->bytes : BURST_BYTES };

		rc = flow_list_add(out, &f);
	}
	return rc;
}

/* A uniformly random derangement of 0..n-1: Fisher-Yates until no host has itself, which 1 in e shuffles fulfils. */
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
	struct rng r = rng_stream(a->spec->seed, RNG_PERMUTATION, 0);
	u32 *to = calloc(a->n_hosts, sizeof(*to));
	int rc = 0;

	if (!to)
		return -ENOMEM;
	derange(to, a->n_hosts, &r);
	for (u32 h = 0; h < a->n_hosts && !rc; h++) {
		struct flow f = { .src = h,
				  .dst = to[h],
				  .op = a->spec->op,
				  .bytes = a->spec->bytes ? a->spec->bytes : BURST_BYTES };

		rc = flow_list_add(out, &f);
	}
	free(to);
	return rc;
}
