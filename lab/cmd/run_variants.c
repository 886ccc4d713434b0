// SPDX-License-Identifier: GPL-2.0-or-later
/* Run the variants of a scenario: progress, records, results, exit codes. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/cmd/cmd.h"
#include "lab/cmd/run_variants.h"
#include "lab/interrupt.h"

/* A bar on the terminal, if stderr is one. */
static int progress(void *ctx, u32 completed, u32 flows, u64 now)
{
	const char *label = ctx;
	u32 width = 30, full = flows ? (u64)completed * width / flows : width;

	if (label)
		fprintf(stderr, "\r%-20.20s [%.*s%*s] %u/%u flows, %llu us ", label, full,
			"##############################", width - full, "", completed, flows, now / PS_PER_US);
	return interrupt_request;
}

static void progress_clear(bool shown)
{
	if (shown)
		fprintf(stderr, "\r%*s\r", 78, "");
}

/* The directory of one variant: DIR of a single run, else DIR/1, DIR/2, ... */
static const char *records_dir(const struct run_job *a, u32 i, char *dir, size_t n)
{
	if (a->scenario.n == 1)
		snprintf(dir, n, "%s", a->scenario.cfg[i].out);
	else
		snprintf(dir, n, "%s/%u", a->scenario.cfg[i].out, i + 1);
	return dir;
}

static int write_records(struct run_job *a, const struct experiment *x, u32 i, struct err *err)
{
	return x->cfg.out[0] ? records_write(&x->result, &x->totals, &a->out_dir[i], err) : 0;
}

/* The topology of a file or a lab is called by its title. */
static void name_topology(struct run_job *a)
{
	const char *spec = a->scenario.cfg[0].topology;

	a->topo_is_file = a->existing || topo_is_file(spec);
	if (a->topo_is_file && a->topo->title[0])
		spec = a->topo->title;
	else if (a->existing)
		spec = a->existing;
	snprintf(a->topology, sizeof(a->topology), "%s", spec);
	err_printable(a->topology);
}

/* The directory is good, but the disk is not: a failure of the run, as it would be at its end. */
static bool is_full(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT || rc == -EIO;
}

int run_prepare_records(struct run_job *a)
{
	char dir[CFG_STR + 16];
	struct err err;

	name_topology(a);
	for (u32 i = 0; i < a->scenario.n; i++) {
		struct run_cfg *c = &a->scenario.cfg[i];
		int rc;

		if (!c->out[0] && c->sample)
			return cmd_fail(EXIT_USAGE, "run: sample= needs out=DIR");
		if (!c->out[0] && c->trace[0])
			return cmd_fail(EXIT_USAGE, "run: trace= needs out=DIR");
		a->out_dir[i] = (struct outdir){ .fd = -1, .lock = -1 };
		a->n_out = i + 1;
		if (!c->out[0])
			continue;
		rc = outdir_open(&a->out_dir[i], records_dir(a, i, dir, sizeof(dir)), &err);
		if (rc)
			return cmd_fail(is_full(rc) ? EXIT_CHECK : EXIT_USAGE, "%s", err.text);
		rc = record_inputs_keep(&a->inputs[i], c, a->topo_is_file ? a->topo : NULL);
		if (rc)
			return cmd_fail(rc == -EINTR ? EXIT_CHECK : EXIT_SYSTEM, "out: %s", strerror(-rc));
	}
	return EXIT_DONE;
}

/* Print what waits for what in a run that hangs. For a deadlock of a variant the table has a line. */
static void say_waiting(const struct run_job *a, u32 i, const struct experiment *x)
{
	bool one = a->scenario.n == 1;

	if (!x->waiting || (!one && x->result.n_deadlock))
		return;
	fprintf(stderr, "losslab: run: %s%s%s%s", one ? "" : "[", one ? "" : a->scenario.label[i], one ? "" : "] ",
		x->waiting);
}

/* *hung: the run ended as stuck or deadlock, which is a result; its records are written. */
static int run_variant(struct run_job *a, u32 i, struct experiment *x, bool *hung)
{
	bool bar = !a->quiet && isatty(STDERR_FILENO);
	struct err err = { 0 };
	int rc;

	rc = experiment_run(x, &a->scenario.cfg[i], a->topo, a->lab_open ? a->lab.name : NULL, progress,
			    bar ? a->scenario.label[i] : NULL, &err);
	progress_clear(bar);
	x->result.label = a->scenario.n > 1 ? a->scenario.label[i] : NULL;
	x->result.topology = a->topology;
	x->result.inputs = &a->inputs[i];
	say_waiting(a, i, x);
	if (!rc)
		rc = write_records(a, x, i, &err);
	if (!rc) {
		*hung = experiment_hangs(x);
		return *hung ? EXIT_CHECK : EXIT_DONE;
	}
	if (rc == -EINTR && interrupt_request)
		cmd_fail(0, "run: interrupted by %s%s", interrupt_request == RUN_ENDED_BY_DOWN ? "losslab down" : "SIG",
			 interrupt_request == RUN_ENDED_BY_DOWN ? "" : sigabbrev_np(interrupt_request));
	else
		cmd_fail(0, "%s", err.text[0] ? err.text : strerror(-rc));
	if (!x->planned && rc != -EINTR)
		return rc == -ENOMEM ? EXIT_SYSTEM : EXIT_USAGE;
	return x->started || rc == -EINTR ? EXIT_CHECK : EXIT_SYSTEM;
}

/* One run is an object, the variants of a scenario an array of them, in the scenario's order. */
static void print_json(const struct run_result *const *runs, const struct run_totals *totals, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		if (n > 1)
			fputs(i ? "," : "[", stdout);
		records_json(runs[i], &totals[i], stdout);
	}
	if (n > 1)
		puts("]");
}

static void print_results(const struct run_job *a, const struct experiment *x, u32 n)
{
	const struct run_result *runs[SCENARIO_VARIANTS];
	struct run_totals totals[SCENARIO_VARIANTS];
	const char *labels[SCENARIO_VARIANTS];

	for (u32 i = 0; i < n; i++) {
		runs[i] = &x[i].result;
		totals[i] = x[i].totals;
		labels[i] = a->scenario.label[i];
	}
	if (a->json)
		return print_json(runs, totals, n);
	if (n == 1)
		return records_print(runs[0], &totals[0], stdout);
	records_table(runs, totals, labels, n, stdout);
	records_reading(runs, totals, labels, n, stdout);
}

int run_variants(struct run_job *a)
{
	struct experiment *x = calloc(a->scenario.n, sizeof(*x));
	int code = EXIT_DONE, rc = EXIT_DONE;
	bool over = false;
	u32 n;

	if (!x)
		return cmd_fail(EXIT_SYSTEM, "run: out of memory");
	for (n = 0; n < a->scenario.n && !over; n++) {
		bool hung = false;

		rc = run_variant(a, n, &x[n], &hung);
		if (rc)
			code = rc;
		over = rc && !hung;
	}
	if (!rc || x[n - 1].result.status)
		print_results(a, x, n);
	for (u32 i = 0; i < n; i++)
		experiment_free(&x[i]);
	free(x);
	return code;
}

void run_close_records(struct run_job *a)
{
	for (u32 i = a->n_out; i--;) {
		outdir_close(&a->out_dir[i]);
		record_inputs_free(&a->inputs[i]);
	}
}
