/* SPDX-License-Identifier: GPL-2.0 */
/* Flows: read from a file, or generated from a seed with integer arithmetic only. */
#ifndef LOSSLAB_WORKLOAD_H
#define LOSSLAB_WORKLOAD_H

#include "agent/nic/flow.h"
#include "lab/config/cfg.h"

#define WORKLOAD_MAX (1U << 22)         /* flows of one run */
#define WORKLOAD_BYTES_MAX (1ULL << 40) /* bytes of one flow */
#define WORKLOAD_START_MAX (1ULL << 59) /* ps; 6 days: virtual time ends at 2^60 */

/* What a workload asks of the other keys. */
enum workload_kind {
	WORKLOAD_UNKNOWN,
	WORKLOAD_POISSON, /* load; flows or duration: heavy-tailed, websearch, cdf:PATH */
	WORKLOAD_INCAST,  /* senders, bytes */
	WORKLOAD_BURST,   /* bytes: permutation */
	WORKLOAD_FILE,    /* says all itself: file:PATH */
};

enum workload_kind workload_kind(const char *spec);
/* The specs there are, "a|b|c:PATH", for messages and help. */
const char *workload_list(char *buf, size_t n);

/*
 * Make the flows that @c asks for on a network of @n_hosts hosts, each with a link of
 * host_ps[h] ps per byte. Sorted by start time (then id); ids renumbered in that order for
 * generated workloads, kept for files (where they must be 0..n-1 in any order). Flows do as @c->op says and are of
 * @c->data_class, unless the file has columns of its own for that or @c->classes lets them draw. Returns 0 and *flows
 * (malloc, caller frees), or -errno and err filled in (files: "path:line: what").
 */
int workload_make(const struct run_cfg *c, u32 n_hosts, const u32 *host_ps, struct flow **flows, u32 *n,
		  struct err *err);

/* The names of enum flow_op, NULL at the end. */
extern const char *const flow_op_names[];

/* Write flows as workload=file: reads them, whatever the configuration says of op and class. 0, or -EIO. */
int workload_write_csv(const struct flow *flows, u32 n, FILE *out);

#endif
