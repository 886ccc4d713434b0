/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arbiter=islip: a crossbar between the input queues and the outputs, through which an input feeds one output at a
 * time. Its scheduler is iSLIP (McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM ToN 7(2),
 * 1999) with priorities: in each iteration request  every free input asks every output that it has a frame for, grant
 * every free output picks, of those who ask for its highest class, the next at or after its grant pointer, accept every
 * input picks, of the outputs that grant it its highest class, the next at or after its accept pointer; and both
 * pointers move to one beyond, but only for what is accepted in the first iteration.
 *
 * iSLIP is made for cells and slots of one size. Frames differ, so here a slot of a switch lasts as long as the longest
 * of the frames that cross in it, and a pair whose frames are shorter passes as many as fit. Where all frames are
 * equally long that is iSLIP to the letter; and an idle crossbar begins a slot as soon as a frame comes, so a lone
 * frame is no later than without.
 *
 * The crossbar is @speedup times as fast as the fastest port. What has crossed waits in its output's own queue, to be
 * sent as the link is free (it may be sent while it still crosses). An output takes no more of a class while
 * output_buffer bytes of it wait there: a paused class so stops in the input queues. A frame stays in the books of its
 * input buffer until it is sent, so what PFC and credits promise holds unchanged.
 */
#ifndef LOSSLAB_CROSSBAR_H
#define LOSSLAB_CROSSBAR_H

#include "bpf/arbiter.h"
#include "bpf/voq.h"

/* Frames that can cross in one slot: the longest wire time there is over the shortest. */
#define XBAR_FRAMES 32
_Static_assert((SLOT_LARGE + 24) / (ETH_MIN + 24) < XBAR_FRAMES, "a slot's frames are bounded");

/* Has output @o room for more of @class behind the crossbar? */
static inline int xbar_room(const struct port *o, u32 class)
{
	return o->staged[class] < FAB_CFG.output_buffer;
}

/* Some input may be matched: there is a slot at @at, or when the present one is over. */
static inline void xbar_plan(struct sw *s, u64 at)
{
	s->slot_key = min64(s->slot_key, KEY(max64(at, s->slot_end), EV_SLOT));
}

/* The first frame of a queue of input @in is one of @class for output @o. */
static inline void sw_request(struct sw *s, struct port *o, u32 in, u32 class, u64 now)
{
	o->inputs[class] |= 1ULL << in;
	if (!FAB_CFG.iterations)
		o->busy_classes |= 1 << class;
	else if (xbar_room(o, class))
		xbar_plan(s, now);
}

/* There is none any more. */
static inline void sw_withdraw(struct port *o, u32 in, u32 class)
{
	o->inputs[class] &= ~(1ULL << in);
	if (!FAB_CFG.iterations && !o->inputs[class])
		o->busy_classes &= ~(1 << class);
}

/*
 * Take the first frame of @class that waits at input @in for output @out; the next of that queue now asks for its own
 * output. The frame's number, or -1.
 */
FAB_FN int sw_take(struct sw *s, u32 out, u32 in, u32 class, u64 now)
{
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
	if (q->head == FAB_NONE) {
		sw_withdraw(o, in, class);
		return (int)(id & 0x7fffffff);
	}
	if (!FAB_CFG.fifo)
		return (int)(id & 0x7fffffff);
	f = fab_frame(q->head);
	to = f ? f->out_port : FAB_PORTS;
	if (to == out)
		return (int)(id & 0x7fffffff);
	sw_withdraw(o, in, class);
	o = to < FAB_PORTS ? fab_port(s->port_base + to) : 0;
	if (!o)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	sw_request(s, o, in, class, now);
	sw_set_key(s, to, port_key(o, now));
	return (int)(id & 0x7fffffff);
}

