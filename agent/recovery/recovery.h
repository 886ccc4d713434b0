/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loss recovery: one ops table per scheme, one file each, one row in recovery_table.c. A connection is
 * a sender of data (struct sqp) at the flow's source and a receiver (struct rqp) at its destination.
 * Packets are counted from 0 within a flow; what stands on the wire for packet n is packet_number()'s business.
 */
#ifndef LOSSLAB_RECOVERY_H
#define LOSSLAB_RECOVERY_H

#include <stdbool.h>

#include "agent/recovery/bitmap.h"
#include "agent/packet/flow.h"
#include "agent/packet/packet.h"
#include "agent/alg/param.h"
#include "bpf/types.h"

#define NO_PACKET 0xffffffffU
#define NO_LIMIT 0xffffffffU
#define RECOVERY_PRIVATE 16 /* 64-bit words of private state */

#define RECOVERY_PARAMS 8 /* ... of a scheme's own parameters */

/* Fixed for the run. */
struct recovery_params {
	u32 bdp;      /* packets with which one flow fills the longest path */
	u32 mtu;      /* payload bytes of a packet */
	u32 cap;      /* most packets in flight: BDP-FC's for schemes that have it, else what PSNs or buffers allow */
	u64 rto_high; /* ps */
	u64 rto_low;  /* schemes with one timeout: rto_high */
	u32 rto_n;    /* rto_low while no more than this are in flight */
	bool timeouts;
	bool restart_on_send; /* of schemes that let the user choose; see struct recovery_ops */
	bool cc_backs_off;    /* there is a congestion control that can back off on loss: it does, no window of ours */
	param_word own[RECOVERY_PARAMS]; /* the scheme's own struct, as its table and resolve() have left it */
};

/* Packets from .. to-1. */
struct range {
	u32 from, to;
};

/* The sender's half of a connection. */
struct sqp {
	const struct recovery_params *par;
	void *host; /* what all connections of a host share, from host_new(); or NULL */
	u32 n_packets;
	u32 limit;            /* packets that may be sent so far: n_packets, or what READ requests have asked for */
	u32 window;           /* congestion control's: most packets in flight, or NO_LIMIT */
	u32 next;             /* next new packet; rewind() may lower it: those behind it are new again */
	u32 una;              /* first packet not acknowledged cumulatively */
	u64 armed;            /* when the retransmission timer was last started, or TIME_NEVER */
	u64 rto;              /* the time it was started with */
	u32 backoffs;         /* losses at which the congestion control is to back off (cc_backs_off) */
	struct bitmap sacked; /* for schemes that acknowledge selectively */
	u64 priv[RECOVERY_PRIVATE];
};

/* The receiver's half. */
struct rqp {
	const struct recovery_params *par;
	void *host;
	const struct packet_rules *rules;
	const struct flow *flow;
	u32 n_packets;
	u32 expected; /* first packet not received: all below are */
	u32 received; /* different packets kept */
	u32 msn;      /* messages complete in order */
	bool nak_sent;
	struct bitmap got;  /* received ahead of expected */
	struct bitmap last; /* ... and the last of its message */
	u64 priv[RECOVERY_PRIVATE];
};

#define RANGES_MAX 3

/* What came back from the receiver. */
struct ack_event {
	u64 now; /* ps */
	u32 cum; /* all packets below are received */
	bool nack;
	u32 sack;     /* nack: the packet that triggered it (ACK_SACK_PSN, ACK_HOLES) */
	u32 n_ranges; /* ACK_HOLES: holes, lowest first; ACK_TCP: SACK blocks, the latest first */
	struct range ranges[RANGES_MAX];
};

/* A packet that arrived at the receiver. */
struct data_event {
	u32 n;
	bool last; /* the last of its message */
	bool ack_req;
	bool marked; /* it carries a congestion mark: those who are told by ACK want one at once */
};

/* What the receiver sends back. */
struct reply {
	enum { REPLY_NONE, REPLY_ACK, REPLY_NAK } kind;
	u32 psn;      /* packet number for the ACK or NAK: ACK, the last received in order; NAK, the first missing */
	u32 sack;     /* NAK: packet number for AETH.MSN (ACK_SACK_PSN, ACK_HOLES); else the MSN goes there */
	bool is_new;  /* a packet not seen before was kept */
	u32 n_ranges; /* as in struct ack_event */
	struct range ranges[RANGES_MAX];
};

/* How answers look on the wire. */
enum ack_format {
	ACK_RC,       /* AETH; NAKs go back to BTH.PSN */
	ACK_SACK_PSN, /* ... and NAKs carry the triggering PSN in AETH.MSN (REFERENCE 1.6) */
	ACK_HOLES,    /* ... and up to three holes behind the AETH (MELO) */
	ACK_TCP,      /* TCP segments, SACK blocks */
};

