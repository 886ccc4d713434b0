/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of the system that a large lab meets. */
#ifndef LOSSLAB_LIMITS_H
#define LOSSLAB_LIMITS_H

#include "bpf/types.h"
#include "topo/err.h"

/*
 * Make sure that this process may have @need files open in all: raise the soft limit, and the hard one too where that
 * is allowed (root). 0, or -EMFILE and a line in err that says the number.
 */
int limit_open_files(u32 need, struct err *err);

#endif
