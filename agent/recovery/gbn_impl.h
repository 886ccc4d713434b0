/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go-back-N's own parameters, for recovery_gbn.c and its tests. */
#ifndef LOSSLAB_GBN_IMPL_H
#define LOSSLAB_GBN_IMPL_H

#include "agent/recovery/recovery.h"

/* In recovery_params.own. */
struct gbn_params {
	bool backoff; /* halve a window on loss, grow it by a packet per round trip; it starts with bdp packets */
};

static inline const struct gbn_params *gbn_params(const struct recovery_params *p)
{
	return (const struct gbn_params *)p->own;
}

extern const struct recovery_ops recovery_gbn, recovery_irn_gbn;

#endif
