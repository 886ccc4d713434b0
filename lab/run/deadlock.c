// SPDX-License-Identifier: GPL-2.0
/*
 * The wait-for graph of outputs that flow control holds up. Exact, not a guess after a time-out: of all that wait those
 * are taken away that will go on, because the buffer at their far end lets them once the frames for the others have
 * left it; what remains waits for itself alone. (A cycle in the graph is not enough: a buffer may drain by its other
 * frames.)
 *
 * What a buffer will do is known only as far as it does not depend on when others send: see stays_...(). Where it does
 * depend on that an output is not called blocked; but once all frames have left that can, nothing depends on it any
 * more. So a deadlock is named when it stands still at the latest, and what is none never is.
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
	bool *blocked; /* [ports]: outputs that, as far as known, will never send this class again */
};

static const struct port *far_end(const struct graph *g, u32 n)
{
	return &g->m->ports[g->m->ports[n].cfg.peer];
}

/* Frame number @at of those that have been sent to port @p, which may be on the link still. */
static const struct frame *arrival(const struct graph *g, const struct port *p, u32 at)
{
	return &g->m->frames[g->m->arrivals[p->cfg.arrq_base + (at & p->cfg.arrq_mask)]];
}

/* Whether a frame that lets port @p send the class again is on its way. */
static bool will_hear_resume(const struct graph *g, const struct port *p)
{
	for (u32 at = p->arrq_head; at != g->m->rx[p->cfg.number].tail; at++) {
		const struct frame *f = arrival(g, p, at);

		if ((f->flags & FRAME_PFC) && (f->pfc_classes >> g->class & 1) && !f->pfc_quanta[g->class])
			return true;
	}
	return false;
}

/* Whether frames of the class are on their way to port @p. */
static bool will_receive(const struct graph *g, const struct port *p)
{
	for (u32 at = p->arrq_head; at != g->m->rx[p->cfg.number].tail; at++) {
		const struct frame *f = arrival(g, p, at);

		if (!(f->flags & FRAME_PFC) && (f->class & (FAB_CLASSES - 1)) == g->class)
			return true;
	}
	return false;
}

/* Output @p is silent because the switch at its far end wants it so: it has been told to, and has not been told else.
 */
static bool is_waiting(const struct graph *g, const struct port *p, u64 now)
{
	u32 c = g->class;

	if (p->cfg.peer & PEER_HOST || p->pause.until[c] <= now || p->pause.since[c] == TIME_NEVER)
		return false;
	if (g->f->fab.credits)
		return true;
	return (g->m->ports[p->cfg.peer].xoff & g->m->ports[p->cfg.peer].advertised) >> c & 1 && !will_hear_resume(g, p);
}

/* What a buffer holds. */
struct load {
	u64 bytes;  /* of frames that will never leave */
	u32 blocks; /* the same */
	bool more;  /* others: they will */
	u32 wait;   /* what they wait for: the first blocked output, or FAB_PORTS */
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

/* Whether the head of a single queue that is bound for a blocked output stays there: its output takes no more. */
static bool holds_up(const struct graph *g, const struct port *o)
{
	const struct fab_cfg *cfg = &g->f->fab;

	return cfg->fifo && (!cfg->iterations || o->staged[g->class] >= cfg->output_buffer);
}

/* The frames of a queue of an input, from @id on: of one VOQ or of all that the input has. */
static void load_input(const struct graph *g, const struct sw *s, u32 id, struct load *l)
{
	bool held = false;

	for (; id != FAB_NONE; id = g->m->frames[id].next) {
		const struct frame *f = &g->m->frames[id];
		bool blocked = g->blocked[s->port_base + f->out_port];

		if (!held && blocked && l->wait > f->out_port)
			l->wait = f->out_port;
		count(l, f, held || blocked);
		held |= blocked && holds_up(g, &g->m->ports[s->port_base + f->out_port]);
	}
}

/* The frames from input @in that have crossed to output @out. */
static void load_output(const struct graph *g, const struct sw *s, u32 in, u32 out, struct load *l)
{
	bool blocked = g->blocked[s->port_base + out];

	for (u32 id = g->m->voqs[voq_output(s, out, g->class)].head; id != FAB_NONE; id = g->m->frames[id].next) {
		if (g->m->frames[id].in_port != in)
			continue;
		if (blocked && l->wait > out)
			l->wait = out;
		count(l, &g->m->frames[id], blocked);
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
 * A shared buffer's threshold moves with what all others hold, now and later. But whether a sender may go on is asked
 * only when a frame of its own leaves (port_give()): where none ever will, and none is on its way that might, it stays
 * paused whatever becomes of the pool. As long as one will, the answer hangs on what the pool holds at that moment.
 */
static bool stays_paused_shared(const struct graph *g, u32 n, const struct load *l)
{
	return l->bytes && !l->more && !will_receive(g, far_end(g, n));
}

/*
 * Output @n will be short of credits for one of the longest frames for ever: what it has been told, heard or on its
 * way, does not suffice, and what will be free at most, when all that can has left, does not either, or is not worth
 * telling. In between it depends on the moments of telling. (What is on its way there could only take room.)
 */
static bool stays_without_credits(const struct graph *g, u32 n, const struct load *l)
{
	const struct fab_cfg *cfg = &g->f->fab;
	u32 sent = g->m->ports[n].credit_tx.sent[g->class], longest = credit_blocks(cfg->frame_max);
	u32 told = far_end(g, n)->credit_rx.advertised[g->class] - sent, room = cfg->credits - l->blocks;

	return told < longest && (room < longest || room < told + cfg->credit_step);
}

/* Whether the buffer behind output @n holds it up still when all frames have left it that ever will. */
static bool stays_full(const struct graph *g, u32 n)
{
	struct load l = load_behind(g, n);

	if (g->f->fab.credits)
		return stays_without_credits(g, n, &l);
	if (g->f->fab.shared)
		return stays_paused_shared(g, n, &l);
	return l.bytes > far_end(g, n)->cfg.xon;
}

/* What output @n, blocked for good, waits for: the first such output that frames of its far end stop at. */
static u32 waits_for(const struct graph *g, u32 n)
{
	return g->m->switches[far_end(g, n)->cfg.sw].port_base + load_behind(g, n).wait;
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
