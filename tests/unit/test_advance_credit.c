// SPDX-License-Identifier: GPL-2.0-or-later
/* Credits in a switch: when they are told, what they hold back, to the picosecond. */
#include "tests/unit/advance_fabric.h"

#define SIZE 64 /* blocks of a buffer; a step of 8; the longest frame has 16 */
#define LEN 1024

static void credit_reset(void)
{
	reset(SIZE * CREDIT_BLOCK, 0, 0);
	w.cfg.frame_max = LEN;
	w.cfg.credits = SIZE;
	w.cfg.credit_step = credit_step(SIZE);
	for (u32 i = 0; i < PORTS; i++)
		for (u32 c = 0; c < FAB_CLASSES; c++)
			w.ports[i].credit_tx.limit[c] = w.ports[i].credit_rx.advertised[c] = SIZE;
}

/* Credits for port @port's output, from a far end that has got @fctbs blocks from it. */
static void inject_credit(u32 port, u64 time, u32 class, u32 fctbs, u32 fccl)
{
	u32 id;
	struct frame *f = arrive(port, time, &id);

	f->len = PFC_LEN;
	f->flags = FRAME_PFC | FRAME_CREDIT;
	f->class = class;
	f->fctbs = fctbs;
	f->fccl = fccl;
}

static void assert_credit(u32 i, u32 port, u64 arrival, u32 fctbs, u32 fccl)
{
	assert_true(i < w.n_log);
	assert_int_equal(w.log[i].id, FAB_NONE);
	assert_int_equal(w.log[i].port, port);
	assert_int_equal(w.log[i].arrival, arrival);
	assert_true(w.log[i].note.credit && w.log[i].note.class == CLASS);
	assert_int_equal(w.log[i].note.fctbs, fctbs);
	assert_int_equal(w.log[i].note.fccl, fccl);
}

/* Frames of 4 blocks leave at once: with every second one the far end hears that there is room for 8 blocks more. */
static void give__tells_in_steps(void **state)
{
	u64 gap = ser(256);

	credit_reset();
	for (u32 i = 0; i < 4; i++)
		inject(0, T0 + i * gap, 256, 1, CLASS);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.n_log, 6);
	assert_credit(2, 0, T0 + gap + ser(60) + DELAY, 0, SIZE + 8);
	assert_credit(5, 0, T0 + 3 * gap + ser(60) + DELAY, 0, SIZE + 16);
	assert_int_equal(w.ports[0].stats.resume_tx, 2);
	assert_int_equal(w.ports[0].stats.pause_tx, 0);
	assert_int_equal(w.ports[0].credit_rx.held[CLASS], 0);
	assert_int_equal(w.ports[1].credit_tx.sent[CLASS], 16);
}

/* Two classes have something to tell while the wire is busy: one after the other, from the lowest. */
static void give__two_classes(void **state)
{
	u64 free = T0 + ser(LEN);

	credit_reset();
	inject(3, T0, LEN, 0, 7); /* on port 0's wire */
	inject(0, T0 + 1, LEN, 1, 6);
	inject(0, T0 + 2, LEN, 2, 2);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.n_log, 6);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(w.log[4 + i].arrival, free + (1 + i) * ser(60) + DELAY);
		assert_int_equal(w.log[4 + i].note.class, i ? 6 : 2);
		assert_int_equal(w.log[4 + i].note.fccl, SIZE + 16);
	}
}

/* What has come and stays is not told; the count of what was sent the other way goes with what is. */
static void give__held_back(void **state)
{
	credit_reset();
	inject_pfc(1, T0, 1 << CLASS, LONG);
	inject(1, T0 + 1, 200, 0, CLASS); /* 4 blocks, the other way */
	for (u32 i = 0; i < 4; i++)
		inject(0, T0 + 2 + i, LEN, 1, CLASS);
	assert_int_equal(run(T0 + PS_PER_US), 0);
	assert_int_equal(w.ports[0].credit_rx.held[CLASS], SIZE);
	assert_int_equal(w.n_log, 1);
	inject_pfc(1, T0 + PS_PER_US, 1 << CLASS, 0);
	assert_int_equal(run(T0 + PS_PER_US + 1), 0);
	assert_int_equal(w.n_log, 3); /* the first of them, and word of its 16 blocks */
	assert_credit(2, 0, T0 + PS_PER_US + ser(60) + DELAY, 4, SIZE + 16);
}

