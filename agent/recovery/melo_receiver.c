// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MELO's receiver (APNet 2017, 3.2.1 to 3.2.4; REFERENCE 3.3). Packets out of order lie in a reorder buffer off chip,
 * which here is nothing but two counters; the bits that say which are there come from the host's pool. The bitmap is
 * reached at its front (RCV.NXT, the packet expected) and its end (RCV.HIGH) alone.
 *
 * What is dropped for want of a bit gets no answer: to its sender it is as though the network had lost it. The next new
 * hole tells, or the timeout, which an answer would only put off.
 */
#include "agent/recovery/melo_impl.h"

int melo_open_receiver(struct rqp *r)
{
	struct melo_host *host = r->host;

	return melo_conn_open(&host->rx, &melo_rx(r)->c);
}

void melo_close_receiver(struct rqp *r)
{
	struct melo_host *host = r->host;

	melo_conn_close(&host->rx, &melo_rx(r)->c);
}

u64 melo_fetch_receiver(const struct rqp *r)
{
	const struct melo_host *host = r->host;

	return melo_conn_away(&host->rx, &melo_rx(r)->c) ? melo_params(r->par)->swap : 0;
}

/* A hole above all others: the lowest is no longer told if there are more than three (3.2.4). */
static void holes_push(struct melo_rx *rx, u32 from, u32 to)
{
	if (rx->n_holes == RANGES_MAX) {
		for (u32 i = 1; i < RANGES_MAX; i++)
			rx->holes[i - 1] = rx->holes[i];
		rx->n_holes--;
	}
	rx->holes[rx->n_holes++] = (struct range){ from, to };
}

/* Hole @i has been filled. */
static void holes_remove(struct melo_rx *rx, u32 i)
{
	rx->n_holes--;
	for (; i < rx->n_holes; i++)
		rx->holes[i] = rx->holes[i + 1];
}

/* Hole @i has packet @n in its midst: two holes, of which the lower gives way if there are four now. */
static void holes_split(struct melo_rx *rx, u32 i, u32 n)
{
	struct range low = { rx->holes[i].from, n };

	rx->holes[i].from = n + 1;
	if (rx->n_holes < RANGES_MAX) {
		for (u32 k = rx->n_holes++; k > i; k--)
			rx->holes[k] = rx->holes[k - 1];
		rx->holes[i] = low;
	} else if (i) {
		for (u32 k = 1; k < i; k++)
			rx->holes[k - 1] = rx->holes[k];
		rx->holes[i - 1] = low;
	}
}

/* Packet @n has arrived, in a hole or in one too low to be remembered. */
static void holes_fill(struct melo_rx *rx, u32 n)
{
	u32 i = 0;

	while (i < rx->n_holes && n >= rx->holes[i].to)
		i++;
	if (i == rx->n_holes || n < rx->holes[i].from)
		return;
	if (rx->holes[i].to - rx->holes[i].from == 1)
		holes_remove(rx, i);
	else if (n == rx->holes[i].from)
		rx->holes[i].from++;
	else if (n + 1 == rx->holes[i].to)
		rx->holes[i].to--;
	else
		holes_split(rx, i, n);
}

/* On chip, perhaps without the high end of the bitmap: what lies there counts as not received. */
static void touch(struct rqp *r)
{
	struct melo_host *host = r->host;
	struct melo_rx *rx = melo_rx(r);

	if (!melo_conn_touch(&host->rx, &rx->c))
		return;
	if (rx->c.list.begin == rx->c.list.end)
		rx->c.high = r->expected;
	while (rx->n_holes && rx->holes[rx->n_holes - 1].from >= rx->c.high)
		rx->n_holes--;
}

/* The packet expected goes to the application. */
static void pass(struct rqp *r)
{
	r->msn += packet_is_last(r->rules, r->flow->bytes, r->expected);
	r->expected++;
	r->received++;
}

/* The packet expected is here: with it, all that follow it without a gap are copied out of the reorder buffer. */
static void receive_front(struct rqp *r)
{
	struct melo_host *host = r->host;
	struct melo_pool *pool = &host->rx.pool;
	struct melo_rx *rx = melo_rx(r);
	struct melo_list *l = &rx->c.list;

	pass(r);
	if (rx->c.high < r->expected) { /* nothing was out of order */
		rx->c.high = r->expected;
		return;
	}
	holes_fill(rx, r->expected - 1);
	melo_list_advance(pool, l, r->expected);
	while (r->expected < rx->c.high && melo_list_test(pool, l, r->expected)) {
		host->copied_packets++;
		host->copied_bytes += packet_payload(r->rules, r->flow->bytes, r->expected);
		pass(r);
		melo_list_advance(pool, l, r->expected);
	}
	if (r->expected == rx->c.high)
		melo_list_clear(pool, l);
}

/* Above RCV.HIGH: a bit at the end of the list; if packets lie between, a new hole, of which the sender is told. */
static void receive_end(struct rqp *r, u32 n, struct reply *reply)
{
	struct melo_host *host = r->host;
	struct melo_rx *rx = melo_rx(r);

	if (!melo_list_extend(&host->rx.pool, &rx->c.list, r->expected, n)) {
		host->drop_pool++;
		return;
	}
	melo_list_set(&host->rx.pool, &rx->c.list, n);
	reply->is_new = true;
	if (n > rx->c.high) {
		holes_push(rx, rx->c.high, n);
		reply->kind = REPLY_NAK;
		reply->psn = r->expected;
		reply->sack = n;
		reply->n_ranges = rx->n_holes;
		for (u32 i = 0; i < rx->n_holes; i++)
			reply->ranges[i] = rx->holes[i];
	}
	rx->c.high = n + 1;
}

/* Between RCV.NXT and RCV.HIGH. False if its block is neither the list's first nor its last: no bit can be set. */
static bool receive_middle(struct rqp *r, u32 n, struct reply *reply)
{
	struct melo_host *host = r->host;
	struct melo_rx *rx = melo_rx(r);

	if (!melo_list_reaches(&rx->c.list, n)) {
		host->drop_middle++;
		return false;
	}
	if (!melo_list_test(&host->rx.pool, &rx->c.list, n)) {
		melo_list_set(&host->rx.pool, &rx->c.list, n);
		holes_fill(rx, n);
		reply->is_new = true;
	}
	return true;
}

void melo_receive(struct rqp *r, const struct data_event *d, struct reply *reply)
{
	struct melo_rx *rx = melo_rx(r);
	bool kept = true, asked = d->ack_req || d->marked;

	*reply = (struct reply){ .kind = REPLY_NONE };
	touch(r);
	if (d->n > r->expected) {
		if (d->n < rx->c.high) {
			kept = receive_middle(r, d->n, reply);
		} else {
			receive_end(r, d->n, reply);
			kept = reply->is_new;
		}
		if (reply->kind == REPLY_NAK || !kept || !asked)
			return;
	} else if (d->n == r->expected) {
		bool filled = rx->c.high > r->expected; /* a hole: what its sender waits for */

		receive_front(r);
		reply->is_new = true;
		if (!asked && !filled)
			return;
	}
	reply->kind = REPLY_ACK; /* for a duplicate of what has been passed on, too: the sender does not know */
	reply->psn = r->expected - 1;
}
