// SPDX-License-Identifier: GPL-2.0
/* losslab: the table of commands, and the one that is asked for. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lab/cmd/cmd_priv.h"

#define VERSION "0.1.0"

const struct cmd cmds[] = {
	{ "up", cmd_up, "[--name LAB] TOPOLOGY", "build a lab of namespaces and veth pairs" },
	{ "run", cmd_run, "SCENARIO|KEY=VALUE...", "run one experiment, or a scenario" },
	{ "status", cmd_status, "[--name LAB] [--json]", "say which labs stand, and what they do" },
	{ "ports", cmd_ports, "[DIR | --name LAB] [--all | --json]", "show the ports of a run, over or on" },
	{ "exec", cmd_exec, "[--name LAB] NODE [--] COMMAND...", "run a command in a node's namespace" },
	{ "headroom", cmd_headroom, "RATE DELAY MTU", "what PFC needs above xoff to lose nothing, term by term" },
	{ "doctor", cmd_doctor, "[--json]", "check what this system can do" },
	{ "down", cmd_down, "[--name LAB] [--all]", "remove a lab and only the lab, whatever its state" },
	{ 0 },
};

static const struct cmd *find(const char *name)
{
	const struct cmd *c;

	for (c = cmds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int cmd_help(const char *name, const char *options)
{
	const struct cmd *c = find(name);

	printf("usage: losslab %s %s\n%s: %s\n", c->name, c->args, c->name, c->help);
	if (*options)
		printf("\n%s", options);
	return EXIT_DONE;
}

int cmd_missing(const char *name, const char *what)
{
	return cmd_fail(EXIT_USAGE, "%s: %s is missing; usage: losslab %s %s", name, what, name, find(name)->args);
}

int cmd_extra(const char *name, const char *word)
{
	return cmd_fail(EXIT_USAGE, "%s: '%.80s': one argument too many; usage: losslab %s %s", name, word, name,
			find(name)->args);
}

static int help(FILE *out)
{
	const struct cmd *c;

	fprintf(out, "usage: losslab COMMAND [ARGUMENTS]\n\nA data-centre fabric on one Linux box. Commands:\n\n");
	for (c = cmds; c->name; c++)
		fprintf(out, "  %-10s%-36s%s\n", c->name, c->args, c->help);
	fprintf(out,
		"\nlosslab COMMAND --help says more. "
		"Exit codes: 0 done, 1 a check failed, 2 usage or bad input,\n3 the system lacks something.\n");
	return EXIT_DONE;
}

static int run(int argc, char **argv)
{
	const struct cmd *c;

	if (argc < 2)
		return cmd_fail(EXIT_USAGE, "no command: losslab --help lists them");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(stdout);
	if (!strcmp(argv[1], "--version")) {
		printf("losslab %s\n", VERSION);
		return EXIT_DONE;
	}
	c = find(argv[1]);
	if (!c)
		return cmd_fail(EXIT_USAGE, "command %s: unknown: losslab --help lists them", argv[1]);
	return c->run(argc - 1, argv + 1);
}

/* Whatever a command has found out: when nobody got to read it, it has not done its work. */
static int check_output(int code)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	return cmd_fail(code ? code : EXIT_CHECK, "stdout: cannot be written%s%s", errno ? ": " : "",
			errno ? strerror(errno) : "");
}

int main(int argc, char **argv)
{
	return check_output(run(argc, argv));
}
