/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of losslab. A command is lab/cmd/cmd_x.c, which ends in a `const struct cmd cmd_x`, and a row in
 * CMD_LIST. Its arguments and options are tables: --help, the man page and getopt are made from them.
 */
#ifndef LOSSLAB_CMD_H
#define LOSSLAB_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "topo/err.h"

/* Every command, in the order of the help. */
#define CMD_LIST(row) row(up) row(run) row(status) row(ports) row(exec) row(headroom) row(doctor) row(down)

/* Exit codes. cmd_exit_codes[] has their meanings, by code. */
enum { EXIT_DONE = 0, EXIT_CHECK = 1, EXIT_USAGE = 2, EXIT_SYSTEM = 3, EXIT_CODES };
extern const char *const cmd_exit_codes[EXIT_CODES];

/* An argument of a command. */
struct cmd_arg {
	const char *name; /* "TOPOLOGY" */
	const char *help;
};

/* Options without a letter have an id below ' '. */
enum cmd_option_id { CMD_JSON = 1, CMD_CAPS, CMD_KILL, CMD_PRESETS, CMD_LIST_OF, CMD_COSTS, CMD_HELP_ALL };

struct cmd_option {
	int id; /* what cmd_getopt() returns: its letter, or an enum cmd_option_id */
	const char *name;
	const char *arg; /* what the value is called; NULL: takes none */
	const char *help;
};

/* Where help texts go: to a terminal, or into a man page. */
struct cmd_doc {
	FILE *out;
	bool roff;
};

struct cmd {
	const char *name;
	const char *usage;                       /* what follows the name in the usage line */
	const char *help;                        /* in a few words */
	const struct cmd_arg *args;              /* NULL, or ends with a row without a name */
	const struct cmd_option *options;        /* the same; --help is added to all */
	const char *notes;                       /* what else a user needs to know; NULL: nothing */
	void (*more)(const struct cmd_doc *doc); /* lists that follow, made from other tables; NULL: none */
	bool first_only; /* options end at the first argument: what follows is another command line */
	int (*run)(const struct cmd *c, int argc, char **argv); /* argv[0] is the name; returns an exit code */
};

#define CMD_DECLARE(name) extern const struct cmd cmd_##name;
CMD_LIST(CMD_DECLARE)

extern const struct cmd *const cmds[]; /* ends with NULL */

/*
 * getopt_long() for the command's options, before, between and after other words. Returns an option's id, with optarg
 * and optind as usual, or -1 at the end. A bad option is said in one line, --help is printed: then *code is the exit
 * code and the return value is '?'.
 */
int cmd_getopt(const struct cmd *c, int argc, char **argv, int *code);

/* --help of one command, of all, and the man page losslab.1. All return EXIT_DONE. */
int cmd_help(const struct cmd *c);
int cmd_help_all(void);
int cmd_man(const char *version);
/* A heading, and an entry "what: help" or "what" with @help folded below it. */
void cmd_doc_heading(const struct cmd_doc *doc, const char *title);
void cmd_doc_entry(const struct cmd_doc *doc, const char *what, const char *help);
/* @text in lines of at most 80 columns, all but the first indented, which begins at column @at. */
void cmd_wrap(FILE *out, size_t at, size_t indent, const char *text);

/* Print "losslab: what: which: why" on stderr, control characters escaped, and return @code. */
int cmd_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Say that argument @what is missing, or that @word is one too many. Both return EXIT_USAGE. */
int cmd_missing(const struct cmd *c, const char *what);
int cmd_extra(const struct cmd *c, const char *word);
/* Say, for the command named @cmd, that there is no lab @name, and which there are. Returns EXIT_USAGE. */
int cmd_no_lab(const char *cmd, const char *name);
/* The exit code for -errno of a netlab function, and for that of reading a file or topology which the user named. */
int cmd_exit_code(int err);
int cmd_input_code(int err);

/* Where the generator scripts are: $LOSSLAB_TOPO, else ../topo or ../share/losslab/topo beside the
 * program's folder, else PREFIX/share/losslab/topo. */
const char *cmd_generators(void);
/* The path of a scenario: "scenarios/NAME" that is not there is looked for beside the generators' folder, where it is
 * also installed; any other @path, and what is in neither place, is returned as it is. */
const char *cmd_scenario(const char *path);
/* A clock for "in 0.12 s": seconds of wall time since some moment. */
double cmd_seconds(void);

#endif
