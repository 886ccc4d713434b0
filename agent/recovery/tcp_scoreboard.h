/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP's loss recovery by selective acknowledgements (RFC 6675), counted in segments: full-sized ones, so that three
 * segments SACKed above another are its "more than (DupThresh - 1) * SMSS bytes". HighACK is the segment before
 * sqp.una, HighData the one before sqp.next, and sqp.sacked marks what was SACKed in between. Nothing is ever counted
 * anew: IsLost(), SetPipe() and NextSeg() read counters.
 */
#ifndef LOSSLAB_TCP_SCOREBOARD_H
#define LOSSLAB_TCP_SCOREBOARD_H

#include "agent/recovery/recovery.h"

#define DUP_THRESH 3

enum phase {
	PHASE_OPEN,
	PHASE_RECOVERY, /* "loss recovery" of RFC 6675, section 5: until all below point is acknowledged */
	PHASE_LOSS,     /* after a time-out: all below point is taken for lost, until it is acknowledged */
};

/* At the front of the connection's private state. All 0 to begin with. */
struct scoreboard {
	enum phase phase;
	u32 point;           /* one above RecoveryPoint */
	u32 rescue;          /* one above RescueRxt */
	u32 high_rxt;        /* the first segment above HighRxt, and above HighACK, that is not SACKed; or next */
	u32 sacked;          /* segments SACKed */
	u32 sacked_below;    /* ... of them below high_rxt */
	u32 sacked_beyond;   /* PHASE_LOSS: ... at point and above */
	u32 top[DUP_THRESH]; /* the highest of them, highest first; if there are fewer, stale ones below una or 0 */
	bool first;          /* step (4.3), the first retransmission, is still to be done: whatever cwnd says */
};

static inline struct scoreboard *scoreboard(const struct sqp *q)
{
	return (struct scoreboard *)q->priv;
}

/* IsLost() of all segments at once: those that are not SACKed are lost below this one, and not from it on. */
static inline u32 scoreboard_lost_end(const struct sqp *q)
{
	const struct scoreboard *b = scoreboard(q);

	if (b->phase == PHASE_LOSS)
		return b->point;
	return b->sacked < DUP_THRESH ? q->una : b->top[DUP_THRESH - 1];
}

/* SetPipe(): (a) what is neither SACKed nor lost, and (b) what is not SACKed up to HighRxt. */
static inline u32 scoreboard_pipe(const struct sqp *q)
{
	const struct scoreboard *b = scoreboard(q);
	u32 above = b->sacked < DUP_THRESH ? b->sacked : DUP_THRESH; /* SACKed at scoreboard_lost_end() and above */

	if (b->phase == PHASE_LOSS)
		above = b->sacked_beyond;
	return q->next - scoreboard_lost_end(q) - above + b->high_rxt - q->una - b->sacked_below;
}

/*
 * Update(): take in an acknowledgement. Leaves recovery if it covers RecoveryPoint (step A). Ranges are cut to what
 * was sent and not acknowledged. Returns how many segments were SACKed that had not been: if any, it was a duplicate
 * acknowledgement by the definition of section 2.
 */
u32 scoreboard_update(struct sqp *q, const struct ack_event *a);

/* Begin loss recovery (steps 4.1 and 4.3): the first retransmission is due. */
void scoreboard_enter(struct sqp *q);

/* Time-out (section 5.1): forget what was SACKed; all that was sent is lost. */
void scoreboard_expunge(struct sqp *q);

enum next_seg {
	SEG_NONE,
	SEG_HOLE,   /* rules (1) and (3), and step (4.3) */
	SEG_NEW,    /* rule (2) */
	SEG_RESCUE, /* rule (4) */
};

/*
 * NextSeg(), for someone whom cwnd allows a segment. PHASE_OPEN: only rule (2) (step 3.3, and RFC 5681). PHASE_LOSS,
 * for which RFC 6675 has no algorithm (5.1): rules (1) and (2), with all below point lost and all else not.
 */
enum next_seg scoreboard_next_seg(const struct sqp *q);

/* Note that it is being sent, what NextSeg() said (not SEG_NONE), and return its number. */
u32 scoreboard_send(struct sqp *q, enum next_seg which);

#endif
