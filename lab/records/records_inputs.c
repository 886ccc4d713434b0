// SPDX-License-Identifier: GPL-2.0
/* What a run was given in files, kept so that its records can stand for themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/records/records.h"

/* Keep the text of the regular file @path: 0 or -errno. */
static int keep_text(struct record_input *in, const char *path)
{
	FILE *from = fopen(path, "re"), *to;
	char buf[4096];
	struct stat st;
	int rc = 0;
	size_t n;

	if (!from)
		return -errno;
	/* What can be read once only is the run's own to read. */
	if (fstat(fileno(from), &st) || !S_ISREG(st.st_mode)) {
		fclose(from);
		return -ENOTSUP;
	}
	to = open_memstream(&in->text, &in->n);
	if (!to) {
		fclose(from);
		return -errno;
	}
	while ((n = fread(buf, 1, sizeof(buf), from)))
		fwrite(buf, 1, n, to);
	if (ferror(from))
		rc = -EIO;
	fclose(from);
	return fclose(to) && !rc ? -ENOMEM : rc;
}

static int keep_topology(struct record_input *in, const struct topo *t)
{
	FILE *to = open_memstream(&in->text, &in->n);
	int rc;

	if (!to)
		return -errno;
	rc = topo_print(t, to);
	return fclose(to) && !rc ? -ENOMEM : rc;
}

/* A path that cannot be kept as a text is good from everywhere at least. */
static void make_absolute(char *path, size_t size)
{
	char *full = *path == '/' ? NULL : realpath(path, NULL);

	if (full && strlen(full) < size)
		memcpy(path, full, strlen(full) + 1);
	free(full);
}

/* What cannot be read will be refused as the run reads it, in better words. */
static int keep_file(struct record_input *in, char *path, size_t size)
{
	int rc = keep_text(in, path);

	if (rc && rc != -ENOMEM)
		make_absolute(path, size);
	return rc == -ENOMEM ? rc : 0;
}

int record_inputs_keep(struct record_inputs *in, struct run_cfg *c, const struct topo *t)
{
	char *workload = strchr(c->workload, ':');
	int rc = t ? keep_topology(&in->topology, t) : 0;

	if (!rc && c->fault_file[0])
		rc = keep_file(&in->faults, c->fault_file, sizeof(c->fault_file));
	if (!rc && workload)
		rc = keep_file(&in->workload, workload + 1, sizeof(c->workload) - (size_t)(workload + 1 - c->workload));
	return rc;
}

void record_inputs_free(struct record_inputs *in)
{
	free(in->topology.text);
	free(in->faults.text);
	free(in->workload.text);
	memset(in, 0, sizeof(*in));
}
