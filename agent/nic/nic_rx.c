// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames received: PFC to the port; answers and notices of congestion to senders; data to receivers. */
#include "agent/nic/nic_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "bpf/credit.h"
#include "bpf/parse.h"
#include "bpf/pfc.h"

#define CONTROLS_FIRST 256

/* Twice the room. 0 or -ENOMEM. */
static int control_grow(struct control_queue *q)
{
	u32 size = q->size ? 2 * q->size : CONTROLS_FIRST;
	struct control *bigger = calloc(size, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	for (u32 i = 0; i < q->size; i++)
		bigger[i] = q->ring[(q->head + i) & (q->size - 1)];
	free(q->ring);
	*q = (struct control_queue){ .ring = bigger, .tail = q->size, .size = size };
	return 0;
}

/*
 * One more thing that waits for the port, for its caller to fill in: all that packet_ack has but marks and ranges.
 * NULL without memory. In its place rather than copied: the processor would have to wait for what was just written.
 */
struct control *control_push(struct nic *n, enum control_kind kind, u32 flow)
{
	const struct flow *of = nic_flow(n, flow);
	u32 class = kind == CONTROL_CNP ? packet_cnp_class(&n->par->rules, of) : packet_ack_class(&n->par->rules, of);
	struct control_queue *q = &n->control[class];
	struct control *c;

	if (q->tail - q->head == q->size && control_grow(q))
		return NULL;
	n->control_classes |= 1U << class;
	c = &q->ring[q->tail++ & (q->size - 1)];
	c->kind = kind;
	c->flow = flow;
	c->ticket = n->tickets++;
	c->a.marked = false;
	c->a.n_ranges = 0;
	return c;
}

static void receive_pfc(struct nic *n, const struct rx_frame *f)
{
	struct frame pfc = { 0 };
	u32 any = 0;

	if (nic_frame_cut(n, f))
		return;
	if (f->have < PFC_LEN || parse_frame(f->head, f->len, &pfc)) {
		n->stats.discarded++;
		return;
	}
	if (pfc.flags & FRAME_CREDIT) {
		credit_receive(&n->credit, &n->pause, pfc.class, pfc.fccl, credit_blocks(n->par->frame_max),
			       f->arrival);
		n->stats.resume_rx++;
		return;
	}
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		if (!(pfc.pfc_classes >> c & 1))
			continue;
		any |= pfc.pfc_quanta[c];
		n->stats.class_pause_rx[c] += !!pfc.pfc_quanta[c];
		pause_receive(&n->pause, c, pfc.pfc_quanta[c], n->par->ps_per_byte, f->arrival);
	}
	if (any)
		n->stats.pause_rx++;
	else
		n->stats.resume_rx++;
}

/* In units of 10 us, by code (IBTA 1.3, table 46). */
static const u32 rnr_times[32] = { 65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
				   48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
				   2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152 };

u64 nic_rnr_time(u32 code)
{
	return rnr_times[code & AETH_VALUE] * 10 * PS_PER_US;
}

static void receive_rnr(struct nic *n, u32 s, u32 code)
{
	struct sender *src = &n->senders[s];

	src->count.rnr_naks++;
	if (n->par->qp.rnr_retry != RETRY_INFINITE && ++src->rnr_retries > n->par->qp.rnr_retry) {
		sender_fail(n, s, QP_RNR);
		return;
	}
	n->par->ops->rewind(&src->qp);
	if (src->qp.armed != TIME_NEVER)
		trace_sender(n, s, (struct trace_event){ .kind = TRACE_TIMER_STOP });
	src->qp.armed = TIME_NEVER; /* it has heard from the responder: the next packet starts the timer */
	src->rnr_until = n->clock + nic_rnr_time(code);
}

/* For the trace: the packet whose arrival an answer reports, if it does and this is news. @una: before it came. */
static u32 reported(const struct nic *n, const struct ack_event *a, u32 una)
{
	if (a->nack)
		return n->par->ops->acks == ACK_RC ? TRACE_NONE : a->sack;
	return a->cum > una ? a->cum - 1 : TRACE_NONE;
}

/* The packet to send next in order. */
static u32 send_next(const struct nic *n, const struct sender *src)
{
	return n->par->ops->send_next ? n->par->ops->send_next(&src->qp) : src->qp.next;
}

