/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults of a switch port: its link goes down and comes up, a storm of PAUSE begins and ends. Pure functions of the
 * settings, the switch and the port. The conductor applies them between two windows (lab/run/fault_apply.c) and then
 * wakes the switch; the event loop (bpf/advance.h) acts on what they set. When a port pauses and resumes its sender
 * stands in bpf/ingress_buffer.h alone. Those that return int return 1 if the port's next event may be another now.
 */
#ifndef LOSSLAB_PORT_FAULT_H
#define LOSSLAB_PORT_FAULT_H

#include "bpf/credit.h"
#include "bpf/ingress_buffer.h"
#include "bpf/pfc.h"
#include "bpf/watchdog.h"

/* Give port @p of switch @s an event at @at, or keep an earlier one. It does nothing but work out the port's next. */
static inline void sw_wake(struct sw *s, struct node_cell *node, const struct port *p, u64 at)
{
	u64 *key = &s->key[p->cfg.number - s->port_base];

	*key = min64(*key, KEY(at, EV_TIMER));
	node->next = min64(node->next, at);
}

/*
 * One end of a link that goes down. The queues drain, and flow control starts over: pauses received end, nothing is
 * advertised or pending. What the buffer asks for (xoff) stays: it holds its frames still.
 */
static inline void link_down(struct port *p, u64 at)
{
	p->fault.down = 1;
	p->fault.cut = at;
	p->fault.drain = 0xff;
	watchdog_reset(&p->watchdog);
	p->advertised = 0;
	p->pfc_pending = 0;
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		p->refresh[c] = TIME_NEVER;
		pause_account(&p->pause, c, at);
		p->pause.until[c] = 0;
	}
}

/* fc=credit: one end of a link is initialised (bpf/credit.h). Towards a host there is no transmitter to stop. */
static inline void link_init_credits(const struct fab_cfg *cfg, struct port *p, u64 at)
{
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		credit_restart_rx(&p->credit_rx, c);
		if (credit_must_advertise(&p->credit_rx, c, cfg->credits, cfg->credit_step))
			p->pfc_pending |= 1 << c;
		if (!(p->cfg.peer & PEER_HOST))
			credit_restart_tx(&p->credit_tx, &p->pause, c, at);
	}
}

/* One end of a link that comes up: pauses still asked for, by a full buffer or a storm, are sent anew. 0: it was up. */
static inline int link_up(const struct fab_cfg *cfg, struct port *p, u64 at)
{
	if (!p->fault.down)
		return 0;
	p->fault.down = 0;
	p->fault.drain = 0;
	if (cfg->credits)
		link_init_credits(cfg, p, at);
	else
		p->pfc_pending = p->xoff;
	return 1;
}

/*
 * A storm begins: from now on the sender upstream is paused for @class, whatever the buffer holds. If it is paused
 * already its PAUSE is repeated as long as the storm lasts.
 */
static inline int storm_begin(struct port *p, u32 class)
{
	p->fault.storm |= 1 << class;
	if (p->xoff >> class & 1)
		return 0;
	p->xoff |= 1 << class;
	p->refresh[class] = TIME_NEVER;
	if (!p->fault.down)
		p->pfc_pending |= 1 << class;
	return 1;
}

/* A storm ends: the sender resumes unless the buffer itself asks for the pause. */
static inline int storm_end(const struct fab_cfg *cfg, const struct sw *s, struct port *p, u32 class)
{
	p->fault.storm &= ~(1 << class);
	if (!port_may_resume(cfg, s, p, class))
		return 0;
	port_resume(p, class);
	return 1;
}

#endif
