// SPDX-License-Identifier: GPL-2.0
/* The NIC's requesters: flow starts, retransmission timers, the round-robin and the port. */
#include "agent/nic_impl.h"

#include "agent/psn.h"
#include "bpf/hash.h"

/* Put a connection into the round-robin if it has something to send. */
void source_ready(struct nic *n, u32 s)
{
	struct source *src = &n->sources[s];

	if (src->ready || !n->par->ops->wants(&src->qp))
		return;
	src->ready = true;
	src->next_ready = FAB_NONE;
	if (n->ready_head == FAB_NONE)
		n->ready_head = s;
	else
		n->sources[n->ready_tail].next_ready = s;
	n->ready_tail = s;
}

/*
 * Start the retransmission timer, or stop it when nothing is outstanding. @restart: anew even if it is running.
 * One timer per connection, on the oldest packet not acknowledged (IBTA C9-139).
 */
void source_timer(struct nic *n, u32 s, bool restart)
{
	struct source *src = &n->sources[s];
	struct sqp *q = &src->qp;

	if (!n->par->recovery.timeouts)
		return;
	if (q->una == q->next) {
		q->armed = TIME_NEVER;
		return;
	}
	if (q->armed != TIME_NEVER && !restart)
		return;
	q->armed = n->clock;
	q->rto = n->par->ops->rto(q);
	/* an entry in the heap is never later than rto_low from now, the shortest time a restart can ask for */
	if (!src->timer_held) {
		src->timer_held = true;
		timers_push(&n->timers, n->clock + n->par->recovery.rto_low, tie_rank(n->par->seed, n->par->node, s, 0),
			    s);
	}
}

void source_acked(struct nic *n, u32 s, const struct ack_event *a)
{
	struct source *src = &n->sources[s];

	if (a->nack)
		src->count.nacks++;
	n->par->ops->acked(&src->qp, a);
	source_timer(n, s, true);
	source_ready(n, s);
}

/*
 * The time-out after a time-out: up to an eighth longer, by hash. Senders whose timers all repeat with exactly one
 * period can keep the fabric in a state that repeats too, in which the packet that each receiver waits for is dropped
 * every time, for ever (phase effects: Floyd and Jacobson 1991). Real timers are looser still: IBTA allows a detection
 * between one and four times the value.
 */
static u64 again_rto(const struct nic *n, const struct source *src)
{
	u64 rto = n->par->ops->rto(&src->qp);

	return rto + draw32(n->par->seed, src->flow, src->count.timeouts) % (rto / 8 + 1);
}

/* The heap's first entry has come up: fire, put back, or forget. */
static void timer_expired(struct nic *n, u64 now)
{
	struct timer t = timers_pop(&n->timers);
	struct source *src = &n->sources[t.who];
	struct sqp *q = &src->qp;
	u64 next;

	src->timer_held = false;
	if (q->armed == TIME_NEVER)
		return;
	if (q->armed + q->rto <= now) {
		if (n->par->ops->timeout(q)) {
			src->count.timeouts++;
			q->armed = now;
			q->rto = again_rto(n, src);
			source_ready(n, t.who);
		} else {
			q->rto = n->par->recovery.rto_high;
		}
	}
	/* never later than rto_low from now: a restart in between may ask for the short time */
	next = q->armed + q->rto;
	if (next > now + n->par->recovery.rto_low)
		next = now + n->par->recovery.rto_low;
	src->timer_held = true;
	timers_push(&n->timers, next, t.rank, t.who);
}

u64 nic_timer_next(const struct nic *n)
{
	u64 next = timers_next(&n->timers);

	if (n->started < n->n_sources) {
		u64 start = n->par->flows->flows[n->sources[n->started].flow].start_ps;

		if (start < next)
			next = start;
	}
	return next;
}

void nic_timer_event(struct nic *n, u64 now)
{
	if (n->started < n->n_sources && n->par->flows->flows[n->sources[n->started].flow].start_ps <= now) {
		n->started++;
		source_ready(n, n->started - 1);
		return;
	}
	timer_expired(n, now);
}

/* When the port could send something; TIME_NEVER if there is nothing. */
u64 nic_transmit_next(const struct nic *n)
{
	u64 next = TIME_NEVER, ready;

	if (n->ctrl_head != n->ctrl_tail)
		next = n->pause.until[n->par->rules.ack_class];
	if (n->ready_head != FAB_NONE) {
		ready = n->pause.until[n->par->rules.data_class];
		if (ready < next)
			next = ready;
	}
	if (next == TIME_NEVER)
		return next;
	if (next < n->busy_until)
		next = n->busy_until;
	return next < n->clock ? n->clock : next;
}

static int send_frame(struct nic *n, struct tx_frame *f, u64 now)
{
	n->busy_until = now + (u64)wire_bytes(f->len) * n->par->ps_per_byte;
	f->arrival = n->busy_until + n->par->delay;
	n->stats.tx_frames++;
	n->stats.tx_bytes += f->len;
	n->stats.tx_data += f->data;
	return n->io->send(n->io->ctx, f);
}

static int send_control(struct nic *n, u64 now)
{
	const struct control *c = &n->ctrl[n->ctrl_head++ & n->ctrl_mask];
	const struct flow *flow = &n->par->flows->flows[c->flow];
	struct tx_frame f;

	packet_build_ack(&n->par->rules, &f, c->flow, flow->dst, flow->src, c->psn, c->syndrome, c->msn);
	return send_frame(n, &f, now);
}

static int send_data(struct nic *n, u32 s, u32 packet, bool fresh, u64 now)
{
	struct source *src = &n->sources[s];
	const struct flow *flow = &n->par->flows->flows[src->flow];
	struct tx_frame f;

	packet_build_data(&n->par->rules, &f, src->flow, flow->src, flow->dst, flow->bytes, packet,
			  psn_add(n->par->psn0, packet));
	src->count.packets_sent++;
	src->count.retransmitted += !fresh;
	source_timer(n, s, n->par->ops->restart_on_send);
	source_ready(n, s);
	return send_frame(n, &f, now);
}

/* The port is free: ACKs and NAKs first, then the connection whose turn it is. */
int nic_transmit(struct nic *n, u64 now)
{
	if (n->ctrl_head != n->ctrl_tail && n->pause.until[n->par->rules.ack_class] <= now)
		return send_control(n, now);
	while (n->ready_head != FAB_NONE && n->pause.until[n->par->rules.data_class] <= now) {
		u32 s = n->ready_head;
		struct source *src = &n->sources[s];

		n->ready_head = src->next_ready;
		src->ready = false;
		while (n->par->ops->wants(&src->qp)) {
			u32 next = src->qp.next;
			u32 packet = n->par->ops->transmit(&src->qp);

			if (packet != NO_PACKET)
				return send_data(n, s, packet, packet >= next, now);
		}
	}
	return 0;
}
