// SPDX-License-Identifier: GPL-2.0
/* Statements of faults: the events they stand for, the hosts' part of them, and what is refused. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bpf/pfc.h"
#include "lab/plan/plan.h"

#define US PS_PER_US

static const char text[] = "default 40gbit 2us\nhost h0\nhost h1\nswitch s0\nswitch s1\nlink h0 s0\nlink h1 s1\n"
			   "link s0 s1\n"; /* lab-wide ports: s0 0 1, s1 2 3 */

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct plan f;
	struct err err;
} w;

static int plan(const char *faults, const char *key)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	char word[CFG_STR + 32];

	memset(&w, 0, sizeof(w));
	cfg_defaults(&w.cfg);
	assert_int_equal(topo_parse(in, "two", &w.topo, &w.err), 0);
	fclose(in);
	assert_int_equal(cfg_set(&w.cfg, "workload=incast", &w.err), 0);
	assert_int_equal(cfg_set(&w.cfg, "transport=roce", &w.err), 0);
	if (key)
		assert_int_equal(cfg_set(&w.cfg, key, &w.err), 0);
	snprintf(word, sizeof(word), "fault=%s", faults);
	assert_int_equal(cfg_set(&w.cfg, word, &w.err), 0);
	assert_int_equal(cfg_finish(&w.cfg, &w.err), 0);
	return plan_make(&w.f, &w.cfg, w.topo, &w.err);
}

static void drop_plan(void)
{
	plan_free(&w.f);
	topo_free(w.topo);
}

static void planned(const char *faults, const char *key)
{
	if (plan(faults, key))
		fail_msg("%s", w.err.text);
}

static void assert_fault(u32 n, u64 at, enum fault_kind kind, u32 port, u32 value)
{
	const struct fault *x = &w.f.faults.list[n];

	assert_true(n < w.f.faults.n);
	assert_int_equal(x->at, at);
	assert_int_equal(x->kind, kind);
	assert_int_equal(x->port, port);
	assert_int_equal(x->value, value);
}

static void none(void **state)
{
	struct fault_run r = { 0 };

	planned("", NULL);
	assert_int_equal(w.f.faults.n, 0);
	assert_true(faults_next(&r, &w.f.faults) == TIME_NEVER);
	assert_int_equal(w.f.nics[0].n_faults, 0);
	drop_plan();
}

static void events__in_order_of_time_then_of_statement(void **state)
{
	planned("30us-40us:down:s0:p1; 5us:drop=0.5:s1; 30us:corrupt=25%:s0:p0", "route_delay=2us");
	assert_int_equal(w.f.faults.n, 7);
	assert_fault(0, 5 * US, FAULT_DROP, 2, 1U << 31);
	assert_fault(1, 5 * US, FAULT_DROP, 3, 1U << 31);
	assert_fault(2, 30 * US, FAULT_DOWN, 1, 0);
	assert_fault(3, 30 * US, FAULT_CORRUPT, 0, 1U << 30);
	assert_fault(4, 32 * US, FAULT_ROUTES, 1, 1);
	assert_fault(5, 40 * US, FAULT_UP, 1, 0);
	assert_fault(6, 42 * US, FAULT_ROUTES, 1, 0);
	assert_false(w.f.faults.endless);
	drop_plan();
}

static void events__shares_and_pauses_end(void **state)
{
	planned("1us-2us:drop=1:s0:p1;1us-3us:pause=3:s0:p0;4us:pause=0:h1", "route_delay=never");
	assert_int_equal(w.f.faults.n, 5);
	assert_fault(0, US, FAULT_DROP, 1, ~0U);
	assert_fault(1, US, FAULT_PAUSE, 0, 3);
	assert_fault(2, 2 * US, FAULT_DROP, 1, 0);
	assert_fault(3, 3 * US, FAULT_RESUME, 0, 3);
	assert_fault(4, 4 * US, FAULT_PAUSE, FAULT_HOST | 1, 0);
	assert_true(w.f.faults.endless);
	drop_plan();
}

