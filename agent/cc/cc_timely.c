// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TIMELY (SIGCOMM 2015, algorithm 1) and patched TIMELY ("ECN or Delay", CoNEXT 2016): a rate from round-trip times and
 * their gradient. Rules and their numbers: REFERENCE 4.2.
 *
 * One sample per segment of timely.segment packets: from the end of the last packet's serialisation to the first answer
 * that tells of it. The paper sends a segment as one burst and takes the whole burst's serialisation off; we pace
 * single packets, so the packet is what was serialised. Of several segments that one answer completes, the newest gives
 * the sample; a segment whose last packet was resent gives none (Karn), nor does one for which the ring had no
 * place; nor the packets of a flow behind its last full segment.
 *
 * Cuts and steps are rounded down to whole bits per second.
 */
#include <stdlib.h>

#include "agent/cc/timely_impl.h"

#define RING 64 /* segments in flight that are remembered */
#define PPM 1000000
#define HAI_STEPS 5    /* steps of delta at once: "hyper active increase" */
#define DIFF_ONE 65536 /* rtt_diff's unit is a ps by this */
#define UNKNOWN TIME_NEVER

typedef __int128 s128;
typedef unsigned __int128 u128;

/* In cc_params.own. */
static const struct timely_params *timely_params(const struct cc_params *p)
{
	return (const struct timely_params *)p->own;
}

/* The last packet of a segment. */
struct stamp {
	u64 sent; /* ps: the end of its serialisation; 0: none yet; UNKNOWN once it has been resent */
	u32 n;
};

struct timely {
	u64 rate;     /* bits/s */
	u64 prev_rtt; /* ps; UNKNOWN before the first sample */
	s64 rtt_diff; /* ps / DIFF_ONE, averaged; 2^56 for round trips of a second */
	u32 streak;   /* samples in a row whose gradient was <= 0, since the last cut */
	u32 segment;  /* the first one that may still give a sample */
};
_Static_assert(sizeof(struct timely) <= sizeof(u64) * CC_PRIVATE, "private state");

static struct timely *timely(struct cc *c)
{
	return (struct timely *)c->priv;
}

static int timely_open(struct cc *c)
{
	c->mem = calloc(RING, sizeof(struct stamp));
	if (!c->mem)
		return -1;
	*timely(c) = (struct timely){ .rate = c->par->line, .prev_rtt = UNKNOWN };
	return 0;
}

static struct stamp *stamp_of(const struct cc *c, u32 segment)
{
	return (struct stamp *)c->mem + segment % RING;
}

static void remember(struct cc *c, const struct cc_sent *s)
{
	u32 segment = s->n / timely_params(c->par)->segment;
	struct stamp *p = stamp_of(c, segment);

	if (s->n % timely_params(c->par)->segment != timely_params(c->par)->segment - 1)
		return;
	/* a place still waited for stays: more in flight than places makes samples sparser, never none */
	if (s->is_new && p->sent && p->sent != UNKNOWN && p->n / timely_params(c->par)->segment >= timely(c)->segment)
		return;
	if (s->is_new)
		*p = (struct stamp){ .sent = s->now + (u64)s->wire * c->par->ps_per_byte, .n = s->n };
	else if (p->n == s->n)
		p->sent = UNKNOWN;
}

static u64 timely_sent(struct cc *c, const struct cc_sent *s)
{
	u64 rate = timely(c)->rate;

	remember(c, s);
	return rate >= c->par->line ? 0 : s->now + cc_gap(s->wire, rate);
}

/* Segments complete so far, as far as @a tells: one more than the newest. */
static u32 segments_acked(const struct cc_ack *a, u32 segment)
{
	bool alone = a->n >= a->cum && a->n < a->next; /* acknowledged selectively; cum - 1 may be below 0 */

	if (alone && a->n % segment == segment - 1)
		return a->n / segment + 1;
	return a->cum / segment;
}

