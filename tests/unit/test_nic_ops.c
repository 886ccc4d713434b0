// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations and their refusals between whole NICs: READ, SEND with few receives, regions, retry limits; and what
 * congestion control asks of the NIC: pacing, windows, marks, CNPs. Times to the picosecond.
 */
#include "bpf/ecn.h"
#include "bpf/hash.h"
#include "bpf/parse.h"

#include "tests/unit/nic_world.h"

#define SER(len) ((u64)wire_bytes(len) * WORLD_PS)
#define MIDDLE SER(1058)
#define READ_REQUEST SER(74)

static const struct sender *source(u32 flow)
{
	return &w.hosts[w.flows[flow].src].nic->senders[w.src_index[flow]];
}

static void set_message(u32 bytes)
{
	for (u32 i = 0; i < w.n_hosts; i++) {
		w.hosts[i].par.rules.message = bytes;
		w.hosts[i].par.rules.msg_packets = (bytes + 999) / 1000;
	}
}

/* A READ alone: one request there, then the data at line rate. First and last response carry an AETH. */
static void read__exact(void **state)
{
	u64 first = READ_REQUEST + WORLD_DELAY, data = 2 * SER(1062) + 8 * MIDDLE + WORLD_DELAY;

	world_prepare(1, 2, "irn", "none");
	world_flow(1, 0, 10000, 500, FLOW_READ);
	world_open();
	world_run(TIME_LIMIT);
	assert_int_equal(w.results[0].done_ps, 500 + first + data);
	assert_true(w.results[0].acked && w.results[0].packets_sent == 10 && !w.results[0].retransmitted);
	assert_int_equal(nic_stats(w.hosts[0].nic)->tx_data, 0);
	assert_int_equal(nic_stats(w.hosts[1].nic)->tx_data, 10);
	assert_int_equal(nic_stats(w.hosts[0].nic)->tx_frames, 1 + 10); /* the request, an ACK per response */
	world_close();
}

/* No more than 16 requests outstanding; a message that arrives makes room for the next. */
static void read__many_messages(void **state)
{
	world_prepare(1, 2, "roce", "none");
	set_message(2500);
	world_flow(1, 0, 100000, 0, FLOW_READ);
	world_open();
	world_run(READ_REQUEST * 16 + WORLD_DELAY + 1);
	assert_int_equal(source(0)->qp.limit, 16 * 3);
	world_run(TIME_LIMIT);
	assert_int_equal(source(0)->qp.limit, 120);
	assert_true(w.results[0].acked && w.results[0].packets_sent == 120);
	assert_int_equal(nic_stats(w.hosts[0].nic)->tx_frames, 40 + 120);
	world_close();
}

/*
 * A request that is lost is asked again: after rto_high, with IRN after rto_low; without an end, or until retry_cnt is
 * used up.
 */
static void read__lost_request(void **state)
{
	for (u32 i = 0; i < 4; i++) {
		bool limit = i % 2, irn = i / 2;

		world_prepare(1, 2, irn ? "irn" : "roce", "none");
		w.hosts[0].par.qp.retry_cnt = limit ? 3 : RETRY_INFINITE;
		world_flow(1, 0, 3000, 0, FLOW_READ);
		world_open();
		w.loss = 1;
		world_run((irn ? 100 : 320) * PS_PER_US);
		assert_int_equal(w.lost, 1);
		world_run(10 * (irn ? 100 : 320) * PS_PER_US + 1);
		assert_int_equal(flow_error(&w.results[0]), limit ? QP_RETRY : QP_OK);
		if (limit)
			assert_int_equal(w.lost, 4);
		else
			assert_in_range(w.lost, 9, 11); /* each wait after the first is up to an eighth longer */
		assert_int_equal(w.results[0].requester_timeouts, limit ? 4 : w.lost - 1);
		w.loss = 0;
		world_run(TIME_LIMIT);
		assert_int_equal(w.results[0].done_ps != TIME_NEVER, !limit);
		assert_int_equal(nic_stats(w.hosts[0].nic)->errors, limit);
		world_close();
	}
}

/* IRN's rule for requests: rto_low while at most three are on their way, rto_high when there are more. */
static void read__lost_requests(void **state)
{
	for (u32 requests = 1; requests <= 5; requests++) {
		u64 rto = (requests <= 3 ? 100 : 320) * PS_PER_US;

		world_prepare(1, 2, "irn", "none");
		set_message(1000);
		world_flow(1, 0, requests * 1000, 0, FLOW_READ);
		world_open();
		w.loss = 1;
		world_run(rto);
		assert_int_equal(w.lost, requests);
		w.loss = 0;
		world_run(TIME_LIMIT);
		assert_int_equal(w.results[0].requester_timeouts, 1);
		/* what is asked again, the first response, and the last in the same gap as the others */
		assert_int_equal(w.results[0].done_ps, rto + READ_REQUEST + SER(1062) * requests + 2 * WORLD_DELAY);
		world_close();
	}
}

