/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of the records. Each is declared once, as a row of flows.def, ports.def, hosts.def or trace.def: its
 * name, unit and meaning, how it adds up, and the counter of the switch or NIC that it is taken from. The fields of
 * struct flow_record, port_record and host_record, the CSV files, the totals, summary.json, `losslab ports` and the
 * tables of RECORDS.md all come from these rows.
 *
 * Rows (.def files; @field is a member of the record):
 *   MEMBER(field, name, unit, meaning, ...)          a member that records.h declares
 *   VALUE(field, name, unit, meaning, ...)           computed from the row, no member
 *   COUNTER(field, name, unit, meaning, ...)         a u64 member, which the row declares
 *   ARRAY(field, name, count, unit, meaning, ...)    a u64 member[count]: one column per element, @name and its suffix
 * What may follow, in any order, is what struct column has beyond these.
 */
#ifndef LOSSLAB_COLUMNS_H
#define LOSSLAB_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bpf/types.h"

struct run_result;
struct json_t;

/* The structs that counters are copied from: struct port, nic_stats, recovery_stats, flow_result. */
enum column_source { SOURCE_PORT, SOURCE_NIC, SOURCE_RECOVERY, SOURCE_FLOW, SOURCES };

/* How a column's rows make one value of the whole run. */
enum column_total { TOTAL_NONE, TOTAL_SUM, TOTAL_MAX };

/* The name of a number, and what it means. */
struct word {
	const char *name, *meaning;
};

struct column {
	const char *name; /* of an array what its columns begin with */
	const char *unit; /* "": none */
	const char *meaning;
	size_t at; /* offset in the record */
	u32 size;  /* of the member, or of one element: 1, 2, 4 or 8; 0: there is none */
	u32 count; /* columns; 0: not an array, one column */
	u32 decimals;
	bool text; /* the member is a const char * */
	enum column_total total;
	const char *summary;      /* the total's key in summary.json; NULL: it is not there */
	const char *brief;        /* title in `losslab ports` without --all; NULL: not shown. An array: its sum */
	const char *part_of;      /* an array's elements are those of these columns' that fit the meaning: "drop_" */
	const struct word *words; /* names of the member's values; of an array the suffixes (NULL: 0, 1, 2, ...) */
	struct {
		size_t at, size; /* of the counter in the source, bytes; size 0: that source has none */
	} from[SOURCES];
	u64 (*value)(const void *record, const struct run_result *r); /* instead of the member */
	bool (*empty)(const void *record);                            /* the cell stays empty */
	bool (*shown)(const struct run_result *r);                    /* NULL: every run has the column */
};

/* The columns of one file. */
struct columns {
	const char *file;
	const struct column *c;
	u32 n;
	size_t record; /* size of the struct of a row */
};

extern const struct columns flow_columns, port_columns, host_columns, trace_columns;

/* Why a frame was dropped, by enum fab_drop; why it was marked, by enum fab_mark; why a queue pair stopped. */
extern const struct word drop_words[], mark_words[], qp_error_words[];
/* Events of a trace, by enum trace_kind. */
extern const struct word trace_words[];

struct column_name {
	char s[64];
};

/* The name of the @i-th column of @c: "pause_tx_3". */
struct column_name column_name(const struct column *c, u32 i);
/* The column's member of @record, its @i-th element; not for text. */
u64 column_get(const struct column *c, const void *record, u32 i);
/* The header of @t, and the row @record, as CSV lines. */
void columns_header(const struct columns *t, const struct run_result *r, FILE *out);
void columns_row(const struct columns *t, const void *record, const struct run_result *r, FILE *out);
/* Copy into @record every counter that @source, the struct at @from, has. */
void columns_collect(const struct columns *t, enum column_source source, const void *from, void *record);
/* Add the row @record to @sum, a record too: sums, and the largest where a column asks for that. */
void columns_add(const struct columns *t, void *sum, const void *record, const struct run_result *r);

#endif
