// SPDX-License-Identifier: GPL-2.0
/* Faults as they happen: the hosts' part of the plan, and changes of the switches' state between two windows. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/buffer.h"
#include "bpf/credit.h"
#include "bpf/pfc.h"
#include "lab/plan/plan.h"

/* ---- hosts ---- */

/* What a fault is to a host: its number and *nf. False if it is none of its business. */
static bool of_host(const struct plan *f, const struct fault *x, u32 *host, struct nic_fault *nf)
{
	bool storm = x->kind == FAULT_PAUSE || x->kind == FAULT_RESUME;

	if (storm && x->port & FAULT_HOST) {
		*host = x->port & ~FAULT_HOST;
		*nf = (struct nic_fault){ x->at, x->kind == FAULT_PAUSE ? NIC_STORM_ON : NIC_STORM_OFF, x->value };
		return true;
	}
	if ((x->kind != FAULT_DOWN && x->kind != FAULT_UP) || !(f->ports[x->port].peer & PEER_HOST))
		return false;
	*host = f->ports[x->port].peer & ~PEER_HOST;
	*nf = (struct nic_fault){ x->at, x->kind == FAULT_DOWN ? NIC_LINK_DOWN : NIC_LINK_UP, 0 };
	return true;
}

int faults_for_hosts(struct plan *f)
{
	struct nic_fault nf, *at;
	u32 host;

	f->faults.nic_list = at = calloc(f->faults.n + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (u32 i = 0; i < f->faults.n; i++)
		if (of_host(f, &f->faults.list[i], &host, &nf))
			f->nics[host].n_faults++;
	for (u32 h = 0; h < f->size.hosts; h++) {
		f->nics[h].faults = at;
		f->nics[h].quanta = f->cfg->quanta;
		at += f->nics[h].n_faults;
		f->nics[h].n_faults = 0;
	}
	for (u32 i = 0; i < f->faults.n; i++) {
		struct nic_params *p;

		if (!of_host(f, &f->faults.list[i], &host, &nf))
			continue;
		p = &f->nics[host];
		f->faults.nic_list[p->faults - f->faults.nic_list + p->n_faults++] = nf;
		if (nf.kind == NIC_STORM_ON || nf.kind == NIC_STORM_OFF)
			p->n_storms = p->n_faults;
	}
	return 0;
}

void faults_free(struct faults *p)
{
	free(p->list);
	free(p->nic_list);
}

/* ---- switches ---- */

/* Have the switch look at the port at @at: an event that does nothing but work out the port's next one. */
static void look_at(struct plan_memory *m, struct port *p, u64 at)
{
	struct sw *s = &m->switches[p->cfg.sw];
	u64 *key = &s->key[p->cfg.number - s->port_base];

	if (KEY(at, EV_TIMER) < *key)
		*key = KEY(at, EV_TIMER);
	if (at < m->nodes[p->cfg.sw].next)
		m->nodes[p->cfg.sw].next = at;
}

/* One end of a link that breaks. What PFC or credits have said over it, in either direction, is void. */
static void break_end(const struct fab_cfg *cfg, struct plan_memory *m, struct port *p, u64 at)
{
	p->fault.down = 1;
	p->fault.cut = at;
	p->fault.drain = 0xff;
	memset(&p->watchdog, 0, offsetof(struct watchdog, hits));
	p->watchdog.stopped = 0;
	p->told = 0;
	p->pfc_pending = 0;
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		p->refresh[c] = TIME_NEVER;
		pause_account(&p->pause, c, at);
		p->pause.until[c] = 0;
	}
	look_at(m, p, at);
}

/* fc=credit: one end of a link is initialised: bpf/credit.h. Hosts take whatever comes. */
static void restart_credits(const struct fab_cfg *cfg, struct port *p, u64 at)
{
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		credit_restart_rx(&p->credit_rx, c);
		if (credit_must_tell(&p->credit_rx, c, cfg->credits, cfg->credit_step))
			p->pfc_pending |= 1 << c;
		if (!(p->cfg.peer & PEER_HOST))
			credit_restart_tx(&p->credit_tx, &p->pause, c, at);
	}
}

/* Buffers that are full still, or pause for ever, say so again. A link that is not down has nothing to mend. */
static void mend_end(const struct fab_cfg *cfg, struct plan_memory *m, struct port *p, u64 at)
{
	if (!p->fault.down)
		return;
	if (cfg->credits)
		restart_credits(cfg, p, at);
	p->fault.down = 0;
	p->fault.drain = 0;
	if (!cfg->credits)
		p->pfc_pending = p->xoff;
	look_at(m, p, at);
}

