// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Windows of virtual time (conservative lookahead): nothing that a node does in [T, T+W) reaches another before
 * T+W, W being the shortest delay of any link, so within a window nodes are independent.
 */
#include "lab/run/conductor.h"

#include <errno.h>
#include <stdlib.h>

#include "lab/interrupt.h"
#include "lab/run/hang.h"

#define WINDOWS_PER_REPORT 256 /* between two calls of progress() */

/* The earliest event anywhere. */
static u64 earliest(struct conductor *c)
{
	const struct plan *f = c->engine->plan;
	struct node_cell *cell = c->engine->mem.nodes;
	u64 next = TIME_NEVER;

	for (u32 n = 0; n < f->size.switches + f->size.hosts; n++) {
		if (cell[n].arrival < cell[n].next)
			cell[n].next = cell[n].arrival;
		cell[n].arrival = TIME_NEVER;
		if (cell[n].next < next)
			next = cell[n].next;
	}
	return next;
}

struct watch {
	struct hang_watch hang;
	u32 ended;   /* flows before this one have all ended */
	u64 end;     /* the run's, whatever is still on its way */
	u64 packets; /* new packets received by all hosts */
};

/* Add up what the hosts have reported. */
static void add_up(struct conductor *c, struct watch *w)
{
	w->packets = 0;
	c->completed = 0;
	for (u32 h = 0; h < c->engine->plan->size.hosts; h++) {
		w->packets += c->engine->hosts[h].fresh;
		c->completed += c->engine->hosts[h].completed;
	}
}

/* Look for a deadlock. 1: there is one, and the run is over; 0; or -ENOMEM. */
static int look_for_deadlock(struct conductor *c, u64 now)
{
	int rc = deadlock_find(c->engine->plan, &c->engine->mem, now, &c->deadlock);

	if (rc == 1) {
		c->now = now;
		c->status = "deadlock";
	}
	return rc;
}

/* Nothing will happen any more, or nothing that matters: done, or flows are left. 1, or -ENOMEM. */
static int end_of_events(struct conductor *c)
{
	int rc = unfinished_flows(c->engine->plan, TIME_NEVER) ? look_for_deadlock(c, c->now) : 0;

	if (!rc)
		c->status = unfinished_flows(c->engine->plan, TIME_NEVER) ? "stuck" : "done";
	return rc < 0 ? rc : 1;
}

/* Does the run hang at its next event, @now? 1 with c->status, 0, or -ENOMEM. */
static int hangs(struct conductor *c, struct watch *w, u64 now)
{
	const struct plan *f = c->engine->plan;
	struct hang_state s = {
		.now = f->cfg->stop_at ? min64(now, f->cfg->stop_at) : now,
		.packets = w->packets,
		.completed = c->completed,
		.fault_pending = faults_next(&c->faults, &f->faults) != TIME_NEVER,
	};
	bool stuck = hang_is_stuck(&w->hang, &s);
	int rc = 0;

	s.now = now;
	if (stuck || hang_deadlock_due(&w->hang, &s))
		rc = look_for_deadlock(c, now);
	if (rc || !stuck)
		return rc;
	c->status = "stuck";
	return 1;
}

/* Has every flow reached its end? For runs where PAUSE without end keeps the switches busy and frames in them. */
static bool all_ended(const struct conductor *c, struct watch *w)
{
	const struct flow_table *t = &c->engine->plan->flows;

	while (w->ended < t->n && (t->results[w->ended].done_ps != TIME_NEVER || flow_error(&t->results[w->ended])))
		w->ended++;
	return w->ended == t->n;
}

/* Is the run over before the window that begins at @now? 1 with c->status, 0, or -errno. */
static int is_over(struct conductor *c, struct watch *w, u64 now)
{
	const struct plan *f = c->engine->plan;
	int rc;

	add_up(c, w);
	if (now == TIME_NEVER || (f->faults.endless && all_ended(c, w)))
		return end_of_events(c);
	rc = hangs(c, w, now);
	if (rc || now < w->end)
		return rc;
	c->status = f->cfg->stop_at && f->cfg->stop_at == w->end ? "stopped"
		: f->cfg->until == UNTIL_ARRIVALS                ? "arrivals"
								 : "stuck";
	c->now = w->end;
	return 1;
}

/* One window from @now on, not beyond @limit. */
static int run_window(struct conductor *c, u64 now, u64 limit)
{
	const struct plan *f = c->engine->plan;
	u64 until = min64(now + f->window, limit);
	int rc = c->engine->ops->window(c->engine, until);

	if (!rc)
		rc = tracer_take(&c->tracer, f, until, &c->engine->err);
	if (rc)
		return rc;
	c->now = now;
	if (++c->windows % WINDOWS_PER_REPORT == 0 && c->progress &&
	    c->progress(c->progress_ctx, c->completed, f->flows.n, now))
		return err_set(&c->engine->err, -EINTR, "run: interrupted");
	return interrupted() ? err_set(&c->engine->err, -EINTR, "run: interrupted") : 0;
}

/* When the run ends, whatever is still on its way. */
static u64 end_of_run(const struct plan *f, const struct hang_watch *w)
{
	u64 end = f->cfg->until == UNTIL_ARRIVALS && f->flows.n ? w->starts[f->flows.n - 1] : TIME_LIMIT;

	return f->cfg->stop_at ? min64(end, f->cfg->stop_at) : end;
}

static int run(struct conductor *c, struct watch *w)
{
	const struct plan *f = c->engine->plan;
	int rc = 0;

	while (!rc) {
		u64 now = earliest(c), fault = faults_next(&c->faults, &f->faults), sample = sampler_next(&c->sampler);

		if (now == TIME_NEVER && !unfinished_flows(f, TIME_NEVER))
			fault = TIME_NEVER; /* nobody is left whom it could concern */
		if (sample <= min64(now, fault) && sample < w->end && min64(now, fault) != TIME_NEVER) {
			sampler_take(&c->sampler, f, &c->engine->mem, c->engine->hosts, min64(now, fault));
			continue;
		}
		if (fault <= now && fault < w->end) {
			rc = faults_apply(&c->faults, f, &c->engine->mem, fault);
			continue;
		}
		rc = is_over(c, w, now);
		if (!rc)
			rc = run_window(c, now, min64(w->end, min64(sample, fault)));
	}
	return rc == 1 ? 0 : rc;
}

int conductor_run(struct conductor *c)
{
	struct watch w = { 0 };
	int rc = hang_watch_init(&w.hang, c->engine->plan);

	if (!rc)
		rc = sampler_start(&c->sampler, c->engine->plan);
	if (!rc)
		rc = tracer_start(&c->tracer, c->engine->plan);
	if (!rc) {
		w.end = end_of_run(c->engine->plan, &w.hang);
		rc = run(c, &w);
	}
	hang_watch_free(&w.hang);
	return rc;
}

void conductor_free(struct conductor *c)
{
	free(c->deadlock.ports);
	c->deadlock = (struct deadlock){ 0 };
	fault_run_free(&c->faults);
	sampler_free(&c->sampler);
	tracer_free(&c->tracer);
}