/* One receive, posted again 30 us after a message: the second message is refused until then (RNR, 10 us each time). */
static void send__rnr(void **state)
{
	static const char *const transports[] = { "roce", "irn", "melo", "irn-gbn" };

	for (u32 t = 0; t < 4; t++) {
		u64 first = SER(1058) * 2 + WORLD_DELAY, tries = 0;

		world_prepare(1, 2, transports[t], "none");
		set_message(2000);
		w.hosts[1].par.qp.rq = 1;
		w.hosts[1].par.qp.rq_delay = 30 * PS_PER_US;
		w.hosts[1].par.qp.rnr_timer = 1;
		world_flow(0, 1, 6000, 0, FLOW_SEND);
		world_open();
		world_run(TIME_LIMIT);
		assert_true(w.results[0].acked);
		/* refused, 2 us back, 10 us to wait, 2 us there and a packet's time: every 14 us and a bit */
		while (first + 30 * PS_PER_US >
		       first + tries * (10 * PS_PER_US + 2 * WORLD_DELAY + MIDDLE + SER(62)) + MIDDLE)
			tries++;
		assert_int_equal(w.results[0].rnr_naks, 2 * tries);
		assert_int_equal(w.results[0].timeouts, 0);
		assert_true(w.results[0].done_ps > first + 60 * PS_PER_US);
		world_close();
	}
}

/* rnr_retry refusals in a row are survived; one more is an error, and nothing is sent after it. */
static void send__rnr_exceeded(void **state)
{
	for (u32 retry = 0; retry < 7; retry += 3) {
		world_prepare(1, 2, "roce", "none");
		set_message(1000);
		w.hosts[0].par.qp.rnr_retry = retry;
		w.hosts[1].par.qp.rq = 1;
		w.hosts[1].par.qp.rq_delay = PS_PER_MS;
		w.hosts[1].par.qp.rnr_timer = 1;
		world_flow(0, 1, 3000, 0, FLOW_SEND);
		world_open();
		world_run(TIME_LIMIT);
		assert_int_equal(w.results[0].error, QP_RNR);
		assert_int_equal(w.results[0].rnr_naks, retry + 1);
		assert_true(w.results[0].done_ps == TIME_NEVER);
		assert_int_equal(source(0)->qp.una, 1);
		world_close();
	}
}

/* Beyond the region: a WRITE is refused by the responder, a READ too; the queue pair stops and says so. */
static void access__refused(void **state)
{
	for (u32 op = 0; op < 2; op++) {
		world_prepare(1, 2, "irn", "none");
		set_message(2000);
		w.hosts[0].par.qp.region = w.hosts[1].par.qp.region = 5000;
		world_flow(0, 1, 5001, 0, op ? FLOW_READ : FLOW_WRITE);
		world_flow(0, 1, 5000, 0, op ? FLOW_READ : FLOW_WRITE);
		world_open();
		world_run(TIME_LIMIT);
		assert_int_equal(flow_error(&w.results[0]), QP_ACCESS);
		assert_true(w.results[0].done_ps == TIME_NEVER);
		assert_int_equal(flow_error(&w.results[1]), QP_OK);
		assert_true(w.results[1].done_ps != TIME_NEVER);
		assert_int_equal(w.hosts[1].nic->receivers[w.dst_index[0]].qp.expected,
				 4); /* two messages were in order */
		world_close();
	}
}

/* Timeouts without progress: retry_cnt are survived, the next one is an error. Progress starts the count anew. */
static void retry__exceeded(void **state)
{
	world_prepare(1, 2, "roce", "none");
	w.hosts[0].par.qp.retry_cnt = 2;
	world_flow(0, 1, 4000, 0, FLOW_WRITE);
	world_open();
	w.loss = 1;
	world_run(500 * PS_PER_US); /* one timeout, at 320 us; the next no later than 360 after it gets through */
	assert_int_equal(w.results[0].timeouts, 1);
	w.loss = 0;
	assert_int_equal(w.results[0].error, QP_OK);
	world_run(TIME_LIMIT);
	assert_true(w.results[0].acked);
	assert_int_equal(w.results[0].error, QP_OK);
	world_close();

	world_prepare(1, 2, "roce", "none");
	w.hosts[0].par.qp.retry_cnt = 2;
	world_flow(0, 1, 4000, 0, FLOW_WRITE);
	world_open();
	w.loss = 1;
	world_run(TIME_LIMIT);
	assert_int_equal(w.results[0].error, QP_RETRY);
	assert_int_equal(w.results[0].timeouts, 3);
	assert_int_equal(w.results[0].packets_sent, 3 * 4);
	world_close();
}

