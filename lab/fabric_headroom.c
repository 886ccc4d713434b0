// SPDX-License-Identifier: GPL-2.0
/* Whether PFC as configured can lose frames: xoff may be set to leave less than the headroom. */
#include <stdio.h>

#include "bpf/pfc.h"
#include "lab/fabric.h"

bool fabric_headroom_short(const struct fabric *f, char *line, size_t n)
{
	u64 have = 0, need = 0, worst = 0;
	char name[64] = "";
	u32 ports = 0;

	for (u32 i = 0; f->fab.pfc & f->classes && i < f->size.ports; i++) {
		const struct port_cfg *p = &f->ports[i];
		u64 above = f->cfg->buffer - p->xoff, wanted = pfc_headroom(p->ps_per_byte, p->delay, f->frame_max);

		if (above >= wanted)
			continue;
		ports++;
		if (wanted - above <= worst)
			continue;
		worst = wanted - above;
		have = above;
		need = wanted;
		fabric_port_name(f, i, name, sizeof(name));
	}
	if (ports)
		snprintf(line, n,
			 "xoff: leaves %llu bytes of headroom at port %s, PFC needs %llu to lose nothing (%u of %u "
			 "ports are short)",
			 have, name, need, ports, f->size.ports);
	return ports;
}
