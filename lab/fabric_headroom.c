// SPDX-License-Identifier: GPL-2.0
/* Whether PFC as configured can lose frames: xoff or headroom may be set to leave less than it takes. */
#include <stdio.h>

#include "lab/fabric_impl.h"

bool fabric_headroom_short(const struct fabric *f, char *line, size_t n)
{
	u64 have = 0, need = 0, worst = 0;
	char name[64] = "";
	u32 ports = 0;

	for (u32 i = 0; f->fab.pfc & f->classes && i < f->size.ports; i++) {
		const struct port_cfg *p = &f->ports[i];
		u64 room = f->cfg->shared ? p->headroom : f->cfg->buffer - p->xoff, wanted = fabric_headroom(f, p);

		if (room >= wanted)
			continue;
		ports++;
		if (wanted - room <= worst)
			continue;
		worst = wanted - room;
		have = room;
		need = wanted;
		fabric_port_name(f, i, name, sizeof(name));
	}
	if (ports)
		snprintf(line, n,
			 "%s %llu bytes of headroom at port %s, PFC needs %llu to lose nothing (%u of %u "
			 "ports are short)",
			 f->cfg->shared ? "headroom: gives" : "xoff: leaves", have, name, need, ports, f->size.ports);
	return ports;
}
