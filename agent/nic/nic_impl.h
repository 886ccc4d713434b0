/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a NIC, shared by nic.c (events), nic_open.c (set-up), nic_tx.c (senders of data, the port), nic_rx.c
 * (frames received), nic_receiver.c (receivers of data), nic_requester.c (READ requests), nic_fetch.c (what must be
 * fetched from memory off chip), nic_fault.c (link failures, storms of PAUSE) and nic_trace.c (events for a trace).
 */
#ifndef LOSSLAB_NIC_IMPL_H
#define LOSSLAB_NIC_IMPL_H

#include "agent/nic/nic.h"

/* A sender of data and its place in the NIC. */
struct sender {
	struct sqp qp;
	u32 flow;
	u32 next_ready;  /* the connection behind it in the round-robin, or FAB_NONE */
	u32 asked;       /* one above the last packet sent that asked for an ACK */
	u32 sent_high;   /* first packet never sent, whatever qp.next has gone back to */
	bool ready;      /* in the round-robin */
	bool paced;      /* has an entry in the heap of those who wait for a time */
	bool timer_held; /* has an entry in the heap of retransmission timers */
	u8 limit;        /* enum cc_limit: what holds back its next packet */
	u8 retries;      /* timeouts in a row without progress */
	u8 rnr_retries;
	u8 error;       /* enum qp_error */
	u8 class;       /* its flow's */
	u64 ticket;     /* drawn when it joined the round-robin: the least is next */
	u64 not_before; /* congestion control: the next packet may not leave earlier */
	u64 rnr_until;  /* ... nor before the time that an RNR NAK asked for */
	u64 lost_at;    /* since when the next packet is one to send again, or TIME_NEVER */
	u64 fetched;    /* when state that was not on chip has been fetched; 0: it has not been asked for */
	struct flow_result count;
};

/* A receiver of data. */
struct receiver {
	struct rqp qp;
	u64 next_cnp;  /* no CNP before this time */
	u64 *posted;   /* SEND with few receives: when the receive that message k took is posted again, [k % rq] */
	u32 requester; /* READ: the requester's other half, or FAB_NONE */
	bool refused;  /* a packet has gone where it may not: nothing is taken in any more */
	u64 fetched;   /* as in struct sender */
};

/* The requester of a READ flow: asks for messages. */
struct requester {
	u32 flow, receiver;
	u32 messages; /* in all */
	u32 asked;    /* of them, requested so far */
	u8 retries;
	u8 error; /* enum qp_error */
	bool timer_held;
	u64 armed;    /* when the timer was last started, or TIME_NEVER */
	u64 rto;      /* the time it was started with */
	u64 timeouts; /* times it has run out */
};

/* Something small that waits for the port. */
struct control {
	enum control_kind { CONTROL_ANSWER, CONTROL_CNP, CONTROL_READ, CONTROL_READ_NAK } kind;
	u32 flow;
	u64 ticket;          /* drawn when it began to wait: the least is next */
	struct packet_ack a; /* CNP: .n; READ: .n is the message; READ NAK: .n and .syndrome */
};

/*
 * Those of one class: a ring that grows. A class that is paused must not hold up the others, so what waits for the port
 * waits class by class; tickets keep the order among the classes that may go.
 */
struct control_queue {
	struct control *ring; /* of @size entries, a power of two; NULL while there has been none */
	u32 head, tail, size;
};

/* A packet received whose connection's state is on its way from off-chip memory. */
struct waiting {
	u64 due;
	struct rx_packet p;
};

/* In order of time, those of one time as they came: [head] .. [tail - 1]. */
struct waiting_list {
	struct waiting *list;
	u32 head, tail, size;
};

/* Connections of one class that may send, FAB_NONE if there is none. */
struct ready_list {
	u32 head, tail;
};

/* A flow that begins here: a sender's number, or a requester's with REQUESTER. */
struct start {
	u64 time, rank;
	u32 who;
};
#define REQUESTER 0x80000000U

