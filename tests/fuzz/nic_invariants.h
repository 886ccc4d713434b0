/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a NIC must never do, whatever it receives: the callbacks of struct nic_io look at each frame that it sends and
 * takes, invariants_check() looks at its state between two events. A violation aborts, so that libFuzzer keeps the
 * input.
 */
#ifndef LOSSLAB_FUZZ_NIC_INVARIANTS_H
#define LOSSLAB_FUZZ_NIC_INVARIANTS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/nic/nic_impl.h"
#include "bpf/credit.h"
#include "bpf/parse.h"

#define FUZZ_FLOWS 6
#define FUZZ_PACKETS 512 /* most of a flow */
#define FUZZ_SENT 2000   /* frames after which an input has done its work */
#define FUZZ_RX 64       /* frames on their way to the NIC */

#define HOLDS(condition, ...)                                                                                          \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                \
			fprintf(stderr, __VA_ARGS__);                                                                  \
			fputc('\n', stderr);                                                                           \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

/* A frame on its way: its bytes in a buffer of exactly @have, so that ASAN sees a read beyond. */
struct fuzz_frame {
	u64 arrival;
	u8 *bytes;
	u32 have, len;
};

struct fuzz_world {
	struct nic *nic;
	struct nic_params par;
	struct nic_io io;
	struct flow flows[FUZZ_FLOWS];
	u32 src_index[FUZZ_FLOWS], dst_index[FUZZ_FLOWS];
	struct flow_result results[FUZZ_FLOWS];
	struct flow_table table;
	struct fuzz_frame rx[FUZZ_RX]; /* in order of arrival */
	u32 n_rx, sent;
	u64 port_free;                        /* when the last frame sent has left the port */
	u32 una[FUZZ_FLOWS];                  /* last seen: it only grows */
	u32 high[FUZZ_FLOWS];                 /* first packet that has not been seen on the wire */
	u8 arrived[FUZZ_FLOWS][FUZZ_PACKETS]; /* data packets that the NIC was given intact */
	struct nic_stats stats;               /* last seen */
	bool discard;                         /* the check of ICRC and payload fails */
};

static inline u64 fuzz_ser(const struct fuzz_world *w, u32 len)
{
	return (u64)wire_bytes(len) * w->par.ps_per_byte;
}

static inline bool fuzz_peek(void *ctx, struct rx_frame *f)
{
	const struct fuzz_world *w = ctx;

	if (!w->n_rx)
		return false;
	*f = (struct rx_frame){
		.arrival = w->rx[0].arrival, .head = w->rx[0].bytes, .have = w->rx[0].have, .len = w->rx[0].len
	};
	return true;
}

static inline void fuzz_take(void *ctx, const struct rx_frame *f)
{
	struct fuzz_world *w = ctx;

	HOLDS(w->n_rx && f->head == w->rx[0].bytes, "a frame is taken that is not the first");
	free(w->rx[0].bytes);
	memmove(w->rx, w->rx + 1, --w->n_rx * sizeof(*w->rx));
}

/* A packet of the run's format arrives; notes what the receiver is given. */
static inline int fuzz_check(void *ctx, const struct rx_frame *f, const struct rx_packet *p)
{
	struct fuzz_world *w = ctx;
	const struct rqp *q;
	s64 n;

	(void)f;
	if (w->discard)
		return -1;
	if (p->kind != PACKET_DATA || p->flow >= w->table.n || w->flows[p->flow].dst != w->par.host)
		return 0;
	q = &w->nic->receivers[w->dst_index[p->flow]].qp;
	n = packet_find(&w->par.rules, &w->flows[p->flow], q->expected, p->number);
	if (n >= 0 && n < q->n_packets)
		w->arrived[p->flow][n] = 1;
	return 0;
}

/* Data goes within the window, within the flow, and never below what is acknowledged. */
static inline void fuzz_check_data(struct fuzz_world *w, const struct rx_packet *p)
{
	const struct flow *flow = &w->flows[p->flow];
	const struct sender *s = &w->nic->senders[w->src_index[p->flow]];
	const struct sqp *q = &s->qp;
	s64 n = packet_find(&w->par.rules, flow, q->una, p->number);

	HOLDS(flow->src == w->par.host, "flow %u is another host's", p->flow);
	HOLDS(!s->error, "flow %u sends in error %u", p->flow, s->error);
	HOLDS(n >= q->una && n < s->sent_high, "packet %lld, una %u, sent below %u", n, q->una, s->sent_high);
	HOLDS(packet_fits(&w->par.rules, flow, n, p), "packet %lld is not what its place in the flow asks for", n);
	HOLDS(s->sent_high - q->una <= q->par->cap, "una %u, sent %u, cap %u", q->una, s->sent_high, q->par->cap);
	HOLDS(s->sent_high <= q->limit, "sent %u, limit %u", s->sent_high, q->limit);
	/* a window that shrinks does not take back what is on its way: only a new packet tells */
	HOLDS(n < w->high[p->flow] || q->window == NO_LIMIT || n - q->una < q->window, "packet %lld, una %u, window %u",
	      n, q->una, q->window);
	if (n >= w->high[p->flow])
		w->high[p->flow] = n + 1;
}

