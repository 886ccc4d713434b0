// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * InfiniBand congestion control as HP proposed it: a window and an inter-packet delay, both cut by a marked answer or a
 * CN packet, and whichever held back the last packet raised after so many unmarked answers ("general response
 * function"; REFERENCE 5.1). How far and how many, agent/cc/ib_response.h says.
 *
 * Where the proposal is silent:
 * - It counts "every received unmarked ACK", and so do we: an ACK for many packets counts once. Receivers that coalesce
 *   n packets into an ACK make recovery n times as slow, at all levels alike, so that all properties stand for ACKs in
 *   place of packets. A NAK tells of a loss and counts as nothing.
 * - RPI is one counter for both limits there, and nothing is said of its value after a decrease. Here each limit has
 * its own, which begins anew at a decrease: with one, a rate that rises with each unmarked packet would wait for as
 * many as the window's last increase has asked for, and lose its property of equal times (REFERENCE 5.4).
 */
#include "agent/cc/cc.h"

#include "agent/cc/ib_response.h"
#include "agent/recovery/recovery.h"

typedef unsigned __int128 u128;

/* The proposal's names. OUTS, the packets outstanding, is known to loss recovery. */
struct ib {
	u64 cipd;                 /* the rate, as ib_response.h has it */
	u32 cwnd;                 /* packets, 1..window_max */
	u32 window_rpi, rate_rpi; /* remaining unmarked answers before an increase, >= 1 */
	u32 apsn;                 /* marks on packets before this one have been heeded */
	enum cc_limit rwl;
};
_Static_assert(sizeof(struct ib) <= sizeof(u64) * CC_PRIVATE, "private state");
_Static_assert(sizeof(struct ib_params) <= sizeof(u64) * CC_PARAMS, "own parameters");

static const struct ib_params *ib_params(const struct cc *c)
{
	return (const struct ib_params *)c->par->own;
}

static struct ib *ib(const struct cc *c)
{
	return (struct ib *)c->priv;
}

/* The window fills the longest path: like the line rate it holds back nobody who is alone. */
static int ib_open(struct cc *c)
{
	u64 line = ib_rate_line(ib_params(c));

	*ib(c) = (struct ib){
		.cipd = line,
		.cwnd = c->par->window_max,
		.window_rpi = c->par->window_max,
		.rate_rpi = ib_rate_rpi(ib_params(c), line),
		.rwl = CC_OTHER,
	};
	return 0;
}

/* At the line rate the port is the limit: a delay of ours, rounded up, could only lose a little of the line. */
static u64 ib_sent(struct cc *c, const struct cc_sent *s)
{
	struct ib_delay d = ib_rate_delay(ib_params(c), ib(c)->cipd);

	ib(c)->rwl = s->limit;
	if (d.num == d.den)
		return 0;
	return s->now + (u64)(((u128)s->wire * c->par->ps_per_byte * d.num + d.den - 1) / d.den);
}

static void unmarked(struct cc *c)
{
	struct ib *s = ib(c);

	if (s->rwl == CC_WINDOW && !--s->window_rpi) {
		s->cwnd = ib_window_increase(s->cwnd, c->par->window_max);
		s->window_rpi = s->cwnd;
	} else if (s->rwl == CC_RATE && !--s->rate_rpi) {
		s->cipd = ib_rate_increase(ib_params(c), s->cipd);
		s->rate_rpi = ib_rate_rpi(ib_params(c), s->cipd);
	}
}

/* Packet @n was marked. Packets already under way at a decrease ask for no other: one per window. */
static void ib_notified(struct cc *c, u64 now, u32 n, u32 send_next)
{
	struct ib *s = ib(c);

	if (n < s->apsn)
		return; /* packet numbers do not wrap, and NO_NUMBER is above all */
	s->cwnd = ib_window_decrease(s->cwnd);
	s->cipd = ib_rate_decrease(ib_params(c), s->cipd);
	s->window_rpi = s->cwnd;
	s->rate_rpi = ib_rate_rpi(ib_params(c), s->cipd);
	s->apsn = send_next;
}

/* As though the packet sent last had been marked: after that no mark from before counts. */
static void ib_lost(struct cc *c, u64 now, u32 send_next)
{
	ib_notified(c, now, send_next, send_next);
}

static void ib_acked(struct cc *c, const struct cc_ack *a)
{
	if (a->marked)
		ib_notified(c, a->now, a->n, a->send_next);
	else if (!a->nack)
		unmarked(c);
}

static u32 ib_window(const struct cc *c)
{
	return c->no_window ? NO_LIMIT : ib(c)->cwnd;
}

static u64 ib_rate(struct cc *c, u64 now)
{
	struct ib_delay d = ib_rate_delay(ib_params(c), ib(c)->cipd);

	return (u64)((u128)c->par->line * d.den / d.num);
}

/* A 64th of the line at least: room for an incast of as many. */
static void resolve(struct cc_params *p, enum ib_function f)
{
	struct ib_params *own = (struct ib_params *)p->own;

	own->levels = param_or(own->levels, 64);
	own->function = f;
}

#define LEVELS                                                                                                         \
	.name = "ib_levels", .kind = PARAM_NUM, PARAM_OWN(cc_params, ib_params, levels), .min = 2,                     \
	.max = IB_LEVELS_MAX, .special = { "auto", 0 }, .def = "auto",                                                 \
	.help = "the least rate is the link's rate / this"

static const struct param rows[] = { { LEVELS } };
static const struct param halving_rows[] = { { LEVELS, .power_of_two = "halves the rate at each level" } };

#define IB_OPS                                                                                                         \
	.echo = true, .marking = ECN_IB, .credits = true, .open = ib_open, .sent = ib_sent, .acked = ib_acked,         \
	.notified = ib_notified, .lost = ib_lost, .window = ib_window, .rate = ib_rate

static void aimd_resolve(struct cc_params *p)
{
	resolve(p, IB_AIMD);
}

const struct cc_ops cc_ib_aimd = {
	.name = "ib-aimd",
	.what = "InfiniBand, HP's proposal: additive increase, halving",
	.params = PARAM_TABLE(rows),
	IB_OPS,
	.resolve = aimd_resolve,
};

static void lipd_resolve(struct cc_params *p)
{
	resolve(p, IB_LIPD);
}

const struct cc_ops cc_ib_lipd = {
	.name = "ib-lipd",
	.what = "InfiniBand, HP's proposal: linear inter-packet delay",
	.params = PARAM_TABLE(rows),
	IB_OPS,
	.resolve = lipd_resolve,
};

static void fimd_resolve(struct cc_params *p)
{
	resolve(p, IB_FIMD);
}

const struct cc_ops cc_ib_fimd = {
	.name = "ib-fimd",
	.what = "InfiniBand, HP's proposal: fast increase, halving",
	.params = PARAM_TABLE(halving_rows),
	IB_OPS,
	.resolve = fimd_resolve,
};
