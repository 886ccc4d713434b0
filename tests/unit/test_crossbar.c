// SPDX-License-Identifier: GPL-2.0-or-later
/* The crossbar: iSLIP's pointers, slots, speed-up, and what input queueing costs with one queue and with many. */
#include <stdbool.h>

#define PORTS 8
#include "tests/unit/advance_fabric.h"

#define ROOMY 10000000
#define LEN 1000
#define WIRE 1024ULL /* of LEN: what crosses */
#define LOW 1
#define HIGH 6

static void crossbar(u32 iterations, u32 speedup, u32 output_buffer, u32 fifo)
{
	reset(ROOMY, 0, 0);
	w.cfg.iterations = iterations;
	w.cfg.speedup = speedup;
	w.cfg.output_buffer = output_buffer;
	w.cfg.fifo = fifo;
}

/* Events up to and with the next slot's begin; false if none is left before @until. */
static bool next_slot(u64 until)
{
	int more;

	do {
		more = sw_step(&w.sw, 0, until);
		assert_true(more >= 0);
	} while (more && KEY_KIND(w.sw.best) != EV_SLOT);
	return more;
}

static void begin(void)
{
	assert_int_equal(sw_begin(&w.sw), 0);
}

/* @each frames of LEN from each of @n inputs to each of @n outputs, all there at T0. */
static void fill_all(u32 n, u32 each)
{
	for (u32 in = 0; in < n; in++)
		for (u32 i = 0; i < each; i++)
			for (u32 out = 0; out < n; out++)
				inject(in, T0, LEN, out, CLASS);
	begin();
}

/*
 * McKeown 1999, section III: from equal pointers one iteration matches one pair, then the pointers part: two, three,
 * four, and then all outputs serve another input in every slot for as long as all have frames.
 */
static void islip__pointers_part(void **state)
{
	static const u32 matched[] = { 1, 2, 3, 4, 4, 4, 4, 4, 4, 4 };

	crossbar(1, 100, 16384, 0);
	fill_all(4, 10);
	for (u32 i = 0; i < sizeof(matched) / sizeof(matched[0]); i++) {
		assert_true(next_slot(TIME_NEVER));
		assert_int_equal(KEY_TIME(w.sw.best), T0 + i * WIRE * PS);
		assert_int_equal(popcount64(w.sw.matched), matched[i]);
	}
}

/* Four iterations match all four at once; but only what the first has accepted moves a pointer. */
static void islip__first_iteration_moves(void **state)
{
	crossbar(4, 100, 16384, 0);
	fill_all(4, 10);
	assert_true(next_slot(TIME_NEVER));
	assert_int_equal(w.sw.matched, 0xf);
	assert_int_equal(w.ports[0].turn[CLASS], 1);
	assert_int_equal(w.ports[0].accept[CLASS], 1);
	for (u32 i = 1; i < 4; i++) {
		assert_int_equal(w.ports[i].match_in, i); /* the next who is free, from pointer 0 */
		assert_int_equal(w.ports[i].turn[CLASS], 0);
		assert_int_equal(w.ports[i].accept[CLASS], 0);
	}
}

/* Two iterations match two. */
static void islip__iterations_are_counted(void **state)
{
	for (u32 n = 1; n <= 4; n++) {
		crossbar(n, 100, 16384, 0);
		fill_all(4, 1);
		assert_true(next_slot(TIME_NEVER));
		assert_int_equal(popcount64(w.sw.matched), n);
	}
}

/* An output grants its highest class, an input accepts its highest: a low class that is next in the cycle waits. */
static void islip__priority(void **state)
{
	crossbar(1, 100, 16384, 0);
	inject(0, T0, LEN, 0, LOW);
	inject(1, T0, LEN, 0, HIGH); /* output 0: input 1 first */
	inject(1, T0, LEN, 1, LOW);  /* input 1: output 0 first */
	begin();
	assert_true(next_slot(TIME_NEVER));
	assert_int_equal(w.sw.matched, 1 << 0);
	assert_int_equal(w.ports[0].match_in, 1);
	assert_int_equal(w.ports[0].match_class, HIGH);
	assert_true(next_slot(TIME_NEVER));
	assert_int_equal(w.sw.matched, 1 << 0 | 1 << 1);
}

/*
 * By hand. Frames of 1000 and 60 bytes cross, 1024 and 84 on the wire: the slot ends with the short one, the long one
 * goes on; each is sent from when it is through.
 */
