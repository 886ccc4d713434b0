// SPDX-License-Identifier: GPL-2.0-or-later
/* The search for a switch's next event, against the plain definition: the least key, of equal ones the least rank. */
#include "tests/unit/advance_fabric.h"

#define NODE 5

/* Keys of few different values, so that many are equal; some ports have no event. */
static void draw_keys(struct sw *s, struct rng *r)
{
	u64 values = 1 + rng_below(r, 8);

	s->n_ports = 1 + rng_below(r, FAB_PORTS);
	for (u32 i = 0; i < FAB_PORTS; i++)
		s->key[i] = rng_below(r, 4) ? KEY(T0 + rng_below(r, values), rng_below(r, 4)) : KEY_NEVER;
}

static void next__is_the_least_key_and_of_equal_ones_the_least_rank(void **state)
{
	struct rng r = rng_stream(1, RNG_SIZE, 0);
	static struct sw s;
	u32 tied = 0;

	w.cfg.seed = 7;
	for (u32 round = 0; round < 20000; round++) {
		u32 at = FAB_PORTS, equal = 0;

		draw_keys(&s, &r);
		for (u32 i = 0; i < s.n_ports; i++) {
			u64 time = KEY_TIME(s.key[i]);

			if (s.key[i] == KEY_NEVER || (at < FAB_PORTS && s.key[i] > s.key[at]))
				continue;
			equal = at < FAB_PORTS && s.key[i] == s.key[at] ? equal + 1 : 0;
			if (!equal || tie_rank(7, NODE, i, time) < tie_rank(7, NODE, at, time))
				at = i;
		}
		tied += !!equal;
		assert_int_equal(sw_next(&s, NODE), 0);
		assert_int_equal(s.best, at < FAB_PORTS ? s.key[at] : KEY_NEVER);
		if (at < FAB_PORTS)
			assert_int_equal(s.best_port, at);
	}
	assert_in_range(tied, 5000, 19000);
}

static void next__of_no_event_is_never(void **state)
{
	static struct sw s = { .n_ports = 3, .best = 1, .best_port = 2 };

	for (u32 i = 0; i < FAB_PORTS; i++)
		s.key[i] = i < 3 ? KEY_NEVER : KEY(T0, EV_ARRIVAL); /* beyond its ports nothing counts */
	assert_int_equal(sw_next(&s, NODE), 0);
	assert_int_equal(s.best, KEY_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next__is_the_least_key_and_of_equal_ones_the_least_rank),
		cmocka_unit_test(next__of_no_event_is_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
