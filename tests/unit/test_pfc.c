// SPDX-License-Identifier: GPL-2.0-or-later
/* PFC: times, pauses as a transmitter sees them, the frame's bytes, the thresholds. Headroom: test_headroom.c. */
#include "tests/unit/unit.h"

#include "bpf/parse.h"
#include "bpf/pfc.h"

#define Q 12800ULL /* a quantum at 40 Gb/s */

static void quanta_time__rates(void **state)
{
	assert_int_equal(pfc_quanta_time(1, 800), 51200); /* REFERENCE 6.5: 10G */
	assert_int_equal(pfc_quanta_time(1, 320), 20480);
	assert_int_equal(pfc_quanta_time(1, 200), 12800);
	assert_int_equal(pfc_quanta_time(1, 80), 5120);
	assert_int_equal(pfc_quanta_time(1, 20), 1280);
	assert_int_equal(pfc_quanta_time(65535, 200), 838848000);
	assert_int_equal(pfc_quanta_time(0, 200), 0);
	assert_true(pfc_quanta_time(65535, 800000000) == 65535ULL * 64 * 800000000); /* 10 kb/s: no 32-bit product */
}

static void pause_receive__expires(void **state)
{
	struct pause_state s;

	pause_init(&s);
	assert_int_equal(s.until[3], 0);
	pause_receive(&s, 3, 10, 200, 5000);
	assert_int_equal(s.until[3], 5000 + 10 * Q);
	assert_int_equal(s.until[2], 0);
	assert_int_equal(pause_total(&s, 5000 + 4 * Q), 4 * Q);
	assert_int_equal(pause_total(&s, 5000 + 10 * Q), 10 * Q);
	assert_int_equal(pause_total(&s, 5000 + 99 * Q), 10 * Q);
	assert_int_equal(pause_accounted(&s), 0); /* looking does not account */
	pause_account(&s, 3, 5000 + 99 * Q);
	assert_int_equal(pause_accounted(&s), 10 * Q);
	pause_account(&s, 3, 5000 + 999 * Q); /* once only */
	assert_int_equal(pause_accounted(&s), 10 * Q);
}

/* A resume ends it at once; a resume out of the blue does nothing. */
static void pause_receive__resume(void **state)
{
	struct pause_state s;

	pause_init(&s);
	pause_receive(&s, 0, 100, 200, 1000);
	pause_receive(&s, 0, 0, 200, 1777);
	assert_int_equal(s.until[0], 1777);
	assert_int_equal(pause_accounted(&s), 777);
	pause_receive(&s, 0, 0, 200, 9000);
	assert_true(s.until[0] <= 9000);
	assert_int_equal(pause_accounted(&s), 777);
	assert_int_equal(pause_total(&s, 1000000), 777);
}

/* A PAUSE within a pause starts the time anew, longer or shorter; no picosecond counts twice. */
static void pause_receive__refresh(void **state)
{
	struct pause_state s;

	pause_init(&s);
	pause_receive(&s, 7, 10, 200, 1000);
	pause_receive(&s, 7, 10, 200, 1000 + 4 * Q);
	assert_int_equal(s.until[7], 1000 + 14 * Q);
	assert_int_equal(pause_total(&s, 1000 + 14 * Q), 14 * Q);
	pause_receive(&s, 7, 1, 200, 1000 + 6 * Q);
	assert_int_equal(s.until[7], 1000 + 7 * Q);
	pause_receive(&s, 7, 5, 200, 1000 + 20 * Q); /* after the end: the gap is not paused */
	assert_int_equal(pause_total(&s, 1000 + 90 * Q), 12 * Q);
}

/* Against a second hand: one class, random frames, each picosecond looked at. */
static void pause_receive__as_model(void **state)
{
	struct rng r = { .state = 4 };
	struct pause_state s;
	u64 paused = 0, until = 0;

	pause_init(&s);
	for (u64 now = 0; now < 200000; now++) {
		if (one_in(&r, 50)) {
			u32 quanta = rng_below(&r, 3) * rng_below(&r, 3);

			pause_receive(&s, 5, quanta, 1, now);
			until = now + 64 * quanta;
		}
		paused += now < until;
		assert_int_equal(s.until[5] > now, until > now);
	}
	assert_int_equal(pause_total(&s, 200000), paused);
	assert_true(paused > 10000);
}

static void pause_total__sums_classes(void **state)
{
	struct pause_state s;

	pause_init(&s);
	for (u32 c = 0; c < FAB_CLASSES; c++)
		pause_receive(&s, c, c, 200, 100);
	assert_int_equal(pause_total(&s, 100 + 99 * Q), 28 * Q);
	for (u32 c = 0; c < FAB_CLASSES; c++)
		assert_int_equal(pause_of_class(&s, c, 100 + 99 * Q), c * Q);
	pause_account(&s, 5, 100 + 3 * Q); /* its account is closed after three of its five quanta */
	assert_int_equal(pause_of_class(&s, 5, 100 + 99 * Q), 3 * Q);
	assert_int_equal(pause_total(&s, 100 + 99 * Q), 26 * Q);
}

/* REFERENCE 6.5's vector, but for the source address, which is the port's own. */
static void pfc_build__published(void **state)
{
	static const u8 want[PFC_LEN] = {
		0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x06, 0x00, 0x00, 0x00, 0x00, 0x09, 0x88,
		0x08, 0x01, 0x01, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff
	};
	u8 b[PFC_LEN];

	memset(b, 0xee, sizeof(b));
	pfc_build(b, 9, 1 << 3, 0, 65535);
	assert_memory_equal(b, want, PFC_LEN);
}

/* Pausing some classes and resuming others; the switch and the host read back what was built. */
static void pfc_build__parse(void **state)
{
	struct rng r = { .state = 8 };
	u8 b[SLOT_SMALL] = { 0 };

	for (u32 i = 0; i < 2000; i++) {
		u8 pause = rng_next(&r), resume = rng_next(&r) & ~pause;
		u16 quanta = 1 + rng_below(&r, 65535);
		struct frame f = { .flags = 0xff };

		pfc_build(b, rng_below(&r, 1 << 20), pause, resume, quanta);
		assert_int_equal(parse_frame(b, PFC_LEN, &f), 0);
		assert_int_equal(f.flags, FRAME_PFC);
		assert_int_equal(f.pfc_classes, pause | resume);
		for (u32 c = 0; c < FAB_CLASSES; c++)
			assert_int_equal(f.pfc_quanta[c], pause >> c & 1 ? quanta : 0);
	}
}

static void thresholds__inclusive(void **state)
{
	assert_false(pfc_must_pause(999, 1000));
	assert_true(pfc_must_pause(1000, 1000));
	assert_true(pfc_may_resume(500, 500));
	assert_false(pfc_may_resume(501, 500));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quanta_time__rates),      cmocka_unit_test(pause_receive__expires),
		cmocka_unit_test(pause_receive__resume),   cmocka_unit_test(pause_receive__refresh),
		cmocka_unit_test(pause_receive__as_model), cmocka_unit_test(pause_total__sums_classes),
		cmocka_unit_test(pfc_build__published),    cmocka_unit_test(pfc_build__parse),
		cmocka_unit_test(thresholds__inclusive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
