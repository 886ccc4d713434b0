// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP's loss recovery by selective acknowledgements (RFC 6675). See tcp_scoreboard.h. */
#include "agent/recovery/tcp_scoreboard.h"

/* HighRxt may pass what is SACKed: neither SetPipe() nor NextSeg() looks there. Then rules (1) and (3) need no search.
 */
static void skip_sacked(struct sqp *q)
{
	struct scoreboard *b = scoreboard(q);
	u32 hole = bitmap_next_clear(&q->sacked, b->high_rxt, q->next);

	b->sacked_below += hole - b->high_rxt;
	b->high_rxt = hole;
}

static void forget_sacked(struct sqp *q, u32 n)
{
	struct scoreboard *b = scoreboard(q);

	if (!bitmap_test(&q->sacked, n))
		return;
	bitmap_clear(&q->sacked, n);
	b->sacked--;
	b->sacked_below -= n < b->high_rxt;
}

static void open_phase(struct sqp *q)
{
	struct scoreboard *b = scoreboard(q);

	b->phase = PHASE_OPEN;
	b->high_rxt = q->una; /* step (3.1) */
	b->sacked_below = 0;
}

/* The receiver says that una is missing, which it had SACKed (reneging: RFC 2018, section 8): it must be sent again. */
static void take_back(struct sqp *q)
{
	struct scoreboard *b = scoreboard(q);

	forget_sacked(q, q->una);
	b->high_rxt = q->una;
	b->sacked_below = 0;
}

static void advance_una(struct sqp *q, u32 cum)
{
	struct scoreboard *b = scoreboard(q);

	for (u32 n = q->una; n < cum; n++)
		forget_sacked(q, n);
	q->una = cum;
	if (b->high_rxt < cum)
		b->high_rxt = cum;
	if (bitmap_test(&q->sacked, cum))
		take_back(q);
	b->first = false; /* it was acknowledged, so it was not lost; what is now the first may not be either */
	if (b->phase != PHASE_OPEN && cum >= b->point)
		open_phase(q);
}

static void sack(struct sqp *q, u32 n)
{
	struct scoreboard *b = scoreboard(q);
	u32 at = DUP_THRESH;

	bitmap_set(&q->sacked, n);
	b->sacked++;
	b->sacked_below += n < b->high_rxt;
	b->sacked_beyond += n >= b->point;
	for (; at && b->top[at - 1] < n; at--)
		if (at < DUP_THRESH)
			b->top[at] = b->top[at - 1];
	if (at < DUP_THRESH)
		b->top[at] = n;
}

u32 scoreboard_update(struct sqp *q, const struct ack_event *a)
{
	u32 before;

	if (a->cum > q->una)
		advance_una(q, a->cum);
	before = scoreboard(q)->sacked;
	for (u32 i = 0; i < a->n_ranges; i++) {
		/* never una itself: it is missing, or the cumulative acknowledgement would have passed it */
		u32 n = a->ranges[i].from > q->una ? a->ranges[i].from : q->una + 1;
		u32 to = a->ranges[i].to < q->next ? a->ranges[i].to : q->next;

		while ((n = bitmap_next_clear(&q->sacked, n, to)) < to)
			sack(q, n++);
	}
	skip_sacked(q);
	return scoreboard(q)->sacked - before;
}

void scoreboard_enter(struct sqp *q)
{
	struct scoreboard *b = scoreboard(q);

	b->phase = PHASE_RECOVERY;
	b->point = q->next;
	b->rescue = q->una + 1;
	b->first = true;
}

void scoreboard_expunge(struct sqp *q)
{
	struct scoreboard *b = scoreboard(q);

	for (u32 n = q->una; n <= b->top[0]; n++)
		bitmap_clear(&q->sacked, n);
	*b = (struct scoreboard){ .phase = PHASE_LOSS, .point = q->next, .high_rxt = q->una };
}

static bool may_send_new(const struct sqp *q)
{
	u32 most = q->window < q->par->cap ? q->window : q->par->cap;

	return q->next < q->limit && q->next - q->una < most;
}

enum next_seg scoreboard_next_seg(const struct sqp *q)
{
	const struct scoreboard *b = scoreboard(q);

	if (b->phase != PHASE_OPEN && b->high_rxt < scoreboard_lost_end(q))
		return SEG_HOLE;
	if (may_send_new(q))
		return SEG_NEW;
	if (b->phase != PHASE_RECOVERY)
		return SEG_NONE;
	if (b->high_rxt < b->top[0])
		return SEG_HOLE;
	return q->una > b->rescue ? SEG_RESCUE : SEG_NONE;
}

u32 scoreboard_send(struct sqp *q, enum next_seg which)
{
	struct scoreboard *b = scoreboard(q);
	u32 n;

	if (which == SEG_NEW) {
		n = q->next++;
	} else if (which == SEG_HOLE) {
		n = b->high_rxt++;
		b->first = false;
	} else {
		for (n = q->next - 1; bitmap_test(&q->sacked, n); n--)
			;
		b->rescue = b->point; /* one per recovery; HighRxt stays */
	}
	skip_sacked(q);
	return n;
}
