// SPDX-License-Identifier: GPL-2.0-or-later
/* The switch's event loop: exact times, buffers, PFC, turns and ties. */
#include "tests/unit/advance_fabric.h"

#define ROOMY 1000000

/* Departure @i is frame @id at @port, and reaches the far end at @arrival. */
static void assert_departure(u32 i, u32 port, u32 id, u64 arrival)
{
	assert_true(i < w.n_log);
	assert_int_equal(w.log[i].port, port);
	assert_int_equal(w.log[i].id, id);
	assert_int_equal(w.log[i].arrival, arrival);
}

static void assert_pfc(u32 i, u32 port, u64 arrival, u8 pause, u8 resume)
{
	assert_departure(i, port, FAB_NONE, arrival);
	assert_int_equal(w.log[i].pause, pause);
	assert_int_equal(w.log[i].resume, resume);
}

/* Keep @port's class silent from @time on. */
static void block(u32 port, u64 time)
{
	inject_pfc(port, time, 1 << CLASS, LONG);
}

static void depart__store_and_forward(void **state)
{
	u32 a, b, c;

	reset(ROOMY, 0, 0);
	w.ports[2].cfg.ps_per_byte = 80;
	w.ports[2].cfg.delay = 500000;
	a = inject(0, T0, 1058, 1, CLASS);
	b = inject(0, T0 + 5, 62, 1, CLASS);
	c = inject(3, T0 + 7, 1058, 2, CLASS);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.n_log, 3);
	assert_departure(0, 1, a, T0 + 1082 * 200 + DELAY);
	assert_departure(1, 2, c, T0 + 7 + 1082 * 80 + 500000);
	assert_departure(2, 1, b, T0 + 1082 * 200 + 86 * 200 + DELAY);
	assert_int_equal(w.ports[1].stats.tx_frames, 2);
	assert_int_equal(w.ports[1].stats.tx_bytes, 1120);
	assert_int_equal(w.ports[0].stats.rx_bytes, 1120);
	assert_int_equal(w.ports[0].occ[CLASS], 0);
	assert_int_equal(w.ports[0].stats.max_buffer, 1058); /* b came after a had left the buffer */
	assert_int_equal(w.top, FRAMES);
}

/* Windows are half-open: an event at their end belongs to the next. */
static void step__half_open(void **state)
{
	reset(ROOMY, 0, 0);
	inject(0, T0, 100, 1, CLASS);
	inject(0, T0, 100, 1, CLASS);
	assert_int_equal(run(T0), 0);
	assert_int_equal(w.ports[0].stats.rx_frames, 0);
	assert_true(KEY_TIME(w.sw.best) == T0);
	assert_int_equal(run(T0 + 1), 0);
	assert_int_equal(w.n_log, 1);
	assert_int_equal(run(T0 + ser(100)), 0);
	assert_int_equal(w.n_log, 1);
	assert_int_equal(run(T0 + ser(100) + 1), 0);
	assert_int_equal(w.n_log, 2);
	assert_true(w.sw.best == KEY_NEVER);
}

/* The buffer takes bytes to its last; the next byte drops the frame. Classes have buffers of their own. */
static void admit__tail_drop(void **state)
{
	reset(3000, 0, 0);
	block(1, T0);
	inject(0, T0 + 1, 1000, 1, CLASS);
	inject(0, T0 + 2, 1000, 1, CLASS);
	inject(0, T0 + 3, 1001, 1, CLASS);
	inject(0, T0 + 4, 1000, 1, CLASS);
	inject(0, T0 + 5, 60, 1, CLASS);
	inject(0, T0 + 6, 3000, 2, 0);
	inject(2, T0 + 7, 3000, 1, CLASS);
	assert_int_equal(run(T0 + 10), 0);
	assert_int_equal(w.ports[0].stats.drops[FAB_DROP_BUFFER], 2);
	assert_int_equal(w.ports[0].occ[CLASS], 3000);
	assert_int_equal(w.ports[0].stats.max_buffer, 3000);
	assert_int_equal(w.ports[2].stats.drops[FAB_DROP_BUFFER], 0);
	assert_int_equal(w.ports[1].queue[CLASS], 6000);
	assert_int_equal(w.ports[1].stats.max_queue, 6000);
	assert_int_equal(w.n_log, 1);
	assert_int_equal(w.top, FRAMES - 4);
}