struct nic {
	const struct nic_params *par;
	const struct nic_io *io;
	u64 clock;
	u64 busy_until;
	struct pause_state pause;
	struct credit_tx credit;
	void *shared; /* of the recovery scheme */

	struct sender *senders; /* in order of their flows' starts */
	struct cc *ccs;         /* [n_senders], if there is congestion control */
	u32 n_senders;
	struct ready_list ready[FAB_CLASSES]; /* round-robin of connections that may send, by class */
	u32 ready_classes;                    /* those with one */
	struct timers pace;                   /* those who may send at a time */
	struct timers timers;                 /* retransmission: senders, and requesters with REQUESTER */

	bool fetches; /* something may have to be fetched: retransmissions, or connections' state */
	struct waiting_list waiting;

	struct receiver *receivers;
	u32 n_receivers;
	struct requester *requesters; /* in order of their flows' starts */
	u32 n_requesters;

	struct start *starts;
	u32 n_starts, started;

	struct control_queue control[FAB_CLASSES];
	u32 control_classes; /* those with something that waits */
	u64 tickets;         /* drawn so far */

	struct nic_stats stats;
	struct send_times *send_times; /* [n_senders], of those traced; NULL: nothing is traced */

	/* faults */
	u32 fault;        /* the next one */
	bool down;        /* the link is */
	u64 cut;          /* when it last broke; 0: never */
	u8 storm;         /* classes under a storm */
	u8 storm_pending; /* classes whose storm has begun or ended, or must be repeated: PAUSE or resume is sent next
			   */
	u64 storm_again;  /* when to repeat PAUSE, or TIME_NEVER */
};

/* A frame of flow control, PFC or credits: for the port itself. */
static inline bool nic_is_pfc(const struct rx_frame *f)
{
	u32 type = f->have >= ETH_LEN ? get16(f->head + 12) : 0;

	return type == ETHERTYPE_MACC || type == ETHERTYPE_CREDIT;
}

static inline const struct flow *nic_flow(const struct nic *n, u32 flow)
{
	return &n->par->flows->flows[flow];
}

/*
 * nic_open.c: set up before the run. 0 or -ENOMEM; what has been set up by then, close frees as well.
 */
int nic_open_connections(struct nic *n);
void nic_close_connections(struct nic *n);

/* nic_tx.c. Senders by number @s. Functions that return int: 0, or -errno of io->send() or of an allocation. */
/* Put a connection into the round-robin if it has something to send and may, or among those who wait for a time. */
void sender_ready(struct nic *n, u32 s);
/* Start the retransmission timer, or stop it when nothing is outstanding. @restart: anew even if it is running. */
void sender_timer(struct nic *n, u32 s, bool restart);
/* The queue pair stops in error @why: nothing more is sent, and the flow's record says so. */
void sender_fail(struct nic *n, u32 s, enum qp_error why);
/* Loss recovery has been at work, and qp.backoffs was @before: if it is more now, congestion control backs off. */
void sender_backed_off(struct nic *n, u32 s, u32 before);
/* What is due at @now: flows start, paced connections become ready, a timer expires, a storm repeats its PAUSE. */
int nic_timer_event(struct nic *n, u64 now);
/* When nic_timer_event() is due, or TIME_NEVER. */
u64 nic_timer_next(const struct nic *n);
/* The port is free at @now: send PFC, else control packets, else a packet of the connection whose turn it is. */
int nic_transmit(struct nic *n, u64 now);
/* When the port could send something; TIME_NEVER if there is nothing, or the link is down. */
u64 nic_transmit_next(const struct nic *n);
/* Whether anything waits for the port. */
bool nic_has_frames(const struct nic *n);

