// SPDX-License-Identifier: GPL-2.0-or-later
/* The switches' part of the plan: what their decisions read, thresholds, shared buffers. */
#include <errno.h>
#include <stdio.h>

#include "bpf/arbiter.h"
#include "bpf/credit.h"
#include "bpf/pfc.h"
#include "lab/plan/plan_impl.h"

u32 prob32(u64 ppb)
{
	u64 x = (ppb << 32) / 1000000000ULL;

	return x > 0xffffffffULL ? 0xffffffffU : x;
}

_Static_assert((int)CFG_ECN_RED == ECN_RED && (int)CFG_ECN_STEP == ECN_STEP && (int)CFG_ECN_IB == ECN_IB &&
		       (int)CFG_ECN_IB_INPUT == ECN_IB_INPUT && (int)CFG_ECN_IB_OUTPUT == ECN_IB_OUTPUT,
	       "enum cfg_ecn is enum fab_ecn");

void plan_cfg(struct plan *f)
{
	const struct run_cfg *c = f->cfg;
	struct err unused;

	f->fab.seed = c->seed;
	f->fab.n_hosts = f->size.hosts;
	f->fab.buffer = c->buffer;
	f->fab.quanta = c->quanta;
	f->fab.kmin = c->kmin;
	f->fab.kmax = c->kmax;
	f->fab.pmax = prob32(c->pmax_ppb);
	f->fab.ecn = c->ecn;
	f->fab.frame_max = f->frame_max;
	f->fab.shared = c->shared;
	if (c->fc == CFG_FC_CREDIT) {
		f->fab.credits = c->buffer / CREDIT_BLOCK;
		f->fab.credit_step = credit_step(f->fab.credits);
	}
	f->fab.alpha = c->alpha;
	f->fab.reserve = c->reserve;
	f->fab.pfc = c->fc == CFG_FC_PFC ? (u8)c->pfc_classes : 0;
	f->fab.watchdog = c->pfc_watchdog;
	f->fab.restore = c->pfc_restore ? c->pfc_restore : 2 * c->pfc_watchdog; /* SONiC's default */
	f->fab.wrr = c->wrr;
	f->fab.iterations = c->islip ? c->iterations : 0;
	f->fab.speedup = c->speedup;
	f->fab.output_buffer = c->output_buffer;
	f->fab.fifo = c->fifo;
	cfg_weights(c->weights, f->fab.wrr_quantum, &unused); /* cfg_finish() has found them well-formed */
	for (u32 i = 0; i < FAB_CLASSES; i++)
		f->fab.wrr_quantum[i] *= wire_bytes(f->frame_max);
}

/* The headroom, in bytes, with which a class under PFC loses nothing at port @p: above XOFF, or in a shared buffer. */
static u64 headroom_needed(const struct plan *f, const struct port_cfg *p)
{
	return pfc_headroom(p->ps_per_byte, p->delay, f->frame_max) + f->fab.shared; /* bpf/buffer.h: the byte */
}

bool plan_headroom_short(const struct plan *f, char *line, size_t n)
{
	u64 have = 0, need = 0, worst = 0;
	char name[64] = "";
	u32 ports = 0;

	for (u32 i = 0; f->fab.pfc & f->classes && i < f->size.ports; i++) {
		const struct port_cfg *p = &f->ports[i];
		u64 room = f->cfg->shared ? p->headroom : f->cfg->buffer - p->xoff, wanted = headroom_needed(f, p);

		if (room >= wanted)
			continue;
		ports++;
		if (wanted - room <= worst)
			continue;
		worst = wanted - room;
		have = room;
		need = wanted;
		plan_port_name(f, i, name, sizeof(name));
	}
	if (ports)
		snprintf(line, n,
			 "%s %llu bytes of headroom at port %s, PFC needs %llu to lose nothing (%u of %u "
			 "ports are short)",
			 f->cfg->shared ? "headroom: gives" : "xoff: leaves", have, name, need, ports, f->size.ports);
	return ports;
}

/*
 * fc=credit: the bytes of buffer with which port @p keeps its link busy. A credit is used when a frame of the longest
 * kind begins to be sent; that frame has arrived a frame time and the delay later, and leaves the buffer; word of it
 * may wait for a frame on its way back, and takes its own time and the delay. Meanwhile the far end needs credits for
 * the next of the longest frames; and an eighth of the buffer is never advertised (credit_step()).
 */
static u64 credit_loop(const struct plan *f, const struct port_cfg *p)
{
	u64 loop = 2 * p->delay / p->ps_per_byte + 3ULL * wire_bytes(f->frame_max) + wire_bytes(PFC_LEN);

	return (loop * 8 + 6) / 7;
}

