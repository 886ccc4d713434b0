// SPDX-License-Identifier: GPL-2.0-or-later
/* What depends on other keys, and what contradicts them. */
#include <errno.h>
#include <string.h>

#include "agent/cc/cc.h"
#include "agent/nic/nic.h"
#include "agent/recovery/recovery.h"
#include "lab/config/cfg_keys.h"
#include "lab/text.h"
#include "lab/config/preset.h"
#include "lab/workload/workload.h"
#include "topo/topo.h"

#define FLOWS_DEFAULT 2000
#define WEIGHTS_ALLOWED "eight numbers 1..%u, of classes 0 to 7, with commas between"

/* Bytes of a frame beyond its payload: Ethernet to BTH and the ICRC 58, RETH 16 (bpf/wire.h), and 20 to spare. */
#define FRAME_OVERHEAD 94

static void fill_in(struct run_cfg *c)
{
	enum workload_kind kind = workload_kind(c->workload);
	const struct cc_ops *cc = cc_find(c->cc);

	if (c->fc == CFG_FC_AUTO && cc && cc->credits)
		c->fc = CFG_FC_CREDIT;
	if (c->fc == CFG_FC_AUTO)
		c->fc = recovery_find(c->transport)->lossless ? CFG_FC_PFC : CFG_FC_NONE;
	if (c->timeouts == CFG_AUTO && (c->fc != CFG_FC_PFC || c->pfc_classes == CFG_ALL_CLASSES || c->pfc_watchdog))
		c->timeouts = c->fc == CFG_FC_NONE || (c->fc == CFG_FC_PFC && c->pfc_watchdog)
			? CFG_ON /* a watchdog drops */
			: CFG_OFF;
	if (c->ecn == CFG_ECN_AUTO)
		c->ecn = cc ? (enum cfg_ecn)cc->marking : CFG_ECN_OFF;
	if (c->ecmp_seed == CFG_SEED_SAME)
		c->ecmp_seed = c->seed;
	if (kind == WORKLOAD_POISSON && !c->flows && !c->duration)
		c->flows = FLOWS_DEFAULT;
}

/* The ranges again: members may have been set without cfg_set(). */
static int check_ranges(const struct run_cfg *c, struct err *err)
{
	const struct cfg_key *k;

	for (u32 i = 0; (k = cfg_key(i)); i++) {
		char value[64], allowed[160];
		const char *why;
		u64 v;

		if (k->kind >= CFG_WORD)
			continue;
		v = cfg_get(c, k);
		why = k->special.word && v == k->special.value ? NULL : cfg_why_not(k, v);
		if (why)
			return err_set(err, -EINVAL, "%s=%s: %s; allowed: %s", k->name,
				       cfg_number_text(k, v, value, sizeof(value)), why,
				       cfg_allowed(k, allowed, sizeof(allowed)));
	}
	return 0;
}

int cfg_weights(const char *text, u32 out[CFG_CLASSES], struct err *err)
{
	char words[sizeof(((struct run_cfg *)0)->weights)], *rest = words, *word;
	u64 v;

	snprintf(words, sizeof(words), "%s", text);
	for (u32 i = 0; i < CFG_CLASSES; i++) {
		word = strsep(&rest, ",");
		if (!word)
			return err_set(err, -EINVAL, "weights=%s: none for class %u; allowed: " WEIGHTS_ALLOWED, text,
				       i, CFG_WEIGHT_MAX);
		if (text_u64(word, CFG_WEIGHT_MAX, &v) || !v)
			return err_set(err, -EINVAL, "weights=%s: '%s' for class %u; allowed: " WEIGHTS_ALLOWED, text,
				       word, i, CFG_WEIGHT_MAX);
		out[i] = (u32)v;
	}
	if (rest)
		return err_set(err, -EINVAL, "weights=%s: '%s' for no class; allowed: " WEIGHTS_ALLOWED, text, rest,
			       CFG_WEIGHT_MAX);
	return 0;
}

/*
 * Keys that mean something only where another key has one of some values. Elsewhere anything but their default is
 * refused: the default may stand, so that a printed configuration can be read again.
 */
