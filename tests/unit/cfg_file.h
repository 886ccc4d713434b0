/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A configuration from a file, without variants: for tests. */
#ifndef LOSSLAB_TESTS_CFG_FILE_H
#define LOSSLAB_TESTS_CFG_FILE_H

#include "lab/config/cfg_keys.h"
#include "lab/text.h"

/* A KEY=VALUE per line, '#' comments; messages carry file:line. */
static inline int cfg_read(struct run_cfg *c, FILE *in, const char *name, struct err *err)
{
	struct text_in csv = { .in = in, .name = name, .err = err };
	u32 seen[CFG_KEYS_MAX] = { 0 };
	int rc;

	while ((rc = text_line(&csv)) > 0) {
		rc = cfg_read_line(c, &csv, seen);
		if (rc)
			return rc;
	}
	return rc;
}

#endif
