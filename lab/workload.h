/* SPDX-License-Identifier: GPL-2.0 */
/* Flows: read from a file, or generated from a seed with integer arithmetic only. */
#ifndef LOSSLAB_WORKLOAD_H
#define LOSSLAB_WORKLOAD_H

#include "lab/cfg.h"

/* One flow: a transfer of @bytes from host @src to host @dst that begins at @start_ps. */
struct flow {
	u32 id; /* 0..n-1, the row's place in the table */
	u32 src, dst;
	u32 pad;
	u64 bytes; /* >= 1 */
	u64 start_ps;
};

/*
 * Make the flows that @c asks for on a network of @n_hosts hosts, each with a link of
 * host_ps[h] ps per byte. Sorted by start time (then id); ids renumbered in that order for
 * generated workloads, kept for files (where they must be 0..n-1 in any order). Returns 0 and *flows (malloc, caller
 * frees), or -errno and one line in err[CFG_ERR_MAX] (files: "path:line: what").
 */
int workload_make(const struct run_cfg *c, u32 n_hosts, const u32 *host_ps, struct flow **flows, u32 *n, char *err);

#endif
