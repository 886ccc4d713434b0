// SPDX-License-Identifier: GPL-2.0
/* losslab run: one experiment, or a scenario's variants one after the other. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/cmd/cmd_priv.h"
#include "lab/interrupt.h"
#include "lab/run/experiment.h"
#include "lab/netlab/netlab.h"
#include "lab/netlab/netlab_priv.h"
#include "lab/config/preset.h"
#include "lab/config/scenario.h"

static const char options_help[] =
	"  SCENARIO          a scenario file, or a folder with one named \"scenario\"; paths in it are from there\n"
	"                    (scenarios/NAME is also found where losslab is installed)\n"
	"  KEY=VALUE         settings; they override the scenario's common ones\n"
	"  -n, --name LAB    use this lab (lab, if it stands; else one is brought up and taken down)\n"
	"  -e, --engine E    kernel, or twin: the same without namespaces and root; of a LAB it takes the topology\n"
	"  -o, --out DIR     write config.txt, flows.csv, ports.csv, hosts.csv, summary.json there, and what files the "
	"run is given\n"
	"  -j, --json        print summary.json instead of the summary\n"
	"  -q, --quiet       no progress bar\n"
	"      --presets     list what preset=NAME stands for\n"
	"      --list KEY    list what transport= or cc= can be\n"
	"      --help-all    this, with all keys\n";

#define OPTION_PRESETS 1
#define OPTION_LIST 2
#define OPTION_HELP_ALL 3

static const struct option options[] = {
	{ "name", required_argument, NULL, 'n' },
	{ "engine", required_argument, NULL, 'e' },
	{ "out", required_argument, NULL, 'o' },
	{ "json", no_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	/* without a letter */
	{ "presets", no_argument, NULL, OPTION_PRESETS },
	{ "list", required_argument, NULL, OPTION_LIST },
	{ "help-all", no_argument, NULL, OPTION_HELP_ALL },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct run_args {
	const char *name, *engine, *out;
	bool json, quiet;
	struct scenario scenario;
	struct topo *topo;
	struct netlab lab;
	bool own_lab, lab_open;
	const char *standing; /* the lab whose topology it is; NULL: of none that stood before */
	char own_name[LAB_NAME_MAX];
	bool topo_is_file;      /* a file, or a standing lab's: to be kept with the records */
	char topology[CFG_STR]; /* what the summary calls it */
	struct record_inputs inputs[SCENARIO_VARIANTS];
	struct outdir out_dir[SCENARIO_VARIANTS];
	u32 n_out; /* outdir_open() was called for so many */
};

#define BY_DOWN 1000 /* in interrupt_request, beyond all signals */

static void stop(int sig, siginfo_t *info, void *context)
{
	bool by_down = info->si_code == SI_QUEUE && info->si_value.sival_int == LAB_DOWN_VALUE;

	interrupt_request = sig == SIGTERM && by_down ? BY_DOWN : sig;
}

/* A bar on the terminal; nothing where stderr is not one. */
static int progress(void *ctx, u32 completed, u32 flows, u64 now)
{
	const char *label = ctx;
	u32 width = 30, full = flows ? (u64)completed * width / flows : width;

	if (label)
		fprintf(stderr, "\r%-20.20s [%.*s%*s] %u/%u flows, %llu us ", label, full,
			"##############################", width - full, "", completed, flows, now / PS_PER_US);
	return interrupt_request;
}

static void progress_clear(bool shown)
{
	if (shown)
		fprintf(stderr, "\r%*s\r", 78, "");
}

/* The directory of one variant: DIR itself, or DIR/1, DIR/2, ... */
static const char *records_dir(const struct run_args *a, u32 i, char *dir, size_t n)
{
	if (a->scenario.n == 1)
		snprintf(dir, n, "%s", a->scenario.cfg[i].out);
	else
		snprintf(dir, n, "%s/%u", a->scenario.cfg[i].out, i + 1);
	return dir;
}

