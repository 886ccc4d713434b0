// SPDX-License-Identifier: GPL-2.0-or-later
/* The sliding bitmap, against an array of bytes that never slides. */
#include "tests/unit/unit.h"

#include "agent/recovery/bitmap.h"

#define FAR 20000 /* packets that the window slides over */

static void init__rounds_up(void **state)
{
	static const struct {
		u32 window, mask;
	} rows[] = { { 0, 63 }, { 1, 63 }, { 64, 63 }, { 65, 127 }, { 115, 127 }, { 128, 127 }, { 129, 255 } };
	struct bitmap b;

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(bitmap_init(&b, rows[i].window), 0);
		assert_int_equal(b.mask, rows[i].mask);
		for (u32 n = 0; n <= b.mask; n++)
			assert_false(bitmap_test(&b, n));
		bitmap_free(&b);
		assert_null(b.words);
	}
}

static void set__touches_one_bit(void **state)
{
	struct bitmap b;

	assert_int_equal(bitmap_init(&b, 128), 0);
	for (u32 n = 0; n < 128; n++) {
		bitmap_set(&b, n);
		for (u32 m = 0; m < 128; m++)
			assert_int_equal(bitmap_test(&b, m), m == n);
		bitmap_clear(&b, n);
	}
	bitmap_free(&b);
}

static void next_clear__edges(void **state)
{
	struct bitmap b;

	assert_int_equal(bitmap_init(&b, 128), 0);
	for (u32 n = 100; n < 228; n++)
		bitmap_set(&b, n);
	assert_int_equal(bitmap_next_clear(&b, 100, 228), 228); /* full: all the way around */
	assert_int_equal(bitmap_next_clear(&b, 150, 150), 150); /* nothing to look at */
	assert_int_equal(bitmap_next_clear(&b, 150, 149), 149);
	bitmap_clear(&b, 227);
	assert_int_equal(bitmap_next_clear(&b, 100, 228), 227);
	assert_int_equal(bitmap_next_clear(&b, 100, 227), 227); /* beyond the end does not count */
	bitmap_clear(&b, 128);
	assert_int_equal(bitmap_next_clear(&b, 100, 120), 120); /* within a word, too */
	assert_int_equal(bitmap_next_clear(&b, 100, 228), 128);
	assert_int_equal(bitmap_next_clear(&b, 128, 228), 128);
	assert_int_equal(bitmap_next_clear(&b, 129, 228), 227);
	bitmap_free(&b);
}

static u32 naive_next_clear(const u8 *model, u32 n, u32 end)
{
	while (n < end && model[n])
		n++;
	return n;
}

/* Random operations while the window slides around the bitmap a hundred times. */
static void operations__as_model(void **state)
{
	static u8 model[FAR + 512];
	struct rng r = { .state = 7 };
	struct bitmap b;
	u32 base = 0, slides = 0;

	assert_int_equal(bitmap_init(&b, 115), 0);
	memset(model, 0, sizeof(model));
	for (u32 i = 0; base < FAR; i++) {
		u32 n = base + rng_below(&r, 115), end = base + rng_below(&r, 116), op = rng_below(&r, 60);

		if (op) {
			model[n] = op > 8;
			if (model[n])
				bitmap_set(&b, n);
			else
				bitmap_clear(&b, n);
		} else {
			for (u32 to = base + rng_below(&r, 40); base < to; base++)
				bitmap_clear(&b, base);
			slides++;
			continue;
		}
		assert_int_equal(bitmap_test(&b, n), model[n]);
		if (n <= end)
			assert_int_equal(bitmap_next_clear(&b, n, end), naive_next_clear(model, n, end));
		assert_int_equal(bitmap_next_clear(&b, base, base + 115), naive_next_clear(model, base, base + 115));
	}
	assert_true(slides > 500);
	bitmap_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init__rounds_up),
		cmocka_unit_test(set__touches_one_bit),
		cmocka_unit_test(next_clear__edges),
		cmocka_unit_test(operations__as_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
