/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the records share: printing exact decimals, and sums. */
#ifndef LOSSLAB_RECORDS_IMPL_H
#define LOSSLAB_RECORDS_IMPL_H

#include "lab/records/records.h"

/* A number as text, to be used within one expression. */
struct decimal {
	char s[48];
};

/* @v counted in units of 10^-places: decimal(1500, 3) is "1.500". */
struct decimal decimal(u64 v, u32 places);
/* a / b counted in units of @scale to one, rounded half up; 0 if b is 0, all ones if it does not fit. */
u64 ratio(u64 a, u64 b, u64 scale);
/* melo: copying of @bytes in the run, as millionths of one 2.4 GHz core. */
u64 copy_cpu_ppm(const struct run_result *r, u64 bytes);
bool is_melo(const struct run_cfg *c);
const char *engine_name(const struct run_cfg *c);

#endif
