// SPDX-License-Identifier: GPL-2.0-or-later
/* MELO's bits pool: operations by hand (figure 3 of the paper), its limits, and random ones against plain arrays. */
#include "tests/unit/unit.h"

#include "agent/recovery/melo_pool.h"
#include "tests/unit/melo_check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_sound(const struct melo_pool *pool, const struct melo_list *lists, u32 n)
{
	const struct melo_list *all[8];

	for (u32 i = 0; i < n; i++)
		all[i] = &lists[i];
	assert_true(melo_pool_check(pool, all, n));
}

static void init__all_free(void **state)
{
	static const u32 sizes[] = { 8, 16, 1024, 2040, 2048 };
	struct melo_pool pool;

	for (u32 i = 0; i < COUNT(sizes); i++) {
		melo_pool_init(&pool, sizes[i]);
		assert_int_equal(melo_pool_free(&pool), sizes[i]);
		assert_true(pool.avail_ptr == 0 && pool.peak == 0);
		assert_sound(&pool, NULL, 0);
	}
}

/* Two connections in a pool of four blocks. */
static void extend__by_hand(void **state)
{
	enum { EXTEND, ADVANCE };
	static const struct {
		u32 list, op, first, last, ok; /* the operation */
		u32 begin, end, start_ptr, end_ptr, avail_ptr;
	} rows[] = {
		{ 0, EXTEND, 10, 13, true, 8, 16, 0, 0, 1 },
		{ 0, EXTEND, 10, 15, true, 8, 16, 0, 0, 1 }, /* covered already */
		{ 1, EXTEND, 0, 9, true, 0, 16, 1, 2, 3 },
		{ 0, EXTEND, 10, 16, true, 8, 24, 0, 3, 4 },
		{ 1, EXTEND, 0, 16, false, 0, 16, 1, 2, 4 }, /* nothing left */
		{ 0, ADVANCE, 15, 0, true, 8, 24, 0, 3, 4 },
		{ 0, ADVANCE, 16, 0, true, 16, 24, 3, 3, 3 }, /* block 0 comes back */
		{ 1, EXTEND, 0, 24, false, 0, 16, 1, 2, 3 },  /* two needed, one there: none taken */
		{ 1, EXTEND, 0, 16, true, 0, 24, 1, 0, 4 },
		{ 0, ADVANCE, 24, 0, true, 24, 24, 3, 3, 3 }, /* empty */
		{ 1, ADVANCE, 17, 0, true, 16, 24, 0, 0, 1 }, /* 3, 1, 2 came back in this order */
		{ 0, EXTEND, 7, 8, true, 0, 16, 2, 1, 3 },    /* so 2 goes first */
		{ 0, ADVANCE, 1000, 0, true, 16, 16, 1, 1, 1 },
	};
	struct melo_list lists[2] = { 0 };
	struct melo_pool pool;

	melo_pool_init(&pool, 32);
	for (u32 i = 0; i < COUNT(rows); i++) {
		struct melo_list *l = &lists[rows[i].list];
		bool ok = true;

		if (rows[i].op == EXTEND)
			ok = melo_list_extend(&pool, l, rows[i].first, rows[i].last);
		else
			melo_list_advance(&pool, l, rows[i].first);
		assert_int_equal(ok, rows[i].ok);
		assert_true(l->begin == rows[i].begin && l->end == rows[i].end);
		if (l->begin != l->end)
			assert_true(l->start_ptr == rows[i].start_ptr && l->end_ptr == rows[i].end_ptr);
		assert_int_equal(pool.avail_ptr, rows[i].avail_ptr);
		assert_sound(&pool, lists, 2);
	}
	assert_int_equal(pool.peak, 4);
}

static void need__counts_blocks(void **state)
{
	static const struct {
		u32 begin, end, first, last, bits;
	} rows[] = {
		{ 0, 0, 0, 0, 8 },        { 0, 0, 7, 7, 8 },   { 0, 0, 7, 8, 16 },      { 8, 8, 100, 127, 32 },
		{ 8, 16, 8, 8, 0 },       { 8, 16, 8, 15, 0 }, { 8, 16, 8, 16, 8 },     { 8, 16, 8, 23, 8 },
		{ 8, 16, 8, 4096, 4088 }, { 8, 16, 8, 2, 0 },  { 0, 0, 3, 4095, 4096 },
	};

	for (u32 i = 0; i < COUNT(rows); i++) {
		struct melo_list l = { .begin = rows[i].begin, .end = rows[i].end };

		assert_int_equal(melo_list_need(&l, rows[i].first, rows[i].last), rows[i].bits);
	}
}

