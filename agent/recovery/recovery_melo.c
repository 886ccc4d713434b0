// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MELO (APNet 2017): selective retransmission with a constant amount of memory per host. This is the sender of data
 * (3.2.3, 3.2.4; REFERENCE 3.4). From the holes in NACKs it rebuilds the receiver's bitmap in a pool of its own and
 * resends each hole once, before new packets. A retransmission that is lost is healed by the timeout: all packets from
 * the front are sent again in order, and the bitmap is begun anew (or, by option, the holes are resent).
 *
 * A NACK adds to the bitmap what lies above all that earlier ones have described; below that the list cannot be
 * reached. While packets are sent again after a timeout, only NACKs for what has been sent again are listened to: the
 * others speak of the time before it. So what they report never lies where the resending has still to come.
 */
#include "agent/recovery/melo_impl.h"

#include <stdlib.h>

static struct melo_side *side(const struct sqp *q)
{
	return &((struct melo_host *)q->host)->tx;
}

static int open_sender(struct sqp *q)
{
	return melo_conn_open(side(q), &melo_tx(q)->c);
}

static void close_sender(struct sqp *q)
{
	melo_conn_close(side(q), &melo_tx(q)->c);
}

static void scan_step(struct sqp *q)
{
	struct melo_tx *tx = melo_tx(q);

	if (++tx->scan % MELO_BLOCK == 0 && tx->scan < tx->c.high)
		tx->scan_ptr = side(q)->pool.next_ptr[tx->scan_ptr];
}

/* Move scan up to the next hole, or to the end of what is known. */
static void find_hole(struct sqp *q)
{
	const struct melo_tx *tx = melo_tx(q);

	while (tx->scan < tx->c.high && side(q)->pool.bits[tx->scan_ptr] >> (tx->scan % MELO_BLOCK) & 1)
		scan_step(q);
}

/* On chip, perhaps without the high end of the bitmap. What has been resent stays so: scan does not go back. */
static void touch(struct sqp *q)
{
	struct melo_tx *tx = melo_tx(q);
	const struct melo_list *l = &tx->c.list;

	if (!melo_conn_touch(side(q), &tx->c))
		return;
	if (l->begin == l->end)
		tx->c.high = q->una;
	if (tx->scan >= tx->c.high)
		return;
	tx->scan_ptr = l->start_ptr;
	for (u32 n = l->begin + MELO_BLOCK; n <= tx->scan; n += MELO_BLOCK)
		tx->scan_ptr = side(q)->pool.next_ptr[tx->scan_ptr];
}

/* Congestion control's window holds back whatever lies too far from the front, resent or new. */
static bool hole_due(const struct sqp *q)
{
	const struct melo_tx *tx = melo_tx(q);

	return tx->scan < tx->c.high && tx->scan - q->una < q->window;
}

/* In order: new packets, or after a timeout those from the front on. The cap is what the reorder buffer holds. */
static u32 most(const struct sqp *q)
{
	return q->window < q->par->cap ? q->window : q->par->cap;
}

static bool order_due(const struct sqp *q)
{
	const struct melo_tx *tx = melo_tx(q);

	return tx->at < q->limit && tx->at - q->una < most(q);
}

static bool wants(const struct sqp *q)
{
	return hole_due(q) || order_due(q);
}

static bool resends(const struct sqp *q)
{
	return hole_due(q) || melo_tx(q)->at < q->next;
}

static u64 fetch(const struct sqp *q)
{
	return melo_conn_away(side(q), &melo_tx(q)->c) ? melo_params(q->par)->swap : 0;
}

static u32 transmit(struct sqp *q, u64 now)
{
	struct melo_tx *tx = melo_tx(q);
	u32 n;

	touch(q);
	if (hole_due(q)) {
		n = tx->scan;
		scan_step(q);
		find_hole(q);
		return n;
	}
	if (!order_due(q))
		return NO_PACKET;
	n = tx->at++;
	if (q->next < tx->at)
		q->next = tx->at;
	return n;
}

