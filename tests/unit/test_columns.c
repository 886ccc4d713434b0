// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of columns are sound, everything made from them agrees with a naive reading, and RECORDS.md has them.
 * `make docs` runs this program with --write: then it renews the tables of lab/records/RECORDS.md instead.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include <jansson.h>

#include "agent/nic/nic.h"
#include "agent/recovery/recovery.h"
#include "lab/records/records.h"
#include "lab/workload/rng.h"

#define DOC "lab/records/RECORDS.md"

static const struct columns *const tables[] = { &flow_columns, &port_columns, &host_columns, &trace_columns };
#define TABLES (sizeof(tables) / sizeof(tables[0]))

static u32 width(const struct column *c)
{
	return c->count ? c->count : 1;
}

static void names__unique(void **state)
{
	for (u32 t = 0; t < TABLES; t++) {
		static struct column_name seen[256];
		u32 n = 0;

		for (u32 i = 0; i < tables[t]->n; i++)
			for (u32 k = 0; k < width(&tables[t]->c[i]); k++) {
				struct column_name name = column_name(&tables[t]->c[i], k);

				assert_true(*name.s &&
					    !name.s[strspn(name.s, "abcdefghijklmnopqrstuvwxyz_0123456789")]);
				for (u32 j = 0; j < n; j++)
					assert_string_not_equal(seen[j].s, name.s);
				assert_true(n < 256);
				seen[n++] = name;
			}
	}
}

static void rows__complete(void **state)
{
	static const char *const units[] = { "", "1", "ns", "bytes", "bits", "bits/s", "frames", "packets" };

	for (u32 t = 0; t < TABLES; t++)
		for (u32 i = 0; i < tables[t]->n; i++) {
			const struct column *c = &tables[t]->c[i];
			bool known = false;

			for (u32 u = 0; u < sizeof(units) / sizeof(units[0]); u++)
				known |= !strcmp(c->unit, units[u]);
			if (!known || strlen(c->meaning) < 4)
				fail_msg("%s: %s: unit '%s', meaning '%s'", tables[t]->file, c->name, c->unit,
					 c->meaning);
			assert_true(c->size || c->value);
			assert_true(!c->summary || c->total);
			assert_true(!c->total || c->size == sizeof(u64));
			for (u32 k = 0; c->count && c->words && k < c->count; k++)
				assert_true(c->words[k].name && *c->words[k].name && c->words[k].meaning);
		}
	for (u32 e = 0; e < QP_ERRORS; e++)
		assert_true(qp_error_words[e].name && qp_error_words[e].meaning);
	for (u32 e = 0; e < TRACE_N; e++)
		assert_true(*trace_words[e].name && strlen(trace_words[e].meaning) > 4);
}

/* Members lie in the record and no two share a byte; counters lie in the structs that they are copied from. */
static void offsets__inside(void **state)
{
	static const size_t sources[SOURCES] = {
		[SOURCE_PORT] = sizeof(struct port),
		[SOURCE_NIC] = sizeof(struct nic_stats),
		[SOURCE_RECOVERY] = sizeof(struct recovery_stats),
		[SOURCE_FLOW] = sizeof(struct flow_result),
	};

	for (u32 t = 0; t < TABLES; t++) {
		char *used = calloc(1, tables[t]->record);

		for (u32 i = 0; i < tables[t]->n; i++) {
			const struct column *c = &tables[t]->c[i];
			size_t bytes = (size_t)c->size * width(c);

			assert_true(c->at + bytes <= tables[t]->record);
			for (size_t b = 0; b < bytes; b++)
				assert_int_equal(used[c->at + b]++, 0);
			for (u32 s = 0; s < SOURCES; s++)
				if (c->from[s].size) {
					assert_int_equal(c->from[s].size, bytes);
					assert_true(c->from[s].at + bytes <= sources[s]);
				}
		}
		free(used);
	}
}

