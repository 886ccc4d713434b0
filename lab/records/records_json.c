// SPDX-License-Identifier: GPL-2.0-or-later
/* summary.json. */
#include "lab/config/cfg_keys.h"
#include "lab/records/json_exact.h"
#include "lab/records/records_impl.h"
#include "lab/records/records_load.h"

static void put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

static void put_u64(json_t *o, const char *key, u64 v)
{
	put(o, key, json_exact(v, 0));
}

/* Of what has completed: null if nothing has. */
static void put_average(json_t *o, u32 completed, const char *key, u64 v, u32 places)
{
	put(o, key, completed ? json_exact(v, places) : json_null());
}

/* p50_NAME and so on. */
static void put_percentiles(json_t *o, u32 completed, const char *name, const struct percentiles *p, u32 places)
{
	const struct {
		const char *of;
		u64 v;
	} all[] = { { "p50", p->p50 }, { "p95", p->p95 }, { "p99", p->p99 }, { "p999", p->p999 } };
	char key[64];

	for (u32 i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(key, sizeof(key), "%s_%s", all[i].of, name);
		put_average(o, completed, key, all[i].v, places);
	}
}

static json_t *sizes(const struct flow_stats *s)
{
	json_t *all = json_array();

	for (u32 i = 0; i < s->n_sizes; i++) {
		const struct size_class *c = &s->size[i];
		json_t *o = json_object();

		put_u64(o, "from_bytes", c->from_bytes);
		put_u64(o, "to_bytes", c->to_bytes);
		put_u64(o, "flows", c->flows);
		put_u64(o, "completed", c->completed);
		put_average(o, c->completed, "avg_slowdown", c->avg_slowdown_milli, 3);
		put_percentiles(o, c->completed, "slowdown", &c->slowdown_ppm, 6);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *fairness(const struct fairness *j)
{
	json_t *o;

	if (!j->flows)
		return json_null();
	o = json_object();
	put(o, "jain", json_exact(j->index_milli, 3));
	put_u64(o, "long_flows", j->flows);
	put(o, "from_ns", json_exact(j->from_ps, 3));
	put(o, "to_ns", json_exact(j->to_ps, 3));
	return o;
}

static json_t *requests(const struct requests *q)
{
	json_t *o;

	if (!q->n)
		return json_null();
	o = json_object();
	put_u64(o, "number", q->n);
	put_u64(o, "finished", q->completed);
	put_average(o, q->completed, "avg_rct_ns", q->avg_ps, 3);
	put_percentiles(o, q->completed, "rct_ns", &q->ps, 3);
	put_average(o, q->completed, "max_rct_ns", q->max_ps, 3);
	return o;
}

/* A word of the configuration, as config.txt has it. */
static void put_key(json_t *o, const struct run_cfg *c, const char *name)
{
	char buf[64];

	put(o, name, json_text(cfg_value_text(c, cfg_key((u32)cfg_key_number(name)), buf, sizeof(buf))));
}

static json_t *computed(const struct run_result *r)
{
	json_t *o = json_object();

	for (u32 i = 0; i < r->n_computed; i++)
		put(o, r->computed[i].name, json_number_or_text(r->computed[i].value));
	return o;
}

static void put_setup(json_t *o, const struct run_result *r, const struct run_totals *t)
{
	static const char *const keys[] = { "fc", "pfc_classes", "buffer_mode", "ecn", "sched", "queues", "arbiter" };
	const struct run_cfg *c = r->cfg;
	u32 load = records_load_ppb(c);
	char text[32];

	put(o, "digest", json_text(t->digest));
	put(o, "engine", json_text(engine_name(c)));
	put(o, "status", json_text(r->status));
	put_u64(o, "seed", c->seed);
	put(o, "topology", json_text(r->topology ? r->topology : c->topology));
	put(o, "preset", json_text(c->preset));
	put(o, "transport", json_text(c->transport));
	put(o, "cc", json_text(c->cc));
	for (u32 i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		put_key(o, c, keys[i]);
	put(o, "op", json_text(flow_op_names[c->op]));
	put(o, "workload", json_text(c->workload));
	cfg_number_text(cfg_key((u32)cfg_key_number("load")), load, text, sizeof(text));
	put(o, "load", load ? json_number_or_text(text) : json_null());
	put_key(o, c, "load_of");
	put(o, "computed", computed(r));
}

/* {"over_ns": 1000000.000, "tiers": [{"tier": 0, "ports": 32, "mean": 0.7, "busiest": 0.8}, ...]} */
static json_t *link_use(const struct run_result *r)
{
	json_t *o = json_object(), *tiers = json_array();
	struct link_use use;

	records_link_use(r, &use);
	for (u32 i = 0; i < use.n; i++) {
		json_t *tier = json_object();

		put_u64(tier, "tier", i);
		put_u64(tier, "ports", use.tier[i].ports);
		put(tier, "mean", json_exact(use.tier[i].mean_ppm, 6));
		put(tier, "busiest", json_exact(use.tier[i].busiest_ppm, 6));
		json_array_append_new(tiers, tier);
	}
	put(o, "over_ns", json_exact(use.over_ps, 3));
	put(o, "tiers", tiers);
	return o;
}

/* An array is an object of its elements. */
static json_t *total_of(const struct column *c, const void *sum)
{
	json_t *elements;

	if (!c->count)
		return json_exact(column_get(c, sum, 0), c->decimals);
	elements = json_object();
	for (u32 i = 0; i < c->count; i++)
		put(elements, c->words[i].name, json_exact(column_get(c, sum, i), c->decimals));
	return elements;
}

/* The totals that have a key here. */
static void put_totals(json_t *o, const struct columns *t, const void *sum)
{
	for (u32 i = 0; i < t->n; i++)
		if (t->c[i].summary)
			put(o, t->c[i].summary, total_of(&t->c[i], sum));
}

static json_t *frames(const struct run_result *r)
{
	json_t *o = json_object();

	put_u64(o, "sent", r->sent);
	put_u64(o, "delivered", r->delivered);
	put_u64(o, "dropped", r->dropped);
	put_u64(o, "queued", r->queued);
	put_u64(o, "sent_data", r->sent_data);
	put_u64(o, "dropped_data", r->dropped_data);
	return o;
}

/* {"class": 3, "ports": ["s0:p1", "s1:p2"]} */
static json_t *deadlock(const struct run_result *r)
{
	json_t *o = json_object(), *ports = json_array();

	put_u64(o, "class", r->deadlock_class);
	for (u32 i = 0; i < r->n_deadlock; i++) {
		const struct port_record *p = &r->ports[r->deadlock[i]];
		char name[CFG_STR];

		snprintf(name, sizeof(name), "%s:p%u", p->node, p->port);
		json_array_append_new(ports, json_text(name));
	}
	put(o, "ports", ports);
	return o;
}

/* What depends on the machine. */
static void put_machine(json_t *o, const struct run_result *r, const struct run_totals *t)
{
	put_u64(o, "foreign_frames", r->foreign);
	put(o, "wall_s", json_exact(r->wall_us, 6));
	put(o, "cpu_s", json_exact(r->cpu_us, 6));
	put_u64(o, "peak_rss_kb", r->peak_kb);
	put_u64(o, "hops_per_cpu_s", ratio(t->packet_hops, r->cpu_us, 1000000));
}

static json_t *summary(const struct run_result *r, const struct run_totals *t)
{
	json_t *o = json_object();

	if (r->label)
		put(o, "label", json_text(r->label));
	put_setup(o, r, t);
	if (r->n_deadlock)
		put(o, "deadlock", deadlock(r));
	put_u64(o, "flows", r->n_flows);
	put_u64(o, "completed", t->completed);
	put_average(o, t->completed, "avg_slowdown", t->avg_slowdown_milli, 3);
	put_percentiles(o, t->completed, "slowdown", &t->stats.slowdown_ppm, 6);
	put_average(o, t->completed, "avg_fct_ns", t->avg_fct_ps, 3);
	put_percentiles(o, t->completed, "fct_ns", &t->stats.fct_ps, 3);
	put(o, "slowdown_by_size", sizes(&t->stats));
	put(o, "fairness", fairness(&t->stats.fairness));
	put(o, "requests", requests(&t->stats.requests));
	put(o, "frames", frames(r));
	put(o, "drop_rate", json_exact(t->drop_ppm, 6));
	put(o, "drop_rate_other", json_exact(t->drop_other_ppm, 6));
	put_totals(o, &port_columns, &t->ports);
	put_totals(o, &flow_columns, &t->flows);
	put(o, "utilisation", link_use(r));
	put_u64(o, "qp_errors", t->qp_errors);
	if (is_melo(r->cfg)) {
		json_t *melo = json_object();

		put_totals(melo, &host_columns, &t->hosts);
		put(o, "melo", melo);
	}
	put_u64(o, "packet_hops", t->packet_hops);
	put_u64(o, "hops_data", r->hops_data);
	put_u64(o, "hops_ack", r->hops_ack);
	put_u64(o, "windows", r->windows);
	put(o, "virtual_ns", json_exact(r->virtual_ps, 3));
	put_machine(o, r, t);
	return o;
}

int records_json(const struct run_result *r, const struct run_totals *t, FILE *out)
{
	return json_write(summary(r, t), 2, out);
}
