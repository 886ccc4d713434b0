// SPDX-License-Identifier: GPL-2.0
/* What depends on other keys, and what contradicts them. */
#include <errno.h>
#include <string.h>

#include "agent/cc/cc.h"
#include "agent/nic/nic.h"
#include "lab/config/cfg_keys.h"
#include "lab/text.h"
#include "lab/config/preset.h"
#include "lab/workload/workload.h"
#include "topo/topo.h"

#define FLOWS_DEFAULT 2000
#define WEIGHTS_ALLOWED "eight numbers 1..%u, of classes 0 to 7, with commas between"

/* Bytes of a frame beyond its payload: Ethernet to BTH and the ICRC 58, RETH 16 (bpf/wire.h), and 20 to spare. */
#define FRAME_OVERHEAD 94

/* Congestion control goes by what switches mark. */
static bool needs_marks(const struct run_cfg *c)
{
	const struct cc_ops *cc = cc_find(c->cc);

	return cc && (cc->cnp || cc->echo);
}

static void fill_in(struct run_cfg *c)
{
	enum workload_kind kind = workload_kind(c->workload);

	if (c->fc == CFG_FC_AUTO)
		c->fc = strcmp(c->transport, "roce") ? CFG_FC_NONE : CFG_FC_PFC;
	if (c->timeouts == CFG_AUTO && (c->fc != CFG_FC_PFC || c->pfc_classes == CFG_ALL_CLASSES || c->pfc_watchdog))
		c->timeouts = c->fc == CFG_FC_NONE || (c->fc == CFG_FC_PFC && c->pfc_watchdog)
			? CFG_ON /* a watchdog drops */
			: CFG_OFF;
	if (c->ecn == CFG_ECN_AUTO)
		c->ecn = needs_marks(c) ? CFG_ECN_RED : CFG_ECN_OFF;
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

#define ALL_BUT_IWARP "roce|irn|irn-gbn|irn-nobdp|melo"
#define IRN "irn|irn-gbn|irn-nobdp"
#define DCQCN "dcqcn|dcqcn-connectx"
#define TIMELY "timely|timely-patched"
#define IB "ib-aimd|ib-lipd|ib-fimd"

/*
 * Keys that mean something only where another key has one of some values. Elsewhere anything but their default is
 * refused: the default may stand, so that a printed configuration can be read again.
 */
static const struct scope {
	const char *key, *other;
	const char *values; /* "a|b" */
	const char *why;    /* what the other key's value has to say */
} scopes[] = {
	{ "cap", "transport", "irn|irn-gbn", "has no cap" },
	{ "backoff", "transport", "roce|irn-gbn", "does not go back N" },
	{ "ack_every", "transport", "roce|melo", "acknowledges every packet" },
	{ "rto_low", "transport", IRN, "has one timeout" },
	{ "rto_n", "transport", IRN, "has one timeout" },
	{ "retry_cnt", "timeouts", "on", "lets nothing expire" },
	{ "melo_bits", "transport", "melo", "has no pools of bits" },
	{ "melo_resend", "transport", "melo", "keeps no bitmap of holes" },
	{ "melo_cache", "transport", "melo", "keeps all state on chip" },
	{ "init_window", "transport", "iwarp", "has no slow start" },
	{ "op", "transport", ALL_BUT_IWARP, "writes only" },
	{ "reth", "transport", ALL_BUT_IWARP, "has no RETH" },
	{ "region", "transport", ALL_BUT_IWARP, "checks no region" },
	{ "region", "op", "write|read", "addresses no memory" },
	{ "cc", "transport", ALL_BUT_IWARP, "has TCP's own" },
	{ "rq", "op", "send", "posts no receives" },
	{ "rq_delay", "op", "send", "posts no receives" },
	{ "rnr_retry", "op", "send", "posts no receives" },
	{ "rnr_timer", "op", "send", "posts no receives" },
	{ "cnp_interval", "cc", DCQCN, "has no CNPs" },
	{ "dcqcn_g", "cc", DCQCN, "does not use it" },
	{ "dcqcn_f", "cc", DCQCN, "does not use it" },
	{ "dcqcn_alpha_timer", "cc", DCQCN, "does not use it" },
	{ "dcqcn_rate_timer", "cc", DCQCN, "does not use it" },
	{ "dcqcn_bytes", "cc", "dcqcn", "does not use it" },
	{ "dcqcn_rai", "cc", DCQCN, "does not use it" },
	{ "dcqcn_rhai", "cc", DCQCN, "does not use it" },
	{ "rmin", "cc", DCQCN "|" TIMELY, "does not use it" },
	{ "timely_tlow", "cc", TIMELY, "does not use it" },
	{ "timely_thigh", "cc", TIMELY, "does not use it" },
	{ "timely_min_rtt", "cc", TIMELY, "does not use it" },
	{ "timely_delta", "cc", TIMELY, "does not use it" },
	{ "timely_beta", "cc", TIMELY, "does not use it" },
	{ "timely_alpha", "cc", TIMELY, "does not use it" },
	{ "timely_hai", "cc", TIMELY, "does not use it" },
	{ "timely_segment", "cc", TIMELY, "does not use it" },
	{ "ib_levels", "cc", IB, "does not use it" },
	{ "kmin", "ecn", "red|step", "has no such threshold" },
	{ "kmax", "ecn", "red", "has no such threshold" },
	{ "pmax", "ecn", "red", "has no such probability" },
	{ "buffer_mode", "fc", "none|pfc", "needs a buffer for each, to promise it" },
	{ "alpha", "buffer_mode", "shared", "has a buffer for each" },
	{ "reserve", "buffer_mode", "shared", "has a buffer for each" },
	{ "headroom", "buffer_mode", "shared", "has what lies above xoff" },
	{ "headroom", "fc", "pfc", "has no pauses" },
	{ "xoff", "buffer_mode", "static", "pauses by what is free" },
	{ "xon", "buffer_mode", "static", "resumes by what is free" },
	{ "xoff", "fc", "pfc", "has no pauses" },
	{ "xon", "fc", "pfc", "has no pauses" },
	{ "quanta", "fc", "pfc", "has no pauses" },
	{ "sched", "arbiter", "rr", "lets the highest class through first" },
	{ "iterations", "arbiter", "islip", "has no crossbar" },
	{ "speedup", "arbiter", "islip", "has no crossbar" },
	{ "output_buffer", "arbiter", "islip", "has no crossbar" },
	{ "queues", "ecn", "off|red|step|ib-input", "asks where all frames of a buffer go, not the first alone" },
	{ "arbiter", "ecn", "off|red|step|ib-input",
	  "asks where all frames of a buffer go, also those that have crossed" },
	{ "weights", "sched", "wrr", "gives the highest class all it wants" },
	{ "pfc_classes", "fc", "pfc", "has no pauses" },
	{ "pfc_watchdog", "fc", "pfc", "has no pauses" },
	{ "pfc_restore", "fc", "pfc", "has no pauses" },
	{ "senders", "workload", "incast", "has no use for it" },
	{ "bytes", "workload", "incast|permutation", "has no use for it" },
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
			       "pfc_restore=%s: pfc_watchdog=off stops nothing; allowed: with pfc_watchdog=TIME",
			       unit_print_time(c->pfc_restore, value, sizeof(value)));
	if (c->route_delay != defaults->route_delay && !*c->fault && !*c->fault_file)
		return err_set(err, -EINVAL,
			       "route_delay=%s: no link breaks or mends; allowed: with fault=|fault_file=",
			       cfg_value_text(c, cfg_key((u32)cfg_key_number("route_delay")), value, sizeof(value)));
	return 0;
}

