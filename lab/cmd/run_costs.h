/* SPDX-License-Identifier: GPL-2.0-or-later */
/* losslab run --costs: what each transport costs a NIC in state, and the network in headers. */
#ifndef LOSSLAB_RUN_COSTS_H
#define LOSSLAB_RUN_COSTS_H

#include "lab/config/cfg.h"

/*
 * Print, of every transport, the bytes of a packet beyond its payload, as it is built, with the keys of @c; and its
 * state per queue pair, by the papers and here. 0 or -ENOMEM.
 */
int run_costs(const struct run_cfg *c, FILE *out);

#endif
