// SPDX-License-Identifier: GPL-2.0
/* losslab exec: run a command in a node's namespace, as `ip netns exec` does. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lab/cmd/cmd_priv.h"
#include "lab/netlab/netlab.h"
#include "lab/netlab/netns.h"

static const char options_help[] =
	"  -n, --name LAB   the lab's name (lab)\n"
	"  NODE             a node of the topology (h0, s3), or ctl\n"
	"\n"
	"The exit code is the command's own; 127 if there is no such command, 126 if it cannot be run.\n";

static const struct option options[] = {
	{ "name", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* /sys/class/net shows the namespace that sysfs was mounted in, so it takes a mount of its own. */
static int remount_sys(void)
{
	unsigned long flags = 0;
	struct statvfs fs;

	if (unshare(CLONE_NEWNS) || mount("", "/", "none", MS_SLAVE | MS_REC, NULL))
		return -errno;
	if (!statvfs("/sys", &fs) && fs.f_flag & ST_RDONLY)
		flags = MS_RDONLY;
	if (umount2("/sys", MNT_DETACH) && errno != EINVAL)
		return -errno;
	return mount("losslab", "/sys", "sysfs", flags, NULL) ? -errno : 0;
}

static int enter(const char *name, const char *node)
{
	int fd, ret;

	fd = netlab_ns_fd(name, node);
	if (fd == -ENOENT || fd == -EINVAL)
		return cmd_fail(EXIT_USAGE, "exec: node %.40s: lab %s has no such node", node, name);
	if (fd < 0)
		return cmd_fail(EXIT_SYSTEM, "exec: namespace %s-%.40s: %s", name, node, strerror(-fd));
	ret = setns(fd, CLONE_NEWNET) ? -errno : remount_sys();
	close(fd);
	if (ret)
		return cmd_fail(EXIT_SYSTEM, "exec: namespace %s-%.40s: cannot be entered: %s", name, node,
				strerror(-ret));
	return EXIT_DONE;
}

int cmd_exec(int argc, char **argv)
{
	const char *name = "lab", *node;
	struct err err;
	int c, code;

	while ((c = cmd_getopt_first(argc, argv, options)) != -1) {
		if (c == 'n')
			name = optarg;
		else
			return c == 'h' ? cmd_help(argv[0], options_help) : EXIT_USAGE;
	}
	if (optind >= argc)
		return cmd_missing(argv[0], "NODE");
	node = argv[optind++];
	if (optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	if (optind >= argc)
		return cmd_missing(argv[0], "COMMAND");
	if (netlab_check_name(name, &err))
		return cmd_fail(EXIT_USAGE, "exec: %s", err.text);
	if (!netlab_exists(name))
		return cmd_no_lab(argv[0], name);
	if (!netns_permitted())
		return cmd_fail(EXIT_SYSTEM, "exec: needs root: run with sudo");
	code = enter(name, node);
	if (code)
		return code;
	execvp(argv[optind], argv + optind);
	code = errno == ENOENT ? 127 : 126;
	return cmd_fail(code, "exec: %s: %s", argv[optind], strerror(errno));
}
