// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose turn it is: inputs in a cycle, classes from the top, pauses respected. */
#include "tests/unit/unit.h"

#include "bpf/arbiter.h"
#include "bpf/pfc.h"

static struct pause_state idle(void)
{
	struct pause_state s;

	pause_init(&s);
	return s;
}

static void input__cycle(void **state)
{
	u64 inputs = 1ULL << 0 | 1ULL << 5 | 1ULL << 63;

	assert_int_equal(arbiter_input(inputs, 0), 0);
	assert_int_equal(arbiter_input(inputs, 1), 5);
	assert_int_equal(arbiter_input(inputs, 5), 5);
	assert_int_equal(arbiter_input(inputs, 6), 63);
	assert_int_equal(arbiter_input(inputs, 63), 63);
	assert_int_equal(arbiter_input(inputs, 64), 0); /* one behind the last */
	assert_int_equal(arbiter_input(1ULL << 5, 6), 5);
}

static void input__as_model(void **state)
{
	struct rng r = { .state = 9 };

	for (u32 i = 0; i < 50000; i++) {
		u64 inputs = (rng_next(&r) & rng_next(&r) & rng_next(&r)) | 1ULL << rng_below(&r, 64);
		u32 turn = rng_below(&r, 65), want = turn % 64;

		while (!(inputs >> want & 1))
			want = (want + 1) % 64;
		assert_int_equal(arbiter_input(inputs, turn), want);
	}
}

/* Everyone who waits is served once in a round. */
static void input__fair(void **state)
{
	u32 served[64] = { 0 }, turn = 17;
	u64 inputs = 0x8123456789abcdefULL;

	for (u32 i = 0; i < 10 * popcount64(inputs); i++) {
		u32 in = arbiter_input(inputs, turn);

		served[in]++;
		turn = in + 1;
	}
	for (u32 in = 0; in < 64; in++)
		assert_int_equal(served[in], inputs >> in & 1 ? 10 : 0);
}

static void class__priority(void **state)
{
	struct pause_state s = idle();

	assert_int_equal(arbiter_class(0, &s, 0), FAB_CLASSES);
	for (u32 busy = 1; busy < 256; busy++)
		assert_int_equal(arbiter_class(busy, &s, 0), 31 - __builtin_clz(busy));
}

/* Silent before `until`, free at it. */
static void class__paused(void **state)
{
	struct pause_state s = idle();

	s.until[7] = 1000;
	s.until[2] = 500;
	assert_int_equal(arbiter_class(1 << 7 | 1 << 2 | 1 << 0, &s, 499), 0);
	assert_int_equal(arbiter_class(1 << 7 | 1 << 2 | 1 << 0, &s, 500), 2);
	assert_int_equal(arbiter_class(1 << 7 | 1 << 2 | 1 << 0, &s, 999), 2);
	assert_int_equal(arbiter_class(1 << 7 | 1 << 2 | 1 << 0, &s, 1000), 7);
	assert_int_equal(arbiter_class(1 << 7 | 1 << 2, &s, 499), FAB_CLASSES);
}

static void ready__earliest(void **state)
{
	struct pause_state s = idle();

	assert_true(arbiter_ready(0, &s) == TIME_NEVER);
	assert_true(arbiter_ready(1 << 4, &s) == 0);
	s.until[4] = 900;
	s.until[7] = 800;
	assert_true(arbiter_ready(1 << 4, &s) == 900);
	assert_true(arbiter_ready(1 << 4 | 1 << 7, &s) == 800);
	assert_true(arbiter_ready(1 << 4 | 1 << 7 | 1 << 0, &s) == 0);
}

/* ready() and class() agree: at ready() there is a class, before it there is none. */
static void ready__agrees_with_class(void **state)
{
	struct rng r = { .state = 3 };

	for (u32 i = 0; i < 20000; i++) {
		struct pause_state s = idle();
		u8 busy = rng_next(&r);
		u64 at;

		for (u32 c = 0; c < FAB_CLASSES; c++)
			s.until[c] = rng_below(&r, 50);
		at = arbiter_ready(busy, &s);
		if (!busy) {
			assert_true(at == TIME_NEVER);
			continue;
		}
		assert_true(busy >> arbiter_class(busy, &s, at) & 1);
		if (at)
			assert_int_equal(arbiter_class(busy, &s, at - 1), FAB_CLASSES);
	}
}

/* Serve frames of @bytes from the classes in @busy @n times, and write down which. */
static void serve(struct wrr *t, u8 busy, const struct pause_state *s, const u32 *wrr_quantum, u32 bytes, u8 *got,
		  u32 n)
{
	while (n--) {
		u32 c = arbiter_class_wrr(busy, s, 0, wrr_quantum, t);

		*got++ = c;
		if (c < FAB_CLASSES)
			arbiter_wrr_sent(t, c, bytes);
	}
}

