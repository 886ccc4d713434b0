/* SPDX-License-Identifier: GPL-2.0 */
/* Samples: what every switch port holds, at equal distances of virtual time. Columns: lab/records/RECORDS.md,
 * samples.csv. */
#ifndef LOSSLAB_SAMPLE_H
#define LOSSLAB_SAMPLE_H

#include <stdio.h>

#include "lab/plan/plan.h"

/* A port as of the last sample, and how its rows go on behind the time: ",s0,1,". */
struct sampled {
	u64 tx_bytes, rx_bytes, queue, buffer;
	u32 paused;
	char name[40];
};

/* Zeroed: no samples are taken. */
struct sampler {
	FILE *out; /* a file that nobody else sees, until records_write() */
	u64 next;
	u64 runs_out;          /* the first pause to do so of those in the last sample; TIME_NEVER */
	struct sampled *ports; /* [ports]: as of the last sample */
};

/* Take samples every cfg->sample, if that is set, into a file in the directory cfg->out. 0 or -errno. */
int sampler_start(struct sampler *s, const struct plan *f);
/* When the next sample is due that may have rows, or TIME_NEVER. */
u64 sampler_next(const struct sampler *s);
/*
 * Take it: a row for every port of @m where a byte has moved or what it holds has changed. All that happens before
 * sampler_next() has happened, and nothing does until @idle, which is no earlier: samples until then that would have no
 * row are passed over.
 */
void sampler_take(struct sampler *s, const struct plan *f, const struct plan_memory *m, u64 idle);
void sampler_free(struct sampler *s);

#endif