/* Each counter arrives in its column, and what the source does not have stays. */
static void collect__copies(void **state)
{
	static struct port from;
	struct port_record to = { .paused_ps = 5, .class_paused_ps = { [7] = 6 } };

	from.stats.tx_bytes = 11;
	from.stats.drops[FAB_DROP_WATCHDOG] = 12;
	from.stats.marks[FAB_MARK_ROOT] = 13;
	from.watchdog.hits = 14;
	from.stats.class_pause_rx[7] = 15;
	columns_collect(&port_columns, SOURCE_PORT, &from, &to);
	assert_true(to.tx_bytes == 11 && to.drops[FAB_DROP_WATCHDOG] == 12 && to.marks[FAB_MARK_ROOT] == 13);
	assert_true(to.watchdog == 14 && to.class_pause_rx[7] == 15 && to.rx_bytes == 0);
	assert_true(to.paused_ps == 5 && to.class_paused_ps[7] == 6);
}

#define ROWS 37

/* Random records: every total is what a loop over the rows finds. */
static void totals__naive(void **state)
{
	static u8 rows[ROWS][4096];
	static u8 sum[4096];
	struct rng rng = { .state = 1 };

	for (u32 t = 0; t < TABLES; t++) {
		struct run_result r = { 0 };

		assert_true(tables[t]->record <= sizeof(sum));
		memset(sum, 0, sizeof(sum));
		memset(rows, 0, sizeof(rows));
		for (u32 k = 0; k < ROWS; k++)
			for (u32 i = 0; i < tables[t]->n; i++)
				for (u32 e = 0; tables[t]->c[i].total && e < width(&tables[t]->c[i]); e++)
					((u64 *)(rows[k] + tables[t]->c[i].at))[e] = rng_next(&rng) >> 20;
		for (u32 k = 0; k < ROWS; k++)
			columns_add(tables[t], sum, rows[k], &r);
		for (u32 i = 0; i < tables[t]->n; i++) {
			const struct column *c = &tables[t]->c[i];

			for (u32 e = 0; c->total && !c->value && e < width(c); e++) {
				u64 all = 0, most = 0;

				for (u32 k = 0; k < ROWS; k++) {
					all += column_get(c, rows[k], e);
					most = max64(most, column_get(c, rows[k], e));
				}
				assert_true(most > 0 && all > most);
				assert_int_equal(column_get(c, sum, e), c->total == TOTAL_SUM ? all : most);
			}
		}
	}
}

/* The header has as many columns as a row, by the table's names. */
static void csv__header(void **state)
{
	static char text[8192];
	struct port_record row = { .node = "s0", .peer = "h0" };
	struct run_result r = { .ports = &row, .n_ports = 1 };
	FILE *out = fmemopen(text, sizeof(text), "w");
	u32 n = 0, commas[2] = { 0 };
	char *at = text;

	records_ports_csv(&r, out);
	fclose(out);
	for (u32 i = 0; i < port_columns.n; i++)
		for (u32 k = 0; k < width(&port_columns.c[i]); k++, n++) {
			struct column_name name = column_name(&port_columns.c[i], k);

			assert_memory_equal(at, name.s, strlen(name.s));
			at += strlen(name.s) + 1;
		}
	assert_int_equal(at[-1], '\n');
	for (u32 line = 0; line < 2; line++)
		for (const char *c = line ? at : text; *c != '\n'; c++)
			commas[line] += *c == ',';
	assert_true(commas[0] == n - 1 && commas[1] == n - 1);
}

/* "| name | unit | "; of an empty cell a blank is left. */
static void put_start(const char *name, const char *unit, FILE *out)
{
	fprintf(out, "| %s |%s%s | ", name, *unit ? " " : "", unit);
}

static void put_rows(const struct column *c, FILE *out)
{
	u32 n = width(c);
	struct column_name first = column_name(c, 0), last = column_name(c, n - 1);

	if (c->count && c->words) {
		for (u32 k = 0; k < n; k++) {
			put_start(column_name(c, k).s, c->unit, out);
			if (c->part_of)
				fprintf(out, "those of %s%s %s |\n", c->part_of, c->words[k].name, c->meaning);
			else
				fprintf(out, "%s |\n", c->words[k].meaning);
		}
	} else if (c->count) {
		char range[2 * sizeof(first.s) + 8];

		snprintf(range, sizeof(range), "%s to %s", first.s, last.s);
		put_start(range, c->unit, out);
		fprintf(out, "%s |\n", c->meaning);
	} else {
		put_start(c->name, c->unit, out);
		fputs(c->meaning, out);
		for (u32 k = 0; c->words == qp_error_words && k < QP_ERRORS; k++)
			if (*qp_error_words[k].name)
				fprintf(out, "; `%s`: %s", qp_error_words[k].name, qp_error_words[k].meaning);
		fputs(" |\n", out);
	}
}