/* An output stands still when its credits are short of the longest frame, and goes on when they come, not before. */
static void depart__stalls(void **state)
{
	u64 third = T0 + 3 * ser(LEN), go = third + PS_PER_US;

	credit_reset();
	for (u32 i = 0; i < 6; i++)
		inject(i % 2 ? 0 : 2, T0 + i, LEN, 1, CLASS);
	inject(3, T0 + 9, 60, 1, CLASS + 1); /* has credits of its own, and the higher class */
	inject_credit(1, go, CLASS, 0, SIZE + 15);
	inject_credit(1, go + 1, CLASS, 0, SIZE + 16);
	inject(1, go + 2, 60, 3, CLASS); /* what comes must be counted before it is confirmed */
	inject_credit(1, go + 3, CLASS, 1, SIZE + 16);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[1].stats.tx_frames, 6);
	for (u32 i = 0, n = 0; i < w.n_log; i++) {
		u64 start = w.log[i].arrival - DELAY - ser(w.log[i].len);

		if (w.log[i].port != 1 || w.log[i].id == FAB_NONE || w.log[i].class != CLASS)
			continue;
		n++;
		assert_int_equal(start, n < 2 ? T0 : n < 5 ? T0 + ser(60) + (n - 1) * ser(LEN) : go + 1);
	}
	assert_int_equal(pause_accounted(&w.ports[1].pause), go + 1 - (T0 + ser(60) + 4 * ser(LEN)));
	assert_int_equal(w.ports[1].queue[CLASS], LEN); /* and it stands still again */
	assert_true(w.ports[1].pause.until[CLASS] == TIME_NEVER);
}

/* Hosts take whatever comes. */
static void depart__to_a_host(void **state)
{
	credit_reset();
	w.ports[1].cfg.peer = PEER_HOST;
	for (u32 i = 0; i < 9; i++)
		inject(0, T0 + i * ser(LEN), LEN, 1, CLASS);
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[1].stats.tx_frames, 9);
}

/* A frame that is lost on the way, or bound for nowhere, takes no room: its credits go back like the others'. */
static void refuse__gives_back(void **state)
{
	for (u32 lost = 0; lost < 2; lost++) {
		credit_reset();
		w.ports[0].cfg.loss_in = lost ? ~0U : 0;
		for (u32 i = 0; i < 40; i++)
			inject(0, T0 + i * ser(LEN), LEN, lost ? 1 : PORTS, CLASS);
		assert_int_equal(run(TIME_LIMIT), 0);
		assert_int_equal(w.ports[0].stats.drops[lost ? FAB_DROP_LOSS : FAB_DROP_NO_ROUTE], 40);
		assert_int_equal(w.ports[0].stats.resume_tx, 40);
		assert_credit(39, 0, T0 + 39 * ser(LEN) + ser(60) + DELAY, 0, SIZE + 40 * 16);
	}
}

/* Counts that disagree are an error of the lab, and end the run. */
static void receive__miscounted(void **state)
{
	credit_reset();
	inject_credit(2, T0, CLASS, 1, SIZE);
	assert_int_equal(run(TIME_LIMIT), -1);
	assert_int_equal(w.state.error, FAB_CREDITS);
	assert_int_equal(w.state.error_port, 2);
}

/* A frame that finds no room is one too, not a drop: by blocks, for it would fit by bytes. */
static void take__without_room(void **state)
{
	credit_reset();
	w.ports[1].pause.until[CLASS] = TIME_NEVER;
	for (u32 i = 0; i < 4; i++)
		inject(0, T0 + i, 1000, 1, CLASS);
	assert_int_equal(run(T0 + 4), 0);
	assert_int_equal(w.ports[0].credit_rx.held[CLASS], SIZE);
	inject(0, T0 + 4, 60, 1, CLASS);
	assert_int_equal(run(T0 + 5), -1);
	assert_int_equal(w.state.error, FAB_CREDITS);
	assert_int_equal(w.state.error_port, 0);
	assert_int_equal(w.ports[0].stats.drops[FAB_DROP_BUFFER], 0);
}

