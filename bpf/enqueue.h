/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The input side of a switch's event loop (bpf/advance.h): a frame is lost, dropped, or buffered, marked and queued. */
#ifndef LOSSLAB_ENQUEUE_H
#define LOSSLAB_ENQUEUE_H

#include "bpf/ecn.h"
#include "bpf/fault.h"
#include "bpf/hash.h"
#include "bpf/ingress_buffer.h"
#include "bpf/route.h"
#include "bpf/voq.h"

/* Does the frame that finds @queue bytes in its output's VOQs get a mark on the way in? */
static inline int port_must_mark(const struct fab_cfg *cfg, const struct sw *s, struct port *o, u32 out, u64 queue)
{
	if (cfg->ecn == ECN_RED)
		return ecn_red_mark(queue, cfg->kmin, cfg->kmax, cfg->pmax,
				    draw32(cfg->seed, s->port_base + out, o->stats.draws++));
	return cfg->ecn == ECN_STEP && ecn_step_mark(queue, cfg->kmin);
}

/* ecn=ib: the buffer of port @in is full: note which of the frames in the switch this concerns. */
FAB_FN int sw_full(struct sw *s, u32 in, u32 class, u64 now)
{
	const struct fab_cfg *cfg = fab_cfg();
	struct port *p = s ? fab_port(s->port_base + in) : 0;

	if (!p || in >= FAB_PORTS || class >= FAB_CLASSES)
		return fab_fail(FAB_INTERNAL, 0);
	p->full[class] = s->queued;
	if (cfg->ecn == ECN_IB_INPUT)
		return 0;
	for (u32 i = 0; i < FAB_PORTS; i++) {
		struct port *o;

		if (i >= s->n_ports)
			break;
		o = fab_port(s->port_base + i);
		if (!o)
			return fab_fail(FAB_INTERNAL, s->port_base + i);
		if ((o->inputs[class] >> in & 1) && ecn_ib_root(cfg->ecn, o->pause.until[class] > now))
			o->root[class] = s->queued;
	}
	return 0;
}

/* Join the queue for output @o, marking on the way in. Inline for certain: a BPF function has five parameters at most.
 */
static inline __attribute__((always_inline)) int port_enqueue(struct sw *s, struct port *o, struct frame *f, u32 id,
							      u32 class, u64 now)
{
	const struct fab_cfg *cfg = fab_cfg();
	u32 in = f->in_port & (FAB_PORTS - 1), out = f->out_port;
	u64 queue = o->queue[class];
	int first;

	if (cfg->ecn && port_may_mark(f) && port_must_mark(cfg, s, o, out, queue))
		port_mark(o, f, cfg->ecn == ECN_RED ? FAB_MARK_RED : FAB_MARK_STEP);
	f->order = ++s->queued;
	first = voq_push(voq_index(s, out, in, class), id, f);
	if (first < 0)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	queue += f->len;
	o->queue[class] = queue;
	if (queue > o->stats.max_queue)
		o->stats.max_queue = queue;
	if (first)
		sw_request(cfg, s, o, in, class, now);
	return 0;
}

/* A data or ACK frame has arrived on port @in: lose it, drop it, or queue it. */
FAB_FN int sw_admit(struct sw *s, u32 in, u32 id, u64 now)
{
	const struct fab_cfg *cfg = fab_cfg();
	struct frame *f = fab_frame(id);
	struct port *p, *o;
	u32 class, out;
	u64 mask;

	if (!s || !f)
		return fab_fail(FAB_INTERNAL, 0);
	p = fab_port(s->port_base + in);
	if (!p)
		return fab_fail(FAB_INTERNAL, s->port_base + in);
	class = f->class & (FAB_CLASSES - 1);
	p->stats.rx_frames++;
	p->stats.rx_bytes += f->len;
	p->stats.rx_data += !!(f->flags & FRAME_DATA);
	if (p->cfg.loss_in && draw32(~cfg->seed, s->port_base + in, p->stats.draws++) < p->cfg.loss_in) {
		port_refuse(cfg, p, f);
		return sw_drop(p, f, id, FAB_DROP_LOSS);
	}
	if (fault_cut(p->fault.cut, f->arrival, f->len, p->cfg.ps_per_byte, p->cfg.delay))
		return sw_drop(p, f, id, FAB_DROP_LINK);
	if (p->fault.drop && draw32(cfg->seed ^ FAULT_SEED, s->port_base + in, p->fault.draws++) < p->fault.drop) {
		port_refuse(cfg, p, f);
		return sw_drop(p, f, id, FAB_DROP_FAULT);
	}
	mask = fab_route(p->cfg.sw, f->dst);
	if (!mask) {
		port_refuse(cfg, p, f);
		return sw_drop(p, f, id, FAB_DROP_NO_ROUTE);
	}
	if (!port_take(cfg, s, p, class, f->len)) /* credits promise that this never happens */
		return cfg->credits ? fab_fail(FAB_CREDITS, s->port_base + in) : sw_drop(p, f, id, FAB_DROP_BUFFER);
	out = route_pick(mask, f->flow_key, s->seed);
	o = fab_port(s->port_base + out);
	if (!o || out >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, s->port_base + in);
	f->in_port = in;
	f->out_port = out;
	f->crossed = 0;
	if (port_enqueue(s, o, f, id, class, now))
		return -1;
	port_check_xoff(cfg, s, p, class);
	sw_set_key(s, out, port_key(o, now));
	return cfg->ecn >= ECN_IB && port_is_full(cfg, s, p, class) ? sw_full(s, in, class, now) : 0;
}

#endif
