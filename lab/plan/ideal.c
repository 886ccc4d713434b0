// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flow's time on an empty network: store and forward, link by link, along the path that ECMP gives it. Links may
 * differ in rate, so the packets' times follow the recurrence of lab/plan/pipeline.h.
 */
#include "lab/plan/plan.h"

#include <string.h>

#include "bpf/arbiter.h"
#include "bpf/parse.h"
#include "bpf/route.h"
#include "lab/plan/pipeline.h"

#define IDEAL_MAX (1ULL << 62) /* ps; virtual time ends at 2^60 */

_Static_assert(PIPELINE_STAGES_MAX >= 2 * PLAN_HOPS_MAX, "a crossbar before each link but the first");

/* A frame as the switches see it: what ECMP hashes, and how long it is. */
struct probe {
	u32 src, dst;
	u32 key;
	u32 len;
};

/* The key comes from a frame built for the purpose: nobody else needs to know how. */
static struct probe probe(const struct tx_frame *f, u32 src, u32 dst)
{
	struct probe p = { .src = src, .dst = dst, .len = f->len };
	u8 head[SLOT_SMALL] = { 0 };
	struct frame seen = { 0 };

	memcpy(head, f->head, f->head_len);
	parse_frame(head, f->len, &seen);
	p.key = seen.flow_key;
	return p;
}

static void add_link(struct pipeline *path, const struct port_cfg *p)
{
	path->stage[path->n++] = (struct stage){ .ps_per_byte = p->ps_per_byte, .delay = p->delay };
}

static void find_path(const struct plan *f, const struct probe *at, struct pipeline *path)
{
	const struct port_cfg *p = &f->ports[f->host_port[at->src]];
	u32 s = p->sw;

	path->n = 0;
	add_link(path, p);
	for (u32 hops = 1; hops < PLAN_HOPS_MAX; hops++) {
		u64 mask = f->routes.mask[(size_t)s * f->size.hosts + at->dst];

		p = &f->ports[f->port_base[s] + route_pick(mask, at->key, plan_switch_seed(f, s))];
		if (f->fab.iterations)
			path->stage[path->n++] = (struct stage){ .ps_per_byte = plan_fastest(f, s),
								 .speedup = f->fab.speedup ? f->fab.speedup : 100 };
		add_link(path, p);
		if (p->peer & PEER_HOST)
			break;
		s = f->ports[p->peer].sw;
	}
}

/* When the first request of a READ reaches the responder. Later ones are no slower than the data that they ask for. */
static u64 request(const struct plan *f, const struct flow *flow)
{
	struct pipeline path;
	struct tx_frame read;
	struct probe p;

	packet_build_read(&f->nics[flow->dst].rules, &read, flow, 0);
	p = probe(&read, flow->dst, flow->src);
	find_path(f, &p, &path);
	return pipeline_packet(&path, wire_bytes(p.len), 0);
}

/* @packets packets of a flow from @n on, which are a message. */
static struct train_message message(const struct packet_rules *r, const struct flow *flow, u32 n, u32 packets)
{
	return (struct train_message){
		.packets = packets,
		.first = wire_bytes(packet_frame_len(r, flow, n)),
		.middle = packets > 2 ? wire_bytes(packet_frame_len(r, flow, n + 1)) : 0,
		.last = wire_bytes(packet_frame_len(r, flow, n + packets - 1)),
	};
}

/* All messages but the last are full. */
static struct train train_of(const struct packet_rules *r, const struct flow *flow)
{
	u32 packets = packet_count(r, flow->bytes), full = (packets - 1) / r->msg_packets;
	struct train t = { .full = full };

	if (full)
		t.each = message(r, flow, 0, r->msg_packets);
	t.tail = message(r, flow, full * r->msg_packets, packets - full * r->msg_packets);
	return t;
}

/* No more than this: every packet takes all stages one after the other. */
static bool fits(const struct pipeline *path, u32 packets, u32 frame_max)
{
	unsigned __int128 sum = 0;

	for (u32 h = 0; h < path->n; h++)
		sum += (unsigned __int128)wire_bytes(frame_max) * path->stage[h].ps_per_byte * packets +
			path->stage[h].delay;
	return sum < IDEAL_MAX;
}

u64 plan_ideal(const struct plan *f, const struct flow *flow)
{
	const struct packet_rules *r = &f->nics[flow->src].rules;
	u64 ready = flow->op == FLOW_READ ? request(f, flow) : 0;
	struct pipeline path;
	struct tx_frame first;
	struct train train;
	struct probe p;

	packet_build_data(r, &first, flow, 0, false);
	p = probe(&first, flow->src, flow->dst);
	find_path(f, &p, &path);
	if (!fits(&path, packet_count(r, flow->bytes), f->frame_max))
		return IDEAL_MAX; /* such a flow never completes */
	train = train_of(r, flow);
	return pipeline_train(&path, &train, ready);
}
