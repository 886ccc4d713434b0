// SPDX-License-Identifier: GPL-2.0
/* The NIC's life: set-up, the loop over events in order of virtual time, reports. */
#include "agent/nic_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "bpf/hash.h"
#include "bpf/parse.h"
#include "bpf/pfc.h"

static int compare_starts(const void *a, const void *b, void *arg)
{
	const struct nic *n = arg;
	const struct flow *x = &n->par->flows->flows[((const struct source *)a)->flow];
	const struct flow *y = &n->par->flows->flows[((const struct source *)b)->flow];
	u64 rx, ry;

	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	rx = tie_rank(n->par->seed, n->par->node, x->id, x->start_ps);
	ry = tie_rank(n->par->seed, n->par->node, y->id, y->start_ps);
	return rx < ry ? -1 : rx > ry;
}

static int open_source(struct nic *n, struct source *s)
{
	s->qp.par = &n->par->recovery;
	s->qp.n_packets = packet_count(&n->par->rules, n->par->flows->flows[s->flow].bytes);
	s->qp.armed = TIME_NEVER;
	return n->par->ops->open(&s->qp, NULL);
}

static int open_sink(struct nic *n, struct rqp *r, u32 flow)
{
	u32 window;

	r->n_packets = packet_count(&n->par->rules, n->par->flows->flows[flow].bytes);
	if (!n->par->ops->sacks)
		return 0;
	window = n->par->recovery.cap < r->n_packets ? n->par->recovery.cap : r->n_packets;
	return bitmap_init(&r->got, window) || bitmap_init(&r->last, window);
}

static int open_connections(struct nic *n)
{
	const struct flow_table *t = n->par->flows;
	u32 src = 0, dst = 0;

	for (u32 i = 0; i < t->n; i++) {
		n->n_sources += t->flows[i].src == n->par->host;
		n->n_sinks += t->flows[i].dst == n->par->host;
	}
	n->sources = calloc(n->n_sources + 1, sizeof(*n->sources));
	n->sinks = calloc(n->n_sinks + 1, sizeof(*n->sinks));
	if (!n->sources || !n->sinks || timers_init(&n->timers, n->n_sources))
		return -ENOMEM;
	for (u32 i = 0; i < t->n; i++) {
		if (t->flows[i].src == n->par->host)
			n->sources[src++].flow = i;
		if (t->flows[i].dst == n->par->host) {
			t->dst_index[i] = dst;
			if (open_sink(n, &n->sinks[dst++], i))
				return -ENOMEM;
		}
	}
	qsort_r(n->sources, n->n_sources, sizeof(*n->sources), compare_starts, n);
	for (u32 s = 0; s < n->n_sources; s++) {
		t->src_index[n->sources[s].flow] = s;
		if (open_source(n, &n->sources[s]))
			return -ENOMEM;
	}
	return 0;
}

struct nic *nic_new(const struct nic_params *par, const struct nic_io *io)
{
	struct nic *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->par = par;
	n->io = io;
	n->ready_head = n->ready_tail = FAB_NONE;
	n->ctrl_mask = 255;
	n->ctrl = calloc(n->ctrl_mask + 1, sizeof(*n->ctrl));
	pause_init(&n->pause);
	if (!n->ctrl || open_connections(n)) {
		nic_free(n);
		return NULL;
	}
	return n;
}

void nic_free(struct nic *n)
{
	for (u32 s = 0; n->sources && s < n->n_sources; s++)
		bitmap_free(&n->sources[s].qp.sacked);
	for (u32 s = 0; n->sinks && s < n->n_sinks; s++) {
		bitmap_free(&n->sinks[s].got);
		bitmap_free(&n->sinks[s].last);
	}
	timers_free(&n->timers);
	free(n->sources);
	free(n->sinks);
	free(n->ctrl);
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

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

static u64 next_key(struct nic *n, struct rx_frame *f)
{
	u64 key = receive_key(n, f);

	key = least(key, key_at(nic_timer_next(n), EV_TIMER));
	return least(key, key_at(nic_transmit_next(n), EV_DEPARTURE));
}

int nic_advance(struct nic *n, u64 until)
{
	struct rx_frame f;
	int err = 0;

	while (!err) {
		u64 key = next_key(n, &f), now = KEY_TIME(key);

		if (key == KEY_NEVER || now >= until)
			break;
		if (now < n->clock)
			return -ETIME;
		n->clock = now;
		if (KEY_KIND(key) == EV_DEPARTURE)
			err = nic_transmit(n, now);
		else if (KEY_KIND(key) == EV_TIMER)
			nic_timer_event(n, now);
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

u64 nic_clock(const struct nic *n)
{
	return n->clock;
}

void nic_report(const struct nic *n)
{
	for (u32 s = 0; s < n->n_sources; s++) {
		struct flow_result *r = &n->par->flows->results[n->sources[s].flow];
		const struct flow_result *c = &n->sources[s].count;

		r->packets_sent = c->packets_sent;
		r->retransmitted = c->retransmitted;
		r->timeouts = c->timeouts;
		r->nacks = c->nacks;
		r->acked = n->sources[s].qp.una == n->sources[s].qp.n_packets;
	}
}
