// SPDX-License-Identifier: GPL-2.0
/* losslab ports: the counters of the ports, of a run that is over or of one that is on, as a table, lists or JSON. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "lab/cmd/cmd.h"
#include "lab/text.h"
#include "lab/netlab/netlab.h"
#include "lab/cmd/ports_live.h"
#include "lab/config/scenario.h"

#define COLUMNS_MAX 64
#define NAMES 4 /* columns that say which port it is */
#define CELL 24 /* bytes of a cell's text in the table */

enum form { TABLE, LISTS, JSON };

/* A ports.csv being read. */
struct table {
	struct text_in csv;
	char header[TEXT_LINE_MAX];
	char *names[COLUMNS_MAX], *cells[COLUMNS_MAX];
	u32 n;
};

/* As text_line(), without what could steer a terminal. */
static int next_line(struct text_in *csv)
{
	int rc = text_line(csv);

	if (rc > 0)
		err_printable(csv->buf);
	return rc;
}

static const char *cell(const struct table *t, const char *name)
{
	for (u32 i = 0; i < t->n; i++)
		if (!strcmp(t->names[i], name))
			return t->cells[i];
	return "";
}

static u64 number(const char *text)
{
	u64 v;

	return text_u64(text, ~0ULL, &v) ? 0 : v;
}

static u64 dropped(const struct table *t)
{
	u64 sum = 0;

	for (u32 i = 0; i < t->n; i++)
		if (!strncmp(t->names[i], "drop_", 5))
			sum += number(t->cells[i]);
	return sum;
}

static void print_titles(void)
{
	printf("%-12s %-12s %12s %12s %10s %10s %9s %9s %14s %10s %10s\n", "port", "peer", "rx_frames", "tx_frames",
	       "dropped", "ecn_marks", "pause_tx", "pause_rx", "paused_ns", "max_queue", "max_buffer");
}

static void print_row(const struct table *t)
{
	char port[2 * CELL], peer[2 * CELL];

	snprintf(port, sizeof(port), "%.*s:p%.*s", CELL - 4, cell(t, "node"), CELL - 4, cell(t, "port"));
	snprintf(peer, sizeof(peer), "%.*s:p%.*s", CELL - 4, cell(t, "peer"), CELL - 4, cell(t, "peer_port"));
	printf("%-12s %-12s %12.*s %12.*s %10llu %10.*s %9.*s %9.*s %14.*s %10.*s %10.*s\n", port, peer, CELL,
	       cell(t, "rx_frames"), CELL, cell(t, "tx_frames"), dropped(t), CELL, cell(t, "ecn_marks"), CELL,
	       cell(t, "pause_tx"), CELL, cell(t, "pause_rx"), CELL, cell(t, "paused_ns"), CELL,
	       cell(t, "max_queue_bytes"), CELL, cell(t, "max_buffer_bytes"));
}

/* "s0:p1 h1:p0" and what it has counted; the first four columns are these names. */
static void print_list(const struct table *t)
{
	u64 v;

	printf("%s:p%s %s:p%s\n", cell(t, "node"), cell(t, "port"), cell(t, "peer"), cell(t, "peer_port"));
	for (u32 i = NAMES; i < t->n; i++)
		if (text_decimal(t->cells[i], 3, ~0ULL, &v) || v)
			printf("  %-16s %s\n", t->names[i], t->cells[i]);
}

static void print_text(const char *s)
{
	json_t *text = json_string(s);
	char *quoted = json_dumps(text, JSON_ENCODE_ANY);

	fputs(quoted ? quoted : "null", stdout);
	free(quoted);
	json_decref(text);
}

/* Numbers as they stand there, anything else as text. */
static void print_object(const struct table *t, bool first)
{
	u64 v;

	fputs(first ? "[\n {" : ",\n {", stdout);
	for (u32 i = 0; i < t->n; i++) {
		fputs(i ? ", " : "", stdout);
		print_text(t->names[i]);
		fputs(": ", stdout);
		if (text_decimal(t->cells[i], 3, ~0ULL, &v))
			print_text(t->cells[i]);
		else
			fputs(t->cells[i], stdout);
	}
	fputc('}', stdout);
}

static int read_header(struct table *t)
{
	int rc = next_line(&t->csv);

	if (rc < 0)
		return rc;
	t->n = rc ? text_columns(&t->csv, t->names, COLUMNS_MAX) : 0;
	if (!t->n || t->n > COLUMNS_MAX || strcmp(t->names[0], "node"))
		return text_fail(&t->csv, "not the header of a ports.csv");
	memcpy(t->header, t->csv.buf, sizeof(t->header));
	for (u32 i = 0; i < t->n; i++)
		t->names[i] = t->header + (t->names[i] - t->csv.buf);
	return 0;
}

static int print_all(struct table *t, enum form form)
{
	int rc = read_header(t);
	bool first = true;

	if (rc)
		return rc;
	if (form == TABLE)
		print_titles();
	for (; (rc = next_line(&t->csv)) > 0; first = false) {
		u32 n = text_columns(&t->csv, t->cells, COLUMNS_MAX);

		if (n != t->n)
			return text_fail(&t->csv, "%u columns where the header has %u", n, t->n);
		if (form == JSON)
			print_object(t, first);
		else if (form == LISTS)
			print_list(t);
		else
			print_row(t);
	}
	if (form == JSON)
		puts(first ? "[]" : "\n]");
	return rc;
}

