/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event loop of one switch. The same text runs in the kernel (bpf/switch.bpf.c) and in the twin
 * (lab/twin.c). Whoever includes this has defined where things are:
 *
 *   FAB_CFG                                  the run's struct fab_cfg, an lvalue
 *   fab_state() fab_port(n) fab_rx(n) fab_frame(id) fab_voq(n) fab_arrq(n)   pointers, or NULL out of bounds
 *   fab_route(switch, host)                  the set of next-hop ports
 *   fab_release(id)                          a frame is done with
 *   fab_emit(port, frame or NULL, id, arrival, pause, resume)   a departure
 *   FAB_FN                                   how these functions are declared; FAB_MEM, see sw_next()
 *
 * Functions return 0, or -1 after fab_fail() has noted what and where.
 */
#ifndef LOSSLAB_ADVANCE_H
#define LOSSLAB_ADVANCE_H

#include "bpf/arbiter.h"
#include "bpf/ecn.h"
#include "bpf/fabric.h"
#include "bpf/fault.h"
#include "bpf/hash.h"
#include "bpf/pfc.h"
#include "bpf/route.h"
#include "bpf/watchdog.h"

static inline int fab_fail(enum fab_error error, u32 port)
{
	struct fab_state *st = fab_state();

	if (st && !st->error) {
		st->error = error;
		st->error_port = port;
	}
	return -1;
}

static inline u64 min64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max64(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* The next event of a port: the first arrival, the first PAUSE to repeat, the next departure. */
static inline u64 port_key(const struct port *p, u64 now)
{
	u64 key = p->arr_key;
	u64 ready = p->pfc_pending ? 0 : arbiter_ready(p->busy_classes, &p->pause);

	if (ready != TIME_NEVER)
		key = min64(key, KEY(max64(max64(ready, p->busy_until), now), EV_DEPARTURE));
	if (p->busy_classes & p->fault.drain)
		key = min64(key, KEY(now, EV_DEPARTURE));
	if (p->watchdog.next)
		key = min64(key, KEY(max64(p->watchdog.next, now), EV_TIMER));
	if (!p->xoff)
		return key;
	for (u32 c = 0; c < FAB_CLASSES; c++)
		if ((p->xoff >> c & 1) && p->refresh[c] != TIME_NEVER)
			key = min64(key, KEY(max64(p->refresh[c], now), EV_TIMER));
	return key;
}

/* Look up the first frame of the arrival queue. */
static inline int port_peek(struct port *p, u32 number)
{
	struct port_rx *rx = fab_rx(number);
	u64 *entry;
	struct frame *f;

	p->arr_key = KEY_NEVER;
	if (!rx)
		return fab_fail(FAB_INTERNAL, number);
	if (*(volatile u32 *)&rx->tail == p->arrq_head)
		return 0;
	entry = fab_arrq(p->cfg.arrq_base + (p->arrq_head & p->cfg.arrq_mask));
	f = entry ? fab_frame(*entry) : 0;
	if (!f)
		return fab_fail(FAB_INTERNAL, number);
	p->arr_key = KEY(f->arrival, f->flags & FRAME_PFC ? EV_PFC_ARRIVAL : EV_ARRIVAL);
	return 0;
}

/* Put frame @id at the end of VOQ @n. */
static inline int voq_push(u32 n, u32 id)
{
	struct voq *q = fab_voq(n);
	struct frame *last;

	if (!q)
		return -1;
	if (q->head == FAB_NONE) {
		q->head = id;
	} else {
		last = fab_frame(q->tail);
		if (!last)
			return -1;
		last->next = id;
	}
	q->tail = id;
	return 0;
}

static inline u32 voq_index(const struct sw *s, u32 out, u32 in, u32 class)
{
	return s->voq_base + (out * s->n_ports + in) * FAB_CLASSES + class;
}

/* A frame ends here, for a named reason. */
static inline int sw_drop(struct port *p, u32 id, enum fab_drop reason)
{
	p->stats.drops[reason]++;
	fab_release(id);
	return 0;
}

/* Count an arriving frame into its input's buffer and see whether the sender must pause. */
static inline void port_occupy(struct port *p, u32 class, u32 len)
{
	u32 occ = p->occ[class] + len;

	p->occ[class] = occ;
	if (occ > p->stats.max_buffer)
		p->stats.max_buffer = occ;
	if ((FAB_CFG.pfc >> class & 1) && !(p->xoff >> class & 1) && pfc_must_pause(occ, p->cfg.xoff)) {
		p->xoff |= 1 << class;
		p->pfc_pending |= 1 << class;
		p->refresh[class] = TIME_NEVER; /* set when the PAUSE is sent */
	}
}

/* Join the VOQ for output @o, marking on the way in. */
static inline __attribute__((always_inline)) int port_enqueue(struct sw *s, struct port *o, u32 out, struct frame *f,
							      u32 id, u32 class)
{
	u32 in = f->in_port & (FAB_PORTS - 1);
	u64 queue = o->queue[class];

	if (FAB_CFG.ecn && (f->flags & (FRAME_ECT | FRAME_CE)) == FRAME_ECT &&
	    ecn_red_mark(queue, FAB_CFG.kmin, FAB_CFG.kmax, FAB_CFG.pmax,
			 draw32(FAB_CFG.seed, s->port_base + out, o->stats.draws++))) {
		f->flags |= FRAME_CE | FRAME_MARKED;
		o->stats.ecn_marks++;
	}
	f->next = FAB_NONE;
	if (voq_push(voq_index(s, out, in, class), id))
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	queue += f->len;
	o->queue[class] = queue;
	if (queue > o->stats.max_queue)
		o->stats.max_queue = queue;
	o->inputs[class] |= 1ULL << in;
	o->busy_classes |= 1 << class;
	return 0;
}

/* A data or ACK frame has arrived on port @in: lose it, drop it, or queue it. */
FAB_FN int sw_admit(struct sw *s, u32 in, u32 id, u64 now)
{
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
	if (p->cfg.loss_in && draw32(~FAB_CFG.seed, s->port_base + in, p->stats.draws++) < p->cfg.loss_in)
		return sw_drop(p, id, FAB_DROP_LOSS);
	if (fault_cut(p->fault.cut, f->arrival, f->len, p->cfg.ps_per_byte, p->cfg.delay))
		return sw_drop(p, id, FAB_DROP_LINK);
	if (p->fault.drop && draw32(FAB_CFG.seed ^ FAULT_SEED, s->port_base + in, p->fault.draws++) < p->fault.drop)
		return sw_drop(p, id, FAB_DROP_FAULT);
	mask = fab_route(p->cfg.sw, f->dst);
	if (!mask)
		return sw_drop(p, id, FAB_DROP_NO_ROUTE);
	if (p->occ[class] + f->len > FAB_CFG.buffer)
		return sw_drop(p, id, FAB_DROP_BUFFER);
	out = route_pick(mask, f->flow_key, s->seed);
	o = fab_port(s->port_base + out);
	if (!o || out >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, s->port_base + in);
	f->in_port = in;
	if (port_enqueue(s, o, out, f, id, class))
		return -1;
	port_occupy(p, class, f->len);
	s->key[out] = port_key(o, now);
	return 0;
}

static inline void port_receive_pfc(struct port *p, const struct frame *f, u64 now)
{
	u32 any = 0;

	for (u32 c = 0; c < FAB_CLASSES; c++) {
		if (!(f->pfc_classes >> c & 1))
			continue;
		any |= f->pfc_quanta[c];
		if (FAB_CFG.watchdog &&
		    watchdog_hear(&p->watchdog, &p->pause, c, pfc_quanta_time(f->pfc_quanta[c], p->cfg.ps_per_byte),
				  now))
			continue;
		pause_receive(&p->pause, c, f->pfc_quanta[c], p->cfg.ps_per_byte, now);
	}
	if (FAB_CFG.watchdog)
		watchdog_plan(&p->watchdog, FAB_CFG.watchdog, FAB_CFG.restore);
	if (any)
		p->stats.pause_rx++;
	else
		p->stats.resume_rx++;
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
		if (!fault_cut(p->fault.cut, now, f->len, p->cfg.ps_per_byte, p->cfg.delay))
			port_receive_pfc(p, f, now);
		fab_release(id);
	} else if (sw_admit(s, in, id, now)) {
		return -1;
	}
	s->key[in] = port_key(p, now);
	return 0;
}