/* The largest pool has 256 blocks, whose numbers just fit; the smallest has one. */
static void extend__exhausts(void **state)
{
	static const u32 sizes[] = { 8, 2048 };

	for (u32 i = 0; i < COUNT(sizes); i++) {
		struct melo_list lists[2] = { 0 };
		struct melo_pool pool;

		melo_pool_init(&pool, sizes[i]);
		assert_false(melo_list_extend(&pool, &lists[0], 0, sizes[i]));
		assert_int_equal(melo_pool_free(&pool), sizes[i]);
		assert_true(melo_list_extend(&pool, &lists[0], 0, sizes[i] - 1));
		assert_false(melo_list_extend(&pool, &lists[1], 5, 5));
		assert_sound(&pool, lists, 2);
		melo_list_clear(&pool, &lists[0]);
		assert_int_equal(melo_pool_free(&pool), sizes[i]);
		assert_sound(&pool, lists, 2);
		assert_int_equal(pool.peak, sizes[i] / 8);
	}
}

static void reaches__front_and_end(void **state)
{
	static const struct {
		u32 begin, end, from, to; /* from .. to-1 are out of reach */
	} rows[] = { { 8, 8, 0, 40 }, { 8, 16, 16, 16 }, { 8, 24, 24, 24 }, { 8, 32, 16, 24 }, { 0, 40, 8, 32 } };

	for (u32 i = 0; i < COUNT(rows); i++) {
		struct melo_list l = { .begin = rows[i].begin, .end = rows[i].end };

		for (u32 n = 0; n < 48; n++) {
			bool inside = n >= l.begin && n < l.end, middle = n >= rows[i].from && n < rows[i].to;

			assert_int_equal(melo_list_reaches(&l, n), inside && !middle);
		}
	}
}

/* Setting touches one bit, of the right block; what lies below the front is forgotten; blocks come back as zeros. */
static void set__one_bit(void **state)
{
	struct melo_list l = { 0 };
	struct melo_pool pool;

	melo_pool_init(&pool, 24);
	assert_true(melo_list_extend(&pool, &l, 16, 39));
	melo_list_set(&pool, &l, 17);
	melo_list_set(&pool, &l, 22);
	melo_list_set(&pool, &l, 39);
	for (u32 n = 16; n < 40; n++)
		if (melo_list_reaches(&l, n))
			assert_int_equal(melo_list_test(&pool, &l, n), n == 17 || n == 22 || n == 39);
	melo_list_advance(&pool, &l, 18);
	for (u32 n = 16; n < 24; n++)
		assert_int_equal(melo_list_test(&pool, &l, n), n == 22);
	melo_list_clear(&pool, &l);
	assert_true(melo_list_extend(&pool, &l, 0, 23));
	for (u32 block = 0; block < 3; block++)
		assert_int_equal(pool.bits[block], 0);
}

/* Packet numbers go up to 2^31. */
static void extend__high_numbers(void **state)
{
	struct melo_list l = { 0 };
	struct melo_pool pool;
	u32 n = (1U << 31) - 9;

	melo_pool_init(&pool, 16);
	assert_true(melo_list_extend(&pool, &l, n, n + 8));
	assert_true(l.begin == n - 7 && l.end == n + 9);
	melo_list_set(&pool, &l, n + 8);
	melo_list_advance(&pool, &l, n + 1);
	assert_true(melo_list_test(&pool, &l, n + 8) && pool.avail_ptr == 1);
}

static void check__finds(void **state)
{
	struct melo_list lists[2] = { 0 }, other;
	const struct melo_list *all[] = { &lists[0], &lists[1] }, *twice[] = { &lists[0], &lists[0], &lists[1] };
	struct melo_pool pool;

	melo_pool_init(&pool, 64);
	melo_list_extend(&pool, &lists[0], 0, 20);
	melo_list_extend(&pool, &lists[1], 8, 20);
	assert_true(melo_pool_check(&pool, all, 2));
	assert_false(melo_pool_check(&pool, all, 1));   /* a leak */
	assert_false(melo_pool_check(&pool, twice, 3)); /* in two lists */
	other = lists[0];
	lists[0].end -= 8; /* shorter than it is */
	assert_false(melo_pool_check(&pool, all, 2));
	lists[0].end = other.end + 1;
	assert_false(melo_pool_check(&pool, all, 2));
	lists[0] = other;
	lists[0].end_ptr = lists[0].start_ptr;
	assert_false(melo_pool_check(&pool, all, 2));
	lists[0] = other;
	pool.avail[pool.avail_ptr] = lists[0].start_ptr; /* freed, and in use */
	assert_false(melo_pool_check(&pool, all, 2));
	pool.avail[pool.avail_ptr] = pool.avail[pool.avail_ptr + 1]; /* freed twice */
	assert_false(melo_pool_check(&pool, all, 2));
}

#define LISTS 5
#define PACKETS 4000

