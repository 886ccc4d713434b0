// SPDX-License-Identifier: GPL-2.0
/* losslab down: remove a lab, or all of them. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "lab/cmd/cmd_priv.h"
#include "lab/netlab/netlab_priv.h"

static const char options_help[] = "  -n, --name LAB   the lab's name (lab)\n"
				   "  -a, --all        every lab there is\n"
				   "\n"
				   "A run in progress is ended first. What the lab did not make is never removed.\n";

static const struct option options[] = {
	{ "name", required_argument, NULL, 'n' },
	{ "all", no_argument, NULL, 'a' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int down(const char *name)
{
	double start = cmd_seconds();
	struct err err;
	int ret = netlab_down(name, &err);

	if (ret)
		return cmd_fail(cmd_exit_code(ret), "down: %s", err.text);
	printf("%s: down in %.2f s\n", name, cmd_seconds() - start);
	return EXIT_DONE;
}

/* One lab that cannot be removed does not keep the others. */
static int down_next(const char *name, void *arg)
{
	int *worst = arg, code = down(name);

	if (code > *worst)
		*worst = code;
	return 0;
}

int cmd_down(int argc, char **argv)
{
	const char *name = NULL;
	int c, code = EXIT_DONE;
	bool all = false;
	sigset_t stop;

	while ((c = cmd_getopt(argc, argv, options)) != -1) {
		if (c == 'n')
			name = optarg;
		else if (c == 'a')
			all = true;
		else
			return c == 'h' ? cmd_help(argv[0], options_help) : EXIT_USAGE;
	}
	if (optind < argc)
		return cmd_extra(argv[0], argv[optind]);
	if (all && name)
		return cmd_fail(EXIT_USAGE, "down: --all: --name is given too; allowed: one of the two");
	/* It takes seconds at most, and another `down`, which ends us as the lock's holder, should find the work done.
	 */
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	if (!all)
		return down(name ? name : "lab");
	netlab_each(down_next, &code);
	return code;
}
