// SPDX-License-Identifier: GPL-2.0-or-later
/* Go-back-N: the responder's table (REFERENCE 2.2), the requester's rules (2.3), and both over a lossy channel. */
#include "tests/unit/unit.h"

#include "agent/packet/psn.h"
#include "agent/recovery/gbn_impl.h"

#define RTO 320000000ULL

static const struct recovery_ops *const gbn = &recovery_gbn;
static const struct recovery_params par = {
	.cap = PSN_WINDOW_MAX - 1, .rto_high = RTO, .rto_low = RTO / 3, .rto_n = 3, .timeouts = true
};

static struct sqp requester(u32 packets)
{
	struct sqp q = { .par = &par, .n_packets = packets, .limit = packets, .window = NO_LIMIT, .armed = TIME_NEVER };

	assert_int_equal(gbn->open(&q), 0);
	return q;
}

static struct reply receive(struct rqp *r, u32 n, bool last, bool ack_req)
{
	struct data_event d = { .n = n, .last = last, .ack_req = ack_req };
	struct reply reply;

	memset(&reply, 0xee, sizeof(reply));
	gbn->receive(r, &d, &reply);
	return reply;
}

static void ack(struct sqp *q, u32 cum, bool nack)
{
	gbn->acked(q, &(struct ack_event){ .cum = cum, .nack = nack, .sack = cum });
}

static void send_all(struct sqp *q, u32 first, u32 end)
{
	for (u32 n = first; n < end; n++) {
		assert_true(gbn->wants(q));
		assert_int_equal(gbn->transmit(q, 0), n);
	}
}

static void receive__in_order(void **state)
{
	struct rqp r = { .n_packets = 4 };
	struct reply a;

	for (u32 n = 0; n < 4; n++) {
		a = receive(&r, n, n == 1 || n == 3, true);
		assert_int_equal(a.kind, REPLY_ACK);
		assert_int_equal(a.psn, n);
		assert_true(a.is_new);
		assert_int_equal(r.msn, (n + 1) / 2);
		assert_int_equal(r.expected, n + 1);
	}
	assert_int_equal(r.received, 4);
}

/* Without AckReq no answer: one ACK speaks for all before it. */
static void receive__coalesces(void **state)
{
	struct rqp r = { .n_packets = 9 };

	for (u32 n = 0; n < 9; n++) {
		struct reply a = receive(&r, n, n == 8, n % 4 == 3 || n == 8);

		assert_true(a.is_new);
		assert_int_equal(a.kind, n % 4 == 3 || n == 8 ? REPLY_ACK : REPLY_NONE);
		if (a.kind == REPLY_ACK)
			assert_int_equal(a.psn, n);
	}
	assert_int_equal(r.received, 9);
	assert_int_equal(r.msn, 1);
}

/* One NAK until the expected packet comes; what is out of order is dropped. */
static void receive__one_nak(void **state)
{
	struct rqp r = { .n_packets = 20 };
	struct reply a;

	receive(&r, 0, false, true);
	a = receive(&r, 2, true, true);
	assert_true(a.kind == REPLY_NAK && a.psn == 1 && !a.is_new);
	for (u32 n = 3; n < 20; n++) {
		a = receive(&r, n, true, true);
		assert_true(a.kind == REPLY_NONE && !a.is_new);
	}
	assert_true(r.expected == 1 && r.received == 1 && !r.msn);
	a = receive(&r, 0, false, true); /* a duplicate does not lift the silence */
	assert_int_equal(a.kind, REPLY_ACK);
	assert_int_equal(receive(&r, 4, false, true).kind, REPLY_NONE);
	a = receive(&r, 1, false, true);
	assert_true(a.kind == REPLY_ACK && a.psn == 1 && a.is_new);
	a = receive(&r, 3, false, true); /* 2 was not kept */
	assert_true(a.kind == REPLY_NAK && a.psn == 2);
}

/* Even one without AckReq lifts it. */
static void receive__nak_again_after_progress(void **state)
{
	struct rqp r = { .n_packets = 9 };

	assert_int_equal(receive(&r, 1, false, false).kind, REPLY_NAK);
	assert_int_equal(receive(&r, 0, false, false).kind, REPLY_NONE);
	assert_int_equal(receive(&r, 2, false, false).kind, REPLY_NAK);
}

/* C9-105: a duplicate is dropped and answered with the last packet in order, AckReq or not. */
static void receive__duplicate(void **state)
{
	struct rqp r = { .n_packets = 8 };
	struct reply a;

	for (u32 n = 0; n < 5; n++)
		receive(&r, n, true, false);
	for (u32 n = 0; n < 5; n++) {
		a = receive(&r, n, true, n % 2);
		assert_true(a.kind == REPLY_ACK && a.psn == 4 && !a.is_new);
	}
	assert_true(r.expected == 5 && r.received == 5 && r.msn == 5);
}

