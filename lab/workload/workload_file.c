// SPDX-License-Identifier: GPL-2.0-or-later
/* Workloads from files: a list of flows, or a distribution of flow sizes. Neither is trusted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/text.h"
#include "lab/workload/workload_impl.h"

enum { COL_ID, COL_SRC, COL_DST, COL_BYTES, COL_START, COL_OP, COL_CLASS, COLS };
#define NUMBERS COL_OP /* of the columns, the first */
static const char *const col_names[COLS] = { "id", "src", "dst", "bytes", "start_ns", "op", "class" };

/* Optional columns, and the first line of a file that has them. */
enum { HAS_OP = 1, HAS_CLASS = 2 };
static const char *const headers[] = {
	[0] = "id,src,dst,bytes,start_ns",
	[HAS_OP] = "id,src,dst,bytes,start_ns,op",
	[HAS_CLASS] = "id,src,dst,bytes,start_ns,class",
	[HAS_OP | HAS_CLASS] = "id,src,dst,bytes,start_ns,op,class",
};
#define HEADERS (sizeof(headers) / sizeof(headers[0]))

/* A host by its name. */
struct host_name {
	const char *name;
	u32 host;
};

/* What reading a file of flows goes by. */
struct reading {
	const struct workload_args *a;
	struct host_name *names; /* of all hosts, sorted; NULL: hosts have numbers only */
};

static int bad_column(struct text_in *t, u32 col, const char *text, const char *why)
{
	return text_fail(t, "%s '%s' %s", col_names[col], text_quote(text).s, why);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct host_name *)a)->name, ((const struct host_name *)b)->name);
}

static const struct host_name *find_host(const struct reading *r, const char *name)
{
	struct host_name key = { .name = name };

	return r->names ? bsearch(&key, r->names, r->a->n_hosts, sizeof(key), compare_names) : NULL;
}

/* A host: its name, which begins with a letter, or its number. */
static int parse_host(struct text_in *t, const struct reading *r, u32 col, const char *text, u64 *v)
{
	const struct host_name *named = find_host(r, text);
	enum text_num rc = text_u64(text, ~0U, v);

	if (named)
		*v = named->host;
	else if (rc == TEXT_NOT_A_NUMBER && r->names && *text >= 'a' && *text <= 'z')
		return text_fail(t, "%s '%s': the network has no host of that name", col_names[col],
				 text_quote(text).s);
	else if (rc)
		return bad_column(t, col, text, text_num_why[rc]);
	else if (*v >= r->a->n_hosts)
		return text_fail(t, "%s %llu: the network has hosts 0..%u", col_names[col], *v, r->a->n_hosts - 1);
	return 0;
}

static int parse_numbers(struct text_in *t, const struct reading *r, char **col, u64 *v)
{
	static const u64 max[NUMBERS] = { ~0U, 0, 0, WORKLOAD_BYTES_MAX, WORKLOAD_START_MAX };

	for (u32 i = 0; i < NUMBERS; i++) {
		enum text_num rc;

		if (i == COL_SRC || i == COL_DST) {
			if (parse_host(t, r, i, col[i], &v[i]))
				return -EINVAL;
			continue;
		}
		rc = i == COL_START ? text_decimal(col[i], 3, max[i], &v[i]) : text_u64(col[i], max[i], &v[i]);

		if (rc)
			return bad_column(t, i, col[i], text_num_why[rc]);
	}
	return 0;
}

static int parse_op(struct text_in *t, const struct workload_spec *w, const char *text, u32 *op)
{
	for (*op = 0; flow_op_names[*op] && strcmp(text, flow_op_names[*op]); ++*op)
		;
	if (!flow_op_names[*op])
		return bad_column(t, COL_OP, text, "is unknown; allowed: write|send|read");
	if (*op != FLOW_WRITE && w->write_only)
		return text_fail(t, "%s '%s': transport=%s carries WRITEs only", col_names[COL_OP], text_quote(text).s,
				 w->write_only);
	return 0;
}

/* An empty field stands for the class of class=. */
static int parse_class(struct text_in *t, const struct workload_spec *w, const char *text, u64 *class)
{
	*class = w->class;
	if (*text && text_u64(text, WORKLOAD_CLASSES - 1, class))
		return bad_column(t, COL_CLASS, text, "is not a class; allowed: 0..7, or nothing for that of class=");
	return 0;
}

/* A row under headers[@has]. Numbers are checked here, ids against each other when all rows have been read. */
static int parse_flow(struct text_in *t, const struct reading *r, u32 has, struct flow *f)
{
	const struct workload_args *a = r->a;
	u32 n, op = a->spec->op, cols = NUMBERS + !!(has & HAS_OP) + !!(has & HAS_CLASS);
	char *col[COLS];
	u64 v[NUMBERS], class = a->spec->class;
	int rc;

	n = text_columns(t, col, COLS);
	if (n != cols)
		return text_fail(t, "%u columns instead of %u: %s", n, cols, headers[has]);
	rc = parse_numbers(t, r, col, v);
	if (!rc && has & HAS_OP)
		rc = parse_op(t, a->spec, col[NUMBERS], &op);
	if (!rc && has & HAS_CLASS)
		rc = parse_class(t, a->spec, col[cols - 1], &class);
	if (rc)
		return rc;
	if (v[COL_SRC] == v[COL_DST])
		return text_fail(t, "src and dst are both host %llu", v[COL_SRC]);
	if (!v[COL_BYTES])
		return text_fail(t, "bytes is 0: a flow has at least one");
	*f = (struct flow){ .id = (u32)v[COL_ID],
			    .src = (u32)v[COL_SRC],
			    .dst = (u32)v[COL_DST],
			    .op = (u16)op,
			    .class = (u16) class,
			    .bytes = v[COL_BYTES],
			    .start_ps = v[COL_START] };
	return 0;
}

