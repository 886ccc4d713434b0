/* SPDX-License-Identifier: GPL-2.0 */
/* The inside of a NIC, shared by nic.c (events, port), nic_tx.c (requesters) and nic_rx.c (frames received). */
#ifndef LOSSLAB_NIC_IMPL_H
#define LOSSLAB_NIC_IMPL_H

#include "agent/nic.h"

/* A requester and its place in the NIC. */
struct source {
	struct sqp qp;
	u32 flow;
	u32 next_ready;  /* the connection behind it in the round-robin, or FAB_NONE */
	bool ready;      /* in the round-robin */
	bool timer_held; /* has an entry in the heap */
	struct flow_result count;
};

/* An ACK or NAK that waits for the port. */
struct control {
	u32 flow;
	u32 psn;
	u32 msn;
	u8 syndrome;
};

struct nic {
	const struct nic_params *par;
	const struct nic_io *io;
	u64 clock;
	u64 busy_until;
	struct pause_state pause;

	struct source *sources; /* in order of their flows' starts */
	u32 n_sources;
	u32 started;                /* of them, how many have begun */
	u32 ready_head, ready_tail; /* round-robin of connections that may send */
	struct timers timers;

	struct rqp *sinks;
	u32 n_sinks;

	struct control *ctrl; /* ring */
	u32 ctrl_head, ctrl_tail, ctrl_mask;

	struct nic_stats stats;
};

static inline bool nic_is_pfc(const struct rx_frame *f)
{
	return f->have >= ETH_LEN && get16(f->head + 12) == ETHERTYPE_MACC;
}

/* nic_tx.c */
void source_ready(struct nic *n, u32 s);
void source_timer(struct nic *n, u32 s, bool restart);
void source_acked(struct nic *n, u32 s, const struct ack_event *a);
void nic_timer_event(struct nic *n, u64 now);
u64 nic_timer_next(const struct nic *n);
int nic_transmit(struct nic *n, u64 now);
u64 nic_transmit_next(const struct nic *n);

/* nic_rx.c */
int nic_receive(struct nic *n, const struct rx_frame *f);
int control_push(struct nic *n, const struct control *c);

#endif
