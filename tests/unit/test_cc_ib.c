// SPDX-License-Identifier: GPL-2.0-or-later
/* InfiniBand's congestion control: the general response function step by step, and at random. */
#include "tests/unit/unit.h"

#include "agent/cc/cc.h"
#include "agent/cc/ib_response.h"
#include "agent/packet/packet.h"
#include "agent/recovery/recovery.h"

#define LINE 10000000000ULL
#define PS_PER_BYTE 800

#define CC cc_find("ib-aimd") /* the function makes the difference, and the tests set it */

/* One sender. */
struct bench {
	struct cc_params par;
	struct cc cc;
};

static struct ib_params *params(struct bench *b)
{
	return (struct ib_params *)b->par.own;
}

static void bench_open(struct bench *b, enum ib_function f, u32 slowest, u32 window_max)
{
	*b = (struct bench){ .par = { .line = LINE, .ps_per_byte = PS_PER_BYTE, .window_max = window_max } };
	*params(b) = (struct ib_params){ .levels = slowest, .function = f };
	b->cc.par = &b->par;
	assert_int_equal(CC->open(&b->cc), 0);
}

/* The private state need not be ours to look at: rate, as @num/@den packet times per packet, and window tell. */
static void assert_state(struct bench *b, u32 num, u32 den, u32 window)
{
	assert_true(CC->rate(&b->cc, 0) == LINE * den / num);
	assert_int_equal(CC->window(&b->cc), window);
}

static u64 sent(struct bench *b, enum cc_limit limit)
{
	return CC->sent(&b->cc, &(struct cc_sent){ .now = 1000000, .wire = 1000, .limit = limit });
}

/* @count unmarked ACKs. */
static void ack(struct bench *b, u32 count)
{
	while (count--)
		CC->acked(&b->cc, &(struct cc_ack){ .newly = 1 });
}

static void mark(struct bench *b, u32 n, u32 next)
{
	CC->acked(&b->cc, &(struct cc_ack){ .newly = 1, .n = n, .marked = true, .next = next, .send_next = next });
}

/* @marks decreases: marks one window apart each. */
static void slow_down(struct bench *b, u32 marks)
{
	for (u32 n = 0; n < marks; n++)
		mark(b, n, n + 1);
}

static void open__line_rate(void **state)
{
	struct bench b;

	bench_open(&b, IB_LIPD, 8, 16);
	assert_state(&b, 1, 1, 16);
	assert_true(CC->echo && !CC->cnp && !CC->needs_acks);
	assert_true(CC->marking == ECN_IB && CC->credits);
}

/* A lone flow never waits for us: no delay at the line's rate, and a window that fills the path whatever comes. */
static void sent__line_is_exact(void **state)
{
	struct bench b;

	bench_open(&b, IB_AIMD, 7, 16);
	for (u32 i = 0; i < 1000; i++) {
		assert_true(sent(&b, i % 3) == 0);
		ack(&b, 1);
		assert_state(&b, 1, 1, 16);
	}
}

static void sent__delay(void **state)
{
	struct bench b;

	bench_open(&b, IB_LIPD, 8, 16);
	slow_down(&b, 2);
	assert_state(&b, 3, 1, 4);
	assert_true(sent(&b, CC_RATE) == 1000000 + 3 * 1000 * PS_PER_BYTE);
	/* an unmarked packet later x = 3 - 3/8 */
	ack(&b, 1);
	assert_true(sent(&b, CC_RATE) == 1000000 + 2625 * PS_PER_BYTE);
	/* 7 -> 3 of 7: 800000 * 7 / 3 = 1866666.7, rounded up */
	bench_open(&b, IB_AIMD, 7, 16);
	slow_down(&b, 1);
	assert_state(&b, 7, 3, 8);
	assert_true(sent(&b, CC_RATE) == 1000000 + 1866667);
}

