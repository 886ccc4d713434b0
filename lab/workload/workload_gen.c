// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workloads from a seed with Poisson arrivals.
 *
 * Every host has its own streams for gaps, sizes and destinations. So with another load the same flows arrive faster or
 * slower, and one more host does not change what the others draw (but for the destinations they choose from).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/text.h"
#include "lab/workload/fixmath.h"
#include "lab/workload/workload_impl.h"

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
 * in E[size] x ps_per_byte / load. 0: too short or too long.
 */
static u64 gap_mean(u32 load_ppb, u128 size_mean, u32 ps_per_byte)
{
	u128 gap;

	if (__builtin_mul_overflow(size_mean * ps_per_byte, 1000000000U, &gap))
		return 0;
	gap = (gap / load_ppb) >> MEAN_BITS;
	return gap > GAP_MEAN_MAX ? 0 : (u64)gap;
}

/* The hosts that send are the first: all of them, or with pattern=half the lower half of the numbers. */
static u32 senders(const struct workload_args *a)
{
	return a->spec->half ? a->n_hosts / 2 : a->n_hosts;
}

static int heap_init(const struct workload_args *a, const struct poisson *p, const struct size_dist *d,
		     struct arrival_heap *s)
{
	struct wire_cut cut = workload_cut(a->spec);
	u128 size_mean = a->spec->load_of == LOAD_OF_WIRE ? d->wire_mean(d, &cut) : d->mean;
	u64 seed = a->spec->seed;

	s->n = senders(a);
	s->at = calloc(s->n, sizeof(*s->at));
	if (!s->at)
		return -ENOMEM;
	for (u32 h = 0; h < s->n; h++) {
		struct arrivals *host = &s->at[h];

		*host = (struct arrivals){ .host = h,
					   .mean_ps = gap_mean(p->load_ppb, size_mean, a->host_ps[h]),
					   .gap = rng_stream(seed, RNG_ARRIVAL, h),
					   .size = rng_stream(seed, RNG_SIZE, h),
					   .dst = rng_stream(seed, RNG_DESTINATION, h) };
		if (!host->mean_ps) {
			free(s->at);
			return err_set(a->err, -EINVAL,
				       "%s: host %u's flows would be less than 1 ps or more than 20 hours apart",
				       p->key, h);
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
	u32 first = a->spec->half ? senders(a) : 0;
	u32 dst = first + (u32)rng_below(&s->dst, a->n_hosts - (first ? first : 1));

	return (struct flow){ .src = s->host,
			      .dst = first ? dst : dst + (dst >= s->host),
			      .op = a->spec->op,
			      .bytes = d->draw(d, &s->size),
			      .start_ps = s->next_ps - s->next_ps % PS_PER_NS };
}

int workload_poisson(const struct workload_args *a, const struct poisson *p, const struct size_dist *d,
		     struct flow_list *out)
{
	u32 before = out->n;
	struct arrival_heap s;
	int rc = heap_init(a, p, d, &s);

	if (rc)
		return rc;
	while (!rc && (!p->flows || out->n - before < p->flows) && s.at[0].next_ps < p->end) {
		struct flow f = next_flow(&s.at[0], d, a);

		rc = flow_list_add(out, &f);
		step(&s.at[0]);
		sift_down(&s, 0);
	}
	free(s.at);
	if (!rc && p->end == TIME_NEVER && out->n - before < p->flows)
		rc = err_set(a->err, -EINVAL, "flows=%u: the last would start after 6 days; raise load or rate",
			     p->flows);
	return rc;
}

static int foreground(const struct workload_args *a, const struct size_dist *d, struct flow_list *out)
{
	const struct workload_spec *w = a->spec;
	struct poisson p = {
		.key = "load", .load_ppb = w->load_ppb, .flows = w->flows, .end = w->duration ? w->duration : TIME_NEVER
	};

	if (!w->load_ppb || (!w->flows && !w->duration))
		return err_set(a->err, -EINVAL, "workload=%s: a load, and flows or a duration, must be given",
			       text_quote(w->text).s);
	return workload_poisson(a, &p, d, out);
}

int workload_heavy_tailed(const struct workload_args *a, struct flow_list *out)
{
	struct size_dist d;

	size_heavy_tailed(&d);
	return foreground(a, &d, out);
}

int workload_websearch(const struct workload_args *a, struct flow_list *out)
{
	struct size_dist d;

	size_websearch(&d);
	return foreground(a, &d, out);
}

/* @text after "uniform:", of key @key. */
static int uniform(const struct workload_args *a, const char *key, const char *text, struct size_dist *d)
{
	const char *why = size_uniform(d, text);

	return why ? err_set(a->err, -EINVAL, "%s=uniform:%s: %s; allowed: like uniform:500KB-5MB", key,
			     text_quote(text).s, why)
		   : 0;
}

int workload_uniform(const struct workload_args *a, struct flow_list *out)
{
	struct size_dist d;
	int rc = uniform(a, "workload", a->arg, &d);

	return rc ? rc : foreground(a, &d, out);
}

int workload_cdf(const struct workload_args *a, struct flow_list *out)
{
	struct size_dist d;
	int rc = cdf_read(a->arg, &d, a->err);

	return rc ? rc : foreground(a, &d, out);
}

int background_sizes(const struct workload_args *a, struct size_dist *d)
{
	const char *sizes = a->spec->background_sizes;

	if (!strncmp(sizes, "uniform:", strlen("uniform:")))
		return uniform(a, "background_sizes", sizes + strlen("uniform:"), d);
	if (!strcmp(sizes, "websearch"))
		size_websearch(d);
	else if (!strcmp(sizes, "heavy-tailed"))
		size_heavy_tailed(d);
	else
		return err_set(a->err, -EINVAL,
			       "background_sizes=%s: unknown; allowed: heavy-tailed|websearch|uniform:MIN-MAX",
			       text_quote(sizes).s);
	return 0;
}