/* Room is given back when transmission starts; an arrival at that very time comes first and still finds none. */
static void admit__before_departure(void **state)
{
	u64 t1 = T0 + ser(1000);

	reset(2000, 0, 0);
	inject(0, T0, 1000, 1, CLASS);     /* leaves at once */
	inject(0, T0 + 1, 1000, 1, CLASS); /* leaves at t1 */
	inject(0, T0 + 2, 1000, 1, CLASS);
	inject(0, t1, 1000, 1, CLASS);
	inject(0, t1 + 1, 1000, 1, CLASS);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[0].stats.drops[FAB_DROP_BUFFER], 1);
	assert_int_equal(w.n_log, 4);
}

/* A PAUSE that arrives as a departure is due holds it; one picosecond later it is too late. */
static void receive_pfc__before_departure(void **state)
{
	for (u64 late = 0; late < 2; late++) {
		u64 free = T0 + ser(500);

		reset(ROOMY, 0, 0);
		inject(0, T0, 500, 1, CLASS);
		inject(0, T0 + 1, 400, 1, CLASS);
		inject_pfc(1, free + late, 1 << CLASS, 100);
		assert_int_equal(run(TIME_LIMIT), 0);
		assert_int_equal(w.n_log, 2);
		assert_int_equal(w.log[1].arrival, free + (late ? 0 : 100 * 12800) + ser(400) + DELAY);
		assert_int_equal(w.ports[1].stats.pause_rx, 1);
	}
}

/* A pause ends by itself after its quanta; another class is not touched. */
static void receive_pfc__expires(void **state)
{
	u32 a, b;

	reset(ROOMY, 0, 0);
	inject_pfc(1, T0, 1 << CLASS, 1000);
	a = inject(0, T0 + 1, 500, 1, CLASS);
	b = inject(0, T0 + 2, 600, 1, 5);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_departure(0, 1, b, T0 + 2 + ser(600) + DELAY);
	assert_departure(1, 1, a, T0 + 12800000 + ser(500) + DELAY);
	pause_account(&w.ports[1].pause, CLASS, TIME_LIMIT);
	assert_int_equal(pause_accounted(&w.ports[1].pause), 12800000);
}

