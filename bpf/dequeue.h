/* SPDX-License-Identifier: GPL-2.0 */
/* The way out of a switch's event loop (bpf/advance.h): whose turn it is, and what leaves when it is taken. */
#ifndef LOSSLAB_DEQUEUE_H
#define LOSSLAB_DEQUEUE_H

#include "bpf/ecn.h"
#include "bpf/room.h"

/* fc=credit: @len bytes of @class leave, until @end; a host takes whatever comes. */
static inline void port_use_credit(struct port *o, u32 class, u32 len, u64 end)
{
	class = bounded(class, FAB_CLASSES);
	if (o->cfg.peer & PEER_HOST)
		return;
	credit_sent(&o->credit_tx, &o->pause, class, len, credit_blocks(FAB_CFG.frame_max), end);
	if (o->pause.until[class] == TIME_NEVER && FAB_CFG.ecn == ECN_IB)
		o->root[class] = 0; /* stopped: the congestion is further on */
}

/* The class that output @o serves now. */
static inline u32 port_class(struct port *o, u64 now)
{
	if (FAB_CFG.wrr)
		return arbiter_class_wrr(o->busy_classes, &o->pause, now, FAB_CFG.turn_bytes, &o->turns);
	return arbiter_class(o->busy_classes, &o->pause, now);
}

/* Take the frame whose turn it is out of its VOQ, and give its buffer back. */
FAB_FN int sw_dequeue(struct sw *s, u32 out, u32 class, u64 now)
{
	struct port *o = s ? fab_port(s->port_base + out) : 0;
	struct port *p;
	struct frame *f;
	struct voq *q;
	u32 in, id;

	if (!o || class >= FAB_CLASSES)
		return fab_fail(FAB_INTERNAL, 0);
	in = arbiter_input(o->inputs[class], o->turn[class]);
	q = fab_voq(voq_index(s, out, in, class));
	p = fab_port(s->port_base + in);
	id = q ? q->head : FAB_NONE;
	f = fab_frame(id);
	if (!q || !p || !f || in >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	q->head = f->next;
	if (q->head == FAB_NONE) {
		o->inputs[class] &= ~(1ULL << in);
		if (!o->inputs[class])
			o->busy_classes &= ~(1 << class);
	}
	if (FAB_CFG.ecn >= ECN_IB && port_may_mark(f) && ecn_ib_mark(f->order, p->full[class], o->root[class]))
		port_mark(o, f, f->order <= p->full[class] ? FAB_MARK_INPUT : FAB_MARK_ROOT);
	o->turn[class] = in + 1;
	o->queue[class] -= f->len;
	port_give(s, p, class, f->len);
	if (in != out)
		sw_set_key(s, in, port_key(p, now));
	return (int)(id & 0x7fffffff);
}

#endif
