// SPDX-License-Identifier: GPL-2.0-or-later
/* A host with flows of several traffic classes: one that may not send holds up none of the others. */
#include "tests/unit/scripted_nic.h"

#include "bpf/credit.h"

#define FIRST 1074 /* with RETH: 17 blocks */
#define MIDDLE 1058
#define OTHER 5
#define END (TIME_LIMIT - 1)

static u32 add_of_class(u32 src, u32 dst, u64 bytes, u64 start, u16 class)
{
	u32 id = add_flow(src, dst, bytes, start);

	h.flows[id].class = class;
	return id;
}

/* Which flow sent in turns @from and after: digits in @turns. */
static void assert_turns(u32 from, const char *turns)
{
	for (u32 i = 0; turns[i]; i++)
		assert_int_equal(h.tx[from + i].flow, turns[i] - '0');
}

/*
 * Flows 0 and 2 of one class, flow 1 of another, in turns. While the first class is paused flow 1 has the port to
 * itself, frame after frame; then those who kept their turn come first, as they stood in line.
 */
static void transmit__passes_paused_classes(void **state)
{
	u64 pause, resume;

	prepare("roce", 0);
	add_of_class(0, 1, 40000, 0, CLASS);
	add_of_class(0, 1, 40000, 1, OTHER);
	add_of_class(0, 2, 40000, 2, CLASS);
	start_nic();
	pause = 10 * ser(FIRST);
	resume = 30 * ser(FIRST);
	come_pfc(pause, CLASS, 65535);
	come_pfc(resume, CLASS, 0);
	advance(END);
	assert_int_equal(h.n_tx, 120);
	assert_turns(0, "00120120120");
	for (u32 i = 1; i < 120; i++) /* the port never rests */
		assert_int_equal(h.tx[i].start, h.tx[i - 1].start + ser(h.tx[i - 1].len));
	for (u32 i = 0; i < 120; i++)
		assert_true(h.tx[i].start < pause || h.tx[i].start >= resume || h.tx[i].flow == 1);
	for (u32 i = 0; i < 120; i++) {
		if (h.tx[i].start < resume)
			continue;
		assert_turns(i, "20120120120");
		break;
	}
	assert_int_equal(pause_of_class(nic_pause(h.nic), CLASS, END), resume - pause);
	assert_int_equal(pause_of_class(nic_pause(h.nic), OTHER, END), 0);
	stop_nic();
}

/* All classes paused: the port wakes when the first of them may go on. */
static void transmit__wakes_for_the_first(void **state)
{
	prepare("roce", 0);
	add_of_class(0, 1, 3000, 0, CLASS);
	add_of_class(0, 1, 3000, 0, OTHER);
	start_nic();
	come_pfc(0, CLASS, 2000);
	come_pfc(0, OTHER, 1000);
	advance(1);
	assert_int_equal(h.n_tx, 0);
	assert_true(nic_next(h.nic) == 12800000);
	advance(END);
	assert_sent(0, 1, 0, 12800000);
	assert_turns(0, "111000");
	assert_int_equal(h.tx[3].start, 2 * 12800000);
	stop_nic();
}

/* Answers go in their flow's class: those of a paused one wait, and then all go in the order in which they came. */
static void transmit__answers_by_class(void **state)
{
	u64 resume = 20 * PS_PER_US;

	prepare("roce", 0);
	h.par.rules.ack_class = CLASS_OF_FLOW;
	add_of_class(1, 0, 5000, 0, CLASS);
	add_of_class(2, 0, 5000, 0, OTHER);
	start_nic();
	come_pfc(0, CLASS, 65535);
	come_data(100, 0, 0);
	come_data(200, 1, 0);
	come_pfc(PS_PER_US, OTHER, 65535);
	come_data(PS_PER_US + 1, 1, 1);
	come_data(PS_PER_US + 2, 0, 1);
	come_data(PS_PER_US + 3, 1, 2);
	come_pfc(resume - 1, OTHER, 1); /* ends with the other class's, or a little later */
	come_pfc(resume + pfc_quanta_time(1, PS) - 1, CLASS, 0);
	advance(END);
	assert_int_equal(h.n_tx, 5);
	assert_sent(0, 1, 0, 200);
	assert_int_equal(h.tx[1].start, resume - 1 + pfc_quanta_time(1, PS));
	assert_turns(1, "0101");
	for (u32 i = 2; i < 5; i++)
		assert_int_equal(h.tx[i].start, h.tx[i - 1].start + ser(62));
	stop_nic();
}

static void come_credit(u64 time, u32 class, u32 fccl)
{
	u8 b[PFC_LEN];

	credit_build(b, 1, class, 0, fccl);
	come(time, b, PFC_LEN, PFC_LEN);
}

/* 40 blocks are two packets of each class; more for one of them moves that one. */
static void credits__by_class(void **state)
{
	prepare("roce", 0);
	h.par.credits = 40;
	h.par.frame_max = FIRST;
	add_of_class(0, 1, 9000, 0, CLASS);
	add_of_class(0, 1, 9000, 1, OTHER);
	start_nic();
	come_credit(10 * PS_PER_US, OTHER, 68);
	come_credit(20 * PS_PER_US, CLASS, 51);
	advance(END);
	assert_int_equal(h.n_tx, 7);
	assert_turns(0, "0011110");
	assert_int_equal(h.tx[4].start, 10 * PS_PER_US);
	assert_int_equal(h.tx[6].start, 20 * PS_PER_US);
	assert_true(nic_credit(h.nic)->sent[CLASS] == 51 && nic_credit(h.nic)->sent[OTHER] == 68);
	stop_nic();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transmit__passes_paused_classes),
		cmocka_unit_test(transmit__wakes_for_the_first),
		cmocka_unit_test(transmit__answers_by_class),
		cmocka_unit_test(credits__by_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
