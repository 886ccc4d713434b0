// SPDX-License-Identifier: GPL-2.0-or-later
/* What waits for the port in a ring: nothing of an answer is left over for the one that takes its place later. */
#include "tests/unit/scripted_nic.h"

#include "agent/recovery/melo_impl.h"

#define PACKETS 1200 /* several times round the ring */
#define GAP 300000   /* ps; longer than a packet on the wire */
#define ANSWER_FRAME 62
#define HOLES_LEN 12

/* MELO: of three answers the second says what is missing; no later one does. */
static void control__no_old_holes(void **state)
{
	prepare("melo", 0);
	((struct melo_params *)h.par.recovery.own)->bits = 1024;
	add_flow(2, 0, PACKETS * 1000, 0);
	start_nic();
	come_data(GAP, 0, 0);
	come_data(2 * GAP, 0, 2);
	come_data(3 * GAP, 0, 1);
	for (u32 n = 3; n < PACKETS; n++)
		come_data((n + 1) * (u64)GAP, 0, n);
	advance(PACKETS * (u64)GAP + PS_PER_MS);
	assert_int_equal(h.n_tx, PACKETS);
	for (u32 i = 0; i < PACKETS; i++) {
		assert_int_equal(h.tx[i].len, i == 1 ? ANSWER_FRAME + HOLES_LEN : ANSWER_FRAME);
		assert_int_equal(h.tx[i].syndrome, i == 1 ? AETH_NAK_SEQUENCE : AETH_ACK);
	}
	stop_nic();
}

/*
 * With congestion control by marked ACKs the ACK of a marked packet says so. The last packet is refused: the NAK that
 * says it takes the place of a marked ACK and is not marked itself.
 */
static void control__no_old_marks(void **state)
{
	prepare("roce", 0);
	h.par.cc_ops = cc_find("ib-aimd");
	h.par.rules.message = 1000; /* each packet says where it goes */
	h.par.rules.msg_packets = 1;
	h.par.qp.region = (PACKETS - 1) * 1000;
	add_flow(2, 0, PACKETS * 1000, 0);
	start_nic();
	for (u32 n = 0; n < PACKETS; n++) {
		come_data((n + 1) * (u64)GAP, 0, n);
		if (n != 5)
			h.rx[(h.tail - 1) % RX].bytes[IP_OFF + 1] |= 3;
	}
	advance(PACKETS * (u64)GAP + PS_PER_MS);
	assert_int_equal(h.n_tx, PACKETS);
	for (u32 i = 0; i < PACKETS; i++)
		assert_int_equal(h.tx[i].marked, i != 5 && i < PACKETS - 1);
	assert_int_equal(h.tx[PACKETS - 1].syndrome, AETH_NAK_ACCESS);
	stop_nic();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control__no_old_holes),
		cmocka_unit_test(control__no_old_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
