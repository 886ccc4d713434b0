// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE's go-back-N (IBTA 1.3, 9.7 and 9.9; REFERENCE 2.2, 2.3). The responder keeps only what comes in order and
 * has at most one NAK outstanding; the requester goes back to the first packet not acknowledged. A lost NAK,
 * or a lost first retransmission, is healed by the timer alone.
 */
#include "agent/psn.h"
#include "agent/recovery.h"

struct gbn {
	u32 at; /* the packet to send next: below q->next after going back */
};
_Static_assert(sizeof(struct gbn) <= sizeof(u64) * RECOVERY_PRIVATE, "private state");

static struct gbn *gbn(const struct sqp *q)
{
	return (struct gbn *)q->priv;
}

static int gbn_open(struct sqp *q, struct rqp *r)
{
	return 0;
}

static bool gbn_wants(const struct sqp *q)
{
	return gbn(q)->at < q->n_packets && gbn(q)->at - q->una < PSN_WINDOW_MAX - 1;
}

static u32 gbn_transmit(struct sqp *q)
{
	u32 n = gbn(q)->at;

	if (!gbn_wants(q))
		return NO_PACKET;
	gbn(q)->at++;
	if (gbn(q)->at > q->next)
		q->next = gbn(q)->at;
	return n;
}

static void gbn_acked(struct sqp *q, const struct ack_event *a)
{
	if (a->cum > q->una)
		q->una = a->cum;
	if (a->nack || gbn(q)->at < q->una)
		gbn(q)->at = q->una;
}

static bool gbn_timeout(struct sqp *q)
{
	gbn(q)->at = q->una;
	return true;
}

static u64 gbn_rto(const struct sqp *q)
{
	return q->par->rto_high;
}

static void gbn_receive(struct rqp *r, const struct data_event *d, struct reply *reply)
{
	reply->kind = REPLY_NONE;
	reply->fresh = false;
	if (d->n == r->expected) {
		r->expected++;
		r->received++;
		r->nak_sent = false;
		r->msn += d->last;
		reply->fresh = true;
		if (d->ack_req)
			reply->kind = REPLY_ACK;
		reply->psn = d->n;
	} else if (d->n < r->expected) {
		/* a duplicate: say again how far we are (C9-105) */
		reply->kind = REPLY_ACK;
		reply->psn = r->expected - 1;
	} else if (!r->nak_sent) {
		r->nak_sent = true;
		reply->kind = REPLY_NAK;
		reply->psn = r->expected;
	}
}

const struct recovery_ops recovery_gbn = {
	.name = "gbn",
	.open = gbn_open,
	.wants = gbn_wants,
	.transmit = gbn_transmit,
	.acked = gbn_acked,
	.timeout = gbn_timeout,
	.rto = gbn_rto,
	.receive = gbn_receive,
};
