// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What must be fetched from memory off chip takes its time: connections' state (MELO 3.2.1: at least 1 us), and packets
 * to be sent again (IRN 6.3: 2 us). Times to the picosecond.
 */
#include "bpf/ecn.h"
#include "bpf/hash.h"
#include "bpf/parse.h"

#include "tests/unit/nic_world.h"

#define SER(len) ((u64)wire_bytes(len) * WORLD_PS)
#define ONLY SER(1074)
#define MIDDLE SER(1058)
#define SWAP PS_PER_US
#define FETCH (2 * PS_PER_US)

static void melo(const char *cache, const char *swap)
{
	const char *const words[] = { cache, swap, NULL };

	world_prepare_with(1, 2, "melo", "none", words);
}

/* Two packets of two connections, a chip for one: both ends fetch both, each on its own. */
static void swap__both_ends_wait(void **state)
{
	static const char *const enough[] = { "melo_cache=2", "melo_cache=all", "melo_cache=3" };
	u64 first, second;

	melo("melo_cache=1", "melo_swap=1us");
	world_flow(0, 1, 1000, 0, FLOW_WRITE);
	world_flow(0, 1, 1000, 0, FLOW_WRITE);
	world_open();
	world_run(TIME_LIMIT);
	first = min64(w.results[0].done_ps, w.results[1].done_ps);
	second = max64(w.results[0].done_ps, w.results[1].done_ps);
	assert_int_equal(first, SWAP + ONLY + WORLD_DELAY + SWAP);
	assert_int_equal(second, first + ONLY);
	assert_true(w.results[0].acked && w.results[1].acked);
	world_close();
	for (u32 i = 0; i < sizeof(enough) / sizeof(enough[0]); i++) {
		melo(enough[i], "melo_swap=1us");
		world_flow(0, 1, 1000, 0, FLOW_WRITE);
		world_flow(0, 1, 1000, 0, FLOW_WRITE);
		world_open();
		world_run(TIME_LIMIT);
		assert_int_equal(min64(w.results[0].done_ps, w.results[1].done_ps), ONLY + WORLD_DELAY);
		assert_int_equal(max64(w.results[0].done_ps, w.results[1].done_ps), 2 * ONLY + WORLD_DELAY);
		world_close();
	}
}

/* What comes for a connection whose state is on its way waits for the same fetch; what comes later, not at all. */
static void swap__one_fetch(void **state)
{
	const struct {
		u32 packets;
		u64 from_first; /* from the first packet's arrival until the flow is complete */
	} rows[] = { { 1, SWAP }, { 2, SWAP }, { 4, SWAP }, { 6, 5 * MIDDLE } };

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u64 arrives = SWAP + (rows[i].packets > 1 ? SER(1074) : ONLY) + WORLD_DELAY;

		melo("melo_cache=1", "melo_swap=1us");
		world_flow(0, 1, 1000 * rows[i].packets, 0, FLOW_WRITE);
		world_flow(0, 1, 1000, PS_PER_MS, FLOW_WRITE); /* long after */
		world_open();
		world_run(TIME_LIMIT);
		assert_int_equal(w.results[0].done_ps, arrives + rows[i].from_first);
		assert_int_equal(w.results[0].retransmitted, 0);
		assert_int_equal(w.results[1].done_ps, PS_PER_MS + SWAP + ONLY + WORLD_DELAY + SWAP);
		world_close();
	}
}

/* The time is the key's; none is as without a limit. */
static void swap__parameter(void **state)
{
	static const struct {
		const char *word;
		u64 time;
	} rows[] = { { "melo_swap=0s", 0 }, { "melo_swap=300ns", 300000 }, { "melo_swap=7us", 7 * PS_PER_US } };

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		melo("melo_cache=1", rows[i].word);
		world_flow(0, 1, 1000, 0, FLOW_WRITE);
		world_flow(0, 1, 1000, PS_PER_MS, FLOW_WRITE);
		world_open();
		world_run(TIME_LIMIT);
		assert_int_equal(w.results[0].done_ps, ONLY + WORLD_DELAY + 2 * rows[i].time);
		world_close();
	}
}

