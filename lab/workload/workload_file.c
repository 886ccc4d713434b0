// SPDX-License-Identifier: GPL-2.0
/* Workloads that others wrote: a table of flows, or the distribution of their sizes. Neither is trusted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/recovery/recovery.h"
#include "lab/text.h"
#include "lab/workload/workload_impl.h"

enum { COL_ID, COL_SRC, COL_DST, COL_BYTES, COL_START, COL_OP, COL_CLASS, COLS };
#define NUMBERS COL_OP /* of the columns, the first */
static const char *const col_names[COLS] = { "id", "src", "dst", "bytes", "start_ns", "op", "class" };

/* What may follow the numbers, and the first line that announces it. */
enum { HAS_OP = 1, HAS_CLASS = 2 };
static const char *const headers[] = {
	[0] = "id,src,dst,bytes,start_ns",
	[HAS_OP] = "id,src,dst,bytes,start_ns,op",
	[HAS_CLASS] = "id,src,dst,bytes,start_ns,class",
	[HAS_OP | HAS_CLASS] = "id,src,dst,bytes,start_ns,op,class",
};
#define HEADERS (sizeof(headers) / sizeof(headers[0]))

static int open_text(struct text_in *csv, const char *path, struct err *err)
{
	*csv = (struct text_in){ .name = path, .err = err };
	csv->in = fopen(path, "re");
	if (csv->in)
		return 0;
	int rc = -errno;

	err_set(err, -EINVAL, "%s: %s", text_quote(path).s, strerror(-rc));
	return rc;
}

static int bad_column(struct text_in *csv, u32 col, const char *text, const char *why)
{
	return text_fail(csv, "%s '%s' %s", col_names[col], text_quote(text).s, why);
}

static int parse_numbers(struct text_in *csv, char **col, u64 *v)
{
	static const u64 max[NUMBERS] = { ~0U, ~0U, ~0U, WORKLOAD_BYTES_MAX, WORKLOAD_START_MAX };

	for (u32 i = 0; i < NUMBERS; i++) {
		enum text_num rc =
			i == COL_START ? text_decimal(col[i], 3, max[i], &v[i]) : text_u64(col[i], max[i], &v[i]);

		if (rc)
			return bad_column(csv, i, col[i], text_num_why[rc]);
	}
	return 0;
}

/* iWARP's frames here carry RDMAP Write only (bpf/wire.h); cfg_finish() says the same of the key op=. */
static int parse_op(struct text_in *csv, const struct run_cfg *c, const char *text, u32 *op)
{
	for (*op = 0; flow_op_names[*op] && strcmp(text, flow_op_names[*op]); ++*op)
		;
	if (!flow_op_names[*op])
		return bad_column(csv, COL_OP, text, "is unknown; allowed: write|send|read");
	if (*op != FLOW_WRITE && recovery_find(c->transport)->format == FORMAT_TCP)
		return bad_column(csv, COL_OP, text, "is not for this transport, which writes only");
	return 0;
}

/* Nothing: as the key class= says. */
static int parse_class(struct text_in *csv, const struct run_cfg *c, const char *text, u64 *class)
{
	*class = c->data_class;
	if (*text && text_u64(text, CFG_CLASSES - 1, class))
		return bad_column(csv, COL_CLASS, text, "is no class; allowed: 0..7, or nothing for that of class=");
	return 0;
}

/* One row under headers[@has]. Numbers are bounded here; ids are checked against each other once all rows are there. */
static int parse_flow(struct text_in *csv, const struct workload_args *a, u32 has, struct flow *f)
{
	u32 n, op = a->cfg->op, cols = NUMBERS + !!(has & HAS_OP) + !!(has & HAS_CLASS);
	char *col[COLS];
	u64 v[NUMBERS], class = a->cfg->data_class;
	int rc;

	n = text_columns(csv, col, COLS);
	if (n != cols)
		return text_fail(csv, "%u columns where %u are wanted: %s", n, cols, headers[has]);
	rc = parse_numbers(csv, col, v);
	if (!rc && has & HAS_OP)
		rc = parse_op(csv, a->cfg, col[NUMBERS], &op);
	if (!rc && has & HAS_CLASS)
		rc = parse_class(csv, a->cfg, col[cols - 1], &class);
	if (rc)
		return rc;
	for (u32 i = COL_SRC; i <= COL_DST; i++)
		if (v[i] >= a->n_hosts)
			return text_fail(csv, "%s %llu: the network has hosts 0..%u", col_names[i], v[i],
					 a->n_hosts - 1);
	if (v[COL_SRC] == v[COL_DST])
		return text_fail(csv, "src and dst are both host %llu", v[COL_SRC]);
	if (!v[COL_BYTES])
		return text_fail(csv, "bytes is 0: a flow has one at least");
	*f = (struct flow){ .id = (u32)v[COL_ID],
			    .src = (u32)v[COL_SRC],
			    .dst = (u32)v[COL_DST],
			    .op = (u16)op,
			    .class = (u16) class,
			    .bytes = v[COL_BYTES],
			    .start_ps = v[COL_START] };
	return 0;
}

