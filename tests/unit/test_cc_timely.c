// SPDX-License-Identifier: GPL-2.0-or-later
/* TIMELY and its patched form: each rule by hand, which packets give samples, and random runs against real numbers. */
#include "tests/unit/unit.h"

#include "agent/cc/timely_impl.h"

#define GBIT 1000000000ULL
#define MBIT 1000000ULL
#define US PS_PER_US
#define WIRE 1000
#define PS_PER_BYTE 800 /* 10 Gb/s: a packet takes 800 ns */

static struct timely_params *own(struct cc_params *p)
{
	return (struct timely_params *)p->own;
}

static const struct timely_params *params(const struct cc_params *p)
{
	return (const struct timely_params *)p->own;
}

/* REFERENCE 4.2, a sample per packet. */
static struct cc_params make_original(void)
{
	struct cc_params p = { .line = 10 * GBIT, .ps_per_byte = PS_PER_BYTE };

	*own(&p) = (struct timely_params){ .t_low = 50 * US,
					   .t_high = 500 * US,
					   .min_rtt = 20 * US,
					   .delta = 10 * MBIT,
					   .beta_ppm = 800000,
					   .alpha_ppm = 875000,
					   .hai = 5,
					   .segment = 1,
					   .rmin = 100 * MBIT };
	return p;
}

/* Made by main(). */
static struct cc_params original;

/* A sender. */
struct bench {
	struct cc_params par;
	struct cc cc;
	u64 now;
	u32 next;
};

static void bench_open(struct bench *b, const struct cc_params *par)
{
	*b = (struct bench){ .par = *par, .now = US };
	b->cc.par = &b->par;
	assert_int_equal(cc_timely.open(&b->cc), 0);
}

static void bench_close(struct bench *b)
{
	free(b->cc.mem);
}

/* The next packet leaves at @now. */
static u64 send(struct bench *b, u64 now)
{
	u32 n = b->next++;

	return cc_timely.sent(&b->cc,
			      &(struct cc_sent){ .now = now, .n = n, .wire = WIRE, .is_new = true, .next = b->next });
}

static void resend(struct bench *b, u64 now, u32 n)
{
	cc_timely.sent(&b->cc, &(struct cc_sent){ .now = now, .n = n, .wire = WIRE, .next = b->next });
}

/* All below @cum have arrived, and @n. */
static void ack(struct bench *b, u64 now, u32 cum, u32 n)
{
	cc_timely.acked(&b->cc, &(struct cc_ack){ .now = now, .cum = cum, .n = n, .next = b->next });
}

static u64 rate(struct bench *b)
{
	return cc_timely.rate(&b->cc, b->now);
}

/* A packet that takes @rtt, and the rate after that. */
static u64 after(struct bench *b, u64 rtt)
{
	send(b, b->now);
	b->now += WIRE * PS_PER_BYTE + rtt;
	ack(b, b->now, b->next, b->next - 1);
	return rate(b);
}

/* Line rate: no constraint. 6 Gb/s: 1000 bytes are 1333.3.. ns, rounded up. */
static void sent__paces(void **state)
{
	struct bench b;

	bench_open(&b, &original);
	assert_true(cc_timely.needs_acks);
	assert_int_equal(rate(&b), 10 * GBIT);
	assert_int_equal(send(&b, 5 * US), 0);
	after(&b, 100 * US);
	assert_int_equal(after(&b, 1000 * US), 6 * GBIT);
	assert_int_equal(send(&b, b.now), b.now + 1333334);
	bench_close(&b);
}

/* The first sample has nothing to be compared with, whatever it is. */
static void acked__first_sample(void **state)
{
	struct bench b;

	bench_open(&b, &original);
	assert_int_equal(after(&b, 2000 * US), 10 * GBIT);
	bench_close(&b);
}

/* Rule 3: 1 - 0.8 (1 - 500/1000) = 0.6 whatever the gradient, 1 - 0.8 (1 - 500/625) = 0.84; and not at 500 us. */
static void acked__above_t_high(void **state)
{
	struct bench b;

	bench_open(&b, &original);
	after(&b, 1000 * US);
	assert_int_equal(after(&b, 1000 * US), 6 * GBIT);
	assert_int_equal(after(&b, 625 * US), 5040 * MBIT);
	assert_int_equal(after(&b, 500 * US), 5050 * MBIT); /* falling: rule 4 */
	bench_close(&b);
}

