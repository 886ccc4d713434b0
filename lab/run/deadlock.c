// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A deadlock is a cyclic buffer dependency: a cycle in the wait-for graph whose nodes are outputs that flow control has
 * stopped. Output A waits for the buffer at its far end to drain; that buffer waits for the outputs its frames go to.
 *
 * A cycle in that graph alone is no proof: a buffer may drain by its other frames. So the search is a fixpoint, as in
 * the detection of deadlocks with multiple resources. It begins with all outputs that are stopped, and removes each
 * that will be allowed to send once every frame that can leave has left its far end. What remains at the end can only
 * wait for itself, and contains a cycle.
 *
 * It never reports a deadlock that is none. Where the answer depends on when others will send, stays_...() says "no".
 * Such a case resolves as soon as all frames that can move have moved, so a deadlock is reported at the latest when
 * nothing moves any more.
 */
#include "lab/run/deadlock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/credit.h"

struct graph {
	const struct plan *f;
	const struct plan_memory *m;
	u32 class;
	bool *blocked; /* [ports]: outputs not yet shown to send this class again */
};

static const struct port *far_end(const struct graph *g, u32 n)
{
	return &g->m->ports[g->m->ports[n].cfg.peer];
}

/* Whether a frame that lets port @p send the class again is on its way. */
static bool will_hear_resume(const struct graph *g, const struct port *p)
{
	for (u32 at = p->arrq_head; at != g->m->rx[p->cfg.number].tail; at++) {
		const struct frame *f = plan_arrival(g->f, g->m, p->cfg.number, at);

		if (f && (f->flags & FRAME_PFC) && (f->pfc_classes >> g->class & 1) && !f->pfc_quanta[g->class])
			return true;
	}
	return false;
}

/* Whether frames of the class are on their way to port @p. */
static bool will_receive(const struct graph *g, const struct port *p)
{
	for (u32 at = p->arrq_head; at != g->m->rx[p->cfg.number].tail; at++) {
		const struct frame *f = plan_arrival(g->f, g->m, p->cfg.number, at);

		if (f && !(f->flags & FRAME_PFC) && (f->class & (FAB_CLASSES - 1)) == g->class)
			return true;
	}
	return false;
}

/* Output @p is stopped: its far end is a switch that has sent PAUSE (or given no credits), and no RESUME is coming. */
static bool is_waiting(const struct graph *g, const struct port *p, u64 now)
{
	u32 c = g->class;

	if (p->cfg.peer & PEER_HOST || p->pause.until[c] <= now || p->pause.since[c] == TIME_NEVER)
		return false;
	if (g->f->fab.credits)
		return true;
	return (g->m->ports[p->cfg.peer].xoff & g->m->ports[p->cfg.peer].advertised) >> c & 1 &&
		!will_hear_resume(g, p);
}

/* What a buffer holds. */
struct load {
	u64 bytes;  /* of frames that stay, as far as known */
	u32 blocks; /* the same in credit blocks */
	bool more;  /* there are frames that will leave */
	u32 wait;   /* the first blocked output that frames wait for, or FAB_PORTS */
};

static void count(struct load *l, const struct frame *f, bool stays)
{
	if (!stays) {
		l->more = true;
		return;
	}
	l->bytes += f->len;
	l->blocks += credit_blocks(f->len);
}

/* queues=fifo: whether a head frame for blocked output @o blocks all behind it (head-of-line blocking). */
static bool holds_up(const struct graph *g, const struct port *o)
{
	const struct fab_cfg *cfg = &g->f->fab;

	return cfg->fifo && (!cfg->iterations || o->staged[g->class] >= cfg->output_buffer);
}

/* Add the frames of an input queue from @id on: one VOQ, or with queues=fifo all frames of the input. */
static void load_input(const struct graph *g, const struct sw *s, u32 id, struct load *l)
{
	bool held = false;

	for (const struct frame *f = plan_frame(g->f, g->m, id); f; f = plan_frame(g->f, g->m, f->next)) {
		bool blocked = g->blocked[s->port_base + f->out_port];

		if (!held && blocked && l->wait > f->out_port)
			l->wait = f->out_port;
		count(l, f, held || blocked);
		held |= blocked && holds_up(g, &g->m->ports[s->port_base + f->out_port]);
	}
}

