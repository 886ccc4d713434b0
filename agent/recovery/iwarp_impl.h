/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iWARP's own parameters, for recovery_iwarp.c and its tests. */
#ifndef LOSSLAB_IWARP_IMPL_H
#define LOSSLAB_IWARP_IMPL_H

#include "agent/recovery/recovery.h"

/* In recovery_params.own. */
struct iwarp_params {
	u32 init_window; /* first congestion window, segments (RFC 6928: 10) */
};

static inline const struct iwarp_params *iwarp_params(const struct recovery_params *p)
{
	return (const struct iwarp_params *)p->own;
}

extern const struct recovery_ops recovery_iwarp;

#endif
