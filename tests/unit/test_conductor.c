// SPDX-License-Identifier: GPL-2.0-or-later
/* The conductor with a scripted engine: which windows it asks for, and when it ends a run. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "lab/engine/engine.h"
#include "lab/interrupt.h"
#include "lab/run/conductor.h"

#define US PS_PER_US
#define RING 3
#define CLASS 3
#define CALLS 600

/* Hosts are nodes 3 to 5; a link takes 2 us, which is the window. */
static const char text[] = "default 40gbit 2us\nhost h0\nhost h1\nhost h2\nswitch s0\nswitch s1\nswitch s2\n"
			   "link h0 s0\nlink h1 s1\nlink h2 s2\nlink s0 s1\nlink s1 s2\nlink s2 s0\n";

/* What the engine does in a window: @node's next event, or what it sent there arrives; new packets, a flow done. */
struct step {
	u32 node;
	u64 next, arrival;
	bool packet, done;
	int error;
};

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct plan f;
	struct engine *e;
	const struct engine_ops *real;
	struct conductor c;
	char out[32];
	/* the script, and what was asked for */
	const struct step *steps;
	u32 n_steps, calls;
	u64 until[CALLS];
	void (*look)(u32 call);
	u64 every; /* after the script: an event so much later, in every window */
} w;

static void apply(const struct step *s, u64 until)
{
	struct node_cell *cell = &w.e->mem.nodes[s->node];

	cell->next = s->next ? s->next : TIME_NEVER;
	if (s->arrival)
		cell->arrival = s->arrival;
	w.e->hosts[0].fresh += s->packet;
	if (s->done) {
		w.e->hosts[0].completed++;
		w.f.flows.results[w.e->hosts[0].completed - 1].done_ps = until - 1;
	}
}

static int scripted_window(struct engine *e, u64 until)
{
	u32 call = w.calls++;

	assert_true(call < CALLS);
	w.until[call] = until;
	if (w.look)
		w.look(call);
	for (u32 n = 0; n < 2 * RING; n++)
		if (e->mem.nodes[n].next < until)
			e->mem.nodes[n].next = w.every ? until + w.every : TIME_NEVER;
	if (call >= w.n_steps)
		return 0;
	apply(&w.steps[call], until);
	return w.steps[call].error ? err_set(&e->err, w.steps[call].error, "host h1: on purpose") : 0;
}

static void set_up_with(const char *const *words)
{
	static struct engine_ops scripted;
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct err err;
	int rc;

	memset(&w, 0, sizeof(w));
	interrupt_request = 0;
	cfg_defaults(&w.cfg);
	assert_non_null(in);
	assert_int_equal(topo_parse(in, "ring", &w.topo, &err), 0);
	fclose(in);
	assert_int_equal(cfg_set(&w.cfg, "workload=incast", &err), 0);
	assert_int_equal(cfg_set(&w.cfg, "senders=1", &err), 0);
	for (; *words; words++)
		if (cfg_set(&w.cfg, *words, &err))
			fail_msg("%s", err.text);
	if (cfg_finish(&w.cfg, &err) || plan_make(&w.f, &w.cfg, w.topo, &err))
		fail_msg("%s", err.text);
	w.e = twin_new(&w.f, &rc, &err); /* for its memory */
	assert_non_null(w.e);
	w.real = w.e->ops;
	scripted = *w.real;
	scripted.window = scripted_window;
	w.e->ops = &scripted;
	for (u32 n = 0; n < 2 * RING; n++)
		w.e->mem.nodes[n].next = TIME_NEVER;
	w.c.engine = w.e;
}
#define SET_UP(...) set_up_with((const char *const[]){ __VA_ARGS__, NULL })

static int tear_down(void **state)
{
	interrupt_request = 0;
	conductor_free(&w.c);
	if (w.e)
		w.real->destroy(w.e);
	plan_free(&w.f);
	topo_free(w.topo);
	return 0;
}

static int run_script(const struct step *steps, u32 n)
{
	w.steps = steps;
	w.n_steps = n;
	return conductor_run(&w.c);
}
#define RUN(...)                                                                                                       \
	run_script((const struct step[]){ __VA_ARGS__ },                                                               \
		   sizeof((const struct step[]){ __VA_ARGS__ }) / sizeof(struct step))

