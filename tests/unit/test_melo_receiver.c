// SPDX-License-Identifier: GPL-2.0-or-later
/* MELO's receiver: each rule of REFERENCE 3.3 by hand, and random arrivals against a plain model. */
#include "tests/unit/melo_net.h"

#define plenty melo_par(100, .bits = 1024)

/* 3.3, in this order: front, duplicate, new hole, end; the three holes nearest the end; filled in front and back. */
static const struct arrival by_hand[] = {
	{ 0, false, REPLY_NONE, 0, { { 0 } }, true, 1, 0 }, /* nobody asks */
	{ 1, true, REPLY_ACK, 1, { { 0 } }, true, 2, 0 },
	{ 1, false, REPLY_ACK, 1, { { 0 } }, false, 2, 0 },
	{ 4, false, REPLY_NAK, 2, { { 2, 4 } }, true, 2, 1 },
	{ 5, false, REPLY_NONE, 0, { { 0 } }, true, 2, 1 },
	{ 6, true, REPLY_ACK, 1, { { 0 } }, true, 2, 1 },
	{ 9, true, REPLY_NAK, 2, { { 2, 4 }, { 7, 9 } }, true, 2, 2 },
	{ 12, false, REPLY_NAK, 2, { { 2, 4 }, { 7, 9 }, { 10, 12 } }, true, 2, 2 },
	{ 15, false, REPLY_NAK, 2, { { 7, 9 }, { 10, 12 }, { 13, 15 } }, true, 2, 2 },
	{ 2, false, REPLY_ACK, 2, { { 0 } }, true, 3, 2 }, /* half the hole, which is told no longer */
	{ 0, false, REPLY_ACK, 2, { { 0 } }, false, 3, 2 },
	{ 3, false, REPLY_ACK, 6, { { 0 } }, true, 7, 2 },  /* with 4, 5 and 6 */
	{ 8, false, REPLY_NONE, 0, { { 0 } }, true, 7, 2 }, /* in the last block, the end of a hole */
	{ 8, true, REPLY_ACK, 6, { { 0 } }, false, 7, 2 },  /* there already */
	{ 18, false, REPLY_NAK, 7, { { 10, 12 }, { 13, 15 }, { 16, 18 } }, true, 7, 3 },
	{ 7, false, REPLY_ACK, 9, { { 0 } }, true, 10, 2 }, /* the first block is free */
	{ 10, false, REPLY_ACK, 10, { { 0 } }, true, 11, 2 },
	{ 21, false, REPLY_NAK, 11, { { 13, 15 }, { 16, 18 }, { 19, 21 } }, true, 11, 2 },
	{ 11, false, REPLY_ACK, 12, { { 0 } }, true, 13, 2 },
	{ 13, false, REPLY_ACK, 13, { { 0 } }, true, 14, 2 },
	{ 25, false, REPLY_NAK, 14, { { 16, 18 }, { 19, 21 }, { 22, 25 } }, true, 14, 3 },
	{ 14, false, REPLY_ACK, 15, { { 0 } }, true, 16, 2 },
	{ 16, false, REPLY_ACK, 16, { { 0 } }, true, 17, 2 },
	{ 17, false, REPLY_ACK, 18, { { 0 } }, true, 19, 2 },
	{ 19, false, REPLY_ACK, 19, { { 0 } }, true, 20, 2 },
	{ 20, false, REPLY_ACK, 21, { { 0 } }, true, 22, 2 },
	{ 28, false, REPLY_NAK, 22, { { 22, 25 }, { 26, 28 } }, true, 22, 2 },
	{ 22, false, REPLY_ACK, 22, { { 0 } }, true, 23, 2 },
	{ 23, false, REPLY_ACK, 23, { { 0 } }, true, 24, 1 },
	{ 24, false, REPLY_ACK, 25, { { 0 } }, true, 26, 1 },
	{ 26, false, REPLY_ACK, 26, { { 0 } }, true, 27, 1 },
	{ 27, false, REPLY_ACK, 28, { { 0 } }, true, 29, 0 }, /* nothing held: nothing taken */
	{ 29, true, REPLY_ACK, 29, { { 0 } }, true, 30, 0 },
};

static void receive__by_hand(void **state)
{
	struct recovery_stats s = { 0 };

	net_open(1, 30, plenty);
	receive_rows(0, by_hand, COUNT(by_hand));
	assert_int_equal(t.conns[0].r.received, 30);
	assert_int_equal(t.conns[0].r.msn, 10);
	melo->host_stats(t.receiving, &s);
	/* 4 5 6, 8 9, 12, 15, 18, 21, 25, 28 */
	assert_true(s.copied_packets == 11 && s.copied_bytes == 11000 && s.pool_rx_peak == 24 && s.pool_rx_now == 0);
	assert_true(s.drop_middle == 0 && s.drop_pool == 0 && s.pool_tx_peak == 0);
	net_close();
}