static void at_both_ends(const struct fab_cfg *cfg, struct plan_memory *m, u32 port, u64 at,
			 void (*end)(const struct fab_cfg *cfg, struct plan_memory *m, struct port *p, u64 at))
{
	u32 peer = m->ports[port].cfg.peer;

	end(cfg, m, &m->ports[port], at);
	if (!(peer & PEER_HOST))
		end(cfg, m, &m->ports[peer], at);
}

static void begin_storm(struct plan_memory *m, struct port *p, u32 class, u64 at)
{
	p->fault.storm |= 1 << class;
	if (p->xoff >> class & 1)
		return; /* paused already: repeated from now on for as long as the storm lasts */
	p->xoff |= 1 << class;
	p->refresh[class] = TIME_NEVER;
	if (!p->fault.down)
		p->pfc_pending |= 1 << class;
	look_at(m, p, at);
}

/* What the buffer holds does not ask for a pause: port_give()'s rule. */
static bool may_resume(const struct fab_cfg *cfg, const struct sw *s, const struct port *p, u32 class)
{
	if (cfg->shared)
		return buffer_may_resume(&p->use[class], &s->pool, cfg->reserve, cfg->alpha);
	return pfc_may_resume(p->occ[class], p->cfg.xon);
}

static void end_storm(const struct fab_cfg *cfg, struct plan_memory *m, struct port *p, u32 class, u64 at)
{
	p->fault.storm &= ~(1 << class);
	if (!may_resume(cfg, &m->switches[p->cfg.sw], p, class))
		return;
	p->xoff &= ~(1 << class);
	p->refresh[class] = TIME_NEVER;
	p->pfc_pending &= ~(1 << class);
	if (p->told >> class & 1)
		p->pfc_pending |= 1 << class;
	look_at(m, p, at);
}

/* The link of @port as routes know it. */
static void note_link(struct fault_run *r, const struct plan *f, const struct fault *x)
{
	const struct port_cfg *p = &f->ports[x->port];
	const struct topo_node *n = &f->topo->nodes[f->topo->switches[p->sw]];

	r->dead[n->ports[x->port - f->port_base[p->sw]].link] = x->value;
}

static void apply(struct fault_run *r, const struct plan *f, struct plan_memory *m, const struct fault *x)
{
	struct port *p = x->port & FAULT_HOST ? NULL : &m->ports[x->port];

	switch (x->kind) {
	case FAULT_DOWN:
		at_both_ends(&f->fab, m, x->port, x->at, break_end);
		break;
	case FAULT_UP:
		at_both_ends(&f->fab, m, x->port, x->at, mend_end);
		break;
	case FAULT_DROP:
		p->fault.drop = x->value;
		break;
	case FAULT_CORRUPT:
		p->fault.corrupt = x->value;
		break;
	case FAULT_PAUSE:
		if (p)
			begin_storm(m, p, x->value, x->at);
		break;
	case FAULT_RESUME:
		if (p)
			end_storm(&f->fab, m, p, x->value, x->at);
		break;
	default:
		note_link(r, f, x);
	}
}

u64 faults_next(const struct fault_run *r, const struct faults *p)
{
	return r->next < p->n ? p->list[r->next].at : TIME_NEVER;
}

static int start(struct fault_run *r, const struct plan *f)
{
	r->dead = calloc(f->topo->n_links, sizeof(*r->dead));
	r->routes = f->routes;
	r->routes.mask = calloc(f->size.routes, sizeof(u64));
	return r->dead && r->routes.mask ? 0 : -ENOMEM;
}

int faults_apply(struct fault_run *r, const struct plan *f, struct plan_memory *m, u64 at)
{
	int rc = r->dead ? 0 : start(r, f);
	bool routes = false;

	for (; !rc && faults_next(r, &f->faults) == at; r->next++) {
		apply(r, f, m, &f->faults.list[r->next]);
		routes |= f->faults.list[r->next].kind == FAULT_ROUTES;
	}
	if (rc || !routes)
		return rc;
	rc = routes_around(f->topo, r->dead, &r->routes);
	if (!rc)
		memcpy(m->routes, r->routes.mask, f->size.routes * sizeof(u64));
	return rc;
}

void fault_run_free(struct fault_run *r)
{
	free(r->dead);
	free(r->routes.mask);
}