/* Rule 2: a plain step below 50 us, be it rising; at 50 us the gradient rules: from 49 to 50 it is > 0. */
static void acked__below_t_low(void **state)
{
	struct bench b;

	bench_open(&b, &original);
	after(&b, 1000 * US);
	after(&b, 1000 * US);
	assert_int_equal(after(&b, 40 * US), 6010 * MBIT);
	for (u32 i = 1; i <= 9; i++)
		assert_int_equal(after(&b, (40 + i) * US), 6010 * MBIT + i * 10 * MBIT);
	assert_true(after(&b, 50 * US) < 6100 * MBIT);
	bench_close(&b);
}

/*
 * Rule 5. 100 to 116 us: the average is 0.875 * 16 = 14 us, g = 14/20, 1 - 0.8 g = 0.44. Then 0.125 * 14 = 1.75 us,
 * g = 0.0875, 1 - 0.07 = 0.93.
 */
static void acked__gradient_positive(void **state)
{
	struct bench b;

	bench_open(&b, &original);
	after(&b, 100 * US);
	assert_int_equal(after(&b, 116 * US), 4400 * MBIT);
	assert_int_equal(after(&b, 116 * US), 4092 * MBIT);
	bench_close(&b);
}

/*
 * Rule 4, on from 4092 Mb/s: falling, a step each; the sixth in a row and what follows are of five steps. Then 124 us
 * is a cut that ends the row. The average was 0.125 * 1.75 - 14 = -13.78125 us and is an eighth with each sample: at
 * the seventh -6.5714 ps remain beside 0.875 * 24 = 21 us. So 0.8 * 21/20 = 0.84 of 4242 Mb/s is cut, less 1115.04.
 */
static void acked__gradient_negative(void **state)
{
	struct bench b;

	bench_open(&b, &original);
	after(&b, 100 * US);
	after(&b, 116 * US);
	after(&b, 116 * US);
	for (u32 i = 1; i <= 5; i++)
		assert_int_equal(after(&b, 100 * US), 4092 * MBIT + i * 10 * MBIT);
	assert_int_equal(after(&b, 100 * US), 4192 * MBIT);
	assert_int_equal(after(&b, 100 * US), 4242 * MBIT);
	assert_int_equal(after(&b, 124 * US), 678721116);
	assert_int_equal(after(&b, 100 * US), 688721116);
	bench_close(&b);
}

/* A gradient of 0 is as one below: flat without memory, after a cut to 1 - 0.8 * 16/20. */
static void acked__gradient_zero(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->alpha_ppm = 1000000;
	bench_open(&b, &par);
	after(&b, 100 * US);
	assert_int_equal(after(&b, 116 * US), 3600 * MBIT);
	for (u32 i = 1; i <= 5; i++)
		assert_int_equal(after(&b, 116 * US), 3600 * MBIT + i * 10 * MBIT);
	assert_int_equal(after(&b, 116 * US), 3700 * MBIT);
	bench_close(&b);
}

/* Samples above t_high end the row, though flat; six of 0.6 leave 466.56 Mb/s. */
static void acked__row_above_t_high(void **state)
{
	struct bench b;

	bench_open(&b, &original);
	for (u32 i = 0; i < 7; i++)
		after(&b, 1000 * US);
	assert_int_equal(rate(&b), 466560000);
	for (u32 i = 1; i <= 5; i++)
		assert_int_equal(after(&b, 400 * US), 466560000 + i * 10 * MBIT);
	assert_int_equal(after(&b, 400 * US), 566560000);
	bench_close(&b);
}

/*
 * Samples below t_low grow the row: 40 us twice makes averages of -840 and -105 us, 50 us then -13.125 + 8.75: three in
 * a row, of which two were enough for five steps. Rule 2 itself takes plain ones.
 */
static void acked__row_below_t_low(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->hai = 2;
	bench_open(&b, &par);
	after(&b, 1000 * US);
	after(&b, 1000 * US);
	assert_int_equal(after(&b, 40 * US), 6010 * MBIT);
	assert_int_equal(after(&b, 40 * US), 6020 * MBIT);
	assert_int_equal(after(&b, 50 * US), 6070 * MBIT);
	bench_close(&b);

	bench_open(&b, &par);
	after(&b, 1000 * US);
	after(&b, 1000 * US);
	for (u32 i = 1; i <= 4; i++)
		assert_int_equal(after(&b, 40 * US), 6000 * MBIT + i * 10 * MBIT);
	bench_close(&b);
}

