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

/*
 * MSN: messages complete in order, each once. Messages of 1, 3, 2, 1 and 1 packets: 0 | 1 2 3 | 4 5 | 6 | 7. A last
 * packet counts when all below it are here, be it early, late or a duplicate.
 */
static void receive__messages(void **state)
{
	static const bool last[] = { true, false, false, true, false, true, true, true };
	static const struct {
		u32 n, msn, expected;
		bool is_new;
	} rows[] = {
		{ 3, 0, 0, true },  { 3, 0, 0, false }, /* a last packet, early, twice */
		{ 0, 1, 1, true },  { 0, 1, 1, false }, /* a message of one packet; its duplicate */
		{ 5, 1, 1, true },  { 6, 1, 1, true },  { 1, 1, 2, true },
		{ 3, 1, 2, false }, { 2, 2, 4, true },  /* 2 and 3: one message, which 3 ends */
		{ 3, 2, 4, false }, { 0, 2, 4, false }, /* duplicates of last packets below */
		{ 4, 4, 7, true },                      /* 4, 5 and 6: two messages at once */
		{ 6, 4, 7, false }, { 7, 5, 8, true },  { 7, 5, 8, false },
	};
	struct pair p;

	open_pair(&p, 8);
	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply a = receive(&p, rows[i].n, last[rows[i].n]);

		assert_int_equal(p.r.msn, rows[i].msn);
		assert_int_equal(p.r.expected, rows[i].expected);
		assert_int_equal(a.is_new, rows[i].is_new);
	}
	assert_int_equal(p.r.received, 8);
	close_pair(&p);
}

/*
 * The same by definition, for any messages and any order: MSN is the number of last packets below the first missing.
 * Flows are longer than the bitmaps, so that what a packet leaves behind in them would show.
 */
static void receive__messages_always(void **state)
{
	struct rng rng = { .state = 9 };
	u32 early = 0, again = 0;

	for (u32 round = 0; round < 300; round++) {
		u32 packets = 1 + rng_below(&rng, 500), every = 1 + rng_below(&rng, 6), expected = 0, msn = 0;
		bool last[500], got[501] = { false };
		struct pair p;

		for (u32 n = 0; n < packets; n++)
			last[n] = n + 1 == packets || one_in(&rng, every);
		par.cap = 1 + rng_below(&rng, 64);
		open_pair(&p, packets);
		while (expected < packets) {
			u32 from = expected > 9 ? expected - 9 : 0;
			u32 to = expected + par.cap < packets ? expected + par.cap : packets;
			u32 n = from + rng_below(&rng, to - from);
			struct reply a = receive(&p, n, last[n]);

			assert_int_equal(a.is_new, !got[n]);
			again += got[n];
			early += n > expected;
			got[n] = true;
			for (; got[expected]; expected++)
				msn += last[expected];
			assert_true(p.r.expected == expected && p.r.msn == msn);
			assert_int_equal(a.kind, n >= expected ? REPLY_NAK : REPLY_ACK);
			assert_int_equal(a.psn, n >= expected ? expected : expected - 1);
		}
		assert_int_equal(p.r.received, packets);
		close_pair(&p);
	}
	par.cap = 20;
	assert_true(early > 50000 && again > 50000);
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
	ack(&p, 7);                                  /* partial: 7 is the new hole, and not known to be lost */
	send_all(&p, 8, 10);
	nack(&p, 7, 9);
	assert_int_equal(irn->transmit(&p.q, 0), 10); /* finds it */
	assert_int_equal(irn->transmit(&p.q, 0), 7);  /* recover = 10 */
	ack(&p, 10);                                  /* not beyond 10: still in recovery, no NACK would enter it */
	send_all(&p, 11, 13);
	nack(&p, 10, 12);
	assert_int_equal(irn->transmit(&p.q, 0), 13); /* in recovery: found after an opportunity, not at entry */
	assert_int_equal(irn->transmit(&p.q, 0), 10);
	ack(&p, 14);
	send_all(&p, 14, 20);
	close_pair(&p);
	set_rule(irn, true);
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
	set_rule(irn, false);
}

