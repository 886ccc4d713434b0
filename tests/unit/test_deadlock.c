// SPDX-License-Identifier: GPL-2.0-or-later
/* Deadlocks in a ring of three switches, its state made by hand: port 0 to the host, 1 onwards, 2 backwards. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "bpf/credit.h"
#include "lab/run/deadlock.h"

#define RING 3
#define NOW 1000000ULL
#define CLASS 3

static const char text[] = "default 40gbit 2us\nhost h0\nhost h1\nhost h2\nswitch s0\nswitch s1\nswitch s2\n"
			   "link h0 s0\nlink h1 s1\nlink h2 s2\nlink s0 s1\nlink s1 s2\nlink s2 s0\n";

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct plan f;
	struct plan_memory m;
	u32 frames;
} w;

static int set_up_with(const char *kind)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct err err;

	memset(&w, 0, sizeof(w));
	cfg_defaults(&w.cfg);
	if (!in || topo_parse(in, "ring", &w.topo, &err) || cfg_set(&w.cfg, "workload=incast", &err) ||
	    cfg_set(&w.cfg, kind, &err) || cfg_finish(&w.cfg, &err) || plan_make(&w.f, &w.cfg, w.topo, &err))
		return -1;
	fclose(in);
	w.m.switches = calloc(w.f.size.switches, sizeof(*w.m.switches));
	w.m.ports = calloc(w.f.size.ports, sizeof(*w.m.ports));
	w.m.rx = calloc(w.f.size.ports, sizeof(*w.m.rx));
	w.m.arrivals = calloc(w.f.size.arrivals, sizeof(*w.m.arrivals));
	w.m.nodes = calloc(w.f.size.switches + w.f.size.hosts, sizeof(*w.m.nodes));
	w.m.frames = calloc(w.f.size.small + w.f.size.large, sizeof(*w.m.frames));
	w.m.voqs = calloc(w.f.size.voqs, sizeof(*w.m.voqs));
	w.m.routes = calloc(w.f.size.routes, sizeof(*w.m.routes));
	w.m.stack[0] = calloc(w.f.size.small + w.f.size.large, sizeof(u64));
	w.m.state = calloc(1, sizeof(*w.m.state));
	plan_memory_init(&w.f, &w.m, true);
	return 0;
}

static int set_up(void **state)
{
	return set_up_with("fc=pfc");
}

static int set_up_shared(void **state)
{
	return set_up_with("buffer_mode=shared");
}

static int set_up_credits(void **state)
{
	return set_up_with("fc=credit");
}

static int tear_down(void **state)
{
	free(w.m.switches);
	free(w.m.ports);
	free(w.m.rx);
	free(w.m.arrivals);
	free(w.m.nodes);
	free(w.m.frames);
	free(w.m.voqs);
	free(w.m.routes);
	free(w.m.stack[0]);
	free(w.m.state);
	plan_free(&w.f);
	topo_free(w.topo);
	return 0;
}

/* The port of switch @s by what it leads to: the next switch of the ring, the one before, or its host. */
enum way { HOST, NEXT, BACK };

static u32 port(u32 s, enum way way)
{
	for (u32 n = w.f.port_base[s]; way != HOST; n++) {
		const struct port_cfg *p = &w.f.ports[n];

		if (!(p->peer & PEER_HOST) && p->peer_node == (way == NEXT ? s + 1 : s + RING - 1) % RING)
			return n;
	}
	return w.f.host_port[s];
}

/* Switch @s holds @bytes that came from the switch before it and go @way. */
static void fill(u32 s, enum way way, u32 bytes)
{
	struct sw *sw = &w.m.switches[s];
	u32 in = port(s, BACK) - sw->port_base, out = port(s, way) - sw->port_base;
	struct voq *q = &w.m.voqs[voq_input(sw, w.f.fab.fifo, out, in, CLASS)];

	while (bytes) {
		struct frame *f = &w.m.frames[w.frames];

		f->len = bytes < 1000 ? bytes : 1000;
		f->in_port = in;
		f->out_port = out;
		f->next = q->head;
		q->head = w.frames++;
		bytes -= f->len;
	}
}

