// SPDX-License-Identifier: GPL-2.0-or-later
/* A NIC's connections, set up before the run as by a connection manager. */
#include "agent/nic/nic_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "bpf/hash.h"

static int compare_starts(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->who < y->who ? -1 : x->who > y->who;
}

/* The flows that begin here, in order; flows that start together begin in an order by seed. */
static int list_starts(struct nic *n, const u32 *flows, u32 count)
{
	n->starts = calloc(count + 1, sizeof(*n->starts));
	if (!n->starts)
		return -ENOMEM;
	for (u32 i = 0; i < count; i++) {
		const struct flow *f = nic_flow(n, flows[i]);

		n->starts[i] = (struct start){
			.time = f->start_ps,
			.rank = tie_rank(n->par->seed, n->par->node, f->id, f->start_ps),
			.who = flows[i],
		};
	}
	qsort(n->starts, count, sizeof(*n->starts), compare_starts);
	return 0;
}

static int open_sender(struct nic *n, u32 s, u32 flow)
{
	struct sender *src = &n->senders[s];
	const struct flow *f = nic_flow(n, flow);
	struct sqp *q = &src->qp;

	n->par->flows->src_index[flow] = s;
	src->flow = flow;
	src->class = f->class;
	q->par = &n->par->recovery;
	q->host = n->shared;
	q->n_packets = packet_count(&n->par->rules, f->bytes);
	q->limit = f->op == FLOW_READ ? 0 : q->n_packets;
	q->window = NO_LIMIT;
	q->armed = TIME_NEVER;
	src->lost_at = TIME_NEVER;
	if (n->par->cc_ops) {
		struct cc *cc = &n->ccs[s];

		cc->par = &n->par->cc;
		cc->no_window = f->op == FLOW_READ;
		if (n->par->cc_ops->open(cc))
			return -ENOMEM;
		if (n->par->cc_ops->window)
			q->window = n->par->cc_ops->window(cc);
	}
	return n->par->ops->open(q) ? -ENOMEM : 0;
}

static int open_receiver_qp(struct nic *n, u32 d, u32 flow)
{
	struct receiver *k = &n->receivers[d];
	struct rqp *r = &k->qp;

	n->par->flows->dst_index[flow] = d;
	k->requester = FAB_NONE;
	r->par = &n->par->recovery;
	r->host = n->shared;
	r->rules = &n->par->rules;
	r->flow = nic_flow(n, flow);
	r->n_packets = packet_count(&n->par->rules, r->flow->bytes);
	if (r->flow->op == FLOW_SEND && n->par->qp.rq) {
		k->posted = calloc(n->par->qp.rq < r->n_packets ? n->par->qp.rq : r->n_packets, sizeof(u64));
		if (!k->posted)
			return -ENOMEM;
	}
	return n->par->ops->open_receiver && n->par->ops->open_receiver(r) ? -ENOMEM : 0;
}

static void open_requester(struct nic *n, u32 r, u32 flow)
{
	u32 receiver = n->par->flows->dst_index[flow], per_message = n->par->rules.msg_packets;

	n->receivers[receiver].requester = r;
	n->requesters[r] = (struct requester){
		.flow = flow,
		.receiver = receiver,
		.messages = (n->receivers[receiver].qp.n_packets + per_message - 1) / per_message,
		.armed = TIME_NEVER,
	};
}

/* Sources and readers are numbered in the order in which their flows start; READ's sources wait to be asked. */
static int open_in_order(struct nic *n)
{
	u32 s = 0, r = 0, begins = 0;

	for (u32 i = 0; i < n->n_starts; i++) {
		struct start at = n->starts[i];
		const struct flow *f = nic_flow(n, at.who);
		bool read = f->op == FLOW_READ;

		if (f->src == n->par->host) {
			if (open_sender(n, s, f->id))
				return -ENOMEM;
			if (!read)
				n->starts[begins++] = (struct start){ at.time, at.rank, s };
			s++;
		}
		if (read && f->dst == n->par->host) {
			open_requester(n, r, f->id);
			n->starts[begins++] = (struct start){ at.time, at.rank, r++ | REQUESTER };
		}
	}
	n->n_starts = begins;
	return 0;
}

static void count(struct nic *n, u32 *here)
{
	const struct flow_table *t = n->par->flows;

	for (u32 i = 0; i < t->n; i++) {
		bool sender = t->flows[i].src == n->par->host, receiver = t->flows[i].dst == n->par->host;
		bool requester = receiver && t->flows[i].op == FLOW_READ;

		n->n_senders += sender;
		n->n_receivers += receiver;
		n->n_requesters += requester;
		if (sender || requester)
			here[n->n_starts++] = i;
	}
}

static int allocate(struct nic *n)
{
	n->senders = calloc(n->n_senders + 1, sizeof(*n->senders));
	n->receivers = calloc(n->n_receivers + 1, sizeof(*n->receivers));
	n->requesters = calloc(n->n_requesters + 1, sizeof(*n->requesters));
	if (n->par->cc_ops)
		n->ccs = calloc(n->n_senders + 1, sizeof(*n->ccs));
	if (!n->senders || !n->receivers || !n->requesters || (n->par->cc_ops && !n->ccs))
		return -ENOMEM;
	if (n->par->ops->host_new) {
		n->shared = n->par->ops->host_new(&n->par->recovery);
		if (!n->shared)
			return -ENOMEM;
	}
	return timers_init(&n->timers, n->n_senders + n->n_requesters) || timers_init(&n->pace, n->n_senders) ? -ENOMEM
													      : 0;
}

int nic_open_connections(struct nic *n)
{
	const struct flow_table *t = n->par->flows;
	u32 *here = calloc(t->n + 1, sizeof(*here)), sinks = 0;
	int rc = -ENOMEM;

	if (here) {
		count(n, here);
		rc = allocate(n);
		if (!rc)
			rc = list_starts(n, here, n->n_starts);
	}
	free(here);
	for (u32 i = 0; !rc && i < t->n; i++)
		if (t->flows[i].dst == n->par->host)
			rc = open_receiver_qp(n, sinks++, i);
	if (!rc)
		rc = open_in_order(n);
	return rc ? rc : nic_trace_open(n);
}

void nic_close_connections(struct nic *n)
{
	const struct recovery_ops *ops = n->par->ops;

	for (u32 s = 0; n->senders && s < n->n_senders; s++) {
		if (ops->close && n->senders[s].qp.par)
			ops->close(&n->senders[s].qp);
		bitmap_free(&n->senders[s].qp.sacked);
		if (n->ccs)
			free(n->ccs[s].mem);
	}
	for (u32 s = 0; n->receivers && s < n->n_receivers; s++) {
		if (ops->close_receiver && n->receivers[s].qp.par)
			ops->close_receiver(&n->receivers[s].qp);
		bitmap_free(&n->receivers[s].qp.got);
		bitmap_free(&n->receivers[s].qp.last);
		free(n->receivers[s].posted);
	}
	if (n->shared)
		ops->host_free(n->shared);
	nic_trace_close(n);
	timers_free(&n->timers);
	timers_free(&n->pace);
	free(n->senders);
	free(n->ccs);
	free(n->receivers);
	free(n->requesters);
	free(n->starts);
	free(n->waiting.list);
}
