/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples at a fixed interval of virtual time: the state of every switch port, samples.csv, and what every host has
 * received, goodput.csv (lab/records/RECORDS.md).
 */
#ifndef LOSSLAB_SAMPLE_H
#define LOSSLAB_SAMPLE_H

#include <stdio.h>

#include "agent/agent.h"
#include "lab/plan/plan.h"

/* A port at its last sample, and the text after the time in its rows: ",s0,1,". */
struct sampled {
	u64 tx_bytes, rx_bytes, queue, buffer;
	u32 paused;
	char name[40];
};

/* Zeroed: no samples are taken. */
struct sampler {
	FILE *out;     /* an unlinked file, which records_write() copies */
	FILE *goodput; /* likewise */
	u64 next;
	u64 runs_out;          /* when the first pause of the last sample expires, or TIME_NEVER */
	struct sampled *ports; /* [ports]: as of the last sample */
	u64 *received;         /* [hosts]: bytes, as of the last sample */
};

/* Take samples every cfg->sample, if that is set, into files in the directory cfg->out. 0 or -errno. */
int sampler_start(struct sampler *s, const struct plan *f);
/* When the next sample is due that may have rows, or TIME_NEVER. */
u64 sampler_next(const struct sampler *s);
/*
 * Take that sample: a row for every port of @m whose state has changed or that moved a byte, and one for every host of
 * @hosts that has received a new byte. All events before
 * sampler_next() have been handled, and there are none until @idle >= sampler_next(): samples up to @idle that would
 * have no row are skipped.
 */
void sampler_take(struct sampler *s, const struct plan *f, const struct plan_memory *m, const struct host_view *hosts,
		  u64 idle);
void sampler_free(struct sampler *s);

#endif
