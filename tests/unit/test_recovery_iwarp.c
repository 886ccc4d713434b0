// SPDX-License-Identifier: GPL-2.0-or-later
/* iWARP's TCP: each rule by hand, the receiver's SACK blocks, and both ends over a wild channel. */
#include "tests/unit/tcp_wild.h"

static void ack_at(struct pair *p, u64 now, u32 cum)
{
	iwarp->acked(&p->q, &(struct ack_event){ .now = now, .cum = cum });
}

static void ack(struct pair *p, u32 cum)
{
	ack_at(p, 0, cum);
}

/* As the receiver answers: all of from .. to-1 is a block. */
static void sack_at(struct pair *p, u64 now, u32 cum, u32 from, u32 to)
{
	iwarp->acked(&p->q, &(struct ack_event){ .now = now, .cum = cum, .n_ranges = 1, .ranges = { { from, to } } });
}

static void sack(struct pair *p, u32 cum, u32 from, u32 to)
{
	sack_at(p, 0, cum, from, to);
}

/* An acknowledgement for each packet. */
static void ack_each(struct pair *p, u32 first, u32 end)
{
	for (u32 n = first; n < end; n++)
		ack(p, n + 1);
}

/* ... for each of a run beyond a hole. */
static void sack_each(struct pair *p, u32 cum, u32 first, u32 end)
{
	for (u32 n = first; n < end; n++)
		sack(p, cum, n, n + 1);
}

static void send_at(struct pair *p, u64 now, u32 n)
{
	assert_true(iwarp->wants(&p->q));
	assert_int_equal(iwarp->transmit(&p->q, now), n);
}

static void send_all(struct pair *p, u32 first, u32 end)
{
	for (u32 n = first; n < end; n++)
		send_at(p, 0, n);
}

static void assert_silent(struct pair *p)
{
	assert_false(iwarp->wants(&p->q));
	assert_int_equal(iwarp->transmit(&p->q, 0), NO_PACKET);
}

/* What cwnd allows, and no more. */
static void sends(struct pair *p, u32 first, u32 end)
{
	send_all(p, first, end);
	assert_silent(p);
}

static void start(struct pair *p, u32 window, u32 packets)
{
	par = (struct recovery_params){ .cap = 1000, .rto_high = RTO, .timeouts = true };
	((struct iwarp_params *)par.own)->init_window = window;
	open_pair(p, packets);
	sends(p, 0, window < packets ? window : packets);
}

/* RFC 6928 and RFC 5681, equation 2: 10, then two for each acknowledgement, 20, 40. */
static void acked__slow_start(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	for (u32 n = 0; n < 30; n++) {
		ack(&p, n + 1);
		sends(&p, 10 + 2 * n, 12 + 2 * n);
	}
	assert_int_equal(p.q.next - p.q.una, 40);
	ack(&p, 70); /* one segment per acknowledgement, whatever it covers: 41 */
	sends(&p, 70, 111);
	close_pair(&p);
}

/* Acknowledgements come faster than the port sends: cwnd still doubles. */
static void acked__slow_start_behind_the_port(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	for (u32 n = 0; n < 10; n++) {
		ack(&p, n + 1);
		send_all(&p, 10 + n, 11 + n);
	}
	sends(&p, 20, 30);
	close_pair(&p);
}

/* After a loss at 20: cwnd 10 = ssthresh, all of it out, 20 to 29; nothing acknowledged since it last grew. */
static void start_avoidance(struct pair *p)
{
	start(p, 20, 1000);
	sack_each(p, 0, 1, 4);
	send_all(p, 0, 1);
	ack(p, 20);
	sends(p, 20, 30);
}

/* One more for each window. */
static void acked__congestion_avoidance(void **state)
{
	struct pair p;
	u32 una = 20, next = 30;

	start_avoidance(&p);
	for (u32 cwnd = 10; cwnd < 14; cwnd++) {
		for (u32 n = 0; n < cwnd; n++) {
			ack(&p, ++una);
			sends(&p, next, next + 1 + (n == cwnd - 1));
			next += 1 + (n == cwnd - 1);
		}
	}
	assert_int_equal(next - una, 14);
	close_pair(&p);
}

