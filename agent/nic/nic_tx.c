// SPDX-License-Identifier: GPL-2.0-or-later
/* The NIC's senders of data: flow starts, retransmission timers, pacing, the round-robin and the port. */
#include "agent/nic/nic_impl.h"

#include "bpf/credit.h"
#include "bpf/hash.h"

/* Would the connection send if it were not for congestion control's window? */
static bool window_closed(struct nic *n, struct sqp *q)
{
	u32 window = q->window;
	bool wants;

	if (window == NO_LIMIT)
		return false;
	q->window = NO_LIMIT;
	wants = n->par->ops->wants(q);
	q->window = window;
	return wants;
}

/* The last in the round-robin of its class. */
static void join_ready(struct nic *n, u32 s)
{
	struct sender *src = &n->senders[s];
	struct ready_list *list = &n->ready[src->class];

	src->ready = true;
	src->ticket = n->tickets++;
	src->next_ready = FAB_NONE;
	if (n->ready_classes >> src->class & 1)
		n->senders[list->tail].next_ready = s;
	else
		list->head = s;
	list->tail = s;
	n->ready_classes |= 1U << src->class;
}

/* Take the first connection of a class, which has one, out of the round-robin. */
static u32 leave_ready(struct nic *n, u32 class)
{
	u32 s = n->ready[class].head;
	struct sender *src = &n->senders[s];

	src->ready = false;
	n->ready[class].head = src->next_ready;
	if (src->next_ready == FAB_NONE)
		n->ready_classes &= ~(1U << class);
	return s;
}

/* Put a connection into the round-robin if it has something to send and may, or among those who wait for a time. */
void sender_ready(struct nic *n, u32 s)
{
	struct sender *src = &n->senders[s];
	u64 fetched = sender_fetched(n, s), held;

	if (src->ready || src->paced || src->error)
		return;
	if (!n->par->ops->wants(&src->qp)) {
		if (window_closed(n, &src->qp))
			src->limit = CC_WINDOW;
		return;
	}
	held = max64(src->rnr_until, fetched);
	if (held > n->clock || src->not_before > n->clock) {
		src->limit = held > src->not_before ? CC_OTHER : CC_RATE;
		src->paced = true;
		timers_push(&n->pace, max64(held, src->not_before), tie_rank(n->par->seed, n->par->node, s, n->clock),
			    s);
		return;
	}
	join_ready(n, s);
}

/*
 * Start the retransmission timer, or stop it when nothing is outstanding. @restart: anew even if it is running.
 * One timer per connection, on the oldest packet not acknowledged (IBTA C9-139).
 */
void sender_timer(struct nic *n, u32 s, bool restart)
{
	struct sender *src = &n->senders[s];
	struct sqp *q = &src->qp;

	if (!n->par->recovery.timeouts)
		return;
	if (q->una == q->next || src->error || src->rnr_until > n->clock) {
		if (q->armed != TIME_NEVER)
			trace_sender(n, s, (struct trace_event){ .kind = TRACE_TIMER_STOP });
		q->armed = TIME_NEVER; /* nothing to wait for, or the responder has said for how long */
		return;
	}
	if (q->armed != TIME_NEVER && !restart)
		return;
	q->armed = n->clock;
	q->rto = n->par->ops->rto(q);
	trace_sender(n, s, (struct trace_event){ .kind = TRACE_TIMER_START, .packet = q->una, .rto = q->rto });
	/* an entry in the heap is never later than rto_low from now, the shortest time a restart can ask for */
	if (!src->timer_held) {
		src->timer_held = true;
		timers_push(&n->timers, n->clock + n->par->recovery.rto_low, tie_rank(n->par->seed, n->par->node, s, 0),
			    s);
	}
}

