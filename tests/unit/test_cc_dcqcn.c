// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCQCN's two forms: events by hand, then random runs against a model that does every timer's every event eagerly, in
 * floating point. Times of these tests are mostly whole microseconds.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "agent/cc/dcqcn_impl.h"

#define US PS_PER_US
#define WIRE 1106

static struct dcqcn_params *own(struct cc_params *p)
{
	return (struct dcqcn_params *)p->own;
}

/* REFERENCE 4.1, "paper @40G", with the byte counter off. */
static struct cc_params make_paper(void)
{
	struct cc_params p = { .line = 40 * GBIT };

	*own(&p) = (struct dcqcn_params){ .g = 256,
					  .alpha_timer = 55 * US,
					  .rate_timer = 55 * US,
					  .f = 5,
					  .rai = 40 * MBIT,
					  .rhai = 200 * MBIT,
					  .rmin = 100 * MBIT };
	return p;
}

/* A ConnectX form with numbers that a hand can follow. */
static struct cc_params make_connectx(void)
{
	struct cc_params p = { .line = 64 * GBIT };

	*own(&p) = (struct dcqcn_params){ .g = 2,
					  .alpha_timer = 4 * US,
					  .rate_timer = 300 * US,
					  .f = 1,
					  .rai = 40 * MBIT,
					  .rhai = 200 * MBIT,
					  .rmin = 100 * MBIT,
					  .cut_timer = 4 * US };
	return p;
}

/* Made by main(). */
static struct cc_params paper, connectx;

static const struct cc_ops *ops_of(const struct cc_params *par)
{
	return dcqcn_params(par)->cut_timer ? &cc_dcqcn_connectx : &cc_dcqcn;
}

static struct cc opened(const struct cc_params *par)
{
	struct cc c = { .par = par };

	assert_int_equal(ops_of(par)->open(&c), 0);
	return c;
}

static void cnp(struct cc *c, u64 now)
{
	ops_of(c->par)->notified(c, now, 0, 0);
}

static u64 send(struct cc *c, u64 now, u32 wire)
{
	return ops_of(c->par)->sent(c, &(struct cc_sent){ .now = now, .wire = wire });
}

static u64 rate(struct cc *c, u64 now)
{
	return ops_of(c->par)->rate(c, now);
}

#define assert_rate(c, now, expected) assert_int_equal(rate(c, now), expected)

/* The paper's start of a table: RT = 40 Gb/s, RC = 20 Gb/s, alpha = 1 at time 0, under a line that is no limit. */
static struct cc halved(struct cc_params *par)
{
	struct cc c;

	par->line = 80 * GBIT;
	c = opened(par);
	cnp(&c, 0);
	cnp(&c, 0);
	assert_rate(&c, 0, 20 * GBIT);
	return c;
}

/* Without a CNP no timer runs and nothing is held back. */
static void sent__no_limit_before_a_cnp(void **state)
{
	struct cc_params par = paper;
	struct cc c;

	own(&par)->byte_counter = 1000;
	c = opened(&par);
	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(send(&c, i * 100 * US, WIRE), 0);
	assert_rate(&c, PS_PER_MS * 1000, 40 * GBIT);
	c = opened(&connectx);
	assert_int_equal(send(&c, 10 * US, WIRE), 0);
	assert_rate(&c, PS_PER_MS * 1000, 64 * GBIT);
	assert_true(cc_dcqcn.cnp && cc_dcqcn_connectx.cnp);
}

/* 1106 bytes at 20 Gb/s: 442.4 ns. At 30 Gb/s 294.93.., rounded up. */
static void sent__paces(void **state)
{
	struct cc c = opened(&paper);

	cnp(&c, 7 * US);
	assert_int_equal(send(&c, 9 * US, WIRE), 9 * US + 442400);
	assert_int_equal(send(&c, 62 * US, WIRE), 62 * US + 294934);
}

