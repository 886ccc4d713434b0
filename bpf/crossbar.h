/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arbiter=islip: a crossbar between the input queues and the outputs; an input feeds one output at a time. Its
 * scheduler is iSLIP (McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM ToN 7(2), 1999)
 * with priorities. An iteration has three steps. Request: every free input asks every output that it has a frame for.
 * Grant: every free output picks, of those who ask for its highest class, the next at or after its grant pointer.
 * Accept: every input picks, of the outputs that grant it its highest class, the next at or after its accept pointer.
 * Both pointers move to one beyond, but only for what is accepted in the first iteration.
 *
 * iSLIP is defined for cells and slots of one size, but frames differ in length. So here a slot ends as soon as one of
 * the frames that cross is through. Then all ports are matched anew; a frame that is partly through continues when it
 * is matched again, as the cells of a frame would. No time is lost to padding, and if all frames are equally long this
 * is exactly iSLIP. An idle crossbar begins a slot as soon as a frame arrives.
 *
 * The crossbar is speedup times as fast as the switch's fastest port. A frame that is through waits in its output's own
 * queue until the link is free. An output accepts no more of a class while output_buffer bytes of it wait there, so a
 * paused class backs up into the input queues. A frame counts in its input's buffer until it is sent, so PFC and
 * credits guarantee the same as without a crossbar.
 */
#ifndef LOSSLAB_CROSSBAR_H
#define LOSSLAB_CROSSBAR_H

#include "bpf/arbiter.h"
#include "bpf/voq.h"

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

		if (!asking || !xbar_room(fab_cfg(), o, c))
			continue;
		p = fab_port(s->port_base + arbiter_input(asking, o->turn[c]));
		if (!p)
			return fab_fail(FAB_INTERNAL, s->port_base + out);
		p->grants[c] |= 1ULL << out;
		break;
	}
	return 0;
}

/* Input @in accepts one of its grants, if it has any. */
FAB_FN int xbar_accept(struct sw *s, u32 in, u32 first)
{
	struct port *p = s ? fab_port(s->port_base + in) : 0;
	u32 out, done = 0;

	if (!p || in >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	for (u32 n = 0; n < FAB_CLASSES; n++) {
		u32 c = FAB_CLASSES - 1 - n;
		u64 grants = p->grants[c];
		struct port *o;

		p->grants[c] = 0;
		if (!grants || done)
			continue;
		done = 1;
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
	return 0;
}

/* One iteration. (A count of matches, carried in a register, is more than Linux 6.1's verifier can follow.) */
FAB_FN int xbar_iterate(struct sw *s, u32 first)
{
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
		if (xbar_accept(s, i, first))
			return -1;
	}
	return 0;
}

/* The frame that crosses to output @o in this slot, or NULL. */
static inline struct frame *xbar_frame(struct sw *s, const struct port *o, u32 out)
{
	struct voq *q = fab_voq(voq_index(s, out, o->match_in, o->match_class));

	return fab_frame(q ? q->head : FAB_NONE);
}

/* The bytes of this slot are those left to cross of the frame that has fewest. */
FAB_FN int xbar_measure(struct sw *s)
{
	if (!s)
		return fab_fail(FAB_INTERNAL, 0);
	s->slot_bytes = ~0U;
	for (u32 i = 0; i < FAB_PORTS; i++) {
		struct port *o;
		struct frame *f;

		if (i >= s->n_ports)
			break;
		if (!(s->matched >> i & 1))
			continue;
		o = fab_port(s->port_base + i);
		f = o ? xbar_frame(s, o, i) : 0;
		if (!f)
			return fab_fail(FAB_INTERNAL, s->port_base + i);
		s->slot_bytes = min64(s->slot_bytes, wire_bytes(f->len) - f->crossed);
	}
	return 0;
}

/* A slot of @bytes is over: the frame that crossed to output @out is through, or so much further. */
FAB_FN int xbar_cross(struct sw *s, u32 out, u32 bytes, u64 now)
{
	struct port *o = s ? fab_port(s->port_base + out) : 0;
	struct frame *f;
	u32 class;
	int id;

	if (!o || out >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	f = xbar_frame(s, o, out);
	if (!f)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	f->crossed += bytes;
	if (f->crossed < wire_bytes(f->len))
		return 0;
	class = bounded(o->match_class, FAB_CLASSES);
	id = sw_take(s, out, o->match_in, class, now);
	f = id < 0 ? 0 : fab_frame(id);
	if (!f || voq_push(voq_output(s, out, class), id, f) < 0)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	class = bounded(class, FAB_CLASSES);
	o->staged[class] += f->len;
	o->busy_classes |= 1 << class;
	sw_set_key(s, out, port_key(o, now));
	return 0;
}

/* The slot that ends at @now, if there is one: its frames have crossed. */
FAB_FN int xbar_end(struct sw *s, u64 now)
{
	if (!s)
		return fab_fail(FAB_INTERNAL, 0);
	for (u32 i = 0; i < FAB_PORTS; i++) {
		if (i >= s->n_ports)
			break;
		if ((s->matched >> i & 1) && xbar_cross(s, i, s->slot_bytes, now))
			return -1;
	}
	return 0;
}

/* One slot ends and another begins: match inputs and outputs. */
FAB_FN int xbar_slot(struct sw *s, u64 now)
{
	const struct fab_cfg *cfg = fab_cfg();
	if (!s)
		return fab_fail(FAB_INTERNAL, 0);
	if (s->matched && xbar_end(s, now))
		return -1;
	s->slot_key = KEY_NEVER;
	s->free_in = ~0ULL;
	s->matched = 0;
	for (u32 i = 0; i < XBAR_ITERATIONS && i < cfg->iterations; i++) {
		u64 before = s->matched;

		if (xbar_iterate(s, !i))
			return -1;
		if (s->matched == before)
			break;
	}
	if (!s->matched)
		return 0;
	if (xbar_measure(s))
		return -1;
	s->slot_end = now + xbar_time(s->slot_bytes, s->ps_per_byte, cfg->speedup);
	s->slot_key = KEY(s->slot_end, EV_SLOT);
	return 0;
}

/* Take the first frame of @class that has crossed to output @out. That makes room for another to cross. */
static inline int xbar_unstage(struct sw *s, struct port *o, u32 out, u32 class, u64 now)
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
		xbar_plan(s, now + 1); /* a slot that begins at this instant may have begun already */
	return (int)(id & 0x7fffffff);
}

/* Take a frame of @class to be dropped before it has crossed. If it is crossing, its match ends. */
static inline int xbar_take_drained(struct sw *s, struct port *o, u32 out, u32 class, u64 now)
{
	u32 in = arbiter_input(o->inputs[class], 0);

	if (o->match_in == in && o->match_class == class)
		s->matched &= ~(1ULL << (out & (FAB_PORTS - 1)));
	return sw_take(s, out, in, class, now);
}

#endif
