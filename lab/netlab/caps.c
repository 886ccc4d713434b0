// SPDX-License-Identifier: GPL-2.0-or-later
/* Capabilities: which ones this process has, which ones it lacks, and giving them up. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/netlab/caps.h"

static const struct {
	int cap;
	const char *name;
} names[] = {
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
	{ CAP_NET_ADMIN, "CAP_NET_ADMIN" },
	{ CAP_BPF, "CAP_BPF" },
	{ CAP_NET_RAW, "CAP_NET_RAW" },
	{ CAP_SYS_NICE, "CAP_SYS_NICE" },
	{ CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE" },
};

static u64 effective(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, data))
		return 0;
	return (u64)data[1].effective << 32 | data[0].effective;
}

u64 caps_missing(u64 need, char *text, size_t size)
{
	u64 missing = need & ~effective();
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && used < size; i++)
		if (missing >> names[i].cap & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i].name);
	return missing;
}

int caps_check(u64 need, const char *else_do, struct err *err)
{
	char text[160];

	/* Another user's capabilities would make files and namespaces that only root can remove. */
	if (geteuid())
		return err_set(err, -EPERM, "needs root: run with sudo%s", else_do);
	if (caps_missing(need, text, sizeof(text)))
		return err_set(err, -EPERM, "needs root with %s: run with sudo, or grant that to the container%s", text,
			       else_do);
	return 0;
}

int caps_drop(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

	memset(none, 0, sizeof(none));
	/* exec() gives uid 0 its capabilities back, but not to a process that may gain no privileges. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return syscall(SYS_capset, &head, none) ? -errno : 0;
}
