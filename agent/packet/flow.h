/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows and what becomes of them: what hosts are asked to do, and what they report. */
#ifndef LOSSLAB_FLOW_H
#define LOSSLAB_FLOW_H

#include <stdbool.h>

#include "bpf/types.h"

/*
 * How a flow's bytes travel. In all of them data goes from src to dst; of a READ, dst is the requester: it asks for
 * each message, and src's responses are the data.
 */
enum flow_op { FLOW_WRITE, FLOW_SEND, FLOW_READ };

/* One flow: a transfer of @bytes from host @src to host @dst that begins at @start_ps. */
struct flow {
	u32 id; /* 0..n-1, the row's place in the table */
	u32 src, dst;
	u16 op;    /* enum flow_op */
	u16 class; /* traffic class of its data, 0..7 */
	u64 bytes; /* >= 1 */
	u64 start_ps;
};

/* Why a queue pair stopped in error; the names of ibv_wc_status, shortened. */
enum qp_error {
	QP_OK,
	QP_RETRY,  /* retry_cnt exceeded: timeouts without progress */
	QP_RNR,    /* rnr_retry exceeded: the responder never had a receive posted */
	QP_ACCESS, /* remote access error: outside the region, or a wrong key */
	QP_ERRORS
};

/*
 * What the two hosts of a flow have to say of it. The receiver of the data writes done_ps and received_bytes; error and
 * requester_error are written at once, for the conductor: hosts must not look at each other's. The rest is written at
 * the end, by the sender of the data unless said otherwise.
 */
struct flow_result {
	u64 done_ps; /* arrival of the last missing byte at dst, or TIME_NEVER */
	u64 packets_sent, retransmitted, timeouts, nacks;
	u64 cnps;               /* notices of congestion that reached the sender: CNPs, or answers that carry a mark */
	u64 received_bytes;     /* in order, at dst, when the run ended */
	u64 rnr_naks;           /* that reached the sender */
	u32 error;              /* enum qp_error: why the sender of the data stopped */
	u32 requester_error;    /* ... why a READ's requester did */
	u64 requester_timeouts; /* a READ's requester: requests repeated after a while */
	bool acked;             /* the sender knows */
};

/* Why the flow stopped, if it did: the requester's word first. */
static inline u32 flow_error(const struct flow_result *r)
{
	return r->requester_error ? r->requester_error : r->error;
}

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
