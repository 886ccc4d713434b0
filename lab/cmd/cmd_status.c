// SPDX-License-Identifier: GPL-2.0-or-later
/* losslab status: which labs exist, what they are, which process uses them, what is missing. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>
#include <jansson.h>

#include "lab/cmd/cmd.h"
#include "lab/netlab/manifest.h"

/* The answer is made as JSON; the text is printed from that. */
static json_t *missing_of(const struct manifest *m)
{
	json_t *missing = json_array();
	u32 i;

	for (i = 0; i < m->n_ns; i++)
		if (!netns_exists(m->ns[i]))
			json_array_append_new(missing, json_string(m->ns[i]));
	return missing;
}

static json_t *describe(const char *name)
{
	struct err err;
	pid_t pid = netlab_holder(name);
	json_t *user = pid ? json_integer(pid) : json_null();
	struct manifest m;
	json_t *missing, *lab;
	const char *state;
	int ret;

	ret = manifest_of(&m, name, &err);
	if (ret == -ENOENT) {
		state = pid ? "starting" : "leftover"; /* `up` was killed before it made anything */
		return json_pack("{s:s, s:s, s:o}", "name", name, "state", state, "pid", user);
	}
	if (ret)
		return json_pack("{s:s, s:s, s:o, s:s}", "name", name, "state", "damaged", "pid", user, "error",
				 err.text);
	missing = missing_of(&m);
	state = !m.complete ? (pid ? "starting" : "unfinished") : json_array_size(missing) ? "broken" : "up";
	lab = json_pack("{s:s, s:s, s:o, s:s, s:i, s:i, s:i, s:o}", "name", name, "state", state, "pid", user,
			"topology", m.title, "hosts", (int)m.n_hosts, "switches", (int)m.n_switches, "links",
			(int)m.n_links, "missing", missing);
	manifest_free(&m);
	return lab;
}

static int collect(const char *name, void *labs)
{
	return json_array_append_new(labs, describe(name));
}

static const char *text(json_t *lab, const char *key)
{
	const char *s = json_string_value(json_object_get(lab, key));

	return s ? s : "";
}

static void print_missing(FILE *out, json_t *missing)
{
	size_t i, n = json_array_size(missing);

	if (!n)
		return;
	fprintf(out, ", %zu missing:", n);
	for (i = 0; i < n && i < 4; i++)
		fprintf(out, " %s", json_string_value(json_array_get(missing, i)));
	if (n > 4)
		fprintf(out, " ...");
}

/* One line, which is folded at 80 columns. */
static void print_lab(json_t *lab)
{
	json_int_t pid = json_integer_value(json_object_get(lab, "pid"));
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return;
	fprintf(out, "%s: %s", text(lab, "name"), text(lab, "state"));
	if (*text(lab, "topology"))
		fprintf(out, ", %s", text(lab, "topology"));
	if (json_object_get(lab, "hosts"))
		fprintf(out, ", %d hosts, %d switches, %d links",
			(int)json_integer_value(json_object_get(lab, "hosts")),
			(int)json_integer_value(json_object_get(lab, "switches")),
			(int)json_integer_value(json_object_get(lab, "links")));
	print_missing(out, json_object_get(lab, "missing"));
	if (*text(lab, "error"))
		fprintf(out, ", %s", text(lab, "error"));
	if (pid > 0)
		fprintf(out, ", in use by process %d", (int)pid);
	else if (pid)
		fprintf(out, ", in use");
	if (!fclose(out)) {
		err_printable(line);
		cmd_wrap(stdout, 0, 4, line);
	}
	free(line);
}

/* EXIT_CHECK if any lab is neither up nor being built. */
static int judge(json_t *labs)
{
	const char *state;
	size_t i;

	for (i = 0; i < json_array_size(labs); i++) {
		state = text(json_array_get(labs, i), "state");
		if (strcmp(state, "up") && strcmp(state, "starting"))
			return EXIT_CHECK;
	}
	return EXIT_DONE;
}

static void print(json_t *labs, bool json)
{
	size_t i;

	if (json) {
		json_t *root = json_pack("{s:O}", "labs", labs);

		json_dumpf(root, stdout, JSON_INDENT(1));
		printf("\n");
		json_decref(root);
		return;
	}
	if (!json_array_size(labs))
		puts("no lab exists");
	for (i = 0; i < json_array_size(labs); i++)
		print_lab(json_array_get(labs, i));
}

static int run_status(const struct cmd *cmd, int argc, char **argv)
{
	const char *name = NULL;
	struct err err;
	bool json = false;
	json_t *labs;
	int c, code;

	while ((c = cmd_getopt(cmd, argc, argv, &code)) != -1) {
		if (c == 'n')
			name = optarg;
		else if (c == CMD_JSON)
			json = true;
		else
			return code;
	}
	if (optind < argc)
		return cmd_extra(cmd, argv[optind]);
	if (name && netlab_check_name(name, &err))
		return cmd_fail(EXIT_USAGE, "status: %s", err.text);
	if (netlab_check_access(&err))
		return cmd_fail(EXIT_SYSTEM, "status: %s", err.text);
	if (name && !netlab_exists(name))
		return cmd_no_lab(argv[0], name);
	labs = json_array();
	if (name)
		collect(name, labs);
	else
		netlab_each(collect, labs);
	print(labs, json);
	code = judge(labs);
	json_decref(labs);
	return code;
}

static const struct cmd_option options[] = {
	{ 'n', "name", "LAB", "only this lab" },
	{ CMD_JSON, "json", NULL, "for programs" },
	{ 0 },
};

const struct cmd cmd_status = {
	.name = "status",
	.usage = "[--name LAB] [--json]",
	.help = "list the labs, their state and which process uses them",
	.options = options,
	.notes = "Exit code 1 if a lab is unfinished, damaged, or misses a namespace. Labs belong to root, so this "
		 "needs root.",
	.run = run_status,
};
