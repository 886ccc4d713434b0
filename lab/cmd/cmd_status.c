// SPDX-License-Identifier: GPL-2.0
/* losslab status: which labs stand, what they are, who uses them, what is missing. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "lab/cmd/cmd_priv.h"
#include "lab/netlab/netlab_priv.h"

static const char options_help[] = "  -n, --name LAB   only this lab\n"
				   "  -j, --json       for programs\n"
				   "\n"
				   "Exit code 1 if a lab is not whole: unfinished, damaged, or a namespace missing.\n";

static const struct option options[] = {
	{ "name", required_argument, NULL, 'n' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* The answer as data; text is printed from it. */
static json_t *missing_of(const struct manifest *m)
{
	json_t *missing = json_array();
	u32 i;

	for (i = 0; i < m->n_ns; i++)
		if (!netns_stands(m->ns[i]))
			json_array_append_new(missing, json_string(m->ns[i]));
	return missing;
}

static json_t *describe(const char *name)
{
	char path[LAB_PATH_MAX];
	struct err err;
	pid_t pid = netlab_holder(name);
	json_t *user = pid ? json_integer(pid) : json_null();
	struct manifest m;
	json_t *missing, *lab;
	const char *state;
	int ret;

	if (netlab_path(name, "manifest.json", path))
		ret = err_set(&err, -ENAMETOOLONG, "LOSSLAB_RUN_DIR: too long");
	else
		ret = manifest_read(&m, path, name, &err);
	if (ret == -ENOENT) {
		state = pid ? "starting" : "leftover"; /* `up` was killed before it made anything */
		return json_pack("{s:s, s:s, s:o}", "name", name, "state", state, "pid", user);
	}
	if (ret)
		return json_pack("{s:s, s:s, s:o, s:s}", "name", name, "state", "damaged", "pid", user, "error", &err);
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

static void print_missing(json_t *missing)
{
	size_t i, n = json_array_size(missing);

	if (!n)
		return;
	printf(", %zu missing:", n);
	for (i = 0; i < n && i < 4; i++)
		printf(" %s", json_string_value(json_array_get(missing, i)));
	if (n > 4)
		printf(" ...");
}

static void print_lab(json_t *lab)
{
	json_int_t pid = json_integer_value(json_object_get(lab, "pid"));

	printf("%s: %s", text(lab, "name"), text(lab, "state"));
	if (*text(lab, "topology"))
		printf(", %s", text(lab, "topology"));
	if (json_object_get(lab, "hosts"))
		printf(", %d hosts, %d switches, %d links", (int)json_integer_value(json_object_get(lab, "hosts")),
		       (int)json_integer_value(json_object_get(lab, "switches")),
		       (int)json_integer_value(json_object_get(lab, "links")));
	print_missing(json_object_get(lab, "missing"));
	if (*text(lab, "error"))
		printf(", %s", text(lab, "error"));
	if (pid > 0)
		printf(", in use by process %d", (int)pid);
	else if (pid)
		printf(", in use");
	printf("\n");
}

/* EXIT_CHECK if any lab is neither up nor just being built. */
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
		printf("no lab stands\n");
	for (i = 0; i < json_array_size(labs); i++)
		print_lab(json_array_get(labs, i));
}

int cmd_status(int argc, char **argv)
{
	const char *name = NULL;
	struct err err;
	bool json = false;
	json_t *labs;
	int c, code;

	while ((c = cmd_getopt(argc, argv, options)) != -1) {
		if (c == 'n')
			name = optarg;
		else if (c == 'j')
			json = true;
		else
			return c == 'h' ? cmd_help(argv[0], options_help) : EXIT_USAGE;
	}
	if (optind < argc)
		return cmd_extra(argv[0], argv[optind]);
	if (name && netlab_check_name(name, &err))
		return cmd_fail(EXIT_USAGE, "status: %s", err.text);
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
