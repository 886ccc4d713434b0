/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of one experiment: every key of `losslab run`, parsed, checked
 * against each other and frozen. Sizes in bytes, times in ps, probabilities in ppb.
 */
#ifndef LOSSLAB_CFG_H
#define LOSSLAB_CFG_H

#include <stdbool.h>
#include <stdio.h>

#include "bpf/types.h"
#include "topo/err.h"

#define CFG_STR 256
#define CFG_KEYS_MAX 128
#define CFG_ALG_MAX 48 /* keys of algorithms */

#define CFG_CLASSES 8 /* traffic classes = PFC priorities */
#define CFG_ALL_CLASSES ((1U << CFG_CLASSES) - 1)
#define CFG_WEIGHT_MAX 100
#define CFG_CLASS_SAME (~0U) /* ack_class: that of the flow */

enum cfg_engine { ENGINE_KERNEL, ENGINE_TWIN };
/* As enum fab_ecn; auto: until cfg_finish(). */
enum cfg_ecn { CFG_ECN_OFF, CFG_ECN_RED, CFG_ECN_STEP, CFG_ECN_IB, CFG_ECN_IB_INPUT, CFG_ECN_IB_OUTPUT, CFG_ECN_AUTO };
enum cfg_fc { CFG_FC_NONE, CFG_FC_PFC, CFG_FC_CREDIT, CFG_FC_AUTO }; /* auto: until cfg_finish() */
enum cfg_until { UNTIL_DONE, UNTIL_ARRIVALS };
enum cfg_auto { CFG_OFF, CFG_ON, CFG_AUTO };

struct run_cfg {
	/* what and where */
	enum cfg_engine engine; /* engine=kernel|twin, default kernel */
	char topology[CFG_STR]; /* topology=SPEC, default fat-tree:k=4 (or the existing lab's) */
	u32 rate_ps;            /* rate=40gbit: overrides every link's rate; 0 = as the topology says */
	u64 delay_ps;           /* delay=2us: overrides every link's delay; 0 = as the topology says */
	u64 seed;               /* seed=1: everything random */
	u64 ecmp_seed;          /* ecmp_seed=N: the switches' hash; default = seed */

	/* switch */
	u32 mtu;         /* mtu=1000: payload bytes of a packet, 64..2048 */
	u32 buffer;      /* buffer=240KB: per input port and class; shared: of a whole switch */
	bool shared;     /* buffer_mode=static|shared */
	u32 alpha;       /* alpha=1/8 in units of 2^-16: share of what is free that a class may take */
	u32 reserve;     /* reserve=4096: of each port and class, out of the shared buffer */
	u32 headroom;    /* headroom=auto: of each port and class under PFC in it; 0 = computed, so that none is lost */
	u32 xoff, xon;   /* xoff=, xon=: 0 = computed from the headroom */
	u32 pfc_classes; /* pfc_classes=3,4, a bit each: the classes under PFC with fc=pfc; default all */
	enum cfg_fc fc;  /* fc=auto|none|pfc|credit; auto = credit if congestion control is made for
				it, else pfc for roce, none for others */
	u32 quanta;      /* quanta=65535: what a PAUSE asks for, in 512 bit times, 1..65535 */
	enum cfg_ecn ecn;      /* ecn=auto|off|red|step|ib|ib-input|ib-output; auto = what congestion control goes by,
				  else off */
	u32 kmin, kmax;        /* kmin=5KB, kmax=200KB */
	u32 pmax_ppb;          /* pmax=0.01 */
	bool wrr;              /* sched=strict|wrr */
	char weights[40];      /* weights=1,1,1,1,1,1,1,1: of classes 0..7 under sched=wrr, 1..CFG_WEIGHT_MAX each */
	bool islip;            /* arbiter=rr|islip */
	bool fifo;             /* queues=voq|fifo */
	u32 iterations;        /* iterations=4: of iSLIP in a slot, 1..16 */
	u32 speedup;           /* speedup=1 in hundredths: of the crossbar over the fastest port, 100..1600 */
	u32 output_buffer;     /* output_buffer=16384: bytes per class behind the crossbar */
	u32 loss_ppb;          /* loss=P: every link, on top of the topology's own */
	char loss_at[CFG_STR]; /* loss=P@NODE: only frames that arrive at this switch; "" = all */

