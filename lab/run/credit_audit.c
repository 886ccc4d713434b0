// SPDX-License-Identifier: GPL-2.0
/* Credits at the end of a run: what both ends of a link have counted. */
#include "lab/run/credit_audit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "bpf/credit.h"

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

int credit_audit_check(const struct plan *f, const struct plan_memory *m, const struct host_report *hosts,
		       struct err *err)
{
	char name[64];

	for (u32 n = 0; f->fab.credits && n < f->size.ports; n++) {
		for (u32 c = 0; c < FAB_CLASSES; c++) {
			const struct credit_rx *r = &m->ports[n].credit_rx;
			u32 held = blocks_held(f, m, n, c);
			const struct credit_tx *t = m->ports[n].fault.down ? NULL : sender(f, m, hosts, n, held);

			if (agreed(&f->fab, r, t, c, held))
				continue;
			return err_set(
				err, -EPROTO,
				"credits: link into %s, class %u: %u blocks in the buffer, %u held, %u come, %u told; "
				"%u sent, %u heard",
				plan_port_name(f, n, name, sizeof(name)), c, held, r->held[c], r->received[c],
				r->advertised[c], t ? t->sent[c] : 0, t ? t->limit[c] : 0);
		}
	}
	return 0;
}
