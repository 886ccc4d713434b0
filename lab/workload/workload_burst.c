// SPDX-License-Identifier: GPL-2.0-or-later
/* Workloads from a seed whose flows start together: incast, perhaps repeated and over background traffic; permutation.
 */
#include <errno.h>
#include <stdlib.h>

#include "lab/text.h"
#include "lab/workload/workload_impl.h"

#define BURST_BYTES 1000000ULL /* default of bytes= */

/* The incasts of a run, which are alike but for who takes part. */
struct incasts {
	u32 senders;
	u64 bytes; /* of each flow, or striped over all of them */
	u32 *host; /* to draw from; NULL: they are not drawn */
	u64 every; /* from the start of one to that of the next, ps */
};

/* Bytes of sender @i: with stripe=on the first ones have a byte more where the total does not divide. */
static u64 share(const struct workload_args *a, const struct incasts *all, u32 i)
{
	if (!a->spec->stripe)
		return all->bytes;
	return all->bytes / all->senders + (i < all->bytes % all->senders);
}

/*
 * Who takes part in incast @number. Alone: host 0 receives, and fewer senders than hosts are spread evenly over the
 * numbers 1..n-1, and so over racks and pods, as the topology generators number hosts rack by rack. Repeated: receiver
 * and senders are drawn, all equally likely. The receiver comes first in all->host then.
 */
static void draw_hosts(const struct workload_args *a, const struct incasts *all, u32 number)
{
	struct rng r = rng_stream(a->spec->seed, RNG_INCAST, number);

	for (u32 h = 0; h < a->n_hosts; h++)
		all->host[h] = h;
	for (u32 i = 0; i <= all->senders; i++) { /* the beginning of a Fisher-Yates shuffle */
		u32 j = i + (u32)rng_below(&r, a->n_hosts - i), moved = all->host[i];

		all->host[i] = all->host[j];
		all->host[j] = moved;
	}
}

static int add_incast(const struct workload_args *a, const struct incasts *all, u32 number, struct flow_list *out)
{
	u32 others = a->n_hosts - 1;
	int rc = 0;

	if (all->host)
		draw_hosts(a, all, number);
	for (u32 i = 0; i < all->senders && !rc; i++) {
		struct flow f = { .src = all->host ? all->host[1 + i] : 1 + (u32)((u64)i * others / all->senders),
				  .dst = all->host ? all->host[0] : 0,
				  .op = a->spec->op,
				  .bytes = share(a, all, i),
				  .start_ps = number * all->every };

		rc = flow_list_add(out, &f);
	}
	return rc;
}

/* every=auto: twice the time that the flows of one incast take on the slowest host's link, in whole ns. */
static u64 every_auto(const struct workload_args *a, const struct incasts *all)
{
	struct wire_cut cut = workload_cut(a->spec);
	u32 slowest = 0;
	u128 wire = 0, ps;

	for (u32 h = 0; h < a->n_hosts; h++)
		slowest = a->host_ps[h] > slowest ? a->host_ps[h] : slowest;
	for (u32 i = 0; i < all->senders; i++)
		wire += wire_flow(&cut, share(a, all, i));
	ps = 2 * wire * slowest / PS_PER_NS * PS_PER_NS + PS_PER_NS;
	return ps > WORKLOAD_START_MAX ? WORKLOAD_START_MAX : (u64)ps;
}

static int check_incasts(const struct workload_args *a, struct incasts *all)
{
	const struct workload_spec *w = a->spec;
	u32 others = a->n_hosts - 1;

	all->senders = w->senders ? w->senders : others;
	all->bytes = w->bytes ? w->bytes : BURST_BYTES;
	if (all->senders > others)
		return err_set(a->err, -EINVAL, "senders=%u: the network has %u hosts beside the receiver",
			       all->senders, others);
	if (w->stripe && all->bytes < all->senders)
		return err_set(a->err, -EINVAL, "bytes=%llu: stripe=on leaves less than a byte to each of %u senders",
			       all->bytes, all->senders);
	all->every = w->every ? w->every : every_auto(a, all);
	if (all->every > WORKLOAD_START_MAX / w->repeat)
		return err_set(a->err, -EINVAL, "repeat=%u: the last incast would start after 6 days", w->repeat);
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Poisson arrivals while there are incasts, or for duration=. Ids follow the start, incasts first at the same time. */
static int add_background(const struct workload_args *a, const struct incasts *all, struct flow_list *out)
{
	const struct workload_spec *w = a->spec;
	struct poisson p = { .key = "background",
			     .load_ppb = w->background_ppb,
			     .end = w->duration ? w->duration : w->repeat * all->every };
	struct size_dist d;
	int rc = background_sizes(a, &d);

	if (!rc)
		rc = workload_poisson(a, &p, &d, out);
	if (rc)
		return rc;
	qsort(out->flows, out->n, sizeof(*out->flows), by_start);
	for (u32 i = 0; i < out->n; i++)
		out->flows[i].id = i;
	return 0;
}

int workload_incast(const struct workload_args *a, struct flow_list *out)
{
	const struct workload_spec *w = a->spec;
	struct incasts all = { 0 };
	int rc = check_incasts(a, &all);

	if (!rc && w->repeat > 1) {
		all.host = calloc(a->n_hosts, sizeof(*all.host));
		rc = all.host ? 0 : -ENOMEM;
	}
	for (u32 i = 0; i < w->repeat && !rc; i++)
		rc = add_incast(a, &all, i, out);
	if (!rc && w->background_ppb)
		rc = add_background(a, &all, out);
	free(all.host);
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