/* What the application or the peer held back says nothing of the network: RPI stands still. */
static void acked__other_counts_nothing(void **state)
{
	struct bench b;

	bench_open(&b, IB_FIMD, 8, 16);
	slow_down(&b, 2); /* x = 4: two ACKs */
	sent(&b, CC_OTHER);
	ack(&b, 100);
	assert_state(&b, 4, 1, 4);
	sent(&b, CC_RATE);
	ack(&b, 1);
	assert_state(&b, 4, 1, 4);
	sent(&b, CC_OTHER);
	ack(&b, 100);
	assert_state(&b, 4, 1, 4);
	sent(&b, CC_RATE);
	ack(&b, 1);
	assert_state(&b, 2, 1, 4);
}

/* LIPD rises with every unmarked packet (REFERENCE 5.4): 4, 3, 9/4, 27/16 .. of X = 4. The window stays as it is. */
static void acked__lipd_recovers(void **state)
{
	struct bench b;

	bench_open(&b, IB_LIPD, 4, 64);
	slow_down(&b, 7);
	assert_state(&b, 4, 1, 1);
	sent(&b, CC_RATE);
	for (u32 i = 0, num = 4, den = 1; i < 5; i++, num *= 3, den *= 4) {
		assert_state(&b, num, den, 1);
		ack(&b, 1);
	}
	assert_state(&b, 1, 1, 1);
	ack(&b, 1000);
	assert_state(&b, 1, 1, 1);
	assert_true(sent(&b, CC_OTHER) == 0);
}

/* AIMD adds the least rate with every unmarked packet (REFERENCE 5.3). */
static void acked__aimd_recovers(void **state)
{
	struct bench b;

	bench_open(&b, IB_AIMD, 64, 64);
	slow_down(&b, 7);
	sent(&b, CC_RATE);
	for (u32 j = 1; j <= 64; j++) {
		assert_state(&b, 64, j, 1);
		ack(&b, 1);
	}
	assert_state(&b, 1, 1, 1);
}

/* A packet more for each window of them. */
static void acked__window_recovers(void **state)
{
	struct bench b;

	bench_open(&b, IB_FIMD, 4, 8);
	slow_down(&b, 2);
	assert_state(&b, 4, 1, 2);
	sent(&b, CC_WINDOW);
	for (u32 w = 2; w < 8; w++) {
		ack(&b, w - 1);
		assert_state(&b, 4, 1, w);
		ack(&b, 1);
		assert_state(&b, 4, 1, w + 1);
	}
	ack(&b, 1000);
	assert_state(&b, 4, 1, 8);
}

/* Each limit counts for itself, while it is the one that binds. */
static void acked__counters_apart(void **state)
{
	struct bench b;

	bench_open(&b, IB_FIMD, 16, 64);
	slow_down(&b, 2); /* x = 4: four ACKs; a window of 16 */
	sent(&b, CC_RATE);
	ack(&b, 3);
	sent(&b, CC_WINDOW);
	ack(&b, 15);
	assert_state(&b, 4, 1, 16);
	ack(&b, 1);
	assert_state(&b, 4, 1, 17);
	sent(&b, CC_RATE);
	ack(&b, 1);
	assert_state(&b, 2, 1, 17);
	ack(&b, 7); /* of 8 */
	sent(&b, CC_WINDOW);
	ack(&b, 16);
	assert_state(&b, 2, 1, 17);
	sent(&b, CC_RATE);
	ack(&b, 1);
	assert_state(&b, 1, 1, 17);
}

/* An ACK counts once, whatever it covers; a NAK not at all. */
static void acked__counts_acks(void **state)
{
	struct bench b;

	bench_open(&b, IB_FIMD, 16, 64);
	slow_down(&b, 3); /* x = 8: two ACKs */
	sent(&b, CC_RATE);
	for (u32 i = 0; i < 10; i++)
		CC->acked(&b.cc, &(struct cc_ack){ .newly = 1, .nack = true });
	assert_state(&b, 8, 1, 8);
	CC->acked(&b.cc, &(struct cc_ack){ .newly = 10 });
	assert_state(&b, 8, 1, 8);
	CC->acked(&b.cc, &(struct cc_ack){ .newly = 0 });
	assert_state(&b, 4, 1, 8);
}