/* Hand an answer to the sender's loss recovery and congestion control. */
static void sender_acked(struct nic *n, u32 s, const struct ack_event *a, const struct rx_packet *p, bool rnr)
{
	struct sender *src = &n->senders[s];
	struct sqp *q = &src->qp;
	u32 una = q->una, backoffs = q->backoffs;

	src->count.nacks += a->nack;
	n->par->ops->acked(q, a);
	if (q->una != una)
		src->retries = src->rnr_retries = 0;
	if (n->par->cc_ops) {
		struct cc_ack c = { .now = a->now,
				    .cum = a->cum,
				    .newly = q->una - una,
				    .n = a->nack && n->par->ops->acks != ACK_RC ? a->sack
					    : a->cum                            ? a->cum - 1
										: 0,
				    .nack = a->nack || rnr,
				    .marked = p->marked,
				    .next = src->sent_high,
				    .send_next = send_next(n, src) };

		src->count.cnps += p->marked;
		if (n->par->cc_ops->acked)
			n->par->cc_ops->acked(&n->ccs[s], &c);
		if (n->par->cc_ops->window)
			q->window = n->par->cc_ops->window(&n->ccs[s]);
		if (p->marked)
			trace_sender(n, s, (struct trace_event){ .kind = TRACE_CNP, .packet = c.n });
	}
	sender_backed_off(n, s, backoffs);
	trace_sender(n, s,
		     (struct trace_event){ .kind = rnr       ? TRACE_RNR
						   : a->nack ? TRACE_NACK
							     : TRACE_ACK,
					   .packet = reported(n, a, una),
					   .cum = a->cum,
					   .sack = n->par->ops->acks == ACK_RC ? TRACE_NONE : a->sack });
	sender_timer(n, s, !n->par->ops->progress_only || n->par->recovery.restart_on_send || q->una != una);
}

/* Holes or SACK blocks as packet numbers, as far as they lie within [una, sent_high). */
static void find_ranges(const struct nic *n, const struct sender *src, const struct rx_packet *p, struct ack_event *a)
{
	const struct flow *flow = nic_flow(n, src->flow);

	for (u32 i = 0; i < p->n_ranges && i < RANGES_MAX; i++) {
		s64 from = packet_find(&n->par->rules, flow, src->qp.una, p->ranges[i].from);
		s64 to = packet_find(&n->par->rules, flow, src->qp.una, p->ranges[i].to);

		if (from < (s64)src->qp.una)
			from = src->qp.una; /* overtaken in part */
		if (from < to && to <= src->sent_high)
			a->ranges[a->n_ranges++] = (struct range){ from, to };
	}
}

/*
 * What an answer means in packet numbers. False if it speaks of packets that were never sent. AETH's BTH.PSN is the
 * last packet received in an ACK, and the first missing in a NAK; TCP's number is always the first missing.
 */
static bool understand(struct nic *n, const struct sender *src, const struct rx_packet *p, bool nak,
		       struct ack_event *a)
{
	const struct sqp *q = &src->qp;
	bool ack = !nak && p->format == FORMAT_ROCE;
	const struct flow *flow = nic_flow(n, src->flow);
	s64 cum = packet_find(&n->par->rules, flow, q->una, p->number), sack;

	if (cum == PACKET_NONE)
		return false;
	cum += ack;
	if (cum > src->sent_high)
		return false;
	a->now = n->clock;
	a->nack = nak;
	a->n_ranges = 0;
	a->cum = cum > q->una ? cum : q->una;
	a->sack = a->cum;
	if (nak && n->par->ops->acks == ACK_RC) {
		a->nack = cum >= q->una; /* else an old one, overtaken by an ACK */
	} else if (nak) {
		sack = packet_find(&n->par->rules, flow, q->una, p->msn);
		a->nack = sack >= q->una && sack < src->sent_high;
		a->sack = sack;
	}
	find_ranges(n, src, p, a);
	return true;
}

