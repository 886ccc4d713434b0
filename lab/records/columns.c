// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of columns, and what is done with each of their rows. */
#include "lab/records/columns.h"

#include <string.h>

#include "agent/nic/nic.h"
#include "agent/recovery/melo_pool.h"
#include "agent/recovery/recovery.h"
#include "bpf/abi.h"
#include "lab/records/records_impl.h"

const struct word drop_words[FAB_DROPS] = {
	[FAB_DROP_BUFFER] = { "buffer", "arrived here and found this port's buffer full" },
	[FAB_DROP_LOSS] = { "loss", "lost at random (`loss=`): arriving here, or on the way from here to a host" },
	[FAB_DROP_NO_ROUTE] = { "no_route", "arrived here for a host to which this switch has no path" },
	[FAB_DROP_LINK] = { "link",
			    "lost when a link went down: on their way to this port, or waiting here for the link" },
	[FAB_DROP_FAULT] = { "fault", "arrived here and dropped by a fault" },
	[FAB_DROP_WATCHDOG] = { "watchdog", "bound for this port and dropped by its PFC watchdog" },
};

const struct word mark_words[FAB_MARKS] = {
	[FAB_MARK_RED] = { "red", "those of ecn_marks marked for their queue's length, `ecn=red`" },
	[FAB_MARK_STEP] = { "step", "the same, `ecn=step`" },
	[FAB_MARK_INPUT] = { "input", "those whose own input buffer was full, `ecn=ib` or `ib-input`" },
	[FAB_MARK_ROOT] = { "root",
			    "those that waited for a root output while another input buffer was full, `ecn=ib` or "
			    "`ib-output`" },
};

const struct word qp_error_words[QP_ERRORS] = {
	[QP_OK] = { "", "none" },
	[QP_RETRY] = { "retry", "`retry_cnt` timeouts in a row without progress" },
	[QP_RNR] = { "rnr", "`rnr_retry` RNR NAKs in a row" },
	[QP_ACCESS] = { "access", "remote access error: outside `region`" },
};

const struct word trace_words[TRACE_N] = {
#define X(kind, name, has, meaning) [TRACE_##kind] = { name, meaning },
	TRACE_KINDS(X)
#undef X
};

/* What events say, TRACE_HAS_*. */
static const u32 trace_has[TRACE_N] = {
#define X(kind, name, has, meaning) [TRACE_##kind] = has,
	TRACE_KINDS(X)
#undef X
};

static bool lacks(const void *record, u32 what)
{
	return !(trace_has[((const struct trace_record *)record)->e.kind] & what);
}

static bool no_packet(const void *record)
{
	return lacks(record, TRACE_HAS_PACKET) || ((const struct trace_record *)record)->e.packet == TRACE_NONE;
}

static bool no_bytes(const void *record)
{
	return lacks(record, TRACE_HAS_BYTES);
}

static bool no_cum(const void *record)
{
	return lacks(record, TRACE_HAS_CUM);
}

static bool no_sack(const void *record)
{
	return lacks(record, TRACE_HAS_SACK) || ((const struct trace_record *)record)->e.sack == TRACE_NONE;
}

static bool no_state(const void *record)
{
	return lacks(record, TRACE_HAS_STATE);
}

static bool no_rate(const void *record)
{
	return lacks(record, TRACE_HAS_STATE) || !((const struct trace_record *)record)->e.rate;
}

static bool no_rtt(const void *record)
{
	return lacks(record, TRACE_HAS_RTT) || !((const struct trace_record *)record)->e.rtt;
}

static bool no_rto(const void *record)
{
	return lacks(record, TRACE_HAS_RTO);
}

/* In flows.csv slowdowns are millionths. */
static u64 slowdown_ppm(const void *record, const struct run_result *r)
{
	const struct flow_record *f = record;

	return ratio(f->fct_ps, f->ideal_ps, 1000000);
}

static u64 copy_cpu_ppm(const void *record, const struct run_result *r)
{
	const struct host_record *h = record;

	return r->virtual_ps ? melo_copy_cpu_ppm(h->copied_bytes, r->virtual_ps) : 0;
}

static bool not_completed(const void *record)
{
	return !((const struct flow_record *)record)->completed;
}

/* A class column that is the same in every row would change digests for nothing. */
static bool several_classes(const struct run_result *r)
{
	for (u32 i = 1; i < r->n_flows; i++)
		if (r->flows[i].flow.class != r->flows[0].flow.class)
			return true;
	return false;
}

/* What may follow in a row. */
#define DECIMALS(n) .decimals = (n)
#define TEXT .text = true
#define SUM .total = TOTAL_SUM
#define MAX .total = TOTAL_MAX
#define SUMMARY(key) .summary = (key)
#define BRIEF(title) .brief = (title)
#define PART_OF(columns) .part_of = (columns)
#define WORDS(table) .words = (table)
#define COMPUTED(function) .value = (function)
#define EMPTY(function) .empty = (function)
#define SHOWN(function) .shown = (function)
#define FROM(source, of, m) .from[source] = { offsetof(of, m), sizeof(((of *)0)->m) }
#define FROM_PORT(m) FROM(SOURCE_PORT, struct port, m)
#define FROM_NIC(m) FROM(SOURCE_NIC, struct nic_stats, m)
#define FROM_RECOVERY(m) FROM(SOURCE_RECOVERY, struct recovery_stats, m)
#define FROM_FLOW(m) FROM(SOURCE_FLOW, struct flow_result, m)

