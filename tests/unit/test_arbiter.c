// SPDX-License-Identifier: GPL-2.0
/* Whose turn it is: inputs in a circle, classes from the top, pauses respected. */
#include "tests/unit/unit.h"

#include "bpf/arbiter.h"
#include "bpf/pfc.h"

static struct pause_state idle(void)
{
	struct pause_state s;

	pause_init(&s);
	return s;
}

static void input__circle(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(input__circle),
		cmocka_unit_test(input__as_model),
		cmocka_unit_test(input__fair),
		cmocka_unit_test(class__priority),
		cmocka_unit_test(class__paused),
		cmocka_unit_test(ready__earliest),
		cmocka_unit_test(ready__agrees_with_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
