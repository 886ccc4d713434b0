// SPDX-License-Identifier: GPL-2.0
/* What both engines share: the fabric's errors in words. */
#include "lab/engine/engine.h"

#include <errno.h>

int engine_state_error(struct engine *e)
{
	const struct fab_state *st = e->mem.state;
	char name[64];

	plan_port_name(e->plan, st->error_port < e->plan->size.ports ? st->error_port : 0, name, sizeof(name));
	switch (st->error) {
	case FAB_OK:
		return 0;
	case FAB_LATE:
		snprintf(e->err, sizeof(e->err), "fabric: port %s: a frame is stamped earlier than its switch's clock",
			 name);
		return -ETIME;
	case FAB_NO_SLOT:
		snprintf(e->err, sizeof(e->err),
			 "fabric: out of frame slots (%u small, %u large): use smaller buffers or a larger mtu",
			 e->plan->size.small, e->plan->size.large);
		return -ENOBUFS;
	case FAB_LIST_FULL:
		snprintf(e->err, sizeof(e->err), "fabric: emission list full (%u): a bug, please report the scenario",
			 e->plan->size.emissions);
		return -ENOBUFS;
	case FAB_CREDITS:
		snprintf(e->err, sizeof(e->err),
			 "fabric: port %s: credits and what has come disagree: a bug, please report the scenario",
			 name);
		return -EPROTO;
	default:
		snprintf(e->err, sizeof(e->err), "fabric: port %s: internal error: a bug, please report the scenario",
			 name);
		return -EFAULT;
	}
}
