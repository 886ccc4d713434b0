/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers that a run goes by, where config.txt may say "auto". */
#ifndef LOSSLAB_COMPUTED_H
#define LOSSLAB_COMPUTED_H

#include "lab/plan/plan.h"
#include "lab/records/records.h"

/*
 * Fill in r->computed from the plan: thresholds of PFC (the smallest xoff and the largest headroom of any port),
 * timers, and the parameters of loss recovery and congestion control as host 0 uses them.
 */
void computed_collect(const struct plan *f, struct run_result *r);

#endif
