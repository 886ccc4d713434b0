// SPDX-License-Identifier: GPL-2.0-or-later
/* Bit tricks against plain loops, in the form for gcc and in the form for BPF. */
#include "tests/unit/unit.h"

#include "tests/unit/bits_bpf.h"

static u32 naive_popcount(u64 x)
{
	u32 n = 0;

	for (u32 i = 0; i < 64; i++)
		n += x >> i & 1;
	return n;
}

static u32 naive_ctz(u64 x)
{
	u32 n = 0;

	while (n < 64 && !(x >> n & 1))
		n++;
	return n;
}

static u32 naive_select(u64 x, u32 n)
{
	for (u32 i = 0; i < 64; i++)
		if ((x >> i & 1) && !n--)
			return i;
	return 64;
}

static void assert_word(u64 x)
{
	u32 n = naive_popcount(x);

	assert_int_equal(popcount64(x), n);
	assert_int_equal(bpf_popcount64(x), n);
	assert_int_equal(ctz64(x), naive_ctz(x));
	assert_int_equal(bpf_ctz64(x), naive_ctz(x));
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(select64(x, i), naive_select(x, i));
		assert_int_equal(bpf_select64(x, i), naive_select(x, i));
	}
}

static void bits__edges(void **state)
{
	assert_word(0);
	assert_word(~0ULL);
	for (u32 i = 0; i < 64; i++) {
		assert_word(1ULL << i);
		assert_word(~(1ULL << i));
		assert_word((1ULL << i) - 1);
		assert_word(~0ULL << i);
	}
}

static void bits__random(void **state)
{
	struct rng r = { .state = 6 };

	for (u32 i = 0; i < 20000; i++) {
		u64 x = rng_next(&r);

		assert_word(x);
		assert_word(x & rng_next(&r) & rng_next(&r) & rng_next(&r));
		assert_word(x | rng_next(&r) | rng_next(&r));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits__edges),
		cmocka_unit_test(bits__random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
