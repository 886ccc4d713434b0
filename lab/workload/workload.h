/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows: read from a file, or generated from a seed with integer arithmetic only. */
#ifndef LOSSLAB_WORKLOAD_H
#define LOSSLAB_WORKLOAD_H

#include <stdio.h>

#include "agent/packet/flow.h"
#include "topo/err.h"

#define WORKLOAD_MAX (1U << 22)         /* flows of one run */
#define WORKLOAD_BYTES_MAX (1ULL << 40) /* bytes of one flow */
#define WORKLOAD_CLASSES 8              /* traffic classes of flows: 0..7 */
#define WORKLOAD_START_MAX (1ULL << 59) /* ps; 6 days: virtual time ends at 2^60 */

/* Which members of struct workload_spec a workload uses, besides its text and seed. */
enum workload_kind {
	WORKLOAD_UNKNOWN,
	WORKLOAD_POISSON, /* load, pattern; flows or duration: heavy-tailed, websearch, uniform:, cdf:PATH */
	WORKLOAD_INCAST,  /* senders, bytes, stripe, repeat, every, background */
	WORKLOAD_BURST,   /* bytes: permutation */
	WORKLOAD_FILE,    /* op and class, for flows that do not have their own: file:PATH */
};

/* The bytes that a load counts: of WRITE packets on the wire (lab/workload/workload_wire.h), or payload alone. */
enum load_of { LOAD_OF_WIRE, LOAD_OF_PAYLOAD };

/* What to make. */
struct workload_spec {
	const char *text; /* "heavy-tailed", "file:PATH", ... */
	u64 seed;
	u32 load_ppb; /* what a host that sends, sends: in 1e-9 of its link's rate, 1..1e9 */
	enum load_of load_of;
	u32 mtu, message;             /* bytes of a full packet's payload and of a full message; >= 1 */
	bool half;                    /* arrivals: the lower half of the hosts sends, to the others */
	u32 flows;                    /* how many; 0: by duration */
	u64 duration;                 /* of arrivals, ps; 0: by flows */
	u32 senders;                  /* of an incast; 0: all other hosts */
	u64 bytes;                    /* of each flow of incast and permutation; 0: 1 MB */
	bool stripe;                  /* incast: bytes are divided among the senders */
	u32 repeat;                   /* incasts, >= 1 */
	u64 every;                    /* from one incast's start to the next one's, ps; 0: twice their time on a link */
	u32 background_ppb;           /* incast: the load of other flows beside it; 0: none */
	const char *background_sizes; /* their sizes: heavy-tailed|websearch|uniform:MIN-MAX */
	u32 op;                       /* enum flow_op */
	u32 class;                    /* 0..7 */
	u32 class_mix;                /* a bit each: classes that generated flows draw from; 0: all have @class */
	const char *write_only;       /* a transport that carries WRITEs only, for the message; NULL: any operation */
	const char *const *host_names; /* of each host, for files that name them; NULL: files have numbers */
};

/* The kind that @text names. */
enum workload_kind workload_kind(const char *text);
/* The path in @text, after the colon; NULL: this workload has none. */
const char *workload_path(const char *text);
/* The workloads there are, "a|b|c:PATH", for messages and help. */
const char *workload_list(char *buf, size_t n);

/*
 * Make the flows of @w on a network of @n_hosts hosts, each with a link of host_ps[h] ps per byte. They are sorted by
 * start time, then id. Generated flows are numbered in that order; those of a file keep their ids, which must be 0..n-1
 * in any order. 0 and *flows (malloc, caller frees); or -errno and err filled in ("path:line: what" for files); -EINTR
 * if interrupted() holds (lab/interrupt.h).
 */
int workload_make(const struct workload_spec *w, u32 n_hosts, const u32 *host_ps, struct flow **flows, u32 *n,
		  struct err *err);

/* The names of enum flow_op, NULL at the end. */
extern const char *const flow_op_names[];

#endif