static const struct scope {
	const char *key, *other;
	const char *values; /* "a|b" */
	const char *why;    /* what the other key's value has to say */
} scopes[] = {
	{ "retry_cnt", "timeouts", "on", "has no timeouts" },
	{ "region", "op", "write|read", "addresses no memory" },
	{ "rq", "op", "send", "posts no receives" },
	{ "rq_delay", "op", "send", "posts no receives" },
	{ "rnr_retry", "op", "send", "posts no receives" },
	{ "rnr_timer", "op", "send", "posts no receives" },
	{ "kmin", "ecn", "red|step", "has no such threshold" },
	{ "kmax", "ecn", "red", "has no such threshold" },
	{ "pmax", "ecn", "red", "has no such probability" },
	{ "buffer_mode", "fc", "none|pfc", "advertises a buffer per port and class" },
	{ "alpha", "buffer_mode", "shared", "has a fixed buffer per port and class" },
	{ "reserve", "buffer_mode", "shared", "has a fixed buffer per port and class" },
	{ "headroom", "buffer_mode", "shared", "uses the buffer above xoff" },
	{ "headroom", "fc", "pfc", "sends no PAUSE" },
	{ "xoff", "buffer_mode", "static", "derives it from the free buffer" },
	{ "xon", "buffer_mode", "static", "derives it from the free buffer" },
	{ "xoff", "fc", "pfc", "sends no PAUSE" },
	{ "xon", "fc", "pfc", "sends no PAUSE" },
	{ "quanta", "fc", "pfc", "sends no PAUSE" },
	{ "sched", "arbiter", "rr", "is strict itself" },
	{ "iterations", "arbiter", "islip", "has no crossbar" },
	{ "speedup", "arbiter", "islip", "has no crossbar" },
	{ "output_buffer", "arbiter", "islip", "has no crossbar" },
	{ "queues", "ecn", "off|red|step|ib-input", "needs the output of every frame in a buffer" },
	{ "arbiter", "ecn", "off|red|step|ib-input", "counts only frames before the crossbar" },
	{ "weights", "sched", "wrr", "has no weights" },
	{ "pfc_classes", "fc", "pfc", "sends no PAUSE" },
	{ "pfc_watchdog", "fc", "pfc", "sends no PAUSE" },
	{ "pfc_restore", "fc", "pfc", "sends no PAUSE" },
	{ "senders", "workload", "incast", "does not use it" },
	{ "bytes", "workload", "incast|permutation", "does not use it" },
	{ "stripe", "workload", "incast", "does not use it" },
	{ "repeat", "workload", "incast", "does not use it" },
	{ "every", "workload", "incast", "does not use it" },
	{ "background", "workload", "incast", "does not use it" },
};

/* Whether @word is one of "a|b|c". */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; p; p = strchr(p, '|')) {
		p += *p == '|';
		if (!strncmp(p, word, len) && (!p[len] || p[len] == '|'))
			return true;
	}
	return false;
}

static int check_scope(const struct run_cfg *c, const struct run_cfg *defaults, const struct scope *s, struct err *err)
{
	const struct cfg_key *k = cfg_key((u32)cfg_key_number(s->key));
	const struct cfg_key *other = cfg_key((u32)cfg_key_number(s->other));
	char value[64], standard[64], theirs[64];
	struct text_quote is, has;

	is = text_quote(cfg_value_text(c, k, value, sizeof(value)));
	has = text_quote(cfg_value_text(c, other, theirs, sizeof(theirs)));
	if (!strcmp(is.s, cfg_value_text(defaults, k, standard, sizeof(standard))) || listed(s->values, has.s))
		return 0;
	/* A file of flows says itself what its flows do; and flows may be of classes that need timeouts. */
	if ((!strcmp(s->other, "op") && workload_kind(c->workload) == WORKLOAD_FILE) ||
	    (!strcmp(s->other, "timeouts") && c->timeouts == CFG_AUTO))
		return 0;
	return err_set(err, -EINVAL, "%s=%s: %s=%s %s; allowed: with %s=%s", s->key, is.s, s->other, has.s, s->why,
		       s->other, s->values);
}

