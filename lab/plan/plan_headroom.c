// SPDX-License-Identifier: GPL-2.0
/* Whether PFC as configured can lose frames: xoff or headroom may be set to leave less than it takes. */
#include <stdio.h>

#include "bpf/pfc.h"
#include "lab/plan/plan_impl.h"

bool plan_headroom_short(const struct plan *f, char *line, size_t n)
{
	u64 have = 0, need = 0, worst = 0;
	char name[64] = "";
	u32 ports = 0;

	for (u32 i = 0; f->fab.pfc & f->classes && i < f->size.ports; i++) {
		const struct port_cfg *p = &f->ports[i];
		u64 room = f->cfg->shared ? p->headroom : f->cfg->buffer - p->xoff, wanted = plan_headroom(f, p);

		if (room >= wanted)
			continue;
		ports++;
		if (wanted - room <= worst)
			continue;
		worst = wanted - room;
		have = room;
		need = wanted;
		plan_port_name(f, i, name, sizeof(name));
	}
	if (ports)
		snprintf(line, n,
			 "%s %llu bytes of headroom at port %s, PFC needs %llu to lose nothing (%u of %u "
			 "ports are short)",
			 f->cfg->shared ? "headroom: gives" : "xoff: leaves", have, name, need, ports, f->size.ports);
	return ports;
}

/* By links: ports are planned one after the other, and the first that is short need not be the worst. */
u64 plan_headroom_most(const struct plan *f, char *name, size_t n)
{
	const struct run_cfg *c = f->cfg;
	u64 most = 0;

	for (u32 i = 0; i < f->topo->n_links; i++) {
		const struct topo_link *l = &f->topo->links[i];
		u64 need = pfc_headroom(c->rate_ps ? c->rate_ps : l->ps_per_byte,
					c->delay_ps ? c->delay_ps : l->delay_ps, f->frame_max);
		u32 end = f->topo->nodes[l->node[0]].kind != TOPO_SWITCH;

		if (need <= most)
			continue;
		most = need;
		snprintf(name, n, "%s:p%u", f->topo->nodes[l->node[end]].name, l->port[end]);
	}
	return most;
}
