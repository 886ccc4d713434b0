// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a run's records. */
#include <errno.h>
#include <string.h>

#include "lab/text.h"
#include "lab/records/records.h"

enum which { TOPOLOGY, FAULTS, WORKLOAD };

/* NULL: the run got none in a file. */
static const struct record_input *input(const struct run_result *r, enum which which)
{
	const struct record_input *in;

	if (!r->inputs)
		return NULL;
	in = which == TOPOLOGY ? &r->inputs->topology : which == FAULTS ? &r->inputs->faults : &r->inputs->workload;
	return in->text ? in : NULL;
}

static int put_config(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	struct run_cfg c = *r->cfg;

	/* A run that is repeated from config.txt must not overwrite this one. */
	c.out[0] = '\0';
	if (input(r, TOPOLOGY))
		snprintf(c.topology, sizeof(c.topology), "topology");
	if (input(r, FAULTS))
		snprintf(c.fault_file, sizeof(c.fault_file), "faults");
	if (input(r, WORKLOAD))
		snprintf(strchr(c.workload, ':') + 1, sizeof("workload"), "workload");
	cfg_print(&c, out);
	return 0;
}

static int put_input(const struct record_input *in, FILE *out)
{
	return fwrite(in->text, 1, in->n, out) < in->n;
}

static int put_topology(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	return put_input(input(r, TOPOLOGY), out);
}

static int put_faults(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	return put_input(input(r, FAULTS), out);
}

static int put_workload(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	return put_input(input(r, WORKLOAD), out);
}

static int put_flows(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	records_flows_csv(r, out);
	return 0;
}

static int put_ports(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	records_ports_csv(r, out);
	return 0;
}

static int put_hosts(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	records_hosts_csv(r, out);
	return 0;
}

/* What the run has collected in a file of its own. */
static int put_collected(FILE *from, FILE *out)
{
	char buf[4096];
	size_t n;

	/* fseek() would flush, and rewind() would forget that it could not */
	if (fflush(from) || ferror(from) || fseek(from, 0, SEEK_SET))
		return -EIO;
	while ((n = fread(buf, 1, sizeof(buf), from)))
		fwrite(buf, 1, n, out);
	return ferror(from);
}

static int put_samples(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	return put_collected(r->samples, out);
}

static int put_goodput(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	return put_collected(r->goodput, out);
}

static int put_trace(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	return put_collected(r->trace, out);
}

/* summary.json is removed first and written last: where it is, the other files belong to it. */
static const struct record_file {
	const char *name;
	int (*put)(const struct run_result *r, const struct run_totals *t, FILE *out);
} files[] = {
	{ "config.txt", put_config }, { "topology", put_topology },     { "faults", put_faults },
	{ "workload", put_workload }, { "flows.csv", put_flows },       { "ports.csv", put_ports },
	{ "hosts.csv", put_hosts },   { "samples.csv", put_samples },   { "goodput.csv", put_goodput },
	{ "trace.csv", put_trace },   { "summary.json", records_json },
};
#define N_FILES (sizeof(files) / sizeof(files[0]))

/* Samples, goodput and a trace only if sample= and trace= are set, inputs only if they came in a file. */
static bool is_wanted(const struct run_result *r, const struct record_file *f)
{
	if (f->put == put_topology)
		return input(r, TOPOLOGY);
	if (f->put == put_faults)
		return input(r, FAULTS);
	if (f->put == put_workload)
		return input(r, WORKLOAD);
	if (f->put == put_goodput)
		return r->goodput;
	if (f->put == put_trace)
		return r->trace;
	return f->put != put_samples || r->samples;
}

static int fail(struct err *err, const struct outdir *dir, const char *name, int rc)
{
	return err_set(err, rc, "%s/%s: %s", text_quote(dir->path).s, name, strerror(-rc));
}

static int write_file(const struct run_result *r, const struct run_totals *t, const struct record_file *f,
		      struct outdir *dir, struct outdir_file *to)
{
	int rc = outdir_create(dir, f->name, to), closed;

	if (rc)
		return rc;
	/* Once a write fails, all that follow do: the last one says why. */
	errno = 0;
	if (f->put(r, t, to->out) || ferror(to->out))
		rc = errno ? -errno : -EIO;
	closed = outdir_written(to);
	return rc ? rc : closed;
}

/* Give the files written their names, summary.json last. */
static int commit(const struct run_result *r, struct outdir *dir, struct outdir_file *to, u32 *done, struct err *err)
{
	outdir_remove(dir, files[N_FILES - 1].name);
	for (*done = 0; *done < N_FILES; ++*done) {
		const char *name = files[*done].name;
		int rc;

		if (!is_wanted(r, &files[*done])) {
			outdir_remove(dir, name); /* of an earlier run */
			continue;
		}
		rc = outdir_commit(dir, &to[*done]);
		if (rc)
			return fail(err, dir, name, rc);
	}
	return 0;
}

int records_write(const struct run_result *r, const struct run_totals *t, struct outdir *dir, struct err *err)
{
	struct outdir_file to[N_FILES];
	u32 written = 0, done = 0;
	int rc = 0;

	for (; written < N_FILES && !rc; written++) {
		if (!is_wanted(r, &files[written]))
			continue;
		rc = write_file(r, t, &files[written], dir, &to[written]);
		if (rc)
			fail(err, dir, files[written].name, rc);
	}
	if (!rc)
		rc = commit(r, dir, to, &done, err);
	for (u32 i = done; i < written; i++)
		if (is_wanted(r, &files[i]))
			outdir_discard(dir, &to[i]);
	return rc;
}
