/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of the switch ports of a running lab, read from another process. */
#ifndef LOSSLAB_PORTS_LIVE_H
#define LOSSLAB_PORTS_LIVE_H

#include "topo/err.h"

#include <stdio.h>

/*
 * The counters of lab @name's switch ports as of now, as a ports.csv (lab/records/RECORDS.md) without hosts: read *csv
 * and close it. The run goes on meanwhile, so ports may differ by a window. 0, or -errno and err filled in: -ENOENT if
 * the lab has no current run.
 */
int ports_live(const char *name, FILE **csv, struct err *err);

#endif