static void transmit__in_order(void **state)
{
	struct sqp q = requester(5);

	send_all(&q, 0, 5);
	assert_false(gbn->wants(&q));
	assert_int_equal(gbn->transmit(&q, 0), NO_PACKET);
	assert_int_equal(q.next, 5);
	ack(&q, 3, false);
	assert_int_equal(q.una, 3);
	assert_false(gbn->wants(&q));
	ack(&q, 2, false); /* an old one */
	assert_int_equal(q.una, 3);
}

static void acked__nak_goes_back(void **state)
{
	struct sqp q = requester(10);

	send_all(&q, 0, 8);
	ack(&q, 3, true); /* acknowledges 0..2 as well */
	assert_int_equal(q.una, 3);
	assert_int_equal(q.next, 8);
	send_all(&q, 3, 10);
	assert_int_equal(q.next, 10);
}

/* ACKs that overtake the resending move it on, never back. */
static void acked__while_resending(void **state)
{
	struct sqp q = requester(10);

	send_all(&q, 0, 8);
	ack(&q, 2, true);
	send_all(&q, 2, 4);
	ack(&q, 7, false);
	send_all(&q, 7, 8);
	ack(&q, 8, false);
	send_all(&q, 8, 10);
	assert_false(gbn->wants(&q));
}

static void timeout__goes_back(void **state)
{
	struct sqp q = requester(6);

	send_all(&q, 0, 6);
	ack(&q, 4, false);
	assert_true(gbn->rto(&q) == RTO);
	assert_true(gbn->timeout(&q));
	send_all(&q, 4, 6);
	assert_false(gbn->wants(&q));
	assert_true(gbn->timeout(&q)); /* and again: no limit of retries */
	send_all(&q, 4, 6);
	assert_int_equal(q.next, 6);
	assert_true(gbn->rto(&q) == RTO);
}

/* No more outstanding than a 24-bit PSN tells apart. */
static void transmit__window(void **state)
{
	struct sqp q = requester(1 << 25);
	u32 sent = 0;

	while (gbn->wants(&q))
		assert_int_equal(gbn->transmit(&q, 0), sent++);
	assert_int_equal(gbn->transmit(&q, 0), NO_PACKET);
	assert_in_range(sent, PSN_WINDOW_MAX - 1, PSN_WINDOW_MAX);
	assert_int_equal(psn_diff(psn_add(9, sent - 1), 9), sent - 1); /* the newest still reads as later */
	ack(&q, 10, false);
	for (u32 n = 0; n < 10; n++)
		assert_int_equal(gbn->transmit(&q, 0), sent + n);
	assert_false(gbn->wants(&q));
}

/* Congestion control's window, and what READ requests have asked for so far, hold it back; nothing else changes. */
static void transmit__limits(void **state)
{
	struct sqp q = requester(20);

	q.limit = 6;
	q.window = 4;
	send_all(&q, 0, 4);
	assert_false(gbn->wants(&q));
	ack(&q, 1, false);
	send_all(&q, 4, 5);
	assert_false(gbn->wants(&q));
	q.window = NO_LIMIT;
	send_all(&q, 5, 6);
	assert_false(gbn->wants(&q));
	q.limit = 20;
	send_all(&q, 6, 20);
	gbn->rewind(&q);
	send_all(&q, 1, 20);
}

/* How many packets it would have in flight now. */
static u32 flight(struct sqp *q)
{
	while (gbn->wants(q))
		gbn->transmit(q, 0);
	return q->next - q->una;
}

/* Back-off: 16, halved at a loss, once per window; a packet more per window acknowledged; never below 1 or above 16. */
static void backoff__halves(void **state)
{
	struct recovery_params with_backoff = {
		.cap = PSN_WINDOW_MAX - 1, .rto_high = RTO, .rto_low = RTO / 3, .timeouts = true, .bdp = 16
	};
	struct sqp q = requester(10000);

	((struct gbn_params *)with_backoff.own)->backoff = true;
	q.par = &with_backoff;
	gbn->open(&q);
	assert_int_equal(flight(&q), 16);
	ack(&q, 4, true); /* 4..15 again: 8 of them may be in flight */
	q.next = 4;       /* to see what may be sent */
	assert_int_equal(flight(&q), 8);
	ack(&q, 6, true); /* the same window: no second halving, but it grows by 2/8 */
	assert_int_equal(flight(&q), 8);
	for (u32 i = 0; i < 4; i++) /* 2/8.25 + 2/8.49 + 2/8.73 + 2/8.96 more make 9 */
		ack(&q, q.una + 2, false), flight(&q);
	assert_int_equal(flight(&q), 9);
	for (u32 i = 0; i < 200; i++)
		ack(&q, q.una + 1, false), flight(&q);
	assert_int_equal(flight(&q), 16);
	for (u32 i = 0; i < 8; i++) { /* a loss in each window */
		ack(&q, q.next, false);
		flight(&q);
		assert_true(gbn->timeout(&q));
	}
	/* each acknowledged window is of before its halving, and gives two packets back: (w + 2) / 2 settles at 2 */
	ack(&q, q.next, false);
	assert_in_range(flight(&q), 2, 4);
}

