/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loss recovery: one ops table per scheme, one file each, one row in recovery_table.c. A connection is
 * a requester (struct sqp) at the flow's source and a responder (struct rqp) at its destination.
 * Packets are counted from 0 within a flow; PSNs on the wire are psn0 + n modulo 2^24.
 */
#ifndef LOSSLAB_RECOVERY_H
#define LOSSLAB_RECOVERY_H

#include <stdbool.h>

#include "agent/bitmap.h"
#include "bpf/types.h"

#define NO_PACKET 0xffffffffU
#define RECOVERY_PRIVATE 6 /* 64-bit words of private state */

/* Fixed for the run. */
struct recovery_params {
	u32 cap;      /* BDP-FC: packets in flight, for schemes that have it */
	u64 rto_high; /* ps */
	u64 rto_low;
	u32 rto_n; /* rto_low while no more than this are in flight */
	bool timeouts;
};

/* The requester's half of a connection. */
struct sqp {
	const struct recovery_params *par;
	u32 n_packets;
	u32 next;             /* first packet never sent */
	u32 una;              /* first packet not acknowledged cumulatively */
	u64 armed;            /* when the retransmission timer was last started, or TIME_NEVER */
	u64 rto;              /* the time it was started with */
	struct bitmap sacked; /* for schemes that acknowledge selectively */
	u64 priv[RECOVERY_PRIVATE];
};

/* The responder's half. */
struct rqp {
	u32 n_packets;
	u32 expected; /* first packet not received: all below are */
	u32 received; /* different packets kept */
	u32 msn;      /* messages complete in order */
	bool nak_sent;
	struct bitmap got;  /* received ahead of expected */
	struct bitmap last; /* ... and the last of its message */
};

/* What came back from the responder. */
struct ack_event {
	u32 cum; /* all packets below are received */
	bool nack;
	u32 sack; /* with nack: the packet that triggered it (schemes with selective acknowledgement) */
};

/* A packet that arrived at the responder. */
struct data_event {
	u32 n;
	bool last; /* the last of its message */
	bool ack_req;
};

/* What the responder answers. */
struct reply {
	enum { REPLY_NONE, REPLY_ACK, REPLY_NAK } kind;
	u32 psn;    /* packet number for BTH.PSN */
	u32 sack;   /* packet number for AETH.MSN, if sacks; else the MSN goes there */
	bool fresh; /* a packet not seen before was kept */
};

struct recovery_ops {
	const char *name;
	bool sacks;           /* NAKs carry the triggering PSN in AETH.MSN (REFERENCE 1.6) */
	bool restart_on_send; /* the timer starts anew with each packet sent, else only if it is not running */
	/* Room for private state; window: the most packets between una and next. 0 or -1. */
	int (*open)(struct sqp *q, struct rqp *r);
	/* Is there anything this requester would send now? */
	bool (*wants)(const struct sqp *q);
	/* One opportunity to transmit: the packet's number, or NO_PACKET (wants() then says whether to ask again). */
	u32 (*transmit)(struct sqp *q);
	void (*acked)(struct sqp *q, const struct ack_event *a);
	/* The timer has run out: resend. False: it was no loss, wait rto_high in all. */
	bool (*timeout)(struct sqp *q);
	/* The time-out to start the timer with. */
	u64 (*rto)(const struct sqp *q);
	void (*receive)(struct rqp *r, const struct data_event *d, struct reply *reply);
};

extern const struct recovery_ops recovery_gbn;
extern const struct recovery_ops recovery_irn;

/* By the name of the transport ("roce", "irn"), or NULL. */
const struct recovery_ops *recovery_find(const char *transport);

#endif