/*
 * By hand, turns of 200 and 100 bytes, frames of 90. Class 2: 200, 110, 20, then -70; class 5: 100, 10, then -80;
 * 2: 130, 40, -50; 5: 20, -70; 2: 150, 60, -30; 5: 30, -60; 2: 170, 80, -10; 5: 40, -50; 2: 190, 100, 10, -80; 5: 50,
 * -40.
 */
static void class_wrr__by_hand(void **state)
{
	static const u8 want[] = { 2, 2, 2, 5, 5, 2, 2, 5, 2, 2, 5, 2, 2, 5, 2, 2, 2, 5 };
	static const u32 turn[FAB_CLASSES] = { 100, 100, 200, 100, 100, 100, 100, 100 };
	struct pause_state s = idle();
	struct wrr t = { 0 };
	u8 got[sizeof(want)];

	serve(&t, 1 << 2 | 1 << 5, &s, turn, 90, got, sizeof(want));
	assert_memory_equal(got, want, sizeof(want));
	assert_int_equal(t.left[2], -80);
	assert_int_equal(t.left[5], -40);
}

/* What is left of a turn is gone when another class takes over; what was sent ahead is owed all the same. */
static void class_wrr__leftovers(void **state)
{
	static const u32 turn[FAB_CLASSES] = { 100, 100, 100, 100, 100, 100, 100, 100 };
	static const u8 want[] = { 1, 4, 4, 1, 1, 4 };
	struct pause_state s = idle();
	struct wrr t = { 0 };
	u8 got[sizeof(want)];

	serve(&t, 1 << 1 | 1 << 4, &s, turn, 60, got, 1); /* class 1: 40 left */
	s.until[1] = 1000;
	serve(&t, 1 << 1 | 1 << 4, &s, turn, 60, got + 1, 2); /* class 4: 40, -20 */
	s.until[1] = 0;
	serve(&t, 1 << 1 | 1 << 4, &s, turn, 60, got + 3, 3); /* class 1: 100 again, not 140; then 4: -20 + 100 */
	assert_memory_equal(got, want, sizeof(want));
	assert_int_equal(t.left[1], -20);
	assert_int_equal(t.left[4], 20);
}

static void class_wrr__nobody(void **state)
{
	static const u32 turn[FAB_CLASSES] = { 100, 100, 100, 100, 100, 100, 100, 100 };
	struct wrr t = { .left = { [3] = 50 }, .at = 3 };
	struct pause_state s = idle();

	assert_int_equal(arbiter_class_wrr(0, &s, 0, turn, &t), FAB_CLASSES);
	s.until[3] = 10;
	assert_int_equal(arbiter_class_wrr(1 << 3, &s, 9, turn, &t), FAB_CLASSES);
	assert_int_equal(arbiter_class_wrr(1 << 3, &s, 10, turn, &t), 3);
	assert_int_equal(t.left[3], 50); /* its turn goes on */
	t.left[3] = 0;
	assert_int_equal(arbiter_class_wrr(1 << 3, &s, 10, turn, &t), 3); /* alone: a new turn at once */
	assert_int_equal(t.left[3], 100);
}

/* With frames of any size the bytes of classes that always wait are as their weights, to a turn and a frame. */
static void class_wrr__shares(void **state)
{
	u32 weight[FAB_CLASSES] = { 1, 2, 3, 5, 8, 13, 21, 34 }, turn[FAB_CLASSES];
	u64 sent[FAB_CLASSES] = { 0 }, rounds;
	struct pause_state s = idle();
	struct wrr t = { 0 };
	struct rng r = { .state = 2 };

	for (u32 c = 0; c < FAB_CLASSES; c++)
		turn[c] = weight[c] * 1098;
	for (u32 i = 0; i < 100000; i++) {
		u32 bytes = 84 + rng_below(&r, 1015), c = arbiter_class_wrr(0xff, &s, 0, turn, &t);

		arbiter_wrr_sent(&t, c, bytes);
		sent[c] += bytes;
	}
	rounds = sent[0] / turn[0];
	assert_true(rounds > 500);
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		assert_true(sent[c] + 2 * turn[c] + 1098 >= rounds * turn[c]);
		assert_true(sent[c] <= (rounds + 2) * turn[c] + 1098);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(input__cycle),
		cmocka_unit_test(input__as_model),
		cmocka_unit_test(input__fair),
		cmocka_unit_test(class__priority),
		cmocka_unit_test(class__paused),
		cmocka_unit_test(class_wrr__by_hand),
		cmocka_unit_test(class_wrr__leftovers),
		cmocka_unit_test(class_wrr__nobody),
		cmocka_unit_test(class_wrr__shares),
		cmocka_unit_test(ready__earliest),
		cmocka_unit_test(ready__agrees_with_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
