/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.csv: the events that the hosts' NICs have written down, in order of time (lab/records/RECORDS.md). */
#ifndef LOSSLAB_TRACER_H
#define LOSSLAB_TRACER_H

#include <stdio.h>

#include "lab/plan/plan.h"

/* An event and its place: by time, then host, then the order at the host. */
struct tracer_row {
	u64 time;
	u32 host, at;
};

/* Zeroed: nothing is traced. */
struct tracer {
	FILE *out; /* an unlinked file, which records_write() copies */
	struct tracer_row *rows;
	u32 room;
};

/* If trace= is set, begin a file in the directory cfg->out. 0 or -errno. */
int tracer_start(struct tracer *t, const struct plan *f);
/*
 * Write down what the hosts have in their buffers, and empty these. All that happens before @until has happened, and
 * nothing else. 0, or -errno and err filled in: a buffer was full, or says what cannot be.
 */
int tracer_take(struct tracer *t, const struct plan *f, u64 until, struct err *err);
void tracer_free(struct tracer *t);

#endif
