// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packet i leaves stage h at D(i,h) = max(D(i-1,h), D(i,h-1) + delay) + service. The train is periodic: a period is a
 * packet amid packets of one length, or a message amid equal messages. After a few periods each stage falls into one of
 * two modes, in which one more period only adds a constant to all its departures. So count periods instead of walking
 * them.
 *
 * Let all arrivals at a stage be s later than one period before (s = 0 at the first stage: all packets are ready at
 * once), and let d be how much later the stage has finished its period than the one before.
 *
 *   followed: d = s. The next period begins with the same backlog and has the same arrivals, all s later, so it ends s
 *     later, and so does each period after it.
 *   busy: every packet of the period found the stage still busy, so d is the service of a whole period, whatever the
 *     arrivals. That holds on as long as no packet finds the stage idle. With d >= s the backlog never shrinks. With
 *     d < s each packet's wait shrinks by s - d per period, and the shortest wait says how many periods are left.
 *
 * In either mode the stage's departures are d later each period: that is s of the next stage. A stage in neither mode
 * is in transition, and periods are walked until it has settled. It does so within two periods after the stages before
 * it, and a stage that has run out of backlog stays followed. So the number of periods walked goes by stages.
 */
#include "lab/plan/pipeline.h"

#include <stddef.h>

#include "bpf/arbiter.h"

/* What stages have seen over some packets, and where they stood before. */
struct watch {
	u64 free[PIPELINE_STAGES_MAX]; /* at the beginning */
	u64 wait[PIPELINE_STAGES_MAX]; /* the shortest of a packet, if none found the stage idle */
	bool idle[PIPELINE_STAGES_MAX];
};

static u64 service(const struct stage *s, u32 wire)
{
	return s->speedup ? xbar_time(wire, s->ps_per_byte, s->speedup) : (u64)wire * s->ps_per_byte;
}

static void watch_begin(struct watch *w, const struct pipeline *p)
{
	for (u32 h = 0; h < p->n; h++) {
		w->free[h] = p->stage[h].free;
		w->wait[h] = TIME_NEVER;
		w->idle[h] = false;
	}
}

static u64 walk(struct pipeline *p, struct watch *w, u32 wire, u64 at)
{
	for (u32 h = 0; h < p->n; h++) {
		struct stage *s = &p->stage[h];

		if (at > s->free)
			w->idle[h] = true;
		else
			w->wait[h] = min64(w->wait[h], s->free - at);
		s->free = max64(at, s->free) + service(s, wire);
		at = s->free + s->delay;
	}
	return at;
}

u64 pipeline_packet(struct pipeline *p, u32 wire, u64 at)
{
	struct watch w;

	watch_begin(&w, p);
	return walk(p, &w, wire, at);
}

/* How many more periods, at most @left, all stages go on as in the one that @w has seen. */
static u64 steady_for(const struct pipeline *p, const struct watch *w, u64 left)
{
	u64 s = 0;

	for (u32 h = 0; h < p->n && left; h++) {
		u64 d = p->stage[h].free - w->free[h];

		if (d != s && w->idle[h])
			return 0;
		if (d < s)
			left = min64(left, w->wait[h] / (s - d));
		s = d;
	}
	return left;
}

/*
 * Let @n periods pass as the one that @w has seen. @outer watches packets of a longer period that this one is part of.
 * A busy stage's wait is linear in time, so the shortest is at one of the ends; a stage that follows repeats its waits.
 */
static void skip(struct pipeline *p, const struct watch *w, u64 n, struct watch *outer)
{
	u64 s = 0;

	for (u32 h = 0; h < p->n; h++) {
		u64 d = p->stage[h].free - w->free[h];

		if (outer && d < s)
			outer->wait[h] = min64(outer->wait[h], w->wait[h] - n * (s - d));
		p->stage[h].free += n * d;
		s = d;
	}
}

static void watch_merge(struct watch *outer, const struct watch *w, u32 n)
{
	for (u32 h = 0; h < n; h++) {
		outer->wait[h] = min64(outer->wait[h], w->wait[h]);
		outer->idle[h] |= w->idle[h];
	}
}

/* @n packets of @wire bytes each. */
static void walk_equal(struct pipeline *p, struct watch *outer, u32 n, u32 wire, u64 at)
{
	struct watch w;

	while (n) {
		u64 steady;

		watch_begin(&w, p);
		walk(p, &w, wire, at);
		watch_merge(outer, &w, p->n);
		n--;
		steady = steady_for(p, &w, n);
		skip(p, &w, steady, outer);
		n -= (u32)steady;
	}
}

static void walk_message(struct pipeline *p, struct watch *w, const struct train_message *m, u64 at)
{
	walk(p, w, m->first, at);
	if (m->packets > 2)
		walk_equal(p, w, m->packets - 2, m->middle, at);
	if (m->packets > 1)
		walk(p, w, m->last, at);
}

u64 pipeline_train(struct pipeline *p, const struct train *t, u64 at)
{
	struct watch w;

	for (u64 left = t->full; left;) {
		u64 steady;

		watch_begin(&w, p);
		walk_message(p, &w, &t->each, at);
		left--;
		steady = steady_for(p, &w, left);
		skip(p, &w, steady, NULL);
		left -= steady;
	}
	if (t->tail.packets) {
		watch_begin(&w, p);
		walk_message(p, &w, &t->tail, at);
	}
	return p->stage[p->n - 1].free + p->stage[p->n - 1].delay;
}
