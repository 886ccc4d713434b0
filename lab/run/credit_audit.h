/* SPDX-License-Identifier: GPL-2.0 */
/* fc=credit: the proof that no credit is missing at the end of a run. */
#ifndef LOSSLAB_CREDIT_AUDIT_H
#define LOSSLAB_CREDIT_AUDIT_H

#include "lab/engine/engine.h"

/*
 * Every link into a switch that is up: what its buffer counts as held are the frames in it, it has promised no more
 * than it has free, and when nothing is on the link both ends agree on what has been sent and what may be. With all of
 * it free the sender has all but a step of it. 0, or -EPROTO with err filled in that names the link.
 */
int credit_audit_check(const struct plan *f, const struct plan_memory *m, const struct host_report *hosts,
		       struct err *err);

#endif