/* Up to the line and down to the least rate, no further. g = 14/2: more than all would be cut. */
static void acked__clamped(void **state)
{
	struct cc_params par = original;
	struct bench b;

	bench_open(&b, &par);
	after(&b, 100 * US);
	assert_int_equal(after(&b, 100 * US), 10 * GBIT);
	assert_int_equal(after(&b, 10 * US), 10 * GBIT);
	bench_close(&b);
	own(&par)->min_rtt = 2 * US;
	bench_open(&b, &par);
	after(&b, 100 * US);
	assert_int_equal(after(&b, 116 * US), 100 * MBIT);
	assert_int_equal(after(&b, 100 * US), 110 * MBIT);
	bench_close(&b);
}

/*
 * The patched form, beta = 0.008.
 * 100, 108 us: average 7 us, g = 0.35, w = 1, err = 58/50: 10000 (1 - 0.008 * 1.16) = 9907.2.
 * 108: average 0.875 us, g = 0.04375, w = 0.5875: 0.4125 * 10 + 9907.2 (1 - 0.008 * 0.5875 * 1.16), of which the cut is
 * 54.0140544. 100: average -6.89 us, w = 0: a step. 100: average -0.861328125 us, g = -0.04306640625, w = 0.413868
 * (ppm, the rest cut off: 0.4138671875 rounded away from -), err = 1: 5.86132 + 9867.310946 (1 - 0.003310944).
 */
static void acked__patched(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->patched = true;
	own(&par)->beta_ppm = 8000;
	bench_open(&b, &par);
	after(&b, 100 * US);
	assert_int_equal(after(&b, 108 * US), 9907200000);
	assert_int_equal(after(&b, 108 * US), 9857310946);
	assert_int_equal(after(&b, 100 * US), 9867310946);
	assert_int_equal(after(&b, 100 * US), 9840502153);
	/* 1 - 0.008 (1 - 500/1000): 0.996 */
	assert_int_equal(after(&b, 1000 * US), 9801140145);
	assert_int_equal(after(&b, 49 * US), 9811140145);
	bench_close(&b);
}

/*
 * Samples show by what they lead to: after a first one, any of 500/x us cuts by 0.8 (1 - x).
 * Segments of four: only the fourth packet's time counts.
 */
static void sample__last_of_segment(void **state)
{
	struct cc_params par = original;
	struct bench b;
	u64 end = 800000;

	own(&par)->segment = 4;
	bench_open(&b, &par);
	for (u32 n = 0; n < 8; n++)
		send(&b, n * 10 * US);
	for (u32 n = 0; n < 7; n++)
		ack(&b, 30 * US + end + 1000 * US, n + 1, n);
	assert_int_equal(rate(&b), 10 * GBIT); /* one sample so far, the first */
	ack(&b, 70 * US + end + 1000 * US, 8, 7);
	assert_int_equal(rate(&b), 6 * GBIT);
	ack(&b, 70 * US + end + 2000 * US, 8, 7); /* again: no more news */
	ack(&b, 70 * US + end + 2000 * US, 4, 3);
	assert_int_equal(rate(&b), 6 * GBIT);
	bench_close(&b);
}

/* Three segments in one answer: the newest's time, 625 us; the others' would be longer. */
static void sample__coalesced(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->segment = 4;
	bench_open(&b, &par);
	for (u32 n = 0; n < 18; n++)
		send(&b, n * 100 * US);
	ack(&b, 300 * US + 800000 + 625 * US, 4, 3);
	ack(&b, 1500 * US + 800000 + 625 * US, 17, 16); /* and a packet more */
	assert_int_equal(rate(&b), 8400 * MBIT);
	bench_close(&b);
}

