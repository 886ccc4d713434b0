// SPDX-License-Identifier: GPL-2.0-or-later
/* MELO's sender: each rule of REFERENCE 3.4 by hand; and both ends over a wild channel. */
#include "tests/unit/melo_wild.h"

static void sender_open(u32 packets, u32 bits)
{
	net_open(1, packets, melo_par(40, .bits = bits));
}

/* Each hole once, in order, before new packets; what later NACKs repeat is not news. */
static void transmit__holes(void **state)
{
	sender_open(30, 1024);
	send_all(0, 20);
	NACK(2, 5, 2, 5);
	send_all(2, 4);
	NACK(2, 9, 2, 5, 8, 9);
	send_all(4, 5);
	send_all(8, 9);
	NACK(2, 9, 2, 5, 8, 9); /* the same again */
	send_all(20, 21);
	NACK(2, 15, 8, 9, 10, 11, 13, 15); /* lowest not told any more */
	send_all(10, 11);
	send_all(13, 15);
	ack(8);
	send_all(21, 30);
	assert_silent();
	assert_int_equal(tx_blocks(), 1); /* 8 .. 15 */
	ack(15);
	assert_int_equal(tx_blocks(), 1);
	ack(16);
	assert_int_equal(tx_blocks(), 0);
	ack(30);
	assert_silent();
	net_close();
}

/* A hole that is acknowledged before its turn is not resent. */
static void transmit__healed_hole(void **state)
{
	sender_open(30, 1024);
	send_all(0, 20);
	NACK(1, 19, 1, 4, 9, 11, 17, 19);
	send_all(1, 2);
	ack(10);
	send_all(10, 11);
	ack(17);
	send_all(17, 19);
	send_all(20, 30);
	assert_silent();
	net_close();
}

/* A lost NACK: the next one names its holes, too; those below the lowest of three wait for the timeout. */
static void transmit__lost_nack(void **state)
{
	sender_open(30, 1024);
	send_all(0, 30);
	NACK(0, 20, 10, 11, 14, 15, 18, 20); /* 0 is missing for certain; 1 .. 9 may be */
	send_all(0, 1);
	send_all(10, 11);
	send_all(14, 15);
	send_all(18, 20);
	assert_silent();
	ack(3);
	assert_silent(); /* 3 has not come: not in this bitmap */
	assert_true(melo->timeout(q()));
	send_all(3, 30);
	assert_silent();
	net_close();
}

/* By option a timeout resends the holes alone; where the bitmap cannot say what is missing, all. */
static void timeout__holes(void **state)
{
	net_open(1, 40, melo_par(40, .bits = 1024, .holes = true));
	send_all(0, 20);
	NACK(2, 15, 2, 4, 9, 10, 13, 15);
	send_all(2, 4);
	send_all(9, 10);
	send_all(13, 15);
	assert_true(melo->timeout(q()));
	send_all(2, 4);
	send_all(9, 10);
	send_all(13, 15);
	send_all(20, 22); /* new packets go on */
	ack(9);
	assert_true(melo->timeout(q()));
	send_all(9, 10);
	send_all(13, 15);
	ack(16);
	assert_true(melo->timeout(q())); /* no bitmap any more: all from the front */
	send_all(16, 40);
	NACK(17, 30, 21, 22, 24, 25, 29, 30);
	send_all(17, 18);
	send_all(21, 22);
	send_all(24, 25);
	send_all(29, 30);
	ack(19); /* 19 was one hole more than the NACK could name */
	assert_true(melo->timeout(q()));
	send_all(19, 40);
	assert_silent();
	net_close();
}

