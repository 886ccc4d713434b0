/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event loop of one switch. The same text runs in the kernel (bpf/switch.bpf.c) and in the twin
 * (lab/engine/twin.c). Whoever includes this has defined where the state is:
 *
 *   fab_cfg()                                the run's settings
 *   fab_state() fab_port(n) fab_rx(n) fab_frame(id) fab_voq(n) fab_arrq(n)   pointers, or NULL out of bounds
 *   fab_route(switch, host)                  the set of next-hop ports
 *   fab_release(id)                          a frame's slot is free again
 *   fab_emit(port, frame, id, arrival, NULL)   a departure; or with NULL, FAB_NONE and a struct fc_note, flow control
 *   FAB_FN                                   how these functions are declared; FAB_MEM, see sw_next()
 *
 * The rules themselves are pure functions of explicit arguments, in headers that tests and the conductor use as well:
 * arbiter, buffer, credit, ecn, ingress_buffer, pfc, port_fault, route, watchdog. Where they are applied to a switch
 * (here, enqueue, dequeue, voq, crossbar, port) the state stays behind fab_*(): in BPF another port or frame is a map
 * look-up whose result the verifier must see checked, a function takes five arguments at most, and a pointer given to a
 * global function reaches no further than the struct it points to.
 *
 * Functions return 0, or -1 after fab_fail() has recorded what failed and where.
 */
#ifndef LOSSLAB_ADVANCE_H
#define LOSSLAB_ADVANCE_H

#include "bpf/dequeue.h"
#include "bpf/enqueue.h"
#include "bpf/fault.h"
#include "bpf/port.h"
#include "bpf/watchdog.h"

/* A PFC frame. Out of line: it is rare, and inlined it costs the twin's loop 3 % (registers spilled). */
static __attribute__((noinline)) void port_receive_pfc(const struct fab_cfg *cfg, struct port *p, const struct frame *f,
						       u64 now)
{
	u32 any = 0;

	for (u32 c = 0; c < FAB_CLASSES; c++) {
		if (!(f->pfc_classes >> c & 1))
			continue;
		any |= f->pfc_quanta[c];
		p->stats.class_pause_rx[c] += !!f->pfc_quanta[c];
		if (cfg->watchdog &&
		    watchdog_hear(&p->watchdog, &p->pause, c, pfc_quanta_time(f->pfc_quanta[c], p->cfg.ps_per_byte),
				  now))
			continue;
		pause_receive(&p->pause, c, f->pfc_quanta[c], p->cfg.ps_per_byte, now);
		if (f->pfc_quanta[c] && cfg->ecn == ECN_IB)
			p->root[c] = 0; /* paused: the congestion is further downstream */
	}
	if (cfg->watchdog)
		watchdog_plan(&p->watchdog, cfg->watchdog, cfg->restore);
	if (any)
		p->stats.pause_rx++;
	else
		p->stats.resume_rx++;
}

/* Credits for the output side of port @p, and the far end's count of what it has sent to the input side. */
static inline int port_receive_credit(const struct fab_cfg *cfg, struct port *p, const struct frame *f, u64 now)
{
	u32 class = f->class & (FAB_CLASSES - 1);

	if (f->fctbs != p->credit_rx.received[class])
		return fab_fail(FAB_CREDITS, p->cfg.number);
	credit_receive(&p->credit_tx, &p->pause, class, f->fccl, credit_blocks(cfg->frame_max), now);
	p->stats.resume_rx++;
	return 0;
}

/* A frame of flow control, PFC or credits. */
static inline int port_receive_fc(const struct fab_cfg *cfg, struct port *p, const struct frame *f, u64 now)
{
	if (frame_is_credit(f))
		return port_receive_credit(cfg, p, f, now);
	port_receive_pfc(cfg, p, f, now);
	return 0;
}