/* The same where the other key is a time or a text, of which any will do. */
static int check_faults(const struct run_cfg *c, const struct run_cfg *defaults, struct err *err)
{
	char value[32];

	if (c->pfc_restore && !c->pfc_watchdog)
		return err_set(err, -EINVAL,
			       "pfc_restore=%s: pfc_watchdog=off never acts; allowed: with pfc_watchdog=TIME",
			       unit_print_time(c->pfc_restore, value, sizeof(value)));
	if (c->route_delay != defaults->route_delay && !*c->fault && !*c->fault_file)
		return err_set(err, -EINVAL,
			       "route_delay=%s: no link goes down or comes up; allowed: with fault=|fault_file=",
			       cfg_value_text(c, cfg_key((u32)cfg_key_number("route_delay")), value, sizeof(value)));
	return 0;
}

static bool takes_ack_every(const struct recovery_ops *ops)
{
	return !ops->acks_each;
}

static bool takes_cc(const struct recovery_ops *ops)
{
	return !ops->own_cc;
}

static bool is_rdma_packet(const struct recovery_ops *ops)
{
	return ops->format == FORMAT_ROCE;
}

/*
 * Keys that do not apply to some transports. As above, the default may stand.
 */
static const struct transport_scope {
	const char *key;
	bool (*applies)(const struct recovery_ops *ops);
	const char *why;
} transport_scopes[] = {
	{ "ack_every", takes_ack_every, "acknowledges every packet" },
	{ "op", is_rdma_packet, "writes only" },
	{ "reth", is_rdma_packet, "has no RETH" },
	{ "region", is_rdma_packet, "checks no region" },
	{ "cc", takes_cc, "has its own congestion control" },
};

static bool is_default(const struct run_cfg *c, const struct run_cfg *defaults, const struct cfg_key *k)
{
	char value[64], standard[64];

	return !strcmp(cfg_value_text(c, k, value, sizeof(value)),
		       cfg_value_text(defaults, k, standard, sizeof(standard)));
}

static int check_transport_scope(const struct run_cfg *c, const struct run_cfg *defaults,
				 const struct transport_scope *s, struct err *err)
{
	const struct cfg_key *k = cfg_key((u32)cfg_key_number(s->key));
	const struct recovery_ops *ops;
	char value[64], users[128] = "";
	size_t used = 0;

	if (s->applies(recovery_find(c->transport)) || is_default(c, defaults, k))
		return 0;
	if (!strcmp(s->key, "op") && workload_kind(c->workload) == WORKLOAD_FILE)
		return 0;
	for (u32 i = 0; (ops = recovery_at(i)); i++)
		if (s->applies(ops) && used < sizeof(users))
			used += (size_t)snprintf(users + used, sizeof(users) - used, "%s%s", used ? "|" : "",
						 ops->name);
	return err_set(err, -EINVAL, "%s=%s: transport=%s %s; allowed: with transport=%s", s->key,
		       text_quote(cfg_value_text(c, k, value, sizeof(value))).s, c->transport, s->why, users);
}

/* Keys of algorithms that are not chosen. */
static int check_unused(const struct run_cfg *c, const struct run_cfg *defaults, struct err *err)
{
	const struct cfg_key *k;

	for (u32 i = 0; (k = cfg_alg_key(i)); i++) {
		const char *why = cfg_alg_param(i)->why_unused, *chooser = cfg_alg_chooser(i);
		char value[64], theirs[64], users[160];

		if (cfg_alg_row(c, i) || is_default(c, defaults, k))
			continue;
		return err_set(err, -EINVAL, "%s=%s: %s=%s %s; allowed: with %s=%s", k->name,
			       cfg_value_text(c, k, value, sizeof(value)), chooser,
			       cfg_value_text(c, cfg_key((u32)cfg_key_number(chooser)), theirs, sizeof(theirs)),
			       why ? why : "does not use it", chooser, cfg_alg_users(i, users, sizeof(users)));
	}
	return 0;
}

static bool is_special(const struct cfg_key *k, u64 v)
{
	return k->special.word && v == k->special.value;
}

