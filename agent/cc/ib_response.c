// SPDX-License-Identifier: GPL-2.0-or-later
/* The response functions of ib_response.h. */
#include "agent/cc/ib_response.h"

#define ONE (1ULL << IB_FRACTION)

/*
 * Both AIMD's j and windows halve, rounded down: for j >= 2, floor(j / 2) + 1 <= j, which is property 1. (Rounded up it
 * would hold as well, but a mark would take less than half, and half is what is asked for.)
 */
static u64 halve(u64 j)
{
	return j > 1 ? j / 2 : 1;
}

static u64 at_most(u64 a, u64 most)
{
	return a < most ? a : most;
}

u64 ib_rate_line(const struct ib_params *p)
{
	switch (p->function) {
	case IB_AIMD:
		return p->levels;
	case IB_LIPD:
		return ONE;
	default:
		return 0;
	}
}

/* LIPD: f_inc(r) = r / (1 - 1/X), so x becomes x (1 - 1/X); what is taken is rounded down, so x loses nothing. */
u64 ib_rate_increase(const struct ib_params *p, u64 at)
{
	switch (p->function) {
	case IB_AIMD:
		return at_most(at + 1, p->levels);
	case IB_LIPD:
		at -= at / p->levels;
		return at > ONE ? at : ONE;
	default:
		return at ? at - 1 : 0;
	}
}

u64 ib_rate_decrease(const struct ib_params *p, u64 at)
{
	switch (p->function) {
	case IB_AIMD:
		return halve(at);
	case IB_LIPD:
		return at_most(at + ONE, (u64)p->levels << IB_FRACTION);
	default:
		return at_most(at + 1, (u32)__builtin_ctz(p->levels));
	}
}

u32 ib_rate_rpi(const struct ib_params *p, u64 at)
{
	return p->function == IB_FIMD ? p->levels >> at : 1;
}

struct ib_delay ib_rate_delay(const struct ib_params *p, u64 at)
{
	switch (p->function) {
	case IB_AIMD:
		return (struct ib_delay){ p->levels, at };
	case IB_LIPD:
		return (struct ib_delay){ at, ONE };
	default:
		return (struct ib_delay){ 1ULL << at, 1 };
	}
}

u32 ib_window_increase(u32 w, u32 most)
{
	return (u32)at_most(w + 1ULL, most);
}

u32 ib_window_decrease(u32 w)
{
	return (u32)halve(w);
}