	/* host */
	char preset[32];          /* preset=NAME: lab/config/preset.h; "" = none */
	char transport[16];       /* transport=roce|... (agent/recovery/recovery_table.c) */
	bool reth_all;            /* reth=first|all */
	u64 rto_high;             /* rto_high=TIME; 0: auto */
	enum cfg_auto timeouts;   /* timeouts=auto|on|off; auto = on where some class in use is without PFC and
				     credits: with pfc_classes= known to the plan alone, so it stays auto */
	u32 retry_cnt, rnr_retry; /* in a row without progress that a queue pair survives, 0..6; 7 = infinite */
	u32 rnr_timer;            /* rnr_timer=1: code of the time that an RNR NAK asks for, 0..31 (REFERENCE 2.3) */
	u32 ack_every;            /* ack_every=1: packets per ACK, 1..64; 0 = a message's last packet only */
	u32 rq;                   /* rq=N: receives posted per connection, 1..65536; 0 = unlimited */
	u64 retx_fetch;           /* retx_fetch=0: from when a packet is to be sent again until it can leave */
	u64 rq_delay;             /* rq_delay=1us: from a message's completion until its receive is posted again */
	u64 region;               /* region=SIZE: memory that a flow may reach; 0 = all of the flow */
	u32 data_class;           /* class=3: 0..7 */
	u32 classes;   /* class_mix=3,5, a bit each: of which generated flows draw theirs; 0 = all data_class */
	u32 ack_class; /* ack_class=<class>: 0..7, or CFG_CLASS_SAME, each flow's own */
	u32 cnp_class; /* cnp_class=<ack_class>: 0..7, or CFG_CLASS_SAME, that of ACKs */
	u32 psn0;      /* psn0=0: first PSN of every QP, 0..2^24-1 */

	char cc[16]; /* cc=none|... (agent/cc/cc_table.c) */

	/* parameters of loss recoveries and congestion controls, a key each: cfg_alg_key() */
	u64 alg[CFG_ALG_MAX];

	/* traffic */
	u32 op;                    /* op=write|send|read (enum flow_op) of flows that a file does not say otherwise */
	u32 message;               /* message=SIZE: flows are cut into messages of so many bytes; 0 = one per flow */
	char workload[CFG_STR];    /* workload=heavy-tailed|websearch|uniform:|incast|permutation|file:PATH|cdf:PATH */
	u32 load_ppb;              /* load=0.7 of each sending host's link in 1e-9, 1..1e9 */
	u32 load_of;               /* load_of=wire|payload (enum load_of) */
	bool half;                 /* pattern=uniform|half */
	u32 flows;                 /* flows=N; 0 = by duration */
	u64 duration;              /* duration=1ms of arrivals; 0 = by flows */
	u32 senders;               /* senders=N of incast; 0 = all other hosts */
	u64 bytes;                 /* bytes=: size of each flow of incast and permutation */
	bool stripe;               /* stripe=on|off: bytes are divided among an incast's senders */
	u32 repeat;                /* repeat=1: incasts */
	u64 every;                 /* every=TIME from one incast to the next; 0 = auto */
	u32 background_ppb;        /* background=LOAD beside an incast, as load; 0 = none */
	char background_sizes[64]; /* background_sizes=heavy-tailed|websearch|uniform:MIN-MAX */
	enum cfg_until until;      /* until=done|arrivals */
	u64 stop_at;               /* stop_at=2ms: virtual time at which a run ends; 0 = never */
	u64 stuck_after; /* stuck_after=TIME without a new packet ends a run; 0 = auto: the plan computes it */

	/* faults */
	char fault[CFG_STR];      /* fault=TIME:WHAT:WHERE[;...]: lab/plan/FAULTS.md; "" = none */
	char fault_file[CFG_STR]; /* fault_file=FILE of them; "" = none */
	u64 route_delay;  /* route_delay=1ms: routes are as the links were so long ago; TIME_NEVER = as at first */
	u64 pfc_watchdog; /* pfc_watchdog=TIME: detection time; 0 = off */
	u64 pfc_restore;  /* pfc_restore=TIME; 0 = auto: twice pfc_watchdog */

	/* output */
	char tap[CFG_STR];            /* tap=s0,s1:p2: switch ports whose arrivals packet sockets see */
	u64 sample;                   /* sample=TIME: between two samples of every switch port; 0 = none */
	char trace[CFG_STR];          /* trace=flow:1,5-9, host:h3,h4 or all: whose events trace.csv has; "" = none */
	char out[CFG_STR];            /* out=DIR; "" = no files */
	u64 given[CFG_KEYS_MAX / 64]; /* a bit per key, for cfg_given() */
};

void cfg_defaults(struct run_cfg *c);
/* Set one key from "KEY=VALUE". -EINVAL and err filled in for an unknown key or a bad value. */
int cfg_set(struct run_cfg *c, const char *word, struct err *err);
/* Whether the key was given, by the user or by a preset; its own default word ("fc=auto") takes it back. */
bool cfg_given(const struct run_cfg *c, const char *key);
/*
 * Fill in what the preset says and what depends on other keys (pfc, ecn, timeouts, ...), and refuse
 * contradictions by name: 0, or -EINVAL and err filled in.
 */
int cfg_finish(struct run_cfg *c, struct err *err);
/*
 * Read weights=, eight numbers 1..CFG_WEIGHT_MAX with commas between: 0, or -EINVAL and err filled in
 * that names the first that is none.
 */
int cfg_weights(const char *text, u32 out[CFG_CLASSES], struct err *err);
/* Print every key as KEY=VALUE, one a line, in a fixed order: the frozen configuration. */
void cfg_print(const struct run_cfg *c, FILE *out);
/* A key that is a number, by name; which must exist. */
u64 cfg_number(const struct run_cfg *c, const char *key);
/* Print what transport= or cc= can be, a line each: for --list @key. -EINVAL and err filled in for another key. */
int cfg_list(const char *key, FILE *out, struct err *err);

#endif
