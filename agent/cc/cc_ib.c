// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * InfiniBand congestion control as HP proposed it: a window and an inter-packet delay, both cut by a marked answer or a
 * CN packet, and whichever held back the last packet raised after so many unmarked answers ("general response
 * function"; REFERENCE 5.1). How far and how many, the tables say (agent/cc/ib_tables.h).
 *
 * Where the proposal is silent:
 * - It counts "every received unmarked ACK", and so do we: an ACK for many packets counts once. Receivers that coalesce
 *   n packets into an ACK make recovery n times as slow, at all levels alike, so that all properties stand for ACKs in
 *   place of packets. A NAK tells of a loss and counts as nothing.
 * - RPI is one counter for both limits and says nothing of its value after a decrease: it is the new rate's, since the
 *   rate is the one limit that all transports have, and the one that the properties are about. If the window turns out
 *   to bind, its first increase comes after this count.
 */
#include "agent/cc/cc.h"

#include <stdlib.h>

#include "agent/cc/ib_tables.h"
#include "agent/recovery/recovery.h"

/* The proposal's names. OUTS, the packets outstanding, is known to loss recovery. */
struct ib {
	u32 cwnd; /* packets, 1..window_max */
	u32 cipd; /* level of the rate */
	u32 rpi;  /* remaining unmarked answers before an increase, >= 1 */
	u32 apsn; /* marks on packets before this one have been heeded */
	enum cc_limit rwl;
};
_Static_assert(sizeof(struct ib) <= sizeof(u64) * CC_PRIVATE, "private state");

/* In cc_params.own. */
struct ib_params {
	u32 levels; /* the least rate is the line's / this */
};

static const struct ib_tables *tables(const struct cc_params *p)
{
	return p->shared;
}

static struct ib *ib(const struct cc *c)
{
	return (struct ib *)c->priv;
}

/* The window fills the longest path: like the line rate it holds back nobody who is alone. */
static int ib_open(struct cc *c)
{
	const struct ib_tables *t = tables(c->par);

	*ib(c) = (struct ib){ .cwnd = t->window_max, .rpi = t->level[0].rpi, .rwl = CC_OTHER };
	return 0;
}

/* At level 0 the port is the limit: a delay of ours, rounded up, could only lose a little of the line. */
static u64 ib_sent(struct cc *c, const struct cc_sent *s)
{
	const struct ib_level *l = &tables(c->par)->level[ib(c)->cipd];

	ib(c)->rwl = s->limit;
	if (!ib(c)->cipd)
		return 0;
	return s->now + ((u64)s->wire * c->par->ps_per_byte * l->num + l->den - 1) / l->den;
}

static void unmarked(struct cc *c)
{
	const struct ib_tables *t = tables(c->par);
	struct ib *s = ib(c);

	if (s->rwl == CC_OTHER || --s->rpi)
		return;
	if (s->rwl == CC_WINDOW) {
		s->cwnd = t->window[s->cwnd].increase;
		s->rpi = t->window[s->cwnd].rpi;
	} else {
		s->cipd = t->level[s->cipd].increase;
		s->rpi = t->level[s->cipd].rpi;
	}
}

/* Packet @n was marked. Packets already under way at a decrease ask for no other: one per window. */
static void ib_notified(struct cc *c, u64 now, u32 n, u32 next)
{
	const struct ib_tables *t = tables(c->par);
	struct ib *s = ib(c);

	if (n < s->apsn)
		return; /* packet numbers do not wrap, and NO_NUMBER is above all */
	s->cwnd = t->window[s->cwnd].decrease;
	s->cipd = t->level[s->cipd].decrease;
	s->rpi = t->level[s->cipd].rpi;
	s->apsn = next;
}

/* As though the packet sent last had been marked: after that no mark from before counts. */
static void ib_lost(struct cc *c, u64 now, u32 next)
{
	ib_notified(c, now, next, next);
}

static void ib_acked(struct cc *c, const struct cc_ack *a)
{
	if (a->marked)
		ib_notified(c, a->now, a->n, a->next);
	else if (!a->nack)
		unmarked(c);
}

static u32 ib_window(const struct cc *c)
{
	return c->no_window ? NO_LIMIT : ib(c)->cwnd;
}

static u64 ib_rate(struct cc *c, u64 now)
{
	const struct ib_level *l = &tables(c->par)->level[ib(c)->cipd];

	return c->par->line * l->den / l->num;
}

/* A 64th of the line at least: room for an incast of as many. */
static void ib_resolve(struct cc_params *p)
{
	struct ib_params *own = (struct ib_params *)p->own;

	own->levels = param_or(own->levels, 64);
}

static void *make_tables(const struct cc_params *p, enum ib_function f)
{
	const struct ib_params *own = (const struct ib_params *)p->own;
	struct ib_tables *t = calloc(1, sizeof(*t));

	if (t && !ib_tables_make(t, f, own->levels, p->window_max))
		return t;
	free(t);
	return NULL;
}

static void free_tables(void *shared)
{
	ib_tables_free(shared);
	free(shared);
}

#define LEVELS                                                                                                         \
	.name = "ib_levels", .kind = PARAM_NUM, PARAM_OWN(cc_params, ib_params, levels), .min = 2,                     \
	.max = IB_LEVELS_MAX, .special = { "auto", 0 }, .def = "auto",                                                 \
	.help = "the least rate is the link's rate / this"

static const struct param rows[] = { { LEVELS } };
static const struct param halving_rows[] = { { LEVELS, .power_of_two = "halves the rate at each level" } };

#define IB_OPS                                                                                                         \
	.echo = true, .resolve = ib_resolve, .shared_free = free_tables, .open = ib_open, .sent = ib_sent,             \
	.acked = ib_acked, .notified = ib_notified, .lost = ib_lost, .window = ib_window, .rate = ib_rate

static void *aimd_tables(const struct cc_params *p)
{
	return make_tables(p, IB_AIMD);
}

const struct cc_ops cc_ib_aimd = {
	.name = "ib-aimd",
	.what = "InfiniBand, HP's proposal: additive increase, halving",
	.params = PARAM_TABLE(rows),
	IB_OPS,
	.shared_new = aimd_tables,
};

static void *lipd_tables(const struct cc_params *p)
{
	return make_tables(p, IB_LIPD);
}

const struct cc_ops cc_ib_lipd = {
	.name = "ib-lipd",
	.what = "InfiniBand, HP's proposal: linear inter-packet delay",
	.params = PARAM_TABLE(rows),
	IB_OPS,
	.shared_new = lipd_tables,
};

static void *fimd_tables(const struct cc_params *p)
{
	return make_tables(p, IB_FIMD);
}

const struct cc_ops cc_ib_fimd = {
	.name = "ib-fimd",
	.what = "InfiniBand, HP's proposal: fast increase, halving",
	.params = PARAM_TABLE(halving_rows),
	IB_OPS,
	.shared_new = fimd_tables,
};
