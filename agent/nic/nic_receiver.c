// SPDX-License-Identifier: GPL-2.0-or-later
/* The NIC's receivers of data: what a packet may do here, loss recovery's receiver, answers and CNPs. */
#include "agent/nic/nic_impl.h"

#include <errno.h>

static int push_ack(struct nic *n, const struct receiver *k, const struct reply *reply, bool marked)
{
	const struct recovery_ops *ops = n->par->ops;
	struct control *c = control_push(n, CONTROL_ANSWER, k->qp.flow->id);

	if (!c)
		return -ENOMEM;
	c->a.syndrome = AETH_ACK;
	c->a.msn = k->qp.msn;
	c->a.marked = marked;
	c->a.n = ops->acks == ACK_TCP ? k->qp.expected : reply->psn;
	n->stats.acks_tx++;
	if (reply->kind == REPLY_NAK) {
		n->stats.naks_tx++;
		c->a.syndrome = AETH_NAK_SEQUENCE;
		if (ops->acks != ACK_RC)
			c->a.msn = packet_number(&n->par->rules, k->qp.flow, reply->sack);
	}
	if (reply->kind == REPLY_NAK || ops->acks == ACK_TCP) {
		c->a.n_ranges = reply->n_ranges;
		for (u32 i = 0; i < reply->n_ranges; i++) {
			c->a.ranges[i].from = reply->ranges[i].from;
			c->a.ranges[i].to = reply->ranges[i].to;
		}
	}
	return 0;
}

/* A NAK that is not loss recovery's: for the packet expected next. */
static int push_nak(struct nic *n, struct receiver *k, u8 syndrome)
{
	struct control *c = control_push(n, CONTROL_ANSWER, k->qp.flow->id);

	if (!c)
		return -ENOMEM;
	c->a.n = k->qp.expected;
	c->a.syndrome = syndrome;
	c->a.msn = k->qp.msn;
	n->stats.acks_tx++;
	n->stats.naks_tx++;
	k->qp.nak_sent = true;
	return 0;
}

/* @packet: the one that was marked, if the notice says so. */
static int push_cnp(struct nic *n, const struct receiver *k, u32 packet)
{
	struct control *c = control_push(n, CONTROL_CNP, k->qp.flow->id);

	if (!c)
		return -ENOMEM;
	c->a.n = packet;
	return 0;
}

/*
 * DCQCN's notification point: a CNP for the first marked packet of a flow, then at most one per interval (SIGCOMM
 * 2015, 3.1).
 */
static int notify(struct nic *n, struct receiver *k, u64 now)
{
	if (!n->par->cc_ops->cnp || now < k->next_cnp)
		return 0;
	k->next_cnp = now + n->par->cc.cnp_interval;
	return push_cnp(n, k, NO_NUMBER);
}

/* May the packet write where its RETH says? */
static bool access_allowed(const struct nic *n, const struct flow *flow, const struct rx_packet *p, u32 number)
{
	u64 region = n->par->qp.region ? n->par->qp.region : flow->bytes, end = p->va + p->dma_len;

	return p->rkey == flow_responder_qpn(flow->id) && p->va == packet_offset(&n->par->rules, number) &&
		end >= p->va && end <= region;
}

/* SEND: is a receive posted for the message that packet @number belongs to? Each message takes one. */
static bool receive_posted(const struct nic *n, const struct receiver *k, u32 number, u64 now)
{
	u32 message = number / n->par->rules.msg_packets, rq = n->par->qp.rq;

	if (!k->posted || message < rq)
		return true;
	/* message - rq must be complete, or its receive is still taken */
	return (u64)(message - rq + 1) * n->par->rules.msg_packets <= k->qp.expected && k->posted[message % rq] <= now;
}

/* Messages complete: their receives are posted again after a while. */
static void post_again(struct nic *n, struct receiver *k, u32 before, u64 now)
{
	u32 per_message = n->par->rules.msg_packets;

	if (!k->posted)
		return;
	for (u32 m = before / per_message; m < k->qp.expected / per_message; m++)
		k->posted[m % n->par->qp.rq] = now + n->par->qp.rq_delay;
}

