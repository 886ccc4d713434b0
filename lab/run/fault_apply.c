// SPDX-License-Identifier: GPL-2.0-or-later
/* Applying faults to the switches, between two windows: see lab/run/fault_apply.h. */
#include "lab/run/fault_apply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/port_fault.h"

static void wake(struct plan_memory *m, const struct port *p, u64 at)
{
	sw_wake(&m->switches[p->cfg.sw], &m->nodes[p->cfg.sw], p, at);
}

static void end_down(const struct fab_cfg *cfg, struct plan_memory *m, struct port *p, u64 at)
{
	link_down(p, at);
	wake(m, p, at);
}

static void end_up(const struct fab_cfg *cfg, struct plan_memory *m, struct port *p, u64 at)
{
	if (link_up(cfg, p, at))
		wake(m, p, at);
}

/* Call @end for the ends of a link that are switch ports. */
static void at_both_ends(const struct fab_cfg *cfg, struct plan_memory *m, u32 port, u64 at,
			 void (*end)(const struct fab_cfg *cfg, struct plan_memory *m, struct port *p, u64 at))
{
	u32 peer = m->ports[port].cfg.peer;

	end(cfg, m, &m->ports[port], at);
	if (!(peer & PEER_HOST))
		end(cfg, m, &m->ports[peer], at);
}

/* A storm of a host is the host's own matter: struct nic_fault. */
static void apply(struct fault_run *r, const struct plan *f, struct plan_memory *m, const struct fault *x)
{
	struct port *p = x->port & FAULT_HOST ? NULL : &m->ports[x->port];

	switch (x->kind) {
	case FAULT_DOWN:
		at_both_ends(&f->fab, m, x->port, x->at, end_down);
		break;
	case FAULT_UP:
		at_both_ends(&f->fab, m, x->port, x->at, end_up);
		break;
	case FAULT_DROP:
		p->fault.drop = x->value;
		break;
	case FAULT_CORRUPT:
		p->fault.corrupt = x->value;
		break;
	case FAULT_PAUSE:
		if (p && storm_begin(p, x->value))
			wake(m, p, x->at);
		break;
	case FAULT_RESUME:
		if (p && storm_end(&f->fab, &m->switches[p->cfg.sw], p, x->value))
			wake(m, p, x->at);
		break;
	default:
		r->dead[plan_port_link(f, x->port)] = x->value; /* as routes know it */
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
