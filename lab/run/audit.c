// SPDX-License-Identifier: GPL-2.0-or-later
/* Conservation: every frame and every credit of a run is accounted for. */
#include "lab/run/audit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "bpf/credit.h"

/* ---- frames ---- */

struct audit {
	const struct plan *f;
	const struct plan_memory *m;
	const struct host_report *hosts;
};

/* Frames, PFC not counted, that have reached port @n and not been handled. */
static u64 in_arrival_queue(const struct audit *a, u32 n)
{
	u32 waiting = a->m->rx[n].tail - a->m->ports[n].arrq_head;
	u64 count = 0;

	for (u32 i = 0; i < waiting && i <= a->f->ports[n].arrq_mask; i++) {
		const struct frame *f = plan_arrival(a->f, a->m, n, a->m->ports[n].arrq_head + i);

		count += f && !(f->flags & FRAME_PFC);
	}
	return count;
}

/* Frames in the queues of a switch of @ports ports that stand from @base on. A list without end counts too many. */
static u64 in_voqs(const struct audit *a, u32 base, u32 ports)
{
	u64 count = 0, most = (u64)a->f->size.small + a->f->size.large;

	for (u32 v = base; v < base + plan_voqs(ports); v++) {
		const struct frame *f = plan_frame(a->f, a->m, a->m->voqs[v].head);

		for (; f && count <= most; f = plan_frame(a->f, a->m, f->next))
			count++;
	}
	return count;
}

/* What the far end of switch port @n has put on the link, as far as it was not lost on purpose. */
static u64 sent_towards(const struct audit *a, u32 n)
{
	u32 peer = a->f->ports[n].peer;

	if (peer & PEER_HOST)
		return a->hosts[peer & ~PEER_HOST].stats.tx_frames;
	return a->m->ports[peer].stats.tx_frames - a->m->ports[peer].stats.lost_out_frames;
}

/* Every link into a switch: what was sent has been handled or is waiting. */
static int check_links(const struct audit *a, struct run_result *r, struct err *err)
{
	char name[64];

	for (u32 n = 0; n < a->f->size.ports; n++) {
		u64 waiting = in_arrival_queue(a, n), handled = a->m->ports[n].stats.rx_frames,
		    sent = sent_towards(a, n);

		r->queued += waiting;
		if (sent == handled + waiting)
			continue;
		return err_set(err, -EPROTO, "frames: link into %s: %llu sent, %llu handled, %llu waiting",
			       plan_port_name(a->f, n, name, sizeof(name)), sent, handled, waiting);
	}
	return 0;
}

/* Every switch: what came in has gone out, been dropped, or is queued. */
static int check_switches(const struct audit *a, struct run_result *r, struct err *err)
{
	u32 voqs = 0;

	for (u32 s = 0; s < a->f->size.switches; s++) {
		u32 ports = a->f->topo->nodes[a->f->topo->switches[s]].n_ports;
		u64 in = 0, out = 0, dropped = 0, queued = in_voqs(a, voqs, ports);

		voqs += plan_voqs(ports);
		for (u32 i = 0; i < ports; i++) {
			const struct port_stats *st = &a->m->ports[a->f->port_base[s] + i].stats;

			in += st->rx_frames;
			out += st->tx_frames;
			for (u32 d = 0; d < FAB_DROPS; d++)
				dropped += st->drops[d];
			dropped -= st->lost_out_frames;
		}
		r->queued += queued;
		if (in == out + dropped + queued)
			continue;
		return err_set(err, -EPROTO, "frames: switch %s: %llu in, %llu out, %llu dropped, %llu queued",
			       a->f->topo->nodes[a->f->topo->switches[s]].name, in, out, dropped, queued);
	}
	return 0;
}

