// SPDX-License-Identifier: GPL-2.0
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
		cmocka_unit_test(send__into_credits),
		cmocka_unit_test(send__answers),
		cmocka_unit_test(send__without_credits),
		cmocka_unit_test(receive__malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