/* What the row of the chosen algorithm asks of key number @i beyond its range. */
static int check_row(const struct run_cfg *c, u32 i, const struct param *row, struct err *err)
{
	const char *other = row->below ? row->below : row->at_most;
	const struct cfg_key *k = cfg_alg_key(i);
	char value[64], limit[64];
	u64 v = cfg_get(c, k), most = other ? cfg_number(c, other) : ~0ULL;

	if (other && is_special(cfg_key((u32)cfg_key_number(other)), most))
		other = NULL, most = ~0ULL; /* auto: the plan finds a number that fits */
	cfg_value_text(c, k, value, sizeof(value));
	if (other)
		cfg_number_text(cfg_key((u32)cfg_key_number(other)), most, limit, sizeof(limit));
	if (other && row->below && v >= most)
		return err_set(err, -EINVAL, "%s=%s: not below %s=%s; allowed: less than that", k->name, value, other,
			       limit);
	if (other && row->at_most && v > most)
		return err_set(err, -EINVAL, "%s=%s: above %s=%s; allowed: up to that", k->name, value, other, limit);
	if (row->power_of_two && v & (v - 1))
		return err_set(err, -EINVAL, "%s=%s: %s %s; allowed: a power of two", k->name, value,
			       (const char *)(strcmp(cfg_alg_chooser(i), "cc") ? c->transport : c->cc),
			       row->power_of_two);
	return 0;
}

static int check_rows(const struct run_cfg *c, struct err *err)
{
	int rc = 0;

	for (u32 i = 0; cfg_alg_key(i) && !rc; i++) {
		const struct param *row = cfg_alg_row(c, i);

		if (row)
			rc = check_row(c, i, row, err);
	}
	return rc;
}

static int check_scopes(const struct run_cfg *c, struct err *err)
{
	struct run_cfg defaults;
	int rc = 0;

	cfg_defaults(&defaults);
	for (u32 i = 0; i < sizeof(scopes) / sizeof(scopes[0]) && !rc; i++)
		rc = check_scope(c, &defaults, &scopes[i], err);
	for (u32 i = 0; i < sizeof(transport_scopes) / sizeof(transport_scopes[0]) && !rc; i++)
		rc = check_transport_scope(c, &defaults, &transport_scopes[i], err);
	if (!rc)
		rc = check_unused(c, &defaults, err);
	if (!rc)
		rc = check_rows(c, err);
	return rc ? rc : check_faults(c, &defaults, err);
}

static int check_switch(const struct run_cfg *c, struct err *err)
{
	u32 weights[CFG_CLASSES];

	if (cfg_weights(c->weights, weights, err))
		return -EINVAL;
	if (c->buffer < c->mtu + FRAME_OVERHEAD)
		return err_set(err, -EINVAL, "buffer=%u: smaller than one frame; allowed: mtu + %u = %u bytes or more",
			       c->buffer, FRAME_OVERHEAD, c->mtu + FRAME_OVERHEAD);
	if (c->islip && c->output_buffer < c->mtu + FRAME_OVERHEAD)
		return err_set(err, -EINVAL,
			       "output_buffer=%u: smaller than one frame; allowed: mtu + %u = %u bytes or more",
			       c->output_buffer, FRAME_OVERHEAD, c->mtu + FRAME_OVERHEAD);
	if (c->xoff > c->buffer)
		return err_set(err, -EINVAL, "xoff=%u: above buffer=%u; allowed: up to the buffer, less its headroom",
			       c->xoff, c->buffer);
	if (c->xoff && c->xon >= c->xoff)
		return err_set(err, -EINVAL, "xon=%u: not below xoff=%u; allowed: less than that", c->xon, c->xoff);
	if (c->xon > c->buffer)
		return err_set(err, -EINVAL, "xon=%u: above buffer=%u; allowed: less than xoff", c->xon, c->buffer);
	if (c->kmin > c->kmax && c->ecn != CFG_ECN_STEP)
		return err_set(err, -EINVAL, "kmin=%u: above kmax=%u; allowed: up to kmax", c->kmin, c->kmax);
	if (*c->loss_at && !c->loss_ppb)
		return err_set(err, -EINVAL,
			       "loss=0@%s: a switch without a loss; allowed: a probability above 0, or no @",
			       text_quote(c->loss_at).s);
	if (c->ecn == CFG_ECN_OFF && cc_needs_marks(cc_find(c->cc)))
		return err_set(err, -EINVAL, "ecn=off: cc=%s requires ECN marking; allowed: auto, or a kind of marking",
			       c->cc);
	return 0;
}

