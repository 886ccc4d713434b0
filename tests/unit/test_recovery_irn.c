// SPDX-License-Identifier: GPL-2.0-or-later
/* IRN's recovery: each rule of REFERENCE 1.3 and 1.4, the worked example of 1.5, and both ends over a wild channel. */
#include "tests/unit/irn_wild.h"

static void ack(struct pair *p, u32 cum)
{
	irn->acked(&p->q, &(struct ack_event){ .cum = cum, .sack = cum });
}

static void nack(struct pair *p, u32 cum, u32 sack)
{
	irn->acked(&p->q, &(struct ack_event){ .cum = cum, .nack = true, .sack = sack });
}

static void send_all(struct pair *p, u32 first, u32 end)
{
	for (u32 n = first; n < end; n++) {
		assert_true(irn->wants(&p->q));
		assert_int_equal(irn->transmit(&p->q, 0), n);
	}
}

/* Nothing comes of any further opportunity. */
static void assert_silent(struct pair *p)
{
	assert_int_equal(irn->transmit(&p->q, 0), NO_PACKET);
	assert_false(irn->wants(&p->q));
	assert_int_equal(irn->transmit(&p->q, 0), NO_PACKET);
}

/* 1.3: the answers of the worked example, messages of two packets. */
static void receive__example(void **state)
{
	static const struct {
		u32 n, kind, psn, sack, msn;
	} rows[] = { { 0, REPLY_ACK, 0, 0, 0 }, { 1, REPLY_ACK, 1, 0, 1 }, { 3, REPLY_NAK, 2, 3, 1 },
		     { 4, REPLY_NAK, 2, 4, 1 }, { 6, REPLY_NAK, 2, 6, 1 }, { 7, REPLY_NAK, 2, 7, 1 },
		     { 2, REPLY_ACK, 4, 0, 2 }, { 5, REPLY_ACK, 7, 0, 4 } };
	struct pair p;

	open_pair(&p, 8);
	for (u32 i = 0; i < 8; i++) {
		struct reply a = receive(&p, rows[i].n, rows[i].n % 2);

		assert_int_equal(a.kind, rows[i].kind);
		assert_int_equal(a.psn, rows[i].psn);
		if (a.kind == REPLY_NAK)
			assert_int_equal(a.sack, rows[i].sack);
		assert_int_equal(p.r.msn, rows[i].msn);
		assert_true(a.is_new);
		assert_int_equal(p.r.received, i + 1);
	}
	assert_int_equal(p.r.expected, 8);
	close_pair(&p);
}

/* A duplicate is dropped: below with an ACK, above with a NACK as every packet out of order. */
static void receive__duplicates(void **state)
{
	struct pair p;
	struct reply a;

	open_pair(&p, 8);
	receive(&p, 0, false);
	a = receive(&p, 0, true);
	assert_true(a.kind == REPLY_ACK && a.psn == 0 && !a.is_new && !p.r.msn);
	receive(&p, 2, true);
	a = receive(&p, 2, true);
	assert_true(a.kind == REPLY_NAK && a.psn == 1 && a.sack == 2 && !a.is_new);
	assert_int_equal(p.r.received, 2);
	receive(&p, 1, false);
	assert_true(p.r.expected == 3 && p.r.msn == 1 && p.r.received == 3);
	close_pair(&p);
}

/* What lies beyond what could be remembered is dropped in silence, and nothing aliases. */
static void receive__beyond_the_bitmap(void **state)
{
	struct pair p;
	u32 bits;

	open_pair(&p, 1000);
	bits = p.r.got.mask + 1;
	assert_int_equal(receive(&p, bits, true).kind, REPLY_NONE);
	assert_int_equal(receive(&p, bits - 1, true).kind, REPLY_NAK);
	assert_int_equal(receive(&p, 0, false).kind, REPLY_ACK);
	assert_int_equal(p.r.expected, 1);
	assert_int_equal(receive(&p, bits, false).kind, REPLY_NAK);
	for (u32 n = 1; n < bits - 1; n++)
		receive(&p, n, false);
	assert_int_equal(p.r.expected, bits + 1);
	assert_int_equal(p.r.msn, 1);
	close_pair(&p);
}

