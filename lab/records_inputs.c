// SPDX-License-Identifier: GPL-2.0
/* What a run was given in files, kept so that its records can stand for themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/records.h"

int record_input_file(struct record_input *in, const char *path)
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

int record_input_topology(struct record_input *in, const struct topo *t)
{
	FILE *to = open_memstream(&in->text, &in->n);
	int rc;

	if (!to)
		return -errno;
	rc = topo_print(t, to);
	return fclose(to) && !rc ? -ENOMEM : rc;
}

void record_inputs_free(struct record_inputs *in)
{
	free(in->topology.text);
	free(in->faults.text);
	free(in->workload.text);
	memset(in, 0, sizeof(*in));
}
