// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the NIC must fetch before it can go on. Two things may lie in memory off chip:
 *
 * - A packet to be sent again. What is new has been fetched ahead; a retransmission has not, so it leaves only
 * retx_fetch after the sender has it as the next to send (IRN 6.3 takes 2 us; REFERENCE 1.8). Meanwhile the connection
 * sends nothing. Retransmissions that follow one another are fetched ahead and wait once.
 * - The state of a connection, where the chip holds but some (MELO 3.2.1 and 3.2.5; REFERENCE 3.5). The first packet,
 * in either direction, for a connection that is not on chip asks for it, and those that come until it is there wait,
 *   too. Connections on chip go on meanwhile: the state that gives way leaves when the other comes. Timers of the NIC
 * do not wait.
 */
#include <errno.h>
#include <stdlib.h>

#include "agent/nic/nic_impl.h"

#define WAITING_FIRST 64

u64 fetch_for_sender(struct nic *n, u32 s)
{
	const struct recovery_ops *ops = n->par->ops;
	struct sender *src = &n->senders[s];

	if (ops->fetch_sender && !src->fetched && !src->error && ops->wants(&src->qp)) {
		u64 time = ops->fetch_sender(&src->qp);

		src->fetched = time ? n->clock + time : 0;
	}
	if (!n->par->qp.retx_fetch || !ops->resends(&src->qp))
		src->lost_at = TIME_NEVER;
	else if (src->lost_at == TIME_NEVER)
		src->lost_at = n->clock;
	return src->lost_at == TIME_NEVER ? src->fetched : max64(src->fetched, src->lost_at + n->par->qp.retx_fetch);
}

/* Behind all that are due no later. 0 or -ENOMEM. */
static int wait_until(struct waiting_list *l, u64 due, const struct rx_packet *p)
{
	u32 at;

	if (l->head == l->tail)
		l->head = l->tail = 0;
	if (l->tail == l->size) {
		u32 size = l->size ? 2 * l->size : WAITING_FIRST;
		struct waiting *bigger = realloc(l->list, size * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		l->list = bigger;
		l->size = size;
	}
	for (at = l->tail++; at > l->head && l->list[at - 1].due > due; at--)
		l->list[at] = l->list[at - 1];
	l->list[at] = (struct waiting){ .due = due, .p = *p };
	return 0;
}

/* When the state of the packet's connection comes, or has come; NULL if the flow has no end here. */
static u64 *fetched_of(struct nic *n, const struct rx_packet *p)
{
	const struct flow *f = nic_flow(n, p->flow);

	if (f->src == n->par->host)
		return &n->senders[n->par->flows->src_index[p->flow]].fetched;
	return f->dst == n->par->host ? &n->receivers[n->par->flows->dst_index[p->flow]].fetched : NULL;
}

static u64 time_to_fetch(const struct nic *n, const struct rx_packet *p)
{
	const struct flow_table *t = n->par->flows;

	return nic_flow(n, p->flow)->src == n->par->host
		? n->par->ops->fetch_sender(&n->senders[t->src_index[p->flow]].qp)
		: n->par->ops->fetch_receiver(&n->receivers[t->dst_index[p->flow]].qp);
}

static int handle(struct nic *n, u64 now, const struct rx_packet *p)
{
	u64 *fetched = fetched_of(n, p);

	if (fetched)
		*fetched = 0; /* using the connection puts it on chip */
	return nic_handle(n, &(struct rx_frame){ .arrival = now }, p);
}

int fetch_for_packet(struct nic *n, const struct rx_frame *f, const struct rx_packet *p)
{
	u64 *fetched = fetched_of(n, p), time;

	if (fetched && !*fetched) {
		time = time_to_fetch(n, p);
		*fetched = time ? f->arrival + time : 0;
	}
	/* at that very time those that have waited are still to be handled, before this one */
	if (fetched && *fetched >= f->arrival)
		return wait_until(&n->waiting, *fetched, p);
	return handle(n, f->arrival, p);
}

int fetch_done(struct nic *n)
{
	struct waiting w = n->waiting.list[n->waiting.head++];

	return handle(n, w.due, &w.p);
}