static int write_records(struct run_args *a, const struct experiment *x, u32 i, struct err *err)
{
	return x->cfg.out[0] ? records_write(&x->result, &x->totals, &a->out_dir[i], err) : 0;
}

/* A file's or a lab's topology is called as it calls itself, wherever it comes from. */
static void name_topology(struct run_args *a)
{
	const char *spec = a->scenario.cfg[0].topology;

	a->topo_is_file = a->standing || topo_is_file(spec);
	if (a->topo_is_file && a->topo->title[0])
		spec = a->topo->title;
	else if (a->standing)
		spec = a->standing;
	snprintf(a->topology, sizeof(a->topology), "%s", spec);
}

/* The place is as it should be, but takes nothing more: as when it is found out at the end. */
static bool is_full(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT || rc == -EIO;
}

/* What can be found out about the records' place before hours have gone into a run. */
static int prepare_records(struct run_args *a)
{
	char dir[CFG_STR + 16];
	struct err err;

	name_topology(a);
	for (u32 i = 0; i < a->scenario.n; i++) {
		struct run_cfg *c = &a->scenario.cfg[i];
		int rc;

		if (!c->out[0] && c->sample)
			return cmd_fail(EXIT_USAGE, "sample: there is no place for samples; allowed: with out=DIR");
		a->out_dir[i] = (struct outdir){ .fd = -1, .lock = -1 };
		a->n_out = i + 1;
		if (!c->out[0])
			continue;
		rc = outdir_open(&a->out_dir[i], records_dir(a, i, dir, sizeof(dir)), &err);
		if (rc)
			return cmd_fail(is_full(rc) ? EXIT_CHECK : EXIT_USAGE, "%s", err.text);
		rc = record_inputs_keep(&a->inputs[i], c, a->topo_is_file ? a->topo : NULL);
		if (rc)
			return cmd_fail(rc == -EINTR ? EXIT_CHECK : EXIT_SYSTEM, "out: %s", strerror(-rc));
	}
	return EXIT_DONE;
}

/* Of a run that hangs what waits for what; of a variant's deadlock the table has it in one line. */
static void say_waiting(const struct run_args *a, u32 i, const struct experiment *x)
{
	bool one = a->scenario.n == 1;

	if (!x->waiting || (!one && x->result.n_deadlock))
		return;
	fprintf(stderr, "losslab: run: %s%s%s%s", one ? "" : "[", one ? "" : a->scenario.label[i], one ? "" : "] ",
		x->waiting);
}

/* *hung: it ended stuck or in a deadlock, which is a result; its records are there. */
static int run_variant(struct run_args *a, u32 i, struct experiment *x, bool *hung)
{
	bool bar = !a->quiet && isatty(STDERR_FILENO);
	struct err err = { 0 };
	int rc;

	rc = experiment_run(x, &a->scenario.cfg[i], a->topo, a->lab_open ? a->lab.name : NULL, progress,
			    bar ? a->scenario.label[i] : NULL, &err);
	progress_clear(bar);
	x->result.label = a->scenario.n > 1 ? a->scenario.label[i] : NULL;
	x->result.topology = a->topology;
	x->result.inputs = &a->inputs[i];
	say_waiting(a, i, x);
	if (!rc)
		rc = write_records(a, x, i, &err);
	if (!rc) {
		*hung = experiment_hangs(x);
		return *hung ? EXIT_CHECK : EXIT_DONE;
	}
	if (rc == -EINTR && interrupt_request)
		cmd_fail(0, "run: interrupted by %s%s", interrupt_request == BY_DOWN ? "losslab down" : "SIG",
			 interrupt_request == BY_DOWN ? "" : sigabbrev_np(interrupt_request));
	else
		cmd_fail(0, "%s", err.text[0] ? err.text : strerror(-rc));
	if (!x->planned && rc != -EINTR)
		return rc == -ENOMEM ? EXIT_SYSTEM : EXIT_USAGE;
	return x->started || rc == -EINTR ? EXIT_CHECK : EXIT_SYSTEM;
}