/*
 * Rule 5 by the paper's text (IRN 3.1: lost "only if another packet with a higher sequence number has been selectively
 * acked"): say the NACKs of 5 and 6 got lost, or are on their way, when the retransmission of 0 brings the partial ACK.
 */
static void acked__partial_paper(void **state)
{
	struct pair p;

	open_pair(&p, 12);
	send_all(&p, 0, 12);
	nack(&p, 0, 1);
	assert_int_equal(irn->transmit(&p.q, 0), 0);
	ack(&p, 4); /* nothing above 4 is acknowledged */
	assert_silent(&p);
	ack(&p, 5);
	assert_silent(&p);
	nack(&p, 5, 7); /* now 5 is lost, and 6 */
	assert_int_equal(irn->transmit(&p.q, 0), NO_PACKET);
	assert_int_equal(irn->transmit(&p.q, 0), 5);
	assert_int_equal(irn->transmit(&p.q, 0), 6);
	assert_silent(&p);
	close_pair(&p);

	open_pair(&p, 12); /* what is above is known already: at once */
	send_all(&p, 0, 12);
	nack(&p, 0, 1);
	nack(&p, 0, 6);
	assert_int_equal(irn->transmit(&p.q, 0), 0); /* arms 2, which the next ACK acknowledges */
	ack(&p, 4);
	assert_int_equal(irn->transmit(&p.q, 0), 4);
	assert_int_equal(irn->transmit(&p.q, 0), 5);
	assert_silent(&p);
	close_pair(&p);

	open_pair(&p, 12); /* nor is what was armed sent when it has arrived, and nothing is known above */
	send_all(&p, 0, 12);
	nack(&p, 0, 1);
	nack(&p, 0, 3);
	assert_int_equal(irn->transmit(&p.q, 0), 0); /* arms 2 */
	ack(&p, 4);
	assert_silent(&p);
	close_pair(&p);

	open_pair(&p, 12); /* and it is not in the way of the next NACK */
	send_all(&p, 0, 12);
	nack(&p, 0, 1);
	nack(&p, 0, 3);
	assert_int_equal(irn->transmit(&p.q, 0), 0);
	ack(&p, 4);
	nack(&p, 4, 6);
	assert_int_equal(irn->transmit(&p.q, 0), NO_PACKET);
	assert_int_equal(irn->transmit(&p.q, 0), 4);
	assert_int_equal(irn->transmit(&p.q, 0), 5);
	close_pair(&p);
}

/* Rule 5 of the authors' hardware: the new cumulative hole is resent unless it has been. */
static void acked__partial_hls(void **state)
{
	struct pair p;

	set_rule(irn, true);
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
	set_rule(irn, false);
}

/* Without SACK: the first packet missing, and the next one when a partial acknowledgement names it. */
static void nosack__one_at_a_time(void **state)
{
	struct pair p;

	set_rule(&recovery_irn_nosack, false);
	open_pair(&p, 12);
	send_all(&p, 0, 9);
	nack(&p, 0, 2);
	nack(&p, 0, 5);
	nack(&p, 0, 8);
	assert_int_equal(irn->transmit(&p.q, 0), 0); /* 1, 3, 4, 6 and 7 are lost too */
	send_all(&p, 9, 10);
	nack(&p, 0, 9);
	send_all(&p, 10, 11);
	ack(&p, 1);
	assert_int_equal(irn->transmit(&p.q, 0), 1);
	send_all(&p, 11, 12);
	ack(&p, 3);
	assert_int_equal(irn->transmit(&p.q, 0), 3);
	assert_silent(&p);
	ack(&p, 4);
	assert_int_equal(irn->transmit(&p.q, 0), 4);
	p.q.rto = RTO_HIGH; /* lost again: the timer */
	assert_true(irn->timeout(&p.q));
	assert_int_equal(irn->transmit(&p.q, 0), 4);
	ack(&p, 12);
	assert_silent(&p);
	close_pair(&p);
	set_rule(&recovery_irn, false);
}

static void acked_at(struct pair *p, u64 now, u32 cum)
{
	irn->acked(&p->q, &(struct ack_event){ .now = now, .cum = cum, .sack = cum });
}