/* What begins later ends what holds, whether it would have ended by itself or never. */
static void overlap__the_later_holds(void **state)
{
	planned("10us-30us:down:h1; 20us-70us:down:s1:p0", "route_delay=5us"); /* one link, by either name */
	assert_int_equal(w.f.faults.n, 6);
	assert_fault(0, 10 * US, FAULT_DOWN, 2, 0);
	assert_fault(1, 15 * US, FAULT_ROUTES, 2, 1);
	assert_fault(2, 20 * US, FAULT_DOWN, 2, 0);
	assert_fault(3, 25 * US, FAULT_ROUTES, 2, 1);
	assert_fault(4, 70 * US, FAULT_UP, 2, 0);
	assert_fault(5, 75 * US, FAULT_ROUTES, 2, 0);
	drop_plan();
	planned("20us-30us:down:s0:p1; 10us-90us:flap=4us/4us:s1:p1",
		"route_delay=never"); /* begins later, stated first */
	assert_int_equal(w.f.faults.n, 5);
	assert_fault(2, 18 * US, FAULT_DOWN, 3, 0);
	assert_fault(3, 20 * US, FAULT_DOWN, 1, 0);
	assert_fault(4, 30 * US, FAULT_UP, 1, 0);
	drop_plan();
	planned("1us-5us:drop=1:s0; 3us-7us:drop=0.5:s0:p1; 3us-9us:corrupt=1:s0:p1", NULL);
	assert_int_equal(w.f.faults.n, 7);
	assert_fault(2, 3 * US, FAULT_DROP, 1, 1U << 31);
	assert_fault(4, 5 * US, FAULT_DROP, 0, 0); /* the switch's other port */
	assert_fault(5, 7 * US, FAULT_DROP, 1, 0);
	assert_fault(6, 9 * US, FAULT_CORRUPT, 1, 0);
	drop_plan();
	planned("10us-20us:down:h0; 20us-30us:down:h0",
		"route_delay=never"); /* one after the other: nothing overlaps */
	assert_int_equal(w.f.faults.n, 4);
	drop_plan();
}

/* A storm without an end has one where a later one has; another class, or a port, is another thing than a host. */
static void overlap__storms(void **state)
{
	planned("1us:pause=3:h1; 2us-3us:pause=3:h1", NULL);
	assert_int_equal(w.f.faults.n, 3);
	assert_false(w.f.faults.endless);
	drop_plan();
	planned("1us-4us:pause=3:h1; 2us-3us:pause=4:h1; 3us:pause=3:s1:p0", NULL);
	assert_int_equal(w.f.faults.n, 5);
	assert_true(w.f.faults.endless);
	drop_plan();
}

static void flap__ends_up(void **state)
{
	planned("10us-20us:flap=3us/2us:s1:p1", "route_delay=never");
	assert_int_equal(w.f.faults.n, 4);
	assert_fault(0, 10 * US, FAULT_DOWN, 3, 0);
	assert_fault(1, 13 * US, FAULT_UP, 3, 0);
	assert_fault(2, 15 * US, FAULT_DOWN, 3, 0);
	assert_fault(3, 18 * US, FAULT_UP, 3, 0);
	drop_plan();
	planned("10us-17us:flap=3us/2us:s1:p1", "route_delay=never"); /* the end cuts a break short */
	assert_fault(3, 17 * US, FAULT_UP, 3, 0);
	drop_plan();
}

