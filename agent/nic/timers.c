// SPDX-License-Identifier: GPL-2.0-or-later
/* The heap of timers.h. */
#include "agent/nic/timers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int timers_init(struct timers *t, u32 room)
{
	t->n = 0;
	t->room = room;
	t->heap = calloc(room ? room : 1, sizeof(*t->heap));
	return t->heap ? 0 : -ENOMEM;
}

void timers_free(struct timers *t)
{
	free(t->heap);
	t->heap = NULL;
}

static bool before(const struct timer *a, const struct timer *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->who < b->who;
}

void timers_push(struct timers *t, u64 time, u64 rank, u32 who)
{
	struct timer item = { .time = time, .rank = rank, .who = who };
	u32 at = t->n++;

	while (at && before(&item, &t->heap[(at - 1) / 2])) {
		t->heap[at] = t->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	t->heap[at] = item;
}

struct timer timers_pop(struct timers *t)
{
	struct timer top = t->heap[0], item = t->heap[--t->n];
	u32 at = 0;

	for (;;) {
		u32 child = 2 * at + 1;

		if (child >= t->n)
			break;
		if (child + 1 < t->n && before(&t->heap[child + 1], &t->heap[child]))
			child++;
		if (!before(&t->heap[child], &item))
			break;
		t->heap[at] = t->heap[child];
		at = child;
	}
	if (t->n)
		t->heap[at] = item;
	return top;
}