/* Every segment counts, however few acknowledgements say so, and what is over counts for the next. */
static void acked__congestion_avoidance_in_strides(void **state)
{
	struct pair p;

	start_avoidance(&p);
	ack(&p, 26);
	sends(&p, 30, 36);
	ack(&p, 32); /* 12 */
	sends(&p, 36, 43);
	ack(&p, 38);
	sends(&p, 43, 49);
	ack(&p, 41); /* 2 + 6 + 3 = 11 */
	sends(&p, 49, 53);
	close_pair(&p);
}

/* A loss and a time-out begin the count anew. */
static void acked__congestion_avoidance_anew(void **state)
{
	struct pair p;

	start_avoidance(&p);
	ack_each(&p, 20, 29);
	sends(&p, 30, 39);
	sack_each(&p, 29, 30, 33);
	send_all(&p, 29, 30);
	ack(&p, 39);
	sends(&p, 39, 44);
	ack_each(&p, 39, 43);
	sends(&p, 44, 48);
	ack(&p, 44);
	sends(&p, 48, 50); /* 6 */
	ack_each(&p, 44, 49);
	sends(&p, 50, 55);
	assert_true(iwarp->timeout(&p.q));
	send_all(&p, 49, 50);
	ack(&p, 55); /* cwnd 2 of 3 */
	sends(&p, 55, 57);
	ack(&p, 56);
	sends(&p, 57, 59);
	ack_each(&p, 56, 58);
	sends(&p, 59, 61);
	ack(&p, 59);
	sends(&p, 61, 63); /* 4 */
	close_pair(&p);
}

/* With less than half of cwnd out, an acknowledgement does not let it grow. */
static void acked__unused_window(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	p.q.limit = 10;
	ack_each(&p, 0, 10); /* 10, 9, 8, 7 out of 10, 11, 12, 13; but then 6 out of 14 */
	for (u32 n = 10; n < 50; n++) {
		p.q.limit = n + 1;
		sends(&p, n, n + 1);
		ack(&p, n + 1);
	}
	p.q.limit = 1000;
	sends(&p, 50, 64);
	close_pair(&p);
}

/* Limited transmit: a new segment for each of the first two duplicates, the third resends; cwnd = 10 / 2. */
static void acked__one_loss(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	sack(&p, 0, 1, 2);
	sends(&p, 10, 11);
	sack(&p, 0, 1, 3);
	sends(&p, 11, 12);
	sack(&p, 0, 1, 4);
	sends(&p, 0, 1);
	for (u32 n = 4; n < 8; n++) { /* pipe from 9 to 5 */
		sack(&p, 0, 1, n + 1);
		assert_silent(&p);
	}
	for (u32 n = 8; n < 12; n++) {
		sack(&p, 0, 1, n + 1);
		sends(&p, n + 4, n + 5);
	}
	ack(&p, 12);
	sends(&p, 16, 17); /* out of recovery with 5 in flight */
	ack_each(&p, 12, 16);
	sends(&p, 17, 21);
	ack(&p, 17); /* the fifth */
	sends(&p, 21, 23);
	close_pair(&p);
}

/* 0, 2 and 5 of ten: one round trip, each resent once, cwnd halved once. */
static void acked__three_losses(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	sack(&p, 0, 1, 2);
	sends(&p, 10, 11);
	sack(&p, 0, 3, 4);
	sends(&p, 11, 12);
	sack(&p, 0, 3, 5);
	sends(&p, 0, 1);
	sack_each(&p, 0, 6, 8); /* 2 is lost now, but pipe is 7, 6 */
	assert_silent(&p);
	sack(&p, 0, 6, 9);
	sends(&p, 2, 3);
	sack(&p, 0, 6, 10);
	sends(&p, 5, 6);
	sack(&p, 0, 6, 11);
	sends(&p, 12, 13);
	ack(&p, 2); /* partial: 0 has arrived */
	sends(&p, 13, 14);
	ack(&p, 5);
	sends(&p, 14, 15);
	ack(&p, 11);
	sends(&p, 15, 16);
	ack(&p, 12);
	sends(&p, 16, 17);
	close_pair(&p);
}