/* Send the pending PFC frame of port @p: what it says is what holds now. */
static inline int port_send_pfc(struct port *p, u64 now)
{
	u8 told = p->pfc_pending;
	u64 end = now + (u64)wire_bytes(PFC_LEN) * p->cfg.ps_per_byte;
	u64 again = now + pfc_quanta_time(FAB_CFG.quanta, p->cfg.ps_per_byte) / 2;

	for (u32 c = 0; c < FAB_CLASSES; c++)
		if (told >> c & 1)
			p->refresh[c] = p->xoff >> c & 1 ? again : TIME_NEVER;
	p->told = (p->told & ~told) | (told & p->xoff);
	p->pfc_pending = 0;
	p->busy_until = end;
	if (told & p->xoff)
		p->stats.pause_tx++;
	else
		p->stats.resume_tx++;
	return fab_emit(p, 0, FAB_NONE, end + p->cfg.delay, told & p->xoff, told & ~p->xoff);
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
	o->turn[class] = in + 1;
	o->queue[class] -= f->len;
	p->occ[class] -= f->len;
	if (((p->xoff & ~p->fault.storm) >> class & 1) && pfc_may_resume(p->occ[class], p->cfg.xon)) {
		p->xoff &= ~(1 << class);
		p->refresh[class] = TIME_NEVER;
		if (p->told >> class & 1)
			p->pfc_pending |= 1 << class;
		else
			p->pfc_pending &=
				~(1 << class); /* the PAUSE has not gone out yet: there is nothing to take back */
	}
	if (in != out)
		s->key[in] = port_key(p, now);
	return (int)(id & 0x7fffffff);
}

