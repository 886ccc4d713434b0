// SPDX-License-Identifier: GPL-2.0-or-later
/* MELO's connections on chip and off (REFERENCE 3.5), receivers and senders. */
#include "tests/unit/melo_net.h"

/* One connection on chip at a time: the other's bitmap is off chip, and comes back as it was. */
static void cache__swaps_receivers(void **state)
{
	static const struct arrival a1[] = { { 3, false, REPLY_NAK, 0, { { 0, 3 } }, true, 0, 1 },
					     { 12, false, REPLY_NAK, 0, { { 0, 3 }, { 4, 12 } }, true, 0, 2 } };
	static const struct arrival b1[] = { { 0, true, REPLY_ACK, 0, { { 0 } }, true, 1, 0 },
					     { 9, false, REPLY_NAK, 1, { { 1, 9 } }, true, 1, 2 } };
	static const struct arrival a2[] = {
		{ 3, true, REPLY_ACK, ~0U, { { 0 } }, false, 0, 2 },
		{ 0, false, REPLY_ACK, 0, { { 0 } }, true, 1, 2 },
		{ 14, false, REPLY_NAK, 1, { { 1, 3 }, { 4, 12 }, { 13, 14 } }, true, 1, 2 },
		{ 1, false, REPLY_ACK, 1, { { 0 } }, true, 2, 2 },
		{ 2, false, REPLY_ACK, 3, { { 0 } }, true, 4, 2 }
	};
	static const struct arrival b2[] = { { 9, true, REPLY_ACK, 0, { { 0 } }, false, 1, 2 } };
	struct recovery_stats s = { 0 };

	net_open(2, 20, melo_par(20, .bits = 16, .cache = 1));
	receive_rows(0, a1, COUNT(a1));
	receive_rows(1, b1, COUNT(b1));
	receive_rows(0, a2, COUNT(a2));
	receive_rows(1, b2, COUNT(b2));
	melo->host_stats(t.receiving, &s);
	assert_true(s.evictions == 3 && s.forgotten == 0 && s.pool_rx_peak == 16);
	/* paper 3.2.4: 20 B of its own, and of two sides three arrays of 16 bits each among 2 connections */
	assert_true(s.connections == 2 && s.connection_bytes_x100 == 2000 + 600);
	net_close();
}

/* The one not used for the longest goes, and with it nothing that it did not have. */
static void cache__least_recently_used(void **state)
{
	static const struct {
		u32 conn, on_chip; /* a bit for each */
	} rows[] = { { 0, 1 }, { 1, 3 }, { 0, 3 }, { 2, 5 }, { 2, 5 }, { 0, 5 }, { 1, 3 }, { 3, 10 }, { 0, 9 } };

	net_open(4, 20, melo_par(20, .bits = 64, .cache = 2));
	for (u32 i = 0; i < COUNT(rows); i++) {
		receive(rows[i].conn, t.conns[rows[i].conn].r.expected, false);
		for (u32 k = 0; k < 4; k++)
			assert_int_equal(melo_rx(&t.conns[k].r)->c.on_chip, rows[i].on_chip >> k & 1);
	}
	assert_int_equal(t.receiving->rx.evictions, 4);
	net_close();
}

/* Two on chip, a pool of two blocks: what comes back finds one, and its high end is forgotten. */
static void cache__forgets_received(void **state)
{
	static const struct arrival a1[] = { { 3, false, REPLY_NAK, 0, { { 0, 3 } }, true, 0, 1 },
					     { 12, false, REPLY_NAK, 0, { { 0, 3 }, { 4, 12 } }, true, 0, 2 },
					     { 13, false, REPLY_NONE, 0, { { 0 } }, true, 0, 2 } };
	static const struct arrival b[] = { { 0, true, REPLY_ACK, 0, { { 0 } }, true, 1, 2 } };
	static const struct arrival c[] = { { 3, false, REPLY_NAK, 0, { { 0, 3 } }, true, 0, 1 } };
	static const struct arrival a2[] = { { 5, false, REPLY_NAK, 0, { { 0, 3 }, { 4, 5 } }, true, 0, 2 },
					     { 12, false, REPLY_NONE, 0, { { 0 } }, false, 0, 2 }, /* no block */
					     { 0, false, REPLY_ACK, 0, { { 0 } }, true, 1, 2 },
					     { 1, false, REPLY_ACK, 1, { { 0 } }, true, 2, 2 },
					     { 2, false, REPLY_ACK, 3, { { 0 } }, true, 4, 2 },
					     { 4, false, REPLY_ACK, 5, { { 0 } }, true, 6, 1 } };

	net_open(3, 20, melo_par(20, .bits = 16, .cache = 2));
	receive_rows(0, a1, COUNT(a1));
	receive_rows(1, b, COUNT(b));
	receive_rows(2, c, COUNT(c)); /* 0 goes out */
	receive_rows(0, a2, COUNT(a2));
	assert_true(t.receiving->rx.forgotten == 2 && t.receiving->rx.evictions == 2);
	for (u32 n = 6; n < 20; n++)
		receive(0, n, false);
	assert_true(t.conns[0].r.received == 20 && t.conns[0].r.msn == 7);
	net_close();
}