/* Every packet marked: a CNP for the first, then one per interval; the rate falls and packets are spaced. */
static void dcqcn__cnps(void **state)
{
	u64 took;

	world_prepare(1, 2, "irn", "dcqcn");
	w.hosts[0].par.recovery.cap = w.hosts[1].par.recovery.cap = 1000;
	world_flow(0, 1, 500000, 0, FLOW_WRITE);
	world_open();
	w.mark = 1;
	world_run(TIME_LIMIT);
	took = w.results[0].done_ps;
	assert_true(w.results[0].cnps > 2);
	assert_int_equal(nic_stats(w.hosts[1].nic)->cnps_tx, w.results[0].cnps);
	assert_int_equal(nic_stats(w.hosts[0].nic)->cnps_rx, w.results[0].cnps);
	/* the first after the first packet, then at most one in 50 us */
	assert_in_range(w.results[0].cnps, took / (50 * PS_PER_US) / 2, took / (50 * PS_PER_US) + 1);
	assert_true(took > 5 * 500 * MIDDLE);
	assert_true(w.hosts[0].par.cc_ops->rate(&w.hosts[0].nic->ccs[0], took) < 10000000000ULL);
	world_close();
}

/* Unmarked, every congestion control leaves a lone flow alone: line rate to the picosecond. */
static void cc__lone_flow(void **state)
{
	for (u32 c = 0; cc_at(c); c++) {
		world_prepare(1, 2, "irn", cc_at(c)->name);
		world_flow(0, 1, 1000000, 0, FLOW_WRITE);
		world_open();
		world_run(TIME_LIMIT);
		assert_int_equal(w.results[0].done_ps, SER(1074) + 999 * MIDDLE + WORLD_DELAY);
		assert_int_equal(w.results[0].cnps, 0);
		world_close();
	}
}

/* InfiniBand: marks come back in ACKs; the window and the spacing hold. where a READ's response has no ACK, in CN
 * packets. */
static void ib__marks(void **state)
{
	for (u32 op = 0; op < 2; op++) {
		world_prepare_with(1, 2, "roce", "ib-lipd", (const char *const[]){ "ib_levels=16", NULL });
		for (u32 i = 0; op && i < 2; i++) {
			w.hosts[i].par.rules.ack_every = 0;
			w.hosts[i].par.recovery.cap = 1000;
			w.hosts[i].par.recovery.timeouts = false; /* one ACK in all takes longer than rto_high */
		}
		world_flow(0, 1, 400000, 0, op ? FLOW_READ : FLOW_WRITE);
		world_open();
		w.mark = 1;
		world_run(TIME_LIMIT);
		assert_true(w.results[0].acked);
		assert_int_equal(source(0)->qp.window, op ? NO_LIMIT : 1);
		assert_int_equal(w.hosts[0].par.cc_ops->rate(&w.hosts[0].nic->ccs[0], 0), 40000000000ULL / 16);
		assert_int_equal(nic_stats(w.hosts[1].nic)->cnps_tx, op ? 399 : 0); /* the last asks for an ACK */
		assert_int_equal(w.results[0].cnps, 400);
		/* most of the 400 packets left a sixteenth as fast as the line */
		assert_true(w.results[0].done_ps > 300 * 16 * MIDDLE);
		world_close();
	}
}

/* With ACKs for messages only, a window that has shrunk below a message still opens: its last packet asks. */
static void ib__asks_for_acks(void **state)
{
	world_prepare_with(1, 2, "roce", "ib-aimd", (const char *const[]){ "ib_levels=16", NULL });
	for (u32 i = 0; i < 2; i++) {
		w.hosts[i].par.rules.ack_every = 0;
	}
	world_flow(0, 1, 400000, 0, FLOW_WRITE);
	world_open();
	world_run(TIME_LIMIT);
	assert_true(w.results[0].acked);
	assert_int_equal(w.results[0].timeouts, 0);
	assert_in_range(nic_stats(w.hosts[1].nic)->acks_tx, 10, 361);
	world_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read__exact),        cmocka_unit_test(read__many_messages),
		cmocka_unit_test(read__lost_request), cmocka_unit_test(read__lost_requests),
		cmocka_unit_test(send__rnr),          cmocka_unit_test(send__rnr_exceeded),
		cmocka_unit_test(access__refused),    cmocka_unit_test(retry__exceeded),
		cmocka_unit_test(dcqcn__cnps),        cmocka_unit_test(cc__lone_flow),
		cmocka_unit_test(ib__marks),          cmocka_unit_test(ib__asks_for_acks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
