// SPDX-License-Identifier: GPL-2.0
/* Delays on purpose. */
#include "lab/engine/chaos.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bpf/hash.h"

void chaos_delay(u32 who)
{
	static long most = -1;
	struct timespec t;
	u64 draw;

	if (most < 0) {
		const char *env = getenv("LOSSLAB_CHAOS");

		most = env ? strtol(env, NULL, 10) : 0;
	}
	if (most <= 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t); /* the wall clock is the point here: no two runs are delayed alike */
	draw = mix64((u64)t.tv_nsec << 32 ^ who);
	if (draw % 8 == 0)
		usleep(draw / 8 % most);
}