/* A frame is on its way to port @n. */
static struct frame *send_to(u32 n)
{
	const struct port_cfg *c = &w.f.ports[n];
	struct frame *f = &w.m.frames[w.frames];

	w.m.arrivals[c->arrq_base + (w.m.rx[n].tail++ & c->arrq_mask)] = w.frames++;
	memset(f, 0, sizeof(*f));
	f->class = CLASS;
	f->len = 1000;
	return f;
}

static void send_pfc_to(u32 n, u32 class, u32 quanta)
{
	struct frame *f = send_to(n);

	f->flags = FRAME_PFC;
	f->pfc_classes = 1 << class;
	f->pfc_quanta[class] = quanta;
}

/* The output that leads to switch @s round the ring. */
static u32 behind(u32 s)
{
	return port((s + RING - 1) % RING, NEXT);
}

/* Switch @s has paused the one before it, as long as it has not told it otherwise. */
static void pause_behind(u32 s)
{
	struct port *p = &w.m.ports[behind(s)];

	w.m.ports[port(s, BACK)].xoff |= 1 << CLASS;
	w.m.ports[port(s, BACK)].advertised |= 1 << CLASS;
	p->pause.until[CLASS] = NOW + 1;
	p->pause.since[CLASS] = 1;
}

static void all_around(u32 onward, u32 to_host)
{
	for (u32 s = 0; s < RING; s++) {
		fill(s, NEXT, onward);
		fill(s, HOST, to_host);
		pause_behind(s);
	}
}

static u32 xon(void)
{
	return w.f.ports[port(0, BACK)].xon;
}

static bool find(struct deadlock *d)
{
	int rc = deadlock_find(&w.f, &w.m, NOW, d);

	assert_true(rc == 0 || rc == 1);
	assert_int_equal(rc, d->n > 0);
	return rc;
}

static void none_when_idle(void **state)
{
	struct deadlock d;

	assert_false(find(&d));
	assert_null(d.ports);
}

/*
 * One frame for the next switch at the head, and behind it far more for the host: VOQs let these leave, a single queue
 * does not; and one before a crossbar only once the output behind it takes no more.
 */
static void single_queue__head_holds_up(void **state)
{
	struct deadlock d;

	for (u32 fifo = 0; fifo <= 1; fifo++) {
		w.f.fab.fifo = fifo;
		all_around(0, xon() + 1);
		for (u32 s = 0; s < RING; s++)
			fill(s, NEXT, 1000);
		assert_int_equal(find(&d), fifo);
		free(d.ports);
	}
	w.f.fab.iterations = 4;
	w.f.fab.output_buffer = 2000;
	for (u32 staged = 1999; staged <= 2000; staged++) {
		for (u32 s = 0; s < RING; s++)
			w.m.ports[port(s, NEXT)].staged[CLASS] = staged;
		assert_int_equal(find(&d), staged == 2000);
		free(d.ports);
	}
}

static void cycle_of_three(void **state)
{
	struct deadlock d;

	all_around(xon() + 1, 0);
	assert_true(find(&d));
	assert_int_equal(d.class, CLASS);
	assert_int_equal(d.n, RING);
	assert_int_equal(d.ports[0], port(0, NEXT));
	assert_int_equal(d.ports[1], port(1, NEXT));
	assert_int_equal(d.ports[2], port(2, NEXT));
	free(d.ports);
}

/* Every buffer is above XON and every output in the cycle paused; but down to XON go the frames that leave. */
static void none_where_buffers_drain_by_their_other_frames(void **state)
{
	struct deadlock d;

	all_around(xon(), 5000);
	assert_false(find(&d));
	fill(0, NEXT, 1);
	fill(1, NEXT, 1);
	assert_false(find(&d)); /* s2 still drains, which frees s1, and so on */
	fill(2, NEXT, 1);
	assert_true(find(&d));
	free(d.ports);
}

