// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run prints on the terminal: at most 80 columns, but for words that are longer by themselves. */
#include <stdarg.h>
#include <string.h>

#include "lab/config/cfg_keys.h"
#include "lab/records/records_impl.h"
#include "lab/records/records_load.h"

#define COLUMNS 80
#define LABEL_MIN 16 /* columns of the scenario table's labels */
#define LABEL_MAX 24
#define DIGEST_MIN 6 /* hex digits of a digest in the table */
#define DIGEST_MAX 12
#define ERRORS_SHOWN 4 /* flows named */
#define INDENT 15      /* of what is said under a title */

/* Items separated by commas, continued on the next line where they do not fit. */
struct items {
	FILE *out;
	u32 at, indent; /* columns */
	bool first;
};

static struct items items(FILE *out, u32 at, u32 indent)
{
	return (struct items){ .out = out, .at = at, .indent = indent, .first = true };
}

/* "  title        ", to be followed by items. */
static struct items titled(const char *title, FILE *out)
{
	fprintf(out, "  %-*s", INDENT - 2, title);
	return items(out, INDENT, INDENT);
}

__attribute__((format(printf, 2, 3))) static void item(struct items *t, const char *fmt, ...)
{
	char text[CFG_STR + 64];
	va_list ap;
	u32 n;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = (u32)strlen(text);
	if (t->first) {
		t->at += n;
	} else if (t->at + 2 + n + 1 > COLUMNS) { /* a comma may follow */
		fprintf(t->out, ",\n%*s", (int)t->indent, "");
		t->at = t->indent + n;
	} else {
		fputs(", ", t->out);
		t->at += 2 + n;
	}
	fputs(text, t->out);
	t->first = false;
}

static void end(struct items *t)
{
	fputc('\n', t->out);
}

/* ps as ms with four decimals (100 ns), rounded. */
static struct decimal ms(u64 ps)
{
	return decimal(ratio(ps, PS_PER_MS, 10000), 4);
}

/* us as s with three decimals, rounded. */
static struct decimal seconds(u64 us)
{
	return decimal(ratio(us, 1000, 1), 3);
}

/* a / b in per cent with three decimals, rounded. */
static struct decimal percent(u64 a, u64 b)
{
	return decimal(ratio(a, b, 100000), 3);
}

/* ppm in per cent with two decimals, rounded. */
static struct decimal share(u64 ppm)
{
	return decimal(ratio(ppm, 100, 1), 2);
}

/* "-" where no flow completed. */
static struct decimal of_completed(const struct run_totals *t, struct decimal d)
{
	return t->completed ? d : (struct decimal){ "-" };
}

static void print_errors(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	struct items line = titled("errors", out);
	u32 shown = 0;

	item(&line, "%u flow%s", t->qp_errors, t->qp_errors == 1 ? "" : "s");
	for (u32 i = 0; i < r->n_flows && shown < ERRORS_SHOWN; i++) {
		if (!r->flows[i].error)
			continue;
		item(&line, "flow %u %s", r->flows[i].flow.id, qp_error_words[r->flows[i].error].name);
		shown++;
	}
	if (t->qp_errors > shown)
		item(&line, "...");
	end(&line);
}

/* In so many words, since the figures of MELO's paper and its text differ here. */
static const char *melo_resends(const struct run_cfg *c)
{
	return cfg_number(c, "melo_resend") ? "the holes, as the paper's figures need"
					    : "all from the first hole, the paper's text";
}

static void print_melo(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	const struct host_record *h = &t->hosts;
	struct items line = titled("melo", out);

	item(&line, "pools of %llu bits", cfg_number(r->cfg, "melo_bits"));
	item(&line, "peak %llu receiving", h->pool_rx_peak_bits);
	item(&line, "%llu sending", h->pool_tx_peak_bits);
	item(&line, "dropped %llu pool", h->drop_pool);
	item(&line, "%llu middle", h->drop_middle);
	item(&line, "%llu packets copied", h->copied_packets);
	item(&line, "at most %s %% of a core", decimal(h->copy_cpu_ppm, 4).s);
	item(&line, "%llu evictions", h->evictions);
	item(&line, "%llu forgotten", h->forgotten);
	item(&line, "%s bytes per connection at most", decimal(h->connection_bytes_x100, 2).s);
	item(&line, "a timeout resends %s", melo_resends(r->cfg));
	end(&line);
}

