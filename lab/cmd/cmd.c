// SPDX-License-Identifier: GPL-2.0-or-later
/* What all commands share: options, messages, exit codes, places. */
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/cmd/cmd.h"
#include "lab/netlab/netlab.h"

#define LABS_SHOWN 160 /* bytes of a message that names the existing labs */

#ifndef PREFIX
#define PREFIX "/usr/local"
#endif

int cmd_fail(int code, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	/* One write: lines of several processes do not mix. */
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	err_printable(line); /* names and values in it come from outside */
	fflush(stdout);
	fprintf(stderr, "losslab: %s\n", line);
	return code;
}

const char *cmd_generators(void)
{
	static char dir[PATH_MAX + 32];
	const char *env = getenv("LOSSLAB_TOPO");
	char self[PATH_MAX];
	ssize_t n;

	if (env && *env)
		return env;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n > 0) {
		self[n] = '\0';
		const char *at[] = { "topo", "share/losslab/topo" }; /* built, installed */
		const char *bin = dirname(self);

		for (unsigned int i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
			snprintf(dir, sizeof(dir), "%s/../%s", bin, at[i]);
			if (!access(dir, R_OK | X_OK))
				return dir;
		}
	}
	return PREFIX "/share/losslab/topo";
}

const char *cmd_scenario(const char *path)
{
	static char beside[2 * PATH_MAX], whole[PATH_MAX];

	if (strncmp(path, "scenarios/", strlen("scenarios/")) || !access(path, F_OK))
		return path;
	snprintf(beside, sizeof(beside), "%s/../%s", cmd_generators(), path);
	return realpath(beside, whole) ? whole : path;
}

#define OPTIONS_MAX 16

/*
 * The table as getopt_long() wants it, and the letters: ":xyz", or "+:xyz" to stop at the first word.
 */
static void getopt_tables(const struct cmd *c, struct option longs[OPTIONS_MAX + 2], char letters[2 * OPTIONS_MAX + 4])
{
	const struct cmd_option *o;
	size_t n = 0, used = 0;

	if (c->first_only)
		letters[used++] = '+';
	letters[used++] = ':';
	for (o = c->options; o && o->name && n < OPTIONS_MAX; o++) {
		longs[n++] = (struct option){ o->name, o->arg ? required_argument : no_argument, NULL, o->id };
		if (o->id <= ' ')
			continue;
		letters[used++] = (char)o->id;
		if (o->arg)
			letters[used++] = ':';
	}
	longs[n++] = (struct option){ "help", no_argument, NULL, 'h' };
	longs[n] = (struct option){ 0 };
	letters[used++] = 'h';
	letters[used] = '\0';
}

/* The word that getopt_long() has refused. It has moved past it unless more letters of that word are to come. */
static const char *bad_option(int argc, char **argv)
{
	const char *word = argv[optind - 1];
	size_t len = strlen(word);

	if (optind < argc && optopt && strncmp(word, "--", 2) && (word[0] != '-' || word[len - 1] != optopt))
		word = argv[optind];
	return word;
}

static int refuse_option(bool no_value, int argc, char **argv)
{
	const char *word = bad_option(argc, argv);

	if (no_value)
		return cmd_fail(EXIT_USAGE, "%s: option %.80s: needs a value", argv[0], word);
	if (word[0] == '-' && word[1] >= '0' && word[1] <= '9')
		return cmd_fail(EXIT_USAGE, "%s: %.80s: begins with '-', and no value is negative", argv[0], word);
	if (optopt && !strncmp(word, "--", 2))
		return cmd_fail(EXIT_USAGE, "%s: option %.80s: takes no value", argv[0], word);
	return cmd_fail(EXIT_USAGE, "%s: option %.80s: unknown (losslab %s --help)", argv[0], word, argv[0]);
}

int cmd_getopt(const struct cmd *c, int argc, char **argv, int *code)
{
	struct option longs[OPTIONS_MAX + 2];
	char letters[2 * OPTIONS_MAX + 4];
	int id;

	getopt_tables(c, longs, letters);
	opterr = 0;
	id = getopt_long(argc, argv, letters, longs, NULL);
	if (id == '?' || id == ':')
		*code = refuse_option(id == ':', argc, argv);
	else if (id == 'h')
		*code = cmd_help(c);
	else
		return id;
	return '?';
}

int cmd_missing(const struct cmd *c, const char *what)
{
	return cmd_fail(EXIT_USAGE, "%s: %s is missing; usage: losslab %s %s", c->name, what, c->name, c->usage);
}

int cmd_extra(const struct cmd *c, const char *word)
{
	return cmd_fail(EXIT_USAGE, "%s: '%.80s': one argument too many; usage: losslab %s %s", c->name, word, c->name,
			c->usage);
}

static int add_name(const char *name, void *list)
{
	size_t used = strlen(list);

	if (used + strlen(name) + sizeof(", ...") > LABS_SHOWN)
		return snprintf((char *)list + used, LABS_SHOWN - used, ", ...");
	snprintf((char *)list + used, LABS_SHOWN - used, "%s%s", used ? ", " : "", name);
	return 0;
}

int cmd_no_lab(const char *cmd, const char *name)
{
	char labs[LABS_SHOWN] = "";
	struct err err;

	if (netlab_check_access(&err))
		return cmd_fail(EXIT_SYSTEM, "%s: %s", cmd, err.text);
	netlab_each(add_name, labs);
	if (!*labs)
		return cmd_fail(EXIT_USAGE, "%s: lab %s: no such lab; none exist: losslab up builds one", cmd, name);
	return cmd_fail(EXIT_USAGE, "%s: lab %s: no such lab; --name takes one of: %s", cmd, name, labs);
}

double cmd_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int cmd_exit_code(int err)
{
	switch (-err) {
	case 0:
		return EXIT_DONE;
	case EINVAL:
	case ENOENT:
	case EEXIST:
	case EADDRINUSE:
	case EBUSY:
	case EBADMSG:
	case ENAMETOOLONG:
		return EXIT_USAGE;
	default:
		return EXIT_SYSTEM;
	}
}

/* Whatever keeps a file from being read is the input's fault; what keeps any file from being read is the system's. */
int cmd_input_code(int err)
{
	switch (-err) {
	case 0:
		return EXIT_DONE;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case EAGAIN:
		return EXIT_SYSTEM;
	default:
		return EXIT_USAGE;
	}
}
