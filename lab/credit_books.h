/* SPDX-License-Identifier: GPL-2.0 */
/* fc=credit: the proof that no credit is missing at the end of a run. */
#ifndef LOSSLAB_CREDIT_BOOKS_H
#define LOSSLAB_CREDIT_BOOKS_H

#include "lab/engine.h"

/*
 * Every link into a switch that is up: what its buffer counts as held are the frames in it, it has promised no more
 * than it has free, and when nothing is on the link both ends agree on what has been sent and what may be. With all of
 * it free the sender has all but a step of it. 0, or -EPROTO with one line in err[ENGINE_ERR_MAX] that names the link.
 */
int credit_books_check(const struct fabric *f, const struct fabric_memory *m, const struct host_report *hosts,
		       char *err);

#endif