/* The check of REFERENCE 4.1. The line is 40 Gb/s, and RT at it. */
static void timer__fast_recovery(void **state)
{
	struct cc c = opened(&paper);

	cnp(&c, 7 * US);
	assert_rate(&c, 7 * US, 20 * GBIT);
	assert_rate(&c, 62 * US - 1, 20 * GBIT);
	assert_rate(&c, 62 * US, 30 * GBIT);
	assert_rate(&c, 117 * US, 35 * GBIT);
	assert_rate(&c, 172 * US, 37500 * MBIT);
	assert_rate(&c, 227 * US, 38750 * MBIT);
	assert_rate(&c, 282 * US, 39375 * MBIT);
}

/* Five of fast recovery, then RT grows by 40 Mb/s with each: (40.04 + 39.375) / 2, (40.08 + 39.7075) / 2. */
static void timer__additive_increase(void **state)
{
	struct cc_params par = paper;
	struct cc c = halved(&par);

	assert_rate(&c, 5 * 55 * US, 39375 * MBIT);
	assert_rate(&c, 6 * 55 * US, 39707500000);
	assert_rate(&c, 7 * 55 * US, 39893750000);
}

/* Both counters: the fifth event of either ends fast recovery, six of both begin hyper increase. */
static void sent__hyper_increase(void **state)
{
	static const u64 by_bytes[] = {
		40006875000,                           /* T = 7, BC = 0: RT = 40.12 */
		40083437500,                           /* 40.16 */
		40141718750, 40190859375, 40235429688, /* .5 up */
		40277714844,                           /* BC = 5: RT = 40.32 */
		40398857422,                           /* BC = 6 of T = 7: i = 1, RT = 40.52 */
	};
	struct cc_params par = paper;
	struct cc c;

	own(&par)->byte_counter = 10 * MBIT;
	c = halved(&par);
	assert_rate(&c, 7 * 55 * US, 39893750000);
	for (u32 i = 0; i < 7; i++) {
		send(&c, 7 * 55 * US + i, 10 * MBIT);
		assert_rate(&c, 7 * 55 * US + i, by_bytes[i]);
	}
	/* T = BC = 7, the timer: i = 2, RT = 40.92 */
	assert_rate(&c, 8 * 55 * US, 40659428711);
	/* T = 8, BC = 7, the timer: still i = 2, RT = 41.32 */
	assert_rate(&c, 9 * 55 * US, 40989714356);
}

/* Whole packets count, what is over is carried, a large packet is several events. */
static void sent__byte_counter(void **state)
{
	struct cc_params par = paper;
	struct cc c;

	own(&par)->byte_counter = 10000;
	c = halved(&par);
	send(&c, 1, 4000);
	send(&c, 2, 5999);
	assert_rate(&c, 2, 20 * GBIT);
	send(&c, 3, 1);
	assert_rate(&c, 3, 30 * GBIT);
	send(&c, 4, 19999);
	assert_rate(&c, 4, 35 * GBIT);
	send(&c, 5, 20001);
	assert_rate(&c, 5, 39375 * MBIT);
	/* bytes begin anew with a CNP */
	send(&c, 6, 9999);
	cnp(&c, 7);
	send(&c, 8, 9999);
	assert_rate(&c, 8, 19687500000);
	send(&c, 9, 1);
	assert_rate(&c, 9, 29531250000);
}

/* Three of the timer and two of bytes are fast recovery: max counts, not the sum. */
static void sent__counters_mixed(void **state)
{
	struct cc_params par = paper;
	struct cc c;

	own(&par)->byte_counter = 1000;
	c = halved(&par);
	assert_rate(&c, 3 * 55 * US, 37500 * MBIT);
	send(&c, 170 * US, 3000);
	assert_rate(&c, 170 * US, 39687500000);
	assert_rate(&c, 4 * 55 * US, 39843750000);
	assert_rate(&c, 5 * 55 * US, 39921875000);
	/* T = 5, BC = 3: RT = 40.04 */
	send(&c, 276 * US, 1000);
	assert_rate(&c, 276 * US, 39980937500);
}

