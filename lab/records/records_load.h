/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was offered, and how busy the links were. */
#ifndef LOSSLAB_RECORDS_LOAD_H
#define LOSSLAB_RECORDS_LOAD_H

#include "lab/records/records.h"

#define TIERS_MAX 64u /* more than a route has links */

/* One tier of links, both directions of each a port. */
struct tier_use {
	u32 ports;
	u64 mean_ppm;    /* wire time of what its ports sent, over the ports and the time */
	u64 busiest_ppm; /* the same of the port that sent most */
};

/* How busy the links were. */
struct link_use {
	u64 over_ps; /* the time: duration=, or until the last flow started; 0: nothing is known of it */
	u32 n;       /* tiers, 0 (links of hosts) to n-1 */
	struct tier_use tier[TIERS_MAX];
};

/* The load that a run was to have, in ppb: load=, or background= of an incast; 0: its workload has none. */
u32 records_load_ppb(const struct run_cfg *c);
/*
 * Of all that ports sent until the run's end, ACKs, retransmissions, PFC and credit frames included, with FCS, preamble
 * and gap.
 */
void records_link_use(const struct run_result *r, struct link_use *u);

#endif
