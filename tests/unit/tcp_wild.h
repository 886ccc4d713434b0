/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both ends of an iWARP connection without a NIC, and a wild channel between them. For test_recovery_iwarp.c alone. */
#include "tests/unit/unit.h"

#include "agent/recovery/iwarp_impl.h"

#define RTO 320000000ULL

static const struct recovery_ops *const iwarp = &recovery_iwarp;
static struct recovery_params par;

struct pair {
	struct sqp q;
	struct rqp r;
};

static void open_pair(struct pair *p, u32 packets)
{
	memset(p, 0, sizeof(*p));
	p->q.par = p->r.par = &par;
	p->q.n_packets = p->q.limit = p->r.n_packets = packets;
	p->q.window = NO_LIMIT;
	p->q.armed = TIME_NEVER;
	assert_int_equal(iwarp->open(&p->q), 0);
	assert_int_equal(iwarp->open_receiver(&p->r), 0);
}

static void close_pair(struct pair *p)
{
	bitmap_free(&p->q.sacked);
	bitmap_free(&p->r.got);
	bitmap_free(&p->r.last);
}

static struct reply receive(struct pair *p, u32 n, bool last)
{
	struct data_event d = { .n = n, .last = last };
	struct reply reply;

	memset(&reply, 0xee, sizeof(reply));
	iwarp->receive(&p->r, &d, &reply);
	assert_int_equal(reply.kind, REPLY_ACK);
	assert_int_equal(reply.psn, p->r.expected - 1);
	return reply;
}

/* An answer on its way back. */
struct answer {
	u32 cum;
	struct reply reply;
};

/* A channel that loses, repeats and reorders, and what is known of every packet. */
struct wild {
	struct pair p;
	struct rng rng;
	u64 now;
	u64 loss, repeat, depth; /* one in so many lost, repeated; how far one may overtake */
	u32 data[8192], n_data;
	struct answer back[8192];
	u32 n_back;
	u8 delivered[512], acked[512], sacked[512];
	u32 in_order; /* packets the application has */
	u32 retransmissions, timeouts;
};

static u32 copies(struct wild *w)
{
	return one_in(&w->rng, w->loss) ? 0 : one_in(&w->rng, w->repeat) ? 2 : 1;
}

static u32 pick(struct wild *w, u32 n)
{
	return rng_below(&w->rng, n < w->depth ? n : w->depth);
}

/* Nothing acknowledged is sent again, by SACK since the last time-out; nothing beyond window or limit. */
static void step_transmit(struct wild *w)
{
	struct sqp *q = &w->p.q;
	u32 next = q->next, n = iwarp->transmit(q, w->now);

	assert_true(n >= q->una && n <= next && n < q->limit && q->next == next + (n == next));
	assert_true(q->next - q->una <= par.cap);
	assert_false(w->acked[n] || w->sacked[n]);
	w->retransmissions += n < next;
	for (u32 i = copies(w); i; i--) {
		assert_true(w->n_data < 8192);
		w->data[w->n_data++] = n;
	}
}

/* Every block is what has arrived, whole, beyond a hole; none twice; the first has the packet, if it is ahead. */
static void check_blocks(const struct wild *w, const struct reply *a, u32 n)
{
	const struct rqp *r = &w->p.r;

	assert_true(a->n_ranges <= RANGES_MAX);
	for (u32 i = 0; i < a->n_ranges; i++) {
		const struct range *b = &a->ranges[i];

		assert_true(b->from > r->expected && b->from < b->to && b->to <= r->n_packets);
		assert_null(memchr(w->delivered + b->from, 0, b->to - b->from));
		assert_false(w->delivered[b->from - 1] || (b->to < r->n_packets && w->delivered[b->to]));
		for (u32 j = 0; j < i; j++)
			assert_int_not_equal(a->ranges[j].from, b->from);
	}
	if (n > r->expected)
		assert_true(a->n_ranges && a->ranges[0].from <= n && n < a->ranges[0].to);
}

