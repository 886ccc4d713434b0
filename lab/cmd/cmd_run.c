// SPDX-License-Identifier: GPL-2.0-or-later
/* losslab run: the words and options of one experiment or a scenario, and the lab it runs on. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/cmd/cmd.h"
#include "lab/cmd/run_costs.h"
#include "lab/cmd/run_variants.h"
#include "lab/config/cfg_keys.h"
#include "lab/config/preset.h"
#include "lab/interrupt.h"
#include "lab/netlab/caps.h"

static void stop(int sig, siginfo_t *info, void *context)
{
	bool by_down = info->si_code == SI_QUEUE && info->si_value.sival_int == LAB_DOWN_VALUE;

	interrupt_request = sig == SIGTERM && by_down ? RUN_ENDED_BY_DOWN : sig;
}

/* Variants of a scenario run on one lab, so they share the topology. */
static int check_topology(const struct run_job *a)
{
	for (u32 i = 1; i < a->scenario.n; i++)
		if (strcmp(a->scenario.cfg[i].topology, a->scenario.cfg[0].topology))
			return cmd_fail(EXIT_USAGE, "topology: %s: the variants of a scenario share one topology",
					a->scenario.cfg[i].topology);
	return EXIT_DONE;
}

static int check_no_topology(const struct run_job *a, const char *name)
{
	if (!cfg_given(&a->scenario.cfg[0], "topology"))
		return EXIT_DONE;
	return cmd_fail(EXIT_USAGE, "topology: lab %s exists and has its own: leave the key out, or remove the lab",
			name);
}

static int no_such_lab(const char *name)
{
	return cmd_fail(EXIT_USAGE, "lab %s: no such lab: losslab up --name %s TOPOLOGY builds it", name, name);
}

/* A lab for this run alone; those that killed runs have left are removed. */
static int open_temporary(struct run_job *a)
{
	struct err err;
	int rc;

	netlab_sweep();
	rc = topo_open(a->scenario.cfg[0].topology, cmd_generators(), &a->topo, &err);
	if (rc)
		return cmd_fail(cmd_input_code(rc), "%s", err.text);
	rc = netlab_up_temporary(a->topo, a->own_name, &err);
	if (rc)
		return cmd_fail(cmd_exit_code(rc), "%s", err.text);
	a->own_lab = true;
	topo_free(a->topo);
	a->topo = NULL;
	return EXIT_DONE;
}

/* The kernel engine runs on an existing lab, or on a temporary one. */
static int open_lab(struct run_job *a)
{
	struct err err;
	const char *name = a->name ? a->name : "lab";
	int rc;

	if (caps_check(CAPS_RUN, ", or use --engine twin", &err))
		return cmd_fail(EXIT_SYSTEM, "run: the kernel engine %s", err.text);
	if (netlab_check_name(name, &err))
		return cmd_fail(EXIT_USAGE, "%s", err.text);
	if (!netlab_exists(name)) {
		if (a->name)
			return no_such_lab(name);
		rc = open_temporary(a);
		if (rc)
			return rc;
		name = a->own_name;
	} else {
		a->existing = name;
		if (check_no_topology(a, name))
			return EXIT_USAGE;
	}
	rc = netlab_open(name, &a->lab, &err);
	if (rc)
		return cmd_fail(cmd_exit_code(rc), "%s", err.text);
	a->lab_open = true;
	a->topo = a->lab.topo;
	return EXIT_DONE;
}

/* The twin takes only the topology of a lab, which may be in use. */
static int open_twin(struct run_job *a)
{
	const char *spec = a->scenario.cfg[0].topology;
	char path[LAB_PATH_MAX];
	struct err err;
	int rc;

	if (a->name) {
		if (netlab_check_name(a->name, &err))
			return cmd_fail(EXIT_USAGE, "%s", err.text);
		if (netlab_check_access(&err))
			return cmd_fail(EXIT_SYSTEM, "run: %s", err.text);
		if (!netlab_exists(a->name) || netlab_path(a->name, "topology", path))
			return no_such_lab(a->name);
		if (check_no_topology(a, a->name))
			return EXIT_USAGE;
		a->existing = a->name;
		spec = path;
	}
	rc = topo_open(spec, cmd_generators(), &a->topo, &err);
	return rc ? cmd_fail(cmd_input_code(rc), "%s", err.text) : EXIT_DONE;
}

static int finish(struct run_job *a, int code)
{
	struct err err;

	run_close_records(a);
	if (a->lab_open)
		netlab_close(&a->lab);
	else if (a->topo)
		topo_free(a->topo);
	if (a->own_lab && netlab_down(a->own_name, NETLAB_DOWN_ANYWAY, &err))
		return cmd_fail(EXIT_CHECK, "%s", err.text);
	return code;
}

static int apply_options(struct run_job *a)
{
	char word[CFG_STR + 8];
	struct err err;

	for (u32 i = 0; i < a->scenario.n; i++) {
		if (a->engine) {
			snprintf(word, sizeof(word), "engine=%s", a->engine);
			if (cfg_set(&a->scenario.cfg[i], word, &err))
				return cmd_fail(EXIT_USAGE, "%s", err.text);
		}
		if (a->out) {
			snprintf(word, sizeof(word), "out=%s", a->out);
			if (cfg_set(&a->scenario.cfg[i], word, &err))
				return cmd_fail(EXIT_USAGE, "%s", err.text);
		}
	}
	return EXIT_DONE;
}

