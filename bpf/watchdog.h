/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PFC watchdog, modelled on SONiC's with the action "drop" (sonic-net/SONiC wiki, PFC-Watchdog-Design). An output
 * that has frames of a class and has been paused for it throughout the detection time stops the class: it drops those
 * frames and all that follow, and ignores PAUSE. Once the restoration time has passed since the last PAUSE ran out, the
 * class works again. SONiC polls counters; here the times are exact.
 */
#ifndef LOSSLAB_WATCHDOG_H
#define LOSSLAB_WATCHDOG_H

#include "bpf/abi.h"
#include "bpf/pfc.h"

/* Forget all pauses and stop no class: the link is down. The count of hits stays. */
static inline void watchdog_reset(struct watchdog *dog)
{
	dog->next = dog->stopped = 0;
	for (u32 c = 0; c < FAB_CLASSES; c++)
		dog->since[c] = dog->end[c] = 0;
}

/* The time of the next check of @class, 0: none. */
static inline u64 watchdog_due(const struct watchdog *dog, u32 class, u64 detect, u64 restore)
{
	if (dog->stopped >> class & 1)
		return dog->end[class] + restore;
	return dog->since[class] ? dog->since[class] + detect : 0;
}

static inline void watchdog_plan(struct watchdog *dog, u64 detect, u64 restore)
{
	dog->next = 0;
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		u64 due = watchdog_due(dog, c, detect, restore);

		if (due && (!dog->next || due < dog->next))
			dog->next = due;
	}
}

/*
 * A PFC frame for @class has arrived that asks for a pause of @lasts (0: resume). Call it before pause_receive(), and
 * watchdog_plan() after the last class. True: ignore the frame.
 */
static inline int watchdog_hear(struct watchdog *dog, const struct pause_state *pause, u32 class, u64 lasts, u64 now)
{
	if (dog->stopped >> class & 1) {
		dog->end[class] = now + lasts;
		return 1;
	}
	if (!lasts)
		dog->since[class] = 0;
	else if (!dog->since[class] || pause->until[class] <= now)
		dog->since[class] = now; /* a pause that had run out does not count */
	return 0;
}

/* Run the checks that are due at @now. @busy: classes that have frames. Updates dog->stopped. */
static inline void watchdog_look(struct watchdog *dog, struct pause_state *pause, u8 busy, u64 detect, u64 restore,
				 u64 now)
{
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		u64 due = watchdog_due(dog, c, detect, restore);

		if (!due || due > now)
			continue;
		dog->since[c] = 0;
		if (dog->stopped >> c & 1) {
			dog->stopped &= ~(1 << c);
		} else if (pause->until[c] <= now) {
			continue; /* it ran out */
		} else if (busy >> c & 1) {
			dog->stopped |= 1 << c;
			dog->end[c] = pause->until[c];
			dog->hits++;
			pause_account(pause, c, now);
			pause->until[c] = now;
		} else {
			dog->since[c] = now; /* nothing waits: start over */
		}
	}
	watchdog_plan(dog, detect, restore);
}

#endif
