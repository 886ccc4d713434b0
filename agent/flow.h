/* SPDX-License-Identifier: GPL-2.0 */
/* Flows and what becomes of them: what hosts are asked to do, and what they report. */
#ifndef LOSSLAB_FLOW_H
#define LOSSLAB_FLOW_H

#include <stdbool.h>

#include "bpf/types.h"

/* One flow: a transfer of @bytes from host @src to host @dst that begins at @start_ps. */
struct flow {
	u32 id; /* 0..n-1, the row's place in the table */
	u32 src, dst;
	u32 pad;
	u64 bytes; /* >= 1 */
	u64 start_ps;
};

/* What the two hosts of a flow have to say of it. The receiver writes done_ps, the sender the rest. */
struct flow_result {
	u64 done_ps; /* arrival of the last missing byte at the receiver, or TIME_NEVER */
	u64 packets_sent, retransmitted, timeouts, nacks;
	bool acked; /* the sender knows */
};

/*
 * All flows of a run, by id, with where each stands in its source's and its destination's own tables:
 * connections are set up out of band, as by a connection manager.
 */
struct flow_table {
	const struct flow *flows;
	u32 n;
	u32 *src_index; /* of n entries */
	u32 *dst_index;
	struct flow_result *results;
};

#endif
