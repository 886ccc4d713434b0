// SPDX-License-Identifier: GPL-2.0-or-later
/* Tiers of links: how far they are from the hosts. */
#include "lab/plan/plan.h"

#include <stdlib.h>

/* The switch at the other end of port @p; ~0: a host. */
static u32 far_switch(const struct plan *f, const struct port_cfg *p)
{
	return p->peer & PEER_HOST ? ~0U : f->ports[p->peer].sw;
}

/* How many links switch @p->sw is from the nearest host, going by what its neighbour at port @p is. */
static u32 distance_by(const struct plan *f, const struct port_cfg *p, const u32 *distance)
{
	u32 far = far_switch(f, p);

	if (far == ~0U)
		return 1;
	return distance[far] == ~0U ? ~0U : distance[far] + 1;
}

int plan_tiers(const struct plan *f, u32 *tier)
{
	u32 *distance = malloc(f->size.switches * sizeof(*distance)); /* of switches, ~0: not known yet */
	bool changed = true;

	if (!distance)
		return -1;
	for (u32 s = 0; s < f->size.switches; s++)
		distance[s] = ~0U;
	while (changed) {
		changed = false;
		for (u32 n = 0; n < f->size.ports; n++) {
			const struct port_cfg *p = &f->ports[n];
			u32 d = distance_by(f, p, distance);

			if (d >= distance[p->sw])
				continue;
			distance[p->sw] = d;
			changed = true;
		}
	}
	for (u32 n = 0; n < f->size.ports; n++) {
		u32 far = far_switch(f, &f->ports[n]), near = distance[f->ports[n].sw];

		tier[n] = far == ~0U ? 0 : distance[far] < near ? distance[far] : near;
	}
	free(distance);
	return 0;
}
