// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iWARP's transport: TCP, a segment per packet. Its rules, and where they are:
 *   congestion window    RFC 5681, initial window RFC 6928, growth by what is acknowledged RFC 3465, only while it is
 *                        used RFC 7661
 *   loss recovery        RFC 6675 (tcp_scoreboard.c) with limited transmit RFC 3042; time-outs RFC 5681, RFC 2018
 *   time-out             RFC 6298
 *   receiver             RFC 2018, every segment acknowledged at once
 * Left out: delayed acknowledgements (RDMA NICs do not delay them), D-SACK, the restart after idle time (a flow is
 * never idle: what it has to send is known from its start), and the handshake (connections are set up out of band).
 */
#include "agent/recovery/iwarp_impl.h"
#include "agent/recovery/rtt.h"
#include "agent/recovery/tcp_scoreboard.h"

struct tcp {
	struct scoreboard b;
	u32 cwnd;      /* congestion window, segments */
	u32 ssthresh;  /* slow start below this */
	u32 acked;     /* segments acknowledged since cwnd last grew, in congestion avoidance */
	u32 timed_out; /* the segment that the last time-out was for, or NO_PACKET */
	struct rtt rtt;
};
_Static_assert(sizeof(struct tcp) <= sizeof(u64) * RECOVERY_PRIVATE, "private state");

static struct tcp *tcp(const struct sqp *q)
{
	return (struct tcp *)q->priv;
}

static int iwarp_open(struct sqp *q)
{
	struct tcp *s = tcp(q);

	s->cwnd = iwarp_params(q->par)->init_window;
	s->ssthresh = q->par->cap; /* the receive window: "arbitrarily high" (RFC 5681, 3.1) */
	s->timed_out = NO_PACKET;
	rtt_open(&s->rtt);
	return bitmap_init(&q->sacked, q->par->cap < q->n_packets ? q->par->cap : q->n_packets);
}

static enum next_seg choose(const struct sqp *q)
{
	if (scoreboard(q)->first)
		return SEG_HOLE;
	return scoreboard_pipe(q) < tcp(q)->cwnd ? scoreboard_next_seg(q) : SEG_NONE;
}

static bool iwarp_wants(const struct sqp *q)
{
	return choose(q) != SEG_NONE;
}

static bool iwarp_resends(const struct sqp *q)
{
	enum next_seg which = choose(q);

	return which != SEG_NONE && which != SEG_NEW;
}

static u32 iwarp_transmit(struct sqp *q, u64 now)
{
	enum next_seg which = choose(q);
	struct tcp *s = tcp(q);
	u32 n;

	if (which == SEG_NONE)
		return NO_PACKET;
	n = scoreboard_send(q, which);
	rtt_sent(&s->rtt, n, which == SEG_NEW, now);
	return n;
}

/*
 * RFC 5681, equation 4. FlightSize leaves out what limited transmit sent beyond cwnd (3.2, step 2) and, in recovery,
 * what has long left the network, SACKed: both as not more than cwnd.
 */
static u32 half_flight(const struct sqp *q)
{
	u32 flight = q->next - q->una < tcp(q)->cwnd ? q->next - q->una : tcp(q)->cwnd;

	return flight / 2 > 2 ? flight / 2 : 2;
}

/*
 * @newly segments are acknowledged for the first time. Slow start: one segment per acknowledgement (RFC 5681, equation
 * 2; RFC 3465 with L = 1, as nobody delays acknowledgements). Avoidance: one per cwnd segments acknowledged. Neither
 * unless at least half of cwnd was out: else nothing tells that the network can take more (RFC 7661, 4.3 and 4.4). Not
 * all of it, as acknowledgements of a window that come back to back let it grow before the port can send as much.
 */
static void grow(struct tcp *s, u32 newly, u32 flight)
{
	if (flight < s->cwnd / 2)
		return;
	if (s->cwnd < s->ssthresh) {
		s->cwnd++;
		return;
	}
	s->acked += newly;
	if (s->acked >= s->cwnd) {
		s->acked -= s->cwnd;
		s->cwnd++;
	}
}

static void iwarp_acked(struct sqp *q, const struct ack_event *a)
{
	u32 una = q->una, flight = q->next - una, sacked;
	enum phase phase = scoreboard(q)->phase;
	struct tcp *s = tcp(q);

	sacked = scoreboard_update(q, a);
	if (s->rtt.timed != NO_PACKET && (s->rtt.timed < q->una || bitmap_test(&q->sacked, s->rtt.timed)))
		rtt_measured(&s->rtt, a->now);
	if (q->una != una && phase != PHASE_RECOVERY)
		grow(s, q->una - una, flight);
	/*
	 * RFC 6675, section 5: a duplicate acknowledgement, and DupAcks >= DupThresh or IsLost(HighACK + 1). Counted in
	 * segments the first says the second: each duplicate SACKs at least one more.
	 */
	if (sacked && s->b.phase == PHASE_OPEN && q->una < scoreboard_lost_end(q)) {
		s->ssthresh = s->cwnd = half_flight(q);
		s->acked = 0;
		scoreboard_enter(q);
	}
}

/*
 * RFC 5681, 3.1: back to slow start with the loss window of one segment; ssthresh only for a segment's first time-out.
 * What was SACKed is forgotten (RFC 2018, section 5: SHOULD; RFC 6675, section 5.1, leaves that as it is), all that was
 * sent counts as lost, and no fast recovery begins until that is acknowledged (RFC 6675, 5.1; RFC 6582, 3.2, for
 * time-outs outside recovery). What is SACKed from now on is not sent again.
 */