/* All in all, and on the links into hosts. */
static int check_total(const struct audit *a, struct run_result *r, struct err *err)
{
	for (u32 h = 0; h < a->f->size.hosts; h++) {
		const struct port_stats *st = &a->m->ports[a->f->host_port[h]].stats;
		u64 came;

		r->sent += a->hosts[h].stats.tx_frames;
		r->delivered += a->hosts[h].stats.rx_frames;
		r->hops_data += a->hosts[h].stats.tx_data;
		r->hops_ack += a->hosts[h].stats.tx_frames - a->hosts[h].stats.tx_data;
		r->dropped += a->hosts[h].stats.lost_link;
		r->sent_data += a->hosts[h].stats.tx_data;
		r->dropped_data += a->hosts[h].stats.lost_link_data;
		came = a->hosts[h].stats.rx_frames + a->hosts[h].stats.lost_link;
		if (st->tx_frames - st->lost_out_frames < came) {
			return err_set(err, -EPROTO, "frames: link to host %s: more received than sent",
				       a->f->topo->nodes[a->f->topo->hosts[h]].name);
		}
		r->queued += st->tx_frames - st->lost_out_frames - came;
	}
	for (u32 n = 0; n < a->f->size.ports; n++) {
		const struct port_stats *st = &a->m->ports[n].stats;

		for (u32 d = 0; d < FAB_DROPS; d++) {
			r->dropped += st->drops[d];
			r->dropped_data += st->data_drops[d];
		}
		r->hops_data += st->tx_data;
		r->hops_ack += st->tx_frames - st->tx_data;
	}
	if (r->sent == r->delivered + r->dropped + r->queued)
		return 0;
	return err_set(err, -EPROTO, "frames: %llu sent, but %llu delivered + %llu dropped + %llu queued", r->sent,
		       r->delivered, r->dropped, r->queued);
}

int audit_frames(const struct plan *f, const struct plan_memory *m, const struct host_report *hosts,
		 struct run_result *r, struct err *err)
{
	const struct audit a = { .f = f, .m = m, .hosts = hosts };
	int rc = check_links(&a, r, err);

	if (!rc)
		rc = check_switches(&a, r, err);
	return rc ? rc : check_total(&a, r, err);
}

/* ---- credits ---- */

/* Blocks of @class that came in by port @n and wait in its switch, in whichever of its queues (bpf/voq.h). */
static u32 blocks_held(const struct plan *f, const struct plan_memory *m, u32 n, u32 class)
{
	const struct sw *s = &m->switches[f->ports[n].sw];
	u32 blocks = 0;

	for (u32 v = class; v < plan_voqs(s->n_ports); v += FAB_CLASSES)
		for (u32 id = m->voqs[s->voq_base + v].head; id != FAB_NONE; id = m->frames[id].next)
			if (m->frames[id].in_port == n - s->port_base)
				blocks += credit_blocks(m->frames[id].len);
	return blocks;
}

/* Has port @n handled all that was sent to it? */
static bool all_handled(const struct plan_memory *m, u32 n)
{
	return m->ports[n].arrq_head == m->rx[n].tail;
}

/*
 * What the sender into port @n counts; NULL while something is on the link, or where it is a NIC that need not have
 * noticed that its link has mended: one with nothing to do looks when something comes (nic_fault_next()), and that is
 * word of its credits, unless the buffer still has frames from before the break, @held blocks.
 */
static const struct credit_tx *sender(const struct plan *f, const struct plan_memory *m,
				      const struct host_report *hosts, u32 n, u32 held)
{
	u32 peer = f->ports[n].peer;

	if (!all_handled(m, n))
		return NULL;
	if (!(peer & PEER_HOST))
		return all_handled(m, peer) ? &m->ports[peer].credit_tx : NULL;
	return m->nodes[f->ports[n].peer_node].next == TIME_NEVER && !held ? &hosts[peer & ~PEER_HOST].credit : NULL;
}

static bool agreed(const struct fab_cfg *cfg, const struct credit_rx *r, const struct credit_tx *t, u32 class, u32 held)
{
	u32 promised = r->advertised[class] - r->received[class], room = cfg->credits - held;

	if (r->held[class] != held || held > cfg->credits || promised > room)
		return false;
	if (!t)
		return true;
	return t->sent[class] == r->received[class] && t->limit[class] == r->advertised[class] &&
		(held || room - promised < cfg->credit_step);
}

int audit_credits(const struct plan *f, const struct plan_memory *m, const struct host_report *hosts, struct err *err)
{
	char name[64];

	for (u32 n = 0; f->fab.credits && n < f->size.ports; n++) {
		for (u32 c = 0; c < FAB_CLASSES; c++) {
			const struct credit_rx *r = &m->ports[n].credit_rx;
			u32 held = blocks_held(f, m, n, c);
			const struct credit_tx *t = m->ports[n].fault.down ? NULL : sender(f, m, hosts, n, held);

			if (agreed(&f->fab, r, t, c, held))
				continue;
			return err_set(err, -EPROTO,
				       "credits: link into %s, class %u: %u blocks in the buffer, %u held, %u "
				       "received, %u advertised; "
				       "%u sent, %u heard",
				       plan_port_name(f, n, name, sizeof(name)), c, held, r->held[c], r->received[c],
				       r->advertised[c], t ? t->sent[c] : 0, t ? t->limit[c] : 0);
		}
	}
	return 0;
}
