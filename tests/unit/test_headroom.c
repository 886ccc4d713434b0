// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pfc_headroom() is right to the byte: its worst case, played through the switch of bpf/advance.h with a sender that
 * obeys to the picosecond, fills the buffer and loses nothing; with one byte less it loses a frame. The sizes of the
 * frames are found here by trying, not by the formula.
 */
#include "tests/unit/advance_fabric.h"

#include <stdio.h>

#include "lab/plan/plan.h"

/* One link, and the frames that are sent over it. */
struct play {
	u32 ps, max; /* ps per byte; the longest frame */
	u64 delay;
	u32 xoff;
	u64 decided; /* when the frame that reaches XOFF arrives */
	u64 told;    /* when the PAUSE takes effect upstream */
	u64 fill;    /* bytes that come after the decision */
};

/* Fill the buffer of port 0 to a byte below XOFF; output 1 is paused all the time. Returns the time of the last frame.
 */
static u64 fill_up(const struct play *p, u32 buffer)
{
	u64 at = T0 + p->delay;

	reset(buffer, p->xoff, p->xoff - 1);
	w.ports[0].cfg.ps_per_byte = p->ps;
	w.ports[0].cfg.delay = p->delay;
	w.ports[1].cfg.ps_per_byte = 1000000; /* that its pause outlasts all the rest */
	inject_pfc(1, 1, 1 << CLASS, LONG);
	for (u32 i = 0; i < 3; i++, at += (u64)wire_bytes(p->max) * p->ps)
		inject(0, at, p->max, 1, CLASS);
	at += (u64)wire_bytes(60) * p->ps;
	inject(0, at, 60, 1, CLASS);
	return at;
}

/* The decision, and a frame of the longest on the wire back, begun one picosecond before. */
static void decide(struct play *p, u32 buffer)
{
	p->xoff = 3 * p->max + 60 + 1;
	p->decided = fill_up(p, buffer) + (u64)wire_bytes(p->max) * p->ps;
	inject(0, p->decided, p->max, 1, CLASS);
	inject(2, p->decided - 1, p->max, 0, CLASS);
}

/* When the first PAUSE reaches the sender upstream. */
static u64 pause_arrives(void)
{
	for (u32 i = 0; i < w.n_log; i++)
		if (w.log[i].id == FAB_NONE && w.log[i].port == 0 && w.log[i].pause >> CLASS & 1)
			return w.log[i].arrival;
	fail_msg("no PAUSE");
	return 0;
}

/*
 * The most bytes that frames have whose wire bytes add up to @span at most: any sum from @n * 84 to @n times the
 * longest can be had from n frames. *frames: of how many.
 */
static u64 most_bytes(u64 span, u32 max, u64 *frames)
{
	u64 best = 0;

	for (u64 n = 1; n * wire_bytes(60) <= span; n++) {
		u64 wire = span < n * wire_bytes(max) ? span : n * wire_bytes(max);

		if (wire - n * 24 > best) {
			best = wire - n * 24;
			*frames = n;
		}
	}
	return best;
}

/* Send the worst: @frames of @bytes in all from the moment that the wire is free, and the longest as the last. */
static void send_worst(struct play *p, u64 bytes, u64 frames)
{
	u64 start = p->decided - p->delay;

	p->fill = 0;
	for (; frames; frames--) {
		u64 len = bytes - (frames - 1) * 60 < p->max ? bytes - (frames - 1) * 60 : p->max;

		assert_in_range(len, 60, p->max);
		assert_true(start < p->told);
		start += (u64)wire_bytes(len) * p->ps;
		inject(0, start + p->delay, len, 1, CLASS);
		bytes -= len;
		p->fill += len;
	}
	assert_int_equal(bytes, 0);
	/* The last one just begins; after it there is silence. */
	assert_true(start < p->told);
	start += (u64)wire_bytes(p->max) * p->ps;
	assert_true(start >= p->told);
	inject(0, start + p->delay, p->max, 1, CLASS);
	p->fill += p->max;
}

