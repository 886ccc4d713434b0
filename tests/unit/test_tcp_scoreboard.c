// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP's scoreboard: its counters against RFC 6675's own words, word by word, over random events. */
#include "tests/unit/unit.h"

#include "agent/recovery/tcp_scoreboard.h"

#define PACKETS 200

/* RFC 6675's variables, and what has been SACKed: sequence numbers count segments, all names as there. */
struct naive {
	s64 high_ack, high_data, high_rxt, recovery_point, rescue_rxt;
	bool sacked[PACKETS];
	bool recovery, loss; /* the latter: after a time-out */
	s64 loss_point;
};

struct bench {
	struct recovery_params par;
	struct sqp q;
	struct naive w;
	struct rng rng;
	bool hostile;
	u32 rules[5], steps;
};

/* Section 4: DupThresh discontiguous sequences, or more than (DupThresh - 1) * SMSS, above it. */
static bool is_lost(const struct naive *w, s64 n)
{
	u32 runs = 0, segments = 0;

	if (w->loss)
		return n <= w->loss_point;
	for (s64 i = n + 1; i <= w->high_data; i++) {
		segments += w->sacked[i];
		runs += w->sacked[i] && !w->sacked[i - 1];
	}
	return runs >= 3 || segments > 2;
}

static u32 set_pipe(const struct naive *w)
{
	u32 pipe = 0;

	for (s64 s1 = w->high_ack + 1; s1 <= w->high_data; s1++) {
		if (w->sacked[s1])
			continue;
		pipe += !is_lost(w, s1);
		pipe += s1 <= w->high_rxt;
	}
	return pipe;
}

static s64 highest_sacked(const struct naive *w)
{
	for (s64 n = w->high_data; n > w->high_ack; n--)
		if (w->sacked[n])
			return n;
	return -1;
}

/* Rules (1) and (3). After a time-out, which RFC 6675 leaves to the implementation, (1) without (1.b). */
static s64 smallest_hole(const struct naive *w, bool lost)
{
	for (s64 s2 = w->high_ack + 1; s2 <= w->high_data; s2++)
		if (!w->sacked[s2] && s2 > w->high_rxt && (w->loss || s2 < highest_sacked(w)) &&
		    (!lost || is_lost(w, s2)))
			return s2;
	return -1;
}

static s64 highest_hole(const struct naive *w)
{
	s64 n = w->high_data;

	while (w->sacked[n])
		n--;
	return n;
}

/* NextSeg(): the rule, 0 if there is none, and its segment. */
static u32 next_seg(const struct bench *t, s64 *n)
{
	const struct naive *w = &t->w;

	*n = smallest_hole(w, true);
	if ((w->recovery || w->loss) && *n >= 0)
		return 1;
	*n = w->high_data + 1;
	if (*n < t->q.limit && w->high_data - w->high_ack < t->q.par->cap)
		return 2;
	if (!w->recovery)
		return 0;
	*n = smallest_hole(w, false);
	if (*n >= 0)
		return 3;
	*n = highest_hole(w);
	return w->high_ack > w->rescue_rxt ? 4 : 0;
}

static void check(const struct bench *t)
{
	const struct naive *w = &t->w;
	u32 end = scoreboard_lost_end(&t->q);

	assert_int_equal(t->q.una, w->high_ack + 1);
	assert_int_equal(t->q.next, w->high_data + 1);
	for (u32 n = t->q.una; n < t->q.next; n++) {
		assert_int_equal(bitmap_test(&t->q.sacked, n), w->sacked[n]);
		if (!w->sacked[n])
			assert_int_equal(n < end, is_lost(w, n));
	}
	assert_int_equal(scoreboard_pipe(&t->q), set_pipe(w));
	assert_int_equal(scoreboard(&t->q)->phase, w->recovery ? PHASE_RECOVERY : w->loss ? PHASE_LOSS : PHASE_OPEN);
}

static void naive_ack(struct naive *w, s64 cum)
{
	w->high_ack = cum - 1;
	if (w->high_ack >= (w->loss ? w->loss_point : w->recovery_point)) {
		w->recovery = w->loss = false;
		w->high_rxt = -1;
	}
	if (cum > w->high_data || !w->sacked[cum])
		return;
	w->sacked[cum] = false; /* the receiver says that it is missing */
	w->high_rxt = w->high_ack;
}

