// SPDX-License-Identifier: GPL-2.0
/* Frames received: PFC to the port, ACKs and NAKs to requesters, data to responders. */
#include "agent/nic_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/psn.h"
#include "bpf/parse.h"
#include "bpf/pfc.h"

int control_push(struct nic *n, const struct control *c)
{
	u32 size = n->ctrl_mask + 1;

	if (n->ctrl_tail - n->ctrl_head == size) {
		struct control *bigger = calloc(2 * size, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		for (u32 i = 0; i < size; i++)
			bigger[i] = n->ctrl[(n->ctrl_head + i) & n->ctrl_mask];
		free(n->ctrl);
		n->ctrl = bigger;
		n->ctrl_head = 0;
		n->ctrl_tail = size;
		n->ctrl_mask = 2 * size - 1;
	}
	n->ctrl[n->ctrl_tail++ & n->ctrl_mask] = *c;
	return 0;
}

static void receive_pfc(struct nic *n, const struct rx_frame *f)
{
	struct frame pfc;
	u32 any = 0;

	if (f->have < PFC_LEN || parse_frame(f->head, f->len, &pfc)) {
		n->stats.discarded++;
		return;
	}
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		if (!(pfc.pfc_classes >> c & 1))
			continue;
		any |= pfc.pfc_quanta[c];
		pause_receive(&n->pause, c, pfc.pfc_quanta[c], n->par->ps_per_byte, f->arrival);
	}
	if (any)
		n->stats.pause_rx++;
	else
		n->stats.resume_rx++;
}

/* An ACK or NAK; ignored unless it speaks of packets that were sent. */
static void receive_ack(struct nic *n, const struct rx_packet *p)
{
	const struct flow_table *t = n->par->flows;
	u32 flow = (p->qpn - 2) / 2;
	struct ack_event a;
	struct sqp *q;
	s32 ahead;

	if (p->qpn < 2 || p->qpn % 2 || flow >= t->n || t->flows[flow].src != n->par->host ||
	    p->src != t->flows[flow].dst || (p->syndrome != AETH_ACK && p->syndrome != AETH_NAK_SEQUENCE)) {
		n->stats.discarded++;
		return;
	}
	q = &n->sources[t->src_index[flow]].qp;
	a.nack = p->syndrome == AETH_NAK_SEQUENCE;
	ahead = psn_diff(p->psn, psn_add(n->par->psn0, q->una)) + !a.nack;
	if (ahead > (s32)(q->next - q->una)) {
		n->stats.discarded++;
		return;
	}
	a.cum = ahead > 0 ? q->una + ahead : q->una;
	a.sack = a.cum;
	if (a.nack && n->par->ops->sacks) {
		ahead = psn_diff(p->msn, psn_add(n->par->psn0, q->una));
		a.nack = ahead >= 0 && ahead < (s32)(q->next - q->una);
		a.sack = q->una + ahead;
	} else if (a.nack && ahead < 0) {
		a.nack = false; /* an old NAK, overtaken by an ACK */
	}
	source_acked(n, t->src_index[flow], &a);
}

static int answer(struct nic *n, u32 flow, const struct rqp *r, const struct reply *reply)
{
	struct control c = { .flow = flow, .syndrome = AETH_ACK, .msn = r->msn };

	if (reply->kind == REPLY_NONE)
		return 0;
	c.psn = psn_add(n->par->psn0, reply->psn);
	n->stats.acks_tx++;
	if (reply->kind == REPLY_NAK) {
		n->stats.naks_tx++;
		c.syndrome = AETH_NAK_SEQUENCE;
		if (n->par->ops->sacks)
			c.msn = psn_add(n->par->psn0, reply->sack);
	}
	return control_push(n, &c);
}

static int receive_data(struct nic *n, const struct rx_frame *f, const struct rx_packet *p)
{
	const struct flow_table *t = n->par->flows;
	u32 flow = (p->qpn - 3) / 2;
	struct data_event d;
	struct reply reply;
	struct rqp *r;
	s64 number;

	if (p->qpn < 3 || p->qpn % 2 == 0 || flow >= t->n || t->flows[flow].dst != n->par->host ||
	    p->src != t->flows[flow].src) {
		n->stats.discarded++;
		return 0;
	}
	r = &n->sinks[t->dst_index[flow]];
	number = (s64)r->expected + psn_diff(p->psn, psn_add(n->par->psn0, r->expected));
	if (number < 0 || number >= r->n_packets ||
	    p->payload != packet_payload(&n->par->rules, t->flows[flow].bytes, number)) {
		n->stats.discarded++;
		return 0;
	}
	n->stats.rx_data++;
	d.n = number;
	d.ack_req = p->ack_req;
	d.last = p->opcode == OP_WRITE_LAST || p->opcode == OP_WRITE_ONLY;
	n->par->ops->receive(r, &d, &reply);
	if (reply.fresh) {
		n->stats.fresh++;
		if (r->received == r->n_packets) {
			t->results[flow].done_ps = f->arrival;
			n->stats.completed++;
		}
	}
	return answer(n, flow, r, &reply);
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
	n->stats.rx_frames++;
	n->stats.rx_bytes += f->len;
	if (packet_parse(f->head, f->have, f->len, &p) || (n->io->check && n->io->check(n->io->ctx, f, &p)))
		n->stats.discarded++;
	else if (p.opcode == OP_ACK)
		receive_ack(n, &p);
	else
		err = receive_data(n, f, &p);
	n->io->take(n->io->ctx, f);
	return err;
}
