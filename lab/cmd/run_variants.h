/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs of one `losslab run`: an experiment, or a scenario's variants one after the other. */
#ifndef LOSSLAB_RUN_VARIANTS_H
#define LOSSLAB_RUN_VARIANTS_H

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
	struct outdir out_dir[SCENARIO_VARIANTS];
	u32 n_out; /* outdir_open() was called for so many */
};

#define RUN_ENDED_BY_DOWN 1000 /* in interrupt_request, beyond all signals */

/* Before anything runs: open the records' directories, so that a bad one is found now. Returns an exit code. */
int run_prepare_records(struct run_job *a);
/* After the runs: close the directories; those created and not used are removed. */
void run_close_records(struct run_job *a);
/* Run all variants, write their records, print the results. Returns an exit code. */
int run_variants(struct run_job *a);

#endif