/* The words: at most one scenario, and settings. */
static int read_words(struct run_job *a, int argc, char **argv)
{
	const char *path = NULL;
	struct err err;
	int n = 0, rc;

	for (int i = 0; i < argc; i++) {
		if (strchr(argv[i], '='))
			argv[n++] = argv[i];
		else if (path)
			return cmd_fail(EXIT_USAGE, "run: %s: one scenario at a time; %s is the first", argv[i], path);
		else
			path = argv[i];
	}
	rc = scenario_read(&a->scenario, path ? cmd_scenario(path) : NULL, argv, n, &err);
	return rc ? cmd_fail(EXIT_USAGE, "%s", err.text) : apply_options(a);
}

static bool costs;    /* --costs: print them, run nothing */
static bool all_keys; /* --help-all: also those of rare use */

/* What the key @what can be. */
static int list(const char *what)
{
	struct err err;

	return cfg_list(what, stdout, &err) ? cmd_fail(EXIT_USAGE, "run: %s", err.text) : EXIT_DONE;
}

/* True if there is something to run; if not, *code is the exit code. */
static bool parse(const struct cmd *cmd, struct run_job *a, int argc, char **argv, int *code)
{
	int c;

	while ((c = cmd_getopt(cmd, argc, argv, code)) != -1) {
		switch (c) {
		case 'n':
			a->name = optarg;
			break;
		case 'e':
			a->engine = optarg;
			break;
		case 'o':
			a->out = optarg;
			break;
		case CMD_JSON:
			a->json = true;
			break;
		case 'q':
			a->quiet = true;
			break;
		case CMD_PRESETS:
			preset_list(stdout);
			*code = EXIT_DONE;
			return false;
		case CMD_LIST_OF:
			*code = list(optarg);
			return false;
		case CMD_COSTS:
			costs = true;
			break;
		case CMD_HELP_ALL:
			all_keys = true;
			*code = cmd_help(cmd);
			return false;
		default:
			return false;
		}
	}
	*code = read_words(a, argc - optind, argv + optind);
	if (*code || !costs)
		return !*code;
	if (run_costs(&a->scenario.cfg[0], stdout))
		*code = cmd_fail(EXIT_SYSTEM, "run: out of memory");
	return false;
}

static int run_run(const struct cmd *cmd, int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = stop, .sa_flags = SA_SIGINFO };
	static struct run_job a;
	int code;

	if (!parse(cmd, &a, argc, argv, &code))
		return code;
	code = check_topology(&a);
	if (code)
		return code;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN); /* a reader that ends early must not leave a lab behind */
	code = a.scenario.cfg[0].engine == ENGINE_TWIN ? open_twin(&a) : open_lab(&a);
	if (!code)
		code = run_prepare_records(&a);
	if (!code)
		code = run_variants(&a);
	return finish(&a, code);
}

/* The keys, by groups, with the values they take and their defaults. */
static void list_keys(const struct cmd_doc *doc)
{
	const struct cfg_group *g;
	char text[512];

	for (u32 i = 0; (g = cfg_group(i)); i++) {
		cmd_doc_heading(doc, g->title);
		for (u32 k = 0; k < g->n; k++)
			if (all_keys || doc->roff || !g->keys[k].advanced)
				cmd_doc_entry(doc, g->keys[k].name, cfg_help_text(&g->keys[k], text, sizeof(text)));
	}
}

static const struct cmd_arg args[] = {
	{ "SCENARIO",
	  "a scenario file, or a folder with a file named \"scenario\"; relative paths in it count from its "
	  "folder. scenarios/NAME is also found where losslab is installed" },
	{ "KEY=VALUE", "a setting; it overrides the scenario's common ones" },
	{ 0 },
};

static const struct cmd_option options[] = {
	{ 'n', "name", "LAB", "run on this lab (default: lab if it exists, else a temporary one)" },
	{ 'e', "engine", "E",
	  "kernel, or twin: the same in one process, without root; of LAB it takes only the topology" },
	{ 'o', "out", "DIR",
	  "write config.txt, flows.csv, ports.csv, hosts.csv, summary.json and copies of the input "
	  "files to DIR" },
	{ CMD_JSON, "json", NULL, "print summary.json in place of the summary" },
	{ 'q', "quiet", NULL, "no progress bar" },
	{ CMD_PRESETS, "presets", NULL, "list the presets: what preset=NAME sets" },
	{ CMD_LIST_OF, "list", "KEY", "list what transport or cc can be" },
	{ CMD_COSTS, "costs", NULL, "list each transport's header bytes and state, with KEY=VALUE; run nothing" },
	{ CMD_HELP_ALL, "help-all", NULL, "this help, with the keys of rare use" },
	{ 0 },
};

const struct cmd cmd_run = {
	.name = "run",
	.usage = "[OPTIONS] [SCENARIO] [KEY=VALUE...]",
	.help = "run one experiment, or the variants of a scenario",
	.args = args,
	.options = options,
	.notes = "The kernel engine needs root with CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_BPF and CAP_NET_RAW.",
	.more = list_keys,
	.run = run_run,
};