/* A queue pair stops in error: nothing more is sent, and the flow's record says why. */
void sender_fail(struct nic *n, u32 s, enum qp_error why)
{
	struct sender *src = &n->senders[s];

	if (src->error)
		return;
	src->error = why;
	if (n->par->ops->rewind)
		n->par->ops->rewind(&src->qp); /* gives back what it shares with others */
	src->qp.armed = TIME_NEVER;
	n->par->flows->results[src->flow].error = why;
	n->stats.errors++;
	trace_sender(n, s, (struct trace_event){ .kind = TRACE_ERROR });
}

/*
 * The time-out after a time-out: up to an eighth longer, by hash. Senders whose timers all repeat with exactly one
 * period can keep the fabric in a state that repeats too, in which the packet that each receiver waits for is dropped
 * every time, for ever (phase effects: Floyd and Jacobson 1991). Real timers are looser still: IBTA allows a detection
 * between one and four times the value.
 */
static u64 again_rto(const struct nic *n, const struct sender *src)
{
	u64 rto = n->par->ops->rto(&src->qp);

	return rto + draw32(n->par->seed, src->flow, src->count.timeouts) % (rto / 8 + 1);
}

void sender_backed_off(struct nic *n, u32 s, u32 before)
{
	struct sender *src = &n->senders[s];

	if (src->qp.backoffs == before)
		return;
	n->par->cc_ops->lost(&n->ccs[s], n->clock, src->sent_high);
	if (n->par->cc_ops->window)
		src->qp.window = n->par->cc_ops->window(&n->ccs[s]);
}

static void time_out(struct nic *n, u32 s, u64 now)
{
	struct sender *src = &n->senders[s];
	struct sqp *q = &src->qp;

	u32 backoffs = q->backoffs;

	if (!n->par->ops->timeout(q)) {
		q->rto = n->par->recovery.rto_high;
		trace_sender(n, s, (struct trace_event){ .kind = TRACE_TIMER_EXTEND, .packet = q->una, .rto = q->rto });
		return;
	}
	src->count.timeouts++;
	trace_sender(n, s, (struct trace_event){ .kind = TRACE_TIMEOUT, .packet = q->una });
	sender_backed_off(n, s, backoffs);
	if (n->par->qp.retry_cnt != RETRY_INFINITE && ++src->retries > n->par->qp.retry_cnt) {
		sender_fail(n, s, QP_RETRY);
		return;
	}
	if (n->par->cc_ops && n->par->cc_ops->timeout)
		n->par->cc_ops->timeout(&n->ccs[s], q->una, src->sent_high);
	if (n->par->cc_ops && n->par->cc_ops->window)
		q->window = n->par->cc_ops->window(&n->ccs[s]);
	q->armed = now;
	q->rto = again_rto(n, src);
	trace_sender(n, s, (struct trace_event){ .kind = TRACE_TIMER_START, .packet = q->una, .rto = q->rto });
	sender_ready(n, s);
}

/* The heap's first entry has come up: fire, put back, or forget. */
static int timer_expired(struct nic *n, u64 now)
{
	struct timer t = timers_pop(&n->timers);
	struct sender *src;
	struct sqp *q;
	u64 next;

	if (t.who & REQUESTER)
		return requester_timer(n, t, now);
	src = &n->senders[t.who];
	q = &src->qp;
	src->timer_held = false;
	if (q->armed == TIME_NEVER)
		return 0;
	if (q->armed + q->rto <= now)
		time_out(n, t.who, now);
	if (q->armed == TIME_NEVER)
		return 0;
	/* never later than rto_low from now: a restart in between may ask for the short time */
	next = q->armed + q->rto;
	if (next > now + n->par->recovery.rto_low)
		next = now + n->par->recovery.rto_low;
	src->timer_held = true;
	timers_push(&n->timers, next, t.rank, t.who);
	return 0;
}

static u64 start_next(const struct nic *n)
{
	return n->started < n->n_starts ? n->starts[n->started].time : TIME_NEVER;
}

