/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A wild channel between the two ends of MELO connections. Included by test_recovery_melo.c alone. */
#include "tests/unit/melo_net.h"

static u32 copies(void)
{
	return one_in(&t.rng, t.loss) ? 0 : one_in(&t.rng, t.repeat) ? 2 : 1;
}

static u32 pick(u32 n)
{
	return rng_below(&t.rng, n < t.depth ? n : t.depth);
}

/* In order; or a hole that a NACK reported, once; never what is acknowledged, never more than may be in flight. */
static void step_transmit(struct conn *c)
{
	struct sqp *q = &c->q;
	u32 next = q->next, n = melo->transmit(q, 0);

	if (n == NO_PACKET) {
		assert_true(melo_params(&t.par)->cache && !melo->wants(q)); /* a hole forgotten by the cache */
		return;
	}
	assert_true(n >= q->una && n <= next && n < q->limit && n - q->una < q->window);
	assert_true(q->next == next + (n == next) && q->next - q->una <= t.par.cap);
	t.retransmissions += n < next;
	if (n == c->at) {
		c->at++;
	} else {
		assert_true(n < c->at && c->reported[n]);
		assert_int_equal(c->resent[n]++, 0);
	}
	for (u32 k = copies(); k; k--) {
		assert_true(c->n_data < QUEUE);
		c->data[c->n_data++] = n;
	}
}

static void step_data(struct conn *c)
{
	u32 at = pick(c->n_data), n = c->data[at], before = c->r.expected;
	struct reply r;

	memmove(c->data + at, c->data + at + 1, (--c->n_data - at) * sizeof(u32));
	r = receive(c - t.conns, n, t.answer_all || one_in(&t.rng, 4));
	c->arrived[n] = 1;
	if (r.is_new) {
		assert_true(melo_params(&t.par)->cache || !c->kept[n]);
		c->kept[n] = 1;
		t.fresh++;
	}
	for (u32 k = before; k < c->r.expected; k++)
		assert_true(c->arrived[k]);
	assert_true(c->r.expected >= before && c->r.received == c->r.expected);
	assert_int_equal(c->r.msn, c->r.expected / 3 + (c->r.expected == c->r.n_packets && c->r.n_packets % 3));
	for (u32 k = r.kind == REPLY_NONE ? 0 : copies(); k; k--) {
		assert_true(c->n_back < QUEUE);
		c->back[c->n_back++] = r;
	}
}

/* An answer as the NIC hands it on: nothing from before una, nothing never sent. */
static struct ack_event understand(const struct sqp *q, const struct reply *r)
{
	u32 cum = r->kind == REPLY_NAK ? r->psn : r->psn + 1;
	struct ack_event a = { .cum = cum > q->una ? cum : q->una };

	a.nack = r->kind == REPLY_NAK && r->sack >= q->una && r->sack < q->next;
	a.sack = a.nack ? r->sack : a.cum;
	for (u32 i = 0; i < r->n_ranges; i++)
		if (r->ranges[i].from >= q->una && r->ranges[i].to <= q->next)
			a.ranges[a.n_ranges++] = r->ranges[i];
	return a;
}

static void step_ack(struct conn *c)
{
	u32 at = pick(c->n_back);
	struct reply r = c->back[at];
	struct ack_event a = understand(&c->q, &r);

	memmove(c->back + at, c->back + at + 1, (--c->n_back - at) * sizeof(r));
	if (c->at < a.cum)
		c->at = a.cum;
	if (a.nack && a.sack < c->at) {
		c->reported[a.cum] = 1;
		for (u32 i = 0; i < a.n_ranges; i++)
			memset(c->reported + a.ranges[i].from, 1, a.ranges[i].to - a.ranges[i].from);
	}
	melo->acked(&c->q, &a);
	assert_int_equal(c->q.una, a.cum);
}

static void step_timeout(struct conn *c)
{
	t.timeouts++;
	if (one_in(&t.rng, 4))
		melo->rewind(&c->q);
	else
		assert_true(melo->timeout(&c->q));
	memset(c->reported, 0, sizeof(c->reported));
	memset(c->resent, 0, sizeof(c->resent));
	c->at = c->q.una;
	assert_true(melo->wants(&c->q));
}

/* One turn of one connection. False if it is done. */
static bool step(struct conn *c)
{
	struct sqp *q = &c->q;
	bool idle = !melo->wants(q) && !c->n_data && !c->n_back;

	if (q->una == q->n_packets)
		return false;
	if (q->una < q->next && (idle || one_in(&t.rng, 500)))
		step_timeout(c);
	if (one_in(&t.rng, 100))
		q->window = one_in(&t.rng, 2) ? NO_LIMIT : 1 + rng_below(&t.rng, 40);
	if (melo->wants(q) && one_in(&t.rng, 2))
		step_transmit(c);
	if (c->n_data && one_in(&t.rng, 2))
		step_data(c);
	if (c->n_back && one_in(&t.rng, 2))
		step_ack(c);
	assert_sound();
	return true;
}

/* A case by its seed: how many connections, how small the pools, how bad the channel. */
static void wild_open(u64 seed, u32 cache)
{
	struct rng rng = { .state = seed };
	struct recovery_params par = melo_par(0, .cache = cache);
	u32 n = 1 + rng_below(&rng, CONNS), packets = 1 + rng_below(&rng, PACKETS_MOST);

	par.cap = 1 + rng_below(&rng, 100);
	((struct melo_params *)par.own)->bits = 8 + 8 * rng_below(&rng, one_in(&rng, 4) ? 32 : 8);
	net_open(n, packets, par);
	t.loss = 2 + rng_below(&rng, 60);
	t.repeat = 2 + rng_below(&rng, 60);
	t.depth = 1 + rng_below(&rng, one_in(&rng, 2) ? 1 : 12);
	t.rng = rng;
}

/* What happened in all the cases of a test. */
struct totals {
	u64 retransmissions, timeouts, middle, pool, copied, evictions, forgotten_rx, forgotten_tx;
};

static void totals_add(struct totals *sum)
{
	sum->retransmissions += t.retransmissions;
	sum->timeouts += t.timeouts;
	sum->middle += t.receiving->drop_middle;
	sum->pool += t.receiving->drop_pool;
	sum->copied += t.receiving->copied_packets;
	sum->evictions += t.receiving->rx.evictions + t.sending->tx.evictions;
	sum->forgotten_rx += t.receiving->rx.forgotten;
	sum->forgotten_tx += t.sending->tx.forgotten;
}

static void run_wild(u64 seed, u32 cache, struct totals *sum)
{
	u32 done = 0, turns = 0, packets = 0;

	wild_open(seed, cache);
	while (done < t.n) {
		done = 0;
		for (u32 i = 0; i < t.n; i++)
			done += !step(&t.conns[i]);
		assert_true(turns++ < 100000);
	}
	for (u32 i = 0; i < t.n; i++) {
		assert_true(t.conns[i].r.received == t.conns[i].r.n_packets);
		assert_true(t.conns[i].q.next == t.conns[i].q.n_packets);
		packets += t.conns[i].r.n_packets;
	}
	/* what was kept was passed on, or forgotten for want of room */
	assert_int_equal(t.fresh, packets + t.receiving->rx.forgotten);
	assert_true(t.receiving->rx.pool.avail_ptr == 0 && t.sending->tx.pool.avail_ptr == 0);
	totals_add(sum);
	net_close();
}
