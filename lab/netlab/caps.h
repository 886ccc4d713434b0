/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The capabilities that losslab needs; it works as uid 0 in a container that grants only these. */
#ifndef LOSSLAB_CAPS_H
#define LOSSLAB_CAPS_H

#include <linux/capability.h>
#include <stddef.h>

#include "bpf/types.h"
#include "topo/err.h"

#define CAPS_LAB (1ULL << CAP_SYS_ADMIN | 1ULL << CAP_NET_ADMIN)     /* up, down, exec */
#define CAPS_RUN (CAPS_LAB | 1ULL << CAP_BPF | 1ULL << CAP_NET_RAW)  /* a run of the kernel engine */
#define CAPS_EXTRA (1ULL << CAP_SYS_RESOURCE | 1ULL << CAP_SYS_NICE) /* helpful: raise limits, set priorities */

/* Those of @need that this process lacks, as "CAP_BPF, CAP_NET_RAW" in @text. Returns them; 0 if it has all. */
u64 caps_missing(u64 need, char *text, size_t size);
/* 0, or -EPERM with a line in err: not uid 0, or which of @need is missing. @else_do: what else one can do, or "". */
int caps_check(u64 need, const char *else_do, struct err *err);
/* Give up all capabilities for good, also across exec() of a program as uid 0. 0 or -errno. */
int caps_drop(void);

#endif
