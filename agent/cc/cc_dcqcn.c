// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCQCN's reaction point as in the paper (SIGCOMM 2015, section 3; REFERENCE 4.1): a CNP cuts the rate by alpha/2,
 * events of a timer and of a byte counter bring it back. Every CNP restarts both timers, so their deadlines are
 * multiples of the periods after the last CNP. At equal time a CNP comes before the timers and a packet's start after
 * them, as everywhere in the lab; the timers do not read each other's variables, so their order is of no consequence.
 */
#include "agent/cc/dcqcn_impl.h"

struct dcqcn {
	struct dcqcn_rate rate;
	u64 alpha; /* as of the last CNP: only a CNP reads it, so it decays when the next one comes */
	u64 last;  /* ps: the last CNP; TIME_NEVER before the first, whose alpha is 1 */
	u64 bytes; /* sent since the byte counter's last event */
	u32 t, bc; /* events of timer and byte counter since the last CNP */
};
_Static_assert(sizeof(struct dcqcn) <= sizeof(u64) * CC_PRIVATE, "private state");

static struct dcqcn *dcqcn(struct cc *c)
{
	return (struct dcqcn *)c->priv;
}

static u64 alpha_mul(u64 a, u64 b)
{
	return (u64)((unsigned __int128)a * b >> ALPHA_BITS);
}

/* By repeated squaring: a connection may have been idle for any number of periods. */
u64 dcqcn_alpha_decay(u64 alpha, u32 g, u64 n)
{
	u64 factor = ALPHA_ONE - ALPHA_ONE / g;

	for (; n && alpha; n >>= 1) {
		if (n & 1)
			alpha = alpha_mul(alpha, factor);
		factor = alpha_mul(factor, factor);
	}
	return alpha;
}

u64 dcqcn_alpha_grow(u64 alpha, u32 g, u64 n)
{
	return dcqcn_alpha_decay(alpha, g, n) + ALPHA_ONE / g;
}

void dcqcn_cut(struct dcqcn_rate *r, const struct cc_params *par, u64 alpha, u64 now)
{
	/* the cut is rounded down: a rate never becomes 0 */
	r->current -= (u64)((unsigned __int128)r->current * alpha >> (ALPHA_BITS + 1));
	if (r->current < dcqcn_params(par)->rmin) /* which may be above the line: then RT is the limit */
		r->current = dcqcn_params(par)->rmin < r->target ? dcqcn_params(par)->rmin : r->target;
	r->increase_at = now + dcqcn_params(par)->rate_timer;
}

void dcqcn_increase(struct dcqcn_rate *r, const struct cc_params *par, u64 step)
{
	r->target = r->target + step < par->line ? r->target + step : par->line;
	r->current = (r->target + r->current + 1) / 2; /* rounded up: so it does arrive at the target */
	if (r->current == par->line)
		r->increase_at = TIME_NEVER;
}

static int dcqcn_open(struct cc *c)
{
	*dcqcn(c) = (struct dcqcn){
		.rate = { .current = c->par->line, .target = c->par->line, .increase_at = TIME_NEVER },
		.alpha = ALPHA_ONE,
		.last = TIME_NEVER,
	};
	return 0;
}

/*
 * What an event adds to RT. The paper's conditions, with T and BC as the events before this one have left them: so F =
 * 5 gives five events of fast recovery (the check of REFERENCE 4.1), and the sixth is the first additive one.
 */
static u64 phase_step(const struct dcqcn *d, const struct dcqcn_params *p)
{
	u32 min = d->t < d->bc ? d->t : d->bc;
	u32 max = d->t < d->bc ? d->bc : d->t;

	if (max < p->f)
		return 0; /* fast recovery */
	if (min > p->f)
		return (min - p->f) * p->rhai; /* hyper increase */
	return p->rai;
}

/* The rate timer's events before @until. They end at the line rate, after about line / R_AI of them. */
static void run_timer(struct dcqcn *d, const struct cc_params *par, u64 until)
{
	while (d->rate.increase_at < until) {
		d->rate.increase_at += dcqcn_params(par)->rate_timer;
		dcqcn_increase(&d->rate, par, phase_step(d, dcqcn_params(par)));
		d->t++;
	}
}

/* @n bytes leave: wire bytes of every packet, resent ones too. */
static void run_bytes(struct dcqcn *d, const struct cc_params *par, u32 n)
{
	d->bytes += n;
	while (d->bytes >= dcqcn_params(par)->byte_counter) {
		d->bytes -= dcqcn_params(par)->byte_counter;
		dcqcn_increase(&d->rate, par, phase_step(d, dcqcn_params(par)));
		d->bc++;
	}
}

static u64 dcqcn_sent(struct cc *c, const struct cc_sent *s)
{
	struct dcqcn *d = dcqcn(c);

	run_timer(d, c->par, s->now + 1);
	if (d->rate.current < c->par->line && dcqcn_params(c->par)->byte_counter)
		run_bytes(d, c->par, s->wire);
	return dcqcn_pace(&d->rate, c->par, s);
}

/* The alpha timer's deadlines before @now, of those that the last CNP has started. */
static u64 alpha_periods(const struct dcqcn *d, const struct dcqcn_params *p, u64 now)
{
	if (d->last >= now)
		return 0;
	return (now - d->last - 1) / p->alpha_timer;
}

