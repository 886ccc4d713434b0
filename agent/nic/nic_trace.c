// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of a NIC, written down for those who asked (agent/nic/trace.h). Nothing here changes what the NIC does. */
#include <errno.h>
#include <stdlib.h>

#include "agent/nic/nic_impl.h"

/* When a sender's packets left, for RTTs: [packet & mask]. */
struct send_times {
	u64 *at; /* TIME_NEVER: no sample, since the packet has left twice (Karn) or has given one */
	u32 mask;
};

static bool is_traced(const struct nic *n, u32 flow)
{
	const u64 *flows = n->par->trace.flows;

	return !flows || flows[flow / 64] >> flow % 64 & 1;
}

/* More than can be in flight, so that no two packets of a window meet in one place. */
static int open_times(struct send_times *t, const struct sqp *q)
{
	u64 places = 1, most = q->par->cap < q->n_packets ? (u64)q->par->cap + 1 : q->n_packets;

	while (places < most)
		places *= 2;
	t->mask = (u32)(places - 1);
	t->at = calloc(places, sizeof(*t->at));
	for (u64 i = 0; t->at && i < places; i++)
		t->at[i] = TIME_NEVER;
	return t->at ? 0 : -ENOMEM;
}

int nic_trace_open(struct nic *n)
{
	int rc = 0;

	if (!n->par->trace.buffer)
		return 0;
	n->send_times = calloc(n->n_senders + 1, sizeof(*n->send_times));
	if (!n->send_times)
		return -ENOMEM;
	for (u32 s = 0; !rc && s < n->n_senders; s++)
		if (is_traced(n, n->senders[s].flow))
			rc = open_times(&n->send_times[s], &n->senders[s].qp);
	return rc;
}

void nic_trace_close(struct nic *n)
{
	for (u32 s = 0; n->send_times && s < n->n_senders; s++)
		free(n->send_times[s].at);
	free(n->send_times);
}

static void append(struct nic *n, u32 flow, const struct trace_event *e)
{
	struct trace_buffer *b = n->par->trace.buffer;
	struct trace_event *to;

	if (b->n >= n->par->trace.size) {
		b->full = 1;
		return;
	}
	to = &b->events[b->n++];
	*to = *e;
	to->time = n->clock;
	to->flow = flow;
}

void nic_trace_flow(struct nic *n, u32 flow, const struct trace_event *e)
{
	if (is_traced(n, flow))
		append(n, flow, e);
}

/* The time since @packet left, or 0 if that is no sample. */
static u64 take_rtt(struct nic *n, struct send_times *t, u32 packet)
{
	u64 *at = &t->at[packet & t->mask], sent = *at;

	*at = TIME_NEVER;
	return sent == TIME_NEVER ? 0 : n->clock - sent;
}

/* Packets that may be in flight. */
static u32 window(const struct nic *n, const struct sqp *q)
{
	const struct recovery_ops *ops = n->par->ops;
	u32 least = ops->most ? ops->most(q) : q->window < q->par->cap ? q->window : q->par->cap;

	return ops->own_window && ops->own_window(q) < least ? ops->own_window(q) : least;
}

void nic_trace_sender(struct nic *n, u32 s, struct trace_event e)
{
	const struct sender *src = &n->senders[s];
	struct send_times *t = &n->send_times[s];
	const struct sqp *q = &src->qp;

	if (!is_traced(n, src->flow))
		return;
	if (e.kind == TRACE_SEND || e.kind == TRACE_RESEND)
		t->at[e.packet & t->mask] = e.kind == TRACE_SEND ? n->clock : TIME_NEVER;
	else if ((e.kind == TRACE_ACK || e.kind == TRACE_NACK) && e.packet != TRACE_NONE)
		e.rtt = take_rtt(n, t, e.packet);
	e.window = window(n, q);
	e.in_flight = q->next - q->una;
	if (n->par->cc_ops) {
		struct cc copy = n->ccs[s]; /* rate() may bring the state up to date, which is not for us to cause */

		e.rate = n->par->cc_ops->rate(&copy, n->clock);
	}
	append(n, src->flow, &e);
}