static void slot__ends_with_the_first(void **state)
{
	crossbar(4, 100, 16384, 0);
	inject(0, T0, LEN, 2, CLASS);
	inject(1, T0, 60, 3, CLASS);
	assert_int_equal(run(T0 + DELAY), 0);
	assert_int_equal(w.n_log, 2);
	assert_int_equal(w.log[0].port, 3);
	assert_int_equal(w.log[0].arrival, T0 + 84 * PS + ser(60) + DELAY);
	assert_int_equal(w.log[1].port, 2);
	assert_int_equal(w.log[1].arrival, T0 + 1024 * PS + ser(LEN) + DELAY);
}

/* By hand. At speed-up 2 three frames for one output are through after 512, 1024 and 1536 bytes' time; the link sends
 * them in a row. At speed-up 1 the link has to wait for none either, but begins later. */
static void speedup__by_hand(void **state)
{
	for (u32 speedup = 100; speedup <= 200; speedup += 100) {
		u64 first = T0 + WIRE * PS * 100 / speedup;

		crossbar(1, speedup, 16384, 0);
		for (u32 in = 0; in < 3; in++)
			inject(in, T0, LEN, 5, CLASS);
		assert_int_equal(run(T0 + DELAY), 0);
		assert_int_equal(w.n_log, 3);
		for (u32 i = 0; i < 3; i++)
			assert_int_equal(w.log[i].arrival, first + (i + 1) * ser(LEN) + DELAY);
	}
}

/* By hand, to the next whole picosecond: 84 bytes of 200 ps at 1.33; what crosses in two parts is no faster. */
static void time__rounds_up(void **state)
{
	assert_int_equal(xbar_time(84, 200, 133), 12632);
	assert_int_equal(xbar_time(84, 200, 100), 16800);
	assert_int_equal(xbar_time(1, 10, 1600), 1);
	for (u32 part = 1; part < 84; part++)
		assert_true(xbar_time(part, 200, 133) + xbar_time(84 - part, 200, 133) >= 12632);
}

/* A frame that has been through another switch's crossbar begins anew. */
static void frame__begins_anew(void **state)
{
	crossbar(4, 100, 16384, 0);
	w.frames[inject(0, T0, LEN, 2, CLASS)].crossed = 500;
	assert_int_equal(run(T0 + DELAY), 0);
	assert_int_equal(w.log[0].arrival, T0 + WIRE * PS + ser(LEN) + DELAY);
}

/*
 * The link of an output breaks while one frame is sent, one has crossed, one is crossing and three wait: all but the
 * first end there and then, and the slot goes on for the others.
 */
static void broken__nothing_waits(void **state)
{
	for (u32 fifo = 0; fifo <= 1; fifo++) {
		u64 cut = T0 + WIRE * PS * 5 / 2;

		crossbar(4, 100, 16384, fifo);
		for (u32 i = 0; i < 6; i++)
			inject(0, T0, LEN, 5, CLASS);
		for (u32 i = 0; i < 6; i++)
			inject(1, T0, LEN, 6, CLASS);
		inject(2, T0, LEN, 5, HIGH); /* goes first */
		inject(2, T0, LEN, 6, CLASS);
		assert_int_equal(run(cut), 0);
		w.ports[5].fault.down = 1;
		w.ports[5].fault.drain = 0xff;
		sw_set_key(&w.sw, 5, KEY(cut, EV_TIMER));
		assert_int_equal(run(cut + 1), 0);
		assert_int_equal(w.ports[5].stats.tx_frames, 2);
		assert_int_equal(w.ports[5].stats.drops[FAB_DROP_LINK], 5);
		assert_int_equal(w.ports[0].occ[CLASS], 0);
		assert_int_equal(run(cut + DELAY), 0);
		assert_int_equal(w.ports[6].stats.tx_frames, 7);
		assert_int_equal(w.top, FRAMES);
	}
}

/*
 * The output of a class that is paused takes output_buffer bytes of it, one frame over at most; the rest waits in the
 * input queue, and is in the books of the input buffer, all of it.
 */
