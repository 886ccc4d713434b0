// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The switches. Three programs:
 *   ingress  on every switch port: store the frame, decide nothing (virtual time is not there yet)
 *   advance  run by the conductor: the event loops of the switches on the work list, up to the window's end
 *   emit     run by the conductor, once per departure: write the frame into a packet and redirect it to its veth
 */
#include "bpf/maps.bpf.h"
#include "bpf/credit.h"
#include "bpf/ecn.h"
#include "bpf/parse.h"
#include "bpf/pfc.h"

#define FAB_MEM volatile
#define FAB_FN __attribute__((noinline)) /* global: the verifier takes each on its own */

/*
 * The settings. The barrier keeps the compiler from using their initial value, which the loader replaces. (A pointer to
 * volatile would do too, but then the twin's functions would have to take one.)
 */
static __always_inline const struct fab_cfg *fab_cfg(void)
{
	const struct fab_cfg *cfg = (const struct fab_cfg *)&settings;

	barrier_var(cfg);
	return cfg;
}

static __always_inline struct fab_state *fab_state(void)
{
	return &state;
}

#define LOOKUP(func, map, type)                                                                                        \
	static __always_inline type *func(u32 n)                                                                       \
	{                                                                                                              \
		return bpf_map_lookup_elem(&map, &n);                                                                  \
	}

LOOKUP(fab_port, ports, struct port)
LOOKUP(fab_rx, port_rx, struct port_rx)
LOOKUP(fab_frame, frames, struct frame)
LOOKUP(fab_voq, voqs, struct voq)
LOOKUP(fab_arrq, arrivals, u64)
LOOKUP(fab_node, nodes, struct node_cell)
LOOKUP(fab_emission, emissions, struct emission)

static __always_inline u64 fab_route(u32 sw, u32 host)
{
	u32 n = sw * fab_cfg()->n_hosts + host;
	u64 *mask = host < fab_cfg()->n_hosts ? bpf_map_lookup_elem(&routes, &n) : 0;

	return mask ? *mask : 0;
}

static __always_inline u64 *stack_entry(u32 large, u32 n)
{
	return large ? bpf_map_lookup_elem(&stack_large, &n) : bpf_map_lookup_elem(&stack_small, &n);
}

static __always_inline u64 *ring_entry(u32 large, u32 n)
{
	return large ? bpf_map_lookup_elem(&free_large, &n) : bpf_map_lookup_elem(&free_small, &n);
}

static __always_inline void fab_release(u32 id)
{
	u32 large = id >= fab_cfg()->n_small;
	u64 *entry = stack_entry(large, state.free_top[large & 1]);

	if (!entry)
		return;
	*entry = id;
	state.free_top[large & 1]++;
}

static inline int fab_fail(enum fab_error error, u32 port);

/*
 * A slot travels with its frame: before the frame is emitted to port @n its slot is put where that port's ingress takes
 * the next free one. Frames of a link arrive in order, so each gets its own slot back: no slot is idle, and what
 * ingress writes is still in the cache.
 */
static __always_inline int hand_over(u32 n, u32 id)
{
	struct port *peer = fab_port(n);
	u32 large = id >= fab_cfg()->n_small;
	u64 *to =
		peer ? ring_entry(large, peer->cfg.arrq_base + (peer->free_tail[large & 1] & peer->cfg.arrq_mask)) : 0;

	if (!to)
		return fab_fail(FAB_INTERNAL, n);
	*to = id;
	peer->free_tail[large & 1]++;
	return 0;
}

/* A PFC frame needs a slot at a switch that receives it. */
static __always_inline int slot_for_pfc(u32 n)
{
	u32 top = state.free_top[0];
	u64 *from = top ? stack_entry(0, top - 1) : 0;

	if (!from)
		return fab_fail(FAB_NO_SLOT, n);
	state.free_top[0] = top - 1;
	return hand_over(n, *from);
}

/* Begin a new chunk of the emission list; frames of one link in a chunk must fit its veth ring. */
static __always_inline void chunk_end(void)
{
	u32 n = state.n_chunks;

	if (n >= FAB_CHUNKS)
		return;
	state.chunk_end[n] = state.n_emit;
	state.n_chunks = n + 1;
	state.chunk++;
}