/* One run is an object, the variants of a scenario an array of them, in the scenario's order. */
static void print_json(const struct run_result *const *runs, const struct run_totals *totals, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		if (n > 1)
			fputs(i ? "," : "[", stdout);
		records_json(runs[i], &totals[i], stdout);
	}
	if (n > 1)
		puts("]");
}

static void print_results(const struct run_args *a, const struct experiment *x, u32 n)
{
	const struct run_result *runs[SCENARIO_VARIANTS];
	struct run_totals totals[SCENARIO_VARIANTS];
	const char *labels[SCENARIO_VARIANTS];

	for (u32 i = 0; i < n; i++) {
		runs[i] = &x[i].result;
		totals[i] = x[i].totals;
		labels[i] = a->scenario.label[i];
	}
	if (a->json)
		return print_json(runs, totals, n);
	if (n == 1)
		return records_print(runs[0], &totals[0], stdout);
	records_table(runs, totals, labels, n, stdout);
	records_reading(totals, labels, n, stdout);
}

static int run_all(struct run_args *a)
{
	struct experiment *x = calloc(a->scenario.n, sizeof(*x));
	int code = EXIT_DONE, rc = EXIT_DONE;
	bool over = false;
	u32 n;

	if (!x)
		return cmd_fail(EXIT_SYSTEM, "out of memory");
	for (n = 0; n < a->scenario.n && !over; n++) {
		bool hung = false;

		rc = run_variant(a, n, &x[n], &hung);
		if (rc)
			code = rc;
		over = rc && !hung;
	}
	if (!rc || x[n - 1].result.status)
		print_results(a, x, n);
	for (u32 i = 0; i < n; i++)
		experiment_free(&x[i]);
	free(x);
	return code;
}

/* Variants of a scenario run on one lab, so they share the topology. */
static int check_topology(const struct run_args *a)
{
	for (u32 i = 1; i < a->scenario.n; i++)
		if (strcmp(a->scenario.cfg[i].topology, a->scenario.cfg[0].topology))
			return cmd_fail(EXIT_USAGE, "topology: %s: the variants of a scenario share one topology",
					a->scenario.cfg[i].topology);
	return EXIT_DONE;
}

/* Remove a lab that an earlier run brought up for itself and was killed before taking down: its name holds that run's
 * pid. */
static int sweep(const char *name, void *arg)
{
	struct err err;
	int pid, end = 0;

	if (sscanf(name, "run%d%n", &pid, &end) == 1 && !name[end] && pid > 0 && kill(pid, 0) && errno == ESRCH)
		netlab_down(name, &err);
	return 0;
}

static int check_no_topology(const struct run_args *a, const char *name)
{
	if (!cfg_given(&a->scenario.cfg[0], "topology"))
		return EXIT_DONE;
	return cmd_fail(EXIT_USAGE, "topology: lab %s stands and has its own: leave the key out, or take the lab down",
			name);
}

static int no_such_lab(const char *name)
{
	return cmd_fail(EXIT_USAGE, "lab %s: not there: losslab up --name %s TOPOLOGY builds it", name, name);
}