/* ids must be 0..n-1, each once, in any order. Row i is line i + 2. */
static int check_ids(struct text_in *t, const struct flow_list *list)
{
	u32 *line_of = calloc(list->n, sizeof(*line_of));
	int rc = 0;

	if (!line_of)
		return -ENOMEM;
	for (u32 i = 0; i < list->n && !rc; i++) {
		u32 id = list->flows[i].id;

		t->line = i + 2;
		if (id >= list->n)
			rc = text_fail(t, "id %u: with %u flows ids are 0..%u", id, list->n, list->n - 1);
		else if (line_of[id])
			rc = text_fail(t, "id %u: already used on line %u", id, line_of[id]);
		else
			line_of[id] = t->line;
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
static int read_header(struct text_in *t, u32 *has)
{
	int rc = text_line(t);

	if (rc < 0)
		return rc;
	if (!rc)
		return text_fail(t, "the file is empty; its first line should be %s", headers[0]);
	for (*has = 0; *has < HEADERS; ++*has)
		if (!strcmp(t->buf, headers[*has]))
			return 0;
	return text_fail(t, "the first line is '%s'; it should be %s, perhaps with ,op or ,class or ,op,class",
			 text_quote(t->buf).s, headers[0]);
}

static int read_flows(struct text_in *t, const struct reading *r, struct flow_list *out)
{
	u32 has = 0;
	int rc = read_header(t, &has);

	if (rc)
		return rc;
	while ((rc = text_line(t)) > 0) {
		struct flow f;

		rc = parse_flow(t, r, has, &f);
		if (rc)
			return rc;
		rc = flow_list_add(out, &f);
		if (rc == -E2BIG)
			return text_fail(t, "more than %u flows", WORKLOAD_MAX);
		if (rc)
			return rc;
		out->flows[out->n - 1].id = f.id;
	}
	if (!rc && !out->n)
		return text_fail(t, "no flows after the header");
	return rc ? rc : check_ids(t, out);
}

static int sort_names(struct reading *r)
{
	const struct workload_args *a = r->a;

	if (!a->spec->host_names)
		return 0;
	r->names = calloc(a->n_hosts, sizeof(*r->names));
	if (!r->names)
		return -ENOMEM;
	for (u32 h = 0; h < a->n_hosts; h++)
		r->names[h] = (struct host_name){ a->spec->host_names[h], h };
	qsort(r->names, a->n_hosts, sizeof(*r->names), compare_names);
	return 0;
}

int workload_file(const struct workload_args *a, struct flow_list *out)
{
	struct reading r = { .a = a };
	struct text_in t;
	int rc = text_open(&t, a->arg, NULL, a->err);

	if (rc)
		return rc;
	rc = sort_names(&r);
	if (!rc)
		rc = read_flows(&t, &r, out);
	text_close(&t);
	free(r.names);
	if (!rc)
		qsort(out->flows, out->n, sizeof(*out->flows), by_start);
	return rc;
}

/* "bytes percent" in t->buf to the next point. */
static int parse_point(struct text_in *t, struct cdf *cdf)
{
	char *rest, *bytes = strtok_r(t->buf, " \t", &rest), *share = strtok_r(NULL, " \t", &rest);
	u64 b, s;
	enum text_num rc;

	if (!share || strtok_r(NULL, " \t", &rest))
		return text_fail(t, "not of the form BYTES PERCENT");
	rc = text_u64(bytes, WORKLOAD_BYTES_MAX, &b);
	if (rc)
		return text_fail(t, "bytes '%s' %s", text_quote(bytes).s, text_num_why[rc]);
	rc = text_decimal(share, 6, CDF_ONE, &s);
	if (rc)
		return text_fail(t, "per cent '%s' %s: 0..100 with six decimals at most", text_quote(share).s,
				 text_num_why[rc]);
	if (cdf->n == CDF_POINTS_MAX)
		return text_fail(t, "more than %d points", CDF_POINTS_MAX - 1);
	if (!cdf->n && s) { /* the first share is spread from 1 byte up: a point at (0, 0 %) goes before it */
		cdf->bytes[0] = cdf->share[0] = 0;
		cdf->n = 1;
	}
	if (cdf->n && b <= cdf->bytes[cdf->n - 1])
		return text_fail(t, "%llu bytes: not more than the %llu before", b, cdf->bytes[cdf->n - 1]);
	if (cdf->n && s < cdf->share[cdf->n - 1])
		return text_fail(t, "the per cent is lower than the one before");
	cdf->bytes[cdf->n] = b;
	cdf->share[cdf->n++] = (u32)s;
	return 0;
}

static int read_points(struct text_in *t, struct size_dist *d)
{
	const char *why;
	int rc;

	d->cdf.n = 0;
	while ((rc = text_line(t)) > 0) {
		char *comment = strchr(t->buf, '#');

		if (comment)
			*comment = '\0';
		if (!t->buf[strspn(t->buf, " \t")])
			continue;
		rc = parse_point(t, &d->cdf);
		if (rc)
			return rc;
	}
	if (rc)
		return rc;
	why = size_from_cdf(d);
	return why ? text_fail(t, "%s", d->cdf.n ? why : "the file has no points") : 0;
}

int cdf_read(const char *path, struct size_dist *d, struct err *err)
{
	struct text_in t;
	int rc = text_open(&t, path, NULL, err);

	if (rc)
		return rc;
	rc = read_points(&t, d);
	text_close(&t);
	return rc;
}
