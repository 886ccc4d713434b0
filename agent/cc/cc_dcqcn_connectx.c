// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCQCN's reaction point in the form of Mellanox ConnectX adapters, after the simulator that comes with HPCC
 * (SIGCOMM 2019; REFERENCE 4.1, "Mellanox variant"). The first CNP sets alpha to 1 and starts two periodic looks: each
 * alpha period alpha grows or decays as a CNP has come in it or not (the first CNP itself does not count), each cut
 * period with a CNP ends in a cut. Only a timer, started by each cut, raises the rate.
 *
 * At equal time: CNPs, alpha's look, the rate timer, the cut (the simulator's order), packets' starts. Looks that find
 * no CNP change nothing but alpha, and only a cut reads alpha: so both series are kept as counts of periods, and what
 * is between is caught up with in one step.
 */
#include "agent/cc/dcqcn_impl.h"

struct connectx {
	struct dcqcn_rate rate;
	u64 first;  /* ps: the first CNP, from which all periods count; TIME_NEVER before it */
	u64 cut_at; /* ps: the end of a cut period in which a CNP has come; TIME_NEVER if none is under way */
	u64 alpha;  /* after the first `looks` alpha periods */
	u64 looks;
	u64 marked; /* the alpha period, > looks, in which a CNP has come; 0 if none */
	u32 stage;  /* increase events since the last cut */
};
_Static_assert(sizeof(struct connectx) <= sizeof(u64) * CC_PRIVATE, "private state");

static struct connectx *connectx(struct cc *c)
{
	return (struct connectx *)c->priv;
}

static int connectx_open(struct cc *c)
{
	*connectx(c) = (struct connectx){
		.rate = { .current = c->par->line, .target = c->par->line, .increase_at = TIME_NEVER },
		.first = TIME_NEVER,
		.cut_at = TIME_NEVER,
		.alpha = ALPHA_ONE,
	};
	return 0;
}

/* alpha after the first @looks periods; not fewer than before. */
static void run_alpha(struct connectx *x, u32 g, u64 looks)
{
	if (x->marked && x->marked <= looks) {
		x->alpha = dcqcn_alpha_grow(x->alpha, g, x->marked - x->looks);
		x->looks = x->marked;
		x->marked = 0;
	}
	x->alpha = dcqcn_alpha_decay(x->alpha, g, looks - x->looks);
	x->looks = looks;
}

static void increase(struct connectx *x, const struct cc_params *par)
{
	const struct dcqcn_params *p = dcqcn_params(par);

	x->rate.increase_at += p->rate_timer;
	if (x->stage < p->f)
		dcqcn_increase(&x->rate, par, 0); /* fast recovery */
	else
		dcqcn_increase(&x->rate, par, x->stage == p->f ? p->rai : p->rhai);
	x->stage++;
}

static void cut(struct connectx *x, const struct cc_params *par)
{
	run_alpha(x, dcqcn_params(par)->g, (x->cut_at - x->first) / dcqcn_params(par)->alpha_timer);
	/* CLAMP_TGT_RATE is off: of cuts in a row, the first one's target stands */
	if (x->stage)
		x->rate.target = x->rate.current;
	dcqcn_cut(&x->rate, par, x->alpha, x->cut_at);
	x->stage = 0;
	x->cut_at = TIME_NEVER;
}

/* All that happens before @until. There is at most one cut; increases end at the line rate. */
static void run_timers(struct connectx *x, const struct cc_params *par, u64 until)
{
	while (x->rate.increase_at < until || x->cut_at < until) {
		if (x->rate.increase_at <= x->cut_at)
			increase(x, par);
		else
			cut(x, par);
	}
}

static u64 connectx_sent(struct cc *c, const struct cc_sent *s)
{
	struct connectx *x = connectx(c);

	run_timers(x, c->par, s->now + 1);
	return dcqcn_pace(&x->rate, c->par, s);
}

/* The period, counted from 1, in which @now is; a period's end belongs to it. */
static u64 period_of(const struct connectx *x, u64 now, u64 length)
{
	return now > x->first ? (now - x->first + length - 1) / length : 1;
}

static void connectx_notified(struct cc *c, u64 now, u32 n, u32 send_next)
{
	const struct dcqcn_params *p = dcqcn_params(c->par);
	struct connectx *x = connectx(c);

	run_timers(x, c->par, now);
	if (x->first == TIME_NEVER) {
		x->first = now;
	} else {
		u64 look = period_of(x, now, p->alpha_timer);

		run_alpha(x, p->g, look - 1);
		x->marked = look;
	}
	x->cut_at = x->first + period_of(x, now, p->cut_timer) * p->cut_timer;
}

/* A loss is congestion like any other: a CNP's worth. */
static void connectx_lost(struct cc *c, u64 now, u32 next)
{
	connectx_notified(c, now, 0, next);
}

/* On a copy: a look must not run a timer that a CNP of the same time should precede. */
static u64 connectx_rate(struct cc *c, u64 now)
{
	struct connectx x = *connectx(c);

	run_timers(&x, c->par, now + 1);
	return x.rate.current;
}

/* REFERENCE 4.1: the column NS3-HPCC `dcqcn`, steps in proportion to the line; no byte counter. */
static void connectx_resolve(struct cc_params *p)
{
	struct dcqcn_params *d = (struct dcqcn_params *)p->own;

	p->cnp_interval = param_or(p->cnp_interval, 4 * PS_PER_US);
	d->g = param_or(d->g, 256);
	d->f = param_or(d->f, 1);
	d->alpha_timer = param_or(d->alpha_timer, PS_PER_US);
	d->rate_timer = param_or(d->rate_timer, 300 * PS_PER_US);
	d->rai = param_or(d->rai, p->line / (25 * GBIT / (5 * MBIT)));
	d->rhai = param_or(d->rhai, p->line / (25 * GBIT / (50 * MBIT)));
	d->rmin = param_or(d->rmin, p->line / 40 < GBIT ? p->line / 40 : GBIT);
	d->cut_timer = 4 * PS_PER_US;
}

const struct cc_ops cc_dcqcn_connectx = {
	.name = "dcqcn-connectx",
	.what = "DCQCN as in ConnectX adapters (NS3 of HPCC, SIGCOMM 2019)",
	.params = { dcqcn_rows, DCQCN_ROWS - 1 },
	.cnp = true,
	.marking = ECN_RED,
	.resolve = connectx_resolve,
	.open = connectx_open,
	.sent = connectx_sent,
	.notified = connectx_notified,
	.lost = connectx_lost,
	.rate = connectx_rate,
};
