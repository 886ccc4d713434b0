/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run's configuration means for its workload. */
#ifndef LOSSLAB_PLAN_WORKLOAD_H
#define LOSSLAB_PLAN_WORKLOAD_H

#include "lab/config/cfg.h"
#include "lab/workload/workload.h"

/* Bytes of a full message; message=flow: of the longest one that is whole packets. */
u32 plan_message(const struct run_cfg *c);
/* The specification for workload_make(). It points into @c, which must live as long. */
struct workload_spec plan_workload(const struct run_cfg *c);

#endif
