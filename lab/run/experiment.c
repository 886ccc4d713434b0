// SPDX-License-Identifier: GPL-2.0-or-later
/* One experiment: plan, engine, conductor, records, and what it cost. */
#include "lab/run/experiment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "lab/run/collect.h"
#include "lab/run/hang.h"

#define WAITING_SHOWN 8 /* flows and ports that a run which hangs names, of each */

static u64 cpu_us(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return (u64)(self.ru_utime.tv_sec + self.ru_stime.tv_sec + children.ru_utime.tv_sec +
		     children.ru_stime.tv_sec) *
		1000000 +
		self.ru_utime.tv_usec + self.ru_stime.tv_usec + children.ru_utime.tv_usec + children.ru_stime.tv_usec;
}

static u64 wall_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static u64 peak_kb(void)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	return self.ru_maxrss;
}

bool experiment_hangs(const struct experiment *x)
{
	return !strcmp(x->result.status, "stuck") || !strcmp(x->result.status, "deadlock");
}

/* Put into words what a run that hangs waits for. */
static int explain(struct experiment *x)
{
	const struct conductor *c = &x->conductor;
	size_t size;
	FILE *out = open_memstream(&x->waiting, &size);

	if (!out)
		return -errno;
	fprintf(out, "%s at %llu us: %u of %u flows unfinished; waiting:\n", c->status, c->now / PS_PER_US,
		unfinished_flows(&x->plan, c->now + 1), x->result.n_flows);
	hang_explain(&x->plan, &c->engine->mem, c->now, &x->result, WAITING_SHOWN, out);
	return fclose(out) ? -errno : 0;
}

static int conduct(struct experiment *x, const char *lab, struct err *err)
{
	int rc;

	if (x->cfg.engine == ENGINE_TWIN)
		x->conductor.engine = twin_new(&x->plan, &rc, err);
	else
		x->conductor.engine = kernel_new(&x->plan, lab, &rc, err);
	if (!x->conductor.engine)
		return rc;
	x->started = true;
	rc = conductor_run(&x->conductor);
	if (!rc)
		rc = collect_records(&x->conductor, &x->result);
	if (!rc && experiment_hangs(x))
		rc = explain(x);
	if (rc)
		err_set(err, rc, "%s", x->conductor.engine->err.code ? x->conductor.engine->err.text : strerror(-rc));
	x->conductor.engine->ops->destroy(x->conductor.engine);
	x->conductor.engine = NULL;
	return rc;
}

int experiment_run(struct experiment *x, const struct run_cfg *cfg, const struct topo *topo, const char *lab,
		   int (*progress)(void *ctx, u32 completed, u32 flows, u64 now), void *progress_ctx, struct err *err)
{
	u64 wall = wall_us(), cpu = cpu_us();
	char warning[ERR_TEXT_MAX];
	int rc;

	memset(x, 0, sizeof(*x));
	x->cfg = *cfg;
	x->conductor.progress = progress;
	x->conductor.progress_ctx = progress_ctx;
	rc = plan_make(&x->plan, &x->cfg, topo, err);
	x->planned = !rc;
	if (!rc && plan_headroom_short(&x->plan, warning, sizeof(warning)))
		fprintf(stderr, "losslab: run: warning: %s\n", warning);
	if (!rc && plan_credits_short(&x->plan, warning, sizeof(warning)))
		fprintf(stderr, "losslab: run: warning: %s\n", warning);
	if (!rc)
		rc = conduct(x, lab, err);
	if (rc)
		return rc;
	x->result.wall_us = wall_us() - wall;
	x->result.cpu_us = cpu_us() - cpu;
	x->result.peak_kb = peak_kb();
	rc = records_totals(&x->result, &x->totals);
	return rc ? err_set(err, rc, "out of memory") : records_check(&x->result, &x->totals, err);
}

void experiment_free(struct experiment *x)
{
	conductor_free(&x->conductor);
	free(x->waiting);
	free(x->result.flows);
	free(x->result.ports);
	free(x->result.hosts);
	plan_free(&x->plan);
}