/* Windows begin with the earliest event of any node, be it its own or a frame sent to it, and are as long as a link. */
static void windows__from_the_earliest_event(void **state)
{
	SET_UP("fc=none");
	w.e->mem.nodes[3].next = 5 * US;
	w.e->mem.nodes[4].next = 40 * US;
	assert_int_equal(RUN({ .node = 0, .arrival = 7 * US }, { .node = 5, .next = 30 * US, .packet = true },
			     { .node = 1, .next = 33 * US, .arrival = 32 * US }, { .node = 1, .done = true },
			     { .node = 1 }),
			 0);
	assert_string_equal(w.c.status, "done");
	assert_int_equal(w.calls, 5);
	assert_int_equal(w.c.windows, 5);
	assert_int_equal(w.until[0], 7 * US);
	assert_int_equal(w.until[1], 9 * US);
	assert_int_equal(w.until[2], 32 * US);
	assert_int_equal(w.until[3], 34 * US); /* the arrival, which is before the node's own event */
	assert_int_equal(w.until[4], 42 * US);
	assert_int_equal(w.c.now, 40 * US);
}

static void stop_at__limits_windows(void **state)
{
	SET_UP("fc=none", "stop_at=12us");
	w.every = US;
	w.e->mem.nodes[3].next = 5 * US;
	assert_int_equal(RUN({ .node = 3, .next = 11 * US }), 0);
	assert_string_equal(w.c.status, "stopped");
	assert_int_equal(w.calls, 2);
	assert_int_equal(w.until[1], 12 * US);
	assert_int_equal(w.c.now, 12 * US);
}

static void arrivals__end_with_the_last_start(void **state)
{
	u64 last = 0;

	SET_UP("fc=none", "senders=all", "workload=heavy-tailed", "load=0.5", "flows=20", "until=arrivals");
	for (u32 i = 0; i < w.f.flows.n; i++)
		last = max64(last, w.f.flows.flows[i].start_ps);
	w.every = 1;
	w.e->mem.nodes[3].next = 0;
	assert_int_equal(RUN({ .node = 3, .next = last - 1, .packet = true }), 0);
	assert_string_equal(w.c.status, "arrivals");
	assert_int_equal(w.until[w.calls - 1], last);
	assert_int_equal(w.c.now, last);
}

static void link_is_down(u32 call)
{
	assert_int_equal(w.e->mem.ports[w.f.host_port[0]].fault.down, call >= 1);
}

/* A fault ends the window before it, and comes before what else happens at its instant. */
static void faults__before_windows(void **state)
{
	SET_UP("fc=none", "fault=10us:down:h0", "route_delay=never");
	w.look = link_is_down;
	w.e->mem.nodes[3].next = 9 * US;
	assert_int_equal(RUN({ .node = 4, .next = 10 * US }, { .node = 4, .done = true }), 0);
	assert_int_equal(w.until[0], 10 * US);
	assert_int_equal(w.until[1], 12 * US);
	assert_string_equal(w.c.status, "done");
}

/* Nobody is left whom a later fault could concern. */
static void faults__not_after_the_last_event(void **state)
{
	SET_UP("fc=none", "fault=1s:down:h0");
	w.e->mem.nodes[3].next = 9 * US;
	assert_int_equal(RUN({ .node = 4, .done = true }), 0);
	assert_string_equal(w.c.status, "done");
	assert_int_equal(w.calls, 1);
}

static void samples__limit_windows(void **state)
{
	char dir[] = "/tmp/losslab-conductor-XXXXXX", word[64];

	assert_non_null(mkdtemp(dir));
	snprintf(word, sizeof(word), "out=%s", dir);
	SET_UP("fc=none", "sample=10us", word);
	w.e->mem.nodes[3].next = 9 * US;
	assert_int_equal(
		RUN({ .node = 4, .next = 10 * US }, { .node = 4, .next = 35 * US }, { .node = 4, .done = true }), 0);
	rmdir(dir);
	assert_int_equal(w.until[0], 10 * US);
	assert_int_equal(w.until[1], 12 * US);
	assert_int_equal(w.until[2], 37 * US); /* samples at 20 and 30 us needed no window */
}

static void stuck__without_progress(void **state)
{
	SET_UP("fc=none", "stuck_after=1ms", "timeouts=off");
	w.every = 8 * US;
	w.e->mem.nodes[3].next = 0;
	assert_int_equal(RUN({ .node = 3, .next = 900 * US, .packet = true }), 0);
	assert_string_equal(w.c.status, "stuck");
	/* the last progress was seen at 900 us; the windows of 2 us after it are 8 us apart */
	assert_in_range(w.until[w.calls - 1], 1892 * US, 1902 * US);
}

static void stuck__not_with_a_fault_to_come(void **state)
{
	SET_UP("fc=none", "stuck_after=1ms", "timeouts=off", "fault=4ms-5ms:drop=0.1:s0");
	w.every = 48 * US;
	w.e->mem.nodes[3].next = 0;
	assert_int_equal(RUN({ .node = 3, .next = 1 * US }), 0);
	assert_string_equal(w.c.status, "stuck");
	assert_in_range(w.until[w.calls - 1], 5900 * US, 6060 * US);
}