/* Port @out does not send some of its classes, now or at all: their frames end here. */
static inline int sw_drain(struct sw *s, struct port *o, u32 out, u64 now)
{
	int id = sw_dequeue(s, out, ctz64(o->busy_classes & o->fault.drain), now);

	if (id < 0)
		return -1;
	s->key[out] = port_key(o, now);
	return sw_drop(o, id, o->fault.down ? FAB_DROP_LINK : FAB_DROP_WATCHDOG);
}

/* Port @out is free and has something to send. */
FAB_FN int sw_depart(struct sw *s, u32 out, u64 now)
{
	struct port *o = s ? fab_port(s->port_base + out) : 0;
	struct frame *f;
	u64 end;
	u32 class;
	int id;

	if (!o || out >= FAB_PORTS)
		return fab_fail(FAB_INTERNAL, 0);
	if (o->busy_classes & o->fault.drain)
		return sw_drain(s, o, out, now);
	if (o->pfc_pending) {
		if (port_send_pfc(o, now))
			return -1;
		s->key[out] = port_key(o, now);
		return 0;
	}
	class = arbiter_class(o->busy_classes, &o->pause, now);
	id = sw_dequeue(s, out, class, now);
	f = id < 0 ? 0 : fab_frame(id);
	if (!f)
		return fab_fail(FAB_INTERNAL, s->port_base + out);
	end = now + (u64)wire_bytes(f->len) * o->cfg.ps_per_byte;
	o->busy_until = end;
	o->stats.tx_frames++;
	o->stats.tx_bytes += f->len;
	o->stats.tx_data += !!(f->flags & FRAME_DATA);
	s->key[out] = port_key(o, now);
	if (o->fault.corrupt &&
	    draw32(~FAB_CFG.seed ^ FAULT_SEED, s->port_base + out, o->fault.draws++) < o->fault.corrupt) {
		o->stats.corrupted++;
		f->flags ^= FRAME_CORRUPT;
	}
	if (o->cfg.loss_out && draw32(~FAB_CFG.seed, s->port_base + out, o->stats.draws++) < o->cfg.loss_out) {
		o->stats.lost_out_frames++;
		return sw_drop(o, id, FAB_DROP_LOSS);
	}
	return fab_emit(o, f, id, end + o->cfg.delay, 0, 0);
}

/* The PFC watchdog of port @out looks, if it is time. */
FAB_FN int sw_watchdog(struct sw *s, u32 out, u64 now)
{
	struct port *o = s ? fab_port(s->port_base + out) : 0;

	if (!o)
		return fab_fail(FAB_INTERNAL, 0);
	if (o->watchdog.next && o->watchdog.next <= now) {
		watchdog_look(&o->watchdog, &o->pause, o->busy_classes, FAB_CFG.watchdog, FAB_CFG.restore, now);
		o->fault.drain = o->fault.down ? 0xff : o->watchdog.stopped;
	}
	return 0;
}

/*
 * A timer of port @in: some PAUSE is about to run out while its class is still above XON: say it again. Or the watchdog
 * has looked, or the conductor has changed something.
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
	s->key[in] = port_key(p, now);
	return 0;
}

/*
 * Find the next event: the least key, ties broken by tie_rank(). The best so far is kept in memory in
 * the BPF build (FAB_MEM is volatile there): carried in registers it makes the verifier follow every
 * combination of candidates.
 */
FAB_FN int sw_next(struct sw *s, u32 node)
{
	FAB_MEM u64 *best, *at;

	if (!s)
		return fab_fail(FAB_INTERNAL, 0);
	best = &s->best;
	at = &s->best_port;
	*best = KEY_NEVER;
	*at = 0;
	for (u32 i = 0; i < FAB_PORTS; i++) {
		u64 key;

		if (i >= s->n_ports)
			break;
		key = s->key[i];
		if (key > *best || key == KEY_NEVER)
			continue;
		if (key == *best &&
		    tie_rank(FAB_CFG.seed, node, i, KEY_TIME(key)) > tie_rank(FAB_CFG.seed, node, *at, KEY_TIME(key)))
			continue;
		*best = key;
		*at = i;
	}
	return 0;
}

/* Begin a window: take note of what has arrived at ports whose queue was empty. */
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
		s->key[i] = min64(s->key[i], p->arr_key);
	}
	return 0;
}

/* Handle the next event if it lies before @until: 1 done, 0 there is none, -1 failed. */
static inline int sw_step(struct sw *s, u32 node, u64 until)
{
	u64 key, now;
	u32 port;
	int err;

	if (sw_next(s, node))
		return -1;
	key = s->best;
	port = s->best_port;
	now = KEY_TIME(key);
	if (key == KEY_NEVER || now >= until)
		return 0;
	s->events++;
	if (KEY_KIND(key) == EV_DEPARTURE)
		err = sw_depart(s, port, now);
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
