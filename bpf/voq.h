/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queues of a switch: one per output, input and class (virtual output queues), or with queues=fifo one per input
 * and class, whose first frame holds up those behind it. An output sees only which inputs have a frame for it to take.
 */
#ifndef LOSSLAB_VOQ_H
#define LOSSLAB_VOQ_H

#include "bpf/abi.h"
#include "bpf/port.h"

static inline u32 voq_index(const struct sw *s, u32 out, u32 in, u32 class)
{
	return voq_input(s, fab_cfg()->fifo, out, in, class);
}

/* Put frame @id at the end of queue @n: 1 if it is the only one there, 0 if it is not, -1 on error. */
static inline int voq_push(u32 n, u32 id, struct frame *f)
{
	struct voq *q = fab_voq(n);
	struct frame *last;
	int first;

	if (!q)
		return -1;
	f->next = FAB_NONE;
	first = q->head == FAB_NONE;
	if (first) {
		q->head = id;
	} else {
		last = fab_frame(q->tail);
		if (!last)
			return -1;
		last->next = id;
	}
	q->tail = id;
	return first;
}

/* Take the first frame out of queue @q. NULL on error, and if there is none. */
static inline struct frame *voq_pop(struct voq *q, u32 *id)
{
	struct frame *f;

	*id = q ? q->head : FAB_NONE;
	f = fab_frame(*id);
	if (q && f)
		q->head = f->next;
	return f;
}

#endif