/* Blocks: whole random runs, or anything at all. */
static void step_ack(struct bench *t)
{
	struct naive *w = &t->w;
	struct ack_event a = { .cum = t->q.una, .n_ranges = rng_below(&t->rng, RANGES_MAX + 1) };
	u32 out = t->q.next - t->q.una, fresh = 0;

	if (one_in(&t->rng, 3))
		a.cum += rng_below(&t->rng, out + 1);
	while (!t->hostile && a.cum < t->q.next && w->sacked[a.cum])
		a.cum++;
	if (a.cum > t->q.una)
		naive_ack(w, a.cum);
	for (u32 i = 0; i < a.n_ranges; i++) {
		u32 from = a.cum + 1 + rng_below(&t->rng, out + 1), to = from + rng_below(&t->rng, 4);

		if (t->hostile && one_in(&t->rng, 4)) {
			from = rng_below(&t->rng, PACKETS + 50);
			to = rng_below(&t->rng, 2) ? rng_below(&t->rng, PACKETS + 50) : 0xffffffffU;
		}
		a.ranges[i] = (struct range){ from, to };
		for (s64 n = from > a.cum ? from : a.cum + 1; n < to && n <= w->high_data; n++) {
			fresh += !w->sacked[n];
			w->sacked[n] = true;
		}
	}
	assert_int_equal(scoreboard_update(&t->q, &a), fresh);
}

static void step_enter(struct bench *t)
{
	struct naive *w = &t->w;

	scoreboard_enter(&t->q);
	w->recovery = true;
	w->recovery_point = w->high_data;
	w->high_rxt = w->rescue_rxt = w->high_ack + 1;
	assert_true(scoreboard(&t->q)->first);
	assert_int_equal(scoreboard_send(&t->q, SEG_HOLE), w->high_rxt);
	assert_false(scoreboard(&t->q)->first);
}

static void step_timeout(struct bench *t)
{
	struct naive *w = &t->w;

	scoreboard_expunge(&t->q);
	memset(w->sacked, 0, sizeof(w->sacked));
	w->loss = true;
	w->recovery = false;
	w->loss_point = w->high_data;
	w->high_rxt = -1;
}

static void step_send(struct bench *t)
{
	static const enum next_seg which[] = { SEG_NONE, SEG_HOLE, SEG_NEW, SEG_HOLE, SEG_RESCUE };
	struct naive *w = &t->w;
	enum next_seg got = scoreboard_next_seg(&t->q);
	s64 n;
	u32 rule = next_seg(t, &n);

	t->rules[rule]++;
	assert_int_equal(got, which[rule]);
	if (got == SEG_NONE)
		return;
	assert_int_equal(scoreboard_send(&t->q, got), n);
	if (rule == 2)
		w->high_data = n;
	else if (rule == 4)
		w->rescue_rxt = w->recovery_point;
	else
		w->high_rxt = n;
}

static void run(struct bench *t, u64 seed)
{
	memset(&t->q, 0, sizeof(t->q));
	memset(&t->w, 0, sizeof(t->w));
	t->rng.state = seed;
	t->hostile = seed % 2;
	t->par.cap = 1 + rng_below(&t->rng, 100);
	t->q.par = &t->par;
	t->q.window = NO_LIMIT;
	t->q.limit = 1 + rng_below(&t->rng, PACKETS);
	t->w.high_ack = t->w.high_data = t->w.high_rxt = -1;
	assert_int_equal(bitmap_init(&t->q.sacked, t->par.cap), 0);
	for (u32 i = 0; i < 400 && t->q.una < t->q.limit; i++, t->steps++) {
		u64 draw = rng_below(&t->rng, 100);
		bool out = t->q.una < t->q.next;

		if (draw < 60)
			step_send(t);
		else if (draw < 90)
			step_ack(t);
		else if (draw < 99 && out && !t->w.recovery && !t->w.loss)
			step_enter(t);
		else if (draw == 99 && out)
			step_timeout(t);
		check(t);
	}
	bitmap_free(&t->q.sacked);
}

static void scoreboard__as_the_rfc_says(void **state)
{
	static struct bench t;

	for (u64 seed = 0; seed < 4000; seed++)
		run(&t, seed);
	assert_true(t.steps > 100000);
	for (u32 rule = 0; rule <= 4; rule++)
		assert_true(t.rules[rule] > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scoreboard__as_the_rfc_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