/* A departure: add it to the emission list, and tell the conductor when the far end has an arrival. */
static __always_inline int fab_emit(struct port *p, const struct frame *f, u32 id, u64 arrival,
				    const struct fc_note *note)
{
	struct node_cell *peer = fab_node(p->cfg.peer_node);
	struct emission *e;

	if (p->chunk == state.chunk && p->chunk_used >= FAB_CHUNK_FRAMES)
		chunk_end();
	if (p->chunk != state.chunk) {
		p->chunk = state.chunk;
		p->chunk_used = 0;
	}
	e = fab_emission(state.n_emit);
	if (!e || !peer)
		return fab_fail(FAB_LIST_FULL, 0);
	e->arrival = arrival;
	e->frame = id;
	e->port = p->cfg.number;
	e->len = f ? f->len : PFC_LEN;
	e->flags = f ? f->flags : FRAME_PFC;
	if (p->cfg.peer & PEER_HOST)
		e->flags |= FRAME_LAST_HOP;
	else if (f ? hand_over(p->cfg.peer, id) : slot_for_pfc(p->cfg.peer))
		return -1;
	if (note)
		e->note = *note;
	state.n_emit++;
	p->chunk_used++;
	p->wire_tx++;
	if (arrival < peer->arrival)
		peer->arrival = arrival;
	peer->rx_total++;
	return 0;
}

#include "bpf/advance.h"

struct step_ctx {
	u64 until;
	u32 node;
};

static long step(u32 n, void *data)
{
	struct step_ctx *c = data;
	u32 node = c->node;
	struct sw *s = bpf_map_lookup_elem(&switches, &node);

	return !s || sw_step(s, node, c->until) != 1;
}

/* Run one switch of the work list up to the window's end. */
static long advance_switch(u32 n, void *data)
{
	u64 *which = bpf_map_lookup_elem(&todo, &n);
	struct step_ctx c = { .until = state.until };
	struct node_cell *cell;
	struct sw *s;

	if (!which)
		return 1;
	c.node = *which;
	s = bpf_map_lookup_elem(&switches, &c.node);
	cell = fab_node(c.node);
	if (!s || !cell || sw_begin(s))
		return 1;
	bpf_loop(1 << 22, step, &c, 0);
	cell->next = s->best == KEY_NEVER ? TIME_NEVER : KEY_TIME(s->best);
	return state.error != FAB_OK;
}

SEC("syscall")
int advance(void *ctx)
{
	state.n_emit = 0;
	state.emitted = 0;
	state.n_chunks = 0;
	state.chunk++;
	bpf_loop(state.n_todo, advance_switch, 0, 0);
	chunk_end();
	return state.error;
}

/*
 * Copy @len bytes between the frame and a slot of @room bytes, by @helper. The two bounds checks stand apart, with
 * the compiler kept from merging them: 6.1 and 6.12 refuse the merged form.
 */
#define COPY(helper, ctx, slot, len, room)                                                                             \
	({                                                                                                             \
		u64 n_ = (len);                                                                                        \
		long err_ = -1;                                                                                        \
		if (n_ <= (room)) {                                                                                    \
			barrier_var(n_);                                                                               \
			if (n_ >= ETH_MIN) {                                                                           \
				barrier_var(n_);                                                                       \
				err_ = helper((ctx), 0, (slot), n_);                                                   \
			}                                                                                              \
		}                                                                                                      \
		err_;                                                                                                  \
	})

/*
 * In functions of their own: where registers are short, the compiler keeps the length on the stack and checks two
 * copies of it, and a verifier of Linux 6.1 does not see that they are one.
 */
static __attribute__((noinline)) long load_frame(struct xdp_md *ctx, u8 *slot, u64 len, u64 room)
{
	return COPY(bpf_xdp_load_bytes, ctx, slot, len, room);
}

static __attribute__((noinline)) long store_frame(struct xdp_md *ctx, u8 *slot, u64 len, u64 room)
{
	return COPY(bpf_xdp_store_bytes, ctx, slot, len, room);
}

/* Put the frame's bytes into its slot and read its headers. */
static __always_inline int fill_slot(struct xdp_md *ctx, u32 id, u32 large, u64 len, struct frame *f)
{
	u32 n = large ? id - fab_cfg()->n_small : id;
	u8 *slot;

	if (large) {
		slot = bpf_map_lookup_elem(&large_slots, &n);
		if (!slot || load_frame(ctx, slot, len, fab_cfg()->slot_large))
			return -1;
	} else {
		slot = bpf_map_lookup_elem(&small_slots, &n);
		if (!slot || load_frame(ctx, slot, len, SLOT_SMALL))
			return -1;
	}
	return parse_frame(slot, len, f);
}

