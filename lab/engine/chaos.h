/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: LOSSLAB_CHAOS=MICROSECONDS[,DEADLINE_MS] in the environment. Random delays of wall time up to the first
 * number in the conductor and the agents; whatever they are, results must not change. The second number replaces the
 * deadlines of what should happen at once, so that a test need not wait for them.
 */
#ifndef LOSSLAB_CHAOS_H
#define LOSSLAB_CHAOS_H

#include "bpf/types.h"

/* Perhaps sleep a while; @who tells the places apart. Does nothing unless asked for in the environment. */
void chaos_delay(u32 who);
/* A deadline of @ms milliseconds, or what the environment says instead. */
u32 chaos_deadline(u32 ms);

#endif
