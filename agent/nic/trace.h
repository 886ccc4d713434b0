/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of what a NIC does, event by event, for the flows that it is asked to follow. The NIC appends to a buffer
 * that whoever runs it empties between two calls of nic_advance(). A full buffer is said, and what does not fit is
 * not kept: the run must end then.
 */
#ifndef LOSSLAB_TRACE_H
#define LOSSLAB_TRACE_H

#include <stdbool.h>

#include "bpf/types.h"

/* What an event says besides time and flow. */
#define TRACE_HAS_PACKET 1U
#define TRACE_HAS_BYTES 2U
#define TRACE_HAS_CUM 4U
#define TRACE_HAS_SACK 8U
#define TRACE_HAS_RTT 16U
#define TRACE_HAS_RTO 32U
#define TRACE_HAS_STATE 64U /* of the sender: rate, window, in_flight */

/* X(kind, name, what it says, meaning) */
#define TRACE_KINDS(X)                                                                                                 \
	X(SEND, "send", TRACE_HAS_PACKET | TRACE_HAS_BYTES | TRACE_HAS_STATE, "a packet leaves for the first time")    \
	X(RESEND, "resend", TRACE_HAS_PACKET | TRACE_HAS_BYTES | TRACE_HAS_STATE, "a packet leaves again")             \
	X(ACK, "ack", TRACE_HAS_PACKET | TRACE_HAS_CUM | TRACE_HAS_RTT | TRACE_HAS_STATE,                              \
	  "an ACK reaches the sender; packet: the last one that it newly acknowledges")                                \
	X(NACK, "nack", TRACE_HAS_PACKET | TRACE_HAS_CUM | TRACE_HAS_SACK | TRACE_HAS_RTT | TRACE_HAS_STATE,           \
	  "a NACK reaches the sender; packet: the one whose arrival caused it, where the NACK says so")                \
	X(RNR, "rnr", TRACE_HAS_CUM | TRACE_HAS_STATE, "an RNR NAK reaches the sender")                                \
	X(CNP, "cnp", TRACE_HAS_PACKET | TRACE_HAS_STATE,                                                              \
	  "a notice of congestion reaches the sender: a CNP, or a mark in an ACK (its own row follows)")               \
	X(TIMER_START, "timer_start", TRACE_HAS_PACKET | TRACE_HAS_RTO,                                                \
	  "the retransmission timer starts anew for the first packet not acknowledged; at a READ's requester, that "   \
	  "of its requests")                                                                                           \
	X(TIMER_EXTEND, "timer_extend", TRACE_HAS_PACKET | TRACE_HAS_RTO,                                              \
	  "the timer ran out early: it goes on, for rto_ns since it was started")                                      \
	X(TIMER_STOP, "timer_stop", 0, "the timer stops: nothing is outstanding, or an RNR NAK says how long to wait") \
	X(TIMEOUT, "timeout", TRACE_HAS_PACKET, "the timer has run out")                                               \
	X(ERROR, "error", 0, "the queue pair stops in error")                                                          \
	X(REQUEST, "request", TRACE_HAS_PACKET, "a READ request leaves; packet: the first one that it asks for")       \
	X(RECEIVE, "receive", TRACE_HAS_PACKET | TRACE_HAS_BYTES | TRACE_HAS_CUM, "a packet arrives and is kept")      \
	X(DISCARD, "discard", TRACE_HAS_PACKET | TRACE_HAS_BYTES | TRACE_HAS_CUM,                                      \
	  "a packet arrives and is not kept: a duplicate, out of order, or refused")                                   \
	X(SEND_ACK, "send_ack", TRACE_HAS_CUM, "the receiver's ACK leaves")                                            \
	X(SEND_NACK, "send_nack", TRACE_HAS_CUM, "the receiver's NACK or RNR NAK leaves")                              \
	X(SEND_CNP, "send_cnp", 0, "the receiver's CNP leaves")

enum trace_kind {
#define X(kind, name, has, meaning) TRACE_##kind,
	TRACE_KINDS(X)
#undef X
		TRACE_N
};

#define TRACE_NONE (~0U) /* packet, cum, sack: none */

struct trace_event {
	u64 time;      /* ps */
	u64 rate;      /* bits/s, congestion control's; 0: there is none */
	u64 rtt;       /* ps; 0: no sample */
	u64 rto;       /* ps */
	u32 flow;      /* its number */
	u32 packet;    /* number within the flow */
	u32 cum;       /* all packets below have arrived */
	u32 sack;      /* the packet acknowledged selectively */
	u32 window;    /* packets that may be in flight */
	u32 in_flight; /* packets sent, from the first one not acknowledged on */
	u16 bytes;     /* payload */
	u16 kind;      /* enum trace_kind */
};
_Static_assert(sizeof(struct trace_event) == 64, "one cache line");

/* One host's buffer. Agents share it with the conductor. */
struct trace_buffer {
	u32 n;
	u32 full; /* not 0: an event found no room */
	struct trace_event events[];
};

/* What a NIC traces. Fixed for the run, but for what is in the buffer. */
struct trace_params {
	struct trace_buffer *buffer; /* NULL: nothing is traced */
	u32 size;                    /* events it has room for */
	const u64 *flows;            /* a bit per flow; NULL: all flows of the host */
};

#endif
