// SPDX-License-Identifier: GPL-2.0-or-later
/* Unlinked files. */
#include "lab/run/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lab/config/cfg.h"

int scratch_file(const char *dir, const char *name, FILE **out)
{
	char path[CFG_STR + 32];
	int fd, rc;

	snprintf(path, sizeof(path), "%s/.%.16s.XXXXXX", dir, name);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	*out = fdopen(fd, "w+");
	if (*out)
		return 0;
	rc = -errno;
	close(fd);
	return rc;
}
