// SPDX-License-Identifier: GPL-2.0-or-later
/* Delays and deadlines for tests. */
#include "lab/engine/chaos.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bpf/hash.h"

static struct {
	bool read;
	long delay;    /* us, at most; 0: none */
	long deadline; /* ms; 0: as usual */
} chaos;

static void read_environment(void)
{
	const char *env = getenv("LOSSLAB_CHAOS");
	char *end;

	chaos.read = true;
	if (!env)
		return;
	chaos.delay = strtol(env, &end, 10);
	if (*end == ',')
		chaos.deadline = strtol(end + 1, NULL, 10);
}

void chaos_delay(u32 who)
{
	struct timespec t;
	u64 draw;

	if (!chaos.read)
		read_environment();
	if (chaos.delay <= 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t); /* the wall clock is the point here: no two runs are delayed alike */
	draw = mix64((u64)t.tv_nsec << 32 ^ who);
	if (draw % 8 == 0)
		usleep(draw / 8 % chaos.delay);
}

u32 chaos_deadline(u32 ms)
{
	if (!chaos.read)
		read_environment();
	return chaos.deadline > 0 ? (u32)chaos.deadline : ms;
}