/* NACKs that say nothing, or cannot be true: only their cumulative acknowledgement counts. */
static void acked__refused(void **state)
{
	static const struct {
		u32 sack, n;
		struct range holes[RANGES_MAX];
	} rows[] = {
		{ 10, 1, { { 4, 4 } } },
		{ 10, 1, { { 6, 5 } } },
		{ 10, 1, { { 5, 11 } } },
		{ 10, 2, { { 6, 8 }, { 5, 6 } } },
		{ 10, 2, { { 5, 8 }, { 7, 9 } } },
		{ 10, 3, { { 5, 6 }, { 7, 8 }, { 5, 6 } } },
		{ 10, 3, { { 5, 6 }, { 7, 8 }, { 9, 100 } } },
		{ 10, 0, { { 0 } } },
		{ 4, 1, { { 4, 5 } } },
		{ 3, 1, { { 0, 3 } } },
	};

	for (u32 i = 0; i < COUNT(rows); i++) {
		struct ack_event a = { .cum = 4, .nack = true, .sack = rows[i].sack, .n_ranges = rows[i].n };

		memcpy(a.ranges, rows[i].holes, sizeof(a.ranges));
		sender_open(20, 1024);
		send_all(0, 20);
		melo->acked(q(), &a);
		assert_int_equal(q()->una, 4);
		assert_silent();
		assert_int_equal(tx_blocks(), 0);
		NACK(4, 11, 4, 5, 9, 11); /* and the next one is heard */
		send_all(4, 5);
		send_all(9, 11);
		assert_silent();
		net_close();
	}
}

/* A pool of two blocks: a NACK that needs three is forgotten whole, and the same later is news. */
static void acked__no_room(void **state)
{
	sender_open(40, 16);
	send_all(0, 40);
	NACK(0, 16, 0, 1, 15, 16);
	assert_silent();
	assert_int_equal(tx_blocks(), 0);
	NACK(0, 3, 0, 3);
	send_all(0, 3);
	NACK(0, 30, 20, 30);
	assert_silent();
	assert_int_equal(tx_blocks(), 1);
	ack(20);
	assert_int_equal(tx_blocks(), 0);
	NACK(20, 30, 20, 30);
	send_all(20, 30);
	assert_silent();
	assert_int_equal(tx_blocks(), 2); /* 16 .. 31 */
	net_close();
}

/* After a timeout: all from the front, but for what is acknowledged meanwhile; then new packets. */
static void timeout__from_the_front(void **state)
{
	sender_open(45, 1024);
	send_all(0, 20);
	NACK(5, 12, 5, 8, 10, 12);
	send_all(5, 8);
	send_all(10, 12);
	assert_true(melo->timeout(q()));
	assert_int_equal(tx_blocks(), 0);
	assert_int_equal(q()->next, 20);
	send_all(5, 9);
	NACK(5, 12, 5, 8, 10, 12); /* from before: 12 has not been sent again */
	assert_int_equal(tx_blocks(), 0);
	NACK(5, 8, 5, 7); /* 8 has */
	send_all(5, 7);
	send_all(9, 10);
	ack(12);
	send_all(12, 16);
	NACK(12, 15, 12, 13, 14, 15); /* what is still to come follows */
	send_all(12, 13);
	send_all(14, 15);
	send_all(16, 45);
	assert_silent();
	assert_int_equal(melo->rto(q()), RTO);
	net_close();
}

/* However many NACKs come, a lost retransmission is resent after a timeout only. */
static void transmit__lost_retransmission(void **state)
{
	sender_open(40, 1024);
	send_all(0, 10);
	NACK(0, 1, 0, 1);
	send_all(0, 1); /* lost */
	for (u32 n = 10; n < 40; n += 2) {
		send_all(n, n + 2);
		NACK(0, n + 1, 0, 1, n, n + 1);
		send_all(n, n + 1);
	}
	assert_silent();
	melo->rewind(q());
	send_all(0, 40);
	assert_silent();
	net_close();
}

static void transmit__limits(void **state)
{
	sender_open(100, 1024);
	q()->limit = 30;
	send_all(0, 30);
	assert_silent();
	q()->limit = 100;
	send_all(30, 40); /* the cap */
	assert_silent();
	NACK(2, 30, 2, 3, 12, 13, 20, 30);
	q()->window = 11;
	send_all(2, 3);
	send_all(12, 13); /* 11 from the front, which is 2 */
	assert_silent();
	ack(12);
	send_all(20, 23);
	assert_silent();
	melo->timeout(q());
	send_all(12, 23);
	assert_silent();
	q()->window = NO_LIMIT;
	send_all(23, 52);
	assert_silent();
	net_close();
}

