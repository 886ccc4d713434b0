// SPDX-License-Identifier: GPL-2.0-or-later
/* The program: find the command that is asked for and run it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/cmd/cmd.h"

#define VERSION "0.1.0"

static const struct cmd *find(const char *name)
{
	for (const struct cmd *const *c = cmds; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

static int help(int argc, char **argv)
{
	const struct cmd *c;

	if (argc < 3)
		return cmd_help_all();
	c = find(argv[2]);
	return c ? cmd_help(c) : cmd_fail(EXIT_USAGE, "command %.80s: unknown: losslab --help lists them", argv[2]);
}

static int run(int argc, char **argv)
{
	const struct cmd *c;

	if (argc < 2)
		return cmd_fail(EXIT_USAGE, "no command: losslab --help lists them");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(argc, argv);
	if (!strcmp(argv[1], "--man"))
		return cmd_man(VERSION);
	if (!strcmp(argv[1], "--version")) {
		printf("losslab %s\n", VERSION);
		return EXIT_DONE;
	}
	c = find(argv[1]);
	if (!c)
		return cmd_fail(EXIT_USAGE, "command %.80s: unknown: losslab --help lists them", argv[1]);
	return c->run(c, argc - 1, argv + 1);
}

/*
 * A closed stdin, stdout or stderr would be taken by the next file that is opened, and a message would be written into
 * it. With stderr closed there is nobody to read messages, which is no error; a result that nobody can read is one.
 */
static void fill_standard_fds(void)
{
	static const int modes[] = { O_RDONLY, O_RDONLY, O_WRONLY }; /* writing to stdout fails, to stderr does not */

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[fd]) != fd)
			_exit(EXIT_SYSTEM);
}

/* A result that could not be written is a failure. */
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
	fill_standard_fds();
	return check_output(run(argc, argv));
}