static void dcqcn_notified(struct cc *c, u64 now, u32 n, u32 send_next)
{
	const struct dcqcn_params *p = dcqcn_params(c->par);
	struct dcqcn *d = dcqcn(c);

	run_timer(d, c->par, now);
	d->alpha = dcqcn_alpha_decay(d->alpha, p->g, alpha_periods(d, p, now));
	d->rate.target = d->rate.current;
	dcqcn_cut(&d->rate, c->par, d->alpha, now);
	d->alpha = dcqcn_alpha_grow(d->alpha, p->g, 1);
	d->last = now;
	d->bytes = 0;
	d->t = d->bc = 0;
}

/* A loss is congestion like any other: a CNP's worth. */
static void dcqcn_lost(struct cc *c, u64 now, u32 next)
{
	dcqcn_notified(c, now, 0, next);
}

/* On a copy: a look must not run a timer that a CNP of the same time would still stop. */
static u64 dcqcn_rate(struct cc *c, u64 now)
{
	struct dcqcn d = *dcqcn(c);

	run_timer(&d, c->par, now + 1);
	return d.rate.current;
}

/* REFERENCE 4.1: the paper's column at 40 Gb/s (R_HAI and Rmin, which it does not give: NS3-MS's sample). */
static void dcqcn_resolve(struct cc_params *p)
{
	struct dcqcn_params *d = (struct dcqcn_params *)p->own;

	p->cnp_interval = param_or(p->cnp_interval, 50 * PS_PER_US);
	d->g = param_or(d->g, 256);
	d->f = param_or(d->f, 5);
	d->alpha_timer = param_or(d->alpha_timer, 55 * PS_PER_US);
	d->rate_timer = param_or(d->rate_timer, 55 * PS_PER_US);
	d->byte_counter = param_or(d->byte_counter, 10000000);
	d->rai = param_or(d->rai, 40 * MBIT);
	d->rhai = param_or(d->rhai, 200 * MBIT);
	d->rmin = param_or(d->rmin, p->line / 100 < 100 * MBIT ? p->line / 100 : 100 * MBIT);
}

const struct param dcqcn_rows[DCQCN_ROWS] = {
	{ .name = "cnp_interval",
	  .kind = PARAM_TIME,
	  PARAM_COMMON(cc_params, cnp_interval),
	  .min = PS_PER_NS,
	  .max = PS_PER_S,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .why_unused = "has no CNPs",
	  .help = "least time between two CNPs for one flow" },
	{ .name = "dcqcn_g",
	  .kind = PARAM_NUM,
	  PARAM_OWN(cc_params, dcqcn_params, g),
	  .min = 1,
	  .max = 65536,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "weight of a CNP in alpha is 1 / this" },
	{ .name = "dcqcn_f",
	  .kind = PARAM_NUM,
	  PARAM_OWN(cc_params, dcqcn_params, f),
	  .min = 1,
	  .max = 1000,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "increase events of fast recovery" },
	{ .name = "dcqcn_alpha_timer",
	  .kind = PARAM_TIME,
	  PARAM_OWN(cc_params, dcqcn_params, alpha_timer),
	  .min = PS_PER_US,
	  .max = PS_PER_S,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "alpha decays after each such time without a CNP" },
	{ .name = "dcqcn_rate_timer",
	  .kind = PARAM_TIME,
	  PARAM_OWN(cc_params, dcqcn_params, rate_timer),
	  .min = PS_PER_US,
	  .max = PS_PER_S,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "time between two increases of the rate" },
	{ .name = "dcqcn_rai",
	  .kind = PARAM_BPS,
	  PARAM_OWN(cc_params, dcqcn_params, rai),
	  .min = PARAM_BPS_MIN,
	  .max = PARAM_BPS_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .help = "step of an additive increase" },
	{ .name = "dcqcn_rhai",
	  .kind = PARAM_BPS,
	  PARAM_OWN(cc_params, dcqcn_params, rhai),
	  .min = PARAM_BPS_MIN,
	  .max = PARAM_BPS_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "step of a hyper increase" },
	{ .name = "rmin",
	  .kind = PARAM_BPS,
	  PARAM_OWN(cc_params, dcqcn_params, rmin),
	  .min = PARAM_BPS_MIN,
	  .max = PARAM_BPS_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .below_line = true,
	  .help = "least rate" },
	{ .name = "dcqcn_bytes",
	  .kind = PARAM_SIZE,
	  PARAM_OWN(cc_params, dcqcn_params, byte_counter),
	  .min = 64,
	  .max = 1000000000000ULL,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "bytes sent between two increases of the rate" },
};

const struct cc_ops cc_dcqcn = {
	.name = "dcqcn",
	.what = "DCQCN as in the paper (SIGCOMM 2015): CNPs cut a rate",
	.params = PARAM_TABLE(dcqcn_rows),
	.cnp = true,
	.marking = ECN_RED,
	.resolve = dcqcn_resolve,
	.open = dcqcn_open,
	.sent = dcqcn_sent,
	.notified = dcqcn_notified,
	.lost = dcqcn_lost,
	.rate = dcqcn_rate,
};