/* Output @out, not matched yet, grants an input of those who ask for its highest class. */
FAB_FN int xbar_grant(struct sw *s, u32 out)
{
	struct port *o = s ? fab_port(s->port_base + out) : 0;
	struct port *p;

	if (!o || out >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	for (u32 n = 0; n < FAB_CLASSES; n++) {
		u32 c = FAB_CLASSES - 1 - n;
		u64 asking = o->inputs[c] & s->free_in;

		if (!asking || !xbar_room(o, c))
			continue;
		p = fab_port(s->port_base + arbiter_input(asking, o->turn[c]));
		if (!p)
			return fab_fail(FAB_INTERNAL, s->port_base + out);
		p->grants[c] |= 1ULL << out;
		break;
	}
	return 0;
}

/* Input @in accepts one of its grants, if it has any: the output, FAB_PORTS, or -1. */
FAB_FN int xbar_accept(struct sw *s, u32 in, u32 first)
{
	struct port *p = s ? fab_port(s->port_base + in) : 0;
	u32 out = FAB_PORTS;

	if (!p || in >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	for (u32 n = 0; n < FAB_CLASSES; n++) {
		u32 c = FAB_CLASSES - 1 - n;
		u64 grants = p->grants[c];
		struct port *o;

		p->grants[c] = 0;
		if (!grants || out != FAB_PORTS)
			continue;
		out = bounded(arbiter_input(grants, p->accept[c]), FAB_PORTS);
		o = fab_port(s->port_base + out);
		if (!o)
			return fab_fail(FAB_INTERNAL, s->port_base + in);
		o->match_in = in;
		o->match_class = c;
		s->free_in &= ~(1ULL << in);
		s->matched |= 1ULL << out;
		if (!first)
			continue;
		o->turn[c] = in + 1;
		p->accept[c] = out + 1;
	}
	return out;
}

/* One iteration: how many inputs have been matched in it, or -1. */
FAB_FN int xbar_iterate(struct sw *s, u32 first)
{
	int out, n = 0;

	if (!s)
		return fab_fail(FAB_INTERNAL, 0);
	for (u32 i = 0; i < FAB_PORTS; i++) {
		if (i >= s->n_ports)
			break;
		if (!(s->matched >> i & 1) && xbar_grant(s, i))
			return -1;
	}
	for (u32 i = 0; i < FAB_PORTS; i++) {
		if (i >= s->n_ports)
			break;
		out = xbar_accept(s, i, first);
		if (out < 0)
			return -1;
		n += out != FAB_PORTS;
	}
	return n;
}

/* Bytes on the wire of the first frame that is to cross to output @out; 0 on error. */
static inline u32 xbar_head(struct sw *s, const struct port *o, u32 out)
{
	struct voq *q = fab_voq(voq_index(s, out, o->match_in, o->match_class));
	struct frame *f = fab_frame(q ? q->head : FAB_NONE);

	return f ? wire_bytes(f->len) : 0;
}

/* How long this slot lasts: in bytes of its longest frame; 0 on error. */
FAB_FN u32 xbar_longest(struct sw *s)
{
	u32 longest = 0;

	if (!s)
		return 0;
	for (u32 i = 0; i < FAB_PORTS; i++) {
		struct port *o;
		u32 bytes;

		if (i >= s->n_ports)
			break;
		if (!(s->matched >> i & 1))
			continue;
		o = fab_port(s->port_base + i);
		bytes = o ? xbar_head(s, o, i) : 0;
		if (bytes > longest)
			longest = bytes;
	}
	return longest;
}

/* The frames of output @out's match that fit into a slot of @bytes cross. */
FAB_FN int xbar_cross(struct sw *s, u32 out, u32 bytes, u64 now)
{
	struct port *o = s ? fab_port(s->port_base + out) : 0;
	u32 in, class;

	if (!o || out >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	in = o->match_in;
	class = bounded(o->match_class, FAB_CLASSES);
	for (u32 i = 0; i < XBAR_FRAMES; i++) {
		u32 len = o->inputs[class] >> (in & (FAB_PORTS - 1)) & 1 ? xbar_head(s, o, out) : 0;
		struct frame *f;
		int id;

		if (!len || len > bytes)
			break;
		bytes -= len;
		id = sw_take(s, out, in, class, now);
		f = id < 0 ? 0 : fab_frame(id);
		if (!f || voq_push(voq_output(s, out, class), id, f) < 0)
			return fab_fail(FAB_INTERNAL, s->port_base + out);
		o->staged[class] += f->len;
	}
	o->busy_classes |= 1 << class;
	sw_set_key(s, out, port_key(o, now));
	return 0;
}

/* A slot begins: match inputs and outputs, and let the frames cross. */
FAB_FN int xbar_slot(struct sw *s, u64 now)
{
	u32 bytes;

	if (!s)
		return fab_fail(FAB_INTERNAL, 0);
	s->slot_key = KEY_NEVER;
	s->free_in = ~0ULL;
	s->matched = 0;
	for (u32 i = 0; i < XBAR_ITERATIONS && i < FAB_CFG.iterations; i++) {
		int n = xbar_iterate(s, !i);

		if (n < 0)
			return -1;
		if (!n)
			break;
	}
	if (!s->matched)
		return 0;
	bytes = xbar_longest(s);
	s->slot_end = now + (u64)bytes * s->ps_per_byte * 100 / (FAB_CFG.speedup ? FAB_CFG.speedup : 100);
	for (u32 i = 0; i < FAB_PORTS; i++) {
		if (i >= s->n_ports)
			break;
		if ((s->matched >> i & 1) && xbar_cross(s, i, bytes, now))
			return -1;
	}
	xbar_plan(s, now);
	return 0;
}

#endif
