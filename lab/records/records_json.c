// SPDX-License-Identifier: GPL-2.0
/*
 * summary.json. jansson escapes the texts; the layout is ours, because its reals are doubles and
 * would not keep the decimals that the integers here give exactly.
 */
#include <errno.h>
#include <stdlib.h>

#include <jansson.h>

#include "lab/config/cfg_keys.h"
#include "lab/records/records_impl.h"

/* An object being written: what goes before its next member. */
struct json {
	FILE *out;
	u32 depth;
	bool first;
};

static void member(struct json *j, const char *key)
{
	fprintf(j->out, "%s\n%*s\"%s\": ", j->first ? "" : ",", (int)(2 * j->depth), "", key);
	j->first = false;
}

static void open_object(struct json *j, const char *key)
{
	if (key)
		member(j, key);
	fputc('{', j->out);
	j->depth++;
	j->first = true;
}

static void close_object(struct json *j)
{
	j->depth--;
	fprintf(j->out, "\n%*s}", (int)(2 * j->depth), "");
	j->first = false;
}

static void put_u64(struct json *j, const char *key, u64 v)
{
	member(j, key);
	fprintf(j->out, "%llu", v);
}

/* A number with exactly @places decimals; null if there is @none. */
static void put_decimal(struct json *j, const char *key, u64 v, u32 places, bool none)
{
	member(j, key);
	fputs(none ? "null" : decimal(v, places).s, j->out);
}

