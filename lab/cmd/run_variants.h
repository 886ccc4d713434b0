/* SPDX-License-Identifier: GPL-2.0 */
/* The runs of one `losslab run`: an experiment, or a scenario's variants one after the other. */
#ifndef LOSSLAB_RUN_VARIANTS_H
#define LOSSLAB_RUN_VARIANTS_H

#include <signal.h>

#include "lab/config/scenario.h"
#include "lab/netlab/netlab.h"
#include "lab/run/experiment.h"

struct run_job {
	const char *name, *engine, *out;
	bool json, quiet;
	struct scenario scenario;
	struct topo *topo;
	struct netlab lab;
	bool own_lab, lab_open; /* own_lab: a temporary one, of this run */
	const char *existing;   /* the lab of the user whose topology it is; NULL: none */
	char own_name[LAB_NAME_MAX];
	bool topo_is_file;      /* a file, or an existing lab's: is kept with the records */
	char topology[CFG_STR]; /* what the summary calls it */
	struct record_inputs inputs[SCENARIO_VARIANTS];
	size_t made[SCENARIO_VARIANTS]; /* what records_prepare() has created */
};

#define RUN_ENDED_BY_DOWN 1000 /* beyond all signals */

/* Before anything runs: check that the records can be written, and create their directories. An exit code. */
int run_prepare_records(struct run_job *a);
/* After the runs: remove the directories that stayed empty. */
void run_undo_records(struct run_job *a);
/* Run all variants, write their records, print the results. *@stopped turns to the signal that ends the runs, or to
 * RUN_ENDED_BY_DOWN. An exit code. */
int run_variants(struct run_job *a, const volatile sig_atomic_t *stopped);

#endif
