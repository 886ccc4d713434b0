/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of lab/records share: exact decimals and ratios. */
#ifndef LOSSLAB_RECORDS_IMPL_H
#define LOSSLAB_RECORDS_IMPL_H

#include "lab/records/records.h"

/* A number as text; lives for one expression. */
struct decimal {
	char s[48];
};

/* @v counted in units of 10^-places: decimal(1500, 3) is "1.500". */
struct decimal decimal(u64 v, u32 places);
/* a / b counted in units of @scale to one, rounded half up; 0 if b is 0, all ones if it does not fit. */
u64 ratio(u64 a, u64 b, u64 scale);
bool is_melo(const struct run_cfg *c);
const char *engine_name(const struct run_cfg *c);

#endif
