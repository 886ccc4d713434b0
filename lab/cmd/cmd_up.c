// SPDX-License-Identifier: GPL-2.0
/* losslab up: build a lab. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "lab/cmd/cmd_priv.h"
#include "lab/netlab/netlab.h"

static const char options_help[] =
	"  TOPOLOGY         a file (topo/FORMAT.md), or a generator: fat-tree:k=6, leaf-spine,\n"
	"                   melo, ring, star, dumbbell (GENERATOR.sh --help draws it)\n"
	"  -n, --name LAB   the lab's name (lab); namespaces are LAB-NODE\n";

static const struct option options[] = {
	{ "name", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* Build it. A signal that comes meanwhile waits until the message is out, then ends us as it would have. */
static int build(const char *name, const char *spec, const struct topo *t, double start)
{
	sigset_t stop, old;
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
		printf("%s: %s: %u hosts, %u switches, %u links up in %.2f s\n", name, t->title[0] ? t->title : spec,
		       t->n_hosts, t->n_switches, t->n_links, cmd_seconds() - start);
		fflush(stdout);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int cmd_up(int argc, char **argv)
{
	const char *name = "lab", *spec;
	double start = cmd_seconds();
	struct err err;
	struct topo *t;
	int c, ret;

	while ((c = cmd_getopt(argc, argv, options)) != -1) {
		if (c == 'n')
			name = optarg;
		else if (c == 'h')
			return cmd_help(argv[0], options_help);
		else
			return EXIT_USAGE;
	}
	if (optind == argc)
		return cmd_missing(argv[0], "TOPOLOGY");
	if (optind + 1 < argc)
		return cmd_extra(argv[0], argv[optind + 1]);
	spec = argv[optind];
	ret = netlab_check_name(name, &err);
	if (!ret)
		ret = topo_open(spec, cmd_generators(), &t, &err);
	if (ret)
		return cmd_fail(cmd_exit_code(ret), "up: %s", err.text);
	ret = build(name, spec, t, start);
	topo_free(t);
	return ret;
}
