// SPDX-License-Identifier: GPL-2.0
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

#include "agent/cc/cc.h"

#define RING 64 /* segments in flight that are remembered */
#define PPM 1000000
#define HAI_STEPS 5    /* steps of delta at once: "hyper active increase" */
#define DIFF_ONE 65536 /* rtt_diff's unit is a ps by this */
#define UNKNOWN TIME_NEVER

typedef __int128 s128;
typedef unsigned __int128 u128;

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
	u32 segment = s->n / c->par->timely.segment;
	struct stamp *p = stamp_of(c, segment);

	if (s->n % c->par->timely.segment != c->par->timely.segment - 1)
		return;
	/* a place still waited for stays: more in flight than places makes samples sparser, never none */
	if (s->fresh && p->sent && p->sent != UNKNOWN && p->n / c->par->timely.segment >= timely(c)->segment)
		return;
	if (s->fresh)
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
static u32 segments_told(const struct cc_ack *a, u32 segment)
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
	u32 told = segments_told(a, c->par->timely.segment);
	const struct stamp *p;

	if (told <= t->segment)
		return UNKNOWN;
	t->segment = told;
	p = stamp_of(c, told - 1);
	if (p->n != told * c->par->timely.segment - 1 || p->sent == UNKNOWN)
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
	const struct timely_params *p = &par->timely;
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

static u64 timely_rate(struct cc *c, u64 now)
{
	return timely(c)->rate;
}

const struct cc_ops cc_timely = {
	.name = "timely",
	.needs_acks = true,
	.open = timely_open,
	.sent = timely_sent,
	.acked = timely_acked,
	.rate = timely_rate,
};