SEC("xdp")
int ingress(struct xdp_md *ctx)
{
	u32 number = ctx->ingress_ifindex - SWITCH_IFINDEX_BASE;
	struct port *p = fab_port(number);
	struct port_rx *rx = fab_rx(number);
	u64 total = bpf_xdp_get_buff_len(ctx), len = total - STAMP_LEN;
	u8 stamp[STAMP_LEN];
	u32 large = len > SLOT_SMALL, head, id;
	u64 *entry;
	struct frame *f;

	if (!p || !rx)
		return XDP_PASS;
	if (total < ETH_MIN + STAMP_LEN || bpf_xdp_load_bytes(ctx, len, stamp, STAMP_LEN) ||
	    !stamp_valid(stamp, total)) {
		rx->foreign++;
		return XDP_DROP;
	}
	head = rx->free_head[large];
	entry = ring_entry(large, p->cfg.arrq_base + (head & p->cfg.arrq_mask));
	if (!entry || *(volatile u32 *)&p->free_tail[large] == head) {
		rx->no_slot++;
		return XDP_DROP;
	}
	id = *entry;
	f = fab_frame(id);
	if (!f || fill_slot(ctx, id, large, len, f)) {
		rx->malformed++;
		return XDP_DROP;
	}
	f->arrival = get64(stamp + 8);
	f->len = len;
	if (large)
		f->flags |= FRAME_LARGE;
	entry = fab_arrq(p->cfg.arrq_base + (rx->tail & p->cfg.arrq_mask));
	if (!entry)
		return XDP_DROP;
	*entry = id;
	rx->free_head[large] = head + 1;
	__sync_fetch_and_add(&rx->tail, 1); /* a full barrier: the frame is there before its count is */
	return p->cfg.tap ? XDP_PASS : XDP_DROP;
}

/* Apply what this switch changes in a frame's bytes. */
static __always_inline void change_frame(u8 *slot, u8 flags)
{
	if (flags & FRAME_MARKED)
		ecn_write_ce(slot);
	if (flags & FRAME_CORRUPT)
		fault_flip(slot);
}

static __always_inline int write_frame(struct xdp_md *ctx, const struct emission *e)
{
	u32 id = e->frame, n = id - fab_cfg()->n_small;
	u8 *slot;

	if (id >= fab_cfg()->n_small) {
		slot = bpf_map_lookup_elem(&large_slots, &n);
		if (!slot)
			return -1;
		change_frame(slot, e->flags);
		return store_frame(ctx, slot, e->len, fab_cfg()->slot_large);
	}
	slot = bpf_map_lookup_elem(&small_slots, &id);
	if (!slot)
		return -1;
	change_frame(slot, e->flags);
	return store_frame(ctx, slot, e->len, SLOT_SMALL);
}

SEC("xdp")
int emit(struct xdp_md *ctx)
{
	struct emission *e = fab_emission(state.emitted);
	u8 stamp[STAMP_LEN];
	u8 pfc[PFC_LEN];

	if (!e || state.emitted >= state.n_emit)
		return XDP_DROP;
	state.emitted++;
	if (bpf_xdp_adjust_tail(ctx, (int)e->len + STAMP_LEN - (int)bpf_xdp_get_buff_len(ctx)))
		return XDP_DROP;
	if (e->flags & FRAME_PFC) {
		if (e->note.credit)
			credit_build(pfc, e->port, e->note.class, e->note.fctbs, e->note.fccl);
		else
			pfc_build(pfc, e->port, e->note.pause, e->note.resume, fab_cfg()->quanta);
		if (bpf_xdp_store_bytes(ctx, 0, pfc, PFC_LEN))
			return XDP_DROP;
	} else if (write_frame(ctx, e)) {
		return XDP_DROP;
	}
	stamp_put(stamp, e->len, e->arrival);
	if (bpf_xdp_store_bytes(ctx, e->len, stamp, STAMP_LEN))
		return XDP_DROP;
	if ((e->flags & (FRAME_PFC | FRAME_LAST_HOP)) == FRAME_LAST_HOP)
		fab_release(e->frame);
	return bpf_redirect_map(&devices, e->port, 0);
}

/* On a tapped switch port: packet sockets have seen the frame; drop it before the IP stack does. */
SEC("tc")
int tapped(struct __sk_buff *skb)
{
	return 2; /* TC_ACT_SHOT */
}

char LICENSE[] SEC("license") = "GPL";
