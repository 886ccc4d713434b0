// SPDX-License-Identifier: GPL-2.0-or-later
/* losslab exec: run a command in a node's namespace, as `ip netns exec` does. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <getopt.h>

#include "lab/cmd/cmd.h"
#include "lab/netlab/caps.h"
#include "lab/netlab/netlab.h"
#include "lab/netlab/netns.h"

/* /sys/class/net shows the network namespace in which sysfs was mounted: mount it again in this one. */
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

static int run_exec(const struct cmd *cmd, int argc, char **argv)
{
	const char *name = "lab", *node;
	bool keep_caps = true;
	struct err err;
	int c, code;

	while ((c = cmd_getopt(cmd, argc, argv, &code)) != -1) {
		if (c == 'n')
			name = optarg;
		else if (c == CMD_CAPS && (!strcmp(optarg, "keep") || !strcmp(optarg, "none")))
			keep_caps = !strcmp(optarg, "keep");
		else if (c == CMD_CAPS)
			return cmd_fail(EXIT_USAGE, "exec: --caps %.40s: allowed: keep|none", optarg);
		else
			return code;
	}
	if (optind >= argc)
		return cmd_missing(cmd, "NODE");
	node = argv[optind++];
	if (optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	if (optind >= argc)
		return cmd_missing(cmd, "COMMAND");
	if (netlab_check_name(name, &err))
		return cmd_fail(EXIT_USAGE, "exec: %s", err.text);
	if (caps_check(CAPS_LAB, "", &err))
		return cmd_fail(EXIT_SYSTEM, "exec: %s", err.text);
	if (!netlab_exists(name))
		return cmd_no_lab(argv[0], name);
	code = enter(name, node);
	if (code)
		return code;
	code = keep_caps ? 0 : caps_drop();
	if (code)
		return cmd_fail(EXIT_SYSTEM, "exec: capabilities: cannot be given up: %s", strerror(-code));
	execvp(argv[optind], argv + optind);
	code = errno == ENOENT ? 127 : 126;
	return cmd_fail(code, "exec: %s: %s", argv[optind], strerror(errno));
}

static const struct cmd_arg args[] = {
	{ "NODE", "a node of the topology (h0, s3), or ctl" },
	{ "COMMAND...", "a command and its arguments" },
	{ 0 },
};

static const struct cmd_option options[] = {
	{ 'n', "name", "LAB", "the lab's name (default: lab)" },
	{ CMD_CAPS, "caps", "keep|none",
	  "the command's capabilities: those of losslab (default), which tcpdump needs, or none" },
	{ 0 },
};

const struct cmd cmd_exec = {
	.name = "exec",
	.usage = "[--name LAB] [--caps keep|none] NODE [--] COMMAND...",
	.help = "run a command in a node's namespace",
	.args = args,
	.options = options,
	.notes = "The exit code is the command's own; 127 if there is no such command, 126 if it cannot be run.",
	.first_only = true,
	.run = run_exec,
};
