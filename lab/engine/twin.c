// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The twin: switches and hosts in one process, without namespaces, sockets or root. The same decisions as in the
 * kernel (bpf/advance.h, agent/): only the way a frame crosses a link differs. A frame is its header bytes and its
 * length here; payload is not kept.
 */
#include "lab/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/parse.h"

struct twin_host {
	struct nic *nic;
	struct nic_io io;
	u32 number;
	u32 *ring; /* frames on their way to it or arrived, in order */
	u32 head, tail, mask;
};

struct twin {
	struct engine e;
	u8 (*heads)[SLOT_SMALL];
	struct twin_host *hosts;
};

/*
 * advance.h's functions take no context: the twin that is running. One runs at a time in a process. Copies of what
 * every event reads: nothing else points to them, so the compiler need not read them anew after each write.
 */
static struct twin *running;
static struct plan_memory on;
static struct fab_cfg on_cfg;

static void run_on(struct twin *t)
{
	running = t;
	on = t->e.mem;
	on_cfg = t->e.plan->fab;
}

#define FAB_MEM
#define FAB_FN static inline

static inline const struct fab_cfg *fab_cfg(void)
{
	return &on_cfg;
}

static inline struct fab_state *fab_state(void)
{
	return on.state;
}

static inline struct port *fab_port(u32 n)
{
	return &on.ports[n];
}

static inline struct port_rx *fab_rx(u32 n)
{
	return &on.rx[n];
}

static inline struct frame *fab_frame(u32 id)
{
	return id == FAB_NONE ? NULL : &on.frames[id];
}

static inline struct voq *fab_voq(u32 n)
{
	return &on.voqs[n];
}

static inline u64 *fab_arrq(u32 n)
{
	return &on.arrivals[n];
}

static inline u64 fab_route(u32 sw, u32 host)
{
	return host < on_cfg.n_hosts ? on.routes[(size_t)sw * on_cfg.n_hosts + host] : 0;
}

static inline void fab_release(u32 id)
{
	on.stack[0][fab_state()->free_top[0]++] = id;
}

static int fab_emit(struct port *p, struct frame *f, u32 id, u64 arrival, const struct fc_note *note);

#include "bpf/advance.h"

static u32 take_slot(void)
{
	struct fab_state *st = fab_state();

	if (!st->free_top[0]) {
		fab_fail(FAB_NO_SLOT, 0);
		return FAB_NONE;
	}
	return on.stack[0][--st->free_top[0]];
}

/* Frame @id goes to the node behind @peer, to arrive at @arrival. */
static void deliver(u32 peer, u32 peer_node, u32 id, u64 arrival)
{
	struct node_cell *cell = &on.nodes[peer_node];

	on.frames[id].arrival = arrival;
	if (peer & PEER_HOST) {
		struct twin_host *h = &running->hosts[peer & ~PEER_HOST];

		h->ring[h->tail++ & h->mask] = id;
	} else {
		const struct port_cfg *c = &on.ports[peer].cfg;

		*fab_arrq(c->arrq_base + (fab_rx(peer)->tail++ & c->arrq_mask)) = id;
	}
	if (arrival < cell->arrival)
		cell->arrival = arrival;
}

static int fab_emit(struct port *p, struct frame *f, u32 id, u64 arrival, const struct fc_note *note)
{
	if (note) {
		id = take_slot();
		if (id == FAB_NONE)
			return -1;
		f = fab_frame(id);
		f->len = PFC_LEN;
		if (note->credit)
			credit_build(running->heads[id], p->cfg.number, note->class, note->fctbs, note->fccl);
		else
			pfc_build(running->heads[id], p->cfg.number, note->pause, note->resume, on_cfg.quanta);
		parse_frame(running->heads[id], PFC_LEN, f);
	} else if (f->flags & FRAME_MARKED) {
		ecn_write_ce(running->heads[id]);
		f->flags &= ~FRAME_MARKED;
	}
	p->wire_tx++;
	deliver(p->cfg.peer, p->cfg.peer_node, id, arrival);
	return 0;
}

