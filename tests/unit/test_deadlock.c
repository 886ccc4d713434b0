// SPDX-License-Identifier: GPL-2.0
/* Deadlocks in a ring of three switches, its state made by hand: port 0 to the host, 1 onwards, 2 backwards. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "lab/deadlock.h"

#define RING 3
#define NOW 1000000ULL
#define CLASS 3

static const char text[] = "default 40gbit 2us\nhost h0\nhost h1\nhost h2\nswitch s0\nswitch s1\nswitch s2\n"
			   "link h0 s0\nlink h1 s1\nlink h2 s2\nlink s0 s1\nlink s1 s2\nlink s2 s0\n";

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct fabric f;
	struct fabric_memory m;
	u32 frames;
} w;

static int set_up(void **state)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	char word[] = "workload=incast", err[FABRIC_ERR_MAX];

	memset(&w, 0, sizeof(w));
	cfg_defaults(&w.cfg);
	if (!in || topo_parse(in, "ring", &w.topo, err) || cfg_set(&w.cfg, word, err) || cfg_finish(&w.cfg, err) ||
	    fabric_plan(&w.f, &w.cfg, w.topo, err))
		return -1;
	fclose(in);
	w.m.switches = calloc(w.f.size.switches, sizeof(*w.m.switches));
	w.m.ports = calloc(w.f.size.ports, sizeof(*w.m.ports));
	w.m.nodes = calloc(w.f.size.switches + w.f.size.hosts, sizeof(*w.m.nodes));
	w.m.frames = calloc(w.f.size.small + w.f.size.large, sizeof(*w.m.frames));
	w.m.voqs = calloc(w.f.size.voqs, sizeof(*w.m.voqs));
	w.m.routes = calloc(w.f.size.routes, sizeof(*w.m.routes));
	w.m.stack[0] = calloc(w.f.size.small + w.f.size.large, sizeof(u64));
	w.m.state = calloc(1, sizeof(*w.m.state));
	fabric_init(&w.f, &w.m, true);
	return 0;
}

static int tear_down(void **state)
{
	free(w.m.switches);
	free(w.m.ports);
	free(w.m.nodes);
	free(w.m.frames);
	free(w.m.voqs);
	free(w.m.routes);
	free(w.m.stack[0]);
	free(w.m.state);
	fabric_free(&w.f);
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
	struct voq *q = &w.m.voqs[sw->voq_base + (out * sw->n_ports + in) * FAB_CLASSES + CLASS];

	while (bytes) {
		struct frame *f = &w.m.frames[w.frames];

		f->len = bytes < 1000 ? bytes : 1000;
		f->next = q->head;
		q->head = w.frames++;
		bytes -= f->len;
	}
}

/* Switch @s has paused the one before it, as long as it has not told it otherwise. */
static void pause_behind(u32 s)
{
	struct port *p = &w.m.ports[port((s + RING - 1) % RING, NEXT)];

	w.m.ports[port(s, BACK)].xoff |= 1 << CLASS;
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

static void circle_of_three(void **state)
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

/* Every buffer is above XON and every output in the circle paused; but down to XON go the frames that leave. */
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
		cmocka_unit_test_setup_teardown(circle_of_three, set_up, tear_down),
		cmocka_unit_test_setup_teardown(none_where_buffers_drain_by_their_other_frames, set_up, tear_down),
		cmocka_unit_test_setup_teardown(none_once_a_pause_is_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(none_in_another_class_or_without_pfc, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
