/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conservation at the end of a run: no frame is missing, and with fc=credit no credit either. */
#ifndef LOSSLAB_AUDIT_H
#define LOSSLAB_AUDIT_H

#include "lab/engine/engine.h"
#include "lab/records/records.h"

/*
 * Check sent = delivered + dropped + queued on every link, in every switch and in total, and fill in these counters of
 * @r (zeroed before). 0, or -EPROTO with err naming the link or switch.
 */
int audit_frames(const struct plan *f, const struct plan_memory *m, const struct host_report *hosts,
		 struct run_result *r, struct err *err);

/*
 * fc=credit, for every link into a switch that is up: the blocks its buffer counts as held are those of the frames in
 * it; it has advertised no more than it has free; and when nothing is on the link, both ends agree on what has been
 * sent and what may be. If all of the buffer is free, the sender has all credits but less than one update's worth. 0,
 * or -EPROTO with err naming the link.
 */
int audit_credits(const struct plan *f, const struct plan_memory *m, const struct host_report *hosts, struct err *err);

#endif
