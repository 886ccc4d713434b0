// SPDX-License-Identifier: GPL-2.0
/*
 * A flow's time on an empty network: store and forward, link by link, along the path that ECMP gives it. By the
 * recurrence itself, since a closed form is wrong where links differ in rate.
 */
#include "lab/fabric.h"

#include "bpf/parse.h"
#include "bpf/route.h"

#define HOPS_MAX 64

struct hop {
	u32 ps_per_byte;
	u64 delay;
	u64 free; /* when the link's sender is free again */
};

static u32 flow_key(const struct flow *flow)
{
	return route_flow_key(host_addr(flow->src), host_addr(flow->dst), (u32)packet_sport(flow->id) << 16 | ROCE_PORT,
			      17);
}

static u32 find_path(const struct fabric *f, const struct flow *flow, struct hop *hops)
{
	const struct port_cfg *p = &f->ports[f->host_port[flow->src]];
	u32 key = flow_key(flow), s = p->sw, n = 0;

	hops[n++] = (struct hop){ p->ps_per_byte, p->delay, 0 };
	while (n < HOPS_MAX) {
		u64 mask = f->routes.mask[(size_t)s * f->size.hosts + flow->dst];

		p = &f->ports[f->port_base[s] + route_pick(mask, key, fabric_switch_seed(f, s))];
		hops[n++] = (struct hop){ p->ps_per_byte, p->delay, 0 };
		if (p->peer & PEER_HOST)
			break;
		s = f->ports[p->peer].sw;
	}
	return n;
}

u64 fabric_ideal(const struct fabric *f, const struct flow *flow)
{
	const struct packet_rules *r = &f->nics[flow->src].rules;
	u32 packets = packet_count(r, flow->bytes);
	struct hop hops[HOPS_MAX];
	u32 n = find_path(f, flow, hops);
	u64 at = 0;

	for (u32 i = 0; i < packets; i++) {
		u64 wire = wire_bytes(packet_frame_len(r, flow->bytes, i));

		at = 0;
		for (u32 h = 0; h < n; h++) {
			u64 start = at > hops[h].free ? at : hops[h].free;

			hops[h].free = start + wire * hops[h].ps_per_byte;
			at = hops[h].free + hops[h].delay;
		}
	}
	return at;
}
