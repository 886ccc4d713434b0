// SPDX-License-Identifier: GPL-2.0
/*
 * A flow's time on an empty network: store and forward, link by link, along the path that ECMP gives it. By the
 * recurrence itself, since a closed form is wrong where links differ in rate.
 */
#include "lab/plan/plan.h"

#include <string.h>

#include "bpf/arbiter.h"
#include "bpf/parse.h"
#include "bpf/route.h"

struct hop {
	u32 ps_per_byte;
	u64 delay;
	u64 free;      /* when the link's sender is free again */
	u32 crossbar;  /* ps per byte of the crossbar before it at speed-up 1; 0: there is none */
	u64 xbar_free; /* when that is */
};

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

static u32 find_path(const struct plan *f, const struct probe *at, struct hop *hops)
{
	const struct port_cfg *p = &f->ports[f->host_port[at->src]];
	u32 s = p->sw, n = 0;

	hops[n++] = (struct hop){ .ps_per_byte = p->ps_per_byte, .delay = p->delay };
	while (n < PLAN_HOPS_MAX) {
		u64 mask = f->routes.mask[(size_t)s * f->size.hosts + at->dst];

		p = &f->ports[f->port_base[s] + route_pick(mask, at->key, plan_switch_seed(f, s))];
		hops[n++] = (struct hop){ .ps_per_byte = p->ps_per_byte,
					  .delay = p->delay,
					  .crossbar = f->fab.iterations ? plan_fastest(f, s) : 0 };
		if (p->peer & PEER_HOST)
			break;
		s = f->ports[p->peer].sw;
	}
	return n;
}

/* When a frame that its sender has ready at @at arrives. */
static u64 cross(const struct plan *f, struct hop *hops, u32 n, u32 len, u64 at)
{
	u64 wire = wire_bytes(len);

	for (u32 h = 0; h < n; h++) {
		u64 start;

		if (hops[h].crossbar)
			at = hops[h].xbar_free =
				max64(at, hops[h].xbar_free) + xbar_time(wire, hops[h].crossbar, f->fab.speedup);
		start = max64(at, hops[h].free);
		hops[h].free = start + wire * hops[h].ps_per_byte;
		at = hops[h].free + hops[h].delay;
	}
	return at;
}

/* When the first request of a READ reaches the responder. Later ones are no slower than the data that they ask for. */
static u64 request(const struct plan *f, const struct flow *flow)
{
	struct hop hops[PLAN_HOPS_MAX];
	struct tx_frame read;
	struct probe p;
	u32 n;

	packet_build_read(&f->nics[flow->dst].rules, &read, flow, 0);
	p = probe(&read, flow->dst, flow->src);
	n = find_path(f, &p, hops);
	return cross(f, hops, n, p.len, 0);
}

u64 plan_ideal(const struct plan *f, const struct flow *flow)
{
	const struct packet_rules *r = &f->nics[flow->src].rules;
	u32 packets = packet_count(r, flow->bytes);
	u64 ready = flow->op == FLOW_READ ? request(f, flow) : 0, at = 0;
	struct hop hops[PLAN_HOPS_MAX];
	struct tx_frame first;
	struct probe p;
	u32 n;

	packet_build_data(r, &first, flow, 0, false);
	p = probe(&first, flow->src, flow->dst);
	n = find_path(f, &p, hops);
	for (u32 i = 0; i < packets; i++)
		at = cross(f, hops, n, packet_frame_len(r, flow, i), ready);
	return at;
}
