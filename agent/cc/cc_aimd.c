// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCP's congestion avoidance: additive increase, multiplicative decrease (RFC 5681, 3.1 and 3.2; REFERENCE 4.3). The
 * window grows by a packet per window acknowledged, and a loss halves it, once per window of packets. There is no slow
 * start: as all else that goes with IRN it begins with what fills the longest path (IRN, SIGCOMM 2018, section 4.1),
 * and after a timeout it goes on with half. A NAK and a timeout are losses.
 */
#include "agent/cc/window_impl.h"

_Static_assert(sizeof(struct window) <= sizeof(u64) * CC_PRIVATE, "private state");

static struct window *window(const struct cc *c)
{
	return (struct window *)c->priv;
}

struct window window_new(const struct cc *c)
{
	return (struct window){ .cwnd = (u64)window_params(c)->limit << WINDOW_FRACTION };
}

/* RFC 5681, (3): 1/cwnd per packet acknowledged. */
void window_grow(struct window *w, const struct cc *c, u32 newly)
{
	u64 most = (u64)window_params(c)->limit << WINDOW_FRACTION;

	w->cwnd += ((u64)newly << (2 * WINDOW_FRACTION)) / w->cwnd;
	if (w->cwnd > most)
		w->cwnd = most;
}

void window_loss(struct window *w, u32 cum, u32 next)
{
	if (cum < w->recover)
		return;
	w->cwnd /= 2;
	if (w->cwnd < WINDOW_ONE)
		w->cwnd = WINDOW_ONE;
	w->recover = next;
}

u64 window_sent(struct cc *c, const struct cc_sent *s)
{
	return 0;
}

u64 window_rate(struct cc *c, u64 now)
{
	return c->par->line;
}

u32 window_packets(const struct cc *c)
{
	return (u32)(window(c)->cwnd >> WINDOW_FRACTION);
}

void window_timeout(struct cc *c, u32 cum, u32 next)
{
	window_loss(window(c), cum, next);
}

void window_resolve(struct cc_params *p)
{
	struct window_params *own = (struct window_params *)p->own;

	own->limit = (u32)param_or(own->limit, p->window_max);
}

static int aimd_open(struct cc *c)
{
	*window(c) = window_new(c);
	return 0;
}

static void aimd_acked(struct cc *c, const struct cc_ack *a)
{
	struct window *w = window(c);

	if (a->nack)
		window_loss(w, a->cum, a->next);
	else if (a->cum >= w->recover)
		window_grow(w, c, a->newly);
}

const struct param window_rows[WINDOW_ROWS] = {
	{ .name = "window_limit",
	  .kind = PARAM_NUM,
	  PARAM_OWN(cc_params, window_params, limit),
	  .min = 1,
	  .max = 1 << 20,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "first and largest window in packets; auto = fills the longest path" },
	{ .name = "dctcp_g",
	  .kind = PARAM_NUM,
	  PARAM_OWN(cc_params, window_params, g),
	  .min = 1,
	  .max = 65536,
	  .def = "16",
	  .advanced = true,
	  .help = "weight of a window's marks in alpha is 1 / this" },
};

const struct cc_ops cc_aimd = {
	.name = "aimd",
	.what = "TCP's AIMD: a window, halved by losses (RFC 5681)",
	.params = { window_rows, WINDOW_ROWS - 1 },
	.resolve = window_resolve,
	.open = aimd_open,
	.sent = window_sent,
	.acked = aimd_acked,
	.timeout = window_timeout,
	.window = window_packets,
	.rate = window_rate,
};
