/* SPDX-License-Identifier: GPL-2.0 */
/* The switch ports of a lab while a run is on, seen from outside. */
#ifndef LOSSLAB_PORTS_LIVE_H
#define LOSSLAB_PORTS_LIVE_H

#include "topo/err.h"

#include <stdio.h>

/*
 * The counters of lab @name's switch ports as of now, as the text of a ports.csv (lab/records/RECORDS.md) without
 * hosts, to be read from *csv and closed. They are looked at while the run goes on: ports may differ by a window. 0, or
 * -errno and err filled in: -ENOENT if no run is on.
 */
int ports_live(const char *name, FILE **csv, struct err *err);

#endif
