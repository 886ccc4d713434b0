// SPDX-License-Identifier: GPL-2.0-or-later
/* The generator of ib_tables.h. */
#include "agent/cc/ib_tables.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Both AIMD's j and windows halve, rounded down: for j >= 2, floor(j / 2) + 1 <= j, which is property 1. (Rounded up it
 * would hold as well, but a mark would take less than half, and half is what is asked for.)
 */
static u32 halve(u32 j)
{
	return j > 1 ? j / 2 : 1;
}

/*
 * Unmarked packets before an increase at num/den packet times per packet, where the next slower level has @slower_rpi
 * at slower_num/slower_den: the least number with which the time spent here is no shorter than there (property 2),
 * k(x) = ceil(k(x+) * x+ / x), REFERENCE 5.4. All terms are exact: numbers of levels are at most 256, and with
 * windows num is 1 and the rest below 2^32.
 */
static u32 rpi_after(u32 slower_rpi, u32 slower_num, u32 slower_den, u32 num, u32 den)
{
	u64 time = (u64)slower_rpi * slower_num * den, unit = (u64)slower_den * num;

	return (time + unit - 1) / unit;
}

/* Level @i of t->n_levels, but for its rpi. */
static struct ib_level make_level(const struct ib_tables *t, enum ib_function f, u32 i)
{
	u32 last = t->n_levels - 1;
	struct ib_level l = { .num = i + 1, .den = 1, .increase = i ? i - 1 : 0, .decrease = i < last ? i + 1 : last };

	if (f == IB_AIMD) {
		l.num = t->n_levels;
		l.den = t->n_levels - i;
		l.decrease = t->n_levels - halve(l.den);
	} else if (f == IB_FIMD) {
		l.num = 1U << i;
	}
	return l;
}

static void make_levels(struct ib_tables *t, enum ib_function f, u32 slowest)
{
	t->n_levels = f == IB_FIMD ? (u32)__builtin_ctz(slowest) + 1 : slowest;
	for (u32 i = t->n_levels; i--;) {
		struct ib_level *l = &t->level[i];

		*l = make_level(t, f, i);
		/* the least rate: property 3 */
		l->rpi = i == t->n_levels - 1 ? 1 : rpi_after(l[1].rpi, l[1].num, l[1].den, l->num, l->den);
	}
}

/* A window of w is a rate of w packets per round trip, whatever that is: a packet every 1/w of it. */
static void make_windows(struct ib_tables *t)
{
	for (u32 w = 1; w <= t->window_max; w++) {
		t->window[w].increase = w < t->window_max ? w + 1 : w;
		t->window[w].decrease = halve(w);
		t->window[w].rpi = w == 1 ? 1 : rpi_after(t->window[w - 1].rpi, 1, w - 1, 1, w);
	}
}

int ib_tables_make(struct ib_tables *t, enum ib_function f, u32 slowest, u32 window_max)
{
	if (slowest < 2 || slowest > IB_LEVELS_MAX || (f == IB_FIMD && slowest & (slowest - 1)) || !window_max)
		return -EINVAL;
	t->window_max = window_max;
	t->window = calloc(window_max + 1ULL, sizeof(*t->window));
	if (!t->window)
		return -ENOMEM;
	make_levels(t, f, slowest);
	make_windows(t);
	return 0;
}

void ib_tables_free(struct ib_tables *t)
{
	free(t->window);
	t->window = NULL;
}