/* A wait as long as what counts as being stuck would end the run. */
static int check_waits(const struct run_cfg *c, struct err *err)
{
	const struct {
		const char *key;
		u64 wait;
		bool used;
	} waits[] = {
		{ "rto_high", c->rto_high, c->timeouts != CFG_OFF },
		{ "retx_fetch", c->retx_fetch, c->retx_fetch },
		{ "rnr_timer", nic_rnr_time(c->rnr_timer), c->rq },
		{ "rq_delay", c->rq_delay, c->rq },
	};
	char wait[32], stuck[32];

	for (u32 i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (waits[i].used && c->stuck_after && waits[i].wait >= c->stuck_after)
			return err_set(err, -EINVAL,
				       "%s: waits for %s, and stuck_after=%s ends a run; allowed: less than that",
				       waits[i].key, unit_print_time(waits[i].wait, wait, sizeof(wait)),
				       unit_print_time(c->stuck_after, stuck, sizeof(stuck)));
	return 0;
}

/* ACKs too rare for a congestion control that they drive. */
static int check_acks(const struct run_cfg *c, struct err *err)
{
	const struct cc_ops *cc = cc_find(c->cc);
	u32 most = 64;

	if (!cc || !cc->needs_acks)
		return 0;
	if (cc->ack_limit && cfg_number(c, cc->ack_limit) < most)
		most = (u32)cfg_number(c, cc->ack_limit);
	if (!c->ack_every)
		return err_set(err, -EINVAL, "ack_every=message: too few ACKs for cc=%s; allowed: 1..%u with it", c->cc,
			       most);
	if (c->ack_every > most)
		return err_set(err, -EINVAL, "ack_every=%u: above %s=%u; allowed: up to it with cc=%s", c->ack_every,
			       cc->ack_limit, most, c->cc);
	return 0;
}

static int check_host(const struct run_cfg *c, struct err *err)
{
	if (check_acks(c, err))
		return -EINVAL;
	return check_waits(c, err);
}

/* Flows that start at random: those of the workload, or an incast's background. */
static int check_arrivals(const struct run_cfg *c, struct err *err)
{
	enum workload_kind kind = workload_kind(c->workload);
	struct text_quote spec = text_quote(c->workload);

	if (c->flows && c->duration)
		return err_set(err, -EINVAL, "flows=%u: duration is given too; allowed: one of the two", c->flows);
	if (kind != WORKLOAD_POISSON && c->flows)
		return err_set(err, -EINVAL,
			       "flows=%u: workload=%s sets their number; allowed: with workloads that have a load",
			       c->flows, spec.s);
	if (kind == WORKLOAD_POISSON || c->background_ppb)
		return 0;
	if (c->duration)
		return err_set(
			err, -EINVAL,
			"duration=%lluns: workload=%s sets the duration; allowed: with workloads that have a load",
			c->duration / PS_PER_NS, spec.s);
	if (c->half)
		return err_set(err, -EINVAL,
			       "pattern=half: workload=%s says itself who sends to whom; allowed: with workloads that "
			       "have a load, and with background=",
			       spec.s);
	return 0;
}

static int check_traffic(const struct run_cfg *c, struct err *err)
{
	enum workload_kind kind = workload_kind(c->workload);
	struct text_quote spec = text_quote(c->workload);

	if (kind == WORKLOAD_UNKNOWN)
		return err_set(err, -EINVAL, "workload=%s: unknown", spec.s);
	if (kind == WORKLOAD_FILE && c->classes) {
		char list[32];

		return err_set(err, -EINVAL,
			       "class_mix=%s: workload=%s sets the class of each flow; allowed: with "
			       "generated workloads",
			       cfg_value_text(c, cfg_key((u32)cfg_key_number("class_mix")), list, sizeof(list)),
			       spec.s);
	}
	if (strcmp(c->background_sizes, "heavy-tailed") && !c->background_ppb)
		return err_set(err, -EINVAL,
			       "background_sizes=%s: no such flows; allowed: with workload=incast background=LOAD",
			       text_quote(c->background_sizes).s);
	return check_arrivals(c, err);
}

int cfg_finish(struct run_cfg *c, struct err *err)
{
	int rc = preset_apply(c, err);

	if (rc)
		return rc;
	fill_in(c);
	rc = check_ranges(c, err);
	if (!rc)
		rc = check_scopes(c, err);
	if (!rc)
		rc = check_switch(c, err);
	if (!rc)
		rc = check_host(c, err);
	return rc ? rc : check_traffic(c, err);
}