/* Only the first and the last block are reached; a hole is cut in two, and the lowest of four is forgotten. */
static void receive__middle(void **state)
{
	static const struct arrival rows[] = {
		{ 30, false, REPLY_NAK, 0, { { 0, 30 } }, true, 0, 4 },
		{ 10, true, REPLY_NONE, 0, { { 0 } }, false, 0, 4 },
		{ 8, false, REPLY_NONE, 0, { { 0 } }, false, 0, 4 },
		{ 23, false, REPLY_NONE, 0, { { 0 } }, false, 0, 4 },
		{ 3, true, REPLY_ACK, ~0U, { { 0 } }, true, 0, 4 }, /* none in order yet: the packet before 0 */
		{ 25, false, REPLY_NONE, 0, { { 0 } }, true, 0, 4 },
		{ 32, false, REPLY_NAK, 0, { { 4, 25 }, { 26, 30 }, { 31, 32 } }, true, 0, 5 },
		{ 25, false, REPLY_NONE, 0, { { 0 } }, false, 0, 5 }, /* not the last block any more */
		{ 7, false, REPLY_NONE, 0, { { 0 } }, true, 0, 5 },
		{ 39, false, REPLY_NAK, 0, { { 26, 30 }, { 31, 32 }, { 33, 39 } }, true, 0, 5 },
		{ 35, false, REPLY_NONE, 0, { { 0 } }, true, 0, 5 }, /* the highest of three */
		{ 41, false, REPLY_NAK, 0, { { 33, 35 }, { 36, 39 }, { 40, 41 } }, true, 0, 6 },
		{ 40, false, REPLY_NONE, 0, { { 0 } }, true, 0, 6 }, /* a hole gone */
		{ 43, false, REPLY_NAK, 0, { { 33, 35 }, { 36, 39 }, { 42, 43 } }, true, 0, 6 },
	};

	net_open(1, 50, plenty);
	receive_rows(0, rows, COUNT(rows));
	assert_int_equal(t.receiving->drop_middle, 4);
	net_close();
}

/* A pool of two blocks for two connections: what finds none is dropped in silence, what is in order never is. */
static void receive__pool_empty(void **state)
{
	static const struct arrival a1[] = { { 12, false, REPLY_NAK, 0, { { 0, 12 } }, true, 0, 2 },
					     { 16, true, REPLY_NONE, 0, { { 0 } }, false, 0, 2 } };
	static const struct arrival b1[] = { { 3, true, REPLY_NONE, 0, { { 0 } }, false, 0, 2 },
					     { 0, true, REPLY_ACK, 0, { { 0 } }, true, 1, 2 },
					     { 3, true, REPLY_NONE, 0, { { 0 } }, false, 1, 2 } };
	static const struct arrival b2[] = { { 9, true, REPLY_NONE, 0, { { 0 } }, false, 1, 1 }, /* two needed */
					     { 4, false, REPLY_NAK, 1, { { 1, 4 } }, true, 1, 2 } };

	net_open(2, 40, melo_par(40, .bits = 16));
	receive_rows(0, a1, COUNT(a1));
	receive_rows(1, b1, COUNT(b1));
	for (u32 n = 0; n < 8; n++)
		receive(0, n, false);
	receive_rows(1, b2, COUNT(b2));
	assert_int_equal(t.receiving->drop_pool, 4);
	assert_int_equal(t.receiving->drop_middle, 0);
	net_close();
}

/* The last packet is 400 bytes short, and ends a message early. */
static void receive__copies_and_messages(void **state)
{
	net_open(1, 8, plenty);
	receive(0, 7, false);
	receive(0, 2, false);
	receive(0, 1, false);
	assert_true(t.receiving->copied_packets == 0 && t.conns[0].r.msn == 0 && t.conns[0].r.received == 0);
	receive(0, 0, false);
	assert_true(t.receiving->copied_packets == 2 && t.receiving->copied_bytes == 2000);
	assert_true(t.conns[0].r.msn == 1 && t.conns[0].r.received == 3);
	for (u32 n = 3; n < 7; n++)
		receive(0, n, false);
	assert_true(t.receiving->copied_packets == 3 && t.receiving->copied_bytes == 2600);
	assert_true(t.conns[0].r.msn == 3 && t.conns[0].r.received == 8);
	net_close();
}

/* A mark asks for an answer as AckReq does. */
static void receive__marked(void **state)
{
	struct data_event d = { .n = 3, .marked = true };
	struct reply reply;

	net_open(1, 8, plenty);
	receive(0, 2, false);
	melo->receive(&t.conns[0].r, &d, &reply);
	assert_true(reply.kind == REPLY_ACK && reply.psn == ~0U && reply.n_ranges == 0);
	net_close();
}

/* The receiver of REFERENCE 3.3, written down without any bookkeeping. */
struct model {
	u8 held[PACKETS_MOST];
	u32 expected, high;
	u32 floor; /* holes that begin below are not told any more */
};

