// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Deadlocks are told apart from waiting: whole runs of the twin on random rings of switches, where buffers may or may
 * not come to wait for each other, with every kind of flow control. Each is run twice: as it is, where a deadlock is
 * looked for every 100 us; and with a fault that does nothing and comes long after all has been sent or stands still,
 * which puts the look off until then. What is called a deadlock must never get on, and what stands still for ever must
 * be called one.
 */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lab/run/experiment.h"

#define SWITCHES 7
#define TRIALS 50

static struct {
	struct rng rng;
	char topo[8192], words[512];
	u32 deadlocks, done;
} w;

/* A host at each switch, at port 0. Clockwise routes make a cycle of all, shortest ones of some. */
static struct topo *draw_ring(void)
{
	static const char *const rates[] = { "10gbit", "40gbit", "40gbit", "100gbit" };
	u32 n = 3 + rng_below(&w.rng, SWITCHES - 2), clockwise = one_in(&w.rng, 2);
	char *at = w.topo;
	struct err err;
	struct topo *t;
	FILE *in;

	for (u32 i = 0; i < n; i++)
		at += sprintf(at, "host h%u\nswitch s%u\n", i, i);
	for (u32 i = 0; i < n; i++)
		at += sprintf(at, "link h%u s%u %s %lluns\n", i, i, rates[rng_below(&w.rng, 4)],
			      100 + rng_below(&w.rng, 1000));
	for (u32 i = 0; i < n; i++)
		at += sprintf(at, "link s%u s%u %s %lluns\n", i, (i + 1) % n, rates[rng_below(&w.rng, 4)],
			      100 + rng_below(&w.rng, 1000));
	for (u32 i = 0; i < n * n && clockwise; i++)
		if (i / n != i % n)
			at += sprintf(at, "route s%u h%u p%u\n", i / n, i % n, 1 + (i / n > 0));
	in = fmemopen(w.topo, at - w.topo, "r");
	if (topo_parse(in, "ring", &t, &err))
		fail_msg("%s\n%s", err.text, w.topo);
	fclose(in);
	return t;
}

/* @least: bytes of a buffer that the plan takes whatever the links. */
static void draw_words(const char *kind, u32 least)
{
	static const char *const loads[] = { "workload=permutation bytes=", "workload=heavy-tailed load=1.00 flows=" };
	u32 heavy = one_in(&w.rng, 2);

	snprintf(w.words, sizeof(w.words),
		 "engine=twin seed=%llu transport=roce stuck_after=3ms ack_class=%llu %s buffer=%llu %s%llu",
		 rng_next(&w.rng) >> 8, 2 + rng_below(&w.rng, 2), kind, least + rng_below(&w.rng, least / 2),
		 loads[heavy], heavy ? 20 + rng_below(&w.rng, 80) : 100000 + rng_below(&w.rng, 900000));
}

static void start(struct run_cfg *c, const char *late)
{
	char *word, *save, copy[sizeof(w.words) + 64];
	struct err err;

	cfg_defaults(c);
	snprintf(copy, sizeof(copy), "%s %s", w.words, late);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (cfg_set(c, word, &err))
			fail_msg("%s", err.text);
	if (cfg_finish(c, &err))
		fail_msg("%s: %s", w.words, err.text);
}

/* Each output leads to the switch of the next one. */
static void assert_cycle(const struct experiment *x)
{
	const struct deadlock *d = &x->conductor.deadlock;

	assert_true(d->n >= 3);
	for (u32 i = 0; i < d->n; i++)
		assert_int_equal(x->plan.ports[d->ports[i]].peer_node, x->plan.ports[d->ports[(i + 1) % d->n]].sw);
}

/* Does the run end in a deadlock? If not it must come to its end. */
static bool deadlocks(const struct topo *t, const char *late, u64 *when)
{
	struct err err;
	struct experiment x;
	struct run_cfg c;
	bool found;

	start(&c, late);
	if (experiment_run(&x, &c, t, NULL, NULL, NULL, &err))
		fail_msg("%s: %s\n%s", w.words, err.text, w.topo);
	found = !strcmp(x.result.status, "deadlock");
	if (!found && strcmp(x.result.status, "done"))
		fail_msg("%s %s: %s\n%s", w.words, late, x.result.status, w.topo);
	if (found)
		assert_cycle(&x);
	*when = x.conductor.now;
	experiment_free(&x);
	return found;
}

static void run_kind(const char *kind, u32 least, u64 seed)
{
	u64 early, late;

	memset(&w, 0, sizeof(w));
	w.rng.state = seed;
	for (u32 i = 0; i < TRIALS; i++) {
		struct topo *t = draw_ring();
		bool found;

		draw_words(kind, least);
		found = deadlocks(t, "", &early);
		if (deadlocks(t, "fault=50ms:up:h0", &late) != found)
			fail_msg("%s: %s\n%s", w.words, found ? "called a deadlock, but gets on" : "not found", w.topo);
		assert_true(early <= late);
		w.deadlocks += found;
		w.done += !found;
		topo_free(t);
	}
	print_message("# %s: %u deadlocks, %u done\n", kind, w.deadlocks, w.done);
	assert_true(w.deadlocks > TRIALS / 10 && w.done > TRIALS / 10);
}

static void pfc__static(void **state)
{
	run_kind("fc=pfc", 60000, 1);
}

static void pfc__shared(void **state)
{
	run_kind("fc=pfc buffer_mode=shared alpha=1/8", 270000, 2);
	run_kind("fc=pfc buffer_mode=shared alpha=4 reserve=0", 250000, 3);
}

/* Single queues stop by their heads, crossbars leave some frames of a stopped class behind them. */
static void queues(void **state)
{
	run_kind("fc=pfc queues=fifo", 60000, 11);
	run_kind("fc=pfc arbiter=islip queues=fifo", 60000, 12);
	run_kind("fc=credit arbiter=islip speedup=1.5 output_buffer=3000", 20000, 13);
}

static void credits(void **state)
{
	run_kind("fc=credit", 60000, 4);
	run_kind("fc=credit", 2200, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pfc__static),
		cmocka_unit_test(pfc__shared),
		cmocka_unit_test(credits),
		cmocka_unit_test(queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