/* rto=dynamic: RFC 6298 by its formulas, in us: R = 200; then R = 200; then R = 40. Not below rto_low. */
static void rto__dynamic(void **state)
{
	struct irn_params *own = (struct irn_params *)par.own;
	u64 us = PS_PER_US, now = 0;
	struct pair p;

	own->dynamic = true;
	open_pair(&p, 200);
	assert_true(irn->rto(&p.q) == RTO_HIGH); /* nothing measured */
	irn->transmit(&p.q, 0);
	irn->transmit(&p.q, 50 * us); /* one at a time: not timed */
	acked_at(&p, 200 * us, 1);
	assert_true(irn->rto(&p.q) == 600 * us); /* SRTT 200, RTTVAR 100 */
	acked_at(&p, 210 * us, 2);
	assert_true(irn->rto(&p.q) == 600 * us);
	irn->transmit(&p.q, 300 * us);
	acked_at(&p, 500 * us, 3);
	assert_true(irn->rto(&p.q) == 500 * us); /* 200, 75 */
	for (u32 n = 3; n < 8; n++)
		irn->transmit(&p.q, 600 * us);
	p.q.rto = RTO_LOW;
	assert_true(irn->timeout(&p.q)); /* always a loss, however many are in flight */
	assert_true(irn->rto(&p.q) == 1000 * us);
	assert_int_equal(irn->transmit(&p.q, 900 * us), 3);
	acked_at(&p, 910 * us, 4); /* Karn: 3 was timed and has been resent */
	assert_true(irn->rto(&p.q) == 1000 * us);
	acked_at(&p, 910 * us, 8);
	irn->transmit(&p.q, 1000 * us);
	irn->acked(&p.q, &(struct ack_event){ .now = 1040 * us, .cum = 8, .nack = true, .sack = 8 });
	assert_true(irn->rto(&p.q) == (180 + 4 * (75 * 3 + 160) / 4) * us); /* SACK measures; no more doubling */
	acked_at(&p, 1040 * us, 9);
	for (now = 2000 * us; p.q.una < 100; now += 100 * us) {
		u32 n = irn->transmit(&p.q, now);

		acked_at(&p, now + 10 * us, n + 1);
	}
	assert_true(irn->rto(&p.q) == RTO_LOW);
	for (u32 i = 1; i < 10; i++) {
		irn->transmit(&p.q, now);
		irn->timeout(&p.q);
		assert_true(irn->rto(&p.q) == RTO_LOW << (i < 6 ? i : 6));
	}
	close_pair(&p);
	own->dynamic = false;
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

	open_pair(&p, 5);
	send_all(&p, 0, 3);
	p.q.rto = irn->rto(&p.q);
	send_all(&p, 3, 4);
	assert_false(irn->timeout(&p.q));
	send_all(&p, 4, 5); /* nothing was resent */
	p.q.rto = RTO_HIGH;
	assert_true(irn->timeout(&p.q));
	assert_int_equal(irn->transmit(&p.q, 0), 0);
	ack(&p, 2);
	assert_silent(&p); /* partial: nothing says that 2 is lost */
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
	u32 cap = par.cap;

	for (u32 variant = 0; variant < 3; variant++) {
		u64 retransmissions = 0, timeouts = 0;

		set_rule(variant == 2 ? &recovery_irn_nosack : &recovery_irn, variant == 1);
		for (u64 seed = 0; seed < 2000; seed++) {
			run_wild(&w, seed);
			retransmissions += w.retransmissions;
			timeouts += w.timeouts;
		}
		assert_true(retransmissions > 25000 && timeouts > 2500);
	}
	set_rule(&recovery_irn, false);
	par.cap = cap;
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
	assert_silent(&p);
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
		cmocka_unit_test(receive__messages),
		cmocka_unit_test(receive__messages_always),
		cmocka_unit_test(receive__beyond_the_bitmap),
		cmocka_unit_test(transmit__example),
		cmocka_unit_test(transmit__example_interleaved),
		cmocka_unit_test(transmit__hole_after_new),
		cmocka_unit_test(acked__entry),
		cmocka_unit_test(acked__exit),
		cmocka_unit_test(acked__partial_paper),
		cmocka_unit_test(acked__partial_hls),
		cmocka_unit_test(nosack__one_at_a_time),
		cmocka_unit_test(rto__dynamic),
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
