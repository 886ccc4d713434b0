/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One experiment from configuration to records. */
#ifndef LOSSLAB_EXPERIMENT_H
#define LOSSLAB_EXPERIMENT_H

#include "lab/records/records.h"
#include "lab/run/conductor.h"

struct experiment {
	struct run_cfg cfg;
	struct plan plan;
	struct conductor conductor;
	struct run_result result;
	struct run_totals totals;
	char *waiting;         /* of a run that hangs: what waits for what, in lines; else NULL */
	bool planned, started; /* how far it came: what fails before is the input's fault, then the system's, then the
				  run's */
};

/*
 * Run @cfg on @topo. @lab: the standing lab to use with the kernel engine. @progress may be NULL (see struct
 * conductor). 0 (also when the run got stuck: see result.status), or -errno and err filled in.
 * experiment_free() in any case.
 */
int experiment_run(struct experiment *x, const struct run_cfg *cfg, const struct topo *topo, const char *lab,
		   int (*progress)(void *ctx, u32 completed, u32 flows, u64 now), void *progress_ctx, struct err *err);
/* Whether a run that experiment_run() brought to its end cannot have been completed: status stuck or deadlock. */
bool experiment_hangs(const struct experiment *x);
void experiment_free(struct experiment *x);

#endif