/* The sample that @a gives, in ps, or UNKNOWN. */
static u64 sample(struct cc *c, const struct cc_ack *a)
{
	struct timely *t = timely(c);
	u32 acked = segments_acked(a, timely_params(c->par)->segment);
	const struct stamp *p;

	if (acked <= t->segment)
		return UNKNOWN;
	t->segment = acked;
	p = stamp_of(c, acked - 1);
	if (p->n != acked * timely_params(c->par)->segment - 1 || p->sent == UNKNOWN)
		return UNKNOWN;
	return a->now - p->sent;
}

/* @rate less beta * @num / @den of it; 0 where that is all or more. No product passes 2^120 (rates below 2^40). */
static u64 less(u64 rate, u32 beta_ppm, u64 num, u64 den)
{
	u128 cut = (u128)rate * beta_ppm * num / ((u128)den * PPM);

	return cut < rate ? rate - (u64)cut : 0;
}

/* The middle region, by the gradient alone: rules 4 and 5. */
static u64 by_gradient(const struct timely *t, const struct timely_params *p)
{
	if (t->rtt_diff > 0)
		return less(t->rate, p->beta_ppm, (u64)t->rtt_diff, p->min_rtt * DIFF_ONE);
	return t->rate + (t->streak >= p->hai ? HAI_STEPS : 1) * p->delta;
}

/* The patched middle region: w = 2 gradient + 1/2, within 0..1, weighs a cut by the distance to t_low against a step.
 */
static u64 by_distance(const struct timely *t, const struct timely_params *p, u64 rtt)
{
	s128 w = PPM / 2 + (s128)t->rtt_diff * 2 * PPM / ((s128)p->min_rtt * DIFF_ONE);
	u64 w_ppm = w < 0 ? 0 : w > PPM ? PPM : (u64)w;
	u64 rest = less(t->rate, p->beta_ppm, w_ppm * (rtt - p->t_low), p->t_low * PPM);

	return rest + (PPM - w_ppm) * p->delta / PPM;
}

/* REFERENCE 4.2, rules 2 to 5. */
static u64 new_rate(const struct timely *t, const struct timely_params *p, u64 rtt)
{
	if (rtt < p->t_low)
		return t->rate + p->delta;
	if (rtt > p->t_high)
		return less(t->rate, p->beta_ppm, rtt - p->t_high, rtt);
	return p->patched ? by_distance(t, p, rtt) : by_gradient(t, p);
}

/* Rule 1: the average of differences, rounded towards 0. */
static s64 averaged(s64 rtt_diff, s64 d, u32 alpha_ppm)
{
	return (s64)(((s128)rtt_diff * (PPM - alpha_ppm) + ((s128)d * alpha_ppm * DIFF_ONE)) / PPM);
}

static void update(struct timely *t, const struct cc_params *par, u64 rtt)
{
	const struct timely_params *p = timely_params(par);
	u64 rate;

	if (t->prev_rtt != UNKNOWN) {
		t->rtt_diff = averaged(t->rtt_diff, (s64)(rtt - t->prev_rtt), p->alpha_ppm);
		rate = new_rate(t, p, rtt);
		rate = rate > p->rmin ? rate : p->rmin;
		t->rate = rate < par->line ? rate : par->line;
		t->streak = t->rtt_diff <= 0 && rtt <= p->t_high ? t->streak + 1 : 0;
	}
	t->prev_rtt = rtt;
}

static void timely_acked(struct cc *c, const struct cc_ack *a)
{
	u64 rtt = sample(c, a);

	if (rtt != UNKNOWN)
		update(timely(c), c->par, rtt);
}

/* Rule 3 for a round trip without end: R (1 - beta). */
static void timely_lost(struct cc *c, u64 now, u32 next)
{
	const struct timely_params *p = timely_params(c->par);
	u64 rate = less(timely(c)->rate, p->beta_ppm, 1, 1);

	timely(c)->rate = rate > p->rmin ? rate : p->rmin;
	timely(c)->streak = 0;
}

static u64 timely_rate(struct cc *c, u64 now)
{
	return timely(c)->rate;
}

/*
 * REFERENCE 4.2. The step of 10 Mb/s is the paper's for 10 Gb/s, and here in proportion to the line: at 40 Gb/s the
 * plain number starves long flows.
 */
