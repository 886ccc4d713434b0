// SPDX-License-Identifier: GPL-2.0-or-later
/* ECMP: only ports of the set, evenly, and each switch in its own way. */
#include "tests/unit/unit.h"

#include "agent/packet/packet.h"
#include "bpf/parse.h"
#include "tests/unit/bits_bpf.h"

#define FLOWS 60000

/* A switch's seed, as lab/plan/plan.h derives them. */
static u64 seed_of(u64 seed, u32 sw)
{
	return mix64(mix64(seed ^ 0x65636d70ULL) + sw);
}

static u32 key_of(u32 flow)
{
	return route_flow_key(host_addr(flow % 54), host_addr(flow * 7 % 53), (u32)packet_sport(flow) << 16 | ROCE_PORT,
			      17);
}

static void pick__from_the_set(void **state)
{
	struct rng r = { .state = 1 };

	for (u32 i = 0; i < 50000; i++) {
		u64 mask = rng_next(&r) & rng_next(&r) & rng_next(&r), seed = rng_next(&r);
		u32 key = rng_next(&r), port;

		if (!mask)
			continue;
		port = route_pick(mask, key, seed);
		assert_true(port < 64 && (mask >> port & 1));
		assert_int_equal(bpf_route_pick(mask, key, seed), port);
		assert_int_equal(route_pick(mask, key, seed), port);
		assert_int_equal(route_pick(1ULL << port, key, ~seed), port);
	}
}

static void pick__even(void **state)
{
	static const u64 masks[] = { 0x3, 0x38, 0x8000000000000001ULL, 0xf0, 0x5555, ~0ULL };

	for (u32 m = 0; m < 6; m++) {
		u32 n = popcount64(masks[m]), count[64] = { 0 };

		for (u32 key = 0; key < FLOWS; key++)
			count[route_pick(masks[m], mix64(key + 1) >> 32, seed_of(1, m))]++;
		for (u32 p = 0; p < 64; p++)
			if (masks[m] >> p & 1)
				assert_binomial(count[p], FLOWS, 1.0 / n);
	}
}

/* The lab's own flows, whose addresses and ports differ in few bits. */
static void pick__even_for_real_flows(void **state)
{
	u32 count[3] = { 0 };

	for (u32 flow = 0; flow < 12000; flow++)
		count[route_pick(7, key_of(flow), seed_of(1, 0))]++;
	for (u32 p = 0; p < 3; p++)
		assert_binomial(count[p], 12000, 1.0 / 3);
}

/* Of the flows that one switch sends one way, the next switch sends as many each way: no polarisation. */
static void pick__independent(void **state)
{
	for (u32 other = 1; other < 20; other++) {
		u32 first = 0, count[4] = { 0 };

		for (u32 key = 0; key < FLOWS; key++) {
			if (route_pick(0xf, mix64(key + 1) >> 32, seed_of(1, 0)) != 2)
				continue;
			first++;
			count[route_pick(0xf, mix64(key + 1) >> 32,
					 other < 10 ? seed_of(1, other) : seed_of(other, 0))]++;
		}
		assert_binomial(first, FLOWS, 0.25);
		for (u32 p = 0; p < 4; p++)
			assert_binomial(count[p], first, 0.25);
	}
}

/* Every part of the 5-tuple matters, and the direction. */
static void flow_key__depends_on_all(void **state)
{
	u32 key = route_flow_key(0x0a000001, 0x0a000002, 0xc00012b7, 17);

	assert_int_equal(bpf_route_flow_key(0x0a000001, 0x0a000002, 0xc00012b7, 17), key);
	assert_int_not_equal(route_flow_key(0x0a000002, 0x0a000001, 0xc00012b7, 17), key);
	for (u32 bit = 0; bit < 32; bit++) {
		assert_int_not_equal(route_flow_key(0x0a000001 ^ 1U << bit, 0x0a000002, 0xc00012b7, 17), key);
		assert_int_not_equal(route_flow_key(0x0a000001, 0x0a000002 ^ 1U << bit, 0xc00012b7, 17), key);
		assert_int_not_equal(route_flow_key(0x0a000001, 0x0a000002, 0xc00012b7 ^ 1U << bit, 17), key);
	}
	assert_int_not_equal(route_flow_key(0x0a000001, 0x0a000002, 0xc00012b7, 6), key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pick__from_the_set),        cmocka_unit_test(pick__even),
		cmocka_unit_test(pick__even_for_real_flows), cmocka_unit_test(pick__independent),
		cmocka_unit_test(flow_key__depends_on_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