static void receive_pfc__resume(void **state)
{
	u32 a;

	reset(ROOMY, 0, 0);
	block(1, T0);
	a = inject(0, T0 + 1, 500, 1, CLASS);
	inject_pfc(1, T0 + 777, 1 << CLASS, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_departure(0, 1, a, T0 + 777 + ser(500) + DELAY);
	assert_int_equal(w.ports[1].stats.resume_rx, 1);
	assert_int_equal(pause_accounted(&w.ports[1].pause), 777);
}

/* PAUSE when the buffer reaches XOFF, to the byte; resume when it has fallen to XON, to the byte. */
static void occupy__thresholds(void **state)
{
	u64 go = T0 + 100000;

	reset(ROOMY, 3000, 1000);
	block(1, T0);
	inject(0, T0 + 1, 2999, 1, CLASS);
	assert_int_equal(run(T0 + 2), 0);
	assert_int_equal(w.n_log, 0);
	inject(0, T0 + 3, 60, 1, CLASS); /* 3059 */
	inject(0, T0 + 4, 940, 1, CLASS);
	assert_int_equal(run(T0 + 100), 0);
	assert_int_equal(w.n_log, 1);
	assert_pfc(0, 0, T0 + 3 + ser(60) + DELAY, 1 << CLASS, 0);
	inject_pfc(1, go, 1 << CLASS, 0);
	assert_int_equal(run(go + 1), 0); /* 2999 leaves: 1000 are left */
	assert_int_equal(w.n_log, 3);
	assert_pfc(2, 0, go + ser(60) + DELAY, 0, 1 << CLASS);
	assert_int_equal(w.ports[0].stats.pause_tx, 1);
	assert_int_equal(w.ports[0].stats.resume_tx, 1);
}

static void occupy__one_above_xon(void **state)
{
	reset(ROOMY, 3000, 999);
	block(1, T0);
	inject(0, T0 + 1, 2000, 1, CLASS);
	inject(0, T0 + 2, 1000, 1, CLASS); /* 3000: XOFF */
	assert_int_equal(run(T0 + 3), 0);
	assert_int_equal(w.n_log, 1);
	inject_pfc(1, T0 + 100, 1 << CLASS, 0);
	assert_int_equal(run(T0 + 101), 0);
	assert_int_equal(w.n_log, 2); /* 1000 left, no resume */
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_pfc(3, 0, T0 + 100 + ser(2000) + ser(60) + DELAY, 0, 1 << CLASS);
}

/* A PFC frame goes ahead of all data, but does not cut into a frame on the wire. */
static void send_pfc__waits_for_the_wire(void **state)
{
	u32 a, b;

	reset(ROOMY, 2000, 1000);
	a = inject(1, T0, 1058, 0, CLASS);     /* on port 0's wire until T0 + ser */
	b = inject(1, T0 + 1, 1058, 0, CLASS); /* behind it */
	block(1, T0 + 2);
	inject(0, T0 + 3, 2000, 1, CLASS);
	assert_int_equal(run(T0 + 10000000), 0);
	assert_int_equal(w.n_log, 3);
	assert_departure(0, 0, a, T0 + ser(1058) + DELAY);
	assert_pfc(1, 0, T0 + ser(1058) + ser(60) + DELAY, 1 << CLASS, 0);
	assert_departure(2, 0, b, T0 + 2 * ser(1058) + ser(60) + DELAY);
}

/* What it says is what holds when it starts: a pause that has become pointless is not asked for. */
static void send_pfc__says_what_holds(void **state)
{
	reset(ROOMY, 2000, 1000);
	w.ports[1].cfg.xoff = ROOMY;
	inject(1, T0, 4000, 0, CLASS);
	inject(0, T0 + 1, 500, 1, CLASS); /* keeps port 1 busy for a moment */
	inject(0, T0 + 2, 2000, 1, CLASS);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[0].stats.max_buffer, 2000);
	assert_int_equal(w.ports[0].stats.pause_tx, 0);
	for (u32 i = 0; i < w.n_log; i++)
		assert_false(w.log[i].pause);
}

/* While above XON each PAUSE is repeated before it can run out at the far end, even behind a full frame. */
static void refresh__before_expiry(void **state)
{
	u64 quanta = 65535 * 12800ULL, end = 10 * PS_PER_MS, last;
	u32 pauses = 0;

	reset(ROOMY, 2000, 1000);
	w.ports[2].cfg.xoff = ROOMY;
	for (u64 t = T0; t < end; t += 20 * PS_PER_US)
		inject_pfc(1, t, 1 << CLASS, LONG);
	inject(0, T0 + 3, 2000, 1, CLASS);
	last = T0 + 3 + ser(60) + DELAY;
	for (u64 t = T0 + 4; t < end; t += ser(FRAME_MAX)) {
		inject(2, t, FRAME_MAX, 0, CLASS); /* keeps port 0's wire busy */
		assert_int_equal(run(t + 1), 0);
	}
	assert_int_equal(run(end), 0);
	for (u32 i = 0; i < w.n_log; i++) {
		if (w.log[i].id != FAB_NONE || w.log[i].port != 0)
			continue;
		assert_int_equal(w.log[i].pause, 1 << CLASS);
		assert_true(w.log[i].arrival < last + quanta);
		if (pauses)
			assert_true(w.log[i].arrival >= last + quanta / 2);
		last = w.log[i].arrival;
		pauses++;
	}
	assert_in_range(pauses, 23, 24); /* one per 0.42 ms */
	assert_int_equal(w.ports[0].stats.pause_tx, pauses);
	inject_pfc(1, end, 1 << CLASS, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[0].stats.resume_tx, 1);
	assert_int_equal(w.ports[0].stats.pause_tx, pauses); /* and no more */
}

