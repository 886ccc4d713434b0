/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults at exact instants of virtual time: links that break, switches that drop frames or corrupt them, ports that
 * pause for ever. Statements (lab/plan/FAULTS.md) become a plan of events; the conductor ends a window at each and
 * changes the switches' state there. Hosts are given their part of the plan beforehand and follow it by themselves.
 */
#ifndef LOSSLAB_FAULTS_H
#define LOSSLAB_FAULTS_H

#include "agent/nic/nic.h"
#include "bpf/abi.h"
#include "lab/config/cfg.h"
#include "topo/topo.h"

struct plan;

enum fault_kind {
	FAULT_DOWN,    /* the link of a port */
	FAULT_UP,      /* the same */
	FAULT_DROP,    /* share of arriving frames, 0 at the end */
	FAULT_CORRUPT, /* share of departing frames, 0 at the end */
	FAULT_PAUSE,   /* storm of PAUSE, value is the class */
	FAULT_RESUME,  /* its end */
	FAULT_ROUTES,  /* routes take note that the port's link is down (value 1) or up (0) */
	FAULT_KINDS
};

#define FAULTS_MAX 65536 /* events of a run */
#define FAULT_HOST 0x80000000U

struct fault {
	u64 at;
	u32 order; /* among those at one instant: as they were stated */
	enum fault_kind kind;
	u32 port;      /* lab-wide number of a switch port; PAUSE, RESUME: or a host with FAULT_HOST */
	u32 value;     /* DROP, CORRUPT: probability x 2^32 */
	u32 statement; /* which one it is of; one about several ports counts as one for each */
	bool first;    /* its statement begins with it */
};

struct faults {
	struct fault *list; /* in order of time */
	u32 n, room;
	bool endless;               /* some port pauses its far end for ever: such runs need not drain */
	struct nic_fault *nic_list; /* the hosts' parts, one after the other */
};

/*
 * Read the keys `fault` and `faults` for a fabric whose ports and hosts are planned, and give the hosts their part. 0,
 * or -errno and err filled in; faults_free() in any case.
 */
int faults_plan(struct plan *f, struct err *err);
/*
 * A step of faults_plan(): of statements about the same thing the one that begins later ends the other there and then.
 * Takes what does not happen out of the list, which is in order of time. 0 or -ENOMEM.
 */
int faults_resolve(struct plan *f);
/* The last step of faults_plan(): 0 or -ENOMEM. */
int faults_for_hosts(struct plan *f);
void faults_free(struct faults *p);

#endif