/* A segment's end acknowledged ahead of others; what then closes the hole is no sample, of this or an older one. */
static void sample__selective(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->segment = 4;
	bench_open(&b, &par);
	for (u32 n = 0; n < 16; n++)
		send(&b, n);
	ack(&b, 3 + 800000 + 100 * US, 4, 3);
	ack(&b, 10 + 800000 + 1000 * US, 5, 10); /* in the middle of a segment */
	assert_int_equal(rate(&b), 10 * GBIT);
	ack(&b, 11 + 800000 + 1000 * US, 5, 11);
	assert_int_equal(rate(&b), 6 * GBIT);
	ack(&b, 3000 * US, 12, 11);
	assert_int_equal(rate(&b), 6 * GBIT);
	ack(&b, 15 + 800000 + 1000 * US, 16, 15);
	assert_int_equal(rate(&b), 3600 * MBIT);
	bench_close(&b);
}

/* Nothing has arrived in order: cum - 1 is no packet, though with segments of four it looks like the last of one. */
static void sample__nothing_in_order(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->segment = 4;
	bench_open(&b, &par);
	for (u32 n = 0; n < 8; n++)
		send(&b, 0);
	ack(&b, 2000 * US, 0, ~0U);
	ack(&b, 800000 + 100 * US, 4, 3);
	ack(&b, 800000 + 1000 * US, 8, 7);
	assert_int_equal(rate(&b), 6 * GBIT);
	bench_close(&b);
}

/* Karn: whose last packet was resent gives no sample; others do. */
static void sample__resent(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->segment = 4;
	bench_open(&b, &par);
	for (u32 n = 0; n < 12; n++)
		send(&b, 0);
	ack(&b, 800000 + 100 * US, 4, 3);
	resend(&b, 100 * US, 7);
	resend(&b, 100 * US, 10);
	ack(&b, 800000 + 1000 * US, 8, 7);
	assert_int_equal(rate(&b), 10 * GBIT);
	ack(&b, 800000 + 1000 * US, 12, 11);
	assert_int_equal(rate(&b), 6 * GBIT);
	bench_close(&b);
}

/* 64 segments are remembered: of 66 in flight the first two are forgotten, and stay so if resent. */
static void sample__ring(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->segment = 4;
	bench_open(&b, &par);
	for (u32 n = 0; n < 66 * 4; n++)
		send(&b, 0);
	resend(&b, 0, 3);
	ack(&b, 800000 + 2000 * US, 4, 3); /* resent */
	ack(&b, 800000 + 1000 * US, 8, 7);
	assert_int_equal(rate(&b), 10 * GBIT); /* the first sample */
	ack(&b, 800000 + 1000 * US, 12, 11);
	assert_int_equal(rate(&b), 6 * GBIT);
	ack(&b, 800000 + 1000 * US, 64 * 4, 64 * 4 - 1);
	assert_int_equal(rate(&b), 3600 * MBIT);
	/* the ring was full of segments waited for when these left, but for the one resent */
	ack(&b, 800000 + 1000 * US, 66 * 4, 66 * 4 - 1);
	assert_int_equal(rate(&b), 3600 * MBIT);
	bench_close(&b);
}

/* A flow of less than a segment has no sample. */
static void sample__short_flow(void **state)
{
	struct cc_params par = original;
	struct bench b;

	own(&par)->segment = 16;
	bench_open(&b, &par);
	for (u32 n = 0; n < 15; n++)
		send(&b, 0);
	for (u32 n = 0; n < 15; n++)
		ack(&b, n * 1000 * US, n + 1, n);
	assert_int_equal(rate(&b), 10 * GBIT);
	bench_close(&b);
}

/* The rules again, in real numbers; the state follows the controller's so that no error adds up. */
struct model {
	double rate, diff, prev;
	u32 row;
};

static double model_rate(const struct model *m, const struct timely_params *p, double rtt)
{
	double beta = p->beta_ppm * 1e-6, g = m->diff / (double)p->min_rtt;
	double w = 2 * g + .5 < 0 ? 0 : 2 * g + .5 > 1 ? 1 : 2 * g + .5;

	if (rtt < p->t_low)
		return m->rate + p->delta;
	if (rtt > p->t_high)
		return m->rate * (1 - beta * (1 - p->t_high / rtt));
	if (p->patched) {
		double cut = beta * w * (rtt - p->t_low) / p->t_low;

		return (1 - w) * p->delta + m->rate * (cut < 1 ? 1 - cut : 0);
	}
	if (g <= 0)
		return m->rate + (m->row >= p->hai ? 5.0 : 1.0) * p->delta;
	return m->rate * (1 - beta * g);
}