enum outcome { DROPPED, DUPLICATE, KEPT };

static u32 model_blocks(const struct model *m)
{
	return m->high == m->expected ? 0 : (m->high - 1) / 8 - m->expected / 8 + 1;
}

/* The holes that are told, lowest first. */
static u32 model_holes(struct model *m, struct range *holes)
{
	u32 n = 0;

	for (u32 k = m->floor > m->expected ? m->floor : m->expected; k < m->high; k++) {
		if (m->held[k])
			continue;
		if (!n || holes[n - 1].to != k)
			holes[n++] = (struct range){ k, k };
		holes[n - 1].to = k + 1;
	}
	if (n <= RANGES_MAX)
		return n;
	memmove(holes, holes + n - RANGES_MAX, RANGES_MAX * sizeof(*holes));
	m->floor = holes[0].from;
	return RANGES_MAX;
}

static enum outcome model_receive(struct model *m, u32 n, u32 free_blocks)
{
	struct model after = *m;

	if (n < m->expected)
		return DUPLICATE;
	if (n >= m->high) {
		after.high = n + 1;
		if (n != m->expected && model_blocks(&after) - model_blocks(m) > free_blocks)
			return DROPPED;
	} else if (n / 8 != m->expected / 8 && n / 8 != (m->high - 1) / 8) {
		return DROPPED;
	} else if (m->held[n]) {
		return DUPLICATE;
	}
	m->held[n] = 1;
	m->high = after.high;
	while (m->expected < m->high && m->held[m->expected])
		m->expected++;
	return KEPT;
}

/* Near the front, near the end, or anywhere. */
static u32 model_arrival(const struct model *m, struct rng *rng)
{
	u32 near = one_in(rng, 20) ? 60 : 3;

	switch (rng_below(rng, 5)) {
	case 0:
		return m->expected + rng_below(rng, near);
	case 1:
		return m->high + rng_below(rng, near);
	case 2:
		return rng_below(rng, m->high + 1);
	default:
		return m->expected;
	}
}

static void model_step(struct model *models, u32 i, struct rng *rng)
{
	struct range holes[PACKETS_MOST];
	struct model *m = &models[i], before = *m;
	const struct melo_rx *rx = melo_rx(&t.conns[i].r);
	u32 n = model_arrival(m, rng), used = 0, count;
	bool ack_req = one_in(rng, 3);
	enum outcome outcome;
	struct reply r;

	if (n >= t.conns[i].r.n_packets)
		return;
	for (u32 k = 0; k < t.n; k++)
		used += model_blocks(&models[k]);
	outcome = model_receive(m, n, melo_params(&t.par)->bits / 8 - used);
	count = model_holes(m, holes);
	r = receive(i, n, ack_req);
	assert_int_equal(r.is_new, outcome == KEPT);
	assert_true(t.conns[i].r.expected == m->expected && t.conns[i].r.received == m->expected);
	assert_true(rx->c.high == m->high && rx->n_holes == count);
	assert_memory_equal(rx->holes, holes, count * sizeof(holes[0]));
	assert_int_equal(t.receiving->rx.pool.avail_ptr, used - model_blocks(&before) + model_blocks(m));
	if (outcome == KEPT && n > before.high) {
		assert_true(r.kind == REPLY_NAK && r.psn == before.expected && r.sack == n && r.n_ranges == count);
		assert_memory_equal(r.ranges, holes, count * sizeof(holes[0]));
	} else {
		bool filled = n == before.expected && before.high > n;
		bool ack = n < before.expected || filled || (outcome != DROPPED && ack_req);

		assert_true(r.kind == (ack ? REPLY_ACK : REPLY_NONE) && !r.n_ranges);
		assert_true(!ack || r.psn == m->expected - 1);
	}
}

static void receive__against_model(void **state)
{
	static struct model models[CONNS];
	u64 middle = 0, pool = 0, copied = 0;

	for (u64 seed = 0; seed < 500; seed++) {
		struct rng rng = { .state = seed };
		struct recovery_params par = melo_par(PACKETS_MOST, .bits = 8 + 8 * rng_below(&rng, 12));
		u32 n = 1 + rng_below(&rng, CONNS);

		memset(models, 0, sizeof(models));
		net_open(n, 1 + rng_below(&rng, PACKETS_MOST), par);
		for (u32 turn = 0; turn < 800; turn++)
			model_step(models, rng_below(&rng, t.n), &rng);
		middle += t.receiving->drop_middle;
		pool += t.receiving->drop_pool;
		copied += t.receiving->copied_packets;
		net_close();
	}
	assert_true(middle > 1000 && pool > 10000 && copied > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receive__by_hand),    cmocka_unit_test(receive__middle),
		cmocka_unit_test(receive__pool_empty), cmocka_unit_test(receive__copies_and_messages),
		cmocka_unit_test(receive__marked),     cmocka_unit_test(receive__against_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
