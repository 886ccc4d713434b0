/* SPDX-License-Identifier: GPL-2.0 */
/* The way out of a switch's event loop (bpf/advance.h): whose turn it is, and what leaves when it is taken. */
#ifndef LOSSLAB_DEQUEUE_H
#define LOSSLAB_DEQUEUE_H

#include "bpf/crossbar.h"
#include "bpf/ecn.h"
#include "bpf/ingress_buffer.h"

/* fc=credit: @len bytes of @class leave, until @end; a host takes whatever comes. */
static inline void port_use_credit(const struct fab_cfg *cfg, struct port *o, u32 class, u32 len, u64 end)
{
	class = bounded(class, FAB_CLASSES);
	if (o->cfg.peer & PEER_HOST)
		return;
	credit_sent(&o->credit_tx, &o->pause, class, len, credit_blocks(cfg->frame_max), end);
	if (o->pause.until[class] == TIME_NEVER && cfg->ecn == ECN_IB)
		o->root[class] = 0; /* stopped: the congestion is further on */
}

/* The class that output @o serves now. */
static inline u32 port_class(const struct fab_cfg *cfg, struct port *o, u64 now)
{
	if (cfg->wrr)
		return arbiter_class_wrr(o->busy_classes, &o->pause, now, cfg->turn_bytes, &o->turns);
	return arbiter_class(o->busy_classes, &o->pause, now);
}

/* Take the first frame of @class that has crossed to output @out; an input may now get through to it. */
static inline int sw_unstage(struct sw *s, struct port *o, u32 out, u32 class, u64 now)
{
	struct voq *q = fab_voq(voq_output(s, out, class));
	struct frame *f;
	u32 id;

	f = voq_pop(q, &id);
	if (!f || !q)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	if (q->head == FAB_NONE)
		o->busy_classes &= ~(1 << class);
	o->staged[class] -= f->len;
	if (o->inputs[class] && xbar_room(fab_cfg(), o, class))
		xbar_plan(s, now + 1); /* the slot that may have begun at this instant has begun */
	return (int)(id & 0x7fffffff);
}

/* Take a frame of @class that is not to be sent before the crossbar. If it is crossing it does so no more. */
static inline int sw_take_drained(struct sw *s, struct port *o, u32 out, u32 class, u64 now)
{
	u32 in = arbiter_input(o->inputs[class], 0);

	if (o->match_in == in && o->match_class == class)
		s->matched &= ~(1ULL << (out & (FAB_PORTS - 1)));
	return sw_take(s, out, in, class, now);
}

/*
 * Take the frame that output @out sends next, or is to drop next, out of its queue, and give its buffer back. Behind a
 * crossbar those come first that have crossed.
 */
FAB_FN int sw_dequeue(struct sw *s, u32 out, u32 class, u64 now)
{
	const struct fab_cfg *cfg = fab_cfg();
	struct port *o = s ? fab_port(s->port_base + out) : 0;
	struct port *p;
	struct frame *f;
	u32 in;
	int id;

	if (!o || class >= FAB_CLASSES)
		return fab_fail(FAB_INTERNAL, 0);
	if (cfg->iterations && (o->busy_classes >> class & 1)) {
		id = sw_unstage(s, o, out, class, now);
	} else if (cfg->iterations) {
		id = sw_take_drained(s, o, out, class, now);
	} else {
		in = arbiter_input(o->inputs[class], o->turn[class]);
		o->turn[class] = in + 1;
		id = sw_take(s, out, in, class, now);
	}
	f = id < 0 ? 0 : fab_frame(id);
	in = f ? f->in_port : FAB_PORTS;
	p = in < FAB_PORTS ? fab_port(s->port_base + in) : 0;
	if (!f || !p)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	class = bounded(class, FAB_CLASSES);
	if (cfg->ecn >= ECN_IB && port_may_mark(f) && ecn_ib_mark(f->order, p->full[class], o->root[class]))
		port_mark(o, f, f->order <= p->full[class] ? FAB_MARK_INPUT : FAB_MARK_ROOT);
	o->queue[class] -= f->len;
	port_give(cfg, s, p, class, f->len);
	if (in != out)
		sw_set_key(s, in, port_key(p, now));
	return id;
}

#endif