/* ids must be 0..n-1, each once, in any order. Row i stands on line i + 2. */
static int check_ids(struct text_in *csv, const struct flow_list *list)
{
	u32 *line_of = calloc(list->n, sizeof(*line_of));
	int rc = 0;

	if (!line_of)
		return -ENOMEM;
	for (u32 i = 0; i < list->n && !rc; i++) {
		u32 id = list->flows[i].id;

		csv->line = i + 2;
		if (id >= list->n)
			rc = text_fail(csv, "id %u: with %u flows ids are 0..%u", id, list->n, list->n - 1);
		else if (line_of[id])
			rc = text_fail(csv, "id %u stands on line %u already", id, line_of[id]);
		else
			line_of[id] = csv->line;
	}
	free(line_of);
	return rc;
}

static int by_start(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* The first line, and which of headers[] it is. */
static int read_header(struct text_in *csv, u32 *has)
{
	int rc = text_line(csv);

	if (rc < 0)
		return rc;
	if (!rc)
		return text_fail(csv, "the file is empty; its first line should be %s", headers[0]);
	for (*has = 0; *has < HEADERS; ++*has)
		if (!strcmp(csv->buf, headers[*has]))
			return 0;
	return text_fail(csv, "the first line is '%s'; it should be %s, perhaps with ,op or ,class or ,op,class",
			 text_quote(csv->buf).s, headers[0]);
}

static int read_flows(struct text_in *csv, const struct workload_args *a, struct flow_list *out)
{
	u32 has = 0;
	int rc = read_header(csv, &has);

	if (rc)
		return rc;
	while ((rc = text_line(csv)) > 0) {
		struct flow f;

		rc = parse_flow(csv, a, has, &f);
		if (rc)
			return rc;
		rc = flow_list_add(out, &f);
		if (rc == -E2BIG)
			return text_fail(csv, "more than %u flows", WORKLOAD_MAX);
		if (rc)
			return rc;
		out->flows[out->n - 1].id = f.id;
	}
	if (!rc && !out->n)
		return text_fail(csv, "no flows after the header");
	return rc ? rc : check_ids(csv, out);
}

int workload_file(const struct workload_args *a, struct flow_list *out)
{
	struct text_in csv;
	int rc = open_text(&csv, a->arg, a->err);

	if (rc)
		return rc;
	rc = read_flows(&csv, a, out);
	fclose(csv.in);
	if (!rc)
		qsort(out->flows, out->n, sizeof(*out->flows), by_start);
	return rc;
}

/* "bytes percent" in csv->buf to the next point. */
static int parse_point(struct text_in *csv, struct cdf *cdf)
{
	char *rest, *bytes = strtok_r(csv->buf, " \t", &rest), *share = strtok_r(NULL, " \t", &rest);
	u64 b, s;
	enum text_num rc;

	if (!share || strtok_r(NULL, " \t", &rest))
		return text_fail(csv, "not of the form BYTES PERCENT");
	rc = text_u64(bytes, WORKLOAD_BYTES_MAX, &b);
	if (rc)
		return text_fail(csv, "bytes '%s' %s", text_quote(bytes).s, text_num_why[rc]);
	rc = text_decimal(share, 6, CDF_ONE, &s);
	if (rc)
		return text_fail(csv, "per cent '%s' %s: 0..100 with six decimals at most", text_quote(share).s,
				 text_num_why[rc]);
	if (cdf->n == CDF_POINTS_MAX)
		return text_fail(csv, "more than %d points", CDF_POINTS_MAX - 1);
	if (!cdf->n && s) { /* the first share is spread from 1 byte up: a point at (0, 0 %) goes before it */
		cdf->bytes[0] = cdf->share[0] = 0;
		cdf->n = 1;
	}
	if (cdf->n && b <= cdf->bytes[cdf->n - 1])
		return text_fail(csv, "%llu bytes: not more than the %llu before", b, cdf->bytes[cdf->n - 1]);
	if (cdf->n && s < cdf->share[cdf->n - 1])
		return text_fail(csv, "the per cent is lower than the one before");
	cdf->bytes[cdf->n] = b;
	cdf->share[cdf->n++] = (u32)s;
	return 0;
}

static int read_points(struct text_in *csv, struct size_dist *d)
{
	const char *why;
	int rc;

	d->cdf.n = 0;
	while ((rc = text_line(csv)) > 0) {
		char *comment = strchr(csv->buf, '#');

		if (comment)
			*comment = '\0';
		if (!csv->buf[strspn(csv->buf, " \t")])
			continue;
		rc = parse_point(csv, &d->cdf);
		if (rc)
			return rc;
	}
	if (rc)
		return rc;
	why = size_from_cdf(d);
	return why ? text_fail(csv, "%s", d->cdf.n ? why : "the file has no points") : 0;
}

int cdf_read(const char *path, struct size_dist *d, struct err *err)
{
	struct text_in csv;
	int rc = open_text(&csv, path, err);

	if (rc)
		return rc;
	rc = read_points(&csv, d);
	fclose(csv.in);
	return rc;
}
