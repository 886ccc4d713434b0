// SPDX-License-Identifier: GPL-2.0-or-later
/* losslab down: remove a lab, or all of them. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include <getopt.h>

#include "lab/cmd/cmd.h"
#include "lab/netlab/netlab.h"

static enum netlab_down how = NETLAB_DOWN_IF_EMPTY;

static int down(const char *name)
{
	double start = cmd_seconds();
	struct err err;
	int ret = netlab_down(name, how, &err);

	if (ret == NETLAB_OCCUPIED)
		return cmd_fail(EXIT_CHECK, "down: %s", err.text);
	if (ret)
		return cmd_fail(cmd_exit_code(ret), "down: %s", err.text);
	printf("%s: down in %.2f s\n", name, cmd_seconds() - start);
	return EXIT_DONE;
}

/* One lab that cannot be removed does not keep the others from being removed. */
static int down_next(const char *name, void *arg)
{
	int *worst = arg, code = down(name);

	if (code > *worst)
		*worst = code;
	return 0;
}

static int run_down(const struct cmd *cmd, int argc, char **argv)
{
	const char *name = NULL;
	int c, code = EXIT_DONE;
	bool all = false;
	struct err err;
	sigset_t stop;

	while ((c = cmd_getopt(cmd, argc, argv, &code)) != -1) {
		if (c == 'n')
			name = optarg;
		else if (c == 'a')
			all = true;
		else if (c == CMD_KILL)
			how = NETLAB_DOWN_KILL;
		else
			return code;
	}
	if (optind < argc)
		return cmd_extra(cmd, argv[optind]);
	if (all && name)
		return cmd_fail(EXIT_USAGE, "down: --all: --name is given too; allowed: one of the two");
	/* It takes seconds at most, and another `down`, which ends the holder of the lock, should find the work done.
	 */
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	if (!all)
		return down(name ? name : "lab");
	if (netlab_check_access(&err))
		return cmd_fail(EXIT_SYSTEM, "down: %s", err.text);
	netlab_each(down_next, &code);
	return code;
}

static const struct cmd_option options[] = {
	{ 'n', "name", "LAB", "the lab's name (default: lab)" },
	{ 'a', "all", NULL, "every lab there is" },
	{ CMD_KILL, "kill", NULL, "end the processes in the lab first: SIGTERM, 5 s later SIGKILL" },
	{ 0 },
};

const struct cmd cmd_down = {
	.name = "down",
	.usage = "[--name LAB | --all] [--kill]",
	.help = "remove a lab and only the lab, whatever its state",
	.options = options,
	.notes = "Ends the run on it first. While other processes run in the lab's namespaces (losslab exec), nothing "
		 "is "
		 "removed: the exit code is 1, and they are listed. What the lab did not make is never removed.",
	.run = run_down,
};