static void step_data(struct wild *w)
{
	u32 at = pick(w, w->n_data), n = w->data[at];
	struct rqp *r = &w->p.r;
	struct answer back;

	memmove(w->data + at, w->data + at + 1, (--w->n_data - at) * sizeof(u32));
	back.reply = receive(&w->p, n, n % 7 == 6 || n + 1 == r->n_packets);
	back.cum = r->expected;
	assert_int_equal(back.reply.is_new, !w->delivered[n]);
	w->delivered[n] = 1;
	for (; w->in_order < r->expected; w->in_order++)
		assert_true(w->delivered[w->in_order]);
	check_blocks(w, &back.reply, n);
	assert_int_equal(r->msn, r->expected == r->n_packets ? (r->n_packets + 6) / 7 : r->expected / 7);
	for (u32 i = copies(w); i; i--) {
		assert_true(w->n_back < 8192);
		w->back[w->n_back++] = back;
	}
}

static void step_ack(struct wild *w)
{
	u32 at = pick(w, w->n_back), una = w->p.q.una;
	struct answer back = w->back[at];
	struct ack_event a = { .now = w->now, .cum = back.cum > una ? back.cum : una };

	memmove(w->back + at, w->back + at + 1, (--w->n_back - at) * sizeof(back));
	a.n_ranges = back.reply.n_ranges;
	memcpy(a.ranges, back.reply.ranges, sizeof(a.ranges));
	memset(w->acked, 1, a.cum);
	for (u32 i = 0; i < a.n_ranges; i++)
		memset(w->sacked + a.ranges[i].from, 1, a.ranges[i].to - a.ranges[i].from);
	iwarp->acked(&w->p.q, &a);
	assert_int_equal(w->p.q.una, a.cum);
}

static void step_timeout(struct wild *w)
{
	struct sqp *q = &w->p.q;
	u64 rto = iwarp->rto(q);

	assert_true(rto >= RTO);
	assert_true(iwarp->timeout(q));
	assert_true(iwarp->rto(q) >= rto && iwarp->rto(q) <= 2 * rto);
	assert_true(iwarp->wants(q));
	memset(w->sacked, 0, sizeof(w->sacked));
	w->timeouts++;
}

static void open_wild(struct wild *w, u64 seed)
{
	memset(w, 0, sizeof(*w));
	w->rng.state = seed;
	par = (struct recovery_params){ .cap = 1 + rng_below(&w->rng, 150), .rto_high = RTO, .timeouts = true };
	((struct iwarp_params *)par.own)->init_window = 1 + rng_below(&w->rng, 20);
	w->loss = 2 + rng_below(&w->rng, 100);
	w->repeat = 2 + rng_below(&w->rng, 60);
	w->depth = 1 + rng_below(&w->rng, 12);
	open_pair(&w->p, 1 + rng_below(&w->rng, 400));
	w->p.q.limit = 1 + rng_below(&w->rng, w->p.q.n_packets);
}

/* Until all is acknowledged; the limit, READ's, rises now and then. */
static void run_wild(struct wild *w, u64 seed)
{
	struct sqp *q = &w->p.q;

	open_wild(w, seed);
	while (q->una < q->n_packets) {
		bool idle = !iwarp->wants(q) && !w->n_data && !w->n_back;

		assert_true(w->now++ < 1000000);
		if (q->limit < q->n_packets && one_in(&w->rng, 100))
			q->limit += 1 + rng_below(&w->rng, q->n_packets - q->limit);
		if (q->una < q->next && (idle || one_in(&w->rng, 500)))
			step_timeout(w);
		if (iwarp->wants(q) && one_in(&w->rng, 2))
			step_transmit(w);
		if (w->n_data && one_in(&w->rng, 2))
			step_data(w);
		if (w->n_back && one_in(&w->rng, 2))
			step_ack(w);
	}
	assert_true(w->p.r.received == q->n_packets && w->in_order == q->n_packets && q->next == q->n_packets);
	assert_null(memchr(w->delivered, 0, q->n_packets));
	assert_false(iwarp->wants(q));
	close_pair(&w->p);
}