static inline int fuzz_send(void *ctx, const struct tx_frame *f)
{
	struct fuzz_world *w = ctx;
	u64 clock = nic_clock(w->nic), start = f->arrival - w->par.delay - fuzz_ser(w, f->len);
	const struct pause_state *pause = nic_pause(w->nic);
	u8 b[FRAME_MAX + 64] = { 0 };
	struct rx_packet p = { 0 };
	struct frame pfc = { 0 };

	HOLDS(f->len <= w->par.frame_max && f->head_len + f->payload + f->pad <= f->len, "%u bytes", f->len);
	HOLDS(start == clock, "it starts at %llu, and it is %llu", start, clock);
	HOLDS(start >= w->port_free, "two frames at once: at %llu, free at %llu", start, w->port_free);
	HOLDS(!w->nic->down, "the link is down");
	w->port_free = start + fuzz_ser(w, f->len);
	memcpy(b, f->head, f->head_len);
	if (get16(b + 12) == ETHERTYPE_MACC) {
		HOLDS(!parse_frame(b, f->len, &pfc), "a PFC frame that is none");
	} else {
		HOLDS(!packet_parse(b, sizeof(b), f->len, &p), "a packet that is none");
		HOLDS(p.flow == f->flow && p.src == w->par.host, "flow %u, source %u", p.flow, p.src);
		HOLDS(w->par.credits || pause->until[f->class] <= clock, "class %u is paused", f->class);
		if (p.kind == PACKET_DATA)
			fuzz_check_data(w, &p);
	}
	return ++w->sent > FUZZ_SENT ? -ENOBUFS : 0;
}

static inline void fuzz_check_sender(struct fuzz_world *w, const struct sender *s)
{
	const struct sqp *q = &s->qp;

	HOLDS(q->una <= q->next && q->next <= q->n_packets, "%u <= %u <= %u", q->una, q->next, q->n_packets);
	HOLDS(q->una <= s->sent_high && s->sent_high <= q->limit && q->limit <= q->n_packets, "%u, %u, %u, %u", q->una,
	      s->sent_high, q->limit, q->n_packets);
	HOLDS(q->una >= w->una[s->flow], "una was %u and is %u", w->una[s->flow], q->una);
	HOLDS(q->window >= 1, "a window of nothing");
	HOLDS(q->armed == TIME_NEVER || q->armed <= nic_clock(w->nic), "armed at %llu", q->armed);
	w->una[s->flow] = q->una;
}

/* All that counts as received has arrived; a flow that is done has all. */
static inline void fuzz_check_receiver(const struct fuzz_world *w, const struct rqp *q)
{
	const struct flow_result *r = &w->results[q->flow->id];
	u32 kept = 0;

	HOLDS(q->expected <= q->received && q->received <= q->n_packets, "%u, %u, %u", q->expected, q->received,
	      q->n_packets);
	for (u32 n = 0; n < q->n_packets; n++) {
		HOLDS(n >= q->expected || w->arrived[q->flow->id][n], "flow %u: packet %u never came", q->flow->id, n);
		kept += w->arrived[q->flow->id][n];
	}
	HOLDS(q->received <= kept, "flow %u: %u received, %u came", q->flow->id, q->received, kept);
	HOLDS((r->done_ps != TIME_NEVER) == (q->received == q->n_packets), "flow %u: %u of %u", q->flow->id,
	      q->received, q->n_packets);
	HOLDS(r->done_ps == TIME_NEVER || r->done_ps <= nic_clock(w->nic), "done at %llu", r->done_ps);
}

static inline void fuzz_check_stats(struct fuzz_world *w)
{
	const u64 *now = (const u64 *)nic_stats(w->nic), *was = (const u64 *)&w->stats;
	struct recovery_stats r;

	for (size_t i = 0; i < sizeof(w->stats) / sizeof(u64); i++)
		HOLDS(now[i] >= was[i], "counter %zu of nic_stats was %llu and is %llu", i, was[i], now[i]);
	w->stats = *nic_stats(w->nic);
	HOLDS(w->stats.tx_data <= w->stats.tx_frames && w->stats.rx_data <= w->stats.rx_frames,
	      "more data than frames");
	nic_recovery_stats(w->nic, &r);
	HOLDS(r.pool_rx_now <= r.pool_rx_peak && r.pool_tx_now <= r.pool_tx_peak, "a pool above its peak");
}

/* Between two events; all before @until have been handled. */
static inline void invariants_check(struct fuzz_world *w, u64 until)
{
	u64 next = nic_next(w->nic);

	HOLDS(next >= until && next >= nic_clock(w->nic), "next %llu, clock %llu, until %llu", next, nic_clock(w->nic),
	      until);
	for (u32 i = 0; i < w->nic->n_senders; i++)
		fuzz_check_sender(w, &w->nic->senders[i]);
	for (u32 i = 0; i < w->nic->n_receivers; i++)
		fuzz_check_receiver(w, &w->nic->receivers[i].qp);
	fuzz_check_stats(w);
}

#endif