/* nic_rx.c */
/* A frame has arrived, of whatever kind. 0 or -ENOMEM. */
int nic_receive(struct nic *n, const struct rx_frame *f);
/* A packet taken apart is handled at @f->arrival. 0 or -ENOMEM. */
int nic_handle(struct nic *n, const struct rx_frame *f, const struct rx_packet *p);
/* A new control packet of @flow, for the caller to fill in: all of .a but marks and ranges. NULL without memory. */
struct control *control_push(struct nic *n, enum control_kind kind, u32 flow);

/* nic_fetch.c: state and packets that the NIC must fetch from memory off chip. */
u64 fetch_for_sender(struct nic *n, u32 s);
/* When the sender can go on as far as fetching is concerned; asks for what is missing. Now, or earlier: at once. */
static inline u64 sender_fetched(struct nic *n, u32 s)
{
	return n->fetches ? fetch_for_sender(n, s) : 0;
}
/* A packet has arrived: it is handled, now or when its connection's state is on chip. 0 or -ENOMEM. */
int fetch_for_packet(struct nic *n, const struct rx_frame *f, const struct rx_packet *p);
/* When the first packet that waits can be handled, or TIME_NEVER. */
static inline u64 fetch_next(const struct nic *n)
{
	return n->waiting.head != n->waiting.tail ? n->waiting.list[n->waiting.head].due : TIME_NEVER;
}
/* Handle it. 0 or -ENOMEM. */
int fetch_done(struct nic *n);

/* nic_receiver.c: a data packet of a flow that ends here; others are discarded. 0 or -ENOMEM. */
int receiver_receive(struct nic *n, const struct rx_frame *f, const struct rx_packet *p);

/* nic_requester.c. Requesters by number @r. 0 or -ENOMEM. */
/* The flow starts: send its first requests. */
int requester_start(struct nic *n, u32 r);
/* Something new has arrived: send further requests, and restart or stop the timer. */
int requester_progress(struct nic *n, u32 r);
/* Timer @t of a requester has expired: request again what is missing, or fail after retry_cnt. */
int requester_timer(struct nic *n, struct timer t, u64 now);
/* The responder refuses the request. */
void requester_nak(struct nic *n, const struct rx_packet *p);
/* A request reaches the responder: what it asks for may be sent. */
int read_request(struct nic *n, const struct rx_packet *p);

/* nic_trace.c */
/* What a trace keeps beside the connections, which are open. 0 or -ENOMEM; close in any case. */
int nic_trace_open(struct nic *n);
void nic_trace_close(struct nic *n);
/* An event of a flow, which is not traced perhaps: through trace_flow() and trace_sender(). */
void nic_trace_flow(struct nic *n, u32 flow, const struct trace_event *e);
void nic_trace_sender(struct nic *n, u32 s, struct trace_event e);

/* An event of @flow at its receiver or requester, now: kind, and what that kind says. */
static inline void trace_flow(struct nic *n, u32 flow, struct trace_event e)
{
	if (n->par->trace.buffer)
		nic_trace_flow(n, flow, &e);
}

/* The same of sender @s; rate, window, in_flight and the RTT are filled in. */
static inline void trace_sender(struct nic *n, u32 s, struct trace_event e)
{
	if (n->par->trace.buffer)
		nic_trace_sender(n, s, e);
}

/* nic_fault.c */
void nic_fault_init(struct nic *n);
/* Whether a fault happens no later than @now. */
bool nic_fault_due(struct nic *n, u64 now);
/* The time of the next fault that matters to a NIC that is @idle (nothing to send, nothing to wait for) or not. */
u64 nic_fault_next(const struct nic *n, bool idle);
/* The next fault happens. */
void nic_fault_happen(struct nic *n);
/* Whether the frame was on the link when it went down. */
bool nic_frame_cut(const struct nic *n, const struct rx_frame *f);
/* The requested pauses are half over: PAUSE again. */
void nic_storm_repeat(struct nic *n);
/* Send a PFC frame: PAUSE for the classes of a storm, resume for those where it is over. 0 or -errno of io->send(). */
int nic_storm_send(struct nic *n, u64 now);

#endif
