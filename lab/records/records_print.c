// SPDX-License-Identifier: GPL-2.0
/* What a run says on the terminal. */
#include <string.h>

#include "lab/records/records_impl.h"

#define DIGEST_SHOWN 12 /* hex digits in the table: enough to tell runs apart by eye */
#define LABEL_MIN 8     /* columns */
#define ERRORS_SHOWN 4  /* flows named */

/* ps as ms with four decimals (100 ns), rounded. */
static struct decimal ms(u64 ps)
{
	return decimal(ratio(ps, PS_PER_MS, 10000), 4);
}

/* Millionths as per cent. */
static struct decimal percent(u64 ppm)
{
	return decimal(ppm, 4);
}

/* "-" where no flow completed. */
static struct decimal of_completed(const struct run_totals *t, struct decimal d)
{
	return t->completed ? d : (struct decimal){ "-" };
}

static void print_errors(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	u32 shown = 0;

	fprintf(out, "  errors       %u flow%s", t->qp_errors, t->qp_errors == 1 ? "" : "s");
	for (u32 i = 0; i < r->n_flows && shown < ERRORS_SHOWN; i++)
		if (r->flows[i].error)
			fprintf(out, "%s flow %u %s", shown++ ? "," : ":", r->flows[i].flow.id,
				qp_error_names[r->flows[i].error]);
	fputs(t->qp_errors > shown ? ", ...\n" : "\n", out);
}

static void print_melo(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	const struct host_record *h = &t->hosts;

	fprintf(out,
		"  melo         at most %llu bits of %llu receiving and %llu sending, dropped %llu pool, %llu middle\n",
		h->pool_rx_peak_bits, cfg_number(r->cfg, "melo_bits"), h->pool_tx_peak_bits, h->drop_pool,
		h->drop_middle);
	fprintf(out, "               %llu packets copied, at most %s %% of a core; %llu swaps, %llu forgotten\n",
		h->copied_packets, percent(t->copy_cpu_ppm).s, h->swaps, h->forgotten);
}

static void print_flows(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	fprintf(out, "  flows        %u, %u completed (%s)\n", r->n_flows, t->completed, r->status);
	fprintf(out, "  slowdown     %s average\n", of_completed(t, decimal(t->avg_slowdown_milli, 3)).s);
	fprintf(out, "  completion   %s ms average, %s ms 99 %%\n", of_completed(t, ms(t->avg_fct_ps)).s,
		of_completed(t, ms(t->p99_fct_ps)).s);
	fprintf(out, "  packets      %llu sent, %llu of them again, %llu timeouts, %llu NACKs", t->packets_sent,
		t->retransmitted, t->timeouts, t->nacks);
	if (t->cnps)
		fprintf(out, ", %llu CNPs", t->cnps);
	if (t->rnr_naks)
		fprintf(out, ", %llu RNR NAKs", t->rnr_naks);
	fputc('\n', out);
	if (t->qp_errors)
		print_errors(r, t, out);
	if (is_melo(r->cfg))
		print_melo(r, t, out);
}

static void print_frames(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	fprintf(out, "  frames       %llu sent = %llu delivered + %llu dropped + %llu queued\n", r->sent, r->delivered,
		r->dropped, r->queued);
	fprintf(out, "  drops        %s %%", percent(t->drop_ppm).s);
	for (u32 d = 0; d < DROP_REASONS; d++)
		if (t->drops[d])
			fprintf(out, ", %s %llu", drop_names[d], t->drops[d]);
	if (r->cfg->fc == CFG_FC_CREDIT)
		fprintf(out, "\n  fabric       %llu credit frames, %llu ECN marks\n", t->resume_frames, t->ecn_marks);
	else
		fprintf(out, "\n  fabric       %llu PAUSE, %llu resume, %llu ECN marks\n", t->pause_frames,
			t->resume_frames, t->ecn_marks);
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

	fprintf(out, "%s, %s, cc %s, %s, %s, seed %llu, engine %s\n", r->topology ? r->topology : c->topology,
		c->transport, c->cc, flow_control(c), c->workload, c->seed, engine_name(c));
	print_flows(r, t, out);
	print_frames(r, t, out);
	fprintf(out, "  time         %s ms virtual in %llu windows, %s s wall, %s s CPU\n", ms(r->virtual_ps).s,
		r->windows, decimal(ratio(r->wall_us, 1000, 1), 3).s, decimal(ratio(r->cpu_us, 1000, 1), 3).s);
	fprintf(out, "  speed        %llu link crossings, %llu per CPU second, %llu KB memory\n", t->packet_hops,
		ratio(t->packet_hops, r->cpu_us, 1000000), r->peak_kb);
	if (r->foreign)
		fprintf(out, "  foreign      %llu frames that were not the lab's\n", r->foreign);
	fprintf(out, "  digest       %s\n", t->digest);
}

