// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCTCP (SIGCOMM 2010, section 3; RFC 8257; REFERENCE 4.3): a window that is cut by the share of packets marked. Once
 * per window alpha becomes (1 - g) alpha + g F, F the share marked in it. The first mark of a window cuts the window by
 * alpha / 2; marks on packets that were under way then ask for no other cut. All else is AIMD (cc_aimd.c), losses
 * included; an ACK that carries a mark raises nothing.
 */
#include "agent/cc/window_impl.h"

#define ALPHA_BITS 32
#define ALPHA_ONE (1ULL << ALPHA_BITS)

struct dctcp {
	struct window w;   /* first, as window_impl.h wants it */
	u64 alpha;         /* x ALPHA_ONE: the share of marks, averaged; 1 at first (RFC 8257, 4.2) */
	u32 acked, marked; /* packets since alpha was last computed */
	u32 observe;       /* alpha is computed anew when more than this has been received */
	u32 cut;           /* marks on packets before this one have been heeded */
};
_Static_assert(sizeof(struct dctcp) <= sizeof(u64) * CC_PRIVATE, "private state");

static struct dctcp *dctcp(const struct cc *c)
{
	return (struct dctcp *)c->priv;
}

static int dctcp_open(struct cc *c)
{
	*dctcp(c) = (struct dctcp){ .w = window_new(c), .alpha = ALPHA_ONE };
	return 0;
}

/* RFC 8257, 3.3, steps 3 to 8. Of a packet acknowledged out of order the mark comes before its count: hence the limit.
 */
static void observe(struct cc *c, const struct cc_ack *a)
{
	struct dctcp *d = dctcp(c);
	u32 g = window_params(c)->g, marked = d->marked < d->acked ? d->marked : d->acked;

	if (a->cum <= d->observe || !d->acked)
		return;
	d->alpha += ((u64)marked << ALPHA_BITS) / d->acked / g - d->alpha / g;
	d->acked = d->marked = 0;
	d->observe = a->next;
}

/* Packet @n was marked. */
static void cut(struct dctcp *d, u32 n, u32 next)
{
	if (n < d->cut || n < d->w.recover)
		return;
	d->w.cwnd -= (u64)((unsigned __int128)d->w.cwnd * d->alpha >> (ALPHA_BITS + 1));
	if (d->w.cwnd < WINDOW_ONE)
		d->w.cwnd = WINDOW_ONE;
	d->cut = next;
}

static void dctcp_acked(struct cc *c, const struct cc_ack *a)
{
	struct dctcp *d = dctcp(c);

	d->acked += a->newly;
	d->marked += a->marked;
	observe(c, a);
	if (a->nack)
		window_loss(&d->w, a->cum, a->next);
	if (a->marked)
		cut(d, a->n, a->next);
	else if (!a->nack && a->cum >= d->w.recover)
		window_grow(&d->w, c, a->newly);
}

/* READ responses that no ACK answers: the mark alone. */
static void dctcp_notified(struct cc *c, u64 now, u32 n, u32 send_next)
{
	dctcp(c)->marked++;
	cut(dctcp(c), n, send_next);
}

const struct cc_ops cc_dctcp = {
	.name = "dctcp",
	.what = "DCTCP (SIGCOMM 2010): a window, cut by the share of marks",
	.params = { window_rows, WINDOW_ROWS },
	.echo = true,
	.marking = ECN_STEP,
	.resolve = window_resolve,
	.open = dctcp_open,
	.sent = window_sent,
	.acked = dctcp_acked,
	.notified = dctcp_notified,
	.timeout = window_timeout,
	.window = window_packets,
	.rate = window_rate,
};
