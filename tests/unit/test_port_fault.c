// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of a switch port: each rule on a port as it may be under traffic, and what must not change. */
#include "tests/unit/unit.h"

#include <stdbool.h>

#include "bpf/port_fault.h"

#define C 3
#define BIT (1 << C)
#define US PS_PER_US
#define AT (10 * US)

static struct {
	struct fab_cfg cfg;
	struct sw sw;
	struct node_cell node;
	struct port p;
} w;

/* Class C at XOFF: PAUSE sent and to be repeated; paused by the far end since 3 us; class 5 is pending. */
static void reset(void)
{
	memset(&w, 0, sizeof(w));
	w.cfg = (struct fab_cfg){ .pfc = 0xff, .buffer = 240000, .reserve = 2000, .alpha = 1 << ALPHA_SHIFT };
	w.sw.port_base = 40;
	w.sw.pool.size = 100000;
	w.p.cfg = (struct port_cfg){ .number = 42, .xoff = 20000, .xon = 18000 };
	w.p.xoff = w.p.advertised = BIT;
	w.p.pfc_pending = 1 << 5;
	w.p.occ[C] = w.p.cfg.xoff;
	w.p.refresh[C] = 400 * US;
	pause_init(&w.p.pause);
	w.p.pause.until[C] = 900 * US;
	w.p.pause.since[C] = 3 * US;
	for (u32 i = 0; i < FAB_PORTS; i++)
		w.sw.key[i] = KEY_NEVER;
	w.node.next = TIME_NEVER;
}

static void wake__keeps_what_is_earlier(void **state)
{
	reset();
	sw_wake(&w.sw, &w.node, &w.p, AT);
	assert_int_equal(w.sw.key[2], KEY(AT, EV_TIMER));
	assert_int_equal(w.node.next, AT);
	sw_wake(&w.sw, &w.node, &w.p, AT + 1);
	assert_int_equal(w.sw.key[2], KEY(AT, EV_TIMER));
	assert_int_equal(w.node.next, AT);
	w.sw.key[2] = KEY(AT, EV_ARRIVAL); /* before a timer of the same time */
	sw_wake(&w.sw, &w.node, &w.p, AT);
	assert_int_equal(w.sw.key[2], KEY(AT, EV_ARRIVAL));
	assert_true(w.sw.key[1] == KEY_NEVER && w.sw.key[3] == KEY_NEVER);
}

static void down__starts_flow_control_over(void **state)
{
	reset();
	w.p.watchdog =
		(struct watchdog){ .next = 5, .since = { [C] = 4 }, .end = { [6] = 7 }, .hits = 9, .stopped = 64 };
	link_down(&w.p, AT);
	assert_true(w.p.fault.down && w.p.fault.drain == 0xff && w.p.fault.cut == AT);
	assert_true(!w.p.advertised && !w.p.pfc_pending && w.p.refresh[C] == TIME_NEVER);
	assert_int_equal(w.p.xoff, BIT);
	assert_int_equal(w.p.pause.until[C], 0);
	assert_int_equal(pause_accounted(&w.p.pause), 7 * US);
	assert_true(!w.p.watchdog.next && !w.p.watchdog.stopped && !w.p.watchdog.since[C] && !w.p.watchdog.end[6]);
	assert_int_equal(w.p.watchdog.hits, 9);
}

static void up__sends_pauses_anew(void **state)
{
	reset();
	assert_false(link_up(&w.cfg, &w.p, AT)); /* it is up */
	assert_true(w.p.pfc_pending == 1 << 5 && w.p.pause.until[C] == 900 * US);
	link_down(&w.p, AT);
	w.p.xoff |= 1 << 6;
	assert_true(link_up(&w.cfg, &w.p, 2 * AT));
	assert_true(!w.p.fault.down && !w.p.fault.drain && w.p.fault.cut == AT);
	assert_int_equal(w.p.pfc_pending, BIT | 1 << 6);
}

/* fc=credit: both counts begin at 0. A buffer with less than a step free advertises nothing; a host needs no credits.
 */
static void up__initialises_credits(void **state)
{
	for (u32 host = 0; host < 2; host++) {
		reset();
		w.cfg.credits = 40;
		w.cfg.credit_step = 5;
		w.p.cfg.peer = host ? PEER_HOST : 7;
		w.p.xoff = 0;
		for (u32 c = 0; c < FAB_CLASSES; c++) {
			w.p.credit_tx.sent[c] = w.p.credit_rx.received[c] = 1000;
			w.p.credit_tx.limit[c] = w.p.credit_rx.advertised[c] = 1040;
		}
		w.p.credit_rx.held[C] = 36;
		link_down(&w.p, AT);
		assert_true(link_up(&w.cfg, &w.p, 2 * AT));
		assert_int_equal(w.p.pfc_pending, 0xff & ~BIT);
		for (u32 c = 0; c < FAB_CLASSES; c++) {
			assert_int_equal(w.p.credit_rx.received[c] | w.p.credit_rx.advertised[c], 0);
			assert_int_equal(w.p.credit_tx.sent[c], host ? 1000 : 0);
			assert_true(w.p.pause.until[c] == (host ? 0 : TIME_NEVER));
		}
		assert_int_equal(w.p.credit_rx.held[C], 36);
	}
}

static void storm__begins(void **state)
{
	reset();
	assert_false(storm_begin(&w.p, C)); /* paused already: the PAUSE goes on being repeated */
	assert_true(w.p.fault.storm == BIT && w.p.xoff == BIT && w.p.refresh[C] == 400 * US);
	assert_int_equal(w.p.pfc_pending, 1 << 5);
	w.p.refresh[6] = 1;
	assert_true(storm_begin(&w.p, 6));
	assert_true(w.p.fault.storm == (BIT | 1 << 6) && w.p.xoff == (BIT | 1 << 6) && w.p.refresh[6] == TIME_NEVER);
	assert_int_equal(w.p.pfc_pending, 1 << 5 | 1 << 6);
	w.p.fault.down = 1;
	assert_true(storm_begin(&w.p, 7)); /* sent when the link comes up */
	assert_int_equal(w.p.pfc_pending, 1 << 5 | 1 << 6);
}

/* Static and shared buffers, full or not, the PAUSE sent or pending still. */
static void storm__ends(void **state)
{
	for (u32 n = 0; n < 8; n++) {
		bool full = n & 1, sent = n & 2;

		reset();
		w.cfg.shared = n >> 2;
		w.p.xoff = w.p.advertised = w.p.pfc_pending = 0;
		storm_begin(&w.p, C);
		if (sent) {
			w.p.advertised = BIT;
			w.p.pfc_pending = 0;
		}
		w.p.occ[C] = full ? w.p.cfg.xon + 1 : w.p.cfg.xon;
		w.p.use[C] = (struct buffer_use){ .main = 1, .headroom = full };
		assert_int_equal(storm_end(&w.cfg, &w.sw, &w.p, C), !full);
		assert_int_equal(w.p.fault.storm, 0);
		assert_int_equal(w.p.xoff, full ? BIT : 0);
		assert_int_equal(w.p.pfc_pending, full == sent ? 0 : BIT); /* a pending PAUSE is taken back */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wake__keeps_what_is_earlier),
		cmocka_unit_test(down__starts_flow_control_over),
		cmocka_unit_test(up__sends_pauses_anew),
		cmocka_unit_test(up__initialises_credits),
		cmocka_unit_test(storm__begins),
		cmocka_unit_test(storm__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