static int show(FILE *in, const char *name, enum form form)
{
	static struct table t;
	struct err err;
	int rc;

	t.csv = (struct text_in){ .in = in, .name = name, .err = &err };
	rc = print_all(&t, form);
	fclose(in);
	return rc ? cmd_fail(EXIT_USAGE, "ports: %s", err.text) : EXIT_DONE;
}

/* "DIR/2 (IRN)": DIR is a scenario's, with a folder of records for each variant. NULL: there is no number @i. */
static const char *variant(const char *dir, u32 i, char *text, size_t n)
{
	char path[CFG_STR + 32];
	const char *label;
	json_t *summary;

	snprintf(path, sizeof(path), "%.*s/%u/summary.json", CFG_STR - 1, dir, i);
	summary = json_load_file(path, 0, NULL);
	if (!summary)
		return NULL;
	label = json_string_value(json_object_get(summary, "label"));
	snprintf(text, n, "%.160s/%u%s%.*s%s", dir, i, label ? " (" : "", SCENARIO_LABEL, label ? label : "",
		 label ? ")" : "");
	json_decref(summary);
	return text;
}

/* No ports.csv: perhaps there are some below. */
static int no_records(const char *dir, const char *path, int why)
{
	char list[800] = "", one[256];
	size_t used = 0;

	for (u32 i = 1; i <= SCENARIO_VARIANTS && variant(dir, i, one, sizeof(one)); i++) {
		if (used + strlen(one) + 3 > sizeof(list))
			break;
		used += (size_t)sprintf(list + used, "%s%s", i > 1 ? ", " : "", one);
	}
	if (!used)
		return cmd_fail(EXIT_USAGE, "ports: %.200s: %s", path, strerror(why));
	return cmd_fail(EXIT_USAGE, "ports: %.160s: a scenario's records, one variant at a time: %s", dir, list);
}

static int show_records(const char *dir, enum form form)
{
	char path[CFG_STR + 16];
	FILE *in;

	snprintf(path, sizeof(path), "%.*s/ports.csv", CFG_STR - 1, dir);
	in = fopen(path, "re");
	if (!in)
		return no_records(dir, path, errno);
	return show(in, path, form);
}

/* The labs that a process holds. */
struct busy {
	u32 n;
	char name[LAB_NAME_MAX]; /* the last of them */
};

static int count_busy(const char *name, void *arg)
{
	struct busy *b = arg;

	if (netlab_holder(name)) {
		b->n++;
		snprintf(b->name, sizeof(b->name), "%s", name);
	}
	return 0;
}

static int show_live(const char *name, enum form form)
{
	struct err err;
	FILE *csv;
	int rc;

	if (netlab_check_name(name, &err))
		return cmd_fail(EXIT_USAGE, "ports: %s", err.text);
	if (!netlab_exists(name))
		return cmd_no_lab("ports", name);
	rc = ports_live(name, &csv, &err);
	return rc ? cmd_fail(cmd_exit_code(rc), "ports: %s", err.text) : show(csv, name, form);
}

/* Of the run that is on, wherever: a run without a standing lab has one of its own. */
static int show_only(enum form form)
{
	struct busy busy = { 0 };

	if (netlab_holder("lab"))
		return show_live("lab", form);
	netlab_each(count_busy, &busy);
	if (!busy.n)
		return cmd_fail(EXIT_USAGE, "ports: no run is on: losslab ports DIR shows one that is over");
	if (busy.n > 1)
		return cmd_fail(
			EXIT_USAGE,
			"ports: %u labs have runs on, %s among them: say which with --name; losslab status lists them",
			busy.n, busy.name);
	return show_live(busy.name, form);
}

static int run_ports(const struct cmd *cmd, int argc, char **argv)
{
	const char *name = NULL;
	enum form form = TABLE;
	struct err err;
	int c, code;

	while ((c = cmd_getopt(cmd, argc, argv, &code)) != -1) {
		if (c == 'n')
			name = optarg;
		else if (c == 'a')
			form = LISTS;
		else if (c == CMD_JSON)
			form = JSON;
		else
			return code;
	}
	if (argc - optind > 1)
		return cmd_extra(cmd, argv[optind + 1]);
	if (name && optind < argc)
		return cmd_fail(EXIT_USAGE, "ports: %.80s: --name is given too; allowed: one of the two", argv[optind]);
	if (optind < argc)
		return show_records(argv[optind], form);
	if (netlab_check_access(&err))
		return cmd_fail(EXIT_SYSTEM, "ports: %s", err.text);
	return name ? show_live(name, form) : show_only(form);
}

static const struct cmd_arg args[] = {
	{ "DIR", "the records of a run (out=DIR), or of a scenario's variant (DIR/1, DIR/2, ...)" },
	{ 0 },
};

static const struct cmd_option options[] = {
	{ 'n', "name", "LAB", "the switch ports of this lab during a run, as they are now" },
	{ 'a', "all", NULL,
	  "all columns of ports.csv that are not 0, one a line: drops by reason, marks by cause, "
	  "PAUSE by class" },
	{ CMD_JSON, "json", NULL, "an array of objects; their keys are the columns of ports.csv" },
	{ 0 },
};

const struct cmd cmd_ports = {
	.name = "ports",
	.usage = "[DIR | --name LAB] [--all | --json]",
	.help = "show the ports' counters of a finished run, or of the current one",
	.args = args,
	.options = options,
	.notes = "Without DIR and LAB: of the current run; if there are several, of the one on the lab named lab. "
		 "dropped "
		 "is the sum of all drop columns; lab/records/RECORDS.md explains all columns.",
	.run = run_ports,
};