static void hosts__know_their_part(void **state)
{
	const struct nic_params *p;

	planned("1us-2us:down:h1;3us:down:s0:p1;4us-5us:pause=3:h1;6us:up:s1:p0", NULL);
	assert_int_equal(w.f.nics[0].n_faults, 0);
	p = &w.f.nics[1];
	assert_int_equal(p->n_faults, 5);
	assert_int_equal(p->n_storms, 4);
	assert_int_equal(p->quanta, 65535);
	assert_true(p->faults[0].at == US && p->faults[0].kind == NIC_LINK_DOWN);
	assert_true(p->faults[1].at == 2 * US && p->faults[1].kind == NIC_LINK_UP);
	assert_true(p->faults[2].at == 4 * US && p->faults[2].kind == NIC_STORM_ON && p->faults[2].class == 3);
	assert_true(p->faults[3].at == 5 * US && p->faults[3].kind == NIC_STORM_OFF && p->faults[3].class == 3);
	assert_true(p->faults[4].at == 6 * US && p->faults[4].kind == NIC_LINK_UP);
	drop_plan();
}

static void refused(void **state)
{
	static const char *const bad[][2] = {
		{ "down:s0:p0", "fault down:s0:p0: down: not a time like 1.5ms" },
		{ ":down:h0", "fault :down:h0: '': not a time like 1.5ms" },
		{ "1us::h0", "'': no such fault" },
		{ "1us:down:", "'': no such node" },
		{ "1us:pause=:h0", "'': not a class" },
		{ "1000000s:down:h0", "1000000s: too late; allowed: up to 576460s" },
		{ "1us-576461s:down:h0", "576461s: too late; allowed: up to 576460s" },
		{ ";", "fault=;: no statement in it; allowed: TIME[-TIME]:WHAT:WHERE" },
		{ ";; ;", "no statement in it" },
		{ "1us:down", "not of the form TIME[-TIME]:WHAT:WHERE" },
		{ "1us:broken:s0:p0", "broken: no such fault; allowed: down|up|flap=D/U|drop=P|corrupt=P|pause=CLASS" },
		{ "1us:down:s0", "s0: a switch: say which port, like s0:p1" },
		{ "1us:down:s0:p2", "p2: not a port of this switch" },
		{ "1us:down:s0:1", "1: not a port of this switch" },
		{ "1us:down:s7:p0", "s7: no such node" },
		{ "1us:down:h0:p0", "h0: a host: it has one port, say its name alone" },
		{ "1us:drop=0.1:h0", "h0: a host; allowed: a switch, or a port of one" },
		{ "1us:drop:s0", "not a share of frames; allowed: above 0, up to 1" },
		{ "1us:drop=0:s0", "0: not a share of frames; allowed: above 0, up to 1" },
		{ "1us:corrupt=1.1:s0", "1.1: not a share of frames" },
		{ "1us:down=5:h0", "5: this fault takes no value" },
		{ "1us:pause=8:h0", "8: not a class; allowed: 0..7" },
		{ "1us:pause:h0", "not a class; allowed: 0..7" },
		{ "2us-1us:down:h0", "1us: the end is not after the beginning" },
		{ "1us-1us:down:h0", "1us: the end is not after the beginning" },
		{ "1us-2us:up:h0", "up: an instant, that takes no end" },
		{ "1us:flap=1us/1us:h0", "flap: needs an end: FROM-TO" },
		{ "1us-2us:flap=1us:h0", "1us: not DOWN/UP, two times" },
		{ "1us-2us:flap=0us/1us:h0", "0us: a link flaps for more than 0 each" },
		{ "0us-100ms:flap=1ns/1ns:h0", "more than 65536 events in all" },
	};

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(plan(bad[i][0], NULL), -EINVAL);
		if (!strstr(w.err.text, bad[i][1]) || strchr(w.err.text, '\n'))
			fail_msg("%s: '%s' does not say '%s'", bad[i][0], w.err.text, bad[i][1]);
		drop_plan();
	}
	assert_int_equal(plan("1us:pause=3:h0", "fc=none"), -EINVAL);
	assert_non_null(strstr(w.err.text, "PFC is off"));
	drop_plan();
	assert_int_equal(plan("1us:pause=4:s0:p1", "pfc_classes=3,5"), -EINVAL);
	assert_non_null(strstr(w.err.text, "4: a class without PFC; allowed: those of pfc_classes="));
	drop_plan();
	assert_int_equal(plan("1us:pause=5:s0:p1", "pfc_classes=3,5"), 0);
	drop_plan();
	assert_int_equal(plan("1us:pause=3:s0:p1", "fc=credit"), -EINVAL);
	assert_non_null(strstr(w.err.text, "3: credits know no PAUSE; allowed: with fc=pfc"));
	drop_plan();
}