/* 1.5, the table. */
static void transmit__example(void **state)
{
	struct pair p;

	open_pair(&p, 8);
	send_all(&p, 0, 8);
	ack(&p, 1);
	ack(&p, 2);
	nack(&p, 2, 3);
	nack(&p, 2, 4);
	nack(&p, 2, 6);
	nack(&p, 2, 7);
	assert_int_equal(irn->transmit(&p.q, 0), 2);
	assert_int_equal(irn->transmit(&p.q, 0), 5);
	assert_silent(&p);
	ack(&p, 5); /* partial: 5 has been resent already */
	assert_int_equal(p.q.una, 5);
	assert_silent(&p);
	ack(&p, 8);
	assert_silent(&p);
	close_pair(&p);
}

/* 1.5, the variant: one opportunity after each NACK. A hole found in recovery costs one. */
static void transmit__example_interleaved(void **state)
{
	struct pair p;

	open_pair(&p, 8);
	send_all(&p, 0, 8);
	ack(&p, 2);
	nack(&p, 2, 3);
	assert_int_equal(irn->transmit(&p.q, 0), 2);
	nack(&p, 2, 4);
	assert_int_equal(irn->transmit(&p.q, 0), NO_PACKET);
	nack(&p, 2, 6);
	assert_int_equal(irn->transmit(&p.q, 0), NO_PACKET); /* arms 5 */
	assert_true(irn->wants(&p.q));
	nack(&p, 2, 7);
	assert_int_equal(irn->transmit(&p.q, 0), 5);
	assert_silent(&p);
	close_pair(&p);
}

/* The same with new packets to send: the opportunity that finds the hole sends one, the hole goes with the next. */
static void transmit__hole_after_new(void **state)
{
	struct pair p;

	open_pair(&p, 9);
	send_all(&p, 0, 8);
	ack(&p, 2);
	nack(&p, 2, 3);
	assert_int_equal(irn->transmit(&p.q, 0), 2);
	nack(&p, 2, 6);
	assert_int_equal(irn->transmit(&p.q, 0), 8);
	assert_int_equal(irn->transmit(&p.q, 0), 4);
	assert_int_equal(irn->transmit(&p.q, 0), 5);
	assert_silent(&p);
	close_pair(&p);
}

/* Rule 6: a NACK that moves the cumulative acknowledgement is not an entry; the next one is. */
static void acked__entry(void **state)
{
	struct pair p;

	open_pair(&p, 10);
	send_all(&p, 0, 8);
	nack(&p, 2, 3);
	send_all(&p, 8, 9); /* nothing to resend: new data goes on */
	nack(&p, 2, 4);
	assert_int_equal(irn->transmit(&p.q, 0), 2);
	send_all(&p, 9, 10);
	assert_silent(&p);
	close_pair(&p);
}

/* Rule 4: recovery ends when all that was sent before the last retransmission is acknowledged, not before. */
static void acked__exit(void **state)
{
	struct pair p;

	open_pair(&p, 20);
	send_all(&p, 0, 8);
	nack(&p, 0, 1);
	assert_int_equal(irn->transmit(&p.q, 0), 0); /* recover = 7 */
	ack(&p, 7);                                  /* partial: 7 is the new hole, not yet resent */
	assert_int_equal(irn->transmit(&p.q, 0), 7);
	send_all(&p, 8, 10);
	ack(&p, 8); /* beyond 7, what was sent when 7 was resent: out */
	send_all(&p, 10, 11);
	nack(&p, 8, 9); /* a new entry, by rule 6 */
	assert_int_equal(irn->transmit(&p.q, 0), 8);
	close_pair(&p);
}

/* Rule 5: the new cumulative hole is resent unless it has been. */
static void acked__partial(void **state)
{
	struct pair p;

	open_pair(&p, 12);
	send_all(&p, 0, 12);
	nack(&p, 0, 1);
	assert_int_equal(irn->transmit(&p.q, 0), 0);
	ack(&p, 4);
	assert_int_equal(irn->transmit(&p.q, 0), 4); /* no sack above is needed for the cumulative hole */
	assert_silent(&p);
	nack(&p, 4, 6); /* 5 is now a hole below 6 */
	irn->transmit(&p.q, 0);
	assert_int_equal(irn->transmit(&p.q, 0), 5);
	ack(&p, 5); /* 5 has been resent: nothing */
	assert_silent(&p);
	close_pair(&p);
}