static void stuck__no_event_is_left(void **state)
{
	SET_UP("fc=none");
	w.e->mem.nodes[3].next = 0;
	assert_int_equal(RUN({ .node = 3 }), 0);
	assert_string_equal(w.c.status, "stuck");
	assert_int_equal(w.calls, 1);
}

/* Switch @s is paused by the next one round the ring, and holds a frame that waits for that. */
static void hold_up(u32 s)
{
	struct plan_memory *m = &w.e->mem;
	u32 base = w.f.port_base[s], out = base, in = base, id = w.f.size.small - 1 - 400 * s;
	struct voq *q;

	while (w.f.ports[out].peer & PEER_HOST || w.f.ports[out].peer_node != (s + 1) % RING)
		out++;
	while (w.f.ports[in].peer & PEER_HOST || w.f.ports[in].peer_node != (s + RING - 1) % RING)
		in++;
	m->ports[out].pause.until[CLASS] = TIME_LIMIT;
	m->ports[out].pause.since[CLASS] = 1;
	m->ports[w.f.ports[out].peer].xoff = m->ports[w.f.ports[out].peer].advertised = 1 << CLASS;
	q = &m->voqs[voq_input(&m->switches[s], w.f.fab.fifo, out - base, in - base, CLASS)];
	for (u32 bytes = 0; bytes <= w.f.ports[in].xon; bytes += 1000, id--) {
		m->frames[id] = (struct frame){ .len = 1000, .in_port = in - base, .out_port = out - base };
		m->frames[id].next = q->head;
		q->head = id;
	}
}

static void deadlock__at_the_end(void **state)
{
	SET_UP("fc=pfc");
	for (u32 s = 0; s < RING; s++)
		hold_up(s);
	w.e->mem.nodes[3].next = 5 * US;
	assert_int_equal(RUN({ .node = 3 }), 0);
	assert_string_equal(w.c.status, "deadlock");
	assert_int_equal(w.c.deadlock.n, RING);
	assert_int_equal(w.c.deadlock.class, CLASS);
}

static void deadlock__amid_events(void **state)
{
	SET_UP("fc=pfc");
	for (u32 s = 0; s < RING; s++)
		hold_up(s);
	w.every = 8 * US;
	w.e->mem.nodes[3].next = 5 * US;
	assert_int_equal(RUN({ .node = 3, .next = 50 * US }), 0);
	assert_string_equal(w.c.status, "deadlock");
	assert_true(w.c.now < 200 * US);
}

static u32 reports;

static int stop_at_second_report(void *ctx, u32 completed, u32 flows, u64 now)
{
	return ++reports == 2;
}

static void interrupt__by_progress(void **state)
{
	SET_UP("fc=none");
	reports = 0;
	w.c.progress = stop_at_second_report;
	w.every = US;
	w.e->mem.nodes[3].next = 0;
	assert_int_equal(RUN({ .node = 3, .next = 1 * US }), -EINTR);
	assert_string_equal(w.e->err.text, "run: interrupted");
	assert_int_equal(w.calls, 512);
}

static void ask_to_stop(u32 call)
{
	if (call == 2)
		interrupt_request = SIGINT;
}

/* Windows can be long: a request is not left until the next report. */
static void interrupt__by_request(void **state)
{
	SET_UP("fc=none");
	w.look = ask_to_stop;
	w.every = US;
	w.e->mem.nodes[3].next = 0;
	assert_int_equal(RUN({ .node = 3, .next = 1 * US }), -EINTR);
	assert_int_equal(w.calls, 3);
}

static void error__of_the_engine(void **state)
{
	SET_UP("fc=none");
	w.every = US;
	w.e->mem.nodes[3].next = 0;
	assert_int_equal(RUN({ .node = 3, .next = 1 * US }, { .node = 3, .error = -EPROTO }), -EPROTO);
	assert_string_equal(w.e->err.text, "host h1: on purpose");
	assert_int_equal(w.calls, 2);
	assert_int_equal(w.c.windows, 1);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(windows__from_the_earliest_event),
		TEST(stop_at__limits_windows),
		TEST(arrivals__end_with_the_last_start),
		TEST(faults__before_windows),
		TEST(faults__not_after_the_last_event),
		TEST(samples__limit_windows),
		TEST(stuck__without_progress),
		TEST(stuck__not_with_a_fault_to_come),
		TEST(stuck__no_event_is_left),
		TEST(deadlock__at_the_end),
		TEST(deadlock__amid_events),
		TEST(interrupt__by_progress),
		TEST(interrupt__by_request),
		TEST(error__of_the_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