/*
 * What the responder checks before loss recovery sees the packet: 1 to go on, 0 if it has been dealt with, or -errno.
 * Out of order, what is refused is dropped in silence: its turn will come (IRN 5.3). In RC what is out of order is a
 * sequence error whatever it is (REFERENCE 2.2).
 */
static int admit(struct nic *n, struct receiver *k, const struct rx_packet *p, u32 number, u64 now)
{
	struct rqp *r = &k->qp;

	if (number < r->expected)
		return 1; /* a duplicate: the answer says so */
	if (number > r->expected && n->par->ops->acks == ACK_RC)
		return !k->refused; /* a sequence error before all else */
	if (k->refused || (p->has_reth && !access_allowed(n, r->flow, p, number))) {
		if (number > r->expected)
			return 0;
		if (!k->refused && n->par->ops->close_receiver)
			n->par->ops->close_receiver(r); /* what it shares with others is of no use to it now */
		k->refused = true;
		return push_nak(n, k, AETH_NAK_ACCESS); /* each time: the first may be lost */
	}
	if (receive_posted(n, k, number, now))
		return 1;
	return number > r->expected ? 0 : push_nak(n, k, AETH_RNR | n->par->qp.rnr_timer);
}

static void trace_packet(struct nic *n, const struct rqp *r, const struct rx_packet *p, u32 number, bool kept)
{
	trace_flow(n, r->flow->id,
		   (struct trace_event){ .kind = kept ? TRACE_RECEIVE : TRACE_DISCARD,
					 .packet = number,
					 .bytes = p->payload,
					 .cum = r->expected });
}

static int deliver(struct nic *n, struct receiver *k, const struct rx_frame *f, const struct rx_packet *p, u32 number)
{
	bool told = n->par->cc_ops && n->par->cc_ops->echo && p->ecn == 3, read = k->qp.flow->op == FLOW_READ;
	struct data_event d = { .n = number, .last = p->last, .ack_req = p->ack_req, .marked = told && !read };
	struct reply reply = { .kind = REPLY_NONE };
	struct rqp *r = &k->qp;
	u32 before = r->expected;
	int err;

	n->par->ops->receive(r, &d, &reply);
	trace_packet(n, r, p, number, reply.is_new);
	post_again(n, k, before, f->arrival);
	n->stats.drop_order += !reply.is_new && number > before && n->par->ops->acks == ACK_RC;
	if (reply.is_new) {
		n->stats.fresh++;
		n->stats.fresh_bytes += p->payload;
		if (r->received == r->n_packets && n->par->flows->results[r->flow->id].done_ps == TIME_NEVER) {
			n->par->flows->results[r->flow->id].done_ps = f->arrival;
			n->stats.completed++;
		}
		err = k->requester != FAB_NONE ? requester_progress(n, k->requester) : 0;
		if (err)
			return err;
	}
	if (reply.kind == REPLY_NONE && told) {
		/* a mark wants an ACK at once; READ responses have none of their own, so a CN packet (HP's proposal) */
		if (read)
			return push_cnp(n, k, number);
		reply.kind = REPLY_ACK;
		reply.psn = r->expected - 1;
	}
	return reply.kind == REPLY_NONE ? 0 : push_ack(n, k, &reply, told);
}

int receiver_receive(struct nic *n, const struct rx_frame *f, const struct rx_packet *p)
{
	const struct flow *flow = nic_flow(n, p->flow);
	struct receiver *k;
	s64 number;
	int rc;

	if (flow->dst != n->par->host || p->src != flow->src || p->to_requester != (flow->op == FLOW_READ)) {
		n->stats.discarded++;
		return 0;
	}
	k = &n->receivers[n->par->flows->dst_index[p->flow]];
	number = packet_find(&n->par->rules, flow, k->qp.expected, p->number);
	if (number < 0 || number >= k->qp.n_packets || !packet_fits(&n->par->rules, flow, number, p)) {
		n->stats.discarded++;
		return 0;
	}
	n->stats.rx_data++;
	if (p->ecn == 3 && n->par->cc_ops) {
		rc = notify(n, k, f->arrival);
		if (rc)
			return rc;
	}
	rc = admit(n, k, p, number, f->arrival);
	if (rc > 0)
		return deliver(n, k, f, p, number);
	trace_packet(n, &k->qp, p, number, false);
	return rc;
}