/* Under a line of 2^39 bits/s all is exact: alpha is 1, 255/256, and then (255/256)^2 + 1/256 = 65281/65536. */
static void notified__alpha(void **state)
{
	struct cc_params par = paper;
	struct cc c;

	par.line = 1ULL << 39;
	own(&par)->rate_timer = 1000 * PS_PER_MS;
	c = opened(&par);
	cnp(&c, 0);
	assert_rate(&c, 0, 1ULL << 38);
	cnp(&c, 55 * US + 1); /* one period without */
	assert_rate(&c, 55 * US + 1, 257ULL << 29);
	cnp(&c, 55 * US + 2);
	assert_rate(&c, 55 * US + 2, 257ULL * 65791 << 12);
	/* the timer began with the last CNP, and a CNP at its deadline comes first: no decay */
	c = opened(&par);
	cnp(&c, 0);
	cnp(&c, 54 * US);
	cnp(&c, 109 * US);
	assert_rate(&c, 109 * US, 1ULL << 36);
	/* seven periods: (255/256)^7 / 2 of 2^38 is cut, 255^7 / 2^19 */
	c = opened(&par);
	cnp(&c, 0);
	cnp(&c, 400 * US);
	assert_rate(&c, 400 * US, (1ULL << 38) - (70110209207109375 >> 19));
}

/* A CNP restarts the rate timer and the phases; at the timer's very time it comes first. */
static void notified__restarts(void **state)
{
	struct cc_params par = paper;
	struct cc c = halved(&par);

	cnp(&c, 55 * US);
	assert_rate(&c, 55 * US, 10 * GBIT);
	assert_rate(&c, 110 * US - 1, 10 * GBIT);
	assert_rate(&c, 110 * US, 15 * GBIT); /* RT = 20 */
	for (u32 i = 2; i <= 5; i++)
		assert_rate(&c, 55 * US + i * 55 * US, 20 * GBIT - (10 * GBIT >> i));
}

static void notified__least_rate(void **state)
{
	struct cc c = opened(&paper);

	for (u32 i = 1; i <= 8; i++) {
		cnp(&c, i);
		assert_rate(&c, i, 40 * GBIT >> i); /* to 156.25 Mb/s */
	}
	cnp(&c, 9);
	assert_rate(&c, 9, 100 * MBIT);
	cnp(&c, 10);
	assert_rate(&c, 10, 100 * MBIT);
	assert_rate(&c, 10 + 55 * US, 100 * MBIT); /* RT was no more either */
}

/* Back at the line rate nothing is held back; alpha has decayed meanwhile, here to nothing: it is g after that CNP. */
static void notified__after_recovery(void **state)
{
	struct cc c = opened(&paper);

	cnp(&c, 0);
	assert_rate(&c, 45 * 55 * US, 40 * GBIT); /* 2^36 > 20 Gb/s: less than 1 bit/s is left after 36 halvings */
	assert_int_equal(send(&c, 45 * 55 * US, WIRE), 0);
	cnp(&c, 1000 * PS_PER_MS);
	assert_rate(&c, 1000 * PS_PER_MS, 40 * GBIT);
	assert_int_equal(send(&c, 1000 * PS_PER_MS, WIRE), 0);
	cnp(&c, 1000 * PS_PER_MS + 1);
	assert_rate(&c, 1000 * PS_PER_MS + 1, 40 * GBIT - 40 * GBIT / 512);
}

/* Half a year at the line rate, after recovery and after a CNP that cut nothing: no event by event, or it would not
 * end. */
static void rate__long_idle(void **state)
{
	const u64 long_time = TIME_NEVER / 4;
	struct cc c = opened(&paper);

	cnp(&c, 0);
	assert_rate(&c, long_time, 40 * GBIT);
	cnp(&c, long_time);
	assert_rate(&c, 2 * long_time, 40 * GBIT);
	c = opened(&connectx);
	cnp(&c, 0);
	assert_rate(&c, long_time, 64 * GBIT);
	cnp(&c, 2 * long_time);
	assert_rate(&c, 3 * long_time, 64 * GBIT);
}

/* A look at the rate leaves everything as it is. */
static void rate__is_a_look(void **state)
{
	const struct cc_params *pars[] = { &paper, &connectx };

	for (u32 i = 0; i < 2; i++) {
		struct cc c = opened(pars[i]), before;

		cnp(&c, 0);
		before = c;
		rate(&c, 1000 * US);
		assert_memory_equal(&c, &before, sizeof(c));
	}
}