/* Rule 3a: the packet about to be resent turns out to have arrived. */
static void acked__not_lost(void **state)
{
	struct pair p;

	open_pair(&p, 10);
	send_all(&p, 0, 10);
	nack(&p, 0, 2);
	nack(&p, 0, 4);
	nack(&p, 0, 6);
	assert_int_equal(irn->transmit(&p.q, 0), 0); /* and arms 1 */
	nack(&p, 0, 1);
	assert_int_equal(irn->transmit(&p.q, 0), NO_PACKET); /* arms 3 instead */
	assert_int_equal(irn->transmit(&p.q, 0), 3);
	assert_int_equal(irn->transmit(&p.q, 0), 5);
	assert_silent(&p);
	close_pair(&p);
}

/* Retransmissions go before new packets, and only holes with something above them. */
static void transmit__priority(void **state)
{
	struct pair p;

	open_pair(&p, 20);
	send_all(&p, 0, 8);
	nack(&p, 0, 2);
	nack(&p, 0, 5);
	for (u32 n = 0; n < 5; n++)
		if (n != 2)
			assert_int_equal(irn->transmit(&p.q, 0), n);
	send_all(&p, 8, 20); /* 6 and 7 are not known to be lost */
	assert_silent(&p);
	close_pair(&p);
}

/* A lost retransmission is recovered by the timer alone, however many NACKs come. */
static void transmit__lost_retransmission(void **state)
{
	struct pair p;

	open_pair(&p, 15);
	send_all(&p, 0, 6);
	nack(&p, 0, 1);
	assert_int_equal(irn->transmit(&p.q, 0), 0); /* lost */
	for (u32 n = 2; n < 6; n++) {
		nack(&p, 0, n);
		assert_int_equal(irn->transmit(&p.q, 0), 4 + n);
	}
	for (u32 n = 6; n < 10; n++)
		nack(&p, 0, n);
	send_all(&p, 10, 15);
	for (u32 n = 10; n < 15; n++)
		nack(&p, 0, n);
	assert_silent(&p);
	p.q.rto = RTO_HIGH;
	assert_true(irn->timeout(&p.q));
	assert_int_equal(irn->transmit(&p.q, 0), 0);
	assert_silent(&p);
	ack(&p, 15);
	assert_silent(&p);
	close_pair(&p);
}

/* rto_low while no more than N are in flight. */
static void rto__in_flight(void **state)
{
	struct pair p;

	open_pair(&p, 10);
	for (u32 n = 1; n <= 6; n++) {
		send_all(&p, n - 1, n);
		assert_true(irn->rto(&p.q) == (n <= 3 ? RTO_LOW : RTO_HIGH));
	}
	ack(&p, 3);
	assert_true(irn->rto(&p.q) == RTO_LOW);
	close_pair(&p);
}

/* A low timer that finds more than N in flight was no loss; a high one always is. */
static void timeout__low_extends(void **state)
{
	struct pair p;

	open_pair(&p, 10);
	send_all(&p, 0, 3);
	p.q.rto = irn->rto(&p.q);
	send_all(&p, 3, 4);
	assert_false(irn->timeout(&p.q));
	send_all(&p, 4, 5); /* nothing was resent */
	p.q.rto = RTO_HIGH;
	assert_true(irn->timeout(&p.q));
	assert_int_equal(irn->transmit(&p.q, 0), 0);
	ack(&p, 2);
	assert_int_equal(irn->transmit(&p.q, 0), 2); /* partial: the next hole */
	p.q.rto = RTO_LOW;
	assert_true(irn->timeout(&p.q)); /* 3 in flight: a loss */
	assert_int_equal(irn->transmit(&p.q, 0), 2);
	close_pair(&p);
}

