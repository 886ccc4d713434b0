/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of a run's flows; RECORDS.md has their definitions. Integers only, so every machine finds the same. */
#ifndef LOSSLAB_STATS_H
#define LOSSLAB_STATS_H

#include <stdbool.h>

#include "bpf/types.h"
#include "lab/workload/fixmath.h"

struct flow_record;
struct run_result;

#define SIZE_CLASSES 10

/* By nearest rank. */
struct percentiles {
	u64 p50, p95, p99, p999;
};

/* A tenth of the flows, by size. */
struct size_class {
	u64 from_bytes, to_bytes; /* of its smallest and its largest flow */
	u32 flows, completed;
	u64 avg_slowdown_milli;
	struct percentiles slowdown_ppm;
};

/* Jain's index of the long flows that are active at once. */
struct fairness {
	u32 flows; /* 0 or 1: there is no index */
	u64 index_milli;
	u64 from_ps, to_ps; /* all of them are active in this time */
};

/* Flows that start together to one host, as those of an incast do. */
struct requests {
	u32 n, completed;
	u64 avg_ps, max_ps; /* completion times of those completed */
	struct percentiles ps;
};

struct flow_stats {
	struct percentiles fct_ps, slowdown_ppm; /* of completed flows */
	struct size_class size[SIZE_CLASSES];
	u32 n_sizes; /* fewer than SIZE_CLASSES with fewer flows */
	struct fairness fairness;
	struct requests requests;
};

/* 0, or -ENOMEM. */
int flow_stats(const struct run_result *r, struct flow_stats *s);

/* The smallest of @n ascending values that at least @per_mille thousandths of them do not exceed; 0 of none. */
u64 nearest_rank(const u64 *ascending, u32 n, u32 per_mille);

/* A slowdown as a summand of an average: @ps / the flow's ideal time, with twelve decimals. */
u128 slowdown_term(const struct flow_record *f, u64 ps);
/* The mean of @n such summands in thousandths, rounded half up; 0 of none. */
u64 slowdown_mean_milli(u128 sum, u32 n);

#endif