/* One frame per input and turn, in order within each; the turn goes on where it stopped. */
static void dequeue__round_robin(void **state)
{
	static const u8 want[] = { 0, 1, 2, 0, 1, 2, 1, 2, 2 };
	u32 id[3][5], next[3] = { 0 };

	reset(ROOMY, 0, 0);
	block(3, T0);
	for (u32 i = 0; i < 3; i++)
		for (u32 n = 0; n < 2 + i; n++)
			id[i][n] = inject(i, T0 + 1 + n, 500, 3, CLASS);
	inject_pfc(3, T0 + 100, 1 << CLASS, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.n_log, 9);
	for (u32 i = 0; i < 9; i++) {
		u32 in = want[i];

		assert_departure(i, 3, id[in][next[in]], T0 + 100 + (i + 1) * ser(500) + DELAY);
		next[in]++;
	}
}

/* The higher class goes first, paused classes are passed over. */
static void dequeue__classes(void **state)
{
	u32 low, high, middle;

	reset(ROOMY, 0, 0);
	inject_pfc(3, T0, 0xff, 1000);
	low = inject(0, T0 + 1, 500, 3, 0);
	middle = inject(1, T0 + 1, 500, 3, 4);
	high = inject(2, T0 + 1, 500, 3, 7);
	inject_pfc(3, T0 + 100, 1 << 0 | 1 << 4, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_departure(0, 3, middle, T0 + 100 + ser(500) + DELAY);
	assert_departure(1, 3, low, T0 + 100 + 2 * ser(500) + DELAY);
	assert_departure(2, 3, high, T0 + 12800000 + ser(500) + DELAY);
}

static void arrive__late(void **state)
{
	reset(ROOMY, 0, 0);
	inject(2, T0, 500, 1, CLASS);
	assert_int_equal(run(T0 + 100), 0);
	inject(3, T0, 500, 1, CLASS); /* as old as the clock: in time */
	assert_int_equal(run(T0 + 100), 0);
	inject(0, T0 - 1, 500, 1, CLASS);
	assert_int_equal(run(T0 + 200), -1);
	assert_int_equal(w.state.error, FAB_LATE);
	assert_int_equal(w.state.error_port, 0);
}

static void admit__no_route(void **state)
{
	reset(ROOMY, 0, 0);
	inject(0, T0, 500, PORTS, CLASS);
	inject(0, T0 + 1, 500, 12345, CLASS);
	w.frames[inject(0, T0 + 2, 60, PORTS, CLASS)].flags = 0; /* an ACK */
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.n_log, 0);
	assert_int_equal(w.ports[0].stats.drops[FAB_DROP_NO_ROUTE], 3);
	assert_int_equal(w.ports[0].stats.data_drops[FAB_DROP_NO_ROUTE], 2);
	assert_int_equal(w.ports[0].occ[CLASS], 0);
	assert_int_equal(w.top, FRAMES);
}

/* Losses on the way in and on the way out, each at its rate, each counted, the wire's time spent all the same. */
static void admit__random_loss(void **state)
{
	struct port *in = &w.ports[0], *out = &w.ports[1];
	u64 sent = 4000, left;

	reset(ROOMY, 0, 0);
	in->cfg.loss_in = 0.2 * 4294967296.0;
	out->cfg.loss_out = 0.1 * 4294967296.0;
	for (u64 i = 0; i < sent; i++)
		inject(0, T0 + i * ser(100), 100, 1, CLASS);
	assert_int_equal(run(TIME_LIMIT), 0);
	left = sent - in->stats.drops[FAB_DROP_LOSS];
	assert_int_equal(in->stats.rx_frames, sent);
	assert_binomial(in->stats.drops[FAB_DROP_LOSS], sent, 0.2);
	assert_binomial(out->stats.drops[FAB_DROP_LOSS], left, 0.1);
	assert_int_equal(out->stats.tx_frames, left);
	assert_int_equal(out->stats.lost_out_frames, out->stats.drops[FAB_DROP_LOSS]);
	assert_int_equal(in->stats.data_drops[FAB_DROP_LOSS], in->stats.drops[FAB_DROP_LOSS]);
	assert_int_equal(out->stats.data_drops[FAB_DROP_LOSS], out->stats.drops[FAB_DROP_LOSS]);
	assert_int_equal(w.n_log, left - out->stats.lost_out_frames);
	assert_int_equal(w.top, FRAMES);
	for (u32 i = 0; i < w.n_log; i++)
		assert_int_equal((w.log[i].arrival - DELAY - T0) % ser(100), 0);
}

