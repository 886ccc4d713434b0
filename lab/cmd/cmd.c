// SPDX-License-Identifier: GPL-2.0
/* Messages, options and exit codes, the same in every command. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/cmd/cmd_priv.h"
#include "lab/netlab/netlab_priv.h"

#define LABS_SHOWN 160 /* bytes of a message that names the labs there are */

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

/* ":xyz" or "+:xyz" for getopt: the short forms of the long options; '+' stops at the first word. */
static void short_forms(const struct option *options, bool stop, char *out, size_t size)
{
	size_t n = 0;

	if (stop)
		out[n++] = '+';
	out[n++] = ':';
	for (; options->name && n + 3 < size; options++) {
		if (options->val <= ' ' || options->val > '~')
			continue;
		out[n++] = (char)options->val;
		if (options->has_arg == required_argument)
			out[n++] = ':';
	}
	out[n] = '\0';
}

/* After getopt_long() has refused something: the word, which it has left behind unless letters of it are still to come.
 */
static const char *bad_option(int argc, char **argv)
{
	const char *word = argv[optind - 1];
	size_t len = strlen(word);

	if (optind < argc && optopt && strncmp(word, "--", 2) && (word[0] != '-' || word[len - 1] != optopt))
		word = argv[optind];
	return word;
}

static int get_option(int argc, char **argv, const struct option *options, bool stop)
{
	const char *word;
	char letters[64];
	int c;

	short_forms(options, stop, letters, sizeof(letters));
	opterr = 0;
	c = getopt_long(argc, argv, letters, options, NULL);
	if (c != '?' && c != ':')
		return c;
	word = bad_option(argc, argv);
	if (c == ':')
		cmd_fail(EXIT_USAGE, "%s: option %.80s: needs a value", argv[0], word);
	else if (word[0] == '-' && word[1] >= '0' && word[1] <= '9')
		cmd_fail(EXIT_USAGE, "%s: %.80s: begins with '-', and no value is negative", argv[0], word);
	else if (optopt && !strncmp(word, "--", 2))
		cmd_fail(EXIT_USAGE, "%s: option %.80s: takes no value", argv[0], word);
	else
		cmd_fail(EXIT_USAGE, "%s: option %.80s: unknown (losslab %s --help)", argv[0], word, argv[0]);
	return '?';
}

int cmd_getopt(int argc, char **argv, const struct option *options)
{
	return get_option(argc, argv, options, false);
}

int cmd_getopt_first(int argc, char **argv, const struct option *options)
{
	return get_option(argc, argv, options, true);
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

	netlab_each(add_name, labs);
	if (!*labs)
		return cmd_fail(EXIT_USAGE, "%s: lab %s: there is no such lab, nor any other: losslab up builds one",
				cmd, name);
	return cmd_fail(EXIT_USAGE, "%s: lab %s: there is no such lab; say --name with one of: %s", cmd, name, labs);
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
