/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of a run's faults: links that go down and come up, switches that drop or corrupt frames, ports and hosts
 * that send PAUSE storms. Each rule that the user gives (lab/plan/FAULTS.md) becomes one or more events at exact
 * instants of virtual time. The conductor applies them to the switches (lab/run/fault_apply.h). Hosts get their part of
 * the plan before the run and follow it by themselves.
 */
#ifndef LOSSLAB_FAULTS_H
#define LOSSLAB_FAULTS_H

#include "agent/nic/nic.h"
#include "bpf/abi.h"
#include "lab/config/cfg.h"
#include "topo/topo.h"

struct plan;

enum fault_kind {
	FAULT_DOWN,    /* the link of the port goes down */
	FAULT_UP,      /* it comes up */
	FAULT_DROP,    /* value: share of arriving frames to drop, 0 at the end */
	FAULT_CORRUPT, /* value: share of departing frames to corrupt, 0 at the end */
	FAULT_PAUSE,   /* a PAUSE storm begins; value: class */
	FAULT_RESUME,  /* it ends */
	FAULT_ROUTES,  /* routes learn that the port's link is down (value 1) or up (0) */
	FAULT_KINDS
};

#define FAULTS_MAX 65536 /* events of a run */
#define FAULT_HOST 0x80000000U

/* One event of a rule. */
struct fault {
	u64 at;    /* ps */
	u32 order; /* its place among all events as the rules state them; breaks ties of `at` */
	enum fault_kind kind;
	u32 port;   /* lab-wide number of a switch port; PAUSE, RESUME: or a host's number with FAULT_HOST */
	u32 value;  /* see enum fault_kind; a share is a probability x 2^32 */
	u32 rule;   /* which rule it belongs to; one about several ports counts as one for each */
	bool first; /* it is the first event of its rule */
};

struct faults {
	struct fault *list; /* in order of time */
	u32 n, room;
	bool endless;               /* some storm never ends: such a run need not drain */
	struct nic_fault *nic_list; /* the hosts' parts, one after the other */
};

/*
 * Read the rules of `fault` and `fault_file` for a plan whose ports and hosts are known, resolve overlaps, and give the
 * hosts their part. 0, or -errno and err filled in; faults_free() in any case.
 */
int faults_plan(struct plan *f, struct err *err);
/*
 * A step of faults_plan(): where two rules concern the same thing, the one that starts later replaces the other from
 * its start time. Removes the events of the other from then on from the list, which is in order of time. 0 or -ENOMEM.
 */
int faults_resolve(struct plan *f);
/* The last step of faults_plan(): give each host its part of the plan. 0 or -ENOMEM. */
int faults_for_hosts(struct plan *f);
void faults_free(struct faults *p);

#endif