/* The first frame of port @in's arrival queue is due. */
FAB_FN int sw_arrive(struct sw *s, u32 in)
{
	struct port *p = s ? fab_port(s->port_base + in) : 0;
	struct frame *f;
	u64 *entry, now;
	u32 id;

	if (!p || in >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	entry = fab_arrq(p->cfg.arrq_base + (p->arrq_head & p->cfg.arrq_mask));
	if (!entry)
		return fab_fail(FAB_INTERNAL, s->port_base + in);
	id = *entry;
	f = fab_frame(id);
	if (!f)
		return fab_fail(FAB_INTERNAL, s->port_base + in);
	now = f->arrival;
	if (now < s->clock)
		return fab_fail(FAB_LATE, s->port_base + in);
	s->clock = now;
	p->arrq_head++;
	if (port_peek(p, s->port_base + in))
		return -1;
	if (f->flags & FRAME_PFC) {
		if (!fault_cut(p->fault.cut, now, f->len, p->cfg.ps_per_byte, p->cfg.delay) &&
		    port_receive_fc(fab_cfg(), p, f, now))
			return -1;
		fab_release(id);
	} else if (sw_admit(s, in, id, now)) {
		return -1;
	}
	sw_set_key(s, in, port_key(p, now));
	return 0;
}

/* Send the pending PFC frame of port @p. It encodes the pause state at transmission. */
static inline int port_send_pfc(const struct fab_cfg *cfg, struct port *p, u64 now)
{
	u8 pending = p->pfc_pending;
	u64 end = now + (u64)wire_bytes(PFC_LEN) * p->cfg.ps_per_byte;
	struct fc_note note = { 0 };
	u64 again = now + pfc_quanta_time(cfg->quanta, p->cfg.ps_per_byte) / 2;

	for (u32 c = 0; c < FAB_CLASSES; c++) {
		if (!(pending >> c & 1))
			continue;
		p->refresh[c] = p->xoff >> c & 1 ? again : TIME_NEVER;
		p->stats.class_pause_tx[c] += p->xoff >> c & 1;
	}
	p->advertised = (p->advertised & ~pending) | (pending & p->xoff);
	p->pfc_pending = 0;
	p->busy_until = end;
	if (pending & p->xoff)
		p->stats.pause_tx++;
	else
		p->stats.resume_tx++;
	note.pause = pending & p->xoff;
	note.resume = pending & ~p->xoff;
	return fab_emit(p, 0, FAB_NONE, end + p->cfg.delay, &note);
}

/* Send the pending credits of port @p, for one class. */
static inline int port_send_credit(const struct fab_cfg *cfg, struct port *p, u64 now)
{
	u32 class = bounded(ctz64(p->pfc_pending), FAB_CLASSES);
	u64 end = now + (u64)wire_bytes(PFC_LEN) * p->cfg.ps_per_byte;
	struct fc_note note = {
		.credit = 1,
		.class = class,
		.fctbs = p->credit_tx.sent[class],
		.fccl = credit_limit(&p->credit_rx, class, cfg->credits),
	};

	p->credit_rx.advertised[class] = note.fccl;
	p->pfc_pending &= ~(1 << class);
	p->busy_until = end;
	p->stats.resume_tx++;
	return fab_emit(p, 0, FAB_NONE, end + p->cfg.delay, &note);
}

/* Port @out drops the frames of some classes: its link is down, or the watchdog has stopped them. */
static inline int sw_drain(struct sw *s, struct port *o, u32 out, u64 now)
{
	int id = sw_dequeue(s, out, ctz64(port_waiting(o) & o->fault.drain), now);
	const struct frame *f = id < 0 ? 0 : fab_frame(id);

	if (!f)
		return id < 0 ? -1 : fab_fail(FAB_INTERNAL, s->port_base + out);
	sw_set_key(s, out, port_key(o, now));
	return sw_drop(o, f, id, o->fault.down ? FAB_DROP_LINK : FAB_DROP_WATCHDOG);
}

/* Port @out is free and has something to send. */
FAB_FN int sw_depart(struct sw *s, u32 out, u64 now)
{
	const struct fab_cfg *cfg = fab_cfg();
	struct port *o = s ? fab_port(s->port_base + out) : 0;
	struct frame *f;
	u64 end;
	u32 class;
	int id;

	if (!o || out >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	if (o->fault.drain && (port_waiting(o) & o->fault.drain))
		return sw_drain(s, o, out, now);
	if (o->pfc_pending) {
		if (cfg->credits ? port_send_credit(cfg, o, now) : port_send_pfc(cfg, o, now))
			return -1;
		sw_set_key(s, out, port_key(o, now));
		return 0;
	}
	class = port_class(cfg, o, now);
	id = sw_dequeue(s, out, class, now);
	f = id < 0 ? 0 : fab_frame(id);
	if (!f)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	frame_prefetch(f->next);
	end = now + (u64)wire_bytes(f->len) * o->cfg.ps_per_byte;
	o->busy_until = end;
	if (cfg->wrr)
		arbiter_wrr_sent(&o->wrr, class, wire_bytes(f->len));
	if (cfg->credits)
		port_use_credit(cfg, o, class, f->len, end);
	o->stats.tx_frames++;
	o->stats.tx_bytes += f->len;
	o->stats.tx_data += !!(f->flags & FRAME_DATA);
	sw_set_key(s, out, port_key(o, now));
	if (o->fault.corrupt &&
	    draw32(~cfg->seed ^ FAULT_SEED, s->port_base + out, o->fault.draws++) < o->fault.corrupt) {
		o->stats.corrupted++;
		f->flags ^= FRAME_CORRUPT;
	}
	if (o->cfg.loss_out && draw32(~cfg->seed, s->port_base + out, o->stats.draws++) < o->cfg.loss_out) {
		o->stats.lost_out_frames++;
		return sw_drop(o, f, id, FAB_DROP_LOSS);
	}
	return fab_emit(o, f, id, end + o->cfg.delay, 0);
}

/* Run the PFC watchdog of port @out if it is due. */
FAB_FN int sw_watchdog(struct sw *s, u32 out, u64 now)
{
	const struct fab_cfg *cfg = fab_cfg();
	struct port *o = s ? fab_port(s->port_base + out) : 0;

	if (!o)
		return fab_fail(FAB_INTERNAL, 0);
	if (o->watchdog.next && o->watchdog.next <= now) {
		watchdog_look(&o->watchdog, &o->pause, o->busy_classes, cfg->watchdog, cfg->restore, now);
		o->fault.drain = o->watchdog.stopped; /* never while the link is down: then nothing is paused */
	}
	return 0;
}

/*
 * A timer of port @in: repeat PAUSEs that are about to run out while their class is still to pause. Also called after
 * the watchdog has run and after the conductor has changed something: it works out the port's next event.
 */
FAB_FN int sw_refresh(struct sw *s, u32 in, u64 now)
{
	struct port *p = s ? fab_port(s->port_base + in) : 0;

	if (!p || in >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		if ((p->xoff >> c & 1) && p->refresh[c] <= now) {
			p->pfc_pending |= 1 << c;
			p->refresh[c] = TIME_NEVER;
		}
	}
	sw_set_key(s, in, port_key(p, now));
	return 0;
}

/*
 * Find the least key of all ports and the first port that has it: s->best, s->best_port. Two passes without a branch on
 * a key, which no branch predictor could foresee. Returns 1 if that port is the next one: no other has the same key.
 */
static inline int sw_least_key(struct sw *s)
{
	u64 best = KEY_NEVER, equal = 0;
	u32 n = s->n_ports;

	for (u32 i = 0; i < n; i++)
		best = min64(best, s->key[i]);
	for (u32 i = 0; i < n; i++)
		equal |= (u64)(s->key[i] == best) << i;
	s->best = best;
	s->best_port = ctz64(equal);
	return !(equal & (equal - 1)) || best == KEY_NEVER;
}

/* Does port @a come before port @b, when both have their next event at @key? By seed, never by number. */
static inline int sw_tie_first(u64 seed, u32 node, u32 a, u32 b, u64 key)
{
	return tie_rank(seed, node, a, KEY_TIME(key)) <= tie_rank(seed, node, b, KEY_TIME(key));
}

/*
 * Find the port with the next event: the one with the least key, ties broken by tie_rank(). In BPF s->best and
 * s->best_port are volatile (FAB_MEM): if they were carried in registers the verifier would follow every combination of
 * candidates. Nor is sw_least_key() for BPF: its instruction set has neither conditional moves nor vectors.
 */
FAB_FN int sw_next(struct sw *s, u32 node)
{
	const struct fab_cfg *cfg = fab_cfg();
	FAB_MEM u64 *best, *port;

	if (!s)
		return fab_fail(FAB_INTERNAL, 0);
#ifndef __bpf__
	if (sw_least_key(s))
		return 0;
#endif
	best = &s->best;
	port = &s->best_port;
	*best = KEY_NEVER;
	*port = 0;
	for (u32 i = 0; i < FAB_PORTS; i++) {
		u64 key;

		if (i >= s->n_ports)
			break;
		key = s->key[i];
		if (key > *best || key == KEY_NEVER)
			continue;
		if (key == *best && !sw_tie_first(cfg->seed, node, i, *port, key))
			continue;
		*best = key;
		*port = i;
	}
	return 0;
}

/* Begin a window: look at ports whose arrival queue was empty. */
FAB_FN int sw_begin(struct sw *s)
{
	if (!s)
		return fab_fail(FAB_INTERNAL, 0);
	for (u32 i = 0; i < FAB_PORTS; i++) {
		struct port *p;

		if (i >= s->n_ports)
			break;
		p = fab_port(s->port_base + i);
		if (!p)
			return fab_fail(FAB_INTERNAL, s->port_base + i);
		if (p->arr_key != KEY_NEVER)
			continue;
		if (port_peek(p, s->port_base + i))
			return -1;
		sw_set_key(s, i, min64(s->key[i], p->arr_key));
	}
	return 0;
}

/* Handle the next event if it lies before @until: 1 done, 0 none left, -1 failed. */
static inline int sw_step(struct sw *s, u32 node, u64 until)
{
	u64 key, now;
	u32 port;
	int err;

	if (sw_next(s, node))
		return -1;
	if (fab_cfg()->iterations)
		s->best = min64(s->best, s->slot_key);
	key = s->best;
	port = s->best_port;
	now = KEY_TIME(key);
	if (key == KEY_NEVER || now >= until)
		return 0;
	s->events++;
	if (KEY_KIND(key) == EV_DEPARTURE)
		err = sw_depart(s, port, now);
	else if (KEY_KIND(key) == EV_SLOT)
		err = xbar_slot(s, now);
	else if (KEY_KIND(key) == EV_TIMER)
		err = sw_watchdog(s, port, now) || sw_refresh(s, port, now);
	else
		err = sw_arrive(s, port);
	if (err)
		return -1;
	s->clock = now;
	return 1;
}

#endif