bool plan_credits_short(const struct plan *f, char *line, size_t n)
{
	u64 worst = 0;
	char name[64] = "";
	u32 ports = 0;

	for (u32 i = 0; f->fab.credits && i < f->size.ports; i++) {
		u64 need = credit_loop(f, &f->ports[i]);

		if (need <= f->cfg->buffer)
			continue;
		ports++;
		if (need <= worst)
			continue;
		worst = need;
		plan_port_name(f, i, name, sizeof(name));
	}
	if (ports)
		snprintf(line, n,
			 "buffer: %u bytes of credits leave the link of port %s idle, %llu cover its loop (%u of %u "
			 "ports are short)",
			 f->cfg->buffer, name, worst, ports, f->size.ports);
	return ports;
}

/*
 * The most headroom that PFC needs at any port, in bytes, and the name of one where it does, in @name. By links: ports
 * are planned one after the other, and the first that is short need not be the worst.
 */
static u64 headroom_most(const struct plan *f, char *name, size_t n)
{
	const struct run_cfg *c = f->cfg;
	u64 most = 0;

	for (u32 i = 0; i < f->topo->n_links; i++) {
		const struct topo_link *l = &f->topo->links[i];
		u64 need = pfc_headroom(c->rate_ps ? c->rate_ps : l->ps_per_byte,
					c->delay_ps ? c->delay_ps : l->delay_ps, f->frame_max);
		u32 end = f->topo->nodes[l->node[0]].kind != TOPO_SWITCH;

		if (need <= most)
			continue;
		most = need;
		snprintf(name, n, "%s:p%u", f->topo->nodes[l->node[end]].name, l->port[end]);
	}
	return most;
}

int plan_thresholds(const struct plan *f, struct port_cfg *p, struct err *err)
{
	u64 headroom = headroom_needed(f, p);
	const struct run_cfg *c = f->cfg;
	char name[64];

	if (f->fab.credits && f->fab.credits < 2 * credit_blocks(f->frame_max)) {
		return err_set(err, -EINVAL,
			       "buffer: %u bytes: credits need two frames' worth, %u bytes: enlarge buffer", c->buffer,
			       2 * credit_blocks(f->frame_max) * CREDIT_BLOCK);
	}
	if (c->shared) {
		p->headroom = !f->fab.pfc ? 0 : c->headroom ? c->headroom : headroom;
		return 0;
	}
	if (c->xoff) {
		p->xoff = c->xoff;
	} else if (f->fab.pfc) {
		if (headroom + 2 * f->frame_max > c->buffer) {
			headroom = headroom_most(f, name, sizeof(name));
			return err_set(
				err, -EINVAL,
				"buffer: %u bytes: PFC needs %llu at port %s, %llu of headroom and two frames: enlarge "
				"buffer, or give xoff",
				c->buffer, headroom + 2 * f->frame_max, name, headroom);
		}
		p->xoff = c->buffer - headroom;
	}
	p->xon = c->xon ? c->xon : p->xoff > 2 * f->frame_max ? p->xoff - 2 * f->frame_max : 0;
	if (p->xon >= p->xoff && p->xoff) {
		return err_set(err, -EINVAL, "xon: %u: not below xoff, which is %u at port %s; allowed: less", p->xon,
			       p->xoff, plan_port_name(f, p->number, name, sizeof(name)));
	}
	return 0;
}

u32 plan_fastest(const struct plan *f, u32 s)
{
	u32 n = f->topo->nodes[f->topo->switches[s]].n_ports, ps = ~0U;

	for (u32 i = 0; i < n; i++)
		if (f->ports[f->port_base[s] + i].ps_per_byte < ps)
			ps = f->ports[f->port_base[s] + i].ps_per_byte;
	return ps;
}

u64 plan_crossbar_rtt(const struct plan *f)
{
	u32 slowest = 0;

	for (u32 s = 0; s < f->size.switches; s++)
		if (plan_fastest(f, s) > slowest)
			slowest = plan_fastest(f, s);
	return 2 * xbar_time(wire_bytes(f->frame_max), slowest, f->fab.speedup) +
		xbar_time(wire_bytes(ACK_LEN), slowest, f->fab.speedup);
}

u32 plan_classes(const struct plan *f)
{
	return (u32)__builtin_popcount(f->classes);
}

u64 plan_own_memory(const struct plan *f, u32 s)
{
	u32 n = f->topo->nodes[f->topo->switches[s]].n_ports;
	u32 lossless = (u32)__builtin_popcount(f->classes & f->fab.pfc);
	u64 sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += (u64)f->cfg->reserve * plan_classes(f) + (u64)f->ports[f->port_base[s] + i].headroom * lossless;
	return sum;
}

int plan_check_pools(const struct plan *f, struct err *err)
{
	for (u32 s = 0; f->cfg->shared && s < f->size.switches; s++) {
		u64 own = plan_own_memory(f, s);

		if (own + f->frame_max <= f->cfg->buffer)
			continue;
		return err_set(
			err, -EINVAL,
			"buffer: %u bytes: switch %s needs %llu, %llu for the reserves and headrooms of its ports "
			"and a frame to share: enlarge buffer, or lower reserve or headroom",
			f->cfg->buffer, f->topo->nodes[f->topo->switches[s]].name, own + f->frame_max, own);
	}
	return 0;
}