static void advance(struct sqp *q, u32 cum)
{
	struct melo_tx *tx = melo_tx(q);

	q->una = cum;
	if (tx->at < cum)
		tx->at = cum;
	if (tx->c.high <= cum) {
		melo_list_clear(&side(q)->pool, &tx->c.list);
		tx->c.high = cum;
	} else {
		melo_list_advance(&side(q)->pool, &tx->c.list, cum);
	}
	if (tx->scan < cum) {
		tx->scan = cum;
		tx->scan_ptr = tx->c.list.start_ptr;
		find_hole(q);
	}
}

/* Holes lowest first, apart, below the packet that triggered the NACK. It cannot be without any. */
static bool well_formed(const struct ack_event *a)
{
	u32 above = 0;

	for (u32 i = 0; i < a->n_ranges; i++) {
		if (a->ranges[i].from < above || a->ranges[i].to <= a->ranges[i].from || a->ranges[i].to > a->sack)
			return false;
		above = a->ranges[i].to;
	}
	return a->n_ranges;
}

/* Does the NACK say that packet @n is missing? Its cumulative acknowledgement does so too. */
static bool missing(const struct ack_event *a, u32 n)
{
	for (u32 i = 0; i < a->n_ranges; i++)
		if (n >= a->ranges[i].from && n < a->ranges[i].to)
			return true;
	return n == a->cum;
}

/*
 * A NACK's news: what lies above all that was described before. Below the lowest of three holes there may be more that
 * it does not name; those packets count as arrived until a timeout. Without room for all, nothing is learnt.
 */
static void learn(struct sqp *q, const struct ack_event *a)
{
	struct melo_pool *pool = &side(q)->pool;
	struct melo_tx *tx = melo_tx(q);
	struct melo_list *l = &tx->c.list;

	if (a->sack < tx->c.high || a->sack <= q->una || a->sack >= tx->at || !well_formed(a) ||
	    melo_list_need(l, q->una, a->sack) > melo_pool_free(pool))
		return;
	for (u32 n = tx->c.high; n <= a->sack; n++) {
		melo_list_extend(pool, l, q->una, n);
		if (!missing(a, n))
			melo_list_set(pool, l, n);
		if (n == tx->scan)
			tx->scan_ptr = l->end_ptr;
	}
	tx->c.high = a->sack + 1;
	find_hole(q);
}

static void acked(struct sqp *q, const struct ack_event *a)
{
	touch(q);
	if (a->cum > q->una)
		advance(q, a->cum);
	if (a->nack)
		learn(q, a);
}

/* The receiver has thrown all away: as after a timeout. */
static void rewind_sender(struct sqp *q)
{
	struct melo_tx *tx = melo_tx(q);

	touch(q);
	melo_list_clear(&side(q)->pool, &tx->c.list);
	tx->c.high = tx->scan = tx->at = q->una;
}

/*
 * All packets from the front on are sent again (paper, 3.2.3). By option only the holes, as far as the bitmap knows
 * them: the paper's own figures at 1 % of loss (5(a): 99.0 % of the line) leave no room for resending a window at each
 * retransmission lost. A front that the bitmap does not show as missing was one of more holes than a NACK names: then,
 * as for a tail that no NACK tells of, all is sent again here too.
 */
static bool timeout(struct sqp *q)
{
	struct melo_tx *tx = melo_tx(q);

	touch(q);
	if (melo_params(q->par)->holes && tx->c.high > q->una) {
		tx->scan = q->una;
		tx->scan_ptr = tx->c.list.start_ptr;
		find_hole(q);
		if (tx->scan == q->una)
			return true;
	}
	rewind_sender(q);
	return true;
}

/* The paper gives no value, and none for a tail. */
static u64 rto(const struct sqp *q)
{
	return q->par->rto_high;
}

static void *host_new(const struct recovery_params *par)
{
	struct melo_host *host = calloc(1, sizeof(*host));

	if (!host)
		return NULL;
	melo_pool_init(&host->rx.pool, melo_params(par)->bits);
	melo_pool_init(&host->tx.pool, melo_params(par)->bits);
	host->rx.most = host->tx.most = melo_params(par)->cache;
	return host;
}