/* One acknowledgement that says it all (the others were lost) is as good as three: IsLost(). */
static void acked__one_duplicate(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	sack(&p, 0, 2, 4);
	send_all(&p, 10, 12);
	sack(&p, 1, 2, 5); /* new and duplicate at once: a loss of 1 */
	send_at(&p, 0, 1);
	assert_silent(&p);
	close_pair(&p);
}

/* ssthresh is 2 at least: 3 / 2. */
static void acked__loss_in_a_small_window(void **state)
{
	struct pair p;

	start(&p, 3, 1000);
	sack(&p, 0, 1, 2);
	sends(&p, 3, 4);
	sack(&p, 0, 1, 3);
	sends(&p, 4, 5);
	sack(&p, 0, 1, 4);
	sends(&p, 0, 1);
	sack(&p, 0, 1, 5);
	sends(&p, 5, 6);
	close_pair(&p);
}

/* A duplicate is what SACKs something new: repetitions and bare acknowledgements are none. */
static void acked__no_duplicate(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	for (u32 i = 0; i < 5; i++)
		ack(&p, 0);
	assert_silent(&p);
	sack(&p, 0, 1, 3);
	sends(&p, 10, 12);
	for (u32 i = 0; i < 5; i++)
		sack(&p, 0, 1, 3);
	assert_silent(&p);
	close_pair(&p);
}

/* The first retransmission was not needed: it is acknowledged before the port had a turn for it. */
static void acked__reordered(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	sack(&p, 0, 1, 4);
	assert_true(iwarp->wants(&p.q));
	ack(&p, 4);
	assert_silent(&p); /* in recovery, cwnd 5: 4..9 is more */
	ack(&p, 6);
	sends(&p, 10, 11);
	close_pair(&p);
}

/* Rule (3): nothing new, a hole not known to be lost. */
static void transmit__last_resort(void **state)
{
	struct pair p;

	start(&p, 7, 7);
	sack_each(&p, 0, 1, 4);
	sends(&p, 0, 1);
	sack(&p, 0, 5, 6);
	assert_silent(&p); /* cwnd 3, pipe 3 */
	sack(&p, 0, 6, 7);
	sends(&p, 4, 5);
	close_pair(&p);
}

/* Rule (4): the last segment lost too, nothing SACKed above it. Once per recovery. */
static void transmit__rescue(void **state)
{
	struct pair p;

	start(&p, 12, 12);
	sack_each(&p, 0, 1, 4);
	sends(&p, 0, 1);
	sack_each(&p, 0, 4, 11);
	assert_silent(&p); /* not before the first retransmission is acknowledged */
	ack(&p, 11);
	sends(&p, 11, 12);
	ack(&p, 11);
	assert_silent(&p);
	ack(&p, 12);
	assert_silent(&p);
	close_pair(&p);
}

/* A lost retransmission is left to the timer. Then slow start from 1, and what is SACKed anew is not resent. */
static void timeout__slow_start(void **state)
{
	struct pair p;

	start(&p, 10, 1000); /* all but 5 lost */
	assert_true(iwarp->timeout(&p.q));
	sends(&p, 0, 1);
	sack(&p, 1, 5, 6);
	sends(&p, 1, 3);
	ack(&p, 2);
	sends(&p, 3, 5);
	ack(&p, 3);
	sends(&p, 6, 8);
	ack(&p, 4); /* cwnd 5 = ssthresh */
	sends(&p, 8, 10);
	ack(&p, 6);
	sends(&p, 10, 11);
	ack_each(&p, 6, 8); /* 2 + 2 acknowledged */
	sends(&p, 11, 13);
	ack(&p, 9); /* the fifth */
	sends(&p, 13, 15);
	close_pair(&p);
}