/* The rate as it should be after a sample of @rtt: between rmin and line. */
static double model_sample(struct model *m, const struct cc_params *par, double rtt)
{
	double a = params(par)->alpha_ppm * 1e-6, to;

	m->diff = (1 - a) * m->diff + a * (rtt - m->prev);
	m->prev = rtt;
	to = model_rate(m, params(par), rtt);
	m->row = m->diff <= 0 && rtt <= params(par)->t_high ? m->row + 1 : 0;
	to = to < params(par)->rmin ? params(par)->rmin : to;
	return to > par->line ? par->line : to;
}

static struct cc_params random_params(struct rng *r)
{
	struct cc_params par = original;

	par.line = (1 + rng_below(r, 400)) * GBIT;
	own(&par)->t_low = 1 + rng_below(r, one_in(r, 2) ? 50 * US : 100 * PS_PER_MS);
	own(&par)->t_high = own(&par)->t_low + rng_below(r, one_in(r, 2) ? 500 * US : 900 * PS_PER_MS);
	own(&par)->min_rtt = 1 + rng_below(r, one_in(r, 2) ? 20 * US : 1000 * PS_PER_MS);
	own(&par)->delta = rng_below(r, 100 * MBIT);
	own(&par)->beta_ppm = rng_below(r, 1000001);
	own(&par)->alpha_ppm = 1 + rng_below(r, 1000000);
	own(&par)->hai = rng_below(r, 8);
	own(&par)->patched = one_in(r, 2);
	own(&par)->rmin = 1 + rng_below(r, par.line / 10);
	return par;
}

static u64 random_rtt(struct rng *r, const struct timely_params *p)
{
	switch (rng_below(r, 5)) {
	case 0:
		return rng_below(r, p->t_low);
	case 1:
		return p->t_high + rng_below(r, 1000 * PS_PER_MS);
	case 2:
		return one_in(r, 2) ? 0 : 1000 * PS_PER_MS;
	default:
		return p->t_low + rng_below(r, p->t_high - p->t_low + 1);
	}
}

/*
 * Round trips of 0 to 1.9 s under extreme parameters. The controller's rate is off by a bit per second and, patched, a
 * millionth of step and cut; where rounding decides the sign of a gradient (an average of less than a ps), either.
 */
static void random__as_real_numbers(void **state)
{
	struct rng r = rng_stream(51, RNG_SIZE, 0);

	for (u32 run = 0; run < 500; run++) {
		struct cc_params par = random_params(&r);
		struct model m = { 0 };
		struct bench b;

		bench_open(&b, &par);
		for (u32 i = 0; i < 200; i++) {
			u64 rtt = i && one_in(&r, 3) ? (u64)m.prev : random_rtt(&r, own(&par));
			double is = after(&b, rtt), expected = par.line, slack;

			assert_true(is >= own(&par)->rmin && is <= par.line);
			if (i)
				expected = model_sample(&m, &par, rtt);
			slack = 2 + par.line * 1e-9 + (own(&par)->patched ? par.line * 1e-5 : 0);
			if ((m.diff > 1 || m.diff < -1 || own(&par)->patched) &&
			    (is > expected + slack || is < expected - slack))
				fail_msg("run %u sample %u: %.0f, expected %.1f", run, i, is, expected);
			m.rate = is;
			m.prev = rtt;
		}
		bench_close(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sent__paces),
		cmocka_unit_test(acked__first_sample),
		cmocka_unit_test(acked__above_t_high),
		cmocka_unit_test(acked__below_t_low),
		cmocka_unit_test(acked__gradient_positive),
		cmocka_unit_test(acked__gradient_negative),
		cmocka_unit_test(acked__gradient_zero),
		cmocka_unit_test(acked__row_above_t_high),
		cmocka_unit_test(acked__row_below_t_low),
		cmocka_unit_test(acked__clamped),
		cmocka_unit_test(acked__patched),
		cmocka_unit_test(sample__last_of_segment),
		cmocka_unit_test(sample__coalesced),
		cmocka_unit_test(sample__selective),
		cmocka_unit_test(sample__nothing_in_order),
		cmocka_unit_test(sample__resent),
		cmocka_unit_test(sample__ring),
		cmocka_unit_test(sample__short_flow),
		cmocka_unit_test(random__as_real_numbers),
	};

	original = make_original();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
