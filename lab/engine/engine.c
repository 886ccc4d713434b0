// SPDX-License-Identifier: GPL-2.0-or-later
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
		return err_set(&e->err, -ETIME, "fabric: port %s: a frame is stamped earlier than its switch's clock",
			       name);
	case FAB_NO_SLOT:
		return err_set(&e->err, -ENOBUFS,
			       "fabric: out of frame slots (%u small, %u large): use smaller buffers or a larger mtu",
			       e->plan->size.small, e->plan->size.large);
	case FAB_LIST_FULL:
		return err_set(&e->err, -ENOBUFS, "fabric: emission list full (%u): a bug, please report the scenario",
			       e->plan->size.emissions);
	case FAB_CREDITS:
		return err_set(&e->err, -EPROTO,
			       "fabric: port %s: credits and what has come disagree: a bug, please report the scenario",
			       name);
	default:
		return err_set(&e->err, -EFAULT, "fabric: port %s: internal error: a bug, please report the scenario",
			       name);
	}
}
