/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output side of a switch's event loop (bpf/advance.h): choose the next frame and take it out of its queue. */
#ifndef LOSSLAB_DEQUEUE_H
#define LOSSLAB_DEQUEUE_H

#include "bpf/crossbar.h"
#include "bpf/ecn.h"
#include "bpf/ingress_buffer.h"

/* fc=credit: a frame of @len bytes of @class leaves by @end. Hosts grant no credits: they take all that comes. */
static inline void port_use_credit(const struct fab_cfg *cfg, struct port *o, u32 class, u32 len, u64 end)
{
	class = bounded(class, FAB_CLASSES);
	if (o->cfg.peer & PEER_HOST)
		return;
	credit_sent(&o->credit_tx, &o->pause, class, len, credit_blocks(cfg->frame_max), end);
	if (o->pause.until[class] == TIME_NEVER && cfg->ecn == ECN_IB)
		o->root[class] = 0; /* stopped: the congestion is further downstream */
}

/* The class that output @o serves at @now. */
static inline u32 port_class(const struct fab_cfg *cfg, struct port *o, u64 now)
{
	if (cfg->wrr)
		return arbiter_class_wrr(o->busy_classes, &o->pause, now, cfg->wrr_quantum, &o->wrr);
	return arbiter_class(o->busy_classes, &o->pause, now);
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
		id = xbar_unstage(s, o, out, class, now);
	} else if (cfg->iterations) {
		id = xbar_take_drained(s, o, out, class, now);
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