static void receive_ack(struct nic *n, u32 s, const struct rx_packet *p)
{
	struct sender *src = &n->senders[s];
	bool ack = p->format == FORMAT_TCP || p->syndrome == AETH_ACK;
	bool rnr = !ack && (p->syndrome & AETH_TYPE) == AETH_RNR, access = !ack && p->syndrome == AETH_NAK_ACCESS;
	struct ack_event a;

	if (src->error || (!ack && !rnr && !access && p->syndrome != AETH_NAK_SEQUENCE) ||
	    !understand(n, src, p, !ack, &a)) {
		n->stats.discarded++;
		return;
	}
	if (access) {
		sender_fail(n, s, QP_ACCESS);
		return;
	}
	if (rnr) {
		bool current = a.cum == packet_find(&n->par->rules, nic_flow(n, src->flow), a.cum, p->number);

		a.nack = false;
		sender_acked(n, s, &a, p, true);
		if (current)
			receive_rnr(n, s, p->syndrome & AETH_VALUE);
	} else {
		sender_acked(n, s, &a, p, false);
	}
	sender_ready(n, s);
}

static void receive_ack_frame(struct nic *n, const struct rx_packet *p)
{
	const struct flow *f = nic_flow(n, p->flow);
	bool read = f->op == FLOW_READ;

	if (f->src == n->par->host && p->src == f->dst && p->to_requester == !read)
		receive_ack(n, n->par->flows->src_index[p->flow], p);
	else if (f->dst == n->par->host && p->src == f->src && read && p->to_requester)
		requester_nak(n, p);
	else
		n->stats.discarded++;
}

static void receive_cnp(struct nic *n, const struct rx_packet *p)
{
	const struct flow *f = nic_flow(n, p->flow);
	const struct cc_ops *ops = n->par->cc_ops;
	u32 s, number = NO_NUMBER;
	s64 at;

	if (f->src != n->par->host || p->src != f->dst || p->to_requester != (f->op != FLOW_READ) || !ops ||
	    !ops->notified) {
		n->stats.discarded++;
		return;
	}
	s = n->par->flows->src_index[p->flow];
	if (ops->echo) {
		at = packet_find(&n->par->rules, f, n->senders[s].qp.una, p->number);
		if (at >= 0 && at < n->senders[s].sent_high)
			number = at;
	}
	n->stats.cnps_rx++;
	n->senders[s].count.cnps++;
	ops->notified(&n->ccs[s], n->clock, number, send_next(n, &n->senders[s]));
	if (ops->window)
		n->senders[s].qp.window = ops->window(&n->ccs[s]);
	trace_sender(n, s, (struct trace_event){ .kind = TRACE_CNP, .packet = number });
}

int nic_handle(struct nic *n, const struct rx_frame *f, const struct rx_packet *p)
{
	switch (p->kind) {
	case PACKET_ANSWER:
		receive_ack_frame(n, p);
		return 0;
	case PACKET_CNP:
		receive_cnp(n, p);
		return 0;
	case PACKET_READ:
		return read_request(n, p);
	case PACKET_DATA:
		return receiver_receive(n, f, p);
	}
	return 0;
}

static int receive_packet(struct nic *n, const struct rx_frame *f, const struct rx_packet *p)
{
	if (p->flow >= n->par->flows->n || p->format != n->par->rules.format) {
		n->stats.discarded++;
		return 0;
	}
	return n->fetches && n->par->ops->fetch_receiver ? fetch_for_packet(n, f, p) : nic_handle(n, f, p);
}

int nic_receive(struct nic *n, const struct rx_frame *f)
{
	struct rx_packet p;
	int err = 0;

	if (nic_is_pfc(f)) {
		receive_pfc(n, f);
		n->io->take(n->io->ctx, f);
		return 0;
	}
	if (nic_frame_cut(n, f)) {
		n->stats.lost_link++;
		n->stats.lost_link_data += !packet_parse(f->head, f->have, f->len, &p) && p.kind == PACKET_DATA;
		n->io->take(n->io->ctx, f);
		return 0;
	}
	n->stats.rx_frames++;
	n->stats.rx_bytes += f->len;
	if (packet_parse_as(&n->par->rules, f->head, f->have, f->len, &p) ||
	    (n->io->check && n->io->check(n->io->ctx, f, &p)))
		n->stats.discarded++;
	else
		err = receive_packet(n, f, &p);
	n->io->take(n->io->ctx, f);
	return err;
}
