// SPDX-License-Identifier: GPL-2.0
/*
 * The wait-for graph of paused outputs. Exact, not a guess after a time-out: of all paused outputs those are taken
 * away whose far end will resume, because it comes down to XON once the frames for the others have left; what
 * remains waits for itself alone. (A cycle in the graph is not enough: a buffer may drain by its other frames.)
 */
#include "lab/deadlock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct graph {
	const struct fabric *f;
	const struct fabric_memory *m;
	u32 class;
	bool *blocked; /* [ports]: outputs that, as far as known, will never send this class again */
};

/* Output @p is silent because the switch at its far end has asked for it. */
static bool is_waiting(const struct graph *g, const struct port *p, u64 now)
{
	u32 c = g->class;

	return p->pause.until[c] > now && p->pause.since[c] != TIME_NEVER && !(p->cfg.peer & PEER_HOST) &&
		g->m->ports[p->cfg.peer].xoff >> c & 1;
}

static const struct voq *voq_of(const struct graph *g, const struct sw *s, u32 out, u32 in)
{
	return &g->m->voqs[s->voq_base + (out * s->n_ports + in) * FAB_CLASSES + g->class];
}

/* Whether the buffer behind output @n stays above XON when all frames have left it that ever will. */
static bool stays_full(const struct graph *g, u32 n)
{
	const struct port *far = &g->m->ports[g->m->ports[n].cfg.peer];
	const struct sw *s = &g->m->switches[far->cfg.sw];
	u64 bytes = 0;

	for (u32 out = 0; out < s->n_ports; out++) {
		if (!g->blocked[s->port_base + out])
			continue;
		for (u32 id = voq_of(g, s, out, far->cfg.number - s->port_base)->head; id != FAB_NONE;
		     id = g->m->frames[id].next)
			bytes += g->m->frames[id].len;
		if (bytes > far->cfg.xon)
			return true;
	}
	return false;
}

/* What output @n, blocked for good, waits for: the first such output that frames of its far end are bound for. */
static u32 waits_for(const struct graph *g, u32 n)
{
	const struct port *far = &g->m->ports[g->m->ports[n].cfg.peer];
	const struct sw *s = &g->m->switches[far->cfg.sw];
	u32 out = 0;

	while (!g->blocked[s->port_base + out] || voq_of(g, s, out, far->cfg.number - s->port_base)->head == FAB_NONE)
		out++;
	return s->port_base + out;
}

/* Mark the outputs that are blocked for good; how many there are. */
static u32 mark_blocked(struct graph *g, u64 now)
{
	u32 left = 0, before;

	for (u32 n = 0; n < g->f->size.ports; n++)
		left += g->blocked[n] = is_waiting(g, &g->m->ports[n], now);
	do {
		before = left;
		for (u32 n = 0; n < g->f->size.ports; n++) {
			if (g->blocked[n] && !stays_full(g, n)) {
				g->blocked[n] = false;
				left--;
			}
		}
	} while (left && left != before);
	return left;
}

/* One circle among the blocked outputs, into d->ports[] from its lowest number on. */
static void find_circle(const struct graph *g, struct deadlock *d)
{
	u32 at = 0, first;

	while (!g->blocked[at])
		at++;
	for (u32 i = 0; i < g->f->size.ports; i++)
		at = waits_for(g, at); /* after so many steps it is on a circle */
	first = at;
	for (u32 n = waits_for(g, at); n != at; n = waits_for(g, n))
		if (n < first)
			first = n;
	d->class = g->class;
	d->n = 0;
	at = first;
	do {
		d->ports[d->n++] = at;
		at = waits_for(g, at);
	} while (at != first);
}

int deadlock_find(const struct fabric *f, const struct fabric_memory *m, u64 now, struct deadlock *d)
{
	struct graph g = { .f = f, .m = m };
	int rc = 0;

	memset(d, 0, sizeof(*d));
	if (!f->fab.pfc ||
	    f->fab.shared) /* a shared buffer has no fixed XON to reason with: such a run ends as stuck */
		return 0;
	g.blocked = calloc(f->size.ports, sizeof(*g.blocked));
	d->ports = calloc(f->size.ports, sizeof(*d->ports));
	if (!g.blocked || !d->ports)
		rc = -ENOMEM;
	for (; !rc && g.class < FAB_CLASSES; g.class ++) {
		if (!(f->fab.pfc >> g.class & 1) || !mark_blocked(&g, now))
			continue;
		find_circle(&g, d);
		rc = 1;
	}
	free(g.blocked);
	if (rc != 1) {
		free(d->ports);
		d->ports = NULL;
	}
	return rc;
}
