/* SPDX-License-Identifier: GPL-2.0 */
/* What every command does alike: its --help, its options' errors, its exit code. */
#ifndef LOSSLAB_CMD_PRIV_H
#define LOSSLAB_CMD_PRIV_H

#include <getopt.h>

#include "lab/cmd/cmd.h"

/* Print the usage of the command @name, from its row in the table, and @options (lines, or ""). Returns EXIT_DONE. */
int cmd_help(const char *name, const char *options);
/*
 * getopt_long() with "--name", "--help" and the like, before, between and after other words. On a bad option says so in
 * one line and returns '?'.
 */
int cmd_getopt(int argc, char **argv, const struct option *options);
/* The same, stopping at the first word that is no option: what follows is somebody else's command line. */
int cmd_getopt_first(int argc, char **argv, const struct option *options);
/* Say that the command @name misses its argument @what, or has got @word beyond its last. Both return EXIT_USAGE. */
int cmd_missing(const char *name, const char *what);
int cmd_extra(const char *name, const char *word);
/* Say, for command @cmd, that there is no lab @name, and which there are. Returns EXIT_USAGE. */
int cmd_no_lab(const char *cmd, const char *name);
/* A clock for "in 0.12 s": seconds of wall time since some moment. */
double cmd_seconds(void);
/* The exit code for -errno of a netlab function. */
int cmd_exit_code(int err);

#endif