u64 nic_timer_next(const struct nic *n)
{
	u64 next = timers_next(&n->timers), start = start_next(n), pace = timers_next(&n->pace);

	if (pace < next)
		next = pace;
	next = min64(next, fetch_next(n));
	if (n->storm_again < next)
		next = n->storm_again;
	return start < next ? start : next;
}

/* At equal time: flows begin, those whose time has come queue up, then timers expire. */
int nic_timer_event(struct nic *n, u64 now)
{
	u32 who;

	if (n->storm_again <= now) {
		nic_storm_repeat(n);
	} else if (start_next(n) <= now) {
		who = n->starts[n->started++].who;
		if (who & REQUESTER)
			return requester_start(n, who & ~REQUESTER);
		sender_ready(n, who);
	} else if (fetch_next(n) <= now) {
		return fetch_done(n);
	} else if (timers_next(&n->pace) <= now) {
		who = timers_pop(&n->pace).who;
		n->senders[who].paced = false;
		sender_ready(n, who);
	} else {
		return timer_expired(n, now);
	}
	return 0;
}

/* Whether anything waits for the port. */
bool nic_has_frames(const struct nic *n)
{
	return n->control_classes | n->ready_classes;
}

/* The ticket of what is first in line of a class that has something: of data, or of the rest. */
static u64 first_ticket(const struct nic *n, bool data, u32 class)
{
	const struct control_queue *q = &n->control[class];

	return data ? n->senders[n->ready[class].head].ticket : q->ring[q->head & (q->size - 1)].ticket;
}

/* The class that goes next of data, or of the rest: whichever has waited longest of those that may; or FAB_NONE. */
static u32 next_class(const struct nic *n, bool data, u64 now)
{
	u64 least = TIME_NEVER;
	u32 best = FAB_NONE;

	for (u32 left = data ? n->ready_classes : n->control_classes; left; left &= left - 1) {
		u32 class = (u32)__builtin_ctz(left);

		if (n->pause.until[class] > now || first_ticket(n, data, class) >= least)
			continue;
		best = class;
		least = first_ticket(n, data, class);
	}
	return best;
}

/* When the port could send something; TIME_NEVER if there is nothing, or nothing to send it on. */
u64 nic_transmit_next(const struct nic *n)
{
	u64 next = TIME_NEVER;

	if (n->down)
		return TIME_NEVER;
	if (n->storm_pending)
		next = 0;
	for (u32 left = n->control_classes | n->ready_classes; left; left &= left - 1)
		next = min64(next, n->pause.until[__builtin_ctz(left)]);
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
	if (n->par->credits)
		credit_sent(&n->credit, &n->pause, f->class, f->len, credit_blocks(n->par->frame_max), n->busy_until);
	n->stats.tx_frames++;
	n->stats.tx_bytes += f->len;
	n->stats.tx_data += f->data;
	return n->io->send(n->io->ctx, f);
}

/* An ACK of RoCE names the last packet received in order; a NACK, or a segment of TCP, the first missing one. */
static void trace_answer(struct nic *n, const struct control *c)
{
	bool ack = n->par->rules.format == FORMAT_TCP || c->a.syndrome == AETH_ACK;

	trace_flow(n, c->flow,
		   (struct trace_event){ .kind = ack ? TRACE_SEND_ACK : TRACE_SEND_NACK,
					 .cum = c->a.n + (ack && n->par->rules.format == FORMAT_ROCE) });
}

