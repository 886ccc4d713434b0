// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of a NIC and its link, by a plan known beforehand: the link breaks and mends; the NIC pauses its switch for
 * ever (a PAUSE storm, as broken NICs do). A fault comes before all else that happens at its instant.
 */
#include "agent/nic/nic_impl.h"

#include <string.h>

#include "bpf/credit.h"
#include "bpf/fault.h"
#include "bpf/pfc.h"

void nic_fault_init(struct nic *n)
{
	n->storm_again = TIME_NEVER;
}

/* Whether a fault happens no later than @now. */
bool nic_fault_due(struct nic *n, u64 now)
{
	return n->fault < n->par->n_faults && n->par->faults[n->fault].at <= now;
}

/*
 * The next fault's time, or TIME_NEVER. A NIC that is @idle, with nothing to send or wait for, need not rise for a
 * link's, unless it has a storm to go on with: it looks when something comes. So a run may end before its faults do.
 */
u64 nic_fault_next(const struct nic *n, bool idle)
{
	u32 end = idle && !n->storm ? n->par->n_storms : n->par->n_faults;

	return n->fault < end ? n->par->faults[n->fault].at : TIME_NEVER;
}

/* fc=credit: the link is initialised, and the switch has yet to say what there is room for: bpf/credit.h. */
static void restart_credits(struct nic *n, u64 at)
{
	for (u32 c = 0; c < FAB_CLASSES; c++)
		credit_restart_tx(&n->credit, &n->pause, c, at);
}

/* All that PFC or credits have told the transmitter is void. */
static void forget_pauses(struct nic *n, u64 at)
{
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		pause_account(&n->pause, c, at);
		n->pause.until[c] = 0;
	}
}

/* The next fault happens. */
void nic_fault_happen(struct nic *n)
{
	const struct nic_fault *f = &n->par->faults[n->fault++];

	n->clock = f->at;
	switch (f->kind) {
	case NIC_LINK_DOWN:
		n->down = true;
		n->cut = f->at;
		n->storm_pending = 0;
		n->storm_again = TIME_NEVER;
		forget_pauses(n, f->at);
		break;
	case NIC_LINK_UP:
		if (!n->down)
			break;
		if (n->par->credits)
			restart_credits(n, f->at);
		n->down = false;
		n->storm_pending = n->storm;
		break;
	case NIC_STORM_ON:
		n->storm |= 1 << f->class;
		break;
	case NIC_STORM_OFF:
		n->storm &= ~(1 << f->class);
		break;
	}
	if ((f->kind == NIC_STORM_ON || f->kind == NIC_STORM_OFF) && !n->down)
		n->storm_pending |= 1 << f->class;
}

/* Whether the frame was on the link when it broke. */
bool nic_frame_cut(const struct nic *n, const struct rx_frame *f)
{
	return fault_cut(n->cut, f->arrival, f->len, n->par->ps_per_byte, n->par->delay);
}

/* The pauses told are half over. */
void nic_storm_repeat(struct nic *n)
{
	n->storm_again = TIME_NEVER;
	n->storm_pending |= n->storm;
}

/* Send a PFC frame: PAUSE for the classes of a storm, resume for those where it is over. */
int nic_storm_send(struct nic *n, u64 now)
{
	u8 pause = n->storm_pending & n->storm, resume = n->storm_pending & ~n->storm;
	struct tx_frame f = { .head_len = PFC_LEN, .len = PFC_LEN };

	pfc_build(f.head, 0, pause, resume, n->par->quanta);
	mac_put_host(f.head + 6, n->par->host);
	n->storm_pending = 0;
	for (u32 c = 0; c < FAB_CLASSES; c++)
		n->stats.class_pause_tx[c] += pause >> c & 1;
	if (pause) {
		n->stats.pause_tx++;
		n->storm_again = now + pfc_quanta_time(n->par->quanta, n->par->ps_per_byte) / 2;
	} else {
		n->stats.resume_tx++;
	}
	n->busy_until = now + (u64)wire_bytes(f.len) * n->par->ps_per_byte;
	f.arrival = n->busy_until + n->par->delay;
	return n->io->send(n->io->ctx, &f);
}
