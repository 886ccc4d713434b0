/* SPDX-License-Identifier: GPL-2.0 */
/* A port's input buffer in a switch's event loop (bpf/advance.h): taking room, giving it back, and what that asks for.
 */
#ifndef LOSSLAB_ROOM_H
#define LOSSLAB_ROOM_H

#include "bpf/buffer.h"
#include "bpf/credit.h"
#include "bpf/ecn.h"
#include "bpf/fault.h"
#include "bpf/pfc.h"
#include "bpf/port.h"

static inline int port_has_pfc(u32 class)
{
	return FAB_CFG.pfc >> class & 1;
}

/*
 * fc=credit: @blocks more have come, of which @held stay; or fewer are held. Tell the sender upstream when it is time;
 * if the link is down, when it has mended (lab/run/fault_apply.c).
 */
static inline void port_credit(struct port *p, u32 class, u32 blocks, s32 held)
{
	p->credit_rx.received[class] += blocks;
	p->credit_rx.held[class] += held;
	if (!p->fault.down && credit_must_tell(&p->credit_rx, class, FAB_CFG.credits, FAB_CFG.credit_step))
		p->pfc_pending |= 1 << class;
}

/* A frame has come that will not stay: lost, or bound for nowhere. One from before a break is of an older count. */
static inline void port_refuse(struct port *p, const struct frame *f)
{
	if (FAB_CFG.credits && !fault_cut(p->fault.cut, f->arrival, f->len, p->cfg.ps_per_byte, p->cfg.delay))
		port_credit(p, f->class & (FAB_CLASSES - 1), credit_blocks(f->len), 0);
}

/* Count an arriving frame into its input's buffer; 0 if there is no room. */
static inline int port_take(struct sw *s, struct port *p, u32 class, u32 len)
{
	u32 occ = p->occ[class] + len;

	if (FAB_CFG.shared) {
		if (!buffer_take(&p->use[class], &s->pool, len, FAB_CFG.reserve, FAB_CFG.alpha,
				 port_has_pfc(class) ? p->cfg.headroom : 0))
			return 0;
	} else if (occ > FAB_CFG.buffer) {
		return 0;
	}
	if (FAB_CFG.credits && p->credit_rx.held[class] + credit_blocks(len) > FAB_CFG.credits)
		return 0;
	if (FAB_CFG.credits)
		port_credit(p, class, credit_blocks(len), (s32)credit_blocks(len));
	p->occ[class] = occ;
	if (occ > p->stats.max_buffer)
		p->stats.max_buffer = occ;
	return 1;
}

/* See whether the sender upstream must pause, now that the buffer has taken a frame. */
static inline void port_check_xoff(const struct sw *s, struct port *p, u32 class)
{
	if (!port_has_pfc(class) || (p->xoff >> class & 1))
		return;
	if (FAB_CFG.shared ? buffer_must_pause(&p->use[class], &s->pool, FAB_CFG.reserve, FAB_CFG.alpha)
			   : pfc_must_pause(p->occ[class], p->cfg.xoff)) {
		p->xoff |= 1 << class;
		p->pfc_pending |= 1 << class;
		p->refresh[class] = TIME_NEVER; /* set when the PAUSE is sent */
	}
}

/* Let the sender upstream go on. */
static inline void port_resume(struct port *p, u32 class)
{
	p->xoff &= ~(1 << class);
	p->refresh[class] = TIME_NEVER;
	if (p->told >> class & 1)
		p->pfc_pending |= 1 << class;
	else
		p->pfc_pending &= ~(1 << class); /* the PAUSE has not gone out yet: there is nothing to take back */
}

/* Give back the room of a frame that leaves, sent or not. Under a storm (bpf/abi.h) nothing lets the sender go on.
 */
static inline void port_give(struct sw *s, struct port *p, u32 class, u32 len)
{
	p->occ[class] -= len;
	if (FAB_CFG.shared)
		buffer_give(&p->use[class], &s->pool, len, FAB_CFG.reserve);
	if (FAB_CFG.credits)
		port_credit(p, class, 0, -(s32)credit_blocks(len));
	if (!((p->xoff & ~p->fault.storm) >> class & 1))
		return;
	if (FAB_CFG.shared ? buffer_may_resume(&p->use[class], &s->pool, FAB_CFG.reserve, FAB_CFG.alpha)
			   : pfc_may_resume(p->occ[class], p->cfg.xon))
		port_resume(p, class);
}

/* ecn=ib: could the buffer not take one more of the longest frames, headroom aside? */
static inline int port_is_full(const struct sw *s, const struct port *p, u32 class)
{
	if (FAB_CFG.shared)
		return !buffer_fits(&p->use[class], &s->pool, FAB_CFG.frame_max, FAB_CFG.reserve, FAB_CFG.alpha);
	if (FAB_CFG.credits)
		return credit_exhausted(&p->credit_rx, class, FAB_CFG.credits, FAB_CFG.credit_step,
					credit_blocks(FAB_CFG.frame_max));
	return ecn_ib_full(p->occ[class], port_has_pfc(class) ? p->cfg.xoff : FAB_CFG.buffer, FAB_CFG.frame_max);
}

#endif
