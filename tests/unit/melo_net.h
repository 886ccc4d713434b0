/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MELO connections without NICs, all from one host to one other, and how tests by hand speak to them. */
#ifndef LOSSLAB_TESTS_MELO_NET_H
#define LOSSLAB_TESTS_MELO_NET_H

#include "tests/unit/unit.h"

#include "agent/recovery/melo_impl.h"
#include "tests/unit/melo_check.h"

#define CONNS 6
#define PACKETS_MOST 256
#define QUEUE 4096
#define RTO 100000000ULL
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct recovery_ops *const melo = &recovery_melo;

/* Messages of three packets; a flow's last packet is 400 bytes short. */
static const struct packet_rules rules = { .mtu = 1000, .message = 3000, .msg_packets = 3 };

/* A connection, the packets and answers under way, and what is known of every packet. */
struct conn {
	struct flow flow;
	struct sqp q;
	struct rqp r;
	u32 data[QUEUE], n_data;
	struct reply back[QUEUE];
	u32 n_back;
	u8 arrived[PACKETS_MOST]; /* at the receiver's host, whatever became of it */
	u8 kept[PACKETS_MOST];
	u8 reported[PACKETS_MOST]; /* missing, by a NACK that counts, since the last timeout */
	u8 resent[PACKETS_MOST];   /* since the last timeout, as a hole */
	u32 at;                    /* what comes next in order */
};

struct net {
	struct recovery_params par;
	struct melo_host *sending, *receiving;
	u32 n;
	struct conn conns[CONNS];
	struct rng rng;
	u64 loss, repeat, depth; /* one in so many lost, repeated; how far one may overtake */
	bool answer_all;         /* every packet asks for an ACK, not one in four */
	u32 retransmissions, timeouts, fresh;
};

static struct net t;

/* Parameters of a connection with a cap; the rest are members of struct melo_params. */
static inline struct recovery_params melo_make(u32 cap, struct melo_params own)
{
	struct recovery_params p = { .cap = cap };

	*(struct melo_params *)p.own = own;
	return p;
}
#define melo_par(cap, ...) melo_make(cap, (struct melo_params){ __VA_ARGS__ })

static inline void net_open(u32 n, u32 packets, struct recovery_params par)
{
	memset(&t, 0, sizeof(t));
	t.par = par;
	t.par.rto_high = RTO;
	t.n = n;
	t.sending = melo->host_new(&t.par);
	t.receiving = melo->host_new(&t.par);
	for (u32 i = 0; i < n; i++) {
		struct conn *c = &t.conns[i];

		c->flow.bytes = packets * 1000ULL - 400;
		c->q = (struct sqp){ .par = &t.par, .host = t.sending };
		c->q.n_packets = c->q.limit = c->r.n_packets = packets;
		c->q.window = NO_LIMIT;
		c->r.par = &t.par;
		c->r.host = t.receiving;
		c->r.rules = &rules;
		c->r.flow = &c->flow;
		assert_int_equal(melo->open(&c->q), 0);
		assert_int_equal(melo->open_receiver(&c->r), 0);
	}
}

/* Every block is free or in one list, and every list is empty or ends with the highest packet known. */
static inline void assert_sound(void)
{
	const struct melo_list *rx[CONNS], *tx[CONNS];

	for (u32 i = 0; i < t.n; i++) {
		const struct melo_conn *r = &melo_rx(&t.conns[i].r)->c, *s = &melo_tx(&t.conns[i].q)->c;

		rx[i] = &r->list;
		tx[i] = &s->list;
		assert_true(r->high >= t.conns[i].r.expected && s->high >= t.conns[i].q.una);
		assert_true(r->stored || (r->list.begin == r->list.end) == (r->high == t.conns[i].r.expected));
		assert_true(s->stored || (s->list.begin == s->list.end) == (s->high == t.conns[i].q.una));
		if (r->list.begin != r->list.end)
			assert_true(melo_list_test(&t.receiving->rx.pool, &r->list, r->high - 1));
		if (s->list.begin != s->list.end)
			assert_true(melo_list_test(&t.sending->tx.pool, &s->list, s->high - 1));
	}
	assert_true(melo_pool_check(&t.receiving->rx.pool, rx, t.n));
	assert_true(melo_pool_check(&t.sending->tx.pool, tx, t.n));
}

