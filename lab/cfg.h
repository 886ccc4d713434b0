/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The configuration of one experiment: every key of `losslab run`, parsed, checked
 * against each other and frozen. Sizes in bytes, times in ps, probabilities in ppb.
 */
#ifndef LOSSLAB_CFG_H
#define LOSSLAB_CFG_H

#include <stdbool.h>
#include <stdio.h>

#include "bpf/types.h"

#define CFG_STR 256
#define CFG_ERR_MAX 256

enum cfg_engine { ENGINE_KERNEL, ENGINE_TWIN };
enum cfg_ecn { CFG_ECN_OFF, CFG_ECN_RED };
enum cfg_until { UNTIL_DONE, UNTIL_ARRIVALS };
enum cfg_auto { CFG_OFF, CFG_ON, CFG_AUTO };

struct run_cfg {
	/* what and where */
	enum cfg_engine engine; /* engine=kernel|twin, default kernel */
	char topology[CFG_STR]; /* topology=SPEC, default fat-tree:k=4 (or the standing lab's) */
	u32 rate_ps;            /* rate=40gbit: overrides every link's rate; 0 = as the topology says */
	u64 delay_ps;           /* delay=2us: overrides every link's delay; 0 = as the topology says */
	u64 seed;               /* seed=1: everything random */
	u64 ecmp_seed;          /* ecmp_seed=N: the switches' hash; default = seed */

	/* switch */
	u32 mtu;               /* mtu=1000: payload bytes of a packet, 64..2048 */
	u32 buffer;            /* buffer=240KB: per input port and class */
	u32 xoff, xon;         /* xoff=, xon=: 0 = computed from the headroom */
	bool pfc;              /* pfc=on|off, default on for roce, off for irn */
	u32 quanta;            /* quanta=65535: what a PAUSE asks for, in 512 bit times, 1..65535 */
	enum cfg_ecn ecn;      /* ecn=off|red */
	u32 kmin, kmax;        /* kmin=5KB, kmax=200KB */
	u32 pmax_ppb;          /* pmax=0.01 */
	u32 loss_ppb;          /* loss=P: every link, on top of the topology's own */
	char loss_at[CFG_STR]; /* loss=P@NODE: only frames that arrive at this switch; "" = all */

	/* host */
	char transport[16];        /* transport=roce|irn */
	char cc[16];               /* cc=none */
	u32 cap;                   /* cap=N packets: BDP-FC of irn; 0 = computed from the longest path */
	u64 rto_high, rto_low;     /* rto_high=320us, rto_low=100us */
	u32 rto_n;                 /* rto_n=3: rto_low while in flight <= this */
	enum cfg_auto timeouts;    /* timeouts=auto|on|off; auto = on without PFC, off with */
	u32 ack_every;             /* ack_every=1: roce may coalesce up to 64 */
	bool reth_all;             /* reth=first|all */
	u32 data_class, ack_class; /* class=3, ack_class=<class>: 0..7 */
	u32 psn0;                  /* psn0=0: first PSN of every QP, 0..2^24-1 */

	/* traffic */
	char workload[CFG_STR]; /* workload=heavy-tailed|websearch|incast|permutation|file:PATH|cdf:PATH */
	u32 load_pct;           /* load=0.7 in hundredths, 1..100 (payload bytes per host link) */
	u32 flows;              /* flows=N; 0 = by duration */
	u64 duration;           /* duration=1ms of arrivals; 0 = by flows */
	u32 senders;            /* senders=N of incast; 0 = all other hosts */
	u64 bytes;              /* bytes=: size of each flow of incast and permutation */
	enum cfg_until until;   /* until=done|arrivals */
	u64 stuck_after;        /* stuck_after=100ms: virtual time without progress that ends a run */

	/* output */
	char tap[CFG_STR]; /* tap=s0,s1:p2: switch ports whose arrivals packet sockets see */
	char out[CFG_STR]; /* out=DIR; "" = no files */
	bool pfc_set, topology_set, flows_set, xoff_set; /* given by the user, not a default */
};

void cfg_defaults(struct run_cfg *c);
/* Set one key from "KEY=VALUE". -EINVAL and one line in err[CFG_ERR_MAX] for an unknown key or a bad value. */
int cfg_set(struct run_cfg *c, const char *word, char *err);
/* Read a scenario file: a KEY=VALUE per line, '#' comments; messages carry file:line. */
int cfg_read(struct run_cfg *c, FILE *in, const char *name, char *err);
/* Fill in what depends on other keys (pfc, ack_class, timeouts, ...) and refuse contradictions by name. */
int cfg_finish(struct run_cfg *c, char *err);
/* Print every key as KEY=VALUE, one a line, in a fixed order: the frozen configuration. */
void cfg_print(const struct run_cfg *c, FILE *out);
/* Print the keys with their meaning and default, for --help. */
void cfg_help(FILE *out);

#endif
