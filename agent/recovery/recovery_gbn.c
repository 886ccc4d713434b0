// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Go-back-N. RoCE's (IBTA 1.3, 9.7 and 9.9; REFERENCE 2.2, 2.3): the receiver keeps only what comes in order and
 * has at most one NAK outstanding; the sender goes back to the first packet not acknowledged. A lost NAK,
 * or a lost first retransmission, is healed by the timer alone. The timer is the oldest unacknowledged packet's, so
 * only progress restarts it (IBTA C9-139); timer_restart=send restarts it as IRN's sender does (REFERENCE 1.10).
 *
 * IRN with go-back-N is the same with IRN's cap and timer (IRN 4.3, factor analysis; REFERENCE 1.7): the cap comes with
 * the parameters.
 *
 * With back-off on loss (IRN 4.3 names it and gives no rule; ours is TCP's, RFC 5681): a window that starts at what
 * fills the path is halved at a loss, once per window of packets, and grows by a packet per window acknowledged. Where
 * there is a congestion control, it backs off in its own way instead, as often.
 */
#include "agent/recovery/gbn_impl.h"
#include "agent/recovery/irn_params.h"
#include "agent/packet/psn.h"

#define FRACTION 16 /* bits of the window's fraction of a packet */

struct gbn {
	u32 at;         /* the packet to send next: below q->next after going back */
	u32 recover;    /* no second halving before this packet is acknowledged */
	u64 window;     /* back-off: packets in flight, x 2^FRACTION; 0 without */
	u64 window_max; /* ... in packets */
};
_Static_assert(sizeof(struct gbn) <= sizeof(u64) * RECOVERY_PRIVATE, "private state");

static struct gbn *gbn(const struct sqp *q)
{
	return (struct gbn *)q->priv;
}

static int gbn_open(struct sqp *q)
{
	if (gbn_params(q->par)->backoff && !q->par->cc_backs_off) {
		gbn(q)->window_max = q->par->bdp < q->par->cap ? q->par->bdp : q->par->cap;
		gbn(q)->window = gbn(q)->window_max << FRACTION;
	}
	return 0;
}

/* Most packets in flight. */
static u32 allowed(const struct sqp *q)
{
	u32 most = q->window < q->par->cap ? q->window : q->par->cap;
	u64 window = gbn(q)->window >> FRACTION;

	return gbn(q)->window && window < most ? window : most;
}

static bool gbn_wants(const struct sqp *q)
{
	return gbn(q)->at < q->limit && gbn(q)->at - q->una < allowed(q);
}

static bool gbn_resends(const struct sqp *q)
{
	return gbn(q)->at < q->next;
}

static u32 gbn_send_next(const struct sqp *q)
{
	return gbn(q)->at;
}

static u32 gbn_transmit(struct sqp *q, u64 now)
{
	u32 n = gbn(q)->at;

	if (!gbn_wants(q))
		return NO_PACKET;
	gbn(q)->at++;
	if (gbn(q)->at > q->next)
		q->next = gbn(q)->at;
	return n;
}

static void back_off(struct sqp *q)
{
	struct gbn *s = gbn(q);

	if (!gbn_params(q->par)->backoff || q->una < s->recover)
		return;
	s->recover = q->next;
	if (!s->window) {
		q->backoffs++;
		return;
	}
	s->window /= 2;
	if (s->window < 1ULL << FRACTION)
		s->window = 1ULL << FRACTION;
}

static void grow(struct sqp *q, u32 newly)
{
	struct gbn *s = gbn(q);

	if (!s->window)
		return;
	s->window += ((u64)newly << (2 * FRACTION)) / s->window;
	if (s->window > s->window_max << FRACTION)
		s->window = s->window_max << FRACTION;
}

static void gbn_acked(struct sqp *q, const struct ack_event *a)
{
	if (a->cum > q->una) {
		grow(q, a->cum - q->una);
		q->una = a->cum;
	}
	if (a->nack) {
		back_off(q);
		gbn(q)->at = q->una;
	}
	if (gbn(q)->at < q->una)
		gbn(q)->at = q->una;
}

static void gbn_rewind(struct sqp *q)
{
	gbn(q)->at = q->una;
}

static bool gbn_timeout(struct sqp *q)
{
	back_off(q);
	gbn_rewind(q);
	return true;
}

static u64 gbn_rto(const struct sqp *q)
{
	return q->par->rto_high;
}

static void gbn_receive(struct rqp *r, const struct data_event *d, struct reply *reply)
{
	reply->kind = REPLY_NONE;
	reply->is_new = false;
	reply->n_ranges = 0;
	if (d->n == r->expected) {
		r->expected++;
		r->received++;
		r->nak_sent = false;
		r->msn += d->last;
		reply->is_new = true;
		if (d->ack_req || d->marked)
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

static const char *const off_on[] = { "off", "on", NULL };

#define BACKOFF                                                                                                        \
	{                                                                                                              \
		.name = "backoff", .kind = PARAM_WORD, PARAM_OWN(recovery_params, gbn_params, backoff),                \
		.words = off_on, .def = "off", .why_unused = "does not go back N",                                     \
		.help = "on loss, halve a window; with cc=, its rate or window is cut"                                 \
	}

/* Only PSNs limit what is in flight. */
static void gbn_resolve(struct recovery_params *p)
{
	p->cap = PSN_WINDOW_MAX - 1;
	p->rto_low = p->rto_high;
}

static const char *const restart_words[] = { "progress", "send", NULL };

#define TIMER_RESTART                                                                                                  \
	{                                                                                                              \
		.name = "timer_restart", .kind = PARAM_WORD, PARAM_COMMON(recovery_params, restart_on_send),           \
		.words = restart_words, .def = "progress", .why_unused = "has a timer of its own", .advanced = true,   \
		.help = "the timer restarts: on progress, or with every packet sent and ACK"                           \
	}

static const struct param gbn_rows[] = { BACKOFF, TIMER_RESTART };
static const struct param irn_gbn_rows[] = { IRN_CAP, BACKOFF, IRN_RTO_LOW, IRN_RTO_N };

const struct recovery_ops recovery_gbn = {
	.name = "roce",
	.what = "RoCE: go-back-N",
	.params = PARAM_TABLE(gbn_rows),
	.lossless = true,
	.progress_only = true,
	.resolve = gbn_resolve,
	.open = gbn_open,
	.wants = gbn_wants,
	.most = allowed,
	.send_next = gbn_send_next,
	.transmit = gbn_transmit,
	.acked = gbn_acked,
	.timeout = gbn_timeout,
	.rewind = gbn_rewind,
	.resends = gbn_resends,
	.rto = gbn_rto,
	.receive = gbn_receive,
};

/* IRN's timer: the short time while little is in flight, since a single packet's loss shows in nothing else. */
static u64 irn_gbn_rto(const struct sqp *q)
{
	return q->next - q->una > q->par->rto_n ? q->par->rto_high : q->par->rto_low;
}

static bool irn_gbn_timeout(struct sqp *q)
{
	if (q->rto < q->par->rto_high && q->next - q->una > q->par->rto_n)
		return false; /* started when little was in flight; now it is not a loss */
	return gbn_timeout(q);
}

const struct recovery_ops recovery_irn_gbn = {
	.name = "irn-gbn",
	.what = "IRN with go-back-N in place of its loss recovery",
	.params = PARAM_TABLE(irn_gbn_rows),
	.acks_each = true,
	.resolve = irn_resolve,
	.restart_on_send = true,
	.open = gbn_open,
	.wants = gbn_wants,
	.send_next = gbn_send_next,
	.transmit = gbn_transmit,
	.acked = gbn_acked,
	.timeout = irn_gbn_timeout,
	.rewind = gbn_rewind,
	.resends = gbn_resends,
	.rto = irn_gbn_rto,
	.receive = gbn_receive,
};
