/* SPDX-License-Identifier: GPL-2.0 */
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

#include "bpf/types.h"

#define CC_PRIVATE 20 /* 64-bit words of private state */

struct dcqcn_params {
	u64 cnp_interval; /* ps: a receiver sends at most one CNP per flow in this time */
	u32 g;            /* alpha's weight is 1/g */
	u64 alpha_timer;  /* ps */
	u64 rate_timer;   /* ps: an increase event each */
	u64 byte_counter; /* bytes: an increase event each; 0 = none */
	u32 f;            /* events of fast recovery */
	u64 rai, rhai;    /* bits/s */
	u64 rmin;         /* bits/s */
	u64 cut_timer;    /* ConnectX form: ps between looks at whether a CNP has come; 0 = the paper's form */
};

struct timely_params {
	u64 t_low, t_high; /* ps */
	u64 min_rtt;       /* ps, divides the gradient */
	u64 delta;         /* bits/s */
	u32 beta_ppm;      /* of the cut, x 1e-6 */
	u32 alpha_ppm;     /* weight of the new difference, x 1e-6 */
	u32 hai;           /* negative gradients in a row before steps of 5 delta */
	u32 segment;       /* packets of which one round trip is measured */
	u64 rmin;          /* bits/s */
	bool patched;
};

/* InfiniBand: the tables of one response function (agent/cc/ib_tables.h). */
struct ib_tables;

/* Fixed for the run, per host. */
struct cc_params {
	u64 line;        /* bits/s of the host's link */
	u32 ps_per_byte; /* the same */
	u32 window_max;  /* packets that fill the longest path */
	struct dcqcn_params dcqcn;
	struct timely_params timely;
	const struct ib_tables *ib;
};

struct cc {
	const struct cc_params *par;
	void *mem;      /* what open() has allocated, freed by the NIC with free() */
	bool no_window; /* the window does not apply (READ responses: rate and general state only) */
	u64 priv[CC_PRIVATE];
};

/* What delayed a packet's transmission last. */
enum cc_limit { CC_OTHER, CC_RATE, CC_WINDOW };

/* A packet leaves. */
struct cc_sent {
	u64 now;  /* its transmission starts */
	u32 n;    /* packet number within the flow */
	u32 wire; /* bytes of time on the wire: frame + preamble + FCS + gap */
	bool fresh;
	u32 next; /* first packet never sent, this one already counted */
	enum cc_limit limit;
};

/* An answer arrives. */
struct cc_ack {
	u64 now;
	u32 cum;     /* packets below are received */
	u32 newly;   /* packets that this answer acknowledged cumulatively for the first time */
	u32 n;       /* the packet whose arrival it tells: cum - 1, or the one acknowledged selectively */
	bool nack;   /* it tells of a loss */
	bool marked; /* it carries a congestion mark */
	u32 next;    /* first packet never sent */
};

struct cc_ops {
	const char *name;
	bool cnp;  /* receivers send CNPs: at most one per flow and cnp_interval */
	bool echo; /* receivers copy the mark into the answer, and answer a marked packet at once; where there is no
		      ACK (READ responses of RC), a CN packet says which packet was marked */
	bool needs_acks; /* answers drive it: refuse settings that give (almost) none */
	/* Start, at line rate. 0 or -1 without memory. */
	int (*open)(struct cc *c);
	/* Returns the time before which the next packet of this connection may not leave; <= s->now: no constraint. */
	u64 (*sent)(struct cc *c, const struct cc_sent *s);
	/* May be NULL. */
	void (*acked)(struct cc *c, const struct cc_ack *a);
	/* A CNP; or a CN packet that says that packet @n was marked. @next as in struct cc_ack. May be NULL. */
	void (*notified)(struct cc *c, u64 now, u32 n, u32 next);
	/* Most packets in flight, >= 1; NULL: no limit. */
	u32 (*window)(const struct cc *c);
	/* The rate in bits/s as of @now, for records and tests. */
	u64 (*rate)(struct cc *c, u64 now);
};

extern const struct cc_ops cc_dcqcn;
extern const struct cc_ops cc_dcqcn_connectx;
extern const struct cc_ops cc_timely; /* and the patched form, by its parameters */
extern const struct cc_ops cc_ib;     /* all of ib-*, by their tables */

/* By name: "dcqcn", "dcqcn-connectx", "timely", "timely-patched", "ib-aimd", "ib-lipd", "ib-fimd"; NULL for "none" and
 * unknown ones. */
const struct cc_ops *cc_find(const char *name);

/* Time between the starts of two packets of @wire bytes at @rate bits/s: ps, rounded up. */
static inline u64 cc_gap(u32 wire, u64 rate)
{
	return ((u64)wire * 8000000000000ULL + rate - 1) / rate;
}

#endif
