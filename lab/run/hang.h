/* SPDX-License-Identifier: GPL-2.0 */
/* Runs that hang: what they wait for, in words. */
#ifndef LOSSLAB_HANG_H
#define LOSSLAB_HANG_H

#include "lab/records/records.h"
#include "lab/run/conductor.h"

/*
 * Name what a stuck run waits for: the cycle of a deadlock, in one line; unfinished flows and paused ports, one line
 * each, at most @most of either.
 */
void hang_explain(const struct conductor *c, const struct run_result *r, u32 most, FILE *out);

#endif