/* Where nothing fits, nothing is held; a last block of zeros is not kept, either. */
static void cache__forgets_all(void **state)
{
	static const struct arrival a1[] = { { 12, false, REPLY_NAK, 0, { { 0, 12 } }, true, 0, 2 } };
	static const struct arrival b[] = { { 0, true, REPLY_ACK, 0, { { 0 } }, true, 1, 2 } };
	static const struct arrival c[] = { { 3, false, REPLY_NAK, 0, { { 0, 3 } }, true, 0, 1 } };
	static const struct arrival a2[] = { { 0, true, REPLY_ACK, 0, { { 0 } }, true, 1, 1 },
					     { 5, false, REPLY_NAK, 1, { { 1, 5 } }, true, 1, 2 } };

	net_open(3, 20, melo_par(20, .bits = 16, .cache = 2));
	receive_rows(0, a1, COUNT(a1));
	receive_rows(1, b, COUNT(b));
	receive_rows(2, c, COUNT(c));
	receive_rows(0, a2, COUNT(a2));
	assert_int_equal(t.receiving->rx.forgotten, 1);
	net_close();
}

/* Have connection @conn's sender learn of one hole at @hole, below @sack. */
static void other_nack(u32 conn, u32 hole, u32 sack)
{
	struct ack_event a = { .nack = true, .sack = sack, .n_ranges = 1 };
	struct sqp *other = &t.conns[conn].q;

	while (other->next <= sack)
		assert_int_not_equal(melo->transmit(other, 0), NO_PACKET);
	a.ranges[0] = (struct range){ hole, hole + 1 };
	melo->acked(other, &a);
	assert_sound();
}

/* A sender's bitmap comes back with its high end gone: what it had resent stays so, the rest is told anew. */
static void cache__forgets_sent(void **state)
{
	net_open(3, 30, melo_par(30, .bits = 24, .cache = 2));
	send_all(0, 30);
	NACK(0, 18, 0, 2, 9, 12);
	send_all(0, 2);
	send_all(9, 10);
	assert_int_equal(tx_blocks(), 3);
	other_nack(1, 0, 1);
	other_nack(2, 0, 1); /* 0 goes out */
	assert_int_equal(tx_blocks(), 1);
	other_nack(1, 0, 9);
	assert_int_equal(tx_blocks(), 3);
	assert_true(melo->wants(q())); /* 2 goes out with a block; one is free: 2 .. 7 are known, 10 is not */
	assert_int_equal(melo->transmit(q(), 0), NO_PACKET);
	assert_false(melo->wants(q()));
	assert_int_equal(tx_blocks(), 3);
	assert_int_equal(t.sending->tx.forgotten, 8);                 /* 8, 12 .. 18 */
	melo->acked(&t.conns[1].q, &(struct ack_event){ .cum = 10 }); /* makes room */
	NACK(0, 20, 0, 2, 9, 12, 19, 20);
	send_all(10, 12);
	send_all(19, 20);
	assert_silent();
	net_close();
}

/* Swapped in and out between two NACKs: the holes left are found in the blocks that they are in now. */
static void cache__swaps_senders(void **state)
{
	net_open(2, 40, melo_par(40, .bits = 64, .cache = 1));
	send_all(0, 40);
	NACK(3, 30, 3, 4, 12, 14, 25, 30);
	send_all(3, 4);
	send_all(12, 13);
	other_nack(1, 5, 17);
	assert_true(melo->wants(q()));
	send_all(13, 14);
	ack(10);
	other_nack(1, 20, 25);
	send_all(25, 27);
	NACK(10, 35, 25, 30, 33, 35);
	other_nack(1, 30, 35);
	send_all(27, 30);
	send_all(33, 35);
	assert_silent();
	ack(40);
	assert_int_equal(t.sending->tx.forgotten, 0);
	net_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache__swaps_receivers),  cmocka_unit_test(cache__least_recently_used),
		cmocka_unit_test(cache__forgets_received), cmocka_unit_test(cache__forgets_all),
		cmocka_unit_test(cache__forgets_sent),     cmocka_unit_test(cache__swaps_senders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
