/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests: random wall-clock delays in the conductor and the agents. LOSSLAB_CHAOS=MICROSECONDS in the
 * environment; whatever they are, results must not change.
 */
#ifndef LOSSLAB_CHAOS_H
#define LOSSLAB_CHAOS_H

#include "bpf/types.h"

/* Perhaps sleep a while; @who tells the places apart. Does nothing unless asked for in the environment. */
void chaos_delay(u32 who);

#endif