static void print_packets(const struct run_totals *t, FILE *out)
{
	const struct flow_record *sum = &t->flows;
	struct items line = titled("packets", out);

	item(&line, "%llu sent", sum->packets_sent);
	item(&line, "%llu retransmitted", sum->retransmitted);
	item(&line, "%llu timeouts", sum->timeouts);
	item(&line, "%llu NACKs", sum->nacks);
	if (sum->cnps)
		item(&line, "%llu CNPs", sum->cnps);
	if (sum->rnr_naks)
		item(&line, "%llu RNR NAKs", sum->rnr_naks);
	end(&line);
}

/* A slowdown in millionths with three decimals. */
static struct decimal thousandths(u64 ppm)
{
	return decimal(ratio(ppm, 1000, 1), 3);
}

static void print_slowdown(const struct run_totals *t, FILE *out)
{
	const struct percentiles *p = &t->stats.slowdown_ppm;
	struct items line = titled("slowdown", out);

	item(&line, "%s average", of_completed(t, decimal(t->avg_slowdown_milli, 3)).s);
	item(&line, "50 %% %s", of_completed(t, thousandths(p->p50)).s);
	item(&line, "95 %% %s", of_completed(t, thousandths(p->p95)).s);
	item(&line, "99 %% %s", of_completed(t, thousandths(p->p99)).s);
	item(&line, "99.9 %% %s", of_completed(t, thousandths(p->p999)).s);
	end(&line);
}

static void print_completion(const struct run_totals *t, FILE *out)
{
	const struct percentiles *p = &t->stats.fct_ps;
	struct items line = titled("completion", out);

	item(&line, "%s ms average", of_completed(t, ms(t->avg_fct_ps)).s);
	item(&line, "50 %% %s", of_completed(t, ms(p->p50)).s);
	item(&line, "95 %% %s", of_completed(t, ms(p->p95)).s);
	item(&line, "99 %% %s", of_completed(t, ms(p->p99)).s);
	item(&line, "99.9 %% %s", of_completed(t, ms(p->p999)).s);
	end(&line);
}

static void print_requests(const struct requests *q, FILE *out)
{
	struct items line = titled("requests", out);

	item(&line, "%u of %u completed", q->completed, q->n);
	if (q->completed) {
		item(&line, "%s ms average", ms(q->avg_ps).s);
		item(&line, "99 %% %s", ms(q->ps.p99).s);
		item(&line, "slowest %s", ms(q->max_ps).s);
	}
	end(&line);
}

static void print_fairness(const struct fairness *j, FILE *out)
{
	struct items line = titled("fairness", out);

	item(&line, "Jain's index %s of %u long flows at once", decimal(j->index_milli, 3).s, j->flows);
	end(&line);
}

/* What was asked for, and how busy the links were. */
static void print_load(const struct run_result *r, FILE *out)
{
	const struct cfg_key *k = cfg_key((u32)cfg_key_number("load"));
	u32 load = records_load_ppb(r->cfg);
	struct link_use use;
	struct items line;
	char text[32];

	records_link_use(r, &use);
	if (!load || !use.n)
		return;
	line = titled("load", out);
	item(&line, "%s of %s", cfg_number_text(k, load, text, sizeof(text)),
	     r->cfg->load_of == LOAD_OF_WIRE ? "the wire" : "payload");
	/* a run that goes on for long after its last start carries more than fits into the time of the starts */
	if (use.tier[0].mean_ppm <= 1000000)
		item(&line, "links of hosts %s %% busy", share(use.tier[0].mean_ppm).s);
	for (u32 i = 1; i < use.n && use.tier[0].mean_ppm <= 1000000; i++)
		item(&line, "tier %u %s %%", i, share(use.tier[i].mean_ppm).s);
	end(&line);
}