/* Nothing is left in the pools after closing, whatever was there. */
static inline void net_close(void)
{
	for (u32 i = 0; i < t.n; i++) {
		melo->close(&t.conns[i].q);
		melo->close_receiver(&t.conns[i].r);
	}
	assert_true(t.receiving->rx.pool.avail_ptr == 0 && t.sending->tx.pool.avail_ptr == 0);
	assert_true(t.receiving->rx.on_chip == 0 && t.sending->tx.on_chip == 0);
	assert_null(t.receiving->rx.newest);
	assert_null(t.sending->tx.oldest);
	melo->host_free(t.sending);
	melo->host_free(t.receiving);
}

static inline struct reply receive(u32 conn, u32 n, bool ack_req)
{
	struct data_event d = { .n = n, .ack_req = ack_req };
	struct reply reply;

	memset(&reply, 0xee, sizeof(reply));
	melo->receive(&t.conns[conn].r, &d, &reply);
	assert_sound();
	return reply;
}

/* An arrival, its answer, and what is expected after it. Holes end with to == 0. */
struct arrival {
	u32 n;
	bool ack_req;
	u32 kind, psn;
	struct range holes[RANGES_MAX]; /* of the NACK */
	bool is_new;
	u32 expected, blocks;
};

static inline void assert_holes(const struct range *is, u32 n, const struct range *should)
{
	for (u32 i = 0; i < RANGES_MAX; i++) {
		if (!should[i].to) {
			assert_int_equal(n, i);
			return;
		}
		assert_true(i < n && is[i].from == should[i].from && is[i].to == should[i].to);
	}
	assert_int_equal(n, RANGES_MAX);
}

static inline void receive_rows(u32 conn, const struct arrival *row, u32 n)
{
	for (; n; n--, row++) {
		struct reply a = receive(conn, row->n, row->ack_req);

		assert_int_equal(a.kind, row->kind);
		if (a.kind != REPLY_NONE)
			assert_int_equal(a.psn, row->psn);
		if (a.kind == REPLY_NAK)
			assert_int_equal(a.sack, row->n);
		assert_holes(a.ranges, a.n_ranges, row->holes);
		assert_int_equal(a.is_new, row->is_new);
		assert_int_equal(t.conns[conn].r.expected, row->expected);
		assert_int_equal(t.receiving->rx.pool.avail_ptr, row->blocks);
	}
}

static inline u32 tx_blocks(void)
{
	return t.sending->tx.pool.avail_ptr;
}

/* The sender of connection 0. */
static inline struct sqp *q(void)
{
	return &t.conns[0].q;
}

static inline void send_all(u32 first, u32 end)
{
	for (u32 n = first; n < end; n++) {
		assert_true(melo->wants(q()));
		assert_int_equal(melo->transmit(q(), 0), n);
	}
}

static inline void assert_silent(void)
{
	assert_false(melo->wants(q()));
	assert_int_equal(melo->transmit(q(), 0), NO_PACKET);
}

static inline void ack(u32 cum)
{
	melo->acked(q(), &(struct ack_event){ .cum = cum, .sack = cum });
	assert_sound();
}

/* A NACK with the holes given, each a from and a to. */
static inline void nack(u32 cum, u32 sack, u32 n, const u32 *ends)
{
	struct ack_event a = { .cum = cum, .nack = true, .sack = sack, .n_ranges = n };

	for (u32 i = 0; i < n; i++)
		a.ranges[i] = (struct range){ ends[2 * i], ends[2 * i + 1] };
	melo->acked(q(), &a);
	assert_sound();
}

#define NACK(cum, sack, ...) nack(cum, sack, COUNT(((const u32[]){ __VA_ARGS__ })) / 2, (const u32[]){ __VA_ARGS__ })

#endif
