// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing is ever dropped where flow control says so: whole runs of the twin on random trees of switches, with links of
 * mixed rates and delays, small buffers (the smallest that the plan takes, or little more), frames of all sizes, and
 * every kind of flow control. Trees, so that no ring of buffers can wait for itself: every run must also end.
 * With credits also while links break and mend and switches drop and corrupt: then frames are lost, but none for want
 * of room, and no credit (lab/run/audit.c looks at the end of every run).
 */
#include <errno.h>
#include <stdio.h>

#include "tests/unit/unit.h"

#include "lab/run/experiment.h"

#define SWITCHES 5
#define HOSTS 8
#define TRIALS 350

static struct {
	struct rng rng;
	char topo[4096], words[512], faults[CFG_STR];
	bool broken;                                             /* let faults happen */
	u32 pauses, stalls, runs, biggest, cuts, drops, damaged; /* what the runs of a kind came to */
} w;

static const char *one_of(const char *const *list, u32 n)
{
	return list[rng_below(&w.rng, n)];
}

static void add_link(char **at, char kind, u32 n, u32 to)
{
	static const char *const rates[] = { "10gbit", "25gbit", "40gbit", "100gbit" };

	*at += sprintf(*at, "link %c%u s%u %s %lluns\n", kind, n, to, one_of(rates, 4), 100 + rng_below(&w.rng, 3000));
}

/* A tree: each switch hangs on one of those before it, each host on any. */
static struct topo *draw_topology(void)
{
	u32 switches = 1 + rng_below(&w.rng, SWITCHES), hosts = 3 + rng_below(&w.rng, HOSTS - 2);
	char *at = w.topo;
	struct err err;
	struct topo *t;
	FILE *in;

	for (u32 h = 0; h < hosts; h++)
		at += sprintf(at, "host h%u\n", h);
	for (u32 s = 0; s < switches; s++)
		at += sprintf(at, "switch s%u\n", s);
	for (u32 s = 1; s < switches; s++)
		add_link(&at, 's', s, rng_below(&w.rng, s));
	for (u32 h = 0; h < hosts; h++)
		add_link(&at, 'h', h, rng_below(&w.rng, switches));
	in = fmemopen(w.topo, at - w.topo, "r");
	if (topo_parse(in, "random", &t, &err))
		fail_msg("%s\n%s", err.text, w.topo);
	fclose(in);
	return t;
}

/* One of the topology's links by its name at one end: a host, or a port of a switch. */
static char *link_name(const struct topo *t, char *name)
{
	const struct topo_node *n = &t->nodes[rng_below(&w.rng, t->n_nodes)];

	if (n->kind == TOPO_HOST)
		strcpy(name, n->name);
	else
		sprintf(name, "%s:p%llu", n->name, rng_below(&w.rng, n->n_ports));
	return name;
}

/* Short breaks and long ones, so that frames of more than one count are on a link at a time; all mend at last. */
static void draw_faults(struct run_cfg *c, const struct topo *t)
{
	u32 n = 1 + rng_below(&w.rng, 4);
	char name[64], *at = w.faults, word[CFG_STR + 8];
	struct err err;

	at += sprintf(at, "fault=");
	for (u32 i = 0; i < n; i++) {
		u64 from = rng_below(&w.rng, 40000), to = from + 1 + rng_below(&w.rng, 40000);

		switch (rng_below(&w.rng, 4)) {
		case 0:
			at += sprintf(at, "%lluns-%lluns:down:%s;", from, to, link_name(t, name));
			break;
		case 1:
			at += sprintf(at, "%lluns-%lluns:flap=%lluns/%lluns:%s;", from, to, 1 + rng_below(&w.rng, 3000),
				      1 + rng_below(&w.rng, 9000), link_name(t, name));
			break;
		default:
			at += sprintf(at, "%lluns-%lluns:%s=0.%llu:s%llu;", from, to, i % 2 ? "drop" : "corrupt",
				      1 + rng_below(&w.rng, 3), rng_below(&w.rng, t->n_switches));
		}
	}
	strcpy(word, w.faults);
	if (cfg_set(c, word, &err))
		fail_msg("%s: %s", w.faults, err.text);
	snprintf(word, sizeof(word), "route_delay=%lluns", rng_below(&w.rng, 20000));
	if (cfg_set(c, word, &err))
		fail_msg("%s", err.text);
}

/* What all kinds have in common: packets, messages, classes, flows. */
static void draw_config(struct run_cfg *c, const struct topo *t, const char *kind)
{
	static const char *const mtus[] = { "64", "256", "1000", "2048" };
	static const char *const ops[] = { "write", "send", "read" };
	static const char *const turns[] = { "sched=strict", "sched=wrr", "queues=fifo", "arbiter=islip",
					     "arbiter=islip queues=fifo speedup=1.5 iterations=1" };
	char *word, *save, copy[sizeof(w.words)];
	struct err err;

	snprintf(w.words, sizeof(w.words),
		 "engine=twin seed=%llu mtu=%s op=%s class=%llu ack_class=%llu %s workload=%s bytes=%llu %s",
		 rng_next(&w.rng) >> 8, one_of(mtus, 4), one_of(ops, 3), rng_below(&w.rng, 8), rng_below(&w.rng, 8),
		 one_of(turns, 5), one_in(&w.rng, 3) ? "permutation" : "incast", 1 + rng_below(&w.rng, 60000), kind);
	cfg_defaults(c);
	strcpy(copy, w.words);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (cfg_set(c, word, &err))
			fail_msg("%s", err.text);
	if (w.broken)
		draw_faults(c, t);
	if (cfg_finish(c, &err))
		fail_msg("%s: %s", w.words, err.text);
}

