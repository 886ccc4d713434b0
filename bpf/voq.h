/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queues of a switch: one per output, input and class (virtual output queues), or with queues=fifo one per input
 * and class, whose first frame blocks those behind it. An output sees only which inputs have a frame that it can take.
 */
#ifndef LOSSLAB_VOQ_H
#define LOSSLAB_VOQ_H

#include "bpf/abi.h"
#include "bpf/port.h"

static inline u32 voq_index(const struct sw *s, u32 out, u32 in, u32 class)
{
	return voq_input(s, fab_cfg()->fifo, out, in, class);
}

/* Put frame @id at the end of queue @n: 1 if it is the only one there, 0 if it is not, -1 on error. */
static inline int voq_push(u32 n, u32 id, struct frame *f)
{
	struct voq *q = fab_voq(n);
	struct frame *last;
	int first;

	if (!q)
		return -1;
	f->next = FAB_NONE;
	first = q->head == FAB_NONE;
	if (first) {
		q->head = id;
	} else {
		last = fab_frame(q->tail);
		if (!last)
			return -1;
		last->next = id;
	}
	q->tail = id;
	return first;
}

/* Take the first frame out of queue @q. NULL on error, and if there is none. */
static inline struct frame *voq_pop(struct voq *q, u32 *id)
{
	struct frame *f;

	*id = q ? q->head : FAB_NONE;
	f = fab_frame(*id);
	if (q && f)
		q->head = f->next;
	return f;
}

/* arbiter=islip: has output @o room for more of @class behind the crossbar? */
static inline int xbar_room(const struct fab_cfg *cfg, const struct port *o, u32 class)
{
	return o->staged[class] < cfg->output_buffer;
}

/* arbiter=islip: some input may be matched: begin a slot at @at, or when the present one is over. */
static inline void xbar_plan(struct sw *s, u64 at)
{
	s->slot_key = min64(s->slot_key, KEY(max64(at, s->slot_end), EV_SLOT));
}

/* The first frame of a queue of input @in is one of @class for output @o. */
static inline void sw_request(const struct fab_cfg *cfg, struct sw *s, struct port *o, u32 in, u32 class, u64 now)
{
	class = bounded(class, FAB_CLASSES);
	o->inputs[class] |= 1ULL << in;
	if (!cfg->iterations)
		o->busy_classes |= 1 << class;
	else if (xbar_room(cfg, o, class))
		xbar_plan(s, now);
}

/* Undo sw_request(): there is no such frame any more. */
static inline void sw_withdraw(const struct fab_cfg *cfg, struct port *o, u32 in, u32 class)
{
	class = bounded(class, FAB_CLASSES);
	o->inputs[class] &= ~(1ULL << in);
	if (!cfg->iterations && !o->inputs[class])
		o->busy_classes &= ~(1 << class);
}

/*
 * Take the first frame of @class that waits at input @in for output @out; the next frame of that queue now requests its
 * own output. Returns the frame's number, or -1.
 */
FAB_FN int sw_take(struct sw *s, u32 out, u32 in, u32 class, u64 now)
{
	const struct fab_cfg *cfg = fab_cfg();
	struct port *o = s ? fab_port(s->port_base + out) : 0;
	struct frame *f;
	struct voq *q;
	u32 id, to;

	if (!o || in >= FAB_PORTS || class >= FAB_CLASSES)
		return fab_fail(FAB_INTERNAL, 0);
	q = fab_voq(voq_index(s, out, in, class));
	f = voq_pop(q, &id);
	if (!f || !q)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	if (q->head == FAB_NONE || cfg->fifo)
		sw_withdraw(cfg, o, in, class);
	if (q->head == FAB_NONE || !cfg->fifo)
		return (int)(id & 0x7fffffff);
	f = fab_frame(q->head);
	to = f ? f->out_port : FAB_PORTS;
	o = to < FAB_PORTS ? fab_port(s->port_base + to) : 0;
	if (!o)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	sw_request(cfg, s, o, in, class, now);
	sw_set_key(s, to, port_key(o, now));
	return (int)(id & 0x7fffffff);
}

#endif
