/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Presets: names for the schemes that papers compare, each a handful of settings. */
#ifndef LOSSLAB_PRESET_H
#define LOSSLAB_PRESET_H

#include "lab/config/cfg.h"

struct preset {
	const char *name;
	const char *settings; /* "KEY=VALUE KEY=VALUE": transport, pfc and cc at least */
	const char *what;     /* one line */
};

/* Preset number @i, or NULL beyond the last. */
const struct preset *preset_at(u32 i);
/* The preset of this name, or NULL. */
const struct preset *preset_find(const char *name);
/* "preset=NAME: no such preset; did you mean ...?" in err. Always -EINVAL, to be returned as it is. */
int preset_unknown(const char *name, struct err *err);
/*
 * Fill in the keys of the configuration's preset that have not been given (cfg_given()); nothing without a preset. They
 * count as given from then on. 0, or -EINVAL and err filled in if there is no such preset.
 */
int preset_apply(struct run_cfg *c, struct err *err);
/* Name and settings, then a line of what it is, for run --presets. */
void preset_list(FILE *out);

#endif