static void host_stats(const void *shared, struct recovery_stats *s)
{
	const struct melo_host *host = shared;

	s->pool_rx_now = host->rx.pool.avail_ptr * MELO_BLOCK;
	s->pool_rx_peak = host->rx.pool.peak * MELO_BLOCK;
	s->pool_tx_now = host->tx.pool.avail_ptr * MELO_BLOCK;
	s->pool_tx_peak = host->tx.pool.peak * MELO_BLOCK;
	s->copied_packets = host->copied_packets;
	s->copied_bytes = host->copied_bytes;
	s->drop_middle = host->drop_middle;
	s->drop_pool = host->drop_pool;
	s->evictions = host->rx.evictions + host->tx.evictions;
	s->forgotten = host->rx.forgotten + host->tx.forgotten;
	s->connections = host->rx.connections + host->tx.connections;
	if (s->connections)
		s->connection_bytes_x100 =
			melo_bytes_per_connection_x100(host->rx.pool.blocks * MELO_BLOCK, (u32)s->connections);
}

/* A reorder buffer of as many packets as the pool has bits (MELO 3.2.2). */
static void resolve(struct recovery_params *p)
{
	p->cap = melo_params(p)->bits > p->bdp ? melo_params(p)->bits : p->bdp;
	p->rto_low = p->rto_high;
}

static const char *const resend_words[] = { "front", "holes", NULL };

static const struct param rows[] = {
	{ .name = "melo_bits",
	  .kind = PARAM_NUM,
	  PARAM_OWN(recovery_params, melo_params, bits),
	  .min = MELO_BLOCK,
	  .max = MELO_BLOCK * MELO_BLOCKS_MAX,
	  .step = MELO_BLOCK,
	  .why_less = "a pool smaller than one block (8 bits) holds nothing",
	  .def = "1024",
	  .why_unused = "has no pools of bits",
	  .help = "bits of each of a host's two pools" },
	{ .name = "melo_cache",
	  .kind = PARAM_NUM,
	  PARAM_OWN(recovery_params, melo_params, cache),
	  .min = 1,
	  .max = 65536,
	  .special = { "all", 0 },
	  .def = "all",
	  .why_unused = "keeps all state on chip",
	  .advanced = true,
	  .help = "connections whose state is on chip at a time" },
	{ .name = "melo_swap",
	  .kind = PARAM_TIME,
	  PARAM_OWN(recovery_params, melo_params, swap),
	  .max = PS_PER_S / 1000,
	  .def = "1us",
	  .why_unused = "keeps all state on chip",
	  .advanced = true,
	  .help = "melo_cache: what packets of a connection wait whose state must be fetched from off-chip memory" },
	{ .name = "melo_resend",
	  .kind = PARAM_WORD,
	  PARAM_OWN(recovery_params, melo_params, holes),
	  .words = resend_words,
	  .def = "front",
	  .why_unused = "keeps no bitmap of holes",
	  .advanced = true,
	  .help = "what a timeout resends: everything from the first missing packet on, or the known holes only" },
};

const struct recovery_ops recovery_melo = {
	.name = "melo",
	.what = "MELO (APNet 2017): selective retransmission, shared bit pools",
	.params = PARAM_TABLE(rows),
	.resolve = resolve,
	.acks = ACK_HOLES,
	.costs = { { "three holes", 3 * 32 }, /* MELO 3.2.4 (REFERENCE 3.6) */
		   { "RCV.NXT and RCV.HIGH", 2 * 24 },
		   { "start_ptr and end_ptr", 2 * 8 },
		   { "share of both pools, 6 Kb of 300 connections", (6144 + 299) / 300 } },
	.progress_only = true, /* the timer is on the front: what goes on behind it must not hide that it is missing */
	.host_new = host_new,
	.host_free = free,
	.host_stats = host_stats,
	.open = open_sender,
	.open_receiver = melo_open_receiver,
	.close = close_sender,
	.close_receiver = melo_close_receiver,
	.wants = wants,
	.most = most,
	.transmit = transmit,
	.acked = acked,
	.timeout = timeout,
	.resends = resends,
	.fetch_sender = fetch,
	.fetch_receiver = melo_fetch_receiver,
	.rewind = rewind_sender,
	.rto = rto,
	.receive = melo_receive,
};