/* A single loss, wherever it falls, costs a single retransmission; the last packet's a timeout, too. */
static void single_loss__one_retransmission(void **state)
{
	for (u32 lost = 0; lost < 50; lost++) {
		u32 sent = 0;
		struct conn *c = &t.conns[0];

		net_open(1, 50, melo_par(10, .bits = 24));
		t.loss = t.repeat = ~0U;
		t.depth = 1;
		t.answer_all = true;
		while (c->q.una < 50) {
			bool wants = melo->wants(&c->q);

			if (wants) {
				step_transmit(c);
				c->n_data -= sent++ == lost;
			} else if (!c->n_data && !c->n_back) {
				step_timeout(c);
			}
			/* three packets and three answers are under way at a time */
			if (c->n_data > (wants ? 3 : 0))
				step_data(c);
			if (c->n_back > (wants ? 3 : 0))
				step_ack(c);
		}
		assert_true(sent == 51 && t.retransmissions == 1 && t.timeouts == (lost == 49));
		net_close();
	}
}

/* An answer within what the NIC lets through, and otherwise anything. */
static struct ack_event anything(const struct sqp *s, struct rng *rng)
{
	u32 flight = s->next - s->una;
	struct ack_event a = { .cum = s->una, .nack = true, .n_ranges = rng_below(rng, RANGES_MAX + 1) };

	if (one_in(rng, 2))
		a.cum += rng_below(rng, flight + 1);
	a.sack = s->una + rng_below(rng, flight);
	for (u32 i = 0; i < a.n_ranges; i++) {
		a.ranges[i].from = s->una + rng_below(rng, flight);
		a.ranges[i].to = a.ranges[i].from + rng_below(rng, s->next - a.ranges[i].from) + 1;
	}
	return a;
}

static void acked__hostile(void **state)
{
	struct rng rng = { .state = 11 };

	for (u32 run = 0; run < 600; run++) {
		net_open(2, 200, melo_par(60, .bits = 48, .cache = run % 2));
		for (u32 turn = 0; turn < 300; turn++) {
			struct sqp *s = &t.conns[rng_below(&rng, 2)].q;

			for (u32 k = rng_below(&rng, 8); k && melo->wants(s); k--) {
				u32 n = melo->transmit(s, 0);

				assert_true(n == NO_PACKET ? run % 2 : n >= s->una && n < s->next);
				assert_true(s->next - s->una <= 60);
			}
			if (s->una < s->next) {
				struct ack_event a = anything(s, &rng);

				melo->acked(s, &a);
				assert_int_equal(s->una, a.cum);
			}
			if (one_in(&rng, 50))
				melo->timeout(s);
			assert_sound();
		}
		net_close();
	}
}

static void wild__all_on_chip(void **state)
{
	struct totals sum = { 0 };

	for (u64 seed = 0; seed < 2000; seed++)
		run_wild(seed, 0, &sum);
	assert_true(sum.retransmissions > 100000 && sum.timeouts > 10000 && sum.middle > 10000 && sum.pool > 10000);
	assert_true(sum.copied > 100000 && sum.evictions == 0 && sum.forgotten_rx == 0 && sum.forgotten_tx == 0);
}

static void wild__cache(void **state)
{
	struct totals sum = { 0 };

	for (u64 seed = 0; seed < 2000; seed++)
		run_wild(seed, 1 + seed % 3, &sum);
	assert_true(sum.retransmissions > 100000 && sum.timeouts > 10000);
	assert_true(sum.evictions > 100000 && sum.forgotten_rx > 1000 && sum.forgotten_tx > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transmit__holes),
		cmocka_unit_test(transmit__healed_hole),
		cmocka_unit_test(transmit__lost_nack),
		cmocka_unit_test(timeout__holes),
		cmocka_unit_test(acked__refused),
		cmocka_unit_test(acked__no_room),
		cmocka_unit_test(timeout__from_the_front),
		cmocka_unit_test(transmit__lost_retransmission),
		cmocka_unit_test(transmit__limits),
		cmocka_unit_test(single_loss__one_retransmission),
		cmocka_unit_test(acked__hostile),
		cmocka_unit_test(wild__all_on_chip),
		cmocka_unit_test(wild__cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