static void file__lines_and_comments(void **state)
{
	char path[] = "/tmp/losslab-faults-XXXXXX", key[64];
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");

	fputs("# a link\n\n1us:down:h0   # and so on\r\n", out);
	fclose(out);
	snprintf(key, sizeof(key), "fault_file=%s", path);
	planned("2us:up:h0", key);
	assert_int_equal(w.f.nics[0].n_faults, 2);
	drop_plan();
	out = fopen(path, "a");
	fputs("1us:down:h9\n", out);
	fclose(out);
	assert_int_equal(plan("", key), -EINVAL);
	assert_non_null(strstr(w.err.text, ":4: fault 1us:down:h9: h9: no such node"));
	drop_plan();
	out = fopen(path, "w");
	fputs("1ms:down:h0; 2ms:up:h0\n", out);
	fclose(out);
	assert_int_equal(plan("", key), -EINVAL);
	assert_non_null(strstr(w.err.text, ":1: 1ms:down:h0; 2ms:up:h0: a ';'; allowed: one statement a line"));
	drop_plan();
	unlink(path);
	assert_int_equal(plan("", key), -EINVAL);
	assert_non_null(strstr(w.err.text, "No such file"));
	drop_plan();
}

/* ---- as they happen, on switches that stand in plain memory ---- */

static struct {
	struct sw switches[2];
	struct port ports[4];
	struct node_cell nodes[4];
	u64 routes[4];
	struct plan_memory m;
	struct fault_run run;
} m;

/* Ports as they may be under traffic: both link ends paused, buffers full, PAUSE told and to be repeated. */
static void stand(void)
{
	memset(&m, 0, sizeof(m));
	m.m = (struct plan_memory){ .switches = m.switches, .ports = m.ports, .nodes = m.nodes, .routes = m.routes };
	for (u32 i = 0; i < 4; i++) {
		struct port *p = &m.ports[i];

		p->cfg = w.f.ports[i];
		p->advertised = p->xoff = p->pfc_pending = 1 << 3;
		p->occ[3] = p->cfg.xoff;
		p->pause.until[3] = 900 * US;
		p->pause.since[3] = 3 * US;
		p->refresh[3] = 400 * US;
		m.nodes[i].next = TIME_NEVER;
		m.routes[i] = w.f.routes.mask[i];
	}
	for (u32 i = 0; i < 2; i++) {
		m.switches[i].port_base = w.f.port_base[i];
		m.switches[i].n_ports = 2;
		m.switches[i].key[0] = m.switches[i].key[1] = KEY(400 * US, EV_TIMER);
	}
}

static void apply(u64 at)
{
	assert_int_equal(faults_next(&m.run, &w.f.faults), at);
	assert_int_equal(faults_apply(&m.run, &w.f, &m.m, at), 0);
}