static void none_once_a_pause_is_over(void **state)
{
	struct deadlock d;
	struct port *p = &w.m.ports[port(1, NEXT)];

	all_around(xon() + 1, 0);
	p->pause.until[CLASS] = NOW;
	assert_false(find(&d));
	p->pause.until[CLASS] = NOW + 1;
	w.m.ports[port(2, BACK)].xoff = 0; /* its resume is on the way */
	assert_false(find(&d));
	w.m.ports[port(2, BACK)].xoff = 1 << CLASS;
	w.m.ports[port(2, BACK)].advertised =
		0; /* that resume is on the way still, and the next PAUSE has not been sent */
	assert_false(find(&d));
	w.m.ports[port(2, BACK)].advertised = 1 << CLASS;
	send_pfc_to(behind(2), CLASS + 1, 0); /* of another class, and a PAUSE */
	send_pfc_to(behind(2), CLASS, 65535);
	assert_true(find(&d));
	free(d.ports);
	send_pfc_to(behind(2), CLASS, 0); /* the two are on the way, one after the other */
	send_pfc_to(behind(2), CLASS, 65535);
	assert_false(find(&d));
}

/* Frames that come only fill buffers more, where XON is fixed. */
static void static__whatever_comes(void **state)
{
	struct deadlock d;

	all_around(xon() + 1, 0);
	send_to(port(1, BACK));
	assert_true(find(&d));
	free(d.ports);
}

/*
 * A shared buffer is asked when a frame leaves it: never, if all wait for each other, though it holds one byte; but as
 * long as one frame goes to a host, or one is on its way that might.
 */
static void shared__waits_if_nothing_leaves(void **state)
{
	struct deadlock d;

	for (u32 s = 0; s < RING; s++)
		pause_behind(s);
	assert_false(find(&d)); /* there is nothing that waits */
	all_around(1, 0);
	assert_true(find(&d));
	assert_int_equal(d.n, RING);
	free(d.ports);
	send_pfc_to(port(1, BACK), 0, 65535); /* nor is this a frame that might */
	send_to(port(1, BACK))->class = CLASS + 1;
	assert_true(find(&d));
	free(d.ports);
	send_to(port(1, BACK));
	assert_false(find(&d));
	w.m.ports[port(1, BACK)].arrq_head = w.m.rx[port(1, BACK)].tail;
	assert_true(find(&d));
	free(d.ports);
	fill(2, HOST, 1);
	assert_false(find(&d));
}

/* ---- credits ---- */

static void empty(void)
{
	for (u32 v = 0; v < w.f.size.voqs; v++)
		w.m.voqs[v] = (struct voq){ FAB_NONE, FAB_NONE };
	w.frames = 0;
}

/* Of switch @s's buffer for the link before it: @held blocks in frames that go on, one block each; the rest is free. */
static void hold(u32 s, u32 held, u32 told)
{
	struct port *p = &w.m.ports[behind(s)], *far = &w.m.ports[port(s, BACK)];

	for (u32 i = 0; i < held; i++)
		fill(s, NEXT, CREDIT_BLOCK);
	p->credit_tx.sent[CLASS] = far->credit_rx.received[CLASS] = 0xfffffff0U; /* about to wrap */
	p->credit_tx.limit[CLASS] = far->credit_rx.advertised[CLASS] = 0xfffffff0U + told;
	far->credit_rx.held[CLASS] = held;
	p->pause.until[CLASS] = TIME_NEVER;
	p->pause.since[CLASS] = 1;
}

static void credits__cycle(void **state)
{
	u32 size = w.f.fab.credits;
	struct deadlock d;

	for (u32 s = 0; s < RING; s++)
		hold(s, size, 0);
	assert_true(find(&d));
	assert_int_equal(d.n, RING);
	assert_int_equal(d.class, CLASS);
	free(d.ports);
	w.m.ports[port(0, NEXT)].pause.until[CLASS] = 0; /* one that may send */
	assert_false(find(&d));
}

/*
 * One buffer with less than the longest frame free: it waits. With as much, it depends on whether it is worth telling:
 * a step more than was told is. What has been told and suffices ends the wait, heard or not.
 */
