/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few NICs on one wild wire, without switches: frames are lost, repeated, overtaken, marked and corrupted, by seed.
 * Payload is real: written when a frame leaves, checked when it arrives.
 */
#ifndef LOSSLAB_NIC_WORLD_H
#define LOSSLAB_NIC_WORLD_H

#include "tests/unit/algorithms.h"
#include "tests/unit/unit.h"

#include "agent/nic/nic_impl.h"
#include "agent/packet/psn.h"

#define WORLD_HOSTS 4
#define WORLD_FLOWS 8
#define WORLD_FRAMES 65536
#define WORLD_FRAME_MAX 1200
#define WORLD_PS 200
#define WORLD_DELAY 2000000ULL

struct world_frame {
	u64 arrival;
	u16 len;
	u8 bytes[WORLD_FRAME_MAX];
};

struct world_host {
	struct nic *nic;
	struct nic_params par;
	struct nic_io io;
	struct world_frame **queue; /* in order of arrival */
	u32 n, number;
};

static struct world {
	struct world_host hosts[WORLD_HOSTS];
	u32 n_hosts;
	struct flow flows[WORLD_FLOWS];
	u32 src_index[WORLD_FLOWS], dst_index[WORLD_FLOWS];
	struct flow_result results[WORLD_FLOWS];
	struct flow_table table;
	struct rng rng;
	u32 loss, repeat, reorder, mark, corrupt; /* one frame in so many; 0: none */
	u8 *arrived[WORLD_FLOWS];                 /* per packet: times that it came intact */
	u64 lost, corrupted, marked;
} w;

static inline u8 world_byte(u32 flow, u64 at)
{
	return mix64((u64)flow << 40 ^ at) >> 56;
}

static inline bool world_chance(u32 one_of)
{
	return one_of && !rng_below(&w.rng, one_of);
}

static inline void world_enqueue(struct world_host *to, const struct world_frame *f)
{
	struct world_frame *copy = malloc(sizeof(*copy));
	u32 at = to->n;

	assert_non_null(copy);
	assert_true(to->n < WORLD_FRAMES);
	*copy = *f;
	while (at && to->queue[at - 1]->arrival > f->arrival) {
		to->queue[at] = to->queue[at - 1];
		at--;
	}
	to->queue[at] = copy;
	to->n++;
}

/* What the sender must never do. */
static inline void world_check_sender(const struct world_host *h, const struct rx_packet *p)
{
	const struct flow *flow = &w.flows[p->flow];
	const struct sender *s = &h->nic->senders[w.src_index[p->flow]];
	const struct sqp *q = &s->qp;
	s64 n = packet_find(&h->par.rules, flow, q->una, p->number);

	assert_int_equal(flow->src, h->number);
	assert_true(n >= q->una && n < s->sent_high); /* nothing that is acknowledged, nothing beyond */
	assert_true(s->sent_high - q->una <= q->par->cap);
	assert_true(q->limit <= q->n_packets && s->sent_high <= q->limit);
}

static inline void world_fill(struct world_frame *f, const struct tx_frame *tx, const struct packet_rules *r)
{
	const struct flow *flow = &w.flows[tx->flow];
	u32 end = tx->head_len;
	struct rx_packet p;

	memcpy(f->bytes, tx->head, tx->head_len);
	memset(f->bytes + end, 0, sizeof(f->bytes) - end);
	assert_int_equal(packet_parse(f->bytes, sizeof(f->bytes), tx->len, &p), 0);
	if (tx->payload) {
		u64 at = packet_offset(r,
				       packet_find(r, flow,
						   w.hosts[flow->src].nic->senders[w.src_index[tx->flow]].qp.una,
						   tx->number));

		for (u32 i = 0; i < tx->payload; i++)
			f->bytes[end + i] = world_byte(tx->flow, at + i);
	}
	end = packet_seal(f->bytes, end + tx->payload + tx->pad, r->format);
	assert_true(end <= tx->len);
	f->len = tx->len;
}

static inline int world_send(void *ctx, const struct tx_frame *tx)
{
	struct world_host *h = ctx;
	struct world_frame f = { .arrival = tx->arrival };
	struct rx_packet p;
	u32 to;

	world_fill(&f, tx, &h->par.rules);
	assert_int_equal(packet_parse(f.bytes, sizeof(f.bytes), f.len, &p), 0);
	assert_true(packet_intact(f.bytes, &p));
	to = get32(f.bytes + IP_OFF + 16) - HOST_NET - 1;
	assert_true(to < w.n_hosts && p.src == h->number);
	if (p.kind == PACKET_DATA)
		world_check_sender(h, &p);
	if (world_chance(w.loss)) {
		w.lost++;
		return 0;
	}
	if (world_chance(w.reorder))
		f.arrival += rng_below(&w.rng, 40 * PS_PER_US);
	if (p.ecn && world_chance(w.mark)) {
		ecn_write_ce(f.bytes);
		w.marked++;
	}
	if (world_chance(w.corrupt)) {
		f.bytes[rng_below(&w.rng, f.len)] ^= 1 << rng_below(&w.rng, 8);
		w.corrupted++;
	}
	world_enqueue(&w.hosts[to], &f);
	if (world_chance(w.repeat)) {
		f.arrival += rng_below(&w.rng, 20 * PS_PER_US);
		world_enqueue(&w.hosts[to], &f);
	}
	return 0;
}

static inline bool world_peek(void *ctx, struct rx_frame *f)
{
	struct world_host *h = ctx;

	if (!h->n)
		return false;
	*f = (struct rx_frame){ h->queue[0]->arrival, h->queue[0]->bytes, h->queue[0]->len, h->queue[0]->len, NULL };
	return true;
}

