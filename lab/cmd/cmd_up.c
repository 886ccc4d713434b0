// SPDX-License-Identifier: GPL-2.0-or-later
/* losslab up: build a lab. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include <getopt.h>

#include "lab/cmd/cmd.h"
#include "lab/netlab/netlab.h"

/* Build it. A signal is blocked until the message is out, then ends the process as usual. */
static int build(const char *name, const char *spec, const struct topo *t, double start)
{
	sigset_t stop, old;
	char what[256];
	struct err err;
	int ret;

	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigaddset(&stop, SIGQUIT);
	sigprocmask(SIG_BLOCK, &stop, &old);
	ret = netlab_up(name, t, &err);
	if (ret) {
		ret = cmd_fail(cmd_exit_code(ret), "up: %s", err.text);
	} else {
		snprintf(what, sizeof(what), "%s", t->title[0] ? t->title : spec);
		err_printable(what);
		printf("%s: %s: %u hosts, %u switches, %u links up in %.2f s\n", name, what, t->n_hosts, t->n_switches,
		       t->n_links, cmd_seconds() - start);
		fflush(stdout);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

static int run_up(const struct cmd *cmd, int argc, char **argv)
{
	const char *name = "lab", *spec;
	double start = cmd_seconds();
	struct err err;
	struct topo *t;
	int c, ret;

	while ((c = cmd_getopt(cmd, argc, argv, &ret)) != -1) {
		if (c != 'n')
			return ret;
		name = optarg;
	}
	if (optind == argc)
		return cmd_missing(cmd, "TOPOLOGY");
	if (optind + 1 < argc)
		return cmd_extra(cmd, argv[optind + 1]);
	spec = argv[optind];
	ret = netlab_check_name(name, &err);
	if (!ret)
		ret = topo_open(spec, cmd_generators(), &t, &err);
	if (ret)
		return cmd_fail(cmd_input_code(ret), "up: %s", err.text);
	ret = build(name, spec, t, start);
	topo_free(t);
	return ret;
}

static const struct cmd_arg args[] = {
	{ "TOPOLOGY",
	  "a file (topo/FORMAT.md), or a generator with its parameters, such as fat-tree:k=6: fat-tree, "
	  "leaf-spine, melo, ring, star, dumbbell (topo/GENERATOR.sh --help draws it)" },
	{ 0 },
};

static const struct cmd_option options[] = {
	{ 'n', "name", "LAB", "the lab's name (default: lab); its namespaces are LAB-NODE" },
	{ 0 },
};

const struct cmd cmd_up = {
	.name = "up",
	.usage = "[--name LAB] TOPOLOGY",
	.help = "build a lab of network namespaces and veth pairs",
	.args = args,
	.options = options,
	.notes = "Needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN.",
	.run = run_up,
};