static void credits__by_the_block(void **state)
{
	u32 size = w.f.fab.credits, step = w.f.fab.credit_step, longest = credit_blocks(w.f.fab.frame_max);
	struct {
		u32 free, told;
		bool waits;
	} cases[] = {
		{ 0, 0, true },
		{ longest - 1, longest - 1, true },
		{ longest, longest, false }, /* on its way */
		{ step - 1, 0, true },
		{ step, 0, false },
		{ step, 1, true },
		{ step + longest - 2, longest - 1, true },
		{ step + longest - 1, longest - 1, false },
		{ step + longest - 2, longest - 2, false },
	};

	assert_true(step > longest);
	for (u32 i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct deadlock d;

		empty();
		hold(0, size, 0);
		hold(1, size - cases[i].free, cases[i].told);
		hold(2, size, 0);
		if (find(&d) != cases[i].waits)
			fail_msg("case %u: %u free, %u told", i, cases[i].free, cases[i].told);
		free(d.ports);
	}
}

/* With a small buffer a step is less than a frame: told step by step it is still too little. */
static void credits__steps_below_a_frame(void **state)
{
	u32 size, longest = credit_blocks(w.f.fab.frame_max);
	struct deadlock d;

	size = w.f.fab.credits = 2 * longest;
	w.f.fab.credit_step = credit_step(size);
	assert_true(w.f.fab.credit_step < longest);
	for (u32 s = 0; s < RING; s++)
		hold(s, size - longest + 1, 0);
	assert_true(find(&d));
	free(d.ports);
	for (u32 s = 0; s < RING; s++) /* the same, of which a block goes to the host */
		fill(s, HOST, CREDIT_BLOCK);
	assert_true(find(&d));
	free(d.ports);
}

static void credits__none_where_buffers_drain(void **state)
{
	u32 size = w.f.fab.credits;
	struct deadlock d;

	for (u32 s = 0; s < RING; s++)
		hold(s, s ? size : size / 2, 0);
	fill(0, HOST, size / 2 * CREDIT_BLOCK);
	assert_false(find(&d));
}

/* A link that has mended waits for its first word: that is coming, unless the buffer is full. */
static void credits__of_a_mended_link(void **state)
{
	u32 size = w.f.fab.credits;
	struct deadlock d;

	for (u32 full = 0; full < 2; full++) {
		empty();
		for (u32 s = 0; s < RING; s++)
			hold(s, s || full ? size : 0, 0);
		credit_restart_rx(&w.m.ports[port(0, BACK)].credit_rx, CLASS);
		credit_restart_tx(&w.m.ports[behind(0)].credit_tx, &w.m.ports[behind(0)].pause, CLASS, 1);
		assert_int_equal(find(&d), full);
		free(d.ports);
	}
}

static void none_in_another_class_or_without_pfc(void **state)
{
	struct deadlock d;

	all_around(xon() + 1, 0);
	w.f.fab.pfc = 0xff & ~(1 << CLASS);
	assert_false(find(&d));
	w.f.fab.pfc = 0;
	assert_false(find(&d));
	w.f.fab.pfc = 1 << CLASS;
	assert_true(find(&d));
	free(d.ports);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(none_when_idle, set_up, tear_down),
		cmocka_unit_test_setup_teardown(single_queue__head_holds_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cycle_of_three, set_up, tear_down),
		cmocka_unit_test_setup_teardown(none_where_buffers_drain_by_their_other_frames, set_up, tear_down),
		cmocka_unit_test_setup_teardown(none_once_a_pause_is_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(none_in_another_class_or_without_pfc, set_up, tear_down),
		cmocka_unit_test_setup_teardown(static__whatever_comes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(shared__waits_if_nothing_leaves, set_up_shared, tear_down),
		cmocka_unit_test_setup_teardown(credits__cycle, set_up_credits, tear_down),
		cmocka_unit_test_setup_teardown(credits__by_the_block, set_up_credits, tear_down),
		cmocka_unit_test_setup_teardown(credits__steps_below_a_frame, set_up_credits, tear_down),
		cmocka_unit_test_setup_teardown(credits__none_where_buffers_drain, set_up_credits, tear_down),
		cmocka_unit_test_setup_teardown(credits__of_a_mended_link, set_up_credits, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
