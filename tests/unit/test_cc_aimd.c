// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP's AIMD as a congestion control: RFC 5681's numbers by hand (REFERENCE 4.3). */
#include "tests/unit/unit.h"

#include "agent/cc/window_impl.h"

#define CC (&cc_aimd)

struct bench {
	struct cc_params par;
	struct cc cc;
};

static void bench_open(struct bench *b, u32 limit)
{
	*b = (struct bench){ .par = { .line = 40000000000ULL, .ps_per_byte = 200, .window_max = limit } };
	CC->resolve(&b->par);
	b->cc.par = &b->par;
	assert_int_equal(CC->open(&b->cc), 0);
}

static u32 window(struct bench *b)
{
	return CC->window(&b->cc);
}

/* Packets up to @cum are received, @newly of them for the first time. */
static void ack(struct bench *b, u32 cum, u32 newly)
{
	CC->acked(&b->cc, &(struct cc_ack){ .cum = cum, .newly = newly, .next = cum + window(b) });
}

static void nack(struct bench *b, u32 cum, u32 next)
{
	CC->acked(&b->cc, &(struct cc_ack){ .cum = cum, .n = cum + 1, .nack = true, .next = next });
}

/* No slow start: the window begins with what fills the path, and rates are not its business. */
static void open__full_window(void **state)
{
	struct bench b;

	bench_open(&b, 110);
	assert_int_equal(window(&b), 110);
	assert_true(!CC->echo && !CC->cnp && CC->marking == ECN_OFF);
	assert_true(CC->sent(&b.cc, &(struct cc_sent){ .now = 5, .wire = 1000 }) == 0);
	assert_true(CC->rate(&b.cc, 0) == 40000000000ULL);
	ack(&b, 1000, 1000);
	assert_int_equal(window(&b), 110);
}

static void open__limit_given(void **state)
{
	struct bench b;

	bench_open(&b, 110);
	((struct window_params *)b.par.own)->limit = 7;
	CC->resolve(&b.par);
	assert_int_equal(CC->open(&b.cc), 0);
	assert_int_equal(window(&b), 7);
}

/* Half, and no other half for what was sent before; the next loss behind it counts. */
static void loss__halves_once_per_window(void **state)
{
	struct bench b;

	bench_open(&b, 100);
	nack(&b, 10, 110);
	assert_int_equal(window(&b), 50);
	for (u32 cum = 10; cum < 110; cum++)
		nack(&b, cum, 150);
	assert_int_equal(window(&b), 50);
	nack(&b, 110, 160);
	assert_int_equal(window(&b), 25);
}

static void loss__never_below_one(void **state)
{
	struct bench b;

	bench_open(&b, 3);
	for (u32 i = 0; i < 10; i++) {
		nack(&b, i, i);
		assert_int_equal(window(&b), 1);
	}
}

/* A timeout is a loss; repeated ones of the same packet are one (RFC 5681, 3.1: ssthresh is held). */
static void timeout__halves(void **state)
{
	struct bench b;

	bench_open(&b, 64);
	CC->timeout(&b.cc, 0, 64);
	assert_int_equal(window(&b), 32);
	CC->timeout(&b.cc, 0, 64);
	nack(&b, 63, 64);
	assert_int_equal(window(&b), 32);
	CC->timeout(&b.cc, 64, 96);
	assert_int_equal(window(&b), 16);
}

/* RFC 5681, (3): w + 1/w per packet acknowledged, a packet more in a little over w of them: 51 ACKs from 50. */
static void growth__one_per_window(void **state)
{
	struct bench b;
	double w = 50;
	u32 cum = 110;

	bench_open(&b, 100);
	nack(&b, 10, 110);
	for (u32 i = 0; i < 50; i++)
		ack(&b, ++cum, 1);
	assert_int_equal(window(&b), 50);
	ack(&b, ++cum, 1);
	assert_int_equal(window(&b), 51);
	for (u32 i = 0; i < 51; i++)
		w += 1 / w;
	for (; w < 99.9; w += 1 / w, ack(&b, ++cum, 1))
		assert_in_range(window(&b), (u32)(w - 0.1), (u32)(w + 0.001));
	ack(&b, cum + 1000, 1000);
	assert_int_equal(window(&b), 100);
}

/* An ACK for several counts them all, and one that recovers counts nothing. */
static void growth__not_in_recovery(void **state)
{
	struct bench b;

	bench_open(&b, 16);
	nack(&b, 4, 20);
	ack(&b, 19, 15);
	assert_int_equal(window(&b), 8);
	ack(&b, 20, 1); /* 8 1/8 */
	ack(&b, 27, 7); /* 8 + 1/8 + 7/8.125 = 8.99 */
	assert_int_equal(window(&b), 8);
	ack(&b, 28, 1);
	assert_int_equal(window(&b), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open__full_window),
		cmocka_unit_test(open__limit_given),
		cmocka_unit_test(loss__halves_once_per_window),
		cmocka_unit_test(loss__never_below_one),
		cmocka_unit_test(timeout__halves),
		cmocka_unit_test(growth__one_per_window),
		cmocka_unit_test(growth__not_in_recovery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