/* What the connections of one host share, as far as a scheme has it. All zero for others. */
struct recovery_stats {
	u64 pool_rx_now, pool_rx_peak; /* melo: bits of the receivers' pool in use */
	u64 pool_tx_now, pool_tx_peak;
	u64 copied_packets, copied_bytes; /* from the reorder buffer to the application */
	u64 drop_middle;                  /* arrivals dropped: neither at the list's front nor its end */
	u64 drop_pool;                    /* ... no free block */
	u64 evictions;                    /* connections evicted from the chip */
	u64 forgotten;                    /* packets whose bits found no room when their connection came back */
	u64 connections;                  /* opened, of both directions */
	u64 connection_bytes_x100;        /* melo: state on chip per connection, hundredths of a byte; 0: none */
};

/* State that hardware keeps for each queue pair beyond plain RoCE's, by the scheme's paper. */
struct recovery_cost {
	const char *what;
	u32 bits;
	bool unverified; /* docs/reference.md names it so: no text of the paper was at hand */
};
#define RECOVERY_COSTS 4

/*
 * A loss recovery: its code, its parameters, and what depends on it elsewhere. Functions may be NULL where a comment
 * says so.
 */
struct recovery_ops {
	const char *name; /* the word of transport= */
	const char *what; /* one line, for `losslab run --list transport` */
	struct param_table params;
	enum packet_format format; /* FORMAT_TCP: WRITE only, no RETH, no regions */
	enum ack_format acks;
	bool lossless;  /* meant for a network without loss: fc=auto is PFC */
	bool acks_each; /* the receiver acknowledges every packet: ack_every= does not apply */
	bool own_cc;    /* it has a congestion control of its own: cc= does not apply */
	/* Rows end with one without a name. */
	struct recovery_cost costs[RECOVERY_COSTS];
	/* Set cap and rto_low, and replace what is "auto" (0) in own[], from the rest. rto_low is 0 unless the table
	 * has it. */
	void (*resolve)(struct recovery_params *p);
	bool progress_only;   /* only answers that acknowledge something new put the timer off; else all do */
	bool restart_on_send; /* the timer starts anew with each packet sent, else only if it is not running. In
				 recovery_params: that, and progress_only does not apply */
	/* What all connections of a host share; both may be NULL. */
	void *(*host_new)(const struct recovery_params *par);
	void (*host_free)(void *host);
	void (*host_stats)(const void *host, struct recovery_stats *s);
	/* Room for private state; the rest of the struct is set. 0 or -1. Bitmaps are freed by the caller. */
	int (*open)(struct sqp *q);
	int (*open_receiver)(struct rqp *r); /* may be NULL */
	/* Give back what open took beyond bitmaps; may be NULL. */
	void (*close)(struct sqp *q);
	void (*close_receiver)(struct rqp *r);
	/* Is there anything this sender would send now? */
	bool (*wants)(const struct sqp *q);
	/* Most packets that it would have in flight, all windows considered; NULL where every packet is answered. */
	u32 (*most)(const struct sqp *q);
	/* Its own congestion window in packets, for records; NULL: it has none. */
	u32 (*own_window)(const struct sqp *q);
	/* The packet to send next in order, holes apart: below sqp.next after going back. NULL: sqp.next. */
	u32 (*send_next)(const struct sqp *q);
	/* One opportunity to transmit: the packet's number, or NO_PACKET (wants() then says whether to ask again). */
	u32 (*transmit)(struct sqp *q, u64 now);
	void (*acked)(struct sqp *q, const struct ack_event *a);
	/* The timer has run out: resend. False: it was no loss, wait rto_high in all. */
	bool (*timeout)(struct sqp *q);
	/* The receiver has thrown away all from una on (RNR NAK): send all that again. */
	void (*rewind)(struct sqp *q);
	/* Is the next packet that transmit() would give one to resend, windows left aside? */
	bool (*resends)(const struct sqp *q);
	/* The state of this connection is not on chip: ps until it can be fetched; 0 if it is. NULL: always on chip. */
	u64 (*fetch_sender)(const struct sqp *q);
	u64 (*fetch_receiver)(const struct rqp *r);
	/* The time-out to start the timer with, rto_low or more. */
	u64 (*rto)(const struct sqp *q);
	void (*receive)(struct rqp *r, const struct data_event *d, struct reply *reply);
};

/* Number @i in the order of the table in recovery_table.c, or NULL beyond the last. */
const struct recovery_ops *recovery_at(u32 i);
/* By the name of the transport, or NULL. */
const struct recovery_ops *recovery_find(const char *transport);

#endif