/* The frame @ahead of the first on host @h's ring will be looked at before long: have it fetched. */
static void host_expect(const struct twin_host *h, u32 ahead)
{
	u32 id;

	if (h->tail - h->head <= ahead)
		return;
	id = h->ring[(h->head + ahead) & h->mask];
	__builtin_prefetch(fab_frame(id));
	__builtin_prefetch(running->heads[id]);
	__builtin_prefetch(running->heads[id] + 64);
}

static bool host_peek(void *ctx, struct rx_frame *f)
{
	struct twin_host *h = ctx;
	u32 id;

	if (h->head == h->tail)
		return false;
	id = h->ring[h->head & h->mask];
	f->arrival = fab_frame(id)->arrival;
	f->len = fab_frame(id)->len;
	f->head = running->heads[id];
	f->have = SLOT_SMALL;
	f->cookie = fab_frame(id);
	return true;
}

/* In place of CRCs: the frames here have none. */
static int host_check(void *ctx, const struct rx_frame *f, const struct rx_packet *p)
{
	return ((const struct frame *)f->cookie)->flags & FRAME_CORRUPT ? -1 : 0;
}

static void host_take(void *ctx, const struct rx_frame *f)
{
	struct twin_host *h = ctx;

	fab_release(h->ring[h->head++ & h->mask]);
	host_expect(h, 1);
}

static int host_send(void *ctx, const struct tx_frame *tx)
{
	struct twin_host *h = ctx;
	u32 id = take_slot(), port = running->e.plan->host_port[h->number];
	struct frame *f = fab_frame(id);

	if (!f)
		return -ENOBUFS;
	memcpy(running->heads[id], tx->head, HEAD_MAX);
	f->len = tx->len;
	if (parse_frame(running->heads[id], tx->len, f))
		return -EBADMSG;
	deliver(port, running->e.plan->ports[port].sw, id, tx->arrival);
	return 0;
}

static int advance_host(struct twin *t, u32 number, u64 until)
{
	struct twin_host *h = &t->hosts[number];
	const struct nic_stats *s = nic_stats(h->nic);
	int rc;

	if (number + 1 < on_cfg.n_hosts)
		host_expect(h + 1, 0);
	rc = nic_advance(h->nic, until);
	if (rc) {
		err_set(&t->e.err, rc, "host %s: %s", t->e.plan->topo->nodes[t->e.plan->topo->hosts[number]].name,
			strerror(-rc));
		return t->e.mem.state->error ? engine_state_error(&t->e) : rc;
	}
	t->e.mem.nodes[t->e.plan->size.switches + number].next = nic_next(h->nic);
	t->e.hosts[number].completed = s->completed;
	t->e.hosts[number].fresh = s->fresh;
	t->e.hosts[number].fresh_bytes = s->fresh_bytes;
	return 0;
}

static int advance_switch(struct twin *t, u32 s, u64 until)
{
	struct sw *sw = &t->e.mem.switches[s];
	int more = sw_begin(sw);

	while (!more) {
		more = sw_step(sw, s, until);
		more = more == 1 ? 0 : more < 0 ? -1 : 1;
	}
	t->e.mem.nodes[s].next = sw->best == KEY_NEVER ? TIME_NEVER : KEY_TIME(sw->best);
	return t->e.mem.state->error ? engine_state_error(&t->e) : 0;
}

static int twin_window(struct engine *e, u64 until)
{
	struct twin *t = (struct twin *)e;
	u32 switches = e->plan->size.switches, nodes = switches + e->plan->size.hosts;
	int rc;

	run_on(t);
	for (u32 n = 0; n < nodes; n++) {
		if (e->mem.nodes[n].next >= until)
			continue;
		rc = n < switches ? advance_switch(t, n, until) : advance_host(t, n - switches, until);
		if (rc)
			return rc;
	}
	return 0;
}

