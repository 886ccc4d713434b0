/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Congestion control: one ops table per algorithm, one file each, one row in cc_table.c; orthogonal to loss
 * recovery. State is per connection, at the sender of the data. Rates are whole bits per second, times ps; no
 * floating point. Nothing here has a timer: what happens at times is caught up with when it matters, at the next
 * packet or notice, so an algorithm is a function of the sequence of calls alone. When a packet has left, the time of
 * the next one stands: a rate that rises in between counts from there on.
 */
#ifndef LOSSLAB_CC_H
#define LOSSLAB_CC_H

#include <stdbool.h>

#include "agent/alg/param.h"
#include "bpf/abi.h"

#define CC_PRIVATE 20 /* 64-bit words of private state */

#define CC_PARAMS 16 /* ... of an algorithm's own parameters */

/* Fixed for the run, per host. */
struct cc_params {
	u64 line;                  /* bits/s of the host's link */
	u32 ps_per_byte;           /* the same */
	u32 window_max;            /* packets that fill the longest path */
	u64 cnp_interval;          /* ps, ops with cnp: a receiver sends at most one CNP per flow in this time */
	param_word own[CC_PARAMS]; /* the algorithm's own struct, as its table and resolve() have left it */
};

struct cc {
	const struct cc_params *par;
	void *mem;      /* what open() has allocated, freed by the NIC with free() */
	bool no_window; /* HP's proposal: the window does not apply (READ responses: rate and general state only) */
	u64 priv[CC_PRIVATE];
};

/* What delayed a packet's transmission last. */
enum cc_limit { CC_OTHER, CC_RATE, CC_WINDOW };

/* A packet leaves. */
struct cc_sent {
	u64 now;     /* its transmission starts */
	u32 n;       /* packet number within the flow */
	u32 wire;    /* bytes of time on the wire: frame + preamble + FCS + gap */
	bool is_new; /* it has never been sent before */
	u32 next;    /* first packet never sent, this one already counted */
	enum cc_limit limit;
};

/* An ACK or a NAK arrives. */
struct cc_ack {
	u64 now;
	u32 cum;       /* packets below are received */
	u32 newly;     /* packets that it acknowledges cumulatively for the first time */
	u32 n;         /* the packet whose arrival it reports: cum - 1, or the one acknowledged selectively */
	bool nack;     /* it reports a loss */
	bool marked;   /* it carries a congestion mark */
	u32 next;      /* first packet never sent */
	u32 send_next; /* the packet to send next in order: less than next after loss recovery has gone back */
};

/*
 * A congestion control: its code, its parameters, and what depends on it elsewhere. All functions but open(), sent()
 * and rate() may be NULL.
 */
struct cc_ops {
	const char *name; /* the word of cc= */
	const char *what; /* one line, for `losslab run --list cc` */
	struct param_table params;
	/* It goes by marks if it has cnp or echo. */
	bool cnp;   /* receivers send CNPs: at most one per flow and cnp_interval, which its table must set */
	bool echo;  /* receivers copy the mark into the ACK, and acknowledge a marked packet at once; where there is no
		       ACK (READ responses of RC), a CN packet says which packet was marked */
	u8 marking; /* who goes by marks: the kind of marking (enum fab_ecn) that ecn=auto is */
	bool credits;          /* fc=auto is credit, whatever the transport */
	bool needs_acks;       /* ACKs drive it: ack_every=message is refused */
	const char *ack_limit; /* the key that ack_every may not exceed; NULL: none */
	/* Replace what is "auto" (0) by numbers, from line and window_max. NULL: nothing is. */
	void (*resolve)(struct cc_params *p);
	/* Start, at line rate. 0 or -1 without memory. */
	int (*open)(struct cc *c);
	/* Returns the time before which the next packet of this connection may not leave; <= s->now: no constraint. */
	u64 (*sent)(struct cc *c, const struct cc_sent *s);
	void (*acked)(struct cc *c, const struct cc_ack *a);
	/* A CNP; or a CN packet that says that packet @n was marked. @send_next as in struct cc_ack. */
	void (*notified)(struct cc *c, u64 now, u32 n, u32 send_next);
	/* Loss recovery wants it to back off (backoff=on): its own decrease, as though told of congestion once. NULL:
	 * loss recovery has a window of its own for that. @send_next as in struct cc_ack. */
	void (*lost)(struct cc *c, u64 now, u32 send_next);
	/* The retransmission timer has run out; packets below @cum are received, @next is the first never sent. */
	void (*timeout)(struct cc *c, u32 cum, u32 next);
	/* Most packets in flight, >= 1; NULL: no limit. */
	u32 (*window)(const struct cc *c);
	/* The rate in bits/s as of @now, for records and tests. */
	u64 (*rate)(struct cc *c, u64 now);
};

/* Number @i in the order of the table in cc_table.c, or NULL beyond the last. */
const struct cc_ops *cc_at(u32 i);
/* By name; NULL for "none" and unknown ones. */
const struct cc_ops *cc_find(const char *name);

static inline bool cc_needs_marks(const struct cc_ops *ops)
{
	return ops && (ops->cnp || ops->echo);
}

/* Time between the starts of two packets of @wire bytes at @rate bits/s: ps, rounded up. */
static inline u64 cc_gap(u32 wire, u64 rate)
{
	return ((u64)wire * 8000000000000ULL + rate - 1) / rate;
}

#endif
