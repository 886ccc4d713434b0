// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits of the system. */
#include "lab/limits.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

int limit_open_files(u32 need, struct err *err)
{
	struct rlimit l;
	rlim_t hard;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return err_set(err, -errno, "RLIMIT_NOFILE: %s", strerror(errno));
	if (l.rlim_cur >= need)
		return 0;
	hard = l.rlim_max;
	l.rlim_cur = need;
	if (l.rlim_max < need)
		l.rlim_max = need;
	if (!setrlimit(RLIMIT_NOFILE, &l))
		return 0;
	return err_set(err, -EMFILE, "open files: %u are needed, %llu allowed: raise the limit (ulimit -n %u)", need,
		       (u64)hard, need);
}