/* BDP-FC, and a cumulative acknowledgement that opens it; selective ones do not. */
static void transmit__cap(void **state)
{
	struct pair p;

	open_pair(&p, 100);
	send_all(&p, 0, 20);
	assert_silent(&p);
	ack(&p, 1);
	send_all(&p, 20, 21);
	assert_silent(&p);
	nack(&p, 1, 2);
	assert_int_equal(irn->transmit(&p.q, 0), 1);
	nack(&p, 1, 3);
	nack(&p, 1, 20);
	assert_int_equal(irn->transmit(&p.q, 0), NO_PACKET); /* finds the hole at 4 */
	send_all(&p, 4, 20);
	assert_silent(&p);
	assert_int_equal(p.q.next, 21);
	ack(&p, 21);
	send_all(&p, 21, 41);
	assert_silent(&p);
	close_pair(&p);
}

/* The window slides over a bitmap smaller than the flow, with the same hole pattern each time around. */
static void acked__bitmap_slides(void **state)
{
	struct pair p;

	open_pair(&p, 2000);
	for (u32 at = 0; at < 2000; at += 20) {
		send_all(&p, at, at + 20);
		nack(&p, at, at + 3);
		nack(&p, at, at + 6);
		for (u32 n = at; n < at + 6; n++)
			if (n != at + 3)
				assert_int_equal(irn->transmit(&p.q, 0), n);
		assert_silent(&p);
		ack(&p, at + 20);
	}
	close_pair(&p);
}

static void wild__always(void **state)
{
	static struct wild w;
	u64 retransmissions = 0, timeouts = 0;
	u32 cap = par.cap;

	for (u64 seed = 0; seed < 4000; seed++) {
		run_wild(&w, seed);
		retransmissions += w.retransmissions;
		timeouts += w.timeouts;
	}
	par.cap = cap;
	assert_true(retransmissions > 50000 && timeouts > 5000);
}

/* The window and the limit hold new packets back, not retransmissions. */
static void transmit__limits(void **state)
{
	struct pair p;

	par.cap = 20;
	open_pair(&p, 30);
	p.q.limit = 10;
	p.q.window = 4;
	send_all(&p, 0, 4);
	assert_false(irn->wants(&p.q));
	nack(&p, 0, 2);
	p.q.window = 1;
	assert_int_equal(irn->transmit(&p.q, 0), 0);
	ack(&p, 3);
	assert_int_equal(irn->transmit(&p.q, 0), 3); /* partial: the new first hole */
	assert_int_equal(irn->transmit(&p.q, 0), NO_PACKET);
	p.q.window = NO_LIMIT;
	send_all(&p, 4, 10);
	assert_silent(&p);
	close_pair(&p);
}

/* After an RNR NAK all from una on is new again; an answer to what was sent before still counts. */
static void rewind__begins_anew(void **state)
{
	struct pair p;

	par.cap = 20;
	open_pair(&p, 12);
	send_all(&p, 0, 8);
	nack(&p, 2, 5);
	irn->rewind(&p.q);
	assert_int_equal(p.q.next, 2);
	send_all(&p, 2, 4);
	nack(&p, 2, 6); /* of a packet that will be sent again: nothing to resend for it */
	send_all(&p, 4, 5);
	ack(&p, 7); /* they had arrived after all */
	assert_int_equal(p.q.next, 7);
	send_all(&p, 7, 12);
	ack(&p, 12);
	assert_silent(&p);
	close_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receive__example),
		cmocka_unit_test(receive__duplicates),
		cmocka_unit_test(receive__beyond_the_bitmap),
		cmocka_unit_test(transmit__example),
		cmocka_unit_test(transmit__example_interleaved),
		cmocka_unit_test(transmit__hole_after_new),
		cmocka_unit_test(acked__entry),
		cmocka_unit_test(acked__exit),
		cmocka_unit_test(acked__partial),
		cmocka_unit_test(acked__not_lost),
		cmocka_unit_test(transmit__priority),
		cmocka_unit_test(transmit__lost_retransmission),
		cmocka_unit_test(rto__in_flight),
		cmocka_unit_test(timeout__low_extends),
		cmocka_unit_test(transmit__cap),
		cmocka_unit_test(acked__bitmap_slides),
		cmocka_unit_test(transmit__limits),
		cmocka_unit_test(rewind__begins_anew),
		cmocka_unit_test(wild__always),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