/* Marks on packets 0..9, all sent before the first was heard of, are one; packet 10 and later ask for the next. */
static void marked__once_per_window(void **state)
{
	struct bench b;

	bench_open(&b, IB_LIPD, 8, 16);
	for (u32 n = 0; n < 10; n++) {
		mark(&b, n, 10 + n);
		if (!n)
			assert_state(&b, 2, 1, 8);
	}
	mark(&b, 9, 20);
	assert_state(&b, 2, 1, 8);
	mark(&b, 10, 21);
	assert_state(&b, 3, 1, 4);
	mark(&b, 15, 22);
	mark(&b, 20, 23);
	assert_state(&b, 3, 1, 4);
	mark(&b, 40, 41); /* not the first of its window: all the same */
	assert_state(&b, 4, 1, 2);
}

/* APSN is the next packet to send, also after going back: packets sent again ask for a decrease of their own. */
static void marked__after_going_back(void **state)
{
	struct bench b;

	bench_open(&b, IB_LIPD, 8, 16);
	CC->acked(&b.cc, &(struct cc_ack){ .n = 4, .nack = true, .marked = true, .next = 30, .send_next = 5 });
	assert_state(&b, 2, 1, 8);
	CC->acked(&b.cc, &(struct cc_ack){ .n = 6, .newly = 1, .marked = true, .next = 30, .send_next = 9 });
	assert_state(&b, 3, 1, 4);
	CC->acked(&b.cc, &(struct cc_ack){ .n = 8, .newly = 1, .marked = true, .next = 30, .send_next = 10 });
	assert_state(&b, 3, 1, 4);
}

/* Marks that ask for no decrease leave the count alone too; a decrease begins a new one. */
static void marked__restarts_the_count(void **state)
{
	struct bench b;

	bench_open(&b, IB_FIMD, 16, 64);
	mark(&b, 0, 10);
	mark(&b, 10, 20); /* x = 4: four ACKs */
	sent(&b, CC_RATE);
	ack(&b, 3);
	mark(&b, 12, 25);
	assert_state(&b, 4, 1, 16);
	ack(&b, 1);
	assert_state(&b, 2, 1, 16);
	ack(&b, 7); /* of 8 */
	mark(&b, 20, 30);
	assert_state(&b, 4, 1, 8);
	ack(&b, 3);
	assert_state(&b, 4, 1, 8);
	ack(&b, 1);
	assert_state(&b, 2, 1, 8);
}

/* A NAK that carries a mark is a mark. */
static void marked__nak(void **state)
{
	struct bench b;

	bench_open(&b, IB_AIMD, 16, 16);
	CC->acked(&b.cc, &(struct cc_ack){ .n = 5, .nack = true, .marked = true, .next = 9, .send_next = 9 });
	assert_state(&b, 2, 1, 8);
	mark(&b, 8, 12);
	assert_state(&b, 2, 1, 8);
}

/* READ responses: CN packets cut the rate, and no window applies. */
static void notified__no_window(void **state)
{
	struct bench b;

	bench_open(&b, IB_FIMD, 8, 16);
	b.cc.no_window = true;
	assert_state(&b, 1, 1, NO_LIMIT);
	CC->notified(&b.cc, 0, 3, 10);
	assert_state(&b, 2, 1, NO_LIMIT);
	CC->notified(&b.cc, 0, 9, 12);
	assert_state(&b, 2, 1, NO_LIMIT);
	CC->notified(&b.cc, 0, 10, 15);
	assert_state(&b, 4, 1, NO_LIMIT);
	assert_true(sent(&b, CC_RATE) == 1000000 + 4 * 1000 * PS_PER_BYTE);
	ack(&b, 2);
	assert_state(&b, 2, 1, NO_LIMIT);
}

