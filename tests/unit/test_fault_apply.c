// SPDX-License-Identifier: GPL-2.0-or-later
/* Applying faults to switches in plain memory: which ports and routes change at which instant. */
#include "tests/unit/fault_plan.h"

#include "bpf/pfc.h"
#include "lab/run/fault_apply.h"

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
		cmocka_unit_test(link__breaks_and_mends_at_both_ends), cmocka_unit_test(link__mends_with_a_new_count),
		cmocka_unit_test(link__mends_what_is_not_broken),      cmocka_unit_test(storm__begins_and_ends),
		cmocka_unit_test(storm__ends_over_shared_buffers),     cmocka_unit_test(storm__on_a_link_that_is_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