#define PLACE(m) .at = offsetof(RECORD, m), .size = sizeof(((RECORD *)0)->m)
#define MEMBER(m, title, in, what, ...) { .name = title, .unit = in, .meaning = what, PLACE(m), ##__VA_ARGS__ },
#define VALUE(m, title, in, what, ...) { .name = title, .unit = in, .meaning = what, ##__VA_ARGS__ },
#define COUNTER MEMBER
#define ARRAY(m, title, n, in, what, ...)                                                                              \
	{ .name = title, .unit = in, .meaning = what, PLACE(m[0]), .count = n, ##__VA_ARGS__ },

static const struct column flow_column[] = {
#define RECORD struct flow_record
#include "lab/records/flows.def"
#undef RECORD
};

static const struct column port_column[] = {
#define RECORD struct port_record
#include "lab/records/ports.def"
#undef RECORD
};

static const struct column host_column[] = {
#define RECORD struct host_record
#include "lab/records/hosts.def"
#undef RECORD
};

static const struct column trace_column[] = {
#define RECORD struct trace_record
#include "lab/records/trace.def"
#undef RECORD
};

#define TABLE(name, columns, of)                                                                                       \
	{                                                                                                              \
		name, columns, sizeof(columns) / sizeof((columns)[0]), sizeof(of)                                      \
	}
const struct columns flow_columns = TABLE("flows.csv", flow_column, struct flow_record);
const struct columns port_columns = TABLE("ports.csv", port_column, struct port_record);
const struct columns host_columns = TABLE("hosts.csv", host_column, struct host_record);
const struct columns trace_columns = TABLE("trace.csv", trace_column, struct trace_record);

static u32 width(const struct column *c)
{
	return c->count ? c->count : 1;
}

static bool is_shown(const struct column *c, const struct run_result *r)
{
	return !c->shown || c->shown(r);
}

struct column_name column_name(const struct column *c, u32 i)
{
	struct column_name name;

	if (!c->count)
		snprintf(name.s, sizeof(name.s), "%s", c->name);
	else if (c->words)
		snprintf(name.s, sizeof(name.s), "%s%s", c->name, c->words[i].name);
	else
		snprintf(name.s, sizeof(name.s), "%s%u", c->name, i);
	return name;
}

u64 column_get(const struct column *c, const void *record, u32 i)
{
	const char *at = (const char *)record + c->at + (size_t)i * c->size;

	switch (c->size) {
	case 1:
		return *(const u8 *)at;
	case 2:
		return *(const u16 *)at;
	case 4:
		return *(const u32 *)at;
	case 8:
		return *(const u64 *)at;
	}
	return 0;
}

static u64 value_of(const struct column *c, const void *record, const struct run_result *r, u32 i)
{
	return c->value ? c->value(record, r) : column_get(c, record, i);
}

void columns_header(const struct columns *t, const struct run_result *r, FILE *out)
{
	const char *comma = "";

	for (const struct column *c = t->c; c < t->c + t->n; c++)
		for (u32 i = 0; i < width(c) && is_shown(c, r); i++, comma = ",")
			fprintf(out, "%s%s", comma, column_name(c, i).s);
	fputc('\n', out);
}

static void put_cell(const struct column *c, u32 i, const void *record, const struct run_result *r, FILE *out)
{
	if (c->empty && c->empty(record))
		return;
	if (c->text)
		fputs(*(const char *const *)((const char *)record + c->at), out);
	else if (c->words && !c->count)
		fputs(c->words[column_get(c, record, 0)].name, out);
	else
		fputs(decimal(value_of(c, record, r, i), c->decimals).s, out);
}

void columns_row(const struct columns *t, const void *record, const struct run_result *r, FILE *out)
{
	for (const struct column *c = t->c; c < t->c + t->n; c++) {
		if (!is_shown(c, r))
			continue;
		for (u32 i = 0; i < width(c); i++) {
			if (c != t->c || i)
				fputc(',', out);
			put_cell(c, i, record, r, out);
		}
	}
	fputc('\n', out);
}

void columns_collect(const struct columns *t, enum column_source source, const void *from, void *record)
{
	for (const struct column *c = t->c; c < t->c + t->n; c++)
		memcpy((char *)record + c->at, (const char *)from + c->from[source].at, c->from[source].size);
}

void columns_add(const struct columns *t, void *sum, const void *record, const struct run_result *r)
{
	for (const struct column *c = t->c; c < t->c + t->n; c++) {
		u64 *total = (u64 *)((char *)sum + c->at);

		for (u32 i = 0; i < width(c) && c->total; i++) {
			u64 v = value_of(c, record, r, i);

			total[i] = c->total == TOTAL_MAX ? max64(total[i], v) : total[i] + v;
		}
	}
}
