// SPDX-License-Identifier: GPL-2.0-or-later
/* The NIC's life: the loop over events in order of virtual time, reports. */
#include "agent/nic/nic_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "bpf/parse.h"
#include "bpf/pfc.h"

struct nic *nic_new(const struct nic_params *par, const struct nic_io *io)
{
	struct nic *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->par = par;
	n->io = io;
	n->fetches = par->qp.retx_fetch || par->ops->fetch_sender;
	pause_init(&n->pause);
	nic_fault_init(n);
	for (u32 c = 0; c < FAB_CLASSES; c++)
		n->credit.limit[c] = par->credits;
	if (nic_open_connections(n)) {
		nic_free(n);
		return NULL;
	}
	return n;
}

void nic_free(struct nic *n)
{
	nic_close_connections(n);
	for (u32 c = 0; c < FAB_CLASSES; c++)
		free(n->control[c].ring);
	free(n);
}

static u64 receive_key(struct nic *n, struct rx_frame *f)
{
	if (!n->io->peek(n->io->ctx, f))
		return KEY_NEVER;
	return KEY(f->arrival, nic_is_pfc(f) ? EV_PFC_ARRIVAL : EV_ARRIVAL);
}

static u64 key_at(u64 time, enum event_kind kind)
{
	return time == TIME_NEVER ? KEY_NEVER : KEY(time, kind);
}

static u64 next_key(struct nic *n, struct rx_frame *f)
{
	u64 key = receive_key(n, f);

	key = min64(key, key_at(nic_timer_next(n), EV_TIMER));
	key = min64(key, key_at(nic_transmit_next(n), EV_DEPARTURE));
	return min64(key, key_at(nic_fault_next(n, key == KEY_NEVER && !nic_has_frames(n)), EV_PFC_ARRIVAL));
}

int nic_advance(struct nic *n, u64 until)
{
	struct rx_frame f;
	int err = 0;

	while (!err) {
		u64 key = next_key(n, &f), now = KEY_TIME(key);

		if (key == KEY_NEVER || now >= until)
			break;
		if (nic_fault_due(n, now)) {
			nic_fault_happen(n);
			continue;
		}
		if (now < n->clock)
			return -ETIME;
		n->clock = now;
		if (KEY_KIND(key) == EV_DEPARTURE)
			err = nic_transmit(n, now);
		else if (KEY_KIND(key) == EV_TIMER)
			err = nic_timer_event(n, now);
		else
			err = nic_receive(n, &f);
	}
	return err;
}

u64 nic_next(struct nic *n)
{
	struct rx_frame f;
	u64 key = next_key(n, &f);

	return key == KEY_NEVER ? TIME_NEVER : KEY_TIME(key);
}

const struct nic_stats *nic_stats(const struct nic *n)
{
	return &n->stats;
}

const struct pause_state *nic_pause(const struct nic *n)
{
	return &n->pause;
}

const struct credit_tx *nic_credit(const struct nic *n)
{
	return &n->credit;
}

u64 nic_clock(const struct nic *n)
{
	return n->clock;
}

void nic_recovery_stats(const struct nic *n, struct recovery_stats *s)
{
	*s = (struct recovery_stats){ 0 };
	if (n->par->ops->host_stats)
		n->par->ops->host_stats(n->shared, s);
}

void nic_report(const struct nic *n)
{
	for (u32 s = 0; s < n->n_senders; s++) {
		struct flow_result *r = &n->par->flows->results[n->senders[s].flow];
		const struct flow_result *c = &n->senders[s].count;

		r->packets_sent = c->packets_sent;
		r->retransmitted = c->retransmitted;
		r->timeouts = c->timeouts;
		r->nacks = c->nacks;
		r->cnps = c->cnps;
		r->rnr_naks = c->rnr_naks;
		r->acked = n->senders[s].qp.una == n->senders[s].qp.n_packets;
	}
	for (u32 s = 0; s < n->n_receivers; s++) {
		const struct rqp *q = &n->receivers[s].qp;

		n->par->flows->results[q->flow->id].received_bytes =
			q->expected == q->n_packets ? q->flow->bytes : packet_offset(&n->par->rules, q->expected);
	}
	for (u32 r = 0; r < n->n_requesters; r++)
		n->par->flows->results[n->requesters[r].flow].requester_timeouts = n->requesters[r].timeouts;
}

static u64 bitmap_bytes(const struct bitmap *b)
{
	return b->words ? (b->mask + 1ULL) / 8 : 0;
}

u64 nic_memory(const struct nic *n)
{
	u64 sum = n->n_senders * (sizeof(*n->senders) + (n->ccs ? sizeof(*n->ccs) : 0)) +
		n->n_receivers * sizeof(*n->receivers) + n->n_requesters * sizeof(*n->requesters);

	for (u32 s = 0; s < n->n_senders; s++)
		sum += bitmap_bytes(&n->senders[s].qp.sacked);
	for (u32 s = 0; s < n->n_receivers; s++)
		sum += bitmap_bytes(&n->receivers[s].qp.got) + bitmap_bytes(&n->receivers[s].qp.last);
	return sum;
}
