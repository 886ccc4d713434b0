/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both ends of an IRN connection without a NIC, and a wild channel between them. Included by test_recovery_irn.c alone.
 */
#include "tests/unit/unit.h"

#include "agent/recovery/irn_params.h"

#define RTO_HIGH 320000000ULL
#define RTO_LOW 100000000ULL

static const struct recovery_ops *irn = &recovery_irn;
static struct recovery_params par = {
	.cap = 20, .rto_high = RTO_HIGH, .rto_low = RTO_LOW, .rto_n = 3, .timeouts = true
};

struct pair {
	struct sqp q;
	struct rqp r;
};

static void open_pair(struct pair *p, u32 packets)
{
	memset(p, 0, sizeof(*p));
	p->q.par = &par;
	p->q.n_packets = p->q.limit = p->r.n_packets = packets;
	p->q.window = NO_LIMIT;
	p->r.par = &par;
	p->q.armed = TIME_NEVER;
	assert_int_equal(irn->open(&p->q), 0);
	assert_int_equal(irn->open_receiver(&p->r), 0);
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
	irn->receive(&p->r, &d, &reply);
	return reply;
}

/* A channel that loses, repeats and reorders, and what is known of every packet. */
struct wild {
	struct pair p;
	struct rng rng;
	u64 loss, repeat, depth; /* one in so many lost, repeated; how far one may overtake */
	u32 data[4096], n_data;
	struct reply back[4096];
	u32 n_back;
	u8 delivered[512], known[512], resent[512];
	u32 retransmissions, timeouts;
	u32 timed_out; /* the packet that the last timeout was for, if it has not been resent since */
};

static void put(struct wild *w, u32 n)
{
	for (u32 copies = one_in(&w->rng, w->loss) ? 0 : one_in(&w->rng, w->repeat) ? 2 : 1; copies; copies--) {
		assert_true(w->n_data < 4096);
		w->data[w->n_data++] = n;
	}
}

static void put_back(struct wild *w, struct reply r)
{
	for (u32 copies = one_in(&w->rng, w->loss) ? 0 : one_in(&w->rng, w->repeat) ? 2 : 1; copies; copies--) {
		assert_true(w->n_back < 4096);
		w->back[w->n_back++] = r;
	}
}

static void set_rule(const struct recovery_ops *ops, bool hls)
{
	irn = ops;
	((struct irn_params *)par.own)->hls = hls;
}

static u32 pick(struct wild *w, u32 n)
{
	return rng_below(&w->rng, n < w->depth ? n : w->depth);
}

static bool known_above(const struct wild *w, u32 n)
{
	while (++n < w->p.q.n_packets)
		if (w->known[n])
			return true;
	return false;
}

/*
 * Nothing acknowledged is resent, none twice but after a timeout. By the paper no packet without a higher one
 * acknowledged, but for a timeout's; by the authors' hardware, and without SACK, any first hole, and without SACK none
 * else.
 */
static void step_transmit(struct wild *w)
{
	struct sqp *q = &w->p.q;
	u32 next = q->next, n = irn->transmit(q, 0);

	if (n == NO_PACKET)
		return;
	assert_true(n >= q->una && n <= next && q->next == next + (n == next));
	assert_true(q->next - q->una <= par.cap);
	if (n < next) {
		w->retransmissions++;
		assert_true(!w->known[n] || irn == &recovery_irn_nosack);
		if (irn == &recovery_irn_nosack)
			assert_int_equal(n, q->una);
		else if (irn_params(&par)->hls)
			assert_true(n == q->una || known_above(w, n));
		else
			assert_true(n == w->timed_out || known_above(w, n));
		if (n == w->timed_out)
			w->timed_out = NO_PACKET;
		assert_int_equal(w->resent[n]++, 0);
	}
	put(w, n);
}

static void step_data(struct wild *w)
{
	u32 at = pick(w, w->n_data), n = w->data[at];
	struct reply r;

	memmove(w->data + at, w->data + at + 1, (--w->n_data - at) * sizeof(u32));
	r = receive(&w->p, n, n % 7 == 6 || n + 1 == w->p.q.n_packets);
	assert_int_equal(r.is_new, !w->delivered[n]);
	w->delivered[n] = 1;
	assert_int_not_equal(r.kind, REPLY_NONE);
	put_back(w, r);
}

/* As the NIC hands it on: nothing from before una. */
static void step_ack(struct wild *w)
{
	u32 at = pick(w, w->n_back), una = w->p.q.una, cum;
	struct reply r = w->back[at];
	struct ack_event a = { .cum = una };

	memmove(w->back + at, w->back + at + 1, (--w->n_back - at) * sizeof(r));
	cum = r.kind == REPLY_NAK ? r.psn : r.psn + 1;
	if (cum > una)
		a.cum = cum;
	a.nack = r.kind == REPLY_NAK && r.sack >= una;
	a.sack = a.nack ? r.sack : a.cum;
	for (u32 n = una; n < a.cum; n++)
		w->known[n] = 1;
	if (a.nack)
		w->known[a.sack] = 1;
	irn->acked(&w->p.q, &a);
	assert_int_equal(w->p.q.una, a.cum);
}

static void step_timeout(struct wild *w)
{
	struct sqp *q = &w->p.q;

	q->rto = one_in(&w->rng, 2) ? RTO_LOW : RTO_HIGH;
	if (irn->timeout(q)) {
		w->timeouts++;
		memset(w->resent, 0, sizeof(w->resent));
		w->timed_out = q->una;
		assert_true(irn->wants(q));
	} else {
		assert_true(q->rto == RTO_LOW && q->next - q->una > par.rto_n);
	}
}

static void run_wild(struct wild *w, u64 seed)
{
	struct sqp *q = &w->p.q;
	u32 turns = 0;

	memset(w, 0, sizeof(*w));
	w->rng.state = seed;
	w->timed_out = NO_PACKET;
	par.cap = 1 + rng_below(&w->rng, 150);
	w->loss = 2 + rng_below(&w->rng, 60);
	w->repeat = 2 + rng_below(&w->rng, 60);
	w->depth = 1 + rng_below(&w->rng, 12);
	open_pair(&w->p, 1 + rng_below(&w->rng, 400));
	while (q->una < q->n_packets) {
		bool idle = !irn->wants(q) && !w->n_data && !w->n_back;

		assert_true(turns++ < 1000000);
		if (idle || (q->una < q->next && one_in(&w->rng, 500)))
			step_timeout(w);
		if (irn->wants(q) && one_in(&w->rng, 2))
			step_transmit(w);
		if (w->n_data && one_in(&w->rng, 2))
			step_data(w);
		if (w->n_back && one_in(&w->rng, 2))
			step_ack(w);
	}
	assert_true(w->p.r.received == q->n_packets && w->p.r.expected == q->n_packets && q->next == q->n_packets);
	assert_int_equal(w->p.r.msn, (q->n_packets + 6) / 7);
	assert_null(memchr(w->delivered, 0, q->n_packets));
	close_pair(&w->p);
}
