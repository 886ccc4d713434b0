// SPDX-License-Identifier: GPL-2.0
/* Statements about the same thing whose times overlap: the one that begins later is the one that holds. */
#include <errno.h>
#include <stdlib.h>

#include "lab/plan/plan.h"

#define NOBODY (~0U)

/* Things that a port or a host can have wrong, besides its link; a storm for each class. */
enum { THING_DROP, THING_CORRUPT, THING_STORM, THINGS = THING_STORM + FAB_CLASSES };

/* Of everything that can have a fault, the statement that holds. */
struct holders {
	const struct plan *f;
	u32 *link;   /* [links] */
	u32 *thing;  /* [ports, then hosts][THINGS] */
	bool *ended; /* [events in the order of their statements]: does not happen, because its statement is over */
};

static u32 link_of(const struct plan *f, u32 port)
{
	u32 s = f->ports[port].sw;

	return f->topo->nodes[f->topo->switches[s]].ports[port - f->port_base[s]].link;
}

/* Where it stands which statement holds of what @x is about. */
static u32 *holder(const struct holders *h, const struct fault *x)
{
	u32 place = x->port & FAULT_HOST ? h->f->size.ports + (x->port & ~FAULT_HOST) : x->port;
	u32 *things = &h->thing[(size_t)place * THINGS];

	switch (x->kind) {
	case FAULT_DROP:
		return &things[THING_DROP];
	case FAULT_CORRUPT:
		return &things[THING_CORRUPT];
	case FAULT_PAUSE:
	case FAULT_RESUME:
		return &things[THING_STORM + x->value];
	default:
		return &h->link[link_of(h->f, x->port)];
	}
}

/* Whether @x happens. Routes follow the event before them in their statement, whatever has begun since. */
static bool holds(struct holders *h, const struct fault *x)
{
	u32 *who = holder(h, x);

	if (x->kind == FAULT_ROUTES)
		return !h->ended[x->order - 1];
	if (x->first)
		*who = x->statement;
	h->ended[x->order] = *who != x->statement;
	return !h->ended[x->order];
}

/* Whether some port pauses its far end when all is over. The holders are needed no more. */
static bool is_endless(const struct holders *h)
{
	const struct faults *p = &h->f->faults;
	bool endless = false;

	for (u32 i = 0; i < p->n; i++)
		if (p->list[i].kind == FAULT_PAUSE || p->list[i].kind == FAULT_RESUME)
			*holder(h, &p->list[i]) = p->list[i].kind == FAULT_PAUSE;
	for (u32 i = 0; i < p->n; i++)
		endless |= p->list[i].kind == FAULT_PAUSE && *holder(h, &p->list[i]);
	return endless;
}

int faults_resolve(struct plan *f)
{
	size_t things = (size_t)(f->size.ports + f->size.hosts) * THINGS;
	struct holders h = { .f = f };
	u32 n = 0;
	int rc = 0;

	h.link = malloc(f->topo->n_links * sizeof(u32));
	h.thing = malloc(things * sizeof(u32));
	h.ended = calloc(f->faults.n + 1, sizeof(bool));
	if (!h.link || !h.thing || !h.ended)
		rc = -ENOMEM;
	for (u32 i = 0; !rc && i < f->topo->n_links; i++)
		h.link[i] = NOBODY;
	for (size_t i = 0; !rc && i < things; i++)
		h.thing[i] = NOBODY;
	for (u32 i = 0; !rc && i < f->faults.n; i++)
		if (holds(&h, &f->faults.list[i]))
			f->faults.list[n++] = f->faults.list[i];
	if (!rc) {
		f->faults.n = n;
		f->faults.endless = is_endless(&h);
	}
	free(h.link);
	free(h.thing);
	free(h.ended);
	return rc;
}
