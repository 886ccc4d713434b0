/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this folder share: a growing list of flows, and distributions of flow sizes. */
#ifndef LOSSLAB_WORKLOAD_IMPL_H
#define LOSSLAB_WORKLOAD_IMPL_H

#include "lab/workload/rng.h"
#include "lab/workload/workload.h"
#include "lab/workload/workload_wire.h"

struct flow_list {
	struct flow *flows;
	u32 n, room;
};

/* Append a flow; its id is its place. 0; or, without a message, -ENOMEM, -EINTR, or -E2BIG beyond WORKLOAD_MAX. */
int flow_list_add(struct flow_list *list, const struct flow *f);

/*
 * A distribution function, linear between its points: a share of (share[i] - share[i-1]) of the sizes
 * is uniform over the integers bytes[i-1]+1 .. bytes[i].
 */
#define CDF_ONE 100000000U /* all of it: a per cent with six decimals */
#define CDF_POINTS_MAX 1024

struct cdf {
	u32 n;
	u64 bytes[CDF_POINTS_MAX];
	u32 share[CDF_POINTS_MAX];
};

#define MEAN_BITS 20 /* binary places of size_dist.mean */

/* A distribution of flow sizes. */
struct size_dist {
	u64 (*draw)(const struct size_dist *d, struct rng *r); /* bytes, >= 1 */
	u64 mean;                                              /* E[size] in bytes x 2^MEAN_BITS */
	/* E[wire_flow(size)] in bytes x 2^MEAN_BITS */
	u128 (*wire_mean)(const struct size_dist *d, const struct wire_cut *cut);
	struct cdf cdf;
	u64 log2_lo[2], log2_hi[2]; /* heavy-tailed: ends of the medium and the large class, Q48 */
};

void size_heavy_tailed(struct size_dist *d);
void size_websearch(struct size_dist *d);
/* "500KB-5MB": every number of bytes in between is equally likely. NULL, or what is wrong with @text. */
const char *size_uniform(struct size_dist *d, const char *text);
/* Check that @d->cdf grows and ends at 100 %, and make it the distribution. NULL, or what is wrong with it. */
const char *size_from_cdf(struct size_dist *d);

/* What a row of the table of workloads gets. @arg is what follows the colon in the text, or "". */
struct workload_args {
	const struct workload_spec *spec;
	const char *arg;
	u32 n_hosts;
	const u32 *host_ps;
	struct err *err;
};

/* Flows that start at random: at what load, with what sizes, how many or how long. */
struct poisson {
	const char *key; /* what asks for the load, for messages: "load" */
	u32 load_ppb;
	u32 flows; /* at most; 0: any number */
	u64 end;   /* ps: all start before */
};

int workload_poisson(const struct workload_args *a, const struct poisson *p, const struct size_dist *d,
		     struct flow_list *out);
/* The distribution of @spec->background_sizes. 0 or -errno with a message. */
int background_sizes(const struct workload_args *a, struct size_dist *d);
/* The cut of messages and packets that counts wire bytes. */
struct wire_cut workload_cut(const struct workload_spec *w);

int workload_heavy_tailed(const struct workload_args *a, struct flow_list *out);
int workload_websearch(const struct workload_args *a, struct flow_list *out);
int workload_uniform(const struct workload_args *a, struct flow_list *out);
int workload_cdf(const struct workload_args *a, struct flow_list *out);
int workload_incast(const struct workload_args *a, struct flow_list *out);
int workload_permutation(const struct workload_args *a, struct flow_list *out);
int workload_file(const struct workload_args *a, struct flow_list *out);

/* Read a CDF file: "bytes percent" lines. 0, or -errno with a message. */
int cdf_read(const char *path, struct size_dist *d, struct err *err);

#endif
