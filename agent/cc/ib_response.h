/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The InfiniBand congestion control's response functions (HP's proposal; REFERENCE 5.2-5.4): what a decrease and an
 * increase make of the rate and of the window, and how many unmarked packets an increase takes. The proposal writes
 * them as tables; here they are computed, since LIPD's inter-packet delay needs a fraction.
 *
 * Of X = line rate / least rate, and x = packet times per packet, the rate stands at:
 *
 *	IB_AIMD  j of 1..X, the rate in units of the least one: a decrease halves it, each unmarked packet adds 1
 *	IB_LIPD  x in 1..X with IB_FRACTION binary places ("linear inter-packet delay"): a decrease adds 1, each
 *	         unmarked packet takes x / X away, so that a whole packet time takes X packet times at every rate
 *	IB_FIMD  the level e of x = 2^e in 1, 2, 4, .. X (US patent 7,920,476, m = 2): one up or down; X / x unmarked
 *	         packets an increase
 *
 * All have the three properties that the proposal asks of a response:
 *
 * 1. what a mark takes is no less than what its absence gives: an increase after a decrease leads to no faster rate
 *    than the first (but at the least rate, which a decrease cannot leave and, by 3, an increase must);
 * 2. slower flows recover at least as quickly: a decrease takes no longer to make up for at a slower rate;
 * 3. from the least rate one unmarked packet suffices for an increase.
 */
#ifndef LOSSLAB_IB_RESPONSE_H
#define LOSSLAB_IB_RESPONSE_H

#include "bpf/types.h"

#define IB_LEVELS_MAX 256
#define IB_FRACTION 32 /* binary places of LIPD's delay */

enum ib_function { IB_AIMD, IB_LIPD, IB_FIMD };

/* In cc_params.own. */
struct ib_params {
	u32 levels; /* X: the least rate is the line's / this, 2..IB_LEVELS_MAX; IB_FIMD: a power of two */
	enum ib_function function;
};

/* A packet every num/den packet times, 1 <= num/den <= X; num < 2^41, den < 2^33. */
struct ib_delay {
	u64 num, den;
};

/* Where the line rate stands. */
u64 ib_rate_line(const struct ib_params *p);
/* The rate after an increase from @at, and after a decrease. */
u64 ib_rate_increase(const struct ib_params *p, u64 at);
u64 ib_rate_decrease(const struct ib_params *p, u64 at);
/* Unmarked packets before an increase from @at, >= 1. */
u32 ib_rate_rpi(const struct ib_params *p, u64 at);
struct ib_delay ib_rate_delay(const struct ib_params *p, u64 at);

/* A window of w packets, >= 1: after an increase, which takes w unmarked packets, and after a decrease. */
u32 ib_window_increase(u32 w, u32 most);
u32 ib_window_decrease(u32 w);

#endif
