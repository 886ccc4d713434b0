// SPDX-License-Identifier: GPL-2.0
/* The directory that a run leaves. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/text.h"
#include "lab/records/records.h"

enum which { TOPOLOGY, FAULTS, WORKLOAD };

/* NULL: the run was not given one in a file. */
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

	/* What repeats a run must not write over it unasked. */
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

/* What the run has written aside, from its beginning. */
static int put_samples(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	char buf[4096];
	size_t n;

	/* fseek() would flush, and rewind() would forget that it could not */
	if (fflush(r->samples) || ferror(r->samples) || fseek(r->samples, 0, SEEK_SET))
		return -EIO;
	while ((n = fread(buf, 1, sizeof(buf), r->samples)))
		fwrite(buf, 1, n, out);
	return ferror(r->samples);
}

/* summary.json is the first to go and the last to come: where it is, the others belong to it. */
static const struct record_file {
	const char *name;
	int (*put)(const struct run_result *r, const struct run_totals *t, FILE *out);
} files[] = {
	{ "config.txt", put_config }, { "topology", put_topology },   { "faults", put_faults },
	{ "workload", put_workload }, { "flows.csv", put_flows },     { "ports.csv", put_ports },
	{ "hosts.csv", put_hosts },   { "samples.csv", put_samples }, { "summary.json", records_json },
};
#define N_FILES (sizeof(files) / sizeof(files[0]))

/* Samples are there only if they were asked for, what the run was given only if it came in a file. */
static bool is_wanted(const struct run_result *r, const struct record_file *f)
{
	if (f->put == put_topology)
		return input(r, TOPOLOGY);
	if (f->put == put_faults)
		return input(r, FAULTS);
	if (f->put == put_workload)
		return input(r, WORKLOAD);
	return f->put != put_samples || r->samples;
}

static int fail(struct err *err, const char *path, int rc)
{
	err_set(err, -EINVAL, "%s: %s", text_quote(path).s, strerror(-rc));
	return rc;
}

/* mkdir -p; *made as records_prepare() has it. */
static int make_dirs(const char *dir, size_t *made)
{
	char path[CFG_STR];

	if (!*dir || strlen(dir) >= sizeof(path))
		return *dir ? -ENAMETOOLONG : -ENOENT;
	snprintf(path, sizeof(path), "%s", dir);
	*made = 0;
	for (char *p = path + 1;; p++) {
		char end = *p;

		if (end && end != '/')
			continue;
		*p = '\0';
		if (!mkdir(path, 0777))
			*made = *made ? *made : (size_t)(p - path);
		else if (errno != EEXIST)
			return -errno;
		if (!end)
			return 0;
		*p = '/';
	}
}

int records_prepare(const char *dir, size_t *made, struct err *err)
{
	struct stat st;
	int rc = make_dirs(dir, made);

	if (!rc && (stat(dir, &st) || !S_ISDIR(st.st_mode)))
		rc = -ENOTDIR;
	if (!rc && access(dir, W_OK | X_OK))
		rc = -errno;
	if (rc)
		err_set(err, rc, "out: %.160s: %s", dir, strerror(-rc));
	return rc;
}

void records_undo(const char *dir, size_t made)
{
	char path[CFG_STR + 16];
	size_t len = strlen(dir);

	snprintf(path, sizeof(path), "%s", dir);
	while (made && len >= made) {
		path[len] = '\0';
		if (rmdir(path) && errno != ENOENT)
			return;
		while (len && path[len - 1] == '/')
			len--;
		while (len && path[len - 1] != '/')
			len--;
		while (len && path[len - 1] == '/')
			len--;
	}
}

struct names {
	char final[CFG_STR + 32], temp[CFG_STR + 64];
};

static struct names names_of(const char *dir, const struct record_file *f)
{
	struct names n;

	snprintf(n.final, sizeof(n.final), "%s/%s", dir, f->name);
	/* The pid keeps two runs that were told the same directory from writing into one file. */
	snprintf(n.temp, sizeof(n.temp), "%s/.%s.%d", dir, f->name, getpid());
	return n;
}

static int write_temp(const struct run_result *r, const struct run_totals *t, const struct record_file *f,
		      const char *path)
{
	FILE *out = fopen(path, "we");
	int rc = 0;

	if (!out)
		return -errno;
	/* Once a write fails, all that follow do: the last one says why. */
	errno = 0;
	if (f->put(r, t, out) || ferror(out))
		rc = errno ? -errno : -EIO;
	if (fclose(out) && !rc)
		rc = -errno;
	return rc;
}

int records_write(const struct run_result *r, const struct run_totals *t, const char *dir, struct err *err)
{
	u32 written = 0, renamed = 0;
	struct names n;
	size_t made;
	int rc = make_dirs(dir, &made);

	if (rc)
		return fail(err, dir, rc);
	for (; written < N_FILES && !rc; written++) {
		n = names_of(dir, &files[written]);
		if (!is_wanted(r, &files[written]))
			continue;
		rc = write_temp(r, t, &files[written], n.temp);
		if (rc)
			fail(err, n.final, rc);
	}
	if (!rc) {
		n = names_of(dir, &files[N_FILES - 1]);
		unlink(n.final);
	}
	for (; renamed < N_FILES && !rc; renamed++) {
		n = names_of(dir, &files[renamed]);
		if (!is_wanted(r, &files[renamed])) {
			unlink(n.final); /* of an earlier run */
			continue;
		}
		if (rename(n.temp, n.final)) {
			rc = fail(err, n.final, -errno);
			break;
		}
	}
	for (u32 i = renamed; i < written; i++) {
		n = names_of(dir, &files[i]);
		unlink(n.temp);
	}
	return rc;
}