/* Loss, duplicates and overtaking with connections that come and go: all complete, in order, nothing left waiting. */
static void swap__wild(void **state)
{
	for (u64 seed = 1; seed <= 20; seed++) {
		static const char *const words[] = { "melo_cache=1", "melo_bits=64", "melo_resend=holes", NULL };

		world_prepare_with(seed, 3, "melo", "none", words);
		for (u32 i = 1; i < w.n_hosts; i++)
			w.hosts[i].par.rules = w.hosts[0].par.rules; /* one psn0 */
		w.loss = 30;
		w.repeat = 40;
		w.reorder = 50;
		for (u32 f = 0; f < 6; f++)
			world_flow(f % 2, 2, 50000, f * PS_PER_US, f % 3 ? FLOW_WRITE : FLOW_READ);
		world_open();
		world_run(TIME_LIMIT);
		for (u32 f = 0; f < 6; f++)
			assert_true(w.results[f].done_ps != TIME_NEVER && w.results[f].acked);
		for (u32 i = 0; i < w.n_hosts; i++)
			assert_int_equal(fetch_next(w.hosts[i].nic), TIME_NEVER);
		world_close();
	}
}

/* When the first data packet is sent a second time, and the one after it. */
static u64 left[2];
static u32 seen, again;
static bool (*drop)(u32 n);
static int (*send_on)(void *ctx, const struct tx_frame *f);

static bool first_two(u32 n)
{
	return n < 2;
}

static int watch(void *ctx, const struct tx_frame *f)
{
	u64 start = f->arrival - WORLD_DELAY - SER(f->len);

	if (f->data && seen++ < 2 && drop(seen - 1))
		return 0;
	if (f->data && seen > 5 && again < 2)
		left[again++] = start;
	return send_on(ctx, f);
}

/* Packets 0 and 1 of five are lost. Their first NACK, or the timeout, says so at @known. */
static void lose_two(const char *transport, u64 fetch)
{
	world_prepare(1, 2, transport, "none");
	for (u32 i = 0; i < 2; i++)
		w.hosts[i].par.qp.retx_fetch = fetch;
	send_on = w.hosts[0].io.send;
	w.hosts[0].io.send = watch;
	drop = first_two;
	seen = again = 0;
	world_flow(0, 1, 5000, 0, FLOW_WRITE);
	world_open();
	world_run(TIME_LIMIT);
	assert_true(w.results[0].acked && again == 2);
	world_close();
}

/* Each transport: later by the fetch, whatever tells of the loss; the next follows at once. */
static void retx_fetch__delays_once(void **state)
{
	static const char *const transports[] = { "roce", "irn-gbn", "melo", "irn", "irn-nobdp" };

	for (u32 i = 0; i < sizeof(transports) / sizeof(transports[0]); i++) {
		u64 at;

		lose_two(transports[i], 0);
		at = left[0];
		lose_two(transports[i], FETCH);
		assert_int_equal(left[0], at + FETCH);
		if (strncmp(transports[i], "irn", 3) || !strcmp(transports[i], "irn-gbn"))
			assert_true(left[1] <= left[0] + SER(1074)); /* go-back-N, and MELO's holes */
	}
}

/* New packets wait for nothing: without loss all is as before. */
static void retx_fetch__new_packets(void **state)
{
	const struct recovery_ops *ops;

	for (u32 i = 0; (ops = recovery_at(i)); i++) {
		u64 done[2];

		for (u32 k = 0; k < 2; k++) {
			world_prepare(1, 2, ops->name, "none");
			w.hosts[0].par.qp.retx_fetch = k ? FETCH : 0;
			world_flow(0, 1, 100000, 0, FLOW_WRITE);
			world_open();
			world_run(TIME_LIMIT);
			done[k] = w.results[0].done_ps;
			world_close();
		}
		assert_int_equal(done[0], done[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(swap__both_ends_wait),    cmocka_unit_test(swap__one_fetch),
		cmocka_unit_test(swap__parameter),         cmocka_unit_test(swap__wild),
		cmocka_unit_test(retx_fetch__delays_once), cmocka_unit_test(retx_fetch__new_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