/* With a congestion control that can back off, it does, as often: no window of ours. */
static void backoff__of_cc(void **state)
{
	struct recovery_params with_cc = {
		.cap = 100, .rto_high = RTO, .rto_low = RTO, .bdp = 16, .cc_backs_off = true
	};
	struct sqp q = requester(10000);

	((struct gbn_params *)with_cc.own)->backoff = true;
	q.par = &with_cc;
	gbn->open(&q);
	assert_int_equal(flight(&q), 100);
	ack(&q, 4, true);
	assert_int_equal(q.backoffs, 1);
	assert_int_equal(flight(&q), 100);
	ack(&q, 6, true); /* of the same window: 4..99 were out */
	ack(&q, 99, true);
	assert_int_equal(q.backoffs, 1);
	flight(&q);
	ack(&q, 104, true);
	assert_int_equal(q.backoffs, 2);
	flight(&q);
	gbn->timeout(&q); /* still of that window */
	assert_int_equal(q.backoffs, 2);
	ack(&q, 204, false);
	flight(&q);
	gbn->timeout(&q);
	assert_int_equal(q.backoffs, 3);
	((struct gbn_params *)with_cc.own)->backoff = false;
	ack(&q, 304, true);
	assert_int_equal(q.backoffs, 3);
}

/* IRN with go-back-N: IRN's cap and times, RoCE's receiver. */
static void irn_gbn__timer(void **state)
{
	static const struct recovery_params irn_par = {
		.cap = 5, .rto_high = RTO, .rto_low = RTO / 3, .rto_n = 3, .timeouts = true
	};
	const struct recovery_ops *ops = &recovery_irn_gbn;
	struct sqp q = requester(20);

	q.par = &irn_par;
	assert_true(ops->restart_on_send && ops->acks == ACK_RC);
	for (u32 n = 0; n < 3; n++)
		assert_int_equal(ops->transmit(&q, 0), n);
	assert_true(ops->rto(&q) == RTO / 3);
	q.rto = RTO / 3;
	assert_int_equal(ops->transmit(&q, 0), 3);
	assert_true(ops->rto(&q) == RTO);
	assert_false(ops->timeout(&q)); /* started when few were in flight */
	assert_int_equal(ops->transmit(&q, 0), 4);
	assert_int_equal(ops->transmit(&q, 0), NO_PACKET);
	q.rto = RTO;
	assert_true(ops->timeout(&q));
	assert_int_equal(ops->transmit(&q, 0), 0);
}

/* A channel that keeps the order and loses packets either way; the timer heals what NAKs do not. */
static void lossy__delivers(u64 seed, u32 *retransmitted)
{
	struct rng rng = { .state = seed };
	u32 packets = 1 + rng_below(&rng, 200), every = 1 + rng_below(&rng, 8), loss = 2 + rng_below(&rng, 30),
	    turns = 0;
	struct sqp q = requester(packets);
	struct rqp r = { .n_packets = packets };
	struct reply back[4096];
	u32 head = 0, tail = 0, delivered = 0;

	while (q.una < packets) {
		struct reply a;
		u32 n;

		assert_true(turns++ < 2000000);
		if (head < tail && (one_in(&rng, 3) || !gbn->wants(&q))) {
			a = back[head++ & 4095];
			n = a.psn + (a.kind == REPLY_ACK);
			if (a.kind == REPLY_ACK || n >= q.una) /* as the NIC filters old NAKs */
				ack(&q, n > q.una ? n : q.una, a.kind == REPLY_NAK);
			continue;
		}
		if (!gbn->wants(&q)) {
			assert_true(gbn->timeout(&q));
			continue;
		}
		n = q.next;
		a.psn = gbn->transmit(&q, 0);
		assert_true(a.psn <= n && a.psn >= q.una && q.next <= n + 1);
		*retransmitted += a.psn < n;
		if (one_in(&rng, loss))
			continue;
		a = receive(&r, a.psn, a.psn == packets - 1, a.psn % every == 0 || a.psn == packets - 1);
		delivered += a.is_new;
		if (a.kind != REPLY_NONE && !one_in(&rng, loss))
			back[tail++ & 4095] = a;
		assert_true(tail - head < 4096);
	}
	assert_true(delivered == packets && r.received == packets && r.expected == packets && r.msn == 1);
}

static void lossy__always(void **state)
{
	u32 retransmitted = 0;

	for (u64 seed = 0; seed < 2000; seed++)
		lossy__delivers(seed, &retransmitted);
	assert_true(retransmitted > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {

		cmocka_unit_test(receive__in_order),    cmocka_unit_test(receive__coalesces),
		cmocka_unit_test(receive__one_nak),     cmocka_unit_test(receive__nak_again_after_progress),
		cmocka_unit_test(receive__duplicate),   cmocka_unit_test(transmit__in_order),
		cmocka_unit_test(acked__nak_goes_back), cmocka_unit_test(acked__while_resending),
		cmocka_unit_test(timeout__goes_back),   cmocka_unit_test(transmit__window),
		cmocka_unit_test(transmit__limits),     cmocka_unit_test(backoff__halves),
		cmocka_unit_test(backoff__of_cc),       cmocka_unit_test(irn_gbn__timer),
		cmocka_unit_test(lossy__always),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
