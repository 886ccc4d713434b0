// SPDX-License-Identifier: GPL-2.0-or-later
/* A host that may send into credits only: when it stops, when it goes on, class by class. */
#include "tests/unit/scripted_nic.h"

#include "bpf/credit.h"

#define FIRST 1074  /* with RETH: 17 blocks */
#define MIDDLE 1058 /* 17 blocks as well */
#define END (TIME_LIMIT - 1)

static void come_credit(u64 time, u32 class, u32 fccl)
{
	u8 b[PFC_LEN];

	credit_build(b, 1, class, 0, fccl);
	come(time, b, PFC_LEN, PFC_LEN);
}

static void prepare_credit(u32 blocks)
{
	prepare("roce", 0);
	h.par.credits = blocks;
	h.par.frame_max = FIRST;
}

/* 40 blocks are two packets; 50 are a block short of a third; 51 are enough, and the time between counts as paused. */
static void send__into_credits(void **state)
{
	u64 at = 10 * PS_PER_US;

	prepare_credit(40);
	add_flow(0, 1, 5000, 0);
	start_nic();
	come_credit(at - 2, CLASS + 1, 999);
	come_credit(at - 1, CLASS, 50);
	come_credit(at, CLASS, 51);
	advance(END);
	assert_int_equal(h.n_tx, 3);
	assert_sent(1, 0, 1, ser(FIRST));
	assert_sent(2, 0, 2, at);
	assert_int_equal(nic_stats(h.nic)->resume_rx, 3);
	assert_int_equal(nic_stats(h.nic)->pause_rx, 0);
	assert_int_equal(pause_total(nic_pause(h.nic), at), at - ser(FIRST) - ser(MIDDLE));
	assert_true(nic_next(h.nic) == TIME_NEVER);
	stop_nic();
}

/* ACKs take credits like all frames; of a class of their own they have their own. */
static void send__answers(void **state)
{
	for (u32 own = 0; own < 2; own++) {
		prepare_credit(18);
		h.par.rules.ack_class = own ? 6 : CLASS;
		add_flow(0, 1, 3000, 0);
		add_flow(2, 0, 3000, 0);
		start_nic();
		come_data(5000, 1, 0);
		advance(PS_PER_US);
		assert_int_equal(h.n_tx,
				 own ? 2 : 1); /* the first packet has left one block: too little for an ACK too */
		come_credit(PS_PER_US, CLASS, 34);
		advance(2 * PS_PER_US);
		assert_int_equal(h.n_tx, own ? 3 : 2);
		assert_int_equal(h.tx[own ? 2 : 1].start, PS_PER_US);
		stop_nic();
	}
}

/*
 * A link that has mended is initialised: whatever credits were left, the NIC waits for new ones, which count from 0.
 * What was on the link when it broke is not heard. Where nothing was down nothing changes.
 */
static void link__begins_to_count_anew(void **state)
{
	u64 down = 5 * PS_PER_US, up = 20 * PS_PER_US, told = 30 * PS_PER_US;

	for (u32 broken = 0; broken < 2; broken++) {
		const struct nic_fault faults[] = { { down, NIC_LINK_DOWN, 0 }, { up, NIC_LINK_UP, 0 } };

		prepare_credit(40);
		h.par.faults = faults + !broken;
		h.par.n_faults = 1 + broken;
		add_flow(0, 1, 9000, 0);
		start_nic();
		come_credit(down - 1, CLASS, 51); /* for one more */
		come_credit(down - 1 + ser(PFC_LEN) + DELAY, CLASS, 68);
		come_credit(told, CLASS, 17);
		come_credit(told + 1, CLASS, broken ? 34 : 85);
		advance(END);
		assert_int_equal(h.n_tx, 5);
		assert_int_equal(h.tx[2].start, down - 1);
		assert_int_equal(h.tx[3].start, broken ? told : down - 1 + ser(PFC_LEN) + DELAY);
		assert_int_equal(h.tx[4].start, broken ? told + ser(MIDDLE) : told + 1);
		assert_int_equal(nic_credit(h.nic)->sent[CLASS], broken ? 34 : 85);
		stop_nic();
	}
}

/* The wait for the first credits counts as paused, in each class. */
static void link__waits(void **state)
{
	const struct nic_fault faults[] = { { 1000, NIC_LINK_DOWN, 0 }, { 2000, NIC_LINK_UP, 0 } };

	prepare_credit(40);
	h.par.faults = faults;
	h.par.n_faults = 2;
	add_flow(0, 1, 1000, 3000);
	start_nic();
	for (u32 c = 0; c < FAB_CLASSES; c++)
		come_credit(10000 + c, c, 40);
	advance(END);
	assert_int_equal(h.n_tx, 1);
	assert_int_equal(h.tx[0].start, 10000 + CLASS);
	assert_int_equal(pause_total(nic_pause(h.nic), END), 8 * 8000 + 28);
	stop_nic();
}

/* Without fc=credit nothing is counted. */
static void send__without_credits(void **state)
{
	prepare("roce", 0);
	h.par.frame_max = FIRST;
	add_flow(0, 1, 5000, 0);
	start_nic();
	advance(END);
	assert_int_equal(h.n_tx, 5);
	stop_nic();
}

/* A credit frame with a class that there is not, or an operand that is not ours, is thrown away. */
static void receive__malformed(void **state)
{
	u8 b[PFC_LEN];

	prepare_credit(18);
	add_flow(0, 1, 3000, 0);
	start_nic();
	credit_build(b, 1, 8, 0, 999);
	come(PS_PER_US, b, PFC_LEN, PFC_LEN);
	credit_build(b, 1, CLASS, 0, 999);
	come(PS_PER_US + 1, b, 20, PFC_LEN); /* cut off */
	b[ETH_LEN] = 1;
	come(PS_PER_US + 2, b, PFC_LEN, PFC_LEN);
	advance(END);
	assert_int_equal(h.n_tx, 1);
	assert_int_equal(nic_stats(h.nic)->discarded, 3);
	assert_int_equal(nic_stats(h.nic)->resume_rx, 0);
	stop_nic();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(send__into_credits),    cmocka_unit_test(send__answers),
		cmocka_unit_test(send__without_credits), cmocka_unit_test(link__begins_to_count_anew),
		cmocka_unit_test(link__waits),           cmocka_unit_test(receive__malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