/* What was SACKed before a time-out counts no more. */
static void timeout__forgets(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	sack(&p, 0, 1, 10);
	send_all(&p, 0, 1); /* lost again */
	send_all(&p, 10, 14);
	assert_silent(&p);
	assert_true(iwarp->timeout(&p.q));
	sends(&p, 0, 1);
	sack(&p, 1, 2, 10); /* no recovery: cwnd 2, slow start goes on */
	send_at(&p, 0, 1);
	sends(&p, 10, 11);
	close_pair(&p);
}

/* No recovery begins until all from before the time-out, here 0 to 9, is acknowledged; then by the next duplicate. */
static void timeout__before_recovery(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	assert_true(iwarp->timeout(&p.q));
	sends(&p, 0, 1);
	ack(&p, 4); /* it was late, and so are the rest */
	sends(&p, 4, 6);
	ack(&p, 9);
	sends(&p, 9, 12); /* 10 is lost */
	for (u32 n = 11; n < 14; n++) {
		sack(&p, 9, 11, n + 1);
		sends(&p, n + 1, n + 2);
	}
	ack(&p, 10);
	sends(&p, 15, 18);
	sack(&p, 10, 11, 15);
	sends(&p, 10, 11);
	close_pair(&p);
}

/* RFC 5681, 3.1: ssthresh falls for a segment's first time-out only. */
static void timeout__holds_ssthresh(void **state)
{
	struct pair p;

	start(&p, 16, 1000);
	for (u32 i = 0; i < 3; i++) {
		iwarp->timeout(&p.q);
		sends(&p, 0, 1);
	}
	for (u32 n = 1; n < 8; n++) /* up to 8 by slow start */
		ack(&p, n);
	sends(&p, 7, 15);
	ack(&p, 8);
	sends(&p, 15, 16);    /* and no more */
	iwarp->timeout(&p.q); /* another: 8 / 2 */
	sends(&p, 8, 9);
	for (u32 n = 9; n < 12; n++)
		ack(&p, n);
	sends(&p, 11, 15);
	ack(&p, 12);
	sends(&p, 15, 16);
	close_pair(&p);
}

/* RFC 6298, 2.2 and 2.3: samples 8000, 8000, 16000, 1000 ps by hand; the floor. */
static void rto__by_hand(void **state)
{
	static const struct {
		u64 rtt, rto;
	} rows[] = { { 8000, 24000 }, { 8000, 20000 }, { 16000, 26000 }, { 1000, 28748 } };
	struct pair p;
	u64 now = 0;

	start(&p, 1, 1000);
	par.rto_high = 10000;
	assert_true(iwarp->rto(&p.q) == 10000);
	for (u32 i = 0; i < 4; i++) {
		ack_at(&p, now + rows[i].rtt, i + 1);
		assert_true(iwarp->rto(&p.q) == rows[i].rto);
		now += rows[i].rtt;
		send_at(&p, now, i + 1);
	}
	par.rto_high = 30000;
	assert_true(iwarp->rto(&p.q) == 30000);
	close_pair(&p);
}

/* One segment at a time; it is measured when it arrived, even if others before it did not. */
static void rto__one_at_a_time(void **state)
{
	struct pair p;

	par = (struct recovery_params){ .cap = 100, .rto_high = 100 };
	((struct iwarp_params *)par.own)->init_window = 10;
	open_pair(&p, 100);
	send_at(&p, 1000, 0);
	send_at(&p, 2000, 1);
	ack_at(&p, 3000, 1); /* 2000, rttvar 1000 */
	assert_true(iwarp->rto(&p.q) == 6000);
	ack_at(&p, 9000, 2); /* 1 was not timed */
	assert_true(iwarp->rto(&p.q) == 6000);
	send_at(&p, 10000, 2);
	send_at(&p, 10500, 3); /* lost */
	ack_at(&p, 12000, 3);
	assert_true(iwarp->rto(&p.q) == 5000); /* 2000 again: rttvar 750 */
	send_at(&p, 20000, 4);
	send_at(&p, 20001, 5);
	sack_at(&p, 21000, 3, 5, 6);
	assert_true(iwarp->rto(&p.q) == 5000);
	sack_at(&p, 22000, 3, 4, 6);
	assert_true(iwarp->rto(&p.q) == 4248); /* and again: 562 */
	ack_at(&p, 50000, 6);
	assert_true(iwarp->rto(&p.q) == 4248);
	close_pair(&p);
}

