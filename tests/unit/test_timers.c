// SPDX-License-Identifier: GPL-2.0-or-later
/* The heap of timers, against a list kept in order. */
#include "tests/unit/unit.h"

#include "agent/nic/timers.h"

#define ROOM 200

struct model {
	struct timer list[ROOM];
	u32 n;
};

static int earlier(const struct timer *a, const struct timer *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->rank != b->rank ? a->rank < b->rank : a->who < b->who;
}

static void model_push(struct model *m, struct timer t)
{
	u32 at = m->n++;

	while (at && earlier(&t, &m->list[at - 1])) {
		m->list[at] = m->list[at - 1];
		at--;
	}
	m->list[at] = t;
}

static struct timer model_pop(struct model *m)
{
	struct timer t = m->list[0];

	memmove(m->list, m->list + 1, --m->n * sizeof(t));
	return t;
}

static void next__empty(void **state)
{
	struct timers t;

	assert_int_equal(timers_init(&t, 0), 0);
	assert_true(timers_next(&t) == TIME_NEVER);
	timers_free(&t);
}

/* Equal times come by rank, equal ranks by owner. */
static void pop__ties(void **state)
{
	struct timers t;

	assert_int_equal(timers_init(&t, 4), 0);
	timers_push(&t, 10, 5, 1);
	timers_push(&t, 10, 4, 9);
	timers_push(&t, 10, 4, 2);
	timers_push(&t, 9, 7, 3);
	assert_true(timers_next(&t) == 9);
	assert_int_equal(timers_pop(&t).who, 3);
	assert_int_equal(timers_pop(&t).who, 2);
	assert_int_equal(timers_pop(&t).who, 9);
	assert_int_equal(timers_pop(&t).who, 1);
	assert_true(timers_next(&t) == TIME_NEVER);
	timers_free(&t);
}

static void operations__as_model(void **state)
{
	struct rng r = { .state = 3 };
	struct model m = { .n = 0 };
	struct timers t;
	u32 full = 0;

	assert_int_equal(timers_init(&t, ROOM), 0);
	for (u32 i = 0; i < 200000; i++) {
		int fill = i / 1000 % 2; /* long runs up and down, so that it fills and empties */

		if (m.n < ROOM && (!m.n || rng_below(&r, 4) < (fill ? 3 : 1))) {
			struct timer x = { rng_below(&r, 50), rng_below(&r, 4), rng_below(&r, 1000) };

			timers_push(&t, x.time, x.rank, x.who);
			model_push(&m, x);
		} else {
			struct timer a = timers_pop(&t), b = model_pop(&m);

			assert_true(a.time == b.time && a.rank == b.rank && a.who == b.who);
		}
		full += m.n == ROOM;
		assert_int_equal(t.n, m.n);
		assert_true(timers_next(&t) == (m.n ? m.list[0].time : TIME_NEVER));
	}
	assert_true(full > 100);
	timers_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next__empty),
		cmocka_unit_test(pop__ties),
		cmocka_unit_test(operations__as_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