static void link__breaks_and_mends_at_both_ends(void **state)
{
	planned("10us-20us:down:s0:p1", "route_delay=5us");
	stand();
	apply(10 * US);
	for (u32 i = 1; i < 4; i += 2) {
		const struct port *p = &m.ports[i];

		assert_true(p->fault.down && p->fault.drain == 0xff && p->fault.cut == 10 * US);
		assert_true(!p->advertised && !p->pfc_pending && p->refresh[3] == TIME_NEVER && p->xoff == 1 << 3);
		assert_true(p->pause.until[3] == 0 && pause_accounted(&p->pause) == 7 * US);
		assert_int_equal(m.switches[i / 2].key[1], KEY(10 * US, EV_TIMER));
		assert_int_equal(m.nodes[i / 2].next, 10 * US);
		assert_true(!m.ports[i - 1].fault.down && m.ports[i - 1].advertised);
		assert_int_equal(m.switches[i / 2].key[0], KEY(400 * US, EV_TIMER));
	}
	assert_int_equal(m.routes[1], 2);
	apply(15 * US);
	assert_true(m.routes[0] == 1 && m.routes[1] == 0 && m.routes[2] == 0 && m.routes[3] == 1);
	apply(20 * US);
	for (u32 i = 1; i < 4; i += 2) {
		assert_true(!m.ports[i].fault.down && !m.ports[i].fault.drain && m.ports[i].fault.cut == 10 * US);
		assert_int_equal(m.ports[i].pfc_pending, 1 << 3); /* its buffer is full still */
	}
	apply(25 * US);
	assert_memory_equal(m.routes, w.f.routes.mask, sizeof(m.routes));
	assert_true(faults_next(&m.run, &w.f.faults) == TIME_NEVER);
	fault_run_free(&m.run);
	drop_plan();
}

/* fc=credit: counts as they may be in mid-run; the buffers hold frames of class 3. */
static void count(u32 held)
{
	for (u32 i = 0; i < 4; i++) {
		struct port *p = &m.ports[i];

		p->xoff = p->advertised = p->pfc_pending = 0;
		p->pause.until[3] = TIME_NEVER;
		for (u32 c = 0; c < FAB_CLASSES; c++) {
			p->credit_tx.sent[c] = p->credit_rx.received[c] = 1000 + c;
			p->credit_tx.limit[c] = p->credit_rx.advertised[c] = 1500 + c;
			p->credit_rx.held[c] = c == 3 ? held : 0;
		}
	}
}

/* Both ends count from 0 and wait to be told, by a buffer that has a step or more to tell. Hosts take what comes. */
static void link__mends_with_a_new_count(void **state)
{
	for (u32 full = 0; full < 2; full++) {
		u32 port = full ? 1 : 0;

		planned(full ? "10us-20us:down:s1:p1" : "10us-20us:down:h0", "fc=credit");
		stand();
		count(w.f.fab.credits - w.f.fab.credit_step + full);
		apply(10 * US);
		assert_int_equal(m.ports[port].pause.until[3], 0);
		assert_int_equal(pause_accounted(&m.ports[port].pause), 7 * US);
		apply(20 * US);
		for (u32 n = 0; n < 4; n++) {
			const struct port *p = &m.ports[n];
			bool mended = full ? n % 2 : !n;

			for (u32 c = 0; c < FAB_CLASSES; c++) {
				bool waits = mended && full;

				assert_int_equal(p->credit_rx.received[c], mended ? 0 : 1000 + c);
				assert_int_equal(p->credit_rx.advertised[c], mended ? 0 : 1500 + c);
				assert_int_equal(p->credit_tx.sent[c], waits ? 0 : 1000 + c);
				assert_int_equal(p->credit_tx.limit[c], waits ? 0 : 1500 + c);
				assert_true(!mended || p->pause.until[c] == (waits ? TIME_NEVER : 0));
				assert_true(!waits || p->pause.since[c] == 20 * US);
			}
			assert_int_equal(p->pfc_pending, !mended ? 0 : full ? 0xff & ~(1 << 3) : 0xff);
			assert_true(p->credit_rx.held[3] > 0);
		}
		fault_run_free(&m.run);
		drop_plan();
	}
}