/* Karn: what was resent is not measured. */
static void rto__karn(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	sack(&p, 0, 1, 4);
	send_all(&p, 0, 1);
	ack_at(&p, 10 * RTO, 10);
	assert_true(iwarp->rto(&p.q) == RTO);
	send_at(&p, 20 * RTO, 10); /* the next new one is */
	ack_at(&p, 22 * RTO, 11);
	assert_true(iwarp->rto(&p.q) == 6 * RTO);
	send_at(&p, 23 * RTO, 11);
	send_at(&p, 23 * RTO, 12);
	iwarp->timeout(&p.q);
	ack_at(&p, 99 * RTO, 13); /* 11 was being measured, but what has it waited for? */
	assert_true(iwarp->rto(&p.q) == 12 * RTO);
	close_pair(&p);
}

/* Doubled for each time-out up to 64 times, and so until something new has been measured. */
static void rto__backoff(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	for (u32 i = 0; i < 9; i++) {
		assert_true(iwarp->rto(&p.q) == RTO << (i < 6 ? i : 6));
		iwarp->timeout(&p.q);
		send_at(&p, i, 0);
	}
	ack_at(&p, 100, 1);
	ack_at(&p, 101, 10);
	assert_true(iwarp->rto(&p.q) == 64 * RTO);
	send_at(&p, 102, 10);
	ack_at(&p, 103, 11);
	assert_true(iwarp->rto(&p.q) == RTO);
	close_pair(&p);
}

/* The receive window, congestion control's, and what may be sent so far bound new segments; holes are not bound. */
static void transmit__bounds(void **state)
{
	struct pair p;

	par = (struct recovery_params){ .cap = 12, .rto_high = RTO };
	((struct iwarp_params *)par.own)->init_window = 20;
	open_pair(&p, 1000);
	sends(&p, 0, 12);
	sack(&p, 0, 3, 12);
	sends(&p, 0, 3);
	ack(&p, 12);
	p.q.window = 4;
	sends(&p, 12, 16);
	p.q.window = NO_LIMIT;
	p.q.limit = 17;
	sends(&p, 16, 17);
	p.q.limit = 1000;
	sends(&p, 17, 18); /* cwnd is 6 */
	close_pair(&p);
}

/* Blocks that speak of nothing, or of too much, are cut; one that contradicts what comes after is taken back. */
static void acked__hostile(void **state)
{
	struct pair p;

	start(&p, 10, 1000);
	sack(&p, 0, 5, 5);
	sack(&p, 0, 9, 3);
	sack(&p, 0, 10, 4000000000U);
	sack(&p, 0, 0, 1);
	assert_silent(&p);
	sack(&p, 0, 0, 4000000000U); /* a loss of 0, all else has arrived */
	send_at(&p, 0, 0);
	sends(&p, 10, 14);
	ack(&p, 5); /* 5 has not */
	send_at(&p, 0, 5);
	close_pair(&p);
}

struct row {
	u32 n, expected, n_ranges;
	struct range ranges[RANGES_MAX];
};

static void check_rows(struct pair *p, const struct row *rows, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		struct reply a = receive(p, rows[i].n, rows[i].n % 2);

		assert_int_equal(p->r.expected, rows[i].expected);
		assert_int_equal(a.n_ranges, rows[i].n_ranges);
		assert_memory_equal(a.ranges, rows[i].ranges, a.n_ranges * sizeof(struct range));
	}
}

