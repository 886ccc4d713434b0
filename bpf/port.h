/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by all parts of a switch's event loop (bpf/advance.h): errors, a port's next event, marks, drops. */
#ifndef LOSSLAB_PORT_H
#define LOSSLAB_PORT_H

#include "bpf/arbiter.h"
#include "bpf/abi.h"

static inline int fab_fail(enum fab_error error, u32 port)
{
	struct fab_state *st = fab_state();

	if (st && !st->error) {
		st->error = error;
		st->error_port = port;
	}
	return -1;
}

/*
 * Mask @n, which is below @size, a power of two, so that the verifier knows its bounds. It cannot derive them from a
 * bit count or from a check in another function, and Linux 6.1 forgets them when a register is spilled. The barrier
 * keeps the compiler from dropping a mask that it can prove redundant.
 */
static inline u32 bounded(u32 n, u32 size)
{
#ifdef __bpf__
	asm volatile("" : "+r"(n));
#endif
	return n & (size - 1);
}

/* When the first of the classes that have frames is not paused. As a rule one class has. */
static inline u64 port_ready(const struct port *p)
{
	u32 busy = p->busy_classes;

	if (busy && !(busy & (busy - 1)))
		return p->pause.until[bounded(ctz64(busy), FAB_CLASSES)];
	return arbiter_ready(busy, &p->pause);
}

/* The classes that have frames for output @p: behind the crossbar, or before it. */
static inline u32 port_waiting(const struct port *p)
{
	u32 classes = p->busy_classes;

	for (u32 c = 0; c < FAB_CLASSES; c++)
		classes |= (p->inputs[c] != 0) << c;
	return classes;
}

/* The next event of a port: its first arrival, PAUSE to repeat, watchdog check or departure. */
static inline u64 port_key(const struct port *p, u64 now)
{
	u64 key = p->arr_key;
	u64 ready = p->pfc_pending ? 0 : port_ready(p);

	if (ready != TIME_NEVER)
		key = min64(key, KEY(max64(max64(ready, p->busy_until), now), EV_DEPARTURE));
	if (p->fault.drain && (port_waiting(p) & p->fault.drain))
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

/* Set the next event of port @n of a switch. */
static inline void sw_set_key(struct sw *s, u32 n, u64 key)
{
	s->key[bounded(n, FAB_PORTS)] = key;
}

/* Prefetch frame @id, which has left the caches since it was written; no-op in BPF. */
static inline void frame_prefetch(u32 id)
{
#ifndef __bpf__
	__builtin_prefetch(fab_frame(id));
#endif
}

/* Prefetch the second frame of the arrival queue of port @p. */
static inline void arrival_prefetch(const struct port *p)
{
#ifndef __bpf__
	frame_prefetch(*fab_arrq(p->cfg.arrq_base + ((p->arrq_head + 1) & p->cfg.arrq_mask)));
#endif
}

/* Look up the first frame of the arrival queue. */
static inline int port_peek(struct port *p, u32 number)
{
	struct port_rx *rx = fab_rx(number);
	u64 *entry;
	struct frame *f;
	u32 left;

	p->arr_key = KEY_NEVER;
	if (!rx)
		return fab_fail(FAB_INTERNAL, number);
	left = *(volatile u32 *)&rx->tail - p->arrq_head;
	if (!left)
		return 0;
	entry = fab_arrq(p->cfg.arrq_base + (p->arrq_head & p->cfg.arrq_mask));
	f = entry ? fab_frame(*entry) : 0;
	if (!f)
		return fab_fail(FAB_INTERNAL, number);
	if (left > 1)
		arrival_prefetch(p);
	p->arr_key = KEY(f->arrival, f->flags & FRAME_PFC ? EV_PFC_ARRIVAL : EV_ARRIVAL);
	return 0;
}

/* ECN-capable, and not yet marked. */
static inline int port_may_mark(const struct frame *f)
{
	return (f->flags & (FRAME_ECT | FRAME_CE)) == FRAME_ECT;
}

/* Mark a frame bound for output @o, for a named cause. */
static inline void port_mark(struct port *o, struct frame *f, enum fab_mark cause)
{
	f->flags |= FRAME_CE | FRAME_MARKED;
	o->stats.ecn_marks++;
	o->stats.marks[bounded(cause, FAB_MARKS)]++;
}

/* Drop frame @f, number @id, for a named reason. */
static inline int sw_drop(struct port *p, const struct frame *f, u32 id, enum fab_drop reason)
{
	p->stats.drops[reason]++;
	p->stats.data_drops[reason] += !!(f->flags & FRAME_DATA);
	fab_release(id);
	return 0;
}

#endif
