/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the unit tests of the switch and the NIC share: cmocka with what it needs, and a seeded generator. */
#ifndef LOSSLAB_TESTS_UNIT_H
#define LOSSLAB_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf/types.h"
#include "lab/workload/rng.h"

/* True once in @n, on average. */
static inline int one_in(struct rng *r, u64 n)
{
	return rng_below(r, n) == 0;
}

/* @count hits of @trials at probability @p: within five standard deviations, and a bit. Squares, so no libm. */
static inline void assert_binomial(double count, double trials, double p)
{
	double off = count - trials * p, limit = 25 * trials * p * (1 - p) + 1;

	if (off * off > limit)
		fail_msg("%.0f of %.0f, expected about %.1f", count, trials, trials * p);
}

#endif
