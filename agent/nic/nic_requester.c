// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * READ. The requester asks for a flow's messages, up to READS_MAX ahead; the responder answers with data that it
 * paces and recovers itself, and that the requester acknowledges as any receiver does (IRN 4.2 and REFERENCE 1.6: READ
 * responses get their own ACKs and NACKs; plain RC would have the requester ask again instead). What can be lost
 * besides is the request: a timer of the requester asks again from the first message not complete. The responder takes
 * requests in order, and those it has taken already mean nothing to it. Like a sender of data the requester waits for
 * rto_low while few of its packets are in flight: requests that no response has answered.
 */
#include "agent/nic/nic_impl.h"

#include <errno.h>

#include "bpf/hash.h"

#define READS_MAX 16 /* READ requests outstanding: max_rd_atomic of common NICs */

static u32 complete(const struct nic *n, const struct requester *r)
{
	const struct rqp *q = &n->receivers[r->receiver].qp;

	return q->expected == q->n_packets ? r->messages : q->expected / n->par->rules.msg_packets;
}

/* Requests on their way: messages asked for of which nothing has come in order. */
static u32 in_flight(const struct nic *n, const struct requester *r)
{
	const struct rqp *q = &n->receivers[r->receiver].qp;
	u32 per_message = n->par->rules.msg_packets, begun = q->expected / per_message + !!(q->expected % per_message);

	return r->asked > begun ? r->asked - begun : 0;
}

/* If all are answered, what is missing is data: the responder recovers it. */
static u64 requester_rto(const struct nic *n, const struct requester *r)
{
	u32 flight = in_flight(n, r);

	return flight && flight <= n->par->recovery.rto_n ? n->par->recovery.rto_low : n->par->recovery.rto_high;
}

static void trace_timer(struct nic *n, const struct requester *r, enum trace_kind kind)
{
	trace_flow(
		n, r->flow,
		(struct trace_event){ .kind = kind, .packet = n->receivers[r->receiver].qp.expected, .rto = r->rto });
}

static void start_timer(struct nic *n, u32 number)
{
	struct requester *r = &n->requesters[number];

	if (!n->par->recovery.timeouts)
		return;
	r->armed = n->clock;
	r->rto = requester_rto(n, r);
	trace_timer(n, r, TRACE_TIMER_START);
	if (r->timer_held)
		return;
	r->timer_held = true;
	/* never later than rto_low from now, the shortest time a restart can ask for */
	timers_push(&n->timers, n->clock + n->par->recovery.rto_low,
		    tie_rank(n->par->seed, n->par->node, number | REQUESTER, 0), number | REQUESTER);
}

/* Ask for what may be asked for. 0 or -ENOMEM. */
static int ask(struct nic *n, u32 number)
{
	struct requester *r = &n->requesters[number];
	u32 done = complete(n, r);

	while (r->asked < r->messages && r->asked - done < READS_MAX) {
		struct control *c = control_push(n, CONTROL_READ, r->flow);

		if (!c)
			return -ENOMEM;
		c->a.n = r->asked;
		r->asked++;
	}
	return 0;
}

int requester_start(struct nic *n, u32 number)
{
	int err = ask(n, number);

	start_timer(n, number);
	return err;
}

/* Something new has arrived. */
int requester_progress(struct nic *n, u32 number)
{
	struct requester *r = &n->requesters[number];
	u32 done = complete(n, r);
	int err;

	if (r->error)
		return 0;
	r->retries = 0;
	if (r->asked < done)
		r->asked = done; /* what was asked again had been on its way */
	if (done == r->messages) {
		if (r->armed != TIME_NEVER)
			trace_timer(n, r, TRACE_TIMER_STOP);
		r->armed = TIME_NEVER;
		return 0;
	}
	err = ask(n, number);
	start_timer(n, number);
	return err;
}

static void fail(struct nic *n, struct requester *r, enum qp_error why)
{
	if (r->error)
		return;
	r->error = why;
	r->armed = TIME_NEVER;
	n->par->flows->results[r->flow].requester_error = why;
	n->stats.errors++;
	trace_flow(n, r->flow, (struct trace_event){ .kind = TRACE_ERROR });
}

int requester_timer(struct nic *n, struct timer t, u64 now)
{
	u32 number = t.who & ~REQUESTER;
	struct requester *r = &n->requesters[number];
	u64 rto, next;
	int err = 0;

	r->timer_held = false;
	if (r->armed == TIME_NEVER)
		return 0;
	if (r->armed + r->rto <= now && r->rto < requester_rto(n, r)) {
		r->rto = requester_rto(n, r); /* started when little was in flight; now it is not a loss */
		trace_timer(n, r, TRACE_TIMER_EXTEND);
	} else if (r->armed + r->rto <= now) {
		r->timeouts++;
		trace_timer(n, r, TRACE_TIMEOUT);
		if (n->par->qp.retry_cnt != RETRY_INFINITE && ++r->retries > n->par->qp.retry_cnt) {
			fail(n, r, QP_RETRY);
			return 0;
		}
		r->asked = complete(n, r);
		err = ask(n, number);
		r->armed = now;
		rto = requester_rto(n, r);
		r->rto = rto +
			draw32(n->par->seed, r->flow, ~r->timeouts) % (rto / 8 + 1); /* as nic_tx.c, again_rto() */
		trace_timer(n, r, TRACE_TIMER_START);
	}
	r->timer_held = true;
	next = r->armed + r->rto;
	if (next > now + n->par->recovery.rto_low)
		next = now + n->par->recovery.rto_low;
	timers_push(&n->timers, next, t.rank, t.who);
	return err;
}

/* The responder refuses. */
void requester_nak(struct nic *n, const struct rx_packet *p)
{
	const struct receiver *k = &n->receivers[n->par->flows->dst_index[p->flow]];

	if (p->syndrome == AETH_NAK_ACCESS && k->requester != FAB_NONE)
		fail(n, &n->requesters[k->requester], QP_ACCESS);
	else
		n->stats.discarded++;
}

/* A request reaches the responder: what it asks for may be sent. */
int read_request(struct nic *n, const struct rx_packet *p)
{
	const struct packet_rules *rules = &n->par->rules;
	const struct flow *flow = nic_flow(n, p->flow);
	u64 end = p->va + p->dma_len, region = n->par->qp.region ? n->par->qp.region : flow->bytes;
	struct sqp *q;
	s64 at;
	u32 s;

	if (flow->op != FLOW_READ || flow->src != n->par->host || p->src != flow->dst || p->to_requester) {
		n->stats.discarded++;
		return 0;
	}
	s = n->par->flows->src_index[flow->id];
	q = &n->senders[s].qp;
	at = packet_find(rules, flow, q->limit, p->number);
	if (at < 0 || at >= q->n_packets || at % rules->msg_packets || p->va != packet_offset(rules, at) ||
	    p->dma_len != (flow->bytes - p->va < rules->message ? flow->bytes - p->va : rules->message)) {
		n->stats.discarded++;
		return 0;
	}
	if (at != q->limit)
		return 0; /* known, or one before it was lost: the requester will ask again */
	if (p->rkey != flow_responder_qpn(flow->id) || end < p->va || end > region) {
		struct control *c = control_push(n, CONTROL_READ_NAK, flow->id);

		if (!c)
			return -ENOMEM;
		c->a.n = at;
		c->a.syndrome = AETH_NAK_ACCESS;
		return 0;
	}
	q->limit = q->n_packets - q->limit > rules->msg_packets ? q->limit + rules->msg_packets : q->n_packets;
	sender_ready(n, s);
	return 0;
}