static void paused__stops_in_the_input(void **state)
{
	for (u32 limit = 1; limit <= 4001; limit += 1000) {
		crossbar(4, 100, limit, 0);
		inject_pfc(5, T0, 1 << CLASS, LONG);
		for (u32 i = 0; i < 20; i++)
			inject(0, T0 + 1, LEN, 5, CLASS);
		assert_int_equal(run(T0 + 50 * PS_PER_US), 0);
		assert_int_equal(w.n_log, 0);
		assert_int_equal(w.ports[5].staged[CLASS], (limit + LEN - 1) / LEN * LEN);
		assert_int_equal(w.ports[5].queue[CLASS], 20 * LEN);
		assert_int_equal(w.ports[0].occ[CLASS], 20 * LEN);
		assert_int_equal(w.sw.slot_key, KEY_NEVER); /* nothing to do until it may send */
		inject_pfc(5, T0 + 60 * PS_PER_US, 1 << CLASS, 0);
		assert_int_equal(run(T0 + 90 * PS_PER_US), 0);
		assert_int_equal(w.n_log, 20);
		assert_int_equal(w.ports[0].occ[CLASS], 0);
	}
}

/* Frames for an idle output behind one for a paused output: VOQs let them pass, a single queue does not. */
static void paused__head_of_line(void **state)
{
	for (u32 iterations = 0; iterations <= 4; iterations += 4) {
		for (u32 fifo = 0; fifo <= 1; fifo++) {
			crossbar(iterations, 100, 1, fifo);
			inject_pfc(5, T0, 1 << CLASS, LONG);
			for (u32 i = 0; i < 3; i++)
				inject(0, T0 + 1, LEN, 5, CLASS);
			for (u32 i = 0; i < 10; i++)
				inject(0, T0 + 2, LEN, 6, CLASS);
			inject(0, T0 + 2, LEN, 6, HIGH); /* another class has another queue */
			assert_int_equal(run(T0 + 50 * PS_PER_US), 0);
			assert_int_equal(w.ports[6].stats.tx_frames, fifo ? 1 : 11);
			inject_pfc(5, T0 + 60 * PS_PER_US, 1 << CLASS, 0);
			assert_int_equal(run(T0 + 90 * PS_PER_US), 0);
			assert_int_equal(w.ports[6].stats.tx_frames, 11);
			assert_int_equal(w.ports[5].stats.tx_frames, 3);
		}
	}
}

/* With the crossbar or without: whoever takes out of a single queue takes its head. */
static void fifo__keeps_order(void **state)
{
	for (u32 iterations = 0; iterations <= 4; iterations += 2) {
		u32 seen = 0, key = 0;

		crossbar(iterations, 100, 5000, 1);
		for (u32 i = 0; i < 300; i++)
			w.frames[inject(2, T0 + i * 1000, 60 + i * 37 % 900, i * 7 % PORTS, CLASS)].flow_key = ++key;
		assert_int_equal(run(T0 + 300 * PS_PER_US), 0);
		assert_int_equal(w.n_log, 300);
		for (u32 out = 0; out < PORTS; out++) {
			for (u32 i = 0, last = 0; i < w.n_log; i++) {
				if (w.log[i].port != out)
					continue;
				assert_true(w.log[i].key > last);
				last = w.log[i].key;
				seen++;
			}
		}
		assert_int_equal(seen, 300);
	}
}

/* What holds of any slot, checked as it begins. */
static void check_slot(u64 *ends)
{
	u64 in = 0;

	assert_true(KEY_TIME(w.sw.best) >= *ends); /* no slot cuts another short */
	*ends = w.sw.matched ? w.sw.slot_end : KEY_TIME(w.sw.best);
	for (u32 o = 0; o < PORTS; o++) {
		const struct port *p = &w.ports[o];

		for (u32 c = 0; c < FAB_CLASSES; c++)
			assert_true(p->staged[c] < w.cfg.output_buffer + 1560);
		if (!(w.sw.matched >> o & 1))
			continue;
		assert_false(in >> p->match_in & 1); /* an input feeds one output */
		in |= 1ULL << p->match_in;
		assert_true(p->inputs[p->match_class] >> p->match_in & 1);
		assert_true(p->staged[p->match_class] < w.cfg.output_buffer);
	}
	assert_int_equal(in | w.sw.free_in, ~0ULL);
	assert_int_equal(in & w.sw.free_in, 0);
	/* As many iterations as ports leave nobody unmatched who could be. */
	for (u32 o = 0; o < PORTS && w.cfg.iterations >= PORTS; o++)
		for (u32 c = 0; c < FAB_CLASSES && !(w.sw.matched >> o & 1); c++)
			assert_true(w.ports[o].staged[c] >= w.cfg.output_buffer ||
				    !(w.ports[o].inputs[c] & w.sw.free_in));
}

