/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host: an RDMA NIC in software. No sockets, no clock, no printing: frames come and go through struct nic_io,
 * time is what nic_advance() is told. The kernel engine and the twin call the same functions.
 *
 * The port sends one frame at a time at line rate and makes each when the port is free: answers, CNPs and READ
 * requests first, then one packet per connection and turn. It obeys PFC per priority, or sends into credits. Congestion
 * control may hold a connection back: by a time before which its next packet may not leave, and by a window.
 */
#ifndef LOSSLAB_NIC_H
#define LOSSLAB_NIC_H

#include "agent/cc/cc.h"
#include "agent/packet/flow.h"
#include "agent/packet/packet.h"
#include "agent/recovery/recovery.h"
#include "agent/nic/timers.h"
#include "agent/nic/trace.h"
#include "bpf/abi.h"

/* A frame received: its header bytes can be read, its length is as on the wire without stamp. */
struct rx_frame {
	u64 arrival;
	const u8 *head;
	u32 have; /* bytes that can be read at head: HEAD_MAX or more, or the whole frame */
	u32 len;
	void *cookie; /* the engine's */
};

struct nic_io {
	void *ctx;
	/* The first frame not yet taken, if one has arrived (whatever its time): true and *f. */
	bool (*peek)(void *ctx, struct rx_frame *f);
	void (*take)(void *ctx, const struct rx_frame *f);
	/* Check what the sans-I/O core cannot see (ICRC, payload): 0, or -1 to discard the frame. May be NULL. */
	int (*check)(void *ctx, const struct rx_frame *f, const struct rx_packet *p);
	/* Send a frame. 0 or -errno, which ends the run. */
	int (*send)(void *ctx, const struct tx_frame *f);
};

#define RETRY_INFINITE 7 /* retry_cnt, rnr_retry */

/* What queue pairs are told when they are set up (IBTA 1.3, 9.7.6 and 9.9). */
struct qp_params {
	u8 retry_cnt;   /* timeouts in a row without progress that a requester survives */
	u8 rnr_retry;   /* the same of RNR NAKs */
	u8 rnr_timer;   /* code of the time that an RNR NAK asks for, 0..31 */
	u32 rq;         /* SEND: receives posted per connection; 0: always enough */
	u64 rq_delay;   /* ps from a message's completion until its receive is posted again */
	u64 region;     /* bytes that a flow may reach in the responder's memory; 0: all of the flow */
	u64 retx_fetch; /* ps from when a packet is to be sent again until it can leave: the NIC fetches it */
};

/* The time, in ps, that an RNR NAK with timer code @code (0..31) asks for. */
u64 nic_rnr_time(u32 code);

/* What befalls a NIC at an instant, before anything else that happens then. */
struct nic_fault {
	u64 at;
	enum { NIC_LINK_DOWN, NIC_LINK_UP, NIC_STORM_ON, NIC_STORM_OFF } kind;
	u32 class; /* of a storm: the NIC says PAUSE for it again and again */
};

/* Fixed for the run. */
struct nic_params {
	u32 host;
	u32 node; /* its number among all nodes, for tie_rank() */
	u64 seed;
	u32 ps_per_byte; /* of its link */
	u64 delay;
	u32 credits;   /* fc=credit: blocks of the switch's buffer, per class; 0: no credits */
	u32 frame_max; /* bytes of the longest frame */
	struct packet_rules rules;
	struct qp_params qp;
	struct recovery_params recovery;
	const struct recovery_ops *ops;
	struct cc_params cc;
	const struct cc_ops *cc_ops; /* NULL: no congestion control */
	const struct flow_table *flows;
	struct trace_params trace;
	const struct nic_fault *faults; /* in order of time */
	u32 n_faults;
	u32 n_storms; /* the last fault that is about a storm is number n_storms - 1; 0: none is */
	u32 quanta;   /* what a PAUSE of a storm asks for */
};

struct nic_stats {
	u64 tx_frames, tx_bytes, tx_data;
	u64 rx_frames, rx_bytes, rx_data;
	u64 pause_rx, resume_rx;
	u64 discarded;   /* not RoCE, not ours, bad ICRC: received and thrown away */
	u64 fresh;       /* packets received for the first time: progress */
	u64 fresh_bytes; /* their payload */
	u64 completed;   /* flows of which this host has received all */
	u64 acks_tx, naks_tx;
	u64 cnps_tx, cnps_rx;
	u64 drop_order;     /* data out of order, received and dropped: go-back-N */
	u64 errors;         /* queue pairs that stopped in error */
	u64 lost_link;      /* frames on the link when it broke: not received */
	u64 lost_link_data; /* those of them that carry data */
	u64 pause_tx, resume_tx;
	u64 class_pause_tx[FAB_CLASSES], class_pause_rx[FAB_CLASSES]; /* PAUSE of a class; a frame may have several */
};

struct nic;

/* A NIC with all its connections, ready at time 0; NULL without memory. @par is kept, not copied. */
struct nic *nic_new(const struct nic_params *par, const struct nic_io *io);
void nic_free(struct nic *n);

/*
 * Handle all that happens before @until, in order of virtual time; at equal time PFC frames, other frames, timers,
 * departures. 0 or -errno: -ETIME if a frame is older than the NIC's clock, or what io->send() returned.
 */
int nic_advance(struct nic *n, u64 until);

/* The time of the next event as far as is known now, or TIME_NEVER. */
u64 nic_next(struct nic *n);

const struct nic_stats *nic_stats(const struct nic *n);
/* What PFC frames have told the transmitter. */
const struct pause_state *nic_pause(const struct nic *n);
/* fc=credit: what has been sent to the switch, and how far it lets the NIC count. */
const struct credit_tx *nic_credit(const struct nic *n);
/* The time of the last event. */
u64 nic_clock(const struct nic *n);
/* What its connections share: the counters of the recovery scheme. */
void nic_recovery_stats(const struct nic *n, struct recovery_stats *s);
/* Copy what senders and receivers know into the flow table's results. */
void nic_report(const struct nic *n);
/* Bytes of memory that the connections take, all in all, without the flow table. */
u64 nic_memory(const struct nic *n);

#endif
