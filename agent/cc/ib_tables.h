/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The InfiniBand congestion control's response functions as tables (HP's proposal, "function template"): for each
 * level of the rate and each window, what an increase and a decrease lead to and how many unmarked packets an increase
 * takes. Made by a generator from the three properties that the proposal asks of a response (REFERENCE 5.2-5.4):
 *
 * 1. what a mark takes is no less than what its absence gives: an increase after a decrease leads to no faster level
 *    than the first (but at the least rate, which a decrease cannot leave and, by 3, an increase must);
 * 2. slower flows recover at least as quickly: the time spent at a level before its increase is never longer at a
 *    slower one;
 * 3. from the least rate one unmarked packet suffices.
 */
#ifndef LOSSLAB_IB_TABLES_H
#define LOSSLAB_IB_TABLES_H

#include "bpf/types.h"

#define IB_LEVELS_MAX 256

/* Of X = line rate / least rate, and x = packet times per packet: */
enum ib_function {
	IB_AIMD, /* rates line * j / X: a decrease halves j, an increase adds 1 */
	IB_LIPD, /* the proposal's "linear inter-packet delay": a decrease makes x of 1..X one more */
	IB_FIMD, /* fast increase (US patent 7,920,476, m = 2): x in 1, 2, 4, .. X, a level at a time either way */
};

/* One level of the rate; level 0 is the line rate, the last one the least rate. */
struct ib_level {
	u32 num, den; /* a packet every num/den packet times: rate = line * den / num */
	u32 increase; /* level after an increase */
	u32 decrease; /* level after a decrease */
	u32 rpi;      /* unmarked packets before an increase from here, >= 1; level 0 has it too, and stays */
};

struct ib_window {
	u32 increase, decrease; /* windows, in packets */
	u32 rpi;                /* as in struct ib_level */
};

struct ib_tables {
	u32 n_levels;
	struct ib_level level[IB_LEVELS_MAX];
	u32 window_max;
	struct ib_window *window; /* [window_max + 1], from 1 */
};

/*
 * The tables of @f whose least rate is line / @slowest (2..256; IB_FIMD: a power of two), with windows
 * of 1..@window_max packets, >= 1. 0, or -EINVAL, -ENOMEM: then there is nothing to free.
 */
int ib_tables_make(struct ib_tables *t, enum ib_function f, u32 slowest, u32 window_max);
void ib_tables_free(struct ib_tables *t);

#endif