/* Marked by the bytes ahead of it in all VOQs of its output. */
static void enqueue__marks(void **state)
{
	reset(ROOMY, 0, 0);
	w.cfg.ecn = 1;
	w.cfg.kmin = w.cfg.kmax = 2000;
	w.cfg.pmax = ~0U;
	block(1, T0);
	inject(0, T0 + 1, 1000, 1, CLASS);
	inject(2, T0 + 2, 1000, 1, CLASS);
	inject(3, T0 + 3, 1000, 1, CLASS);                            /* 2000 ahead: not above kmin */
	w.frames[inject(3, T0 + 4, 62, 1, CLASS)].flags = 0;          /* not ECN-capable */
	inject(0, T0 + 5, 1000, 1, CLASS);                            /* marked */
	inject(0, T0 + 6, 1000, 2, CLASS);                            /* another output */
	w.frames[inject(0, T0 + 7, 500, 1, CLASS)].flags |= FRAME_CE; /* marked before */
	inject_pfc(1, T0 + 100, 1 << CLASS, 0);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[1].stats.ecn_marks, 1);
	assert_int_equal(w.ports[2].stats.ecn_marks, 0);
	for (u32 i = 0, marked = 0; i < w.n_log; i++) {
		marked += !!(w.log[i].flags & FRAME_MARKED);
		assert_true(marked <= 1);
		if (w.log[i].flags & FRAME_MARKED)
			assert_true(w.log[i].flags & FRAME_CE);
	}
}

/* At one time: PFC frames, other arrivals, timers, departures, whatever the ports and the seed. */
static void next__kinds_at_equal_time(void **state)
{
	static const u8 want[] = { EV_PFC_ARRIVAL, EV_ARRIVAL, EV_TIMER, EV_DEPARTURE, EV_DEPARTURE };

	for (u64 seed = 0; seed < 24; seed++) {
		u32 turn = seed % PORTS, pfc = turn, data = (turn + 1) % PORTS, timer = (turn + 2) % PORTS,
		    out = (turn + 3) % PORTS;
		u64 now = T0 + ser(100);

		reset(ROOMY, 0, 0);
		w.cfg.seed = seed;
		inject(data, T0, 100, out, CLASS);
		inject(data, T0, 100, out, CLASS); /* to depart at `now` */
		assert_int_equal(run(now), 0);
		w.ports[timer].xoff = 1 << CLASS;
		w.ports[timer].refresh[CLASS] = now;
		w.sw.key[timer] = port_key(&w.ports[timer], now);
		inject_pfc(pfc, now, 1 << CLASS, LONG);
		inject(data, now, 100, pfc, CLASS);
		assert_int_equal(sw_begin(&w.sw), 0);
		for (u32 i = 0; i < 5; i++) {
			assert_int_equal(sw_step(&w.sw, 0, now + 1), 1);
			assert_true(w.sw.best == KEY(now, want[i]));
		}
		assert_int_equal(sw_step(&w.sw, 0, now + 1), 0);
	}
}