static inline void world_take(void *ctx, const struct rx_frame *f)
{
	struct world_host *h = ctx;

	free(h->queue[0]);
	memmove(h->queue, h->queue + 1, --h->n * sizeof(*h->queue));
}

/* A frame that arrives: corrupted ones are found out, the others carry what was sent. */
static inline int world_check(void *ctx, const struct rx_frame *f, const struct rx_packet *p)
{
	struct world_host *h = ctx;
	const struct packet_rules *r = &h->par.rules;
	s64 n;

	if (!packet_intact(f->head, p))
		return -1;
	if (p->kind != PACKET_DATA || p->flow >= w.table.n || w.flows[p->flow].dst != h->number)
		return 0;
	n = packet_find(r, &w.flows[p->flow], h->nic->receivers[w.dst_index[p->flow]].qp.expected, p->number);
	if (n < 0 || n >= h->nic->receivers[w.dst_index[p->flow]].qp.n_packets)
		return 0;
	for (u32 i = 0; i < p->payload; i++)
		assert_int_equal(f->head[p->payload_off + i], world_byte(p->flow, packet_offset(r, n) + i));
	if (w.arrived[p->flow][n] < 255)
		w.arrived[p->flow][n]++;
	return 0;
}

/* What the receiver has in order has arrived; what it has counted is no more than what has come. */
static inline void world_check_receivers(void)
{
	for (u32 i = 0; i < w.table.n; i++) {
		const struct rqp *q = &w.hosts[w.flows[i].dst].nic->receivers[w.dst_index[i]].qp;

		for (u32 n = q->expected > 64 ? q->expected - 64 : 0; n < q->expected; n++)
			assert_true(w.arrived[i][n]);
		assert_true(q->expected <= q->received && q->received <= q->n_packets);
	}
}

/* Before adding flows. @words: settings of the algorithms, ended by NULL, or NULL. */
static inline void world_prepare_with(u64 seed, u32 hosts, const char *transport, const char *cc,
				      const char *const *words)
{
	memset(&w, 0, sizeof(w));
	w.rng.state = seed;
	w.n_hosts = hosts;
	w.table = (struct flow_table){
		.flows = w.flows, .src_index = w.src_index, .dst_index = w.dst_index, .results = w.results
	};
	for (u32 i = 0; i < hosts; i++) {
		struct world_host *h = &w.hosts[i];

		h->number = i;
		h->queue = calloc(WORLD_FRAMES, sizeof(*h->queue));
		assert_non_null(h->queue);
		h->io = (struct nic_io){
			.ctx = h, .peek = world_peek, .take = world_take, .check = world_check, .send = world_send
		};
		h->par = (struct nic_params){
			.host = i,
			.node = i,
			.seed = seed,
			.ps_per_byte = WORLD_PS,
			.delay = WORLD_DELAY,
			.rules = { .psn0 = rng_below(&w.rng, 2) ? 0xfffff0 : 0,
				   .mtu = 1000,
				   .message = 1000000000,
				   .msg_packets = 1000000,
				   .ack_every = 1,
				   .ack_class = 3 },
			.qp = { .retry_cnt = RETRY_INFINITE, .rnr_retry = RETRY_INFINITE },
			.recovery = { .timeouts = true },
			.flows = &w.table,
		};
		algorithms_set(&h->par, transport, cc, 40, words);
		h->par.recovery.cap = 40;
		/* whichever loss recovery, requests of a READ wait as long */
		h->par.recovery.rto_low = 100 * PS_PER_US;
	}
}

static inline void world_prepare(u64 seed, u32 hosts, const char *transport, const char *cc)
{
	world_prepare_with(seed, hosts, transport, cc, NULL);
}

static inline u32 world_flow(u32 src, u32 dst, u64 bytes, u64 start, enum flow_op op)
{
	u32 id = w.table.n++;

	assert_true(id < WORLD_FLOWS);
	w.flows[id] = (struct flow){
		.id = id, .src = src, .dst = dst, .op = op, .class = 3, .bytes = bytes, .start_ps = start
	};
	w.results[id].done_ps = TIME_NEVER;
	return id;
}

static inline void world_open(void)
{
	for (u32 i = 0; i < w.table.n; i++) {
		w.arrived[i] = calloc(packet_count(&w.hosts[0].par.rules, w.flows[i].bytes), 1);
		assert_non_null(w.arrived[i]);
	}
	for (u32 i = 0; i < w.n_hosts; i++) {
		w.hosts[i].nic = nic_new(&w.hosts[i].par, &w.hosts[i].io);
		assert_non_null(w.hosts[i].nic);
	}
}

static inline u64 world_next(void)
{
	u64 next = TIME_NEVER;

	for (u32 i = 0; i < w.n_hosts; i++)
		if (nic_next(w.hosts[i].nic) < next)
			next = nic_next(w.hosts[i].nic);
	return next;
}

/* Until nothing happens any more, or @until. Returns the last time. */
static inline u64 world_run(u64 until)
{
	u64 now = 0, next;

	while ((next = world_next()) < until) {
		now = next;
		for (u32 i = 0; i < w.n_hosts; i++)
			assert_int_equal(
				nic_advance(w.hosts[i].nic, next + WORLD_DELAY < until ? next + WORLD_DELAY : until),
				0);
		world_check_receivers();
	}
	for (u32 i = 0; i < w.n_hosts; i++)
		nic_report(w.hosts[i].nic);
	return now;
}

static inline void world_close(void)
{
	for (u32 i = 0; i < w.n_hosts; i++) {
		nic_free(w.hosts[i].nic);
		while (w.hosts[i].n)
			free(w.hosts[i].queue[--w.hosts[i].n]);
		free(w.hosts[i].queue);
	}
	for (u32 i = 0; i < w.table.n; i++)
		free(w.arrived[i]);
}

#endif