static void resolve(struct cc_params *p, u32 beta_ppm, bool patched)
{
	struct timely_params *t = (struct timely_params *)p->own;

	t->delta = param_or(t->delta, p->line / 1000);
	t->beta_ppm = param_or(t->beta_ppm, beta_ppm);
	t->rmin = param_or(t->rmin, p->line / 100);
	t->patched = patched;
}

static void original_resolve(struct cc_params *p)
{
	resolve(p, 800000, false);
}

static void patched_resolve(struct cc_params *p)
{
	resolve(p, 8000, true);
}

static const struct param rows[] = {
	{ .name = "timely_tlow",
	  .kind = PARAM_TIME,
	  PARAM_OWN(cc_params, timely_params, t_low),
	  .min = PS_PER_NS,
	  .max = PS_PER_S,
	  .def = "50us",
	  .below = "timely_thigh",
	  .help = "below this round-trip time the rate always increases" },
	{ .name = "timely_thigh",
	  .kind = PARAM_TIME,
	  PARAM_OWN(cc_params, timely_params, t_high),
	  .min = PS_PER_NS,
	  .max = PS_PER_S,
	  .def = "500us",
	  .help = "above this one it always decreases" },
	{ .name = "timely_min_rtt",
	  .kind = PARAM_TIME,
	  PARAM_OWN(cc_params, timely_params, min_rtt),
	  .min = PS_PER_NS,
	  .max = PS_PER_S,
	  .def = "20us",
	  .advanced = true,
	  .help = "divides differences of round-trip times" },
	{ .name = "timely_delta",
	  .kind = PARAM_BPS,
	  PARAM_OWN(cc_params, timely_params, delta),
	  .min = PARAM_BPS_MIN,
	  .max = PARAM_BPS_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "step of an additive increase" },
	{ .name = "timely_beta",
	  .kind = PARAM_PROB,
	  PARAM_OWN(cc_params, timely_params, beta_ppm),
	  .divisor = 1000,
	  .min = 1000,
	  .max = 1000000000,
	  .step = 1000,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "factor of a decrease" },
	{ .name = "timely_alpha",
	  .kind = PARAM_PROB,
	  PARAM_OWN(cc_params, timely_params, alpha_ppm),
	  .divisor = 1000,
	  .min = 1000,
	  .max = 1000000000,
	  .step = 1000,
	  .def = "0.875",
	  .advanced = true,
	  .help = "weight of a new difference of round-trip times" },
	{ .name = "timely_hai",
	  .kind = PARAM_NUM,
	  PARAM_OWN(cc_params, timely_params, hai),
	  .min = 1,
	  .max = 1000,
	  .def = "5",
	  .advanced = true,
	  .help = "falling round-trip times in a row before larger steps" },
	{ .name = "timely_segment",
	  .kind = PARAM_NUM,
	  PARAM_OWN(cc_params, timely_params, segment),
	  .min = 1,
	  .max = 1024,
	  .def = "16",
	  .advanced = true,
	  .help = "packets per round-trip time measured" },
	{ .name = "rmin",
	  .kind = PARAM_BPS,
	  PARAM_OWN(cc_params, timely_params, rmin),
	  .min = PARAM_BPS_MIN,
	  .max = PARAM_BPS_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .below_line = true,
	  .help = "least rate" },
};

const struct cc_ops cc_timely = {
	.name = "timely",
	.what = "TIMELY (SIGCOMM 2015): round-trip times set a rate",
	.params = PARAM_TABLE(rows),
	.needs_acks = true,
	.ack_limit = "timely_segment",
	.resolve = original_resolve,
	.open = timely_open,
	.sent = timely_sent,
	.acked = timely_acked,
	.lost = timely_lost,
	.rate = timely_rate,
};

const struct cc_ops cc_timely_patched = {
	.name = "timely-patched",
	.what = "TIMELY as corrected in \"ECN or Delay\" (CoNEXT 2016)",
	.params = PARAM_TABLE(rows),
	.needs_acks = true,
	.ack_limit = "timely_segment",
	.resolve = patched_resolve,
	.open = timely_open,
	.sent = timely_sent,
	.acked = timely_acked,
	.lost = timely_lost,
	.rate = timely_rate,
};