/* Mending what is not broken must not forget what is on the link. */
static void link__mends_what_is_not_broken(void **state)
{
	planned("10us:up:s0:p1", "fc=credit");
	stand();
	count(0);
	apply(10 * US);
	for (u32 n = 0; n < 4; n++) {
		assert_int_equal(m.ports[n].credit_tx.sent[3], 1003);
		assert_int_equal(m.ports[n].credit_rx.received[3], 1003);
		assert_int_equal(m.ports[n].pfc_pending, 0);
	}
	fault_run_free(&m.run);
	drop_plan();
	planned("10us:up:s0:p1", NULL); /* PFC: what waits to be said, and a stopped class */
	stand();
	m.ports[1].pfc_pending = m.ports[3].pfc_pending = 1 << 5;
	m.ports[1].fault.drain = 1 << 3;
	apply(10 * US);
	assert_true(m.ports[1].pfc_pending == 1 << 5 && m.ports[3].pfc_pending == 1 << 5);
	assert_int_equal(m.ports[1].fault.drain, 1 << 3);
	fault_run_free(&m.run);
	drop_plan();
}

static void storm__begins_and_ends(void **state)
{
	struct port *p = &m.ports[1];

	for (u32 full = 0; full < 2; full++) {
		planned("10us-20us:pause=5:s0:p1", NULL);
		stand();
		p->pfc_pending = 0;
		apply(10 * US);
		assert_true(p->fault.storm == 1 << 5 && p->xoff == (1 << 5 | 1 << 3) && p->pfc_pending == 1 << 5);
		assert_int_equal(m.nodes[0].next, 10 * US);
		p->advertised |= 1 << 5;
		p->pfc_pending = 0;
		p->occ[5] = full ? p->cfg.xoff : p->cfg.xon;
		apply(20 * US);
		assert_int_equal(p->fault.storm, 0);
		assert_int_equal(p->xoff, full ? 1 << 5 | 1 << 3 : 1 << 3); /* a full buffer goes on by itself */
		assert_int_equal(p->pfc_pending, full ? 0 : 1 << 5);
		fault_run_free(&m.run);
		drop_plan();
	}
}

/* A shared buffer says by its own rule whether the sender may go on. */
static void storm__ends_over_shared_buffers(void **state)
{
	struct port *p = &m.ports[1];

	for (u32 full = 0; full < 2; full++) {
		planned("10us-20us:pause=5:s0:p1", "buffer_mode=shared");
		stand();
		m.switches[0].pool = (struct buffer_pool){ .size = 100000 };
		apply(10 * US);
		p->pfc_pending = 0;
		p->advertised |= 1 << 5;
		p->occ[5] = 1 + full; /* of no matter, but full's byte lies in the headroom */
		p->use[5] = (struct buffer_use){ .main = 1, .headroom = full };
		apply(20 * US);
		assert_int_equal(p->xoff >> 5 & 1, full);
		assert_int_equal(p->pfc_pending, full ? 0 : 1 << 5);
		fault_run_free(&m.run);
		drop_plan();
	}
}

static void storm__on_a_link_that_is_down(void **state)
{
	planned("10us-30us:down:s0:p1; 20us:pause=5:s0:p1", NULL);
	stand();
	apply(10 * US);
	apply(20 * US);
	assert_int_equal(m.ports[1].pfc_pending, 0);
	apply(30 * US);
	assert_int_equal(m.ports[1].pfc_pending, 1 << 5 | 1 << 3);
	fault_run_free(&m.run);
	drop_plan();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none),
		cmocka_unit_test(events__in_order_of_time_then_of_statement),
		cmocka_unit_test(events__shares_and_pauses_end),
		cmocka_unit_test(overlap__the_later_holds),
		cmocka_unit_test(overlap__storms),
		cmocka_unit_test(flap__ends_up),
		cmocka_unit_test(hosts__know_their_part),
		cmocka_unit_test(refused),
		cmocka_unit_test(file__lines_and_comments),
		cmocka_unit_test(link__breaks_and_mends_at_both_ends),
		cmocka_unit_test(link__mends_with_a_new_count),
		cmocka_unit_test(link__mends_what_is_not_broken),
		cmocka_unit_test(storm__begins_and_ends),
		cmocka_unit_test(storm__ends_over_shared_buffers),
		cmocka_unit_test(storm__on_a_link_that_is_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
