// SPDX-License-Identifier: GPL-2.0-or-later
/* DCTCP: RFC 8257's rules with numbers by hand (REFERENCE 4.3), g = 1/16. */
#include "tests/unit/unit.h"

#include "agent/cc/window_impl.h"

#define CC (&cc_dctcp)

struct bench {
	struct cc_params par;
	struct cc cc;
	u32 cum;
};

static void bench_open(struct bench *b, u32 limit)
{
	*b = (struct bench){ .par = { .line = 40000000000ULL, .ps_per_byte = 200, .window_max = limit } };
	((struct window_params *)b->par.own)->g = 16;
	CC->resolve(&b->par);
	b->cc.par = &b->par;
	assert_int_equal(CC->open(&b->cc), 0);
}

static u32 window(struct bench *b)
{
	return CC->window(&b->cc);
}

/* The next packet is acknowledged, with @flight behind it. */
static void ack(struct bench *b, bool marked, u32 flight)
{
	b->cum++;
	CC->acked(&b->cc,
		  &(struct cc_ack){ .cum = b->cum,
				    .newly = 1,
				    .n = b->cum - 1,
				    .marked = marked,
				    .next = b->cum + flight,
				    .send_next = b->cum + flight });
}

static void open__marks(void **state)
{
	struct bench b;

	bench_open(&b, 110);
	assert_int_equal(window(&b), 110);
	assert_true(CC->echo && !CC->cnp && CC->marking == ECN_STEP && !CC->credits);
	for (u32 i = 0; i < 1000; i++)
		ack(&b, false, 110);
	assert_int_equal(window(&b), 110);
}

/* The first ACK ends the first, empty window: alpha = 1 - 1/16 + 1/16 of 1 if marked. So half, as a loss would. */
static void cut__first_mark(void **state)
{
	struct bench b;

	bench_open(&b, 128);
	ack(&b, true, 128);
	assert_int_equal(window(&b), 64);
	/* the 128 that were under way ask for no other cut, marked or not */
	for (u32 i = 0; i < 128; i++)
		ack(&b, true, 64);
	assert_int_equal(window(&b), 64);
	ack(&b, true, 64);
	assert_int_equal(window(&b), 32);
}

/* Windows of 100 without a mark: alpha = (15/16)^n. Then a mark cuts alpha/2: of 100, after 32 windows (0.1268) 6.3. */
static void alpha__decays(void **state)
{
	struct bench b;

	bench_open(&b, 100);
	/* the first ACK alone is a window, and then 101 each: the ack number must exceed the end (RFC 8257, 3.3) */
	for (u32 i = 0; i < 1 + 31 * 101; i++)
		ack(&b, false, 100);
	ack(&b, true, 100);
	assert_int_equal(window(&b), 100 - 7); /* 93.66, of which whole packets count */
}

/* A quarter marked in each window: alpha goes to 1/4, and each window is cut by an eighth, and grows by a packet. */
static void alpha__follows_the_share(void **state)
{
	struct bench b;
	u32 before, from;

	bench_open(&b, 1000);
	for (u32 i = 0; i < 400000; i++)
		ack(&b, i % 4 == 0, window(&b));
	from = b.cum;
	for (before = window(&b); window(&b) == before && b.cum < from + 5000;)
		ack(&b, b.cum % 4 == 0, window(&b));
	/* fixed point: w / 8 is lost per window and 3/4 of a packet gained: w = 6 to 7 */
	for (u32 i = 0; i < 1000; i++) {
		ack(&b, b.cum % 4 == 0, window(&b));
		assert_in_range(window(&b), 4, 8);
	}
}

/* Losses: half, once per window, whatever alpha is. A mark of the same window adds nothing. */
static void loss__halves(void **state)
{
	struct bench b;

	bench_open(&b, 100);
	for (u32 i = 0; i < 10000; i++)
		ack(&b, false, 100);
	CC->acked(&b.cc,
		  &(struct cc_ack){ .cum = b.cum, .n = b.cum + 3, .nack = true, .marked = true, .next = b.cum + 100 });
	assert_int_equal(window(&b), 50);
	CC->timeout(&b.cc, b.cum, b.cum + 100);
	assert_int_equal(window(&b), 50);
	CC->timeout(&b.cc, b.cum + 100, b.cum + 150);
	assert_int_equal(window(&b), 25);
}

/* READ responses of RC have no ACK for a mark: a CN packet says which it was. */
static void notified__cuts(void **state)
{
	struct bench b;

	bench_open(&b, 64);
	CC->notified(&b.cc, 0, 3, 64);
	assert_int_equal(window(&b), 32);
	CC->notified(&b.cc, 0, 63, 80);
	assert_int_equal(window(&b), 32);
	CC->notified(&b.cc, 0, 64, 96);
	assert_int_equal(window(&b), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open__marks),   cmocka_unit_test(cut__first_mark),
		cmocka_unit_test(alpha__decays), cmocka_unit_test(alpha__follows_the_share),
		cmocka_unit_test(loss__halves),  cmocka_unit_test(notified__cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
