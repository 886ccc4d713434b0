/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of both forms of TIMELY, for cc_timely.c and its tests. */
#ifndef LOSSLAB_TIMELY_IMPL_H
#define LOSSLAB_TIMELY_IMPL_H

#include "agent/cc/cc.h"

struct timely_params {
	u64 t_low, t_high; /* ps */
	u64 min_rtt;       /* ps, divides the gradient */
	u64 delta;         /* bits/s */
	u32 beta_ppm;      /* of the cut, x 1e-6 */
	u32 alpha_ppm;     /* weight of the new difference, x 1e-6 */
	u32 hai;           /* negative gradients in a row before steps of 5 delta */
	u32 segment;       /* packets of which one round trip is measured */
	u64 rmin;          /* bits/s */
	bool patched;
};
_Static_assert(sizeof(struct timely_params) <= sizeof(u64) * CC_PARAMS, "own parameters");

extern const struct cc_ops cc_timely, cc_timely_patched;

#endif