/* What a fault drops has arrived, so its credits go back; what was on the link when it broke has not. */
static void fault__drops_and_cuts(void **state)
{
	for (u32 cut = 0; cut < 3; cut++) {
		credit_reset();
		w.ports[0].fault.drop = cut ? 0 : ~0U;
		w.ports[0].fault.cut = cut ? TIME_LIMIT : 0;
		w.ports[0].cfg.loss_in = cut == 2 ? ~0U : 0; /* lost in either way, it does not count */
		for (u32 i = 0; i < 4; i++)
			inject(0, 10 * DELAY + i * ser(LEN), LEN, 1, CLASS);
		assert_int_equal(run(TIME_LIMIT), 0);
		assert_int_equal(w.ports[0].stats.drops[FAB_DROP_FAULT], cut ? 0 : 4);
		assert_int_equal(w.ports[0].stats.drops[FAB_DROP_LINK], cut == 1 ? 4 : 0);
		assert_int_equal(w.ports[0].credit_rx.received[CLASS], cut ? 0 : 64);
		assert_int_equal(w.ports[0].credit_rx.held[CLASS], 0);
		assert_int_equal(w.ports[0].stats.resume_tx, cut ? 0 : 4);
	}
}

/* Credits that were on a link when it broke are of the older count: neither heard nor compared. */
static void fault__cuts_credits(void **state)
{
	for (u32 late = 0; late < 2; late++) {
		credit_reset();
		w.ports[1].fault.cut = 2 * T0;
		inject_credit(1, 2 * T0 - !late + ser(PFC_LEN) + DELAY, CLASS, late ? 0 : 99, SIZE + 9);
		assert_int_equal(run(TIME_LIMIT), 0);
		assert_int_equal(w.ports[1].credit_tx.limit[CLASS], late ? SIZE + 9 : SIZE);
		assert_int_equal(w.ports[1].stats.resume_rx, late);
		assert_int_equal(w.top, FRAMES); /* its slot is free again */
	}
}

/* While its link is down a port has nobody to tell: frames that leave its buffer by other ports send nothing. */
static void fault__tells_nobody(void **state)
{
	credit_reset();
	inject(0, T0, LEN, 1, CLASS);
	inject(0, T0 + 1, LEN, 2, CLASS);
	w.ports[1].pause.until[CLASS] = T0 + PS_PER_US;
	assert_int_equal(run(T0 + 1000), 0);
	assert_int_equal(w.ports[0].stats.resume_tx, 1); /* of the second, that has left */
	w.ports[0].fault.down = 1;
	assert_int_equal(run(TIME_LIMIT), 0);
	assert_int_equal(w.ports[1].stats.tx_frames, 1);
	assert_int_equal(w.ports[0].credit_rx.held[CLASS], 0);
	assert_int_equal(w.ports[0].stats.resume_tx, 1);
	assert_int_equal(w.ports[0].pfc_pending, 0);
}

/*
 * ecn=ib: four frames of 16 fill a buffer of 64 blocks: nothing is left to the far end, and its frames are marked. The
 * output is root as long as it has credits: then Z, from another input, is marked too.
 */
static void full__without_credits(void **state)
{
	for (u32 credits = 0; credits < 2; credits++) {
		credit_reset();
		w.cfg.ecn = ECN_IB;
		w.ports[1].credit_tx.sent[CLASS] = credits ? 0 : SIZE; /* nothing, or all of it, spent */
		w.ports[1].credit_rx.received[CLASS] = 0;
		inject(3, T0, LEN, 1, CLASS + 1); /* keeps the output busy while they come */
		if (!credits)
			w.ports[1].pause.until[CLASS] = TIME_NEVER;
		w.frames[inject(2, T0 + 1, 60, 1, CLASS)].flow_key = 1; /* Z */
		for (u32 i = 0; i < 3; i++)
			inject(0, T0 + 2 + i, LEN, 1, CLASS);
		assert_int_equal(run(T0 + 10), 0);
		assert_int_equal(w.ports[0].full[CLASS], 0);
		inject(0, T0 + 11, LEN, 1, CLASS);
		assert_int_equal(run(T0 + 20), 0);
		assert_int_equal(w.ports[0].full[CLASS], 6);
		assert_int_equal(w.ports[1].root[CLASS], credits ? 6 : 0);
		assert_int_equal(run(TIME_LIMIT), 0);
		assert_int_equal(w.ports[1].stats.ecn_marks, credits ? 4 : 0); /* Z and the three that may leave */
		assert_int_equal(w.ports[1].root[CLASS], 0);                   /* stopped */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(give__tells_in_steps), cmocka_unit_test(give__held_back),
		cmocka_unit_test(give__two_classes),    cmocka_unit_test(depart__stalls),
		cmocka_unit_test(depart__to_a_host),    cmocka_unit_test(refuse__gives_back),
		cmocka_unit_test(receive__miscounted),  cmocka_unit_test(full__without_credits),
		cmocka_unit_test(take__without_room),   cmocka_unit_test(fault__drops_and_cuts),
		cmocka_unit_test(fault__cuts_credits),  cmocka_unit_test(fault__tells_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
