// SPDX-License-Identifier: GPL-2.0-or-later
/* The accounts of a shared buffer: a worked table, the bounds, and that no byte is lost or made. */
#include "tests/unit/unit.h"

#include "bpf/buffer.h"

#define RESERVE 1000
#define HEADROOM 5000
#define ONE (1U << ALPHA_SHIFT)

/*
 * By hand, alpha 1/2, frames of 1000, a pool of 10000 for two classes A and B. Threshold = (10000 - used) / 2.
 *
 *	frame          A: main headroom  used  threshold  pause?
 *	A1             1000   0          0     5000       no: all in the reserve
 *	A2, A3, A4     4000   0          3000  3500       no
 *	A5: to 4000 of 3500, so into the headroom         yes
 *	A leaves       4000   0          3000  3500       headroom empty, but 3000 + 3072 > 3500: no resume
 *	A leaves       3000   0          2000  4000       2000 + 3072 > 4000: no
 *	A leaves       2000   0          1000  4500       1000 + 3072 <= 4500: resume
 */
static void take__by_hand(void **state)
{
	static const struct {
		u32 main, headroom, used, threshold;
		int pause;
	} in[] = { { 1000, 0, 0, 5000, 0 },
		   { 2000, 0, 1000, 4500, 0 },
		   { 3000, 0, 2000, 4000, 0 },
		   { 4000, 0, 3000, 3500, 0 },
		   { 4000, 1000, 3000, 3500, 1 } },
	  out[] = { { 4000, 0, 3000, 3500, 0 }, { 3000, 0, 2000, 4000, 0 }, { 2000, 0, 1000, 4500, 1 } };
	struct buffer_pool pool = { .size = 10000 };
	struct buffer_use a = { 0 };

	for (u32 i = 0; i < 5; i++) {
		assert_true(buffer_take(&a, &pool, 1000, RESERVE, ONE / 2, HEADROOM));
		assert_int_equal(a.main, in[i].main);
		assert_int_equal(a.headroom, in[i].headroom);
		assert_int_equal(pool.used, in[i].used);
		assert_int_equal(buffer_threshold(&pool, ONE / 2), in[i].threshold);
		assert_int_equal(buffer_must_pause(&a, &pool, RESERVE, ONE / 2), in[i].pause);
	}
	for (u32 i = 0; i < 3; i++) {
		buffer_give(&a, &pool, 1000, RESERVE);
		assert_int_equal(a.main, out[i].main);
		assert_int_equal(a.headroom, 0);
		assert_int_equal(pool.used, out[i].used);
		assert_int_equal(buffer_threshold(&pool, ONE / 2), out[i].threshold);
		assert_int_equal(buffer_may_resume(&a, &pool, RESERVE, ONE / 2), out[i].pause);
	}
}

/* What others hold lowers a class's threshold; its reserve is its own whatever they do. */
static void take__others(void **state)
{
	struct buffer_pool pool = { .size = 10000, .used = 9998 };
	struct buffer_use a = { 0 };

	assert_true(buffer_take(&a, &pool, 1000, RESERVE, ONE, 0));
	assert_false(buffer_must_pause(&a, &pool, RESERVE, ONE)); /* 0 of 2 */
	assert_false(buffer_take(&a, &pool, 3, RESERVE, ONE, 2)); /* beyond the threshold and the headroom, by a byte */
	assert_int_equal(a.main + a.headroom, 1000);
	assert_true(buffer_take(&a, &pool, 1, RESERVE, ONE, 0)); /* 1 of 2; then it is 1 of 1 */
	assert_int_equal(pool.used, 9999);
	assert_true(buffer_must_pause(&a, &pool, RESERVE, ONE));
	assert_false(buffer_take(&a, &pool, 1, RESERVE, ONE, 0)); /* would be 2 of 1 */
}

/* Resume: nothing in the pool is always enough; else the distance to the threshold counts, to the byte. */
static void resume__to_the_byte(void **state)
{
	struct buffer_pool pool = { .size = 10000, .used = 10000 };
	struct buffer_use a = { .main = RESERVE };

	assert_true(buffer_may_resume(&a, &pool, RESERVE, ONE));
	a.headroom = 1;
	assert_false(buffer_may_resume(&a, &pool, RESERVE, ONE));
	a = (struct buffer_use){ .main = RESERVE + 1 };
	pool.used = 10000 - BUFFER_RESUME;
	assert_false(buffer_may_resume(&a, &pool, RESERVE, ONE));
	pool.used--;
	assert_true(buffer_may_resume(&a, &pool, RESERVE, ONE));
}

/* An alpha of 64 promises more than there is: what is not there is not given. */
static void take__never_beyond_the_pool(void **state)
{
	struct buffer_pool pool = { .size = 1500 };
	struct buffer_use a = { 0 };

	assert_true(buffer_fits(&a, &pool, 1500, 0, ONE)); /* all that is there, and not a byte more */
	assert_false(buffer_fits(&a, &pool, 1501, 0, ONE));
	assert_true(buffer_take(&a, &pool, 1000, 0, 64 * ONE, 0));
	assert_false(buffer_take(&a, &pool, 501, 0, 64 * ONE, 0));
	assert_true(buffer_take(&a, &pool, 500, 0, 64 * ONE, 0));
	assert_int_equal(pool.used, 1500);
}

/* Large buffers and alphas: the product takes more than 32 bits. */
static void threshold__wide(void **state)
{
	struct buffer_pool pool = { .size = 1U << 30, .used = 1U << 29 };

	assert_true(buffer_threshold(&pool, 64 * ONE) == 1ULL << 35);
	assert_true(buffer_threshold(&pool, 1) == 1U << 13);
	assert_true(buffer_threshold(&pool, ONE / 8) == 1U << 26);
}

/* Many classes, frames of all sizes, first in, first out: the pool's account is the sum of theirs, and ends at 0. */
static void account__balances(void **state)
{
	static u16 queue[8][4096];
	struct rng r = { .state = 7 };

	for (u32 trial = 0; trial < 40; trial++) {
		u32 alpha = ONE >> rng_below(&r, 6) << rng_below(&r, 4), head[8] = { 0 }, tail[8] = { 0 }, refused = 0;
		struct buffer_pool pool = { .size = 20000 + rng_below(&r, 20000) };
		struct buffer_use use[8] = { 0 };

		for (u32 step = 0; step < 8000; step++) {
			u32 c = rng_below(&r, 8), len = 60 + rng_below(&r, 1500);
			u64 shared = 0, all = 0;

			if (step < 6000 && rng_below(&r, 5) < 3 && tail[c] < 4096) {
				if (buffer_take(&use[c], &pool, len, RESERVE, alpha, HEADROOM))
					queue[c][tail[c]++] = len;
				else
					refused++;
			} else if (head[c] < tail[c]) {
				buffer_give(&use[c], &pool, queue[c][head[c]++], RESERVE);
			}
			for (u32 i = 0; i < 8; i++) {
				assert_true(use[i].headroom <= HEADROOM);
				shared += buffer_shared(use[i].main, RESERVE);
				all += use[i].main + use[i].headroom;
				for (u32 k = head[i]; k < tail[i]; k++)
					all -= queue[i][k];
			}
			assert_int_equal(shared, pool.used);
			assert_true(pool.used <= pool.size);
			assert_int_equal(all, 0);
		}
		assert_true(refused > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(take__by_hand),
		cmocka_unit_test(take__others),
		cmocka_unit_test(take__never_beyond_the_pool),
		cmocka_unit_test(resume__to_the_byte),
		cmocka_unit_test(threshold__wide),
		cmocka_unit_test(account__balances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
