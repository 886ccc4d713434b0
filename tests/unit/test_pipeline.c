// SPDX-License-Identifier: GPL-2.0-or-later
/* Trains of packets through stages: counting periods gives what walking packets gives. */
#include "tests/unit/unit.h"

#include "bpf/arbiter.h"
#include "lab/plan/pipeline.h"
#include "lab/workload/rng.h"

static u64 reference_packet(struct pipeline *p, u32 wire, u64 at)
{
	for (u32 h = 0; h < p->n; h++) {
		struct stage *s = &p->stage[h];
		u64 start = at > s->free ? at : s->free;

		s->free =
			start + (s->speedup ? xbar_time(wire, s->ps_per_byte, s->speedup) : (u64)wire * s->ps_per_byte);
		at = s->free + s->delay;
	}
	return at;
}

static u64 reference_message(struct pipeline *p, const struct train_message *m, u64 at)
{
	u64 last = 0;

	for (u32 i = 0; i < m->packets; i++)
		last = reference_packet(p, i == 0 ? m->first : i + 1 < m->packets ? m->middle : m->last, at);
	return last;
}

static u64 reference_train(struct pipeline *p, const struct train *t, u64 at)
{
	u64 last = 0;

	for (u64 i = 0; i < t->full; i++)
		last = reference_message(p, &t->each, at);
	return t->tail.packets ? reference_message(p, &t->tail, at) : last;
}

static u32 between(struct rng *r, u32 lo, u32 hi)
{
	return lo + (u32)rng_below(r, hi - lo + 1);
}

/* Rates that are equal, nearly equal (a backlog then drains for thousands of packets), or far apart. */
static u32 draw_rate(struct rng *r)
{
	static const u32 usual[] = { 20, 80, 200, 320, 800 };

	switch (rng_below(r, 3)) {
	case 0:
		return usual[rng_below(r, 5)];
	case 1:
		return between(r, 198, 202);
	default:
		return between(r, 1, 2000);
	}
}

static void draw_pipeline(struct rng *r, struct pipeline *p)
{
	p->n = between(r, 1, rng_below(r, 8) ? 6 : 40);
	for (u32 h = 0; h < p->n; h++)
		p->stage[h] = (struct stage){ .ps_per_byte = draw_rate(r),
					      .speedup = rng_below(r, 2) ? 0 : between(r, 100, 220),
					      .delay = rng_below(r, 3) ? rng_below(r, 3000000) : 0 };
}

static struct train_message draw_message(struct rng *r, u32 packets_max)
{
	u32 middle = between(r, 88, 2150);

	return (struct train_message){ .packets = between(r, 1, packets_max),
				       .first = rng_below(r, 4) ? middle + 16 : between(r, 88, 2150),
				       .middle = middle,
				       .last = rng_below(r, 3) ? between(r, 88, middle) : middle };
}

static void draw_train(struct rng *r, struct train *t)
{
	static const u32 packets[] = { 1, 2, 3, 10, 2000 };
	u32 most = packets[rng_below(r, 5)];

	t->full = rng_below(r, 3) ? rng_below(r, 1 + 4000 / most) : 0;
	t->each = draw_message(r, most);
	t->tail = rng_below(r, 4) || !t->full ? draw_message(r, most) : (struct train_message){ 0 };
}

static void train__equals_the_walk(void **state)
{
	struct rng r = rng_stream(1, RNG_SIZE, 0);

	for (u32 i = 0; i < 6000; i++) {
		struct pipeline walked, counted;
		struct train t;
		u64 ready = rng_below(&r, 2) ? rng_below(&r, 10000000) : 0;

		draw_pipeline(&r, &walked);
		draw_train(&r, &t);
		counted = walked;
		if (reference_train(&walked, &t, ready) != pipeline_train(&counted, &t, ready))
			fail_msg("case %u: another arrival", i);
		for (u32 h = 0; h < walked.n; h++)
			if (walked.stage[h].free != counted.stage[h].free)
				fail_msg("case %u: stage %u is free at another time", i, h);
	}
}

/* Packets that cannot be walked: 2^31 in one message, 2^31 messages of one, and as many of two. */
static void train__any_length(void **state)
{
	static const u32 n = 1U << 31;
	struct train trains[] = {
		{ .tail = { .packets = n, .first = 1098, .middle = 1082, .last = 83 } },
		{ .full = n, .each = { .packets = 1, .first = 1098 } },
		{ .full = n / 2, .each = { 2, 1098, 0, 1082 }, .tail = { 1, 100, 0, 0 } },
	};
	const u64 slow = 201; /* the last of the three stages paces all */
	const u64 last[] = { (n - 2) * 1082ULL + 83, (n - 1) * 1098ULL, n / 2 * (1098ULL + 1082) - 1098 + 100 };

	for (u32 i = 0; i < 3; i++) {
		struct pipeline p = { .n = 3, .stage = { { 200 }, { 200, .speedup = 101 }, { 201 } } };
		u64 first = 1098 * 200 + xbar_time(1098, 200, 101) + 1098 * slow;

		assert_int_equal(pipeline_train(&p, &trains[i], 0), first + last[i] * slow);
	}
}

/* A backlog of 16 bytes drains by few ps with each packet. */
static void train__drains_slowly(void **state)
{
	struct train t = { .tail = { .packets = 4000, .first = 116, .middle = 100, .last = 100 } };
	struct pipeline a = { .n = 2, .stage = { { 1000 }, { 100001, .speedup = 10001 } } }, b;

	b = a;
	assert_int_equal(pipeline_train(&a, &t, 0), reference_train(&b, &t, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(train__equals_the_walk),
		cmocka_unit_test(train__any_length),
		cmocka_unit_test(train__drains_slowly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
