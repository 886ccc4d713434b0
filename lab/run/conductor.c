// SPDX-License-Identifier: GPL-2.0
/*
 * Windows of virtual time (conservative lookahead): nothing that a node does in [T, T+W) reaches another before
 * T+W, W being the shortest delay of any link, so within a window nodes are independent.
 */
#include "lab/run/conductor.h"

#include <errno.h>
#include <stdlib.h>

#define PROGRESS_WINDOWS 256                /* between two calls of progress() */
#define DEADLOCK_INTERVAL (100 * PS_PER_US) /* of virtual time between two looks for one */

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

/* Flows by start time, to know how many have begun. */
struct starts {
	u64 *time;
	u32 n, begun;
};

static int compare_times(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int starts_init(struct starts *s, const struct flow_table *t)
{
	s->n = t->n;
	s->begun = 0;
	s->time = calloc(t->n + 1, sizeof(u64));
	if (!s->time)
		return -ENOMEM;
	for (u32 i = 0; i < t->n; i++)
		s->time[i] = t->flows[i].start_ps;
	qsort(s->time, s->n, sizeof(u64), compare_times);
	return 0;
}

struct watch {
	u64 fresh;    /* packets received for the first time, by all hosts */
	u64 progress; /* virtual time of the last change, or of the last moment with no flow open */
	u64 look;     /* when to look for a deadlock again */
	u32 ended;    /* flows before this one have all ended */
	u64 end;      /* the run's, whatever is still on its way */
};

/* Add up what the hosts have to report; returns the packets received for the first time. */
static u64 take_stock(struct conductor *c)
{
	u64 fresh = 0;

	c->completed = 0;
	for (u32 h = 0; h < c->engine->plan->size.hosts; h++) {
		fresh += c->engine->hosts[h].fresh;
		c->completed += c->engine->hosts[h].completed;
	}
	return fresh;
}

u32 unfinished_flows(const struct conductor *c, u64 now)
{
	const struct flow_table *t = &c->engine->plan->flows;
	u32 open = 0;

	for (u32 i = 0; i < t->n; i++)
		open += t->flows[i].start_ps < now && t->results[i].done_ps == TIME_NEVER &&
			!flow_error(&t->results[i]);
	return open;
}

/* Has nothing moved for too long although flows are open? @now is the next event; behind stop_at none counts. */
static bool is_stuck(struct conductor *c, struct watch *w, struct starts *s, u64 now)
{
	const struct plan *f = c->engine->plan;
	u64 fresh = take_stock(c);

	if (f->cfg->stop_at && f->cfg->stop_at < now)
		now = f->cfg->stop_at;
	while (s->begun < s->n && s->time[s->begun] < now)
		s->begun++;
	if (fresh != w->fresh || c->completed == s->begun) {
		w->fresh = fresh;
		w->progress = now;
	}
	if (now - w->progress <= f->cfg->stuck_after)
		return false;
	if (unfinished_flows(c, now))
		return true;
	w->progress = now;
	return false;
}

/*
 * A deadlock never dissolves, unless a fault or a watchdog does it, so a run that has one need not go on. 1: there is
 * one, 0, or -ENOMEM. The run's end asks too, whatever the time.
 */
static int look_for_deadlock(struct conductor *c, struct watch *w, u64 now, bool at_end)
{
	const struct plan *f = c->engine->plan;
	int rc;

	if (!at_end && (now < w->look || f->cfg->pfc_watchdog || faults_next(&c->faults, &f->faults) != TIME_NEVER))
		return 0;
	w->look = now + DEADLOCK_INTERVAL;
	rc = deadlock_find(f, &c->engine->mem, now, &c->deadlock);
	if (rc == 1) {
		take_stock(c);
		c->now = now;
		c->status = "deadlock";
	}
	return rc;
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
static int is_over(struct conductor *c, struct watch *w, struct starts *s, u64 now)
{
	const struct plan *f = c->engine->plan;
	bool stuck;
	int rc;

	if (now == TIME_NEVER || (f->faults.endless && all_ended(c, w))) {
		take_stock(c);
		c->status = "done";
		rc = unfinished_flows(c, TIME_NEVER) ? look_for_deadlock(c, w, c->now, true) : 1;
		if (!rc)
			c->status = "stuck";
		return rc ? rc : 1;
	}
	stuck = is_stuck(c, w, s, now);
	rc = look_for_deadlock(c, w, now, stuck);
	if (rc)
		return rc;
	if (stuck) {
		c->status = "stuck";
		return 1;
	}
	if (now < w->end)
		return 0;
	c->status = f->cfg->stop_at && f->cfg->stop_at == w->end ? "stopped"
		: f->cfg->until == UNTIL_ARRIVALS                ? "arrivals"
								 : "stuck";
	c->now = w->end;
	return 1;
}

/* One window from @now on, not beyond @limit. */
static int run_window(struct conductor *c, const struct starts *s, u64 now, u64 limit)
{
	int rc = c->engine->ops->window(c->engine, min64(now + c->engine->plan->window, limit));

	if (rc)
		return rc;
	c->now = now;
	if (++c->windows % PROGRESS_WINDOWS == 0 && c->progress &&
	    c->progress(c->progress_ctx, c->completed, s->n, now)) {
		return err_set(&c->engine->err, -EINTR, "run: interrupted");
	}
	return 0;
}

static int run(struct conductor *c, struct starts *s)
{
	const struct plan *f = c->engine->plan;
	struct watch w = { .end = f->cfg->until == UNTIL_ARRIVALS && s->n ? s->time[s->n - 1] : TIME_LIMIT };
	int rc = 0;

	if (f->cfg->stop_at)
		w.end = min64(w.end, f->cfg->stop_at);
	while (!rc) {
		u64 now = earliest(c), fault = faults_next(&c->faults, &f->faults), sample = sampler_next(&c->sampler);

		if (now == TIME_NEVER && !unfinished_flows(c, TIME_NEVER))
			fault = TIME_NEVER; /* nobody is left whom it could concern */
		if (sample <= min64(now, fault) && sample < w.end && min64(now, fault) != TIME_NEVER) {
			sampler_take(&c->sampler, f, &c->engine->mem, min64(now, fault));
			continue;
		}
		if (fault <= now && fault < w.end) {
			rc = faults_apply(&c->faults, f, &c->engine->mem, fault);
			continue;
		}
		rc = is_over(c, &w, s, now);
		if (!rc)
			rc = run_window(c, s, now, min64(w.end, min64(sample, fault)));
	}
	return rc == 1 ? 0 : rc;
}

int conductor_run(struct conductor *c)
{
	struct starts s;
	int rc = starts_init(&s, &c->engine->plan->flows);

	if (!rc)
		rc = sampler_start(&c->sampler, c->engine->plan);
	if (!rc)
		rc = run(c, &s);
	free(s.time);
	return rc;
}

void conductor_free(struct conductor *c)
{
	free(c->deadlock.ports);
	c->deadlock = (struct deadlock){ 0 };
	fault_run_free(&c->faults);
	sampler_free(&c->sampler);
}