/* Add the frames of input @in that have crossed to output @out (arbiter=islip). */
static void load_output(const struct graph *g, const struct sw *s, u32 in, u32 out, struct load *l)
{
	bool blocked = g->blocked[s->port_base + out];
	u32 head = g->m->voqs[voq_output(s, out, g->class)].head;

	for (const struct frame *f = plan_frame(g->f, g->m, head); f; f = plan_frame(g->f, g->m, f->next)) {
		if (f->in_port != in)
			continue;
		if (blocked && l->wait > out)
			l->wait = out;
		count(l, f, blocked);
	}
}

/* What the buffer behind output @n holds. */
static struct load load_behind(const struct graph *g, u32 n)
{
	const struct port *far = far_end(g, n);
	const struct sw *s = &g->m->switches[far->cfg.sw];
	u32 in = far->cfg.number - s->port_base;
	struct load l = { .wait = FAB_PORTS };

	for (u32 out = 0; out < (g->f->fab.fifo ? 1 : s->n_ports); out++)
		load_input(g, s, g->m->voqs[voq_input(s, g->f->fab.fifo, out, in, g->class)].head, &l);
	for (u32 out = 0; out < s->n_ports; out++)
		load_output(g, s, in, out, &l);
	return l;
}

/*
 * Shared buffer: the XOFF threshold depends on what all ports hold, now and later. But a switch considers sending
 * RESUME only when a frame of the paused input and class leaves (port_give()). If none will leave and none is on its
 * way, the input stays paused whatever the pool does. If one will leave, the answer depends on the pool at that moment:
 * unknown.
 */
static bool stays_paused_shared(const struct graph *g, u32 n, const struct load *l)
{
	return l->bytes && !l->more && !will_receive(g, far_end(g, n));
}

/*
 * Credits: output @n can never send a frame of the longest length again. Neither the credits advertised so far suffice
 * (in hand, or in an update on the link), nor will the buffer ever have that much free, or enough more than advertised
 * to send an update (credit_step). In between the answer depends on when updates are sent: unknown. Frames on the link
 * to the buffer can be ignored, as they could only take space.
 */
static bool stays_without_credits(const struct graph *g, u32 n, const struct load *l)
{
	const struct fab_cfg *cfg = &g->f->fab;
	u32 sent = g->m->ports[n].credit_tx.sent[g->class], longest = credit_blocks(cfg->frame_max);
	u32 told = far_end(g, n)->credit_rx.advertised[g->class] - sent, room = cfg->credits - l->blocks;

	return told < longest && (room < longest || room < told + cfg->credit_step);
}

/* Whether output @n stays stopped when all frames that can leave the buffer at its far end have left. */
static bool stays_full(const struct graph *g, u32 n)
{
	struct load l = load_behind(g, n);

	if (g->f->fab.credits)
		return stays_without_credits(g, n, &l);
	if (g->f->fab.shared)
		return stays_paused_shared(g, n, &l);
	return l.bytes > far_end(g, n)->cfg.xon;
}

/* The edge of the wait-for graph that leaves blocked output @n: the first blocked output that its far end waits for. */
static u32 waits_for(const struct graph *g, u32 n)
{
	return g->m->switches[far_end(g, n)->cfg.sw].port_base + load_behind(g, n).wait;
}

/* The fixpoint: mark the outputs that are blocked for ever. Returns how many there are. */
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

/* One cycle among the blocked outputs, into d->ports[] from its lowest number on. */
static void find_cycle(const struct graph *g, struct deadlock *d)
{
	u32 at = 0, first;

	while (!g->blocked[at])
		at++;
	for (u32 i = 0; i < g->f->size.ports; i++)
		at = waits_for(g, at); /* after so many steps it is on a cycle */
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

int deadlock_find(const struct plan *f, const struct plan_memory *m, u64 now, struct deadlock *d)
{
	struct graph g = { .f = f, .m = m };
	int rc = 0;

	memset(d, 0, sizeof(*d));
	if (!f->fab.pfc && !f->fab.credits)
		return 0;
	g.blocked = calloc(f->size.ports, sizeof(*g.blocked));
	d->ports = calloc(f->size.ports, sizeof(*d->ports));
	if (!g.blocked || !d->ports)
		rc = -ENOMEM;
	for (; !rc && g.class < FAB_CLASSES; g.class ++) {
		if (!(f->fab.credits || f->fab.pfc >> g.class & 1) || !mark_blocked(&g, now))
			continue;
		find_cycle(&g, d);
		rc = 1;
	}
	free(g.blocked);
	if (rc != 1) {
		free(d->ports);
		d->ports = NULL;
	}
	return rc;
}