/* The least buffer that the plan takes, to a thirtieth; now and then some more. */
static void fit_buffer(struct run_cfg *c, const struct topo *t)
{
	struct err err;
	struct plan f;
	int rc = -EINVAL;

	for (c->buffer = c->mtu + 94; rc; c->buffer += rc ? c->buffer / 30 : 0) {
		rc = plan_make(&f, c, t, &err);
		plan_free(&f);
		if (rc && strncmp(err.text, "buffer: ", 8))
			fail_msg("%s: %s", w.words, err.text);
	}
	if (one_in(&w.rng, 2))
		c->buffer += rng_below(&w.rng, c->buffer);
}

/* What the run has lost: without faults nothing; with them nothing for want of room. */
static void check_losses(const struct experiment *x)
{
	const struct run_totals *t = &x->totals;

	assert_int_equal(t->ports.drops[FAB_DROP_BUFFER], 0);
	w.cuts += !!t->ports.drops[FAB_DROP_LINK];
	w.drops += !!t->ports.drops[FAB_DROP_FAULT];
	w.damaged += !!t->hosts.discarded;
	if (w.broken)
		return;
	assert_int_equal(x->result.dropped, 0);
	assert_int_equal(t->flows.retransmitted, 0);
}

static void run_one(const char *kind)
{
	struct topo *t = draw_topology();
	struct err err;
	struct experiment x;
	bool stalled = false;
	struct run_cfg c;

	draw_config(&c, t, kind);
	fit_buffer(&c, t);
	if (experiment_run(&x, &c, t, NULL, NULL, NULL, &err))
		fail_msg("%s %s buffer=%u: %s\n%s", w.words, w.faults, c.buffer, err.text, w.topo);
	if (strcmp(x.result.status, "done") || (x.result.dropped && !w.broken))
		fail_msg("%s %s buffer=%u: %s, %llu dropped\n%s", w.words, w.faults, c.buffer, x.result.status,
			 x.result.dropped, w.topo);
	check_losses(&x);
	for (u32 i = 0; i < x.result.n_ports; i++) {
		assert_true(x.result.ports[i].max_buffer <= c.buffer);
		stalled |= c.fc == CFG_FC_CREDIT && x.result.ports[i].paused_ps;
		w.biggest += x.result.ports[i].max_buffer > c.buffer / 10 * 9;
	}
	w.stalls += stalled;
	w.pauses += !!x.totals.ports.pause_tx;
	w.runs++;
	experiment_free(&x);
	topo_free(t);
}

static void run_kind(const char *kind, u64 seed, bool broken)
{
	memset(&w, 0, sizeof(w));
	w.rng.state = seed;
	w.broken = broken;
	while (w.runs < TRIALS)
		run_one(kind);
	print_message("# %s: %u runs, %u with pauses, %u with stalls, %u buffers nearly full\n", kind, w.runs, w.pauses,
		      w.stalls, w.biggest);
}

static void pfc__static(void **state)
{
	run_kind("fc=pfc", 1, false);
	assert_true(w.pauses > TRIALS / 4 && w.biggest > TRIALS / 10);
}

static void pfc__shared(void **state)
{
	static const char *const kinds[] = { "fc=pfc buffer_mode=shared alpha=1/8",
					     "fc=pfc buffer_mode=shared alpha=4 reserve=0",
					     "fc=pfc buffer_mode=shared alpha=1/64 reserve=2000" };

	for (u32 i = 0; i < 3; i++) {
		run_kind(kinds[i], 2 + i, false);
		assert_true(w.pauses > TRIALS / 4);
	}
}

static void credits(void **state)
{
	run_kind("fc=credit", 8, false);
	assert_true(w.stalls > TRIALS / 4);
}

static void credits__and_faults(void **state)
{
	/* rto_high=auto goes by buffer and rate: far too short where so small a buffer waits for its credits */
	static const char *const kinds[] = { "fc=credit timeouts=on rto_high=320us transport=irn loss=0.01",
					     "fc=credit timeouts=on rto_high=320us transport=roce",
					     "fc=credit timeouts=on rto_high=320us transport=melo" };

	for (u32 i = 0; i < 3; i++) {
		run_kind(kinds[i], 9 + i, true);
		print_message("# %u runs with frames cut off, %u with drops, %u with damage\n", w.cuts, w.drops,
			      w.damaged);
		assert_true(w.stalls > TRIALS / 4 && w.cuts > TRIALS / 4 && w.drops > TRIALS / 8 &&
			    w.damaged > TRIALS / 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pfc__static),
		cmocka_unit_test(pfc__shared),
		cmocka_unit_test(credits),
		cmocka_unit_test(credits__and_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
