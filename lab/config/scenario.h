/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario: one experiment in several variants. A text file of KEY=VALUE lines that hold for all, then sections
 * "[label]" with the lines of one variant each; '#' begins a comment. Without a section there is one variant.
 */
#ifndef LOSSLAB_SCENARIO_H
#define LOSSLAB_SCENARIO_H

#include "lab/config/cfg.h"

#define SCENARIO_VARIANTS 16
#define SCENARIO_LABEL 48

struct scenario {
	u32 n;
	char label[SCENARIO_VARIANTS][SCENARIO_LABEL];
	struct run_cfg cfg[SCENARIO_VARIANTS]; /* finished */
};

/*
 * Read the scenario in @path: a file, or a folder with a file named "scenario" in it. Relative paths
 * in that file (topology=, fault_file=, workload=file: and cdf:) are from where it is; a topology without a '/' is a
 * file if there is one of that name, else a generator. @words: n_words further KEY=VALUE, with paths from here, that
 * override what all variants have in common. NULL path: the words alone make one variant, labelled by its preset or its
 * transport. 0, or -errno and err filled in ("file:line: what").
 */
int scenario_read(struct scenario *s, const char *path, char **words, int n_words, struct err *err);

#endif