/* Paths need not be UTF-8, JSON must be: then every byte beyond ASCII becomes '?'. */
static void put_text(struct json *j, const char *key, const char *text)
{
	char ascii[CFG_STR], *quoted;
	json_t *s = json_string(text);

	if (!s) {
		u32 i;

		for (i = 0; i < sizeof(ascii) - 1 && text[i]; i++)
			ascii[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
		ascii[i] = '\0';
		s = json_string(ascii);
	}
	quoted = json_dumps(s, JSON_ENCODE_ANY);
	member(j, key);
	fputs(quoted ? quoted : "null", j->out);
	free(quoted);
	json_decref(s);
}

/* A word of the configuration, as config.txt has it. */
static void put_key(struct json *j, const struct run_cfg *c, const char *name)
{
	char buf[64];

	put_text(j, name, cfg_value_text(c, cfg_key((u32)cfg_key_number(name)), buf, sizeof(buf)));
}

static void put_setup(struct json *j, const struct run_result *r, const struct run_totals *t)
{
	const struct run_cfg *c = r->cfg;

	put_text(j, "digest", t->digest);
	put_text(j, "engine", engine_name(c));
	put_text(j, "status", r->status);
	put_u64(j, "seed", c->seed);
	put_text(j, "topology", r->topology ? r->topology : c->topology);
	put_text(j, "preset", c->preset);
	put_text(j, "transport", c->transport);
	put_text(j, "cc", c->cc);
	put_key(j, c, "fc");
	put_key(j, c, "buffer_mode");
	put_key(j, c, "ecn");
	put_key(j, c, "sched");
	put_key(j, c, "queues");
	put_key(j, c, "arbiter");
	put_text(j, "op", flow_op_names[c->op]);
	put_text(j, "workload", c->workload);
}

static void put_frames(struct json *j, const struct run_result *r, const struct run_totals *t)
{
	open_object(j, "frames");
	put_u64(j, "sent", r->sent);
	put_u64(j, "delivered", r->delivered);
	put_u64(j, "dropped", r->dropped);
	put_u64(j, "queued", r->queued);
	close_object(j);
	open_object(j, "drops");
	for (u32 d = 0; d < DROP_REASONS; d++)
		put_u64(j, drop_names[d], t->drops[d]);
	close_object(j);
	put_decimal(j, "drop_rate", t->drop_ppm, 6, false);
	put_u64(j, "ecn_marks", t->ecn_marks);
	open_object(j, "marks");
	for (u32 m = 0; m < MARK_CAUSES; m++)
		put_u64(j, mark_names[m], t->marks[m]);
	close_object(j);
	put_u64(j, "pause_frames", t->pause_frames);
	put_u64(j, "resume_frames", t->resume_frames);
}

/* As struct run_totals has it: sums over the hosts, of the peaks the largest. */
static void put_melo(struct json *j, const struct run_totals *t)
{
	const struct host_record *h = &t->hosts;

	open_object(j, "melo");
	put_u64(j, "pool_rx_peak_bits", h->pool_rx_peak_bits);
	put_u64(j, "pool_tx_peak_bits", h->pool_tx_peak_bits);
	put_u64(j, "pool_rx_bits", h->pool_rx_bits);
	put_u64(j, "pool_tx_bits", h->pool_tx_bits);
	put_u64(j, "copied_packets", h->copied_packets);
	put_u64(j, "copied_bytes", h->copied_bytes);
	put_decimal(j, "copy_cpu_max", t->copy_cpu_ppm, 6, false);
	put_u64(j, "drop_middle", h->drop_middle);
	put_u64(j, "drop_pool", h->drop_pool);
	put_u64(j, "swaps", h->swaps);
	put_u64(j, "forgotten", h->forgotten);
	close_object(j);
}

static void put_machine(struct json *j, const struct run_result *r, const struct run_totals *t)
{
	put_u64(j, "foreign_frames", r->foreign);
	put_decimal(j, "wall_s", r->wall_us, 6, false);
	put_decimal(j, "cpu_s", r->cpu_us, 6, false);
	put_u64(j, "peak_rss_kb", r->peak_kb);
	put_u64(j, "crossings_per_cpu_s", ratio(t->packet_hops, r->cpu_us, 1000000));
}

/* {"class": 3, "ports": ["s0:p1", "s1:p2"]} */
static void put_deadlock(struct json *j, const struct run_result *r)
{
	char name[CFG_STR];

	open_object(j, "deadlock");
	put_u64(j, "class", r->deadlock_class);
	member(j, "ports");
	for (u32 i = 0; i < r->n_deadlock; i++) {
		const struct port_record *p = &r->ports[r->deadlock[i]];

		snprintf(name, sizeof(name), "%s:p%u", p->node, p->port);
		fprintf(j->out, "%s\"%s\"", i ? ", " : "[", name);
	}
	fputc(']', j->out);
	close_object(j);
}

int records_json(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	struct json j = { .out = out };

	open_object(&j, NULL);
	if (r->label)
		put_text(&j, "label", r->label);
	put_setup(&j, r, t);
	if (r->n_deadlock)
		put_deadlock(&j, r);
	put_u64(&j, "flows", r->n_flows);
	put_u64(&j, "completed", t->completed);
	put_decimal(&j, "avg_slowdown", t->avg_slowdown_milli, 3, !t->completed);
	put_decimal(&j, "avg_fct_ns", t->avg_fct_ps, 3, !t->completed);
	put_decimal(&j, "p99_fct_ns", t->p99_fct_ps, 3, !t->completed);
	put_frames(&j, r, t);
	put_u64(&j, "packets_sent", t->packets_sent);
	put_u64(&j, "retransmitted", t->retransmitted);
	put_u64(&j, "timeouts", t->timeouts);
	put_u64(&j, "nacks", t->nacks);
	put_u64(&j, "cnps", t->cnps);
	put_u64(&j, "rnr_naks", t->rnr_naks);
	put_u64(&j, "qp_errors", t->qp_errors);
	if (is_melo(r->cfg))
		put_melo(&j, t);
	put_u64(&j, "packet_hops", t->packet_hops);
	open_object(&j, "crossings");
	put_u64(&j, "data", r->crossings_data);
	put_u64(&j, "ack", r->crossings_ack);
	close_object(&j);
	put_u64(&j, "windows", r->windows);
	put_decimal(&j, "virtual_ns", r->virtual_ps, 3, false);
	put_machine(&j, r, t);
	close_object(&j);
	fputc('\n', out);
	return ferror(out) ? -EIO : 0;
}
