// SPDX-License-Identifier: GPL-2.0-or-later
/* From the hosts' buffers of events to trace.csv. */
#include "lab/run/tracer.h"

#include <errno.h>
#include <stdlib.h>

#include "lab/records/records.h"
#include "lab/run/scratch.h"

int tracer_start(struct tracer *t, const struct plan *f)
{
	int rc;

	if (!f->cfg->trace[0])
		return 0;
	rc = scratch_file(f->cfg->out, "trace", &t->out);
	if (!rc)
		columns_header(&trace_columns, NULL, t->out);
	return rc;
}

static const char *host_name(const struct plan *f, u32 h)
{
	return f->topo->nodes[f->topo->hosts[h]].name;
}

/* Agents are processes of their own, and what they have written is looked at before it is used. */
static int check(const struct plan *f, u32 h, u64 until, struct err *err)
{
	const struct trace_buffer *b = f->nics[h].trace.buffer;
	u32 size = f->nics[h].trace.size;
	u64 before = 0;

	if (b->full)
		return err_set(err, -ENOBUFS,
			       "trace: host %s: more than %u events in a window: a bug, please report the scenario",
			       host_name(f, h), size);
	if (b->n > size)
		return err_set(err, -EFAULT, "trace: host %s: %u events in a buffer of %u", host_name(f, h), b->n,
			       size);
	for (u32 i = 0; i < b->n; i++) {
		const struct trace_event *e = &b->events[i];

		if (e->time < before || e->time >= until || e->flow >= f->flows.n || e->kind >= TRACE_N)
			return err_set(err, -EFAULT, "trace: host %s: event %u cannot be", host_name(f, h), i);
		before = e->time;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct tracer_row *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int grow(struct tracer *t, u32 n)
{
	struct tracer_row *rows;

	if (n <= t->room)
		return 0;
	rows = realloc(t->rows, 2 * (size_t)n * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	t->rows = rows;
	t->room = 2 * n;
	return 0;
}

static void write_row(struct tracer *t, const struct plan *f, const struct tracer_row *row)
{
	struct trace_record r = {
		.time_ps = row->time,
		.host = host_name(f, row->host),
		.e = f->nics[row->host].trace.buffer->events[row->at],
	};

	if (r.e.packet != TRACE_NONE)
		r.psn = packet_number(&f->nics[row->host].rules, &f->flows.flows[r.e.flow], r.e.packet);
	columns_row(&trace_columns, &r, NULL, t->out);
}

int tracer_take(struct tracer *t, const struct plan *f, u64 until, struct err *err)
{
	u32 n = 0, here;
	int rc = 0;

	for (u32 h = 0; t->out && !rc && h < f->size.hosts; h++) {
		const struct trace_buffer *b = f->nics[h].trace.buffer;

		if (!b)
			continue;
		rc = check(f, h, until, err);
		here = b->n;
		if (!rc && grow(t, n + here))
			rc = err_set(err, -ENOMEM, "trace: out of memory");
		for (u32 i = 0; !rc && i < here; i++)
			t->rows[n++] = (struct tracer_row){ b->events[i].time, h, i };
	}
	if (rc || !n)
		return rc;
	qsort(t->rows, n, sizeof(*t->rows), compare);
	for (u32 i = 0; i < n; i++)
		write_row(t, f, &t->rows[i]);
	for (u32 h = 0; h < f->size.hosts; h++)
		if (f->nics[h].trace.buffer)
			f->nics[h].trace.buffer->n = 0;
	return 0;
}

void tracer_free(struct tracer *t)
{
	if (t->out)
		fclose(t->out);
	free(t->rows);
}