static void table_row(const struct run_result *r, const struct run_totals *t, const char *label, int width, FILE *out)
{
	char drops[64], pauses[24];

	snprintf(pauses, sizeof(pauses), "%llu", t->pause_frames);
	snprintf(drops, sizeof(drops), "%llu (%s %%)", r->dropped, percent(t->drop_ppm).s);
	fprintf(out, "%-*s  %12s  %12s  %13s  %22s  %10s  %.*s\n", width, label,
		of_completed(t, decimal(t->avg_slowdown_milli, 3)).s, of_completed(t, ms(t->avg_fct_ps)).s,
		of_completed(t, ms(t->p99_fct_ps)).s, drops, r->cfg->fc == CFG_FC_CREDIT ? "-" : pauses, DIGEST_SHOWN,
		t->digest);
}

/* "deadlock of class 3: 10 of 10 flows unfinished: s0:p1 waits for s1:p2 waits for s0:p1" */
static void table_hang(const struct run_result *r, const struct run_totals *t, const char *label, FILE *out)
{
	fprintf(out, "%s: %s", label, r->status);
	if (r->n_deadlock)
		fprintf(out, " of class %u", r->deadlock_class);
	fprintf(out, ": %u of %u flows unfinished, and in none of the averages",
		r->n_flows - t->completed - t->qp_errors, r->n_flows);
	for (u32 i = 0; r->n_deadlock && i <= r->n_deadlock; i++) {
		const struct port_record *p = &r->ports[r->deadlock[i % r->n_deadlock]];

		fprintf(out, "%s%s:p%u", i ? " waits for " : ": ", p->node, p->port);
	}
	fputs(".\n", out);
}

void records_table(const struct run_result *const *runs, const struct run_totals *totals, const char *const *labels,
		   u32 n, FILE *out)
{
	int width = LABEL_MIN;

	for (u32 i = 0; i < n; i++)
		if ((int)strlen(labels[i]) > width)
			width = (int)strlen(labels[i]);
	fprintf(out, "%-*s  %12s  %12s  %13s  %22s  %10s  %s\n", width, "scheme", "avg slowdown", "avg FCT (ms)",
		"99 % FCT (ms)", "drops", "PAUSE", "digest");
	for (u32 i = 0; i < n; i++)
		table_row(runs[i], &totals[i], labels[i], width, out);
	for (u32 i = 0; i < n; i++)
		if (!strcmp(runs[i]->status, "deadlock") || !strcmp(runs[i]->status, "stuck"))
			table_hang(runs[i], &totals[i], labels[i], out);
	for (u32 i = 0; i < n; i++)
		if (totals[i].qp_errors)
			fprintf(out, "%s: %u of %u flows stopped in error, and are in none of the averages.\n",
				labels[i], totals[i].qp_errors, runs[i]->n_flows);
}

/* "0.91 times as long with IRN"; a variant of which nothing has completed has no say. */
void records_reading(const struct run_totals *totals, const char *const *labels, u32 n, FILE *out)
{
	u32 last = n - 1;

	if (n < 2 || !totals[0].completed || !totals[0].avg_slowdown_milli)
		return;
	while (last && !totals[last].completed)
		last--;
	if (!last)
		return;
	fprintf(out, "Against %s, flows take on average", labels[0]);
	for (u32 i = 1, said = 0; i <= last; i++) {
		if (!totals[i].completed)
			continue;
		fprintf(out, "%s %s times as long with %s",
			!said++             ? ""
				: i == last ? " and"
					    : ",",
			decimal(ratio(totals[i].avg_slowdown_milli, totals[0].avg_slowdown_milli, 100), 2).s,
			labels[i]);
	}
	fprintf(out, " (average slowdown).\n");
}