static void print_flows(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	fprintf(out, "  flows        %u, %u completed (%s)\n", r->n_flows, t->completed, r->status);
	print_slowdown(t, out);
	print_completion(t, out);
	if (t->stats.requests.n)
		print_requests(&t->stats.requests, out);
	if (t->stats.fairness.flows)
		print_fairness(&t->stats.fairness, out);
	print_load(r, out);
	print_packets(t, out);
	if (t->qp_errors)
		print_errors(r, t, out);
	if (is_melo(r->cfg))
		print_melo(r, t, out);
}

static void print_frames(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	struct items frames = titled("frames", out), drops, fabric;

	item(&frames, "%llu sent", r->sent);
	item(&frames, "%llu delivered", r->delivered);
	item(&frames, "%llu dropped", r->dropped);
	item(&frames, "%llu queued", r->queued);
	end(&frames);
	drops = titled("drops", out);
	item(&drops, "%s %% of data", percent(r->dropped_data, r->sent_data).s);
	item(&drops, "%s %% of others", percent(r->dropped - r->dropped_data, r->sent - r->sent_data).s);
	for (u32 d = 0; d < FAB_DROPS; d++)
		if (t->ports.drops[d])
			item(&drops, "%s %llu", drop_words[d].name, t->ports.drops[d]);
	end(&drops);
	fabric = titled("fabric", out);
	if (r->cfg->fc == CFG_FC_CREDIT) {
		item(&fabric, "%llu credit frames", t->ports.resume_tx);
	} else {
		item(&fabric, "%llu PAUSE", t->ports.pause_tx);
		item(&fabric, "%llu resume", t->ports.resume_tx);
	}
	item(&fabric, "%llu ECN marks", t->ports.ecn_marks);
	end(&fabric);
}

static void print_speed(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	struct items time = titled("time", out), speed;

	item(&time, "%s ms virtual in %llu windows", ms(r->virtual_ps).s, r->windows);
	item(&time, "%s s wall", seconds(r->wall_us).s);
	item(&time, "%s s CPU", seconds(r->cpu_us).s);
	end(&time);
	speed = titled("speed", out);
	item(&speed, "%llu hops", t->packet_hops);
	item(&speed, "%llu per CPU second", ratio(t->packet_hops, r->cpu_us, 1000000));
	item(&speed, "%llu KB memory", r->peak_kb);
	end(&speed);
}

static const char *flow_control(const struct run_cfg *c)
{
	if (c->fc == CFG_FC_CREDIT)
		return "credits";
	return c->fc == CFG_FC_PFC ? "PFC on" : "PFC off";
}

void records_print(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	const struct run_cfg *c = r->cfg;
	struct items setup = items(out, 0, 2);

	item(&setup, "%s", r->topology ? r->topology : c->topology);
	item(&setup, "%s", c->transport);
	item(&setup, "cc %s", c->cc);
	item(&setup, "%s", flow_control(c));
	item(&setup, "%s", c->workload);
	item(&setup, "seed %llu", c->seed);
	item(&setup, "engine %s", engine_name(c));
	end(&setup);
	print_flows(r, t, out);
	print_frames(r, t, out);
	print_speed(r, t, out);
	if (r->foreign)
		fprintf(out, "  ignored      %llu foreign frames\n", r->foreign);
	fprintf(out, "  digest       %s\n", t->digest);
}

/* The scenario table: titles and units of its numbers, which stand between the label and the digest. */
enum { SLOWDOWN, AVG_FCT, P99_FCT, DROPPED, PAUSES, NUMBERS };
static const struct {
	const char *title, *unit;
} numbers[NUMBERS] = {
	[SLOWDOWN] = { "slowdown", "" }, [AVG_FCT] = { " avg FCT", "ms" }, [P99_FCT] = { "99 % FCT", "ms" },
	[DROPPED] = { " drops", "%" },   [PAUSES] = { " PAUSE", "" },
};

struct widths {
	int label, number[NUMBERS], digest;
};

static struct decimal table_number(const struct run_result *r, const struct run_totals *t, u32 n)
{
	switch (n) {
	case SLOWDOWN:
		return of_completed(t, decimal(t->avg_slowdown_milli, 3));
	case AVG_FCT:
		return of_completed(t, ms(t->avg_fct_ps));
	case P99_FCT:
		return of_completed(t, ms(t->stats.fct_ps.p99));
	case DROPPED:
		return percent(r->dropped_data, r->sent_data);
	}
	if (r->cfg->fc == CFG_FC_CREDIT)
		return (struct decimal){ "-" };
	return decimal(t->ports.pause_tx, 0);
}

