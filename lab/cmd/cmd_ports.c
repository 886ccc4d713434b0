// SPDX-License-Identifier: GPL-2.0-or-later
/* losslab ports: the counters of the ports, of a finished run or of a running one. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cmd/cmd.h"
#include "lab/text.h"
#include "lab/netlab/netlab.h"
#include "lab/cmd/ports_live.h"
#include "lab/config/scenario.h"
#include "lab/records/json_exact.h"
#include "lab/records/records.h"

#define COLUMNS_MAX 128
#define BRIEF_MAX 8 /* numbers of a row of the table */
#define NAMES 4     /* columns that say which port it is */

enum form { TABLE, LISTS, JSON };

/* A ports.csv being read. */
struct table {
	struct text_in csv;
	char header[TEXT_LINE_MAX];
	char *names[COLUMNS_MAX], *cells[COLUMNS_MAX];
	u32 n;
};

/* A row of the table, and how wide its columns are so far. */
struct brief {
	char *port, *peer;
	u64 number[BRIEF_MAX];
};

struct briefs {
	const struct column *column[BRIEF_MAX];
	struct brief *rows;
	u32 n_columns, n_rows, room;
	int port, peer, number[BRIEF_MAX];
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

/* The column @c of the row, of an array the sum. */
static u64 brief_number(const struct table *t, const struct column *c)
{
	u64 sum = 0, v;

	for (u32 i = 0; i < (c->count ? c->count : 1); i++)
		if (!text_decimal(cell(t, column_name(c, i).s), c->decimals, ~0ULL, &v))
			sum += v;
	return sum;
}

static void widen(int *width, int n)
{
	*width = n > *width ? n : *width;
}

static void brief_columns(struct briefs *b)
{
	b->port = b->peer = (int)strlen("s00:p00");
	for (u32 i = 0; i < port_columns.n && b->n_columns < BRIEF_MAX; i++) {
		const struct column *c = &port_columns.c[i];

		if (!c->brief)
			continue;
		widen(&b->number[b->n_columns], (int)strlen(c->brief));
		widen(&b->number[b->n_columns], (int)strlen(c->unit));
		b->column[b->n_columns++] = c;
	}
}

static int brief_row(struct briefs *b, const struct table *t)
{
	struct brief *row;

	if (b->n_rows == b->room) {
		b->room = b->room ? 2 * b->room : 64;
		row = realloc(b->rows, b->room * sizeof(*row));
		if (!row)
			return -ENOMEM;
		b->rows = row;
	}
	row = &b->rows[b->n_rows++];
	*row = (struct brief){ 0 };
	if (asprintf(&row->port, "%s:p%s", cell(t, "node"), cell(t, "port")) < 0 ||
	    asprintf(&row->peer, "%s:p%s", cell(t, "peer"), cell(t, "peer_port")) < 0)
		return -ENOMEM;
	widen(&b->port, (int)strlen(row->port));
	widen(&b->peer, (int)strlen(row->peer));
	for (u32 i = 0; i < b->n_columns; i++) {
		row->number[i] = brief_number(t, b->column[i]);
		widen(&b->number[i], snprintf(NULL, 0, "%llu", row->number[i]));
	}
	return 0;
}

static void brief_print(const struct briefs *b)
{
	printf("%-*s  %-*s", b->port, "port", b->peer, "peer");
	for (u32 i = 0; i < b->n_columns; i++)
		printf("  %*s", b->number[i], b->column[i]->brief);
	printf("\n%*s", b->port + 2 + b->peer, "");
	for (u32 i = 0; i < b->n_columns; i++)
		printf("  %*s", b->number[i], b->column[i]->unit);
	putchar('\n');
	for (u32 k = 0; k < b->n_rows; k++) {
		printf("%-*s  %-*s", b->port, b->rows[k].port, b->peer, b->rows[k].peer);
		for (u32 i = 0; i < b->n_columns; i++)
			printf("  %*llu", b->number[i], b->rows[k].number[i]);
		putchar('\n');
	}
}

static void brief_free(struct briefs *b)
{
	for (u32 k = 0; k < b->n_rows; k++) {
		free(b->rows[k].port);
		free(b->rows[k].peer);
	}
	free(b->rows);
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

/* Numbers as the file has them, anything else as text. */
static json_t *row_object(const struct table *t)
{
	json_t *o = json_object();

	for (u32 i = 0; i < t->n; i++)
		json_object_set_new(o, t->names[i], json_number_or_text(t->cells[i]));
	return o;
}

static int read_header(struct table *t)
{
	int rc = next_line(&t->csv);

	if (rc < 0)
		return rc;
	t->n = rc ? text_columns(&t->csv, t->names, COLUMNS_MAX) : 0;
	if (!t->n || t->n > COLUMNS_MAX || strcmp(t->names[0], "node"))
		return text_fail(&t->csv, "not the header of a ports.csv");
	for (u32 i = 0; i < t->n; i++)
		if (t->names[i][strspn(t->names[i], "abcdefghijklmnopqrstuvwxyz_0123456789")])
			return text_fail(&t->csv, "not the header of a ports.csv");
	memcpy(t->header, t->csv.buf, sizeof(t->header));
	for (u32 i = 0; i < t->n; i++)
		t->names[i] = t->header + (t->names[i] - t->csv.buf);
	return 0;
}

/* What the rows become: the table, the array, or, as they come, lists. */
struct output {
	enum form form;
	struct briefs briefs;
	json_t *array;
};

static int put_row(struct output *o, const struct table *t)
{
	if (o->form == JSON)
		return json_array_append_new(o->array, row_object(t)) ? -ENOMEM : 0;
	if (o->form == TABLE)
		return brief_row(&o->briefs, t);
	print_list(t);
	return 0;
}

static int read_rows(struct table *t, struct output *o)
{
	int rc = read_header(t);

	while (!rc && (rc = next_line(&t->csv)) > 0) {
		u32 n = text_columns(&t->csv, t->cells, COLUMNS_MAX);

		if (n != t->n)
			return text_fail(&t->csv, "%u columns where the header has %u", n, t->n);
		rc = put_row(o, t);
		if (rc)
			err_set(t->csv.err, rc, "out of memory");
	}
	return rc;
}

static int show(FILE *in, const char *name, enum form form)
{
	struct output o = { .form = form, .array = form == JSON ? json_array() : NULL };
	static struct table t;
	struct err err;
	int rc;

	t.csv = (struct text_in){ .in = in, .name = name, .err = &err };
	brief_columns(&o.briefs);
	rc = read_rows(&t, &o);
	fclose(in);
	if (!rc && form == TABLE)
		brief_print(&o.briefs);
	if (!rc && form == JSON)
		json_write(json_incref(o.array), 1, stdout);
	brief_free(&o.briefs);
	json_decref(o.array);
	return rc ? cmd_fail(rc == -ENOMEM ? EXIT_SYSTEM : EXIT_USAGE, "ports: %s", err.text) : EXIT_DONE;
}

/* "DIR/2 (IRN)": the directory of a scenario's variant, and its label. NULL: there is no variant @i. */
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

/* No ports.csv: if @dir has the records of a scenario, list its variants, one per line. */
static int no_records(const char *dir, const char *path, int why)
{
	char one[256];

	if (!variant(dir, 1, one, sizeof(one)))
		return cmd_fail(EXIT_USAGE, "ports: %.200s: %s", path, strerror(why));
	cmd_fail(EXIT_USAGE, "ports: %.160s: records of a scenario; give one variant's directory:", dir);
	for (u32 i = 1; i <= SCENARIO_VARIANTS && variant(dir, i, one, sizeof(one)); i++)
		fprintf(stderr, "  %s\n", one);
	return EXIT_USAGE;
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

/* The current run, on whatever lab: a run without an existing lab has one of its own. */
static int show_only(enum form form)
{
	struct busy busy = { 0 };

	if (netlab_holder("lab"))
		return show_live("lab", form);
	netlab_each(count_busy, &busy);
	if (!busy.n)
		return cmd_fail(EXIT_USAGE, "ports: no current run; losslab ports DIR shows a finished one");
	if (busy.n > 1)
		return cmd_fail(
			EXIT_USAGE,
			"ports: %u runs, one of them on lab %s: select one with --name (losslab status lists them)",
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
		return cmd_fail(EXIT_USAGE, "ports: %.80s: given together with --name; allowed: one of the two",
				argv[optind]);
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
		 "The table has sums over reasons and classes; lab/records/RECORDS.md explains all columns.",
	.run = run_ports,
};
