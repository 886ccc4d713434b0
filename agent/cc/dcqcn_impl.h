/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two forms of DCQCN share: the paper's (cc_dcqcn.c) and the ConnectX one (cc_dcqcn_connectx.c).
 * Variables as in "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM 2015), section 3; REFERENCE 4.1.
 */
#ifndef LOSSLAB_DCQCN_IMPL_H
#define LOSSLAB_DCQCN_IMPL_H

#include "agent/cc/cc.h"

#define GBIT 1000000000ULL
#define MBIT 1000000ULL

/* Both forms' parameters, in cc_params.own. */
struct dcqcn_params {
	u32 g;            /* alpha's weight is 1/g */
	u32 f;            /* events of fast recovery */
	u64 alpha_timer;  /* ps */
	u64 rate_timer;   /* ps: an increase event each */
	u64 byte_counter; /* bytes: an increase event each; 0 = none */
	u64 rai, rhai;    /* bits/s */
	u64 rmin;         /* bits/s */
	u64 cut_timer;    /* ConnectX form: ps between looks at whether a CNP has come; 0 = the paper's form */
};
_Static_assert(sizeof(struct dcqcn_params) <= sizeof(u64) * CC_PARAMS, "own parameters");

static inline const struct dcqcn_params *dcqcn_params(const struct cc_params *p)
{
	return (const struct dcqcn_params *)p->own;
}

extern const struct cc_ops cc_dcqcn, cc_dcqcn_connectx;

/* The table of the paper's form; the last row, the byte counter, is not ConnectX's. */
#define DCQCN_ROWS 9
extern const struct param dcqcn_rows[DCQCN_ROWS];

/* alpha is a fraction 0..1 with 62 bits behind the point: seven decays by 255/256 are exact. */
#define ALPHA_BITS 62
#define ALPHA_ONE (1ULL << ALPHA_BITS)

/* 1 <= current <= target <= line; so at the line rate nothing is left to increase, and the first event there is the
 * last. */
struct dcqcn_rate {
	u64 current;     /* RC, bits/s */
	u64 target;      /* RT, bits/s */
	u64 increase_at; /* ps: the rate timer's next event, or TIME_NEVER */
};

/* @alpha after @n periods without a CNP: times (1 - 1/@g)^n, each product rounded down to 62 bits. @g >= 1. */
u64 dcqcn_alpha_decay(u64 alpha, u32 g, u64 n);
/* @alpha after @n >= 1 periods, a CNP in the last of them. */
u64 dcqcn_alpha_grow(u64 alpha, u32 g, u64 n);
/* RC = RC (1 - alpha/2), no less than rmin; the rate timer starts anew at @now. RT is the caller's business. */
void dcqcn_cut(struct dcqcn_rate *r, const struct cc_params *par, u64 alpha, u64 now);
/* An increase event: RT += @step, RC half-way to RT. */
void dcqcn_increase(struct dcqcn_rate *r, const struct cc_params *par, u64 step);

/* When the packet after @s may leave: at the line rate the port itself is the limit. */
static inline u64 dcqcn_pace(const struct dcqcn_rate *r, const struct cc_params *par, const struct cc_sent *s)
{
	return r->current >= par->line ? 0 : s->now + cc_gap(s->wire, r->current);
}

#endif