/* ConnectX by hand: alpha and cuts each 4 us from the first CNP at 100 us, g = 1/2, increases each 300 us. */
static void connectx__table(void **state)
{
	struct cc c = opened(&connectx);
	const u64 t = 100 * US;

	cnp(&c, t);
	assert_rate(&c, t + 4 * US - 1, 64 * GBIT);
	/* the first CNP is none for alpha, which is 1/2 now: 64 (1 - 1/4) */
	assert_rate(&c, t + 4 * US, 48 * GBIT);
	assert_rate(&c, t + 8 * US, 48 * GBIT);
	cnp(&c, t + 9 * US);
	assert_rate(&c, t + 12 * US - 1, 48 * GBIT);
	/* 1/2 at 4 us, 1/4 at 8, 1/8 + 1/2 at 12: 48 (1 - 5/16); no increase since, so RT stays 64 */
	assert_rate(&c, t + 12 * US, 33 * GBIT);
	assert_rate(&c, t + 312 * US - 1, 33 * GBIT);
	assert_rate(&c, t + 312 * US, 48500 * MBIT); /* fast recovery, F = 1: (64 + 33) / 2 */
	cnp(&c, t + 396 * US + 1);
	/* alpha decayed 96 times to less than 2^-62, then 1/2: 48.5 * 3/4; RT = 48.5 */
	assert_rate(&c, t + 400 * US, 36375 * MBIT);
	assert_rate(&c, t + 700 * US, 42437500000);
	assert_rate(&c, t + 1000 * US, 45488750000); /* additive: RT = 48.54 */
	assert_rate(&c, t + 1300 * US, 47114375000); /* hyper: 48.74 */
	assert_rate(&c, t + 1600 * US, 48027187500); /* by the same: 48.94 */
}

/* A period's end belongs to it: a CNP at 400 us is of the period that ends then. */
static void connectx__edges(void **state)
{
	struct cc c = opened(&connectx);

	cnp(&c, 0);
	cnp(&c, 8 * US);
	/* alpha: 1/2, then 1/4 + 1/2 */
	assert_rate(&c, 8 * US - 1, 48 * GBIT);
	assert_rate(&c, 8 * US, 30 * GBIT);
	/* a packet of that time comes after it */
	assert_int_equal(send(&c, 8 * US, WIRE), 8 * US + 294934);
	/* 308 us: the increase comes before the cut of the same time; RT = (64 + 30) / 2, alpha = 1/2 */
	cnp(&c, 307 * US);
	assert_rate(&c, 308 * US, 35250 * MBIT);
	assert_rate(&c, 608 * US, 41125 * MBIT);
}

/* Alpha's period is its own: four looks before the first cut; the second CNP makes the third of them one with. */
static void connectx__alpha_period(void **state)
{
	struct cc_params par = connectx;
	struct cc c;

	own(&par)->alpha_timer = US;
	c = opened(&par);
	cnp(&c, 0);
	assert_rate(&c, 4 * US, 62 * GBIT); /* 1/16 */
	c = opened(&par);
	cnp(&c, 0);
	cnp(&c, 2 * US + 1);
	cnp(&c, 2 * US + 2);
	assert_rate(&c, 4 * US, 54 * GBIT); /* 1/2, 1/4, 1/8 + 1/2, 5/16 */
}

/* A model that does every event of every timer when it is due. A tick is 1 us. */
struct model {
	const struct dcqcn_params *p;
	double line, rc, rt, alpha, bytes;
	u64 rate_at, alpha_at, cut_at; /* ticks */
	u32 t, bc;
	bool begun, alpha_cnp, cut_cnp;
};

static void model_raise(struct model *m, double step)
{
	m->rt = m->rt + step < m->line ? m->rt + step : m->line;
	m->rc = (m->rt + m->rc) / 2;
}

static void model_event(struct model *m)
{
	u32 f = m->p->f;

	if (m->p->cut_timer)
		model_raise(m, m->t < f ? 0 : m->t == f ? m->p->rai : m->p->rhai);
	else if (m->t < f && m->bc < f)
		model_raise(m, 0);
	else if (m->t > f && m->bc > f)
		model_raise(m, (double)m->p->rhai * ((m->t < m->bc ? m->t : m->bc) - f));
	else
		model_raise(m, m->p->rai);
}

