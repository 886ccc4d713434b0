// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IRN's loss recovery (SIGCOMM 2018, section 3.1, and BDP-FC, 3.2; REFERENCE 1.3, 1.4). The responder keeps
 * packets out of order and answers each with a NACK that carries the cumulative acknowledgement and the packet
 * that triggered it. The requester resends the cumulative hole first, then a hole only if something above it
 * has been acknowledged; new packets stay within the cap. Without BDP-FC (irn-nobdp) the cap is what PSNs allow.
 *
 * Without SACK (irn-nosack; IRN 4.3 rejects it, REFERENCE 1.7) the requester knows of one loss at a time: the first
 * packet missing. In recovery a partial acknowledgement shows the next one (RFC 6582, TCP's NewReno).
 */
#include "agent/recovery/irn_params.h"
#include "agent/recovery/rtt.h"
#include "agent/packet/psn.h"

struct irn {
	u32 rtx;     /* the packet to resend, or last resent */
	u32 recover; /* last new packet sent before the latest retransmission */
	u32 high;    /* one above the highest packet acknowledged selectively; 0 if none */
	bool in_recovery;
	bool do_retransmit; /* rtx is lost: send it at the next opportunity */
	bool find_hole;     /* look for the next hole after the next opportunity */
	bool no_sack;       /* heed cumulative acknowledgements only */
	struct rtt rtt;     /* of rto=dynamic */
};
_Static_assert(sizeof(struct irn) <= sizeof(u64) * RECOVERY_PRIVATE, "private state");

static struct irn *irn(const struct sqp *q)
{
	return (struct irn *)q->priv;
}

static int irn_open(struct sqp *q)
{
	rtt_open(&irn(q)->rtt);
	return bitmap_init(&q->sacked, q->par->cap < q->n_packets ? q->par->cap : q->n_packets);
}

static int nosack_open(struct sqp *q)
{
	irn(q)->no_sack = true;
	return irn_open(q);
}

static int irn_open_receiver(struct rqp *r)
{
	u32 window = r->par->cap < r->n_packets ? r->par->cap : r->n_packets;

	return bitmap_init(&r->got, window) || bitmap_init(&r->last, window) ? -1 : 0;
}

static bool may_send_new(const struct sqp *q)
{
	u32 most = q->window < q->par->cap ? q->window : q->par->cap;

	return q->next < q->limit && q->next - q->una < most;
}

static bool irn_wants(const struct sqp *q)
{
	return irn(q)->do_retransmit || irn(q)->find_hole || may_send_new(q);
}

/* rewind() makes packets new again by lowering next: they count as new. */
static bool irn_resends(const struct sqp *q)
{
	return irn(q)->do_retransmit && irn(q)->rtx >= q->una;
}

/* The first packet above the last one resent that is missing although a higher one has arrived. */
static void find_hole(struct sqp *q)
{
	struct irn *s = irn(q);
	u32 from = s->rtx < q->una ? q->una : s->rtx + 1;
	u32 hole;

	s->find_hole = false;
	if (s->high <= from)
		return;
	hole = bitmap_next_clear(&q->sacked, from, s->high);
	if (hole < s->high) {
		s->rtx = hole;
		s->do_retransmit = true;
	}
}

static u32 irn_transmit(struct sqp *q, u64 now)
{
	struct irn *s = irn(q);
	u32 n = NO_PACKET, next = q->next;

	if (s->do_retransmit && s->rtx >= q->una) {
		n = s->rtx;
		if (n == q->una)
			s->in_recovery = true;
		s->recover = q->next - 1;
		s->do_retransmit = false;
		s->find_hole = true;
	} else {
		if (s->do_retransmit)
			s->do_retransmit = s->find_hole = false;
		if (may_send_new(q))
			n = q->next++;
	}
	/* after the decision: a hole found now waits for the next opportunity, as in the authors' hardware */
	if (s->find_hole)
		find_hole(q);
	if (n != NO_PACKET)
		rtt_sent(&s->rtt, n, n >= next, now);
	return n;
}

static void advance_una(struct sqp *q, u32 cum)
{
	for (u32 n = q->una; n < cum; n++)
		bitmap_clear(&q->sacked, n);
	q->una = cum;
	if (q->next < cum)
		q->next = cum; /* it had gone back */
}

/* A selective acknowledgement; what it says about the holes below. */
static void sack(struct sqp *q, u32 n)
{
	struct irn *s = irn(q);
	bool highest = n + 1 > s->high;

	if (n < q->una || s->no_sack)
		return;
	bitmap_set(&q->sacked, n);
	if (highest)
		s->high = n + 1;
	if (!s->in_recovery)
		return;
	if (s->do_retransmit && s->rtx == n) {
		s->do_retransmit = false; /* it was not lost */
		s->find_hole = true;
	} else if (!s->do_retransmit && highest) {
		s->find_hole = true;
	}
}

/*
 * A partial acknowledgement: the new first hole is lost, unless it has been resent already. By the paper's text only if
 * a packet above it has been acknowledged selectively; else the next NACK will tell.
 */
static void partial(struct sqp *q)
{
	struct irn *s = irn(q);

	if (s->rtx > q->una || (s->rtx == q->una && !s->do_retransmit))
		return;
	if (s->no_sack || irn_params(q->par)->hls || s->high > q->una) {
		s->rtx = q->una;
		s->do_retransmit = true;
		s->find_hole = false;
	} else if (s->rtx < q->una) {
		s->do_retransmit = s->find_hole = false; /* acknowledged */
	}
}

static void irn_acked(struct sqp *q, const struct ack_event *a)
{
	struct irn *s = irn(q);
	bool progress = a->cum > q->una, nack;

	if (progress)
		advance_una(q, a->cum);
	nack = a->nack && a->sack < q->next; /* not of a packet from before going back, which will be sent again */
	if (nack)
		sack(q, a->sack);
	/* only a recovery that has begun can end: a retransmission armed but not sent yet stands */
	if (s->in_recovery && q->una > s->recover)
		s->in_recovery = s->find_hole = s->do_retransmit = false;
	if (s->rtt.timed != NO_PACKET && (s->rtt.timed < q->una || (a->nack && s->rtt.timed == a->sack)))
		rtt_measured(&s->rtt, a->now);
	if (progress && s->in_recovery) {
		partial(q);
	} else if (!progress && !s->in_recovery && nack && q->una < q->next) {
		s->rtx = q->una;
		s->do_retransmit = true;
		s->find_hole = false;
	}
}

static bool irn_timeout(struct sqp *q)
{
	if (!irn_params(q->par)->dynamic && q->rto < q->par->rto_high && q->next - q->una > q->par->rto_n)
		return false; /* started when little was in flight; now it is not a loss */
	rtt_timeout(&irn(q)->rtt);
	irn(q)->rtx = q->una;
	irn(q)->do_retransmit = true;
	irn(q)->find_hole = false;
	return true;
}

/* All from una on has been thrown away: it is new again. */
static void irn_rewind(struct sqp *q)
{
	struct irn *s = irn(q);

	for (u32 n = q->una; n < q->next; n++)
		bitmap_clear(&q->sacked, n);
	q->next = q->una;
	s->high = 0;
	s->rtt.timed = NO_PACKET;
	s->in_recovery = s->do_retransmit = s->find_hole = false;
}

static u64 irn_rto(const struct sqp *q)
{
	if (irn_params(q->par)->dynamic)
		return rtt_rto(&irn(q)->rtt, q->par->rto_high, q->par->rto_low);
	return q->next - q->una > q->par->rto_n ? q->par->rto_high : q->par->rto_low;
}

static void irn_receive(struct rqp *r, const struct data_event *d, struct reply *reply)
{
	reply->kind = REPLY_ACK;
	reply->is_new = false;
	reply->n_ranges = 0;
	if (d->n > r->expected) {
		reply->kind = REPLY_NAK;
		reply->sack = d->n;
		reply->psn = r->expected;
		if (d->n - r->expected > r->got.mask) {
			reply->kind = REPLY_NONE; /* beyond any cap: no room to remember it */
			return;
		}
		if (!bitmap_test(&r->got, d->n)) {
			bitmap_set(&r->got, d->n);
			if (d->last)
				bitmap_set(&r->last, d->n);
			r->received++;
			reply->is_new = true;
		}
		return;
	}
	if (d->n == r->expected) {
		r->msn += d->last;
		r->expected++;
		r->received++;
		reply->is_new = true;
		while (bitmap_test(&r->got, r->expected)) {
			r->msn += bitmap_test(&r->last, r->expected);
			bitmap_clear(&r->got, r->expected);
			bitmap_clear(&r->last, r->expected);
			r->expected++;
		}
	}
	reply->psn = r->expected - 1;
}

/* Without BDP-FC only PSNs limit what is in flight. */
static void nobdp_resolve(struct recovery_params *p)
{
	p->cap = PSN_WINDOW_MAX - 1;
}

static const char *const lost_words[] = { "paper", "hls", NULL };
static const char *const rto_words[] = { "fixed", "dynamic", NULL };

#define IRN_LOST                                                                                                       \
	{                                                                                                              \
		.name = "irn_lost", .kind = PARAM_WORD, PARAM_OWN(recovery_params, irn_params, hls),                   \
		.words = lost_words, .def = "paper", .why_unused = "does not recover as IRN", .advanced = true,        \
		.help = "in recovery, lost is: what a higher SACK shows (paper), or any first hole (hls)"              \
	}
#define IRN_RTO                                                                                                        \
	{                                                                                                              \
		.name = "rto", .kind = PARAM_WORD, PARAM_OWN(recovery_params, irn_params, dynamic),                    \
		.words = rto_words, .def = "fixed", .why_unused = "does not choose", .advanced = true,                 \
		.help = "dynamic = from the round trip, as TCP (RFC 6298), rto_low or more"                            \
	}

static const struct param rows[] = { IRN_CAP, IRN_LOST, IRN_RTO, IRN_RTO_LOW, IRN_RTO_N };
static const struct param nobdp_rows[] = { IRN_LOST, IRN_RTO, IRN_RTO_LOW, IRN_RTO_N };
static const struct param nosack_rows[] = { IRN_CAP, IRN_RTO, IRN_RTO_LOW, IRN_RTO_N };

/* IRN 6.1 (REFERENCE 1.8). */
#define IRN_COSTS                                                                                                      \
	{ "requester", 52, true }, { "responder", 52, true },                                                          \
	{                                                                                                              \
		"READs", 56, true                                                                                      \
	}

#define IRN_OPS                                                                                                        \
	.acks = ACK_SACK_PSN, .acks_each = true, .restart_on_send = true, .open_receiver = irn_open_receiver,          \
	.wants = irn_wants, .transmit = irn_transmit, .acked = irn_acked, .timeout = irn_timeout,                      \
	.rewind = irn_rewind, .resends = irn_resends, .rto = irn_rto, .receive = irn_receive

const struct recovery_ops recovery_irn = {
	.name = "irn",
	.what = "IRN (SIGCOMM 2018): selective retransmission, BDP-FC",
	.params = PARAM_TABLE(rows),
	.resolve = irn_resolve,
	.open = irn_open,
	.costs = { IRN_COSTS, { "five bitmaps of 128 bits", 5 * 128, true } },
	IRN_OPS,
};

const struct recovery_ops recovery_irn_nobdp = {
	.name = "irn-nobdp",
	.what = "IRN without BDP-FC",
	.params = PARAM_TABLE(nobdp_rows),
	.resolve = nobdp_resolve,
	.open = irn_open,
	.costs = { IRN_COSTS }, /* and bitmaps that nothing bounds */
	IRN_OPS,
};

const struct recovery_ops recovery_irn_nosack = {
	.name = "irn-nosack",
	.what = "IRN without SACK: one loss known at a time",
	.params = PARAM_TABLE(nosack_rows),
	.resolve = irn_resolve,
	.open = nosack_open,
	.costs = { IRN_COSTS },
	IRN_OPS,
};