static int check_scopes(const struct run_cfg *c, struct err *err)
{
	struct run_cfg defaults;
	int rc = 0;

	cfg_defaults(&defaults);
	for (u32 i = 0; i < sizeof(scopes) / sizeof(scopes[0]) && !rc; i++)
		rc = check_scope(c, &defaults, &scopes[i], err);
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
	if (c->ecn == CFG_ECN_OFF && needs_marks(c))
		return err_set(
			err, -EINVAL,
			"ecn=off: nobody would mark, and cc=%s goes by marks; allowed: auto, or a kind of marking",
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

static int check_host(const struct run_cfg *c, struct err *err)
{
	const struct cc_ops *cc = cc_find(c->cc);
	char low[32], high[32];

	if (c->rto_low > c->rto_high && listed(IRN, c->transport))
		return err_set(err, -EINVAL, "rto_low=%lluns: above rto_high=%lluns; allowed: up to rto_high",
			       c->rto_low / PS_PER_NS, c->rto_high / PS_PER_NS);
	if (c->timely_tlow >= c->timely_thigh)
		return err_set(err, -EINVAL, "timely_tlow=%s: not below timely_thigh=%s; allowed: less than that",
			       unit_print_time(c->timely_tlow, low, sizeof(low)),
			       unit_print_time(c->timely_thigh, high, sizeof(high)));
	if (cc && cc->needs_acks && !c->ack_every)
		return err_set(err, -EINVAL, "ack_every=message: gives no ACKs to time; allowed: 1..%u with cc=%s",
			       c->timely_segment < 64 ? c->timely_segment : 64, c->cc);
	if (cc && cc->needs_acks && c->ack_every > c->timely_segment)
		return err_set(err, -EINVAL, "ack_every=%u: above timely_segment=%u; allowed: up to it with cc=%s",
			       c->ack_every, c->timely_segment, c->cc);
	if (c->reth_all && c->ack_every != 1)
		return err_set(err, -EINVAL,
			       "reth=all: makes every packet a message, and each of them is acknowledged; allowed: "
			       "with ack_every=1");
	if (!strcmp(c->cc, "ib-fimd") && c->ib_levels & (c->ib_levels - 1))
		return err_set(err, -EINVAL,
			       "ib_levels=%u: ib-fimd's rates are halves of halves; allowed: a power of two",
			       c->ib_levels);
	return check_waits(c, err);
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
			       "class_mix=%s: workload=%s says itself of which class its flows are; allowed: with "
			       "workloads that are generated",
			       cfg_value_text(c, cfg_key((u32)cfg_key_number("class_mix")), list, sizeof(list)),
			       spec.s);
	}
	if (c->flows && c->duration)
		return err_set(err, -EINVAL, "flows=%u: duration is given too; allowed: one of the two", c->flows);
	if (kind != WORKLOAD_POISSON && c->flows)
		return err_set(err, -EINVAL,
			       "flows=%u: workload=%s says itself how many; allowed: with workloads that have a load",
			       c->flows, spec.s);
	if (kind != WORKLOAD_POISSON && c->duration)
		return err_set(
			err, -EINVAL,
			"duration=%lluns: workload=%s says itself how long; allowed: with workloads that have a load",
			c->duration / PS_PER_NS, spec.s);
	return 0;
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
