// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of a NIC: its link breaks and mends, it pauses its switch for ever. */
#include "tests/unit/scripted_nic.h"

#define FIRST_LEN 1074 /* it has a RETH */
#define PACKET_LEN 1058
#define QUANTA 1000
#define QUANTA_TIME (QUANTA * 64ULL * PS)

static void with(const struct nic_fault *faults, u32 n, u32 n_storms)
{
	prepare("roce", 0);
	h.par.faults = faults;
	h.par.n_faults = n;
	h.par.n_storms = n_storms;
	h.par.quanta = QUANTA;
}

/* What has begun to leave by then is on its way; the next waits until the link is up. */
static void link__sends_nothing_while_down(void **state)
{
	u64 down = ser(FIRST_LEN) + 1, up = 5000000;
	const struct nic_fault faults[] = { { down, NIC_LINK_DOWN, 0 }, { up, NIC_LINK_UP, 0 } };

	with(faults, 2, 0);
	add_flow(0, 1, 4000, 0);
	start_nic();
	advance(up);
	assert_int_equal(h.n_tx, 2); /* at 0, and a ps before the link breaks */
	assert_int_equal(nic_next(h.nic), up);
	advance(TIME_LIMIT);
	assert_int_equal(h.n_tx, 4);
	assert_int_equal(h.tx[2].start, up);
	stop_nic();
}

/* At its very instant: a frame that would begin then does not. */
static void link__comes_before_all_else(void **state)
{
	const struct nic_fault faults[] = { { 700, NIC_LINK_DOWN, 0 }, { 900, NIC_LINK_UP, 0 } };

	with(faults, 2, 0);
	add_flow(0, 1, 1000, 700);
	start_nic();
	advance(TIME_LIMIT);
	assert_int_equal(h.n_tx, 1);
	assert_int_equal(h.tx[0].start, 900);
	stop_nic();
}

/* Lost are frames that had begun to leave the far end; PFC frames too. What was told before is void. */
static void link__takes_what_was_on_it(void **state)
{
	u64 down = 10000000, lost = down - 1 + ser(PACKET_LEN) + DELAY;
	const struct nic_fault faults[] = { { down, NIC_LINK_DOWN, 0 }, { down + 1, NIC_LINK_UP, 0 } };
	u32 flow;

	with(faults, 2, 0);
	flow = add_flow(1, 0, 10000, 0);
	start_nic();
	come_pfc(down - 1000, CLASS, 65535);
	come_pfc(down - 1 + ser(PFC_LEN) + DELAY, CLASS, 65535);
	come_ack(down - 1 + ser(ACK_LEN) + DELAY, flow, 0);
	come_data(lost, flow, 1);
	come_data(lost + 1, flow, 1);
	advance(TIME_LIMIT);
	assert_int_equal(nic_stats(h.nic)->lost_link, 2);
	assert_int_equal(nic_stats(h.nic)->lost_link_data, 1);
	assert_int_equal(nic_stats(h.nic)->rx_frames, 1);
	assert_int_equal(nic_stats(h.nic)->pause_rx, 1);
	assert_int_equal(pause_accounted(nic_pause(h.nic)), 1000);
	assert_int_equal(h.n_tx, 1); /* its NAK: no pause holds it back */
	stop_nic();
}

/* A NIC with nothing to do does not rise for its link's sake, so a run may end; but for a storm it does. */
static void link__lets_an_idle_nic_sleep(void **state)
{
	const struct nic_fault faults[] = { { 1000, NIC_LINK_DOWN, 0 },
					    { 2000, NIC_LINK_UP, 0 },
					    { 3000, NIC_STORM_ON, CLASS },
					    { 4000, NIC_STORM_OFF, CLASS } };

	with(faults, 2, 0);
	start_nic();
	assert_true(nic_next(h.nic) == TIME_NEVER);
	stop_nic();
	with(faults, 4, 4);
	start_nic();
	assert_int_equal(nic_next(h.nic), 1000);
	stop_nic();
}

static void assert_pfc(u32 i, u64 start, bool pause)
{
	assert_true(i < h.n_tx && h.tx[i].pfc);
	assert_int_equal(h.tx[i].start, start);
	assert_int_equal(h.tx[i].classes, 1 << CLASS);
	assert_int_equal(h.tx[i].quanta[CLASS], pause ? QUANTA : 0);
}

static void storm__repeats_pause_and_ends(void **state)
{
	u64 on = 5000, off = on + QUANTA_TIME / 2 * 3 + 1;
	const struct nic_fault faults[] = { { on, NIC_STORM_ON, CLASS }, { off, NIC_STORM_OFF, CLASS } };

	with(faults, 2, 2);
	start_nic();
	advance(TIME_LIMIT);
	assert_int_equal(h.n_tx, 5);
	for (u32 i = 0; i < 4; i++)
		assert_pfc(i, on + i * QUANTA_TIME / 2, true);
	assert_pfc(4, off - 1 + ser(PFC_LEN), false); /* the line is busy with the fourth */
	assert_int_equal(nic_stats(h.nic)->pause_tx, 4);
	for (u32 c = 0; c < FAB_CLASSES; c++)
		assert_int_equal(nic_stats(h.nic)->class_pause_tx[c], c == CLASS ? 4 : 0);
	assert_int_equal(nic_stats(h.nic)->resume_tx, 1);
	assert_int_equal(nic_stats(h.nic)->tx_frames, 0);
	assert_true(nic_next(h.nic) == TIME_NEVER);
	stop_nic();
}

/* It goes ahead of data, cuts into no frame, falls silent with the link and speaks up again after it. */
static void storm__and_data_and_link(void **state)
{
	u64 on = 100, down = 500000000, up = down + 7000;
	const struct nic_fault faults[] = { { on, NIC_STORM_ON, CLASS },
					    { down, NIC_LINK_DOWN, 0 },
					    { up, NIC_LINK_UP, 0 } };

	with(faults, 3, 1);
	add_flow(0, 1, 2000, 0);
	start_nic();
	advance(10 * ser(PACKET_LEN));
	assert_int_equal(h.n_tx, 3);
	assert_pfc(1, ser(FIRST_LEN), true);
	advance(down);
	h.n_tx = 0;
	advance(up + 1000);
	assert_int_equal(h.n_tx, 1);
	assert_pfc(0, up, true);
	stop_nic();
}

/* A link that is up has nothing to mend: a storm is not said anew, and that it is over is not forgotten. */
static void storm__and_a_link_that_is_up(void **state)
{
	u64 on = 5000, off = on + QUANTA_TIME / 4;
	const struct nic_fault faults[] = { { on, NIC_STORM_ON, CLASS },
					    { off - 1000, NIC_LINK_UP, 0 },
					    { off, NIC_STORM_OFF, CLASS },
					    { off, NIC_LINK_UP, 0 } };

	with(faults, 4, 3);
	start_nic();
	advance(TIME_LIMIT);
	assert_int_equal(h.n_tx, 2);
	assert_pfc(0, on, true);
	assert_pfc(1, off, false);
	stop_nic();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(link__sends_nothing_while_down), cmocka_unit_test(link__comes_before_all_else),
		cmocka_unit_test(link__takes_what_was_on_it),     cmocka_unit_test(link__lets_an_idle_nic_sleep),
		cmocka_unit_test(storm__repeats_pause_and_ends),  cmocka_unit_test(storm__and_data_and_link),
		cmocka_unit_test(storm__and_a_link_that_is_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
