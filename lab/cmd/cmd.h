/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of losslab: a table of {name, function, one line of help}; a file each. */
#ifndef LOSSLAB_CMD_H
#define LOSSLAB_CMD_H

/* Exit codes, documented in README.md. */
enum { EXIT_DONE = 0, EXIT_CHECK = 1, EXIT_USAGE = 2, EXIT_SYSTEM = 3 };

struct cmd {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit code */
	const char *args;
	const char *help;
};

extern const struct cmd cmds[]; /* ends with a row whose name is NULL */

int cmd_up(int argc, char **argv);
int cmd_down(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_ports(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_headroom(int argc, char **argv);

/* Where the generator scripts are: $LOSSLAB_TOPO, else ../topo or ../share/losslab/topo beside the
 * program's folder, else PREFIX/share/losslab/topo. */
const char *cmd_generators(void);
/* The path of a scenario: "scenarios/NAME" that is not there is looked for beside the generators' folder, where it is
 * also installed; any other @path, and what is in neither place, is returned as it is. */
const char *cmd_scenario(const char *path);
/* Print "losslab: what: which: why" on stderr and return @code. */
int cmd_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
