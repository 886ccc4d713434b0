// SPDX-License-Identifier: GPL-2.0-or-later
/* The first state of a run, written into an engine's memory. */
#include "lab/plan/plan.h"

#include <string.h>

#include "bpf/pfc.h"

static void init_switch(const struct plan *f, struct plan_memory *m, u32 s, u32 *voq)
{
	const struct topo_node *n = &f->topo->nodes[f->topo->switches[s]];
	struct sw *sw = &m->switches[s];

	sw->port_base = f->port_base[s];
	sw->n_ports = n->n_ports;
	sw->voq_base = *voq;
	sw->seed = plan_switch_seed(f, s);
	if (f->cfg->shared)
		sw->pool.size = f->cfg->buffer - plan_own_memory(f, s);
	sw->best = KEY_NEVER;
	sw->slot_key = KEY_NEVER;
	sw->ps_per_byte = plan_fastest(f, s);
	for (u32 i = 0; i < FAB_PORTS; i++)
		sw->key[i] = KEY_NEVER;
	*voq += plan_voqs(n->n_ports);
}

static void init_port(struct port *p, const struct port_cfg *cfg, u32 credits)
{
	p->cfg = *cfg;
	p->arr_key = KEY_NEVER;
	pause_init(&p->pause);
	for (u32 c = 0; c < FAB_CLASSES; c++)
		p->refresh[c] = TIME_NEVER;
	for (u32 c = 0; c < FAB_CLASSES; c++)
		p->credit_tx.limit[c] = p->credit_rx.advertised[c] = credits;
}

/* Hand out the free slots: each port's share first, the rest on the stack. */
static void init_slots(const struct plan *f, struct plan_memory *m)
{
	u32 next[2] = { 0, f->size.small }, end[2] = { f->size.small, f->size.small + f->size.large };

	for (u32 i = 0; i < f->size.ports; i++) {
		for (u32 kind = 0; kind < 2; kind++) {
			const struct port_cfg *c = &f->ports[i];

			for (u32 k = 0; k < c->free_size[kind]; k++)
				m->free_ring[kind][c->arrq_base + k] = next[kind]++;
			m->ports[i].free_tail[kind] = c->free_size[kind];
		}
	}
	for (u32 kind = 0; kind < 2; kind++)
		while (next[kind] < end[kind])
			m->stack[kind][m->state->free_top[kind]++] = next[kind]++;
}

void plan_memory_init(const struct plan *f, struct plan_memory *m, bool one_pool)
{
	u32 voq = 0, nodes = f->size.switches + f->size.hosts;

	for (u32 s = 0; s < f->size.switches; s++)
		init_switch(f, m, s, &voq);
	for (u32 i = 0; i < f->size.ports; i++)
		init_port(&m->ports[i], &f->ports[i], f->fab.credits);
	for (u32 i = 0; i < f->size.voqs; i++)
		m->voqs[i] = (struct voq){ FAB_NONE, FAB_NONE };
	for (u32 i = 0; i < nodes; i++)
		m->nodes[i] = (struct node_cell){ TIME_NEVER, TIME_NEVER, 0 };
	memcpy(m->routes, f->routes.mask, f->size.routes * sizeof(u64));
	memset(m->state, 0, sizeof(*m->state));
	if (!one_pool) {
		init_slots(f, m);
		return;
	}
	for (u32 i = 0; i < f->size.small + f->size.large; i++)
		m->stack[0][m->state->free_top[0]++] = i;
}

int plan_refill(const struct plan *f, struct plan_memory *m, u32 number)
{
	const struct port_cfg *c = &f->ports[number]; /* not the port's own copy, which others can write to */
	const u32 slots[2] = { f->size.small, f->size.large };
	struct port *p = &m->ports[number];

	for (u32 kind = 0; kind < 2; kind++) {
		u32 taken = c->free_size[kind] - (p->free_tail[kind] - m->rx[number].free_head[kind]);
		u32 top = m->state->free_top[kind];

		if (taken > top || top > slots[kind]) {
			m->state->error = FAB_NO_SLOT;
			m->state->error_port = number;
			return -1;
		}
		m->state->free_top[kind] = top - taken;
		while (taken--)
			m->free_ring[kind][c->arrq_base + (p->free_tail[kind]++ & c->arrq_mask)] =
				m->stack[kind][--top];
	}
	return 0;
}