/* Returns what is needed above XOFF, as the play has it. */
static u64 worst_case(struct play *p)
{
	u64 frames = 0, bytes;

	decide(p, 1 << 30);
	assert_int_equal(run(p->decided + PS_PER_MS), 0);
	p->told = pause_arrives();
	bytes = most_bytes((p->told - 1 - (p->decided - p->delay)) / p->ps, p->max, &frames);
	decide(p, 1 << 30);
	send_worst(p, bytes, frames);
	assert_int_equal(run(p->told + 2 * p->delay + PS_PER_MS), 0);
	assert_true(pause_arrives() == p->told);
	assert_int_equal(w.ports[0].stats.drops[FAB_DROP_BUFFER], 0);
	assert_int_equal(w.ports[0].stats.max_buffer, p->xoff - 1 + p->max + p->fill);
	return w.ports[0].stats.max_buffer - p->xoff;
}

/* The same with a buffer of @above bytes over XOFF: the frames that it loses. */
static u64 lost_with(struct play *p, u64 above)
{
	u64 frames = 0, bytes = most_bytes((p->told - 1 - (p->decided - p->delay)) / p->ps, p->max, &frames);

	decide(p, p->xoff + above);
	send_worst(p, bytes, frames);
	assert_int_equal(run(p->told + 2 * p->delay + PS_PER_MS), 0);
	assert_true(w.ports[0].stats.max_buffer <= p->xoff + above);
	return w.ports[0].stats.drops[FAB_DROP_BUFFER];
}

static void check(u32 ps, u64 delay, u32 max)
{
	struct play p = { .ps = ps, .delay = delay, .max = max };
	u64 need = worst_case(&p), formula = pfc_headroom(ps, delay, max);

	if (formula != need)
		fail_msg("%u ps/B, %llu ps, %u B: computed %llu, worst case %llu", ps, delay, max, formula, need);
	assert_int_equal(lost_with(&p, need), 0);
	assert_int_equal(lost_with(&p, need - 1), 1);
}

static void headroom__to_the_byte(void **state)
{
	static const u32 rates[] = { 20, 80, 200, 320, 800 };
	static const u32 sizes[] = { 60, 61, 100, 138, 586, 1074, 2122 };
	static const u64 delays[] = { 1, 2, 99, 100, 101, 33333, 500000, 2000000 };

	for (u32 r = 0; r < 5; r++)
		for (u32 s = 0; s < 7; s++)
			for (u32 d = 0; d < 8; d++)
				check(rates[r], delays[d], sizes[s]);
}

/* Every remainder that the span can have when it is cut into frames: the last one short, too short, or none. */
static void headroom__every_remainder(void **state)
{
	for (u32 byte = 0; byte <= 400; byte++) {
		check(200, 20000 + byte * 100, 138);
		check(200, 20000 + byte * 100, 60);
		check(200, 20000 + byte * 100, 118);
	}
}

static void headroom__random(void **state)
{
	struct rng rng = { .state = 20 };

	for (u32 i = 0; i < 3000; i++) {
		u32 ps = 20 + rng_below(&rng, 400);

		check(ps, 1 + rng_below(&rng, ps * 10000ULL), 60 + rng_below(&rng, 2063));
	}
}

/*
 * By hand, for mtu 1000 at 40 Gb/s and 2 us: M = 54 + 16 + 1000 + 4 = 1074, W = 1098. K = 1098 + 84 + 3999998 / 200 =
 * 21181 = 19 * 1098 + 319: 19 of the longest, and one of 319 - 24. 1073 + 19 * 1074 + 295 + 1074 = 22848.
 */
static void headroom__by_hand(void **state)
{
	struct pfc_headroom h = pfc_headroom_terms(200, 2 * PS_PER_US, 1074);

	assert_int_equal(pfc_headroom(200, 2 * PS_PER_US, 1074), 1073 + 19 * 1074 + 295 + 1074);
	assert_int_equal(h.deciding, 1073);
	assert_int_equal(h.back, 1098);
	assert_int_equal(h.pause, 84);
	assert_int_equal(h.flight, 19999);
	assert_int_equal(h.last, 1074);
	assert_int_equal(h.gaps, 20 * 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headroom__by_hand),
		cmocka_unit_test(headroom__to_the_byte),
		cmocka_unit_test(headroom__every_remainder),
		cmocka_unit_test(headroom__random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