static int send_control(struct nic *n, u32 class, u64 now)
{
	struct control_queue *q = &n->control[class];
	const struct control *c = &q->ring[q->head++ & (q->size - 1)];
	const struct packet_rules *rules = &n->par->rules;
	const struct flow *flow = nic_flow(n, c->flow);
	struct tx_frame f;

	if (q->head == q->tail)
		n->control_classes &= ~(1U << class);
	switch (c->kind) {
	case CONTROL_ANSWER:
		trace_answer(n, c);
		packet_build_ack(rules, &f, flow, &c->a);
		break;
	case CONTROL_CNP:
		n->stats.cnps_tx++;
		trace_flow(n, c->flow, (struct trace_event){ .kind = TRACE_SEND_CNP });
		packet_build_cnp(rules, &f, flow, c->a.n);
		break;
	case CONTROL_READ:
		trace_flow(n, c->flow,
			   (struct trace_event){ .kind = TRACE_REQUEST, .packet = c->a.n * rules->msg_packets });
		packet_build_read(rules, &f, flow, c->a.n);
		break;
	case CONTROL_READ_NAK:
		packet_build_read_nak(rules, &f, flow, c->a.n, c->a.syndrome);
		break;
	}
	return send_frame(n, &f, now);
}

/* Tell congestion control of a packet that leaves now; it says when the next one may. */
static void pace(struct nic *n, u32 s, const struct tx_frame *f, u32 packet, bool is_new, u64 now)
{
	struct sender *src = &n->senders[s];

	if (!n->par->cc_ops)
		return;
	src->not_before = n->par->cc_ops->sent(&n->ccs[s],
					       &(struct cc_sent){ .now = now,
								  .n = packet,
								  .wire = wire_bytes(f->len),
								  .is_new = is_new,
								  .next = src->sent_high,
								  .limit = src->limit });
	src->limit = CC_OTHER;
}

/*
 * At least one packet of a window asks for an ACK, or it would never open again (HP's proposal). One in half a window,
 * since a mark may halve it with the packets on their way.
 */
static bool must_ask(const struct nic *n, const struct sender *src, u32 packet)
{
	u32 from = src->asked > src->qp.una && src->asked <= packet ? src->asked : src->qp.una, most;

	if (n->par->rules.ack_every == 1 || !n->par->ops->most)
		return false;
	most = n->par->ops->most(&src->qp);
	return packet + 1 - from >= (most > 1 ? most / 2 : 1);
}

static int send_data(struct nic *n, u32 s, u32 packet, u64 now)
{
	struct sender *src = &n->senders[s];
	bool is_new = packet >= src->sent_high;
	struct tx_frame f;

	if (packet_build_data(&n->par->rules, &f, nic_flow(n, src->flow), packet, must_ask(n, src, packet)))
		src->asked = packet + 1;
	src->count.packets_sent++;
	if (is_new)
		src->sent_high = packet + 1;
	else
		src->count.retransmitted++;
	pace(n, s, &f, packet, is_new, now);
	trace_sender(n, s,
		     (struct trace_event){
			     .kind = is_new ? TRACE_SEND : TRACE_RESEND, .packet = packet, .bytes = f.payload });
	src->fetched = 0; /* what has been fetched is used up */
	sender_timer(n, s, n->par->ops->restart_on_send || n->par->recovery.restart_on_send);
	sender_ready(n, s);
	return send_frame(n, &f, now);
}

/*
 * The port is free: PFC first, then answers and the like, then the connection whose turn it is. Connections of paused
 * classes keep their turn, and the others go on.
 */
int nic_transmit(struct nic *n, u64 now)
{
	u32 class;

	if (n->storm_pending)
		return nic_storm_send(n, now);
	class = next_class(n, false, now);
	if (class != FAB_NONE)
		return send_control(n, class, now);
	while ((class = next_class(n, true, now)) != FAB_NONE) {
		u32 s = leave_ready(n, class);
		struct sender *src = &n->senders[s];

		if (src->rnr_until > now || sender_fetched(n, s) > now) {
			sender_ready(n, s);
			continue;
		}
		while (!src->error && n->par->ops->wants(&src->qp)) {
			u32 packet = n->par->ops->transmit(&src->qp, now);

			if (packet != NO_PACKET)
				return send_data(n, s, packet, now);
		}
		sender_ready(n, s); /* for what holds it back now */
	}
	return 0;
}