/* Of two ports whose events tie each comes first about half of the time, whichever the seed. */
static void next__ties_are_fair(void **state)
{
	u32 first = 0, same = 0, trials = 4000;
	u8 before[4000];

	for (u64 seed = 1; seed <= 2; seed++) {
		reset(ROOMY, 0, 0);
		w.cfg.seed = seed;
		for (u32 i = 0; i < trials; i++) {
			u64 t = T0 + i * PS_PER_US;

			inject(1, t, 100, 3, CLASS);
			inject(2, t, 100, 3, CLASS);
			assert_int_equal(sw_begin(&w.sw), 0);
			assert_int_equal(sw_step(&w.sw, 0, t + 1), 1);
			assert_true(w.sw.best_port == 1 || w.sw.best_port == 2);
			if (seed == 1)
				before[i] = w.sw.best_port;
			same += seed == 2 && before[i] == w.sw.best_port;
			first += w.sw.best_port == 1;
			assert_int_equal(run(t + PS_PER_US), 0);
		}
	}
	assert_binomial(first, 2 * trials, 0.5);
	assert_binomial(same, trials, 0.5);
}

/* Everything at once, at random: nothing lost in silence, order kept, wires never shared, buffers never exceeded. */
static void step__chaos(void **state)
{
	u64 drops = 0, departed = 0, pauses = 0;

	for (u64 seed = 0; seed < 30; seed++) {
		struct rng rng = { .state = seed };
		u32 sent = 0, data = 0, dropped = 0;

		reset(20000, seed % 3 ? 15000 : 0, 9000);
		for (u32 i = 0; i < 100; i++) {
			chaos_window(&rng, T0 + i * DELAY, &sent);
			assert_int_equal(run(T0 + (i + 1) * DELAY), 0);
		}
		assert_int_equal(run(TIME_LIMIT), 0);
		assert_order();
		for (u32 i = 0; i < w.n_log; i++)
			data += w.log[i].id != FAB_NONE;
		for (u32 i = 0; i < PORTS; i++) {
			const struct port *p = &w.ports[i];

			dropped += p->stats.drops[FAB_DROP_BUFFER];
			pauses += p->stats.pause_tx;
			assert_true(p->stats.max_buffer <= 20000);
			assert_false(p->busy_classes || p->xoff || p->pfc_pending);
			for (u32 c = 0; c < FAB_CLASSES; c++)
				assert_false(p->occ[c] || p->queue[c] || p->inputs[c]);
		}
		assert_int_equal(sent, data + dropped);
		assert_int_equal(w.top, FRAMES);
		drops += dropped;
		departed += data;
	}
	assert_true(drops > 1000 && departed > 10000 && pauses > 100);
}

/* The computed headroom loses nothing, and is needed but for the gaps between frames. */
static void headroom__lossless(void **state)
{
	u32 headroom = pfc_headroom(PS, DELAY, MTU_FRAME);
	u64 drops, max = fill(headroom, 0, &drops);

	assert_int_equal(drops, 0);
	assert_true(max > 60000 - 2 * MTU_FRAME);
	fill(headroom - 2 * MTU_FRAME, 0, &drops);
	assert_true(drops > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depart__store_and_forward),
		cmocka_unit_test(step__half_open),
		cmocka_unit_test(admit__tail_drop),
		cmocka_unit_test(admit__before_departure),
		cmocka_unit_test(receive_pfc__before_departure),
		cmocka_unit_test(receive_pfc__expires),
		cmocka_unit_test(receive_pfc__resume),
		cmocka_unit_test(occupy__thresholds),
		cmocka_unit_test(occupy__one_above_xon),
		cmocka_unit_test(send_pfc__waits_for_the_wire),
		cmocka_unit_test(send_pfc__says_what_holds),
		cmocka_unit_test(refresh__before_expiry),
		cmocka_unit_test(dequeue__round_robin),
		cmocka_unit_test(dequeue__classes),
		cmocka_unit_test(arrive__late),
		cmocka_unit_test(admit__no_route),
		cmocka_unit_test(admit__random_loss),
		cmocka_unit_test(enqueue__marks),
		cmocka_unit_test(next__kinds_at_equal_time),
		cmocka_unit_test(next__ties_are_fair),
		cmocka_unit_test(step__chaos),
		cmocka_unit_test(headroom__lossless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