/* Anything at any time: matchings stay matchings, frames in order, and none is lost or kept. */
static void chaos__invariants(void **state)
{
	for (u32 seed = 1; seed <= 24; seed++) {
		struct rng rng = { .state = seed };
		u32 sent = 0, left = 0;
		u64 t = T0, ends = 0;

		crossbar(1 + seed % 3 * 7 % 16, 100 + seed % 4 * 50, seed % 2 ? 1 : 5000, seed / 2 % 2);
		for (u32 n = 0; n < 12; n++, t += DELAY) {
			chaos_window(&rng, t, &sent);
			begin();
			while (next_slot(t + DELAY))
				check_slot(&ends);
		}
		for (u32 p = 0; p < PORTS; p++)
			inject_pfc(p, t, 0xff, 0);
		assert_int_equal(run(t + 1000 * DELAY), 0);
		if (!w.cfg.fifo)
			assert_order();
		for (u32 p = 0; p < PORTS; p++) {
			left += w.ports[p].busy_classes;
			for (u32 c = 0; c < FAB_CLASSES; c++)
				left += w.ports[p].staged[c] + w.ports[p].occ[c] + w.ports[p].queue[c] +
					!!w.ports[p].inputs[c];
		}
		assert_int_equal(left, 0);
		assert_int_equal(w.top, FRAMES);
		assert_true(sent > 300);
	}
}

/*
 * @n inputs at line rate, each frame for one of @n outputs at random: the share of the outputs' time that is used, in
 * ten-thousandths, while all buffers are full, of @frames each.
 */
static u32 saturate(u32 n, u32 slots, u32 frames)
{
	struct rng rng = { .state = n };
	u64 sent = 0, t = T0, slot = WIRE * PS;

	w.cfg.buffer = frames * LEN;
	for (u32 i = 0; i < slots; i++, t += slot) {
		for (u32 in = 0; in < n; in++)
			inject(in, t, LEN, rng_below(&rng, n), CLASS);
		assert_int_equal(run(t + slot), 0);
		if (i == slots / 10)
			for (u32 out = 0; out < n; out++)
				sent -= w.ports[out].stats.tx_frames;
		w.n_log = 0;
	}
	for (u32 out = 0; out < n; out++)
		sent += w.ports[out].stats.tx_frames;
	return sent * 10000 / (n * (slots - 1 - slots / 10));
}

/*
 * Karol, Hluchyj and Morgan, "Input versus output queueing on a space-division packet switch" (IEEE Trans. Commun.
 * 35(12), 1987), table I: the saturation throughput of N inputs with one queue each. With VOQs and iSLIP it is all
 * but the moments in which a VOQ is empty, since a full buffer of random frames has few for some output; and a crossbar
 * twice as fast makes up for most of a single queue.
 */
static void saturation__as_known(void **state)
{
	static const u32 karol[PORTS + 1] = { 0, 10000, 7500, 6825, 6553, 6399, 6302, 6234, 6184 };

	for (u32 n = 1; n <= PORTS; n++) {
		crossbar(4, 100, 16384, 1);
		assert_in_range(saturate(n, 20000, 100), karol[n] - 60, karol[n] + 60);
	}
	for (u32 iterations = 1; iterations <= 4; iterations *= 4) {
		crossbar(iterations, 100, 16384, 0);
		assert_true(saturate(PORTS, 20000, 900) > 9800);
	}
	crossbar(4, 200, 16384, 1);
	assert_true(saturate(PORTS, 20000, 900) > 9200);
	crossbar(0, 100, 1, 0); /* outputs that take turns on their own: as if the crossbar were eight times as fast */
	assert_true(saturate(PORTS, 20000, 900) > 9900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(islip__pointers_part),
		cmocka_unit_test(islip__first_iteration_moves),
		cmocka_unit_test(islip__iterations_are_counted),
		cmocka_unit_test(islip__priority),
		cmocka_unit_test(slot__ends_with_the_first),
		cmocka_unit_test(speedup__by_hand),
		cmocka_unit_test(time__rounds_up),
		cmocka_unit_test(frame__begins_anew),
		cmocka_unit_test(broken__nothing_waits),
		cmocka_unit_test(paused__stops_in_the_input),
		cmocka_unit_test(paused__head_of_line),
		cmocka_unit_test(fifo__keeps_order),
		cmocka_unit_test(chaos__invariants),
		cmocka_unit_test(saturation__as_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