/* A CN packet that does not say which packet was marked is always heeded. */
static void notified__unknown_packet(void **state)
{
	struct bench b;

	bench_open(&b, IB_LIPD, 8, 16);
	CC->notified(&b.cc, 0, NO_NUMBER, 10);
	assert_state(&b, 2, 1, 8);
	CC->notified(&b.cc, 0, NO_NUMBER, 10);
	assert_state(&b, 3, 1, 4);
	CC->notified(&b.cc, 0, 9, 10);
	assert_state(&b, 3, 1, 4);
}

/* One random call; @next is the sender's first packet never sent. */
static bool random_call(struct rng *r, struct bench *b, u32 *next)
{
	u32 n = *next ? rng_below(r, *next) : 0;

	if (one_in(r, 3)) {
		*next += 1;
		sent(b, rng_below(r, 3));
		return false;
	}
	if (one_in(r, 8)) {
		mark(b, n, *next);
		return true;
	}
	if (one_in(r, 16)) {
		CC->notified(&b->cc, 0, one_in(r, 4) ? NO_NUMBER : n, *next);
		return true;
	}
	CC->acked(&b->cc, &(struct cc_ack){ .nack = one_in(r, 10) });
	return false;
}

/* In range always; a mark makes nothing faster, and no call takes more than a step up. */
static void random_run(struct rng *r, struct bench *b, u32 calls)
{
	u64 least = LINE / params(b)->levels;
	u32 next = 0;

	for (u32 i = 0; i < calls; i++) {
		u64 rate = CC->rate(&b->cc, 0);
		u32 window = CC->window(&b->cc);
		bool marked = random_call(r, b, &next);

		assert_in_range(CC->rate(&b->cc, 0), least, LINE);
		assert_in_range(CC->window(&b->cc), 1, b->par.window_max);
		assert_true(CC->window(&b->cc) <= window + !marked);
		assert_true(CC->rate(&b->cc, 0) == rate || (CC->rate(&b->cc, 0) < rate) == marked);
	}
}

/* From wherever it stands to the least rate, by marks; then one ACK is enough to leave it. */
static void assert_leaves_the_least_rate(struct bench *b)
{
	u64 least = LINE / params(b)->levels;

	for (u32 i = 0; i < params(b)->levels; i++)
		CC->notified(&b->cc, 0, NO_NUMBER, 0);
	assert_true(CC->rate(&b->cc, 0) == least);
	sent(b, CC_RATE);
	ack(b, 1);
	assert_true(CC->rate(&b->cc, 0) > least);
}

static void random__properties(void **state)
{
	struct rng r = rng_stream(1, RNG_SIZE, 0);

	for (u32 run = 0; run < 300; run++) {
		enum ib_function f = run % 3;
		struct bench b;

		bench_open(&b, f, f == IB_FIMD ? 2U << rng_below(&r, 8) : 2 + rng_below(&r, 255),
			   1 + rng_below(&r, 100));
		random_run(&r, &b, 500);
		assert_leaves_the_least_rate(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open__line_rate),
		cmocka_unit_test(sent__line_is_exact),
		cmocka_unit_test(sent__delay),
		cmocka_unit_test(acked__other_counts_nothing),
		cmocka_unit_test(acked__lipd_recovers),
		cmocka_unit_test(acked__aimd_recovers),
		cmocka_unit_test(acked__window_recovers),
		cmocka_unit_test(acked__counters_apart),
		cmocka_unit_test(acked__counts_acks),
		cmocka_unit_test(marked__once_per_window),
		cmocka_unit_test(marked__after_going_back),
		cmocka_unit_test(marked__restarts_the_count),
		cmocka_unit_test(marked__nak),
		cmocka_unit_test(notified__no_window),
		cmocka_unit_test(notified__unknown_packet),
		cmocka_unit_test(random__properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