static void put_columns(const struct columns *t, FILE *out)
{
	fputs("| column | unit | meaning |\n|---|---|---|\n", out);
	for (u32 i = 0; i < t->n; i++)
		put_rows(&t->c[i], out);
}

/* Events of a trace, and the cells that they fill beyond the first columns, which all do. */
static void put_events(FILE *out)
{
	fputs("| event | columns | meaning |\n|---|---|---|\n", out);
	for (u32 k = 0; k < TRACE_N; k++) {
		struct trace_record r = { .e = { .rate = 1, .rtt = 1, .kind = (u16)k } };
		const char *comma = " ";

		fprintf(out, "| %s |", trace_words[k].name);
		for (u32 i = 0; i < trace_columns.n; i++) {
			const struct column *c = &trace_columns.c[i];

			if (!c->empty || c->empty(&r))
				continue;
			fprintf(out, "%s%s", comma, c->name);
			comma = ", ";
		}
		fprintf(out, " | %s |\n", trace_words[k].meaning);
	}
}

static void put_totals(FILE *out)
{
	fputs("| key | unit | meaning |\n|---|---|---|\n", out);
	for (u32 t = 0; t < TABLES; t++)
		for (u32 i = 0; i < tables[t]->n; i++) {
			const struct column *c = &tables[t]->c[i];
			char key[128];

			if (!c->summary)
				continue;
			snprintf(key, sizeof(key), "%s%s%s", tables[t] == &host_columns ? "melo." : "", c->summary,
				 c->count ? ".*" : "");
			put_start(key, c->unit, out);
			fprintf(out, "%s of %s%s in %s |\n", c->total == TOTAL_SUM ? "sum" : "largest", c->name,
				c->count ? "*" : "", tables[t]->file);
		}
}

/* The document as it should be: what stands between "<!-- columns: FILE -->" and "<!-- end -->" is made anew. */
static char *renewed(const char *now)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	u32 found = 0;

	while (*now) {
		const char *end = strchr(now, '\n') + 1;

		fwrite(now, 1, (size_t)(end - now), out);
		if (!strncmp(now, "<!-- columns: ", 14)) {
			for (u32 t = 0; t < TABLES; t++)
				if (!strncmp(now + 14, tables[t]->file, strlen(tables[t]->file)))
					put_columns(tables[t], out);
			if (!strncmp(now + 14, "summary.json", 12))
				put_totals(out);
			if (!strncmp(now + 14, "trace events", 12))
				put_events(out);
			end = strstr(end, "<!-- end -->");
			assert_non_null(end);
			found++;
		}
		now = end;
	}
	fclose(out);
	assert_int_equal(found, TABLES + 2);
	return text;
}

static char *read_doc(void)
{
	static char text[1 << 16];
	FILE *in = fopen(DOC, "r");
	size_t n;

	if (!in)
		fail_msg("%s: not there: run this in the top folder", DOC);
	n = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[n] = '\0';
	return text;
}

static void doc__current(void **state)
{
	char *now = read_doc(), *want = renewed(now);
	bool same = !strcmp(now, want);

	free(want);
	if (!same)
		fail_msg("%s is out of date: run `make docs`", DOC);
}

static int write_doc(void)
{
	char *want = renewed(read_doc());
	FILE *out = fopen(DOC, "w");

	if (!out || fputs(want, out) < 0 || fclose(out)) {
		perror(DOC);
		return 1;
	}
	free(want);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names__unique),   cmocka_unit_test(rows__complete), cmocka_unit_test(offsets__inside),
		cmocka_unit_test(collect__copies), cmocka_unit_test(totals__naive),  cmocka_unit_test(csv__header),
		cmocka_unit_test(doc__current),
	};

	if (argc == 2 && !strcmp(argv[1], "--write"))
		return write_doc();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