/* RFC 2018, section 4: the run of what has just arrived, then the latest others. */
static void receive__blocks(void **state)
{
	static const struct row rows[] = {
		{ 0, 1, 0, {} },
		{ 2, 1, 1, { { 2, 3 } } },
		{ 3, 1, 1, { { 2, 4 } } },           /* it grows */
		{ 6, 1, 2, { { 6, 7 }, { 2, 4 } } }, /* the latest first */
		{ 8, 1, 3, { { 8, 9 }, { 6, 7 }, { 2, 4 } } },
		{ 10, 1, 3, { { 10, 11 }, { 8, 9 }, { 6, 7 } } },
		{ 12, 1, 3, { { 12, 13 }, { 10, 11 }, { 8, 9 } } }, /* 2..3 is not even remembered now */
		{ 7, 1, 3, { { 6, 9 }, { 12, 13 }, { 10, 11 } } },  /* two grow into one */
		{ 10, 1, 3, { { 10, 11 }, { 6, 9 }, { 12, 13 } } }, /* a duplicate is the latest */
		{ 4, 1, 3, { { 2, 5 }, { 10, 11 }, { 6, 9 } } },    /* the lower part was forgotten */
		{ 0, 1, 3, { { 2, 5 }, { 10, 11 }, { 6, 9 } } },    /* a duplicate below: no block of its own */
		{ 1, 5, 3, { { 10, 11 }, { 6, 9 }, { 12, 13 } } },  /* the fourth comes up */
		{ 5, 9, 2, { { 10, 11 }, { 12, 13 } } },
		{ 9, 11, 1, { { 12, 13 } } },
		{ 11, 13, 0, {} },
	};
	struct pair p;

	par = (struct recovery_params){ .cap = 100 };
	open_pair(&p, 50);
	check_rows(&p, rows, sizeof(rows) / sizeof(rows[0]));
	assert_true(p.r.received == 13 && p.r.msn == 6);
	close_pair(&p);
}

/* Nothing beyond the window is kept; the last that fits is, and nothing aliases as the window slides. */
static void receive__window(void **state)
{
	struct pair p;

	par = (struct recovery_params){ .cap = 64 };
	open_pair(&p, 1000);
	for (u32 at = 0; at < 640; at += 64) {
		struct reply a = receive(&p, at + 64, false);

		assert_true(!a.is_new && !a.n_ranges);
		a = receive(&p, at + 63, false);
		assert_true(a.is_new && a.n_ranges == 1 && a.ranges[0].from == at + 63 && a.ranges[0].to == at + 64);
		assert_false(receive(&p, at + 63, false).is_new);
		for (u32 n = at; n < at + 63; n++)
			assert_true(receive(&p, n, false).is_new);
		assert_int_equal(p.r.expected, at + 64);
	}
	close_pair(&p);
}

static void wild__always(void **state)
{
	static struct wild w;
	u64 retransmissions = 0, timeouts = 0;

	for (u64 seed = 0; seed < 4000; seed++) {
		run_wild(&w, seed);
		retransmissions += w.retransmissions;
		timeouts += w.timeouts;
	}
	assert_true(retransmissions > 50000 && timeouts > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acked__slow_start),
		cmocka_unit_test(acked__slow_start_behind_the_port),
		cmocka_unit_test(acked__congestion_avoidance),
		cmocka_unit_test(acked__congestion_avoidance_in_strides),
		cmocka_unit_test(acked__congestion_avoidance_anew),
		cmocka_unit_test(acked__unused_window),
		cmocka_unit_test(acked__one_loss),
		cmocka_unit_test(acked__three_losses),
		cmocka_unit_test(acked__one_duplicate),
		cmocka_unit_test(acked__loss_in_a_small_window),
		cmocka_unit_test(acked__no_duplicate),
		cmocka_unit_test(acked__reordered),
		cmocka_unit_test(transmit__last_resort),
		cmocka_unit_test(transmit__rescue),
		cmocka_unit_test(timeout__slow_start),
		cmocka_unit_test(timeout__forgets),
		cmocka_unit_test(timeout__before_recovery),
		cmocka_unit_test(timeout__holds_ssthresh),
		cmocka_unit_test(rto__by_hand),
		cmocka_unit_test(rto__one_at_a_time),
		cmocka_unit_test(rto__karn),
		cmocka_unit_test(rto__backoff),
		cmocka_unit_test(transmit__bounds),
		cmocka_unit_test(acked__hostile),
		cmocka_unit_test(receive__blocks),
		cmocka_unit_test(receive__window),
		cmocka_unit_test(wild__always),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
