/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buffer of a switch's input port: counting frames in and out, and the flow control that follows from it. Here
 * alone stands when a port asks the sender upstream to pause, to resume, or grants it credits. Pure functions of the
 * settings, the switch and the port: the event loop (bpf/advance.h) and the faults of a port (bpf/port_fault.h) call
 * them.
 */
#ifndef LOSSLAB_INGRESS_BUFFER_H
#define LOSSLAB_INGRESS_BUFFER_H

#include "bpf/buffer.h"
#include "bpf/credit.h"
#include "bpf/ecn.h"
#include "bpf/fault.h"
#include "bpf/pfc.h"

static inline int port_has_pfc(const struct fab_cfg *cfg, u32 class)
{
	return cfg->pfc >> class & 1;
}

/*
 * fc=credit: @blocks more have arrived, and the buffer holds @held more (or fewer). Advertise the new limit if it has
 * grown by a step; while the link is down, link_up() does it later.
 */
static inline void port_credit(const struct fab_cfg *cfg, struct port *p, u32 class, u32 blocks, s32 held)
{
	p->credit_rx.received[class] += blocks;
	p->credit_rx.held[class] += held;
	if (!p->fault.down && credit_must_advertise(&p->credit_rx, class, cfg->credits, cfg->credit_step))
		p->pfc_pending |= 1 << class;
}

/*
 * fc=credit: a frame has arrived that is not buffered: it is lost, or has no route. One that was on the link when it
 * went down belongs to the count before that.
 */
static inline void port_refuse(const struct fab_cfg *cfg, struct port *p, const struct frame *f)
{
	if (cfg->credits && !fault_cut(p->fault.cut, f->arrival, f->len, p->cfg.ps_per_byte, p->cfg.delay))
		port_credit(cfg, p, f->class & (FAB_CLASSES - 1), credit_blocks(f->len), 0);
}

/* Count an arriving frame of @len bytes into the buffer; 0 if there is no room. */
static inline int port_take(const struct fab_cfg *cfg, struct sw *s, struct port *p, u32 class, u32 len)
{
	u32 occ = p->occ[class] + len;

	if (cfg->shared) {
		if (!buffer_take(&p->use[class], &s->pool, len, cfg->reserve, cfg->alpha,
				 port_has_pfc(cfg, class) ? p->cfg.headroom : 0))
			return 0;
	} else if (occ > cfg->buffer) {
		return 0;
	}
	if (cfg->credits && p->credit_rx.held[class] + credit_blocks(len) > cfg->credits)
		return 0;
	if (cfg->credits)
		port_credit(cfg, p, class, credit_blocks(len), (s32)credit_blocks(len));
	p->occ[class] = occ;
	if (occ > p->stats.max_buffer)
		p->stats.max_buffer = occ;
	return 1;
}

/* Ask the sender upstream to pause if it must, now that the buffer has taken a frame. */
static inline void port_check_xoff(const struct fab_cfg *cfg, const struct sw *s, struct port *p, u32 class)
{
	if (!port_has_pfc(cfg, class) || (p->xoff >> class & 1))
		return;
	if (cfg->shared ? buffer_must_pause(&p->use[class], &s->pool, cfg->reserve, cfg->alpha)
			: pfc_must_pause(p->occ[class], p->cfg.xoff)) {
		p->xoff |= 1 << class;
		p->pfc_pending |= 1 << class;
		p->refresh[class] = TIME_NEVER; /* set when the PAUSE is sent */
	}
}

/* May the sender upstream resume, by what the buffer holds? */
static inline int port_may_resume(const struct fab_cfg *cfg, const struct sw *s, const struct port *p, u32 class)
{
	if (cfg->shared)
		return buffer_may_resume(&p->use[class], &s->pool, cfg->reserve, cfg->alpha);
	return pfc_may_resume(p->occ[class], p->cfg.xon);
}

/* Let the sender upstream resume. */
static inline void port_resume(struct port *p, u32 class)
{
	p->xoff &= ~(1 << class);
	p->refresh[class] = TIME_NEVER;
	if (p->advertised >> class & 1)
		p->pfc_pending |= 1 << class;
	else
		p->pfc_pending &= ~(1 << class); /* the PAUSE is still pending: nothing to take back */
}

/* Count a frame of @len bytes out of the buffer, sent or dropped. During a storm of the class the sender stays paused.
 */
static inline void port_give(const struct fab_cfg *cfg, struct sw *s, struct port *p, u32 class, u32 len)
{
	p->occ[class] -= len;
	if (cfg->shared)
		buffer_give(&p->use[class], &s->pool, len, cfg->reserve);
	if (cfg->credits)
		port_credit(cfg, p, class, 0, -(s32)credit_blocks(len));
	if (((p->xoff & ~p->fault.storm) >> class & 1) && port_may_resume(cfg, s, p, class))
		port_resume(p, class);
}

/* ecn=ib: is the buffer full, that is, has it no room (headroom aside) for one more of the longest frames? */
static inline int port_is_full(const struct fab_cfg *cfg, const struct sw *s, const struct port *p, u32 class)
{
	if (cfg->shared)
		return !buffer_fits(&p->use[class], &s->pool, cfg->frame_max, cfg->reserve, cfg->alpha);
	if (cfg->credits)
		return credit_exhausted(&p->credit_rx, class, cfg->credits, cfg->credit_step,
					credit_blocks(cfg->frame_max));
	return ecn_ib_full(p->occ[class], port_has_pfc(cfg, class) ? p->cfg.xoff : cfg->buffer, cfg->frame_max);
}

#endif