static int twin_finish(struct engine *e, u64 now, struct host_report *reports)
{
	struct twin *t = (struct twin *)e;

	for (u32 h = 0; h < e->plan->size.hosts; h++) {
		const struct nic *n = t->hosts[h].nic;

		nic_report(n);
		nic_recovery_stats(n, &reports[h].recovery);
		reports[h].stats = *nic_stats(n);
		reports[h].pause = *nic_pause(n);
		reports[h].credit = *nic_credit(n);
		reports[h].clock = nic_clock(n);
	}
	return 0;
}

static void twin_destroy(struct engine *e)
{
	struct twin *t = (struct twin *)e;
	struct plan_memory *m = &e->mem;

	for (u32 h = 0; t->hosts && h < e->plan->size.hosts; h++) {
		if (t->hosts[h].nic)
			nic_free(t->hosts[h].nic);
		free(t->hosts[h].ring);
	}
	free(t->hosts);
	free(t->heads);
	free(m->switches);
	free(m->ports);
	free(m->rx);
	free(m->nodes);
	free(m->frames);
	free(m->voqs);
	free(m->routes);
	free(m->arrivals);
	free(m->stack[0]);
	free(m->state);
	free(e->hosts);
	free(t);
}

static const struct engine_ops twin_ops = { twin_window, twin_finish, twin_destroy };

static int twin_memory(struct twin *t, const struct plan *f)
{
	struct plan_memory *m = &t->e.mem;
	u32 frames = f->size.small + f->size.large;

	m->switches = calloc(f->size.switches, sizeof(*m->switches));
	m->ports = calloc(f->size.ports, sizeof(*m->ports));
	m->rx = calloc(f->size.ports, sizeof(*m->rx));
	m->nodes = calloc(f->size.switches + f->size.hosts, sizeof(*m->nodes));
	m->frames = calloc(frames, sizeof(*m->frames));
	m->voqs = calloc(f->size.voqs, sizeof(*m->voqs));
	m->routes = calloc(f->size.routes, sizeof(*m->routes));
	m->arrivals = calloc(f->size.arrivals, sizeof(*m->arrivals));
	m->stack[0] = calloc(frames, sizeof(u64));
	m->state = calloc(1, sizeof(*m->state));
	t->heads = calloc(frames, sizeof(*t->heads));
	t->hosts = calloc(f->size.hosts, sizeof(*t->hosts));
	t->e.hosts = calloc(f->size.hosts, sizeof(*t->e.hosts));
	return m->switches && m->ports && m->rx && m->nodes && m->frames && m->voqs && m->routes && m->arrivals &&
			m->stack[0] && m->state && t->heads && t->hosts && t->e.hosts
		? 0
		: -ENOMEM;
}

static int twin_hosts(struct twin *t, const struct plan *f)
{
	for (u32 i = 0; i < f->size.hosts; i++) {
		struct twin_host *h = &t->hosts[i];

		h->number = i;
		h->mask = f->ports[f->host_port[i]].arrq_mask;
		h->ring = calloc(h->mask + 1, sizeof(u32));
		h->io = (struct nic_io){
			.ctx = h, .peek = host_peek, .take = host_take, .check = host_check, .send = host_send
		};
		if (!h->ring)
			return -ENOMEM;
		h->nic = nic_new(&f->nics[i], &h->io);
		if (!h->nic)
			return -ENOMEM;
		t->e.mem.nodes[f->size.switches + i].next = nic_next(h->nic);
	}
	return 0;
}

struct engine *twin_new(const struct plan *f, int *rc, struct err *err)
{
	struct twin *t = calloc(1, sizeof(*t));

	*rc = -ENOMEM;
	if (t) {
		t->e.plan = f;
		t->e.ops = &twin_ops;
		*rc = twin_memory(t, f);
		if (!*rc) {
			plan_memory_init(f, &t->e.mem, true);
			run_on(t);
			*rc = twin_hosts(t, f);
		}
	}
	if (!*rc)
		return &t->e;
	err_set(err, -ENOMEM, "twin: out of memory");
	if (t)
		twin_destroy(&t->e);
	return NULL;
}