/* The kernel engine runs on a standing lab, or on one of its own. */
static int open_lab(struct run_args *a)
{
	struct err err;
	const char *name = a->name ? a->name : "lab";
	int rc;

	if (geteuid())
		return cmd_fail(EXIT_SYSTEM, "run: the kernel engine needs root: use sudo, or --engine twin");
	if (netlab_check_name(name, &err))
		return cmd_fail(EXIT_USAGE, "%s", err.text);
	if (!netlab_exists(name)) {
		if (a->name)
			return no_such_lab(name);
		netlab_each(sweep, NULL);
		snprintf(a->own_name, sizeof(a->own_name), "run%d", (int)getpid());
		rc = topo_open(a->scenario.cfg[0].topology, cmd_generators(), &a->topo, &err);
		if (!rc) {
			rc = netlab_up(a->own_name, a->topo, &err);
			a->own_lab = !rc;
		}
		if (rc)
			return cmd_fail(cmd_exit_code(rc), "%s", err.text);
		topo_free(a->topo);
		a->topo = NULL;
		name = a->own_name;
	} else {
		a->standing = name;
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

/* The twin needs no lab, and takes nothing but the topology of one: it may be in use. */
static int open_twin(struct run_args *a)
{
	const char *spec = a->scenario.cfg[0].topology;
	char path[LAB_PATH_MAX];
	struct err err;
	int rc;

	if (a->name) {
		if (netlab_check_name(a->name, &err))
			return cmd_fail(EXIT_USAGE, "%s", err.text);
		if (!netlab_exists(a->name) || netlab_path(a->name, "topology", path))
			return no_such_lab(a->name);
		if (check_no_topology(a, a->name))
			return EXIT_USAGE;
		a->standing = a->name;
		spec = path;
	}
	rc = topo_open(spec, cmd_generators(), &a->topo, &err);
	return rc ? cmd_fail(cmd_exit_code(rc), "%s", err.text) : EXIT_DONE;
}

static int finish(struct run_args *a, int code)
{
	struct err err;

	for (u32 i = a->n_out; i--;) {
		outdir_close(&a->out_dir[i]);
		record_inputs_free(&a->inputs[i]);
	}
	if (a->lab_open)
		netlab_close(&a->lab);
	else if (a->topo)
		topo_free(a->topo);
	if (a->own_lab && netlab_down(a->own_name, &err))
		return cmd_fail(EXIT_CHECK, "%s", err.text);
	return code;
}

static int apply_options(struct run_args *a)
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
static int read_words(struct run_args *a, int argc, char **argv)
{
	const char *path = NULL;
	struct err err;
	int n = 0, rc;

	for (int i = 0; i < argc; i++) {
		if (strchr(argv[i], '='))
			argv[n++] = argv[i];
		else if (path)
			return cmd_fail(EXIT_USAGE, "run: %s: one scenario at a time, and %s is one already", argv[i],
					path);
		else
			path = argv[i];
	}
	rc = scenario_read(&a->scenario, path ? cmd_scenario(path) : NULL, argv, n, &err);
	return rc ? cmd_fail(EXIT_USAGE, "%s", err.text) : apply_options(a);
}

/* What the key @what can be. */
static int list(const char *what)
{
	struct err err;

	return cfg_list(what, stdout, &err) ? cmd_fail(EXIT_USAGE, "run: %s", err.text) : EXIT_DONE;
}

/* Whether there is something to run; if not, *code is the exit code. */
static bool parse(struct run_args *a, int argc, char **argv, int *code)
{
	int c;

	while ((c = cmd_getopt(argc, argv, options)) != -1) {
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
		case 'j':
			a->json = true;
			break;
		case 'q':
			a->quiet = true;
			break;
		case OPTION_PRESETS:
			preset_list(stdout);
			*code = EXIT_DONE;
			return false;
		case OPTION_LIST:
			*code = list(optarg);
			return false;
		case 'h':
		case OPTION_HELP_ALL:
			cmd_help("run", options_help);
			cfg_help(stdout, c == OPTION_HELP_ALL);
			*code = EXIT_DONE;
			return false;
		default:
			*code = EXIT_USAGE;
			return false;
		}
	}
	*code = read_words(a, argc - optind, argv + optind);
	return !*code;
}

int cmd_run(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = stop, .sa_flags = SA_SIGINFO };
	static struct run_args a;
	int code;

	if (!parse(&a, argc, argv, &code))
		return code;
	code = check_topology(&a);
	if (code)
		return code;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN); /* a reader that goes away must not leave a lab behind */
	code = a.scenario.cfg[0].engine == ENGINE_TWIN ? open_twin(&a) : open_lab(&a);
	if (!code)
		code = prepare_records(&a);
	if (!code)
		code = run_all(&a);
	return finish(&a, code);
}