/* Lists in one pool, and what each should be. */
struct random {
	struct rng rng;
	struct melo_pool pool;
	struct melo_list lists[LISTS];
	u8 bits[LISTS][PACKETS];
	u32 front[LISTS];
};

static u32 blocks_in_use(const struct random *t)
{
	u32 sum = 0;

	for (u32 i = 0; i < LISTS; i++)
		sum += (t->lists[i].end - t->lists[i].begin) / 8;
	return sum;
}

static void random_extend(struct random *t, u32 i)
{
	struct melo_list before = t->lists[i], *l = &t->lists[i];
	u32 last = t->front[i] + rng_below(&t->rng, 80), free_bits = melo_pool_free(&t->pool);
	u32 need = melo_list_need(l, t->front[i], last);

	if (melo_list_extend(&t->pool, l, t->front[i], last)) {
		assert_true(need <= free_bits && l->begin <= t->front[i] && l->end > last);
		assert_int_equal(melo_pool_free(&t->pool), free_bits - need);
	} else {
		assert_true(need > free_bits);
		assert_memory_equal(l, &before, sizeof(before));
	}
}

static void random_step(struct random *t)
{
	u32 i = rng_below(&t->rng, LISTS), n;
	struct melo_list *l = &t->lists[i];

	switch (rng_below(&t->rng, 3)) {
	case 0:
		random_extend(t, i);
		break;
	case 1:
		t->front[i] += rng_below(&t->rng, 12);
		melo_list_advance(&t->pool, l, t->front[i]);
		memset(t->bits[i], 0, t->front[i]);
		break;
	case 2:
		n = t->front[i] + rng_below(&t->rng, 80);
		if (melo_list_reaches(l, n)) {
			melo_list_set(&t->pool, l, n);
			t->bits[i][n] = 1;
		}
	}
	/* the whole list, as no user of it walks */
	for (u32 at = l->begin, block = l->start_ptr; at < l->end; block = t->pool.next_ptr[block], at += 8)
		for (u32 k = 0; k < 8; k++)
			assert_int_equal(t->pool.bits[block] >> k & 1, t->bits[i][at + k]);
}

static void random__against_arrays(void **state)
{
	static struct random t;

	for (u32 seed = 0; seed < 100; seed++) {
		u32 peak = 0;

		memset(&t, 0, sizeof(t));
		t.rng.state = seed;
		melo_pool_init(&t.pool, 8 + 8 * rng_below(&t.rng, 40));
		for (u32 step = 0; step < 1000; step++) {
			random_step(&t);
			assert_sound(&t.pool, t.lists, LISTS);
			assert_int_equal(t.pool.avail_ptr, blocks_in_use(&t));
			peak = t.pool.avail_ptr > peak ? t.pool.avail_ptr : peak;
			assert_int_equal(t.pool.peak, peak);
		}
	}
}

/* Paper 3.2.4: 1024 bits and 300 connections make 23 bytes each, 9.1 % of the 248 that are there already. */
static void bytes_per_connection__paper(void **state)
{
	assert_int_equal(melo_bytes_per_connection_x100(1024, 300), 2256);
	assert_int_equal((2256 + 99) / 100, 23);
	assert_int_equal((2256 * 1000 / 248 + 50) / 100, 91);
	assert_int_equal(melo_bytes_per_connection_x100(1024, 1), 2000 + 76800);
	assert_int_equal(melo_bytes_per_connection_x100(8, 7), 2000 + 86); /* 6 bytes among 7: 0.857.. */
	assert_int_equal(melo_bytes_per_connection_x100(2048, 1000000000), 2001);
}

/* Figure 6(a): at 40 Gb/s, 5 GB a second, 82.2 %. Linear in bytes, and no overflow. */
static void copy_cpu__paper(void **state)
{
	u64 second = 1000 * PS_PER_MS;

	assert_int_equal(melo_copy_cpu_ppm(5000000000ULL, second), 822000);
	assert_int_equal(melo_copy_cpu_ppm(1000, 200000), 822000); /* a packet in the time it takes */
	assert_int_equal(melo_copy_cpu_ppm(1000, 400000), 411000);
	assert_int_equal(melo_copy_cpu_ppm(0, second), 0);
	assert_int_equal(melo_copy_cpu_ppm(1ULL << 50, 1ULL << 50), 164400000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init__all_free),         cmocka_unit_test(extend__by_hand),
		cmocka_unit_test(need__counts_blocks),    cmocka_unit_test(extend__exhausts),
		cmocka_unit_test(reaches__front_and_end), cmocka_unit_test(set__one_bit),
		cmocka_unit_test(extend__high_numbers),   cmocka_unit_test(check__finds),
		cmocka_unit_test(random__against_arrays), cmocka_unit_test(bytes_per_connection__paper),
		cmocka_unit_test(copy_cpu__paper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