static int larger(int a, size_t b)
{
	return a > (int)b ? a : (int)b;
}

static struct widths table_widths(const struct run_result *const *runs, const struct run_totals *totals,
				  const char *const *labels, u32 n)
{
	struct widths w = { .label = LABEL_MIN };
	int left = COLUMNS - 2;

	for (u32 i = 0; i < n; i++)
		w.label = larger(w.label, strlen(labels[i]));
	w.label = w.label > LABEL_MAX ? LABEL_MAX : w.label;
	for (u32 k = 0; k < NUMBERS; k++) {
		w.number[k] = (int)strlen(numbers[k].title);
		for (u32 i = 0; i < n; i++)
			w.number[k] = larger(w.number[k], strlen(table_number(runs[i], &totals[i], k).s));
		left -= 2 + w.number[k];
	}
	left -= w.label;
	w.digest = left < DIGEST_MIN ? DIGEST_MIN : left > DIGEST_MAX ? DIGEST_MAX : left;
	return w;
}

static void table_titles(const struct widths *w, FILE *out)
{
	fprintf(out, "%-*s", w->label, "scheme");
	for (u32 k = 0; k < NUMBERS; k++)
		fprintf(out, "  %*s", w->number[k], numbers[k].title);
	fprintf(out, "  digest\n%*s", w->label, "");
	for (u32 k = 0; k <= DROPPED; k++)
		fprintf(out, "  %*s", w->number[k], numbers[k].unit);
	fputc('\n', out);
}

static void table_row(const struct widths *w, const struct run_result *r, const struct run_totals *t, const char *label,
		      FILE *out)
{
	if ((int)strlen(label) > w->label)
		fprintf(out, "%.*s...", w->label - 3, label);
	else
		fprintf(out, "%-*s", w->label, label);
	for (u32 k = 0; k < NUMBERS; k++)
		fprintf(out, "  %*s", w->number[k], table_number(r, t, k).s);
	fprintf(out, "  %.*s\n", w->digest, t->digest);
}

static bool is_hung(const struct run_result *r)
{
	return !strcmp(r->status, "deadlock") || !strcmp(r->status, "stuck");
}

/* "RoCE: deadlock, 10 of 10 flows unfinished", and the cycle. */
static void table_hang(const struct run_result *r, const struct run_totals *t, const char *label, FILE *out)
{
	fprintf(out, "%s: %s, %u of %u flows unfinished\n", label, r->status, r->n_flows - t->completed - t->qp_errors,
		r->n_flows);
	if (r->n_deadlock)
		records_deadlock(r, out);
}

void records_deadlock(const struct run_result *r, FILE *out)
{
	struct items line = items(out, 4, 4);

	fprintf(out, "  cycle of class %u, each port waits for the next one:\n    ", r->deadlock_class);
	for (u32 i = 0; i <= r->n_deadlock; i++) {
		const struct port_record *p = &r->ports[r->deadlock[i % r->n_deadlock]];

		item(&line, "%s:p%u", p->node, p->port);
	}
	end(&line);
}

void records_table(const struct run_result *const *runs, const struct run_totals *totals, const char *const *labels,
		   u32 n, FILE *out)
{
	struct widths w = table_widths(runs, totals, labels, n);
	bool left_out = false;

	table_titles(&w, out);
	for (u32 i = 0; i < n; i++)
		table_row(&w, runs[i], &totals[i], labels[i], out);
	for (u32 i = 0; i < n; i++)
		if (is_hung(runs[i]))
			table_hang(runs[i], &totals[i], labels[i], out);
	for (u32 i = 0; i < n; i++) {
		if (totals[i].qp_errors)
			fprintf(out, "%s: %u of %u flows stopped in error\n", labels[i], totals[i].qp_errors,
				runs[i]->n_flows);
		left_out |= totals[i].qp_errors || is_hung(runs[i]);
	}
	if (left_out)
		fputs("The averages are over completed flows only.\n", out);
}
