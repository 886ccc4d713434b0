/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two controls by window share: TCP's additive increase and multiplicative decrease (cc_aimd.c), and DCTCP,
 * which is that and another decrease for marks (cc_dctcp.c). REFERENCE 4.3.
 */
#ifndef LOSSLAB_WINDOW_IMPL_H
#define LOSSLAB_WINDOW_IMPL_H

#include "agent/cc/cc.h"

#define WINDOW_FRACTION 16 /* binary places of a window in packets */
#define WINDOW_ONE (1ULL << WINDOW_FRACTION)

/* Both controls' parameters, in cc_params.own. */
struct window_params {
	u32 limit; /* packets: the window begins with these, and never exceeds them */
	u32 g;     /* DCTCP: a window's share of marks weighs 1/g in alpha */
};
_Static_assert(sizeof(struct window_params) <= sizeof(u64) * CC_PARAMS, "own parameters");

static inline const struct window_params *window_params(const struct cc *c)
{
	return (const struct window_params *)c->par->own;
}

/* The first words of both controls' private state. */
struct window {
	u64 cwnd;    /* packets x WINDOW_ONE, WINDOW_ONE or more */
	u32 recover; /* packets below were sent before the last loss: until they are received there is no other, and no
			increase */
};

extern const struct cc_ops cc_aimd, cc_dctcp;

/* Its rows: the limit alone for AIMD, all for DCTCP. */
#define WINDOW_ROWS 2
extern const struct param window_rows[WINDOW_ROWS];

/* A window for a connection that begins. */
struct window window_new(const struct cc *c);
/* @newly packets are acknowledged: a packet more for each window of them. */
void window_grow(struct window *w, const struct cc *c, u32 newly);
/* A loss, when all below @cum is received and @next is the first packet never sent: half, once per window. */
void window_loss(struct window *w, u32 cum, u32 next);

/* Operations: .sent paces nothing, .rate is the line's, .window is cwnd in whole packets. */
u64 window_sent(struct cc *c, const struct cc_sent *s);
u64 window_rate(struct cc *c, u64 now);
u32 window_packets(const struct cc *c);
void window_timeout(struct cc *c, u32 cum, u32 next);
void window_resolve(struct cc_params *p);

#endif