static bool iwarp_timeout(struct sqp *q)
{
	struct tcp *s = tcp(q);

	if (s->timed_out != q->una)
		s->ssthresh = half_flight(q);
	s->timed_out = q->una;
	s->cwnd = 1;
	s->acked = 0;
	rtt_timeout(&s->rtt);
	scoreboard_expunge(q);
	return true;
}

/* RFC 6298, 2.1 to 2.5, 5.5. First value and floor are rto_high, not its 1 s: data centres' round trips are short. */
static u64 iwarp_rto(const struct sqp *q)
{
	return rtt_rto(&tcp(q)->rtt, q->par->rto_high, q->par->rto_high);
}

/* One more than an answer holds: when the cumulative acknowledgement swallows a block, there is one to take its place.
 */
#define BLOCKS_MAX (RANGES_MAX + 1)

/* What the receiver has reported: runs of segments beyond a hole, the latest first. */
struct blocks {
	struct range block[BLOCKS_MAX];
	u32 n;
};
_Static_assert(sizeof(struct blocks) <= sizeof(u64) * RECOVERY_PRIVATE, "private state");

static struct blocks *blocks(const struct rqp *r)
{
	return (struct blocks *)r->priv;
}

static int iwarp_open_receiver(struct rqp *r)
{
	u32 window = r->par->cap < r->n_packets ? r->par->cap : r->n_packets;

	return bitmap_init(&r->got, window) || bitmap_init(&r->last, window) ? -1 : 0;
}

/* Drop the blocks that begin in from .. to-1. */
static void drop_blocks(struct blocks *k, u32 from, u32 to)
{
	u32 kept = 0;

	for (u32 i = 0; i < k->n; i++)
		if (k->block[i].from < from || k->block[i].from >= to)
			k->block[kept++] = k->block[i];
	k->n = kept;
}

/* RFC 2018, section 4: the first block is the whole run that segment @n, just received, lies in. */
static void report_block(struct rqp *r, u32 n)
{
	struct blocks *k = blocks(r);
	struct range run = { n, bitmap_next_clear(&r->got, n, r->expected + r->par->cap) };

	for (u32 i = 0; i < k->n; i++)
		if (k->block[i].from < n && n <= k->block[i].to)
			run.from = k->block[i].from;
	/* else its lower part, if any, was reported too long ago: look. The bit of what is expected is clear */
	while (bitmap_test(&r->got, run.from - 1))
		run.from--;
	drop_blocks(k, run.from, run.to);
	k->n -= k->n == BLOCKS_MAX;
	for (u32 i = k->n++; i; i--)
		k->block[i] = k->block[i - 1];
	k->block[0] = run;
}

static void receive_ahead(struct rqp *r, const struct data_event *d, struct reply *reply)
{
	reply->is_new = !bitmap_test(&r->got, d->n);
	if (reply->is_new) {
		bitmap_set(&r->got, d->n);
		if (d->last)
			bitmap_set(&r->last, d->n);
		r->received++;
	}
	report_block(r, d->n);
}

static void receive_next(struct rqp *r, const struct data_event *d, struct reply *reply)
{
	reply->is_new = true;
	r->received++;
	r->msn += d->last;
	r->expected++;
	while (bitmap_test(&r->got, r->expected)) {
		r->msn += bitmap_test(&r->last, r->expected);
		bitmap_clear(&r->got, r->expected);
		bitmap_clear(&r->last, r->expected);
		r->expected++;
	}
	drop_blocks(blocks(r), 0, r->expected);
}

/* Duplicates and segments beyond the window are acknowledged too (RFC 9293, 3.10.7.4), but not kept. */
static void iwarp_receive(struct rqp *r, const struct data_event *d, struct reply *reply)
{
	const struct blocks *k = blocks(r);

	reply->kind = REPLY_ACK;
	reply->is_new = false;
	if (d->n == r->expected)
		receive_next(r, d, reply);
	else if (d->n > r->expected && d->n - r->expected < r->par->cap)
		receive_ahead(r, d, reply);
	reply->psn = r->expected - 1;
	reply->n_ranges = k->n < RANGES_MAX ? k->n : RANGES_MAX;
	for (u32 i = 0; i < reply->n_ranges; i++)
		reply->ranges[i] = k->block[i];
}

/* What a TCP receiver holds: the largest window that scaled offers commonly reach by default on servers. */
#define TCP_WINDOW_BYTES (4U << 20)

static void iwarp_resolve(struct recovery_params *p)
{
	u32 window = TCP_WINDOW_BYTES / p->mtu;

	p->cap = window > p->bdp ? window : p->bdp;
	p->rto_low = p->rto_high;
}

static const struct param rows[] = {
	{ .name = "init_window",
	  .kind = PARAM_NUM,
	  PARAM_OWN(recovery_params, iwarp_params, init_window),
	  .min = 1,
	  .max = 1000,
	  .def = "10",
	  .why_unused = "has no slow start",
	  .help = "segments of the first congestion window" },
};

/* No rewind: it answers RNR NAKs, which TCP does not have. */
static u32 iwarp_window(const struct sqp *q)
{
	return tcp(q)->cwnd;
}

const struct recovery_ops recovery_iwarp = {
	.name = "iwarp",
	.what = "iWARP: RDMA over TCP with SACK",
	.params = PARAM_TABLE(rows),
	.format = FORMAT_TCP,
	.acks_each = true,
	.own_cc = true,
	.resolve = iwarp_resolve,
	.acks = ACK_TCP,
	.progress_only = true, /* RFC 6298, 5.3 */
	.open = iwarp_open,
	.open_receiver = iwarp_open_receiver,
	.wants = iwarp_wants,
	.own_window = iwarp_window,
	.transmit = iwarp_transmit,
	.acked = iwarp_acked,
	.timeout = iwarp_timeout,
	.resends = iwarp_resends,
	.rto = iwarp_rto,
	.receive = iwarp_receive,
};
