// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Zero loss with PFC, over thousands of small fabrics drawn by seed and run in the twin: shapes, rates, delays, packet
 * and buffer sizes, transports, loads. Buffers hold the headroom and little more. Shapes are trees and leaf-spine
 * fabrics, whose shortest paths go up and then down: no cycle of buffers, so no deadlock either.
 */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "agent/packet/packet.h"
#include "bpf/pfc.h"
#include "lab/run/experiment.h"

#define FABRICS 2500
#define SWITCHES 5
#define HOSTS 8
#define TEXT 4096

static struct rng rng;

static const char *pick(const char *const *words, u32 n)
{
	return words[rng_below(&rng, n)];
}
#define PICK(...)                                                                                                      \
	pick((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* The text of a topology, and what its links need. */
struct shape {
	char text[TEXT];
	u32 used;
	u32 hosts, switches;
	u32 frame_max;
	u64 headroom; /* of the link that needs most */
};

static void say(struct shape *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct shape *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	s->used += vsnprintf(s->text + s->used, TEXT - s->used, fmt, ap);
	va_end(ap);
	assert_true(s->used < TEXT);
}

/* A link of some rate, and of a delay from a nanosecond to a microsecond, short ones as likely as long ones. */
static void link(struct shape *s, char kind, u32 from, u32 to)
{
	const char *rate = PICK("10gbit", "25gbit", "40gbit", "40gbit", "100gbit", "400gbit");
	u64 delay = 1 + rng_below(&rng, 1000ULL << rng_below(&rng, 11)), need;
	struct err err;
	u32 ps;

	say(s, "link %c%u s%u %s %llups\n", kind, from, to, rate, delay + 1000);
	assert_int_equal(unit_rate(rate, &ps, &err), 0);
	need = pfc_headroom(ps, delay + 1000, s->frame_max);
	if (need > s->headroom)
		s->headroom = need;
}

/* Each switch hangs on one before it, sometimes by two links. Hosts anywhere, but every switch at the end has one. */
static void tree(struct shape *s)
{
	bool inner[SWITCHES] = { false };
	u32 at;

	for (u32 i = 1; i < s->switches; i++) {
		at = rng_below(&rng, i);
		inner[at] = true;
		link(s, 's', i, at);
		if (one_in(&rng, 4))
			link(s, 's', i, at);
	}
	for (u32 h = 0; h < s->hosts; h++) {
		at = rng_below(&rng, s->switches);
		while (h < s->hosts / 2 && inner[at])
			at = (at + 1) % s->switches;
		link(s, 'h', h, at);
	}
}

/* The last one or two switches are spines. */
static void leaf_spine(struct shape *s)
{
	u32 spines = 1 + rng_below(&rng, 2), leaves = s->switches - spines;

	for (u32 l = 0; l < leaves; l++)
		for (u32 i = leaves; i < s->switches; i++)
			link(s, 's', l, i);
	for (u32 h = 0; h < s->hosts; h++)
		link(s, 'h', h, h % leaves);
}

static struct topo *draw_topology(struct shape *s)
{
	struct err err;
	struct topo *t;
	FILE *in;

	for (u32 h = 0; h < s->hosts; h++)
		say(s, "host h%u\n", h);
	for (u32 i = 0; i < s->switches; i++)
		say(s, "switch s%u\n", i);
	if (s->switches >= 4 && one_in(&rng, 2))
		leaf_spine(s);
	else
		tree(s);
	in = fmemopen(s->text, s->used, "r");
	assert_non_null(in);
	if (topo_parse(in, "drawn", &t, &err))
		fail_msg("%s\n%s", err.text, s->text);
	fclose(in);
	return t;
}

static void set(struct run_cfg *c, const char *key, u64 value, const char *word)
{
	char text[CFG_STR];
	struct err err;

	if (word)
		snprintf(text, sizeof(text), "%s=%s", key, word);
	else
		snprintf(text, sizeof(text), "%s=%llu", key, value);
	if (cfg_set(c, text, &err))
		fail_msg("%s", err.text);
}

static void draw_traffic(struct run_cfg *c, const struct shape *s)
{
	set(c, "seed", rng_next(&rng), NULL);
	set(c, "workload", 0, PICK("incast", "incast", "permutation", "heavy-tailed"));
	if (!strcmp(c->workload, "heavy-tailed")) {
		set(c, "load", 0, PICK("0.3", "0.7", "1"));
		set(c, "flows", 1 + rng_below(&rng, 6), NULL);
		return;
	}
	set(c, "bytes", c->mtu * (10 + rng_below(&rng, 60)) + rng_below(&rng, c->mtu), NULL);
	if (!strcmp(c->workload, "incast"))
		set(c, "senders", 1 + rng_below(&rng, s->hosts - 1), NULL);
}

static void draw_config(struct run_cfg *c, struct shape *s)
{
	struct err err;
	u32 least;

	cfg_defaults(c);
	set(c, "engine", 0, "twin");
	set(c, "fc", 0, "pfc");
	set(c, "transport", 0, PICK("roce", "roce", "irn", "melo", "iwarp"));
	set(c, "mtu", 0, PICK("64", "256", "1000", "1024", "2048"));
	if (strcmp(c->transport, "iwarp"))
		set(c, "cc", 0, PICK("none", "none", "dcqcn"));
	if (one_in(&rng, 4))
		set(c, "ack_class", 5, NULL);
	set(c, "queues", 0, PICK("voq", "voq", "fifo"));
	set(c, "arbiter", 0, PICK("rr", "rr", "islip"));
	if (c->islip) {
		set(c, "speedup", 0, PICK("1", "1.3", "2", "16"));
		set(c, "output_buffer", c->mtu + 94 + rng_below(&rng, 20000), NULL);
	}
	s->frame_max = packet_frame_max(c->mtu);
	/* a pause must outlast two full frames */
	least = 2 * (wire_bytes(s->frame_max) + wire_bytes(PFC_LEN)) / PFC_QUANTUM_BYTES + 1;
	set(c, "quanta", one_in(&rng, 3) ? least + rng_below(&rng, 20) : 65535, NULL);
	draw_traffic(c, s);
	if (cfg_finish(c, &err))
		fail_msg("%s", err.text);
}

/* What runs have in common, for the test to know that it tests something. */
struct tally {
	u32 paused, refreshed, nearly_full;
	u64 frames, pauses;
};

static void check(const struct experiment *x, const struct shape *s, u32 number, struct tally *tally)
{
	const struct run_result *r = &x->result;
	u64 fullest = 0;

	if (strcmp(r->status, "done") || r->dropped || r->queued || x->totals.completed != r->n_flows ||
	    r->sent != r->delivered)
		fail_msg("fabric %u: %s, %u of %u flows, %llu dropped, %llu queued, transport %s\n%s", number,
			 r->status, x->totals.completed, r->n_flows, r->dropped, r->queued, x->cfg.transport, s->text);
	for (u32 i = 0; i < r->n_flows; i++)
		assert_true(r->flows[i].fct_ps >= r->flows[i].ideal_ps &&
			    r->flows[i].received_bytes == r->flows[i].flow.bytes);
	if (!strcmp(x->cfg.transport, "roce"))
		assert_int_equal(x->totals.flows.retransmitted, 0);
	for (u32 i = 0; i < r->n_ports; i++)
		if (r->ports[i].max_buffer > fullest)
			fullest = r->ports[i].max_buffer;
	assert_true(fullest <= x->cfg.buffer);
	tally->frames += r->sent;
	tally->pauses += x->totals.ports.pause_tx;
	tally->paused += x->totals.ports.pause_tx > 0;
	tally->refreshed += x->totals.ports.pause_tx > x->totals.ports.resume_tx;
	tally->nearly_full += fullest + 2 * s->frame_max > x->cfg.buffer;
}

static void run_one(u32 number, struct tally *tally)
{
	static struct experiment x;
	struct err err;
	struct shape s = { 0 };
	struct run_cfg c;
	struct topo *t;

	rng.state = number;
	s.hosts = 3 + rng_below(&rng, HOSTS - 2);
	s.switches = 1 + rng_below(&rng, SWITCHES);
	draw_config(&c, &s);
	t = draw_topology(&s);
	c.buffer = s.headroom + (2 + rng_below(&rng, 4)) * s.frame_max;
	if (experiment_run(&x, &c, t, NULL, NULL, NULL, &err))
		fail_msg("fabric %u: %s\n%s", number, err.text, s.text);
	check(&x, &s, number, tally);
	experiment_free(&x);
	topo_free(t);
}

static void random_fabrics__lose_nothing(void **state)
{
	struct tally tally = { 0 };

	for (u32 number = 1; number <= FABRICS; number++)
		run_one(number, &tally);
	printf("# %u fabrics: %u with PAUSE (%u refreshed), %u nearly full, %llu frames, %llu PAUSE\n", FABRICS,
	       tally.paused, tally.refreshed, tally.nearly_full, tally.frames, tally.pauses);
	assert_true(tally.paused > FABRICS / 3);
	assert_true(tally.refreshed > FABRICS / 50);
	assert_true(tally.nearly_full > FABRICS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_fabrics__lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
