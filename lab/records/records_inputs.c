// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies of the files that a run reads, so that its records can repeat it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/interrupt.h"
#include "lab/records/records.h"
#include "lab/text.h"

/* Copy a text of bounded length. -EINVAL: it is none, which the run will say in better words as it reads it. */
static int copy_text(FILE *from, FILE *to)
{
	char buf[65536];
	u64 copied = 0;
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), from))) {
		copied += n;
		if (memchr(buf, '\0', n) || copied > TEXT_FILE_MAX)
			return -EINVAL;
		if (interrupted())
			return -EINTR;
		if (fwrite(buf, 1, n, to) < n)
			return -ENOMEM;
	}
	return ferror(from) ? -EIO : 0;
}

/* Keep the text of the regular file @path: 0 or -errno, and then nothing. */
static int keep_text(struct record_input *in, const char *path)
{
	/* Opening a FIFO must not wait for a writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), rc;
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r"), *to;
	struct stat st;

	if (!from) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	/* What can be read only once is left to the run. */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		fclose(from);
		return -ENOTSUP;
	}
	to = open_memstream(&in->text, &in->n);
	rc = to ? copy_text(from, to) : -ENOMEM;
	fclose(from);
	if (to && fclose(to) && !rc)
		rc = -ENOMEM;
	if (rc) {
		free(in->text);
		*in = (struct record_input){ 0 };
	}
	return rc;
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

/* The path of a file that is not kept must at least be valid from every directory. */
static void make_absolute(char *path, size_t size)
{
	char *full = *path == '/' ? NULL : realpath(path, NULL);

	if (full && strlen(full) < size)
		memcpy(path, full, strlen(full) + 1);
	free(full);
}

/* A file that cannot be kept stays where it is. If it is bad, the run says so as it reads it. */
static int keep_file(struct record_input *in, char *path, size_t size)
{
	int rc = keep_text(in, path);

	if (!rc || rc == -ENOMEM || rc == -EINTR)
		return rc;
	make_absolute(path, size);
	return 0;
}

int record_inputs_keep(struct record_inputs *in, struct run_cfg *c, const struct topo *t)
{
	const char *path = workload_path(c->workload);
	char *workload = path ? c->workload + (path - c->workload) : NULL;
	int rc = t ? keep_topology(&in->topology, t) : 0;

	if (!rc && c->fault_file[0])
		rc = keep_file(&in->faults, c->fault_file, sizeof(c->fault_file));
	if (!rc && workload)
		rc = keep_file(&in->workload, workload, sizeof(c->workload) - (size_t)(workload - c->workload));
	return rc;
}

void record_inputs_free(struct record_inputs *in)
{
	free(in->topology.text);
	free(in->faults.text);
	free(in->workload.text);
	memset(in, 0, sizeof(*in));
}