static void model_cut(struct model *m, u64 tick)
{
	if (!m->p->cut_timer || m->t)
		m->rt = m->rc;
	m->rc *= 1 - m->alpha / 2;
	if (m->rc < m->p->rmin)
		m->rc = m->p->rmin;
	m->rate_at = tick + m->p->rate_timer / US;
	m->t = m->bc = 0;
	m->bytes = 0;
	m->cut_cnp = false;
}

static void model_cnp(struct model *m, u64 tick)
{
	m->cut_cnp = true;
	if (m->p->cut_timer) {
		m->alpha_cnp = m->begun;
		if (!m->begun) {
			m->alpha_at = tick + m->p->alpha_timer / US;
			m->cut_at = tick + m->p->cut_timer / US;
		}
	} else {
		model_cut(m, tick);
		m->alpha += (1 - m->alpha) / m->p->g;
		m->alpha_at = tick + m->p->alpha_timer / US;
	}
	m->begun = true;
}

static void model_timers(struct model *m, u64 tick)
{
	if (m->alpha_at == tick) {
		m->alpha -= (m->alpha - m->alpha_cnp) / m->p->g;
		m->alpha_cnp = false;
		m->alpha_at += m->p->alpha_timer / US;
	}
	if (m->rate_at == tick) {
		model_event(m);
		m->t++;
		m->rate_at += m->p->rate_timer / US;
	}
	if (m->cut_at == tick) {
		if (m->cut_cnp)
			model_cut(m, tick);
		m->cut_at += m->p->cut_timer / US;
	}
}

static void model_sent(struct model *m, u32 wire)
{
	if (m->p->cut_timer || !m->p->byte_counter || !m->begun)
		return;
	m->bytes += wire;
	for (; m->bytes >= m->p->byte_counter; m->bytes -= m->p->byte_counter) {
		model_event(m);
		m->bc++;
	}
}

static struct cc_params random_params(struct rng *r)
{
	struct cc_params p = { .line = (1 + rng_below(r, 400)) * GBIT };

	*own(&p) = (struct dcqcn_params){ .g = 1 + rng_below(r, 300),
					  .alpha_timer = (1 + rng_below(r, 60)) * US,
					  .rate_timer = (1 + rng_below(r, 100)) * US,
					  .byte_counter = one_in(r, 3) ? 0 : 500 + rng_below(r, 20000),
					  .f = rng_below(r, 7),
					  .rai = rng_below(r, 100) * MBIT,
					  .rhai = (100 + rng_below(r, 400)) * MBIT,
					  .rmin = 1 + rng_below(r, 1000) * MBIT,
					  .cut_timer = one_in(r, 2) ? 0 : (1 + rng_below(r, 20)) * US };
	return p;
}

/* Whole bits per second against exact ones: an event is off by less than 1, and every CNP may make that RT's error. */
static void assert_near(double a, double b)
{
	double off = a - b;

	if (off * off > 1000 * 1000)
		fail_msg("%.2f, the model has %.2f", a, b);
}

/* The lazy controller shows the eager one's rate at every microsecond, whenever its own state was caught up with. */
static void random__as_eager(void **state)
{
	struct rng r = rng_stream(41, RNG_SIZE, 0);

	for (u32 run = 0; run < 200; run++) {
		struct cc_params par = random_params(&r);
		struct cc c = opened(&par);
		struct model m = { .p = own(&par), .line = par.line, .rc = par.line, .rt = par.line, .alpha = 1 };
		u64 every = 1 + rng_below(&r, 200);

		for (u64 tick = 1; tick < 2000; tick++) {
			if (one_in(&r, every)) {
				cnp(&c, tick * US);
				model_cnp(&m, tick);
			}
			model_timers(&m, tick);
			if (one_in(&r, every)) {
				u32 wire = 1 + rng_below(&r, 3000);

				send(&c, tick * US, wire);
				model_sent(&m, wire);
			}
			assert_near(rate(&c, tick * US), m.rc);
		}
	}
}

/* One jump over any time, or many small ones (packets without a byte counter only make it catch up). */
static void random__one_jump(void **state)
{
	struct rng r = rng_stream(42, RNG_SIZE, 0);

	for (u32 run = 0; run < 500; run++) {
		struct cc_params par = random_params(&r);
		struct cc jump, walk;
		u64 now = 0, end;

		own(&par)->byte_counter = 0;
		jump = walk = opened(&par);
		for (u32 i = 0; i < 10; i++) {
			end = now + rng_below(&r, 3000 * US);
			while (now < end) {
				now += 1 + rng_below(&r, 100 * US);
				send(&walk, now, WIRE);
			}
			assert_int_equal(rate(&jump, now), rate(&walk, now));
			cnp(&jump, now);
			cnp(&walk, now);
			assert_int_equal(send(&jump, now, WIRE), send(&walk, now, WIRE));
		}
	}
}

/* rmin <= rate <= line; a CNP never raises it, packets and time never lower it (but for a cut under way). */
static void random__bounds(void **state)
{
	struct rng r = rng_stream(43, RNG_SIZE, 0);

	for (u32 run = 0; run < 500; run++) {
		struct cc_params par = random_params(&r);
		struct cc c = opened(&par);
		u64 now = 0, before;

		if (one_in(&r, 10))
			own(&par)->rmin = 2 * par.line; /* the line is the stronger limit */
		for (u32 i = 0; i < 200; i++) {
			now += rng_below(&r, 100 * US);
			before = rate(&c, now);
			assert_in_range(before, own(&par)->rmin < par.line ? own(&par)->rmin : par.line, par.line);
			if (one_in(&r, 2)) {
				cnp(&c, now);
				assert_true(rate(&c, now) <= before);
			} else {
				u64 next = send(&c, now, WIRE);

				assert_true(rate(&c, now) >= before);
				assert_int_equal(next,
						 rate(&c, now) == par.line ? 0 : now + cc_gap(WIRE, rate(&c, now)));
			}
		}
	}
}

/*
 * More CNPs never lead to a higher rate: the same run with some more of them is below at all times. Two exceptions lie
 * in the rules themselves: the first CNP must be common (its alpha is 1, that of a second one may be less), and the
 * ConnectX form's RT outlives cuts in a row, so it is for the paper's form.
 */
static void random__monotone(void **state)
{
	struct rng r = rng_stream(44, RNG_SIZE, 0);

	for (u32 run = 0; run < 500; run++) {
		struct cc_params par = random_params(&r);
		struct cc few, more;
		u64 now = US;

		own(&par)->cut_timer = 0;
		few = more = opened(&par);
		cnp(&few, 0);
		cnp(&more, 0);
		for (u32 i = 0; i < 300; i++) {
			now += rng_below(&r, 60 * US);
			if (one_in(&r, 20))
				cnp(&more, now);
			if (one_in(&r, 20)) {
				cnp(&few, now);
				cnp(&more, now);
			}
			send(&few, now, WIRE);
			send(&more, now, WIRE);
			assert_true(rate(&more, now) <= rate(&few, now));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {

		cmocka_unit_test(sent__no_limit_before_a_cnp),
		cmocka_unit_test(sent__paces),
		cmocka_unit_test(timer__fast_recovery),
		cmocka_unit_test(timer__additive_increase),
		cmocka_unit_test(sent__hyper_increase),
		cmocka_unit_test(sent__byte_counter),
		cmocka_unit_test(sent__counters_mixed),
		cmocka_unit_test(notified__alpha),
		cmocka_unit_test(notified__restarts),
		cmocka_unit_test(notified__least_rate),
		cmocka_unit_test(notified__after_recovery),
		cmocka_unit_test(rate__long_idle),
		cmocka_unit_test(rate__is_a_look),
		cmocka_unit_test(connectx__table),
		cmocka_unit_test(connectx__edges),
		cmocka_unit_test(connectx__alpha_period),
		cmocka_unit_test(random__as_eager),
		cmocka_unit_test(random__one_jump),
		cmocka_unit_test(random__bounds),
		cmocka_unit_test(random__monotone),
	};

	paper = make_paper();
	connectx = make_connectx();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
