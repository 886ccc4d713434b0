// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole NICs over a lossy wire: every loss recovery with every congestion control, all operations. Every byte arrives
 * once and in order, nothing acknowledged is sent again, the cap holds (checked frame by frame in nic_world.h).
 */
#include "agent/packet/psn.h"
#include "bpf/ecn.h"
#include "bpf/hash.h"
#include "bpf/parse.h"

#include "tests/unit/nic_world.h"

#define CASES 40 /* per pair of schemes and kind of trouble */

/* Algorithms with settings that give them something to do. */
static void prepare(u64 seed, const char *transport, const char *cc)
{
	const struct recovery_ops *ops = recovery_find(transport);
	const char *const words[] = { seed % 2 ? "melo_resend=holes" : "melo_resend=front",
				      seed % 5 == 4 ? "melo_cache=1" : "melo_cache=all",
				      seed % 4 == 3 ? "backoff=on" : "backoff=off", "ib_levels=16", NULL };
	struct nic_params resolved;

	world_prepare_with(seed, 3, transport, cc, words);
	resolved = w.hosts[0].par;
	resolved.recovery.cap = 0;
	ops->resolve(&resolved.recovery);
	for (u32 i = 0; i < w.n_hosts; i++) /* 200: what a buffer of the receiver's holds */
		w.hosts[i].par.recovery.cap = resolved.recovery.cap == PSN_WINDOW_MAX - 1 ? PSN_WINDOW_MAX - 1
			: resolved.recovery.cap > 200                                     ? 200
											  : resolved.recovery.cap;
}

/* All flows complete, nothing goes on afterwards, and as many packets were kept as there are. */
static void assert_all_done(void)
{
	u64 packets = 0, fresh = 0, completed = 0, forgotten = 0;

	for (u32 i = 0; i < w.table.n; i++) {
		const struct rqp *q = &w.hosts[w.flows[i].dst].nic->receivers[w.dst_index[i]].qp;

		if (w.results[i].done_ps == TIME_NEVER)
			print_message("flow %u: %u of %u packets\n", i, q->expected, q->n_packets);
		assert_true(w.results[i].done_ps != TIME_NEVER);
		assert_int_equal(flow_error(&w.results[i]), QP_OK);
		assert_true(w.results[i].acked);
		assert_int_equal(q->expected, q->n_packets);
		assert_int_equal(q->received, q->n_packets);
		packets += q->n_packets;
	}
	for (u32 i = 0; i < w.n_hosts; i++) {
		fresh += nic_stats(w.hosts[i].nic)->fresh;
		completed += nic_stats(w.hosts[i].nic)->completed;
		assert_int_equal(w.hosts[i].n, 0);
	}
	for (u32 i = 0; i < w.n_hosts; i++) {
		struct recovery_stats s;

		nic_recovery_stats(w.hosts[i].nic, &s);
		assert_true(!s.pool_rx_now && !s.pool_tx_now); /* no block is left behind */
		forgotten += s.forgotten;
		packets += s.forgotten; /* kept twice: a small cache */
	}
	if (forgotten)
		assert_in_range(fresh, packets - packets / 2, packets);
	else
		assert_int_equal(fresh, packets);
	assert_int_equal(completed, w.table.n);
	assert_true(world_next() == TIME_NEVER);
}

static void run_case(u64 seed, const char *transport, const char *cc)
{
	bool tcp = recovery_find(transport)->format == FORMAT_TCP;

	prepare(seed, transport, cc);
	w.loss = seed % 3 ? 8 + rng_below(&w.rng, 200) : 0;
	w.reorder = rng_below(&w.rng, 3) ? 3 + rng_below(&w.rng, 50) : 0;
	w.repeat = rng_below(&w.rng, 3) ? 5 + rng_below(&w.rng, 50) : 0;
	w.corrupt = rng_below(&w.rng, 3) ? 20 + rng_below(&w.rng, 100) : 0;
	w.mark = rng_below(&w.rng, 4) ? 2 + rng_below(&w.rng, 50) : 0;
	for (u32 i = 0; i < w.n_hosts; i++) {
		w.hosts[i].par.rules.message = 1 + rng_below(&w.rng, 12000);
		if (!recovery_find(transport)->acks_each)
			w.hosts[i].par.rules.ack_every = rng_below(&w.rng, 2) ? 1 : rng_below(&w.rng, 65);
		w.hosts[i].par.qp.rq = rng_below(&w.rng, 3);
		w.hosts[i].par.qp.rq_delay = rng_below(&w.rng, 30 * PS_PER_US);
		w.hosts[i].par.qp.rnr_timer = 1;
		if (i)
			w.hosts[i].par.rules = w.hosts[0].par.rules;
		w.hosts[i].par.rules.msg_packets = (w.hosts[i].par.rules.message + 999) / 1000;
	}
	for (u32 i = 0; i < 4; i++) {
		u32 src = rng_below(&w.rng, 3), dst = (src + 1 + rng_below(&w.rng, 2)) % 3;
		u64 bytes = 1 + rng_below(&w.rng, rng_below(&w.rng, 2) ? 3000 : 120000);

		if (bytes / w.hosts[0].par.rules.message > 2000)
			bytes = 1 + w.hosts[0].par.rules.message * 2000;
		world_flow(src, dst, bytes, rng_below(&w.rng, 20 * PS_PER_US), tcp ? FLOW_WRITE : rng_below(&w.rng, 3));
	}
	world_open();
	world_run(TIME_LIMIT);
	assert_all_done();
	world_close();
}

/*
 * On a wire that loses nothing, with timeouts off as over PFC: marks shrink windows, ACKs are few, receives are short,
 * and still nothing hangs.
 */
static void tame_case(u64 seed, const char *transport, const char *cc)
{
	prepare(seed, transport, cc);
	w.mark = 1 + rng_below(&w.rng, 20);
	for (u32 i = 0; i < w.n_hosts; i++) {
		struct nic_params *p = &w.hosts[i].par;

		p->recovery.timeouts = false;
		p->rules.message = 1 + rng_below(&w.rng, 100000);
		if (!recovery_find(transport)->acks_each)
			p->rules.ack_every = rng_below(&w.rng, 65);
		if (i)
			p->rules = w.hosts[0].par.rules;
		p->rules.msg_packets = (p->rules.message + 999) / 1000;
		p->qp.rq = rng_below(&w.rng, 3);
		p->qp.rnr_timer = 1;
	}
	for (u32 i = 0; i < 4; i++)
		world_flow(i % 3, (i + 1) % 3,
			   1 + rng_below(&w.rng, w.hosts[0].par.rules.message < 100 ? 9000 : 300000), 0,
			   recovery_find(transport)->format == FORMAT_ROCE ? rng_below(&w.rng, 3) : FLOW_WRITE);
	world_open();
	world_run(TIME_LIMIT);
	assert_all_done();
	world_close();
}

/* Congestion controls that go with @ops: all, or none with one that has its own. */
static bool goes_with(const struct recovery_ops *ops, u32 cc)
{
	return cc_name(cc) && (!cc || !ops->own_cc);
}

static void tame__nothing_hangs(void **state)
{
	const struct recovery_ops *ops;

	for (u32 t = 0; (ops = recovery_at(t)); t++)
		for (u32 c = 0; goes_with(ops, c); c++)
			for (u64 seed = 0; seed < 20; seed++)
				tame_case(seed * 1000 + t * 10 + c, ops->name, cc_name(c));
}

static void wild__every_pair(void **state)
{
	const struct recovery_ops *ops;
	u32 cases = 0;

	for (u32 t = 0; (ops = recovery_at(t)); t++) {
		for (u32 c = 0; goes_with(ops, c); c++) {
			for (u64 seed = 0; seed < (ops->own_cc ? 8 * CASES : CASES); seed++) {
				run_case(seed * 1000 + t * 10 + c, ops->name, cc_name(c));
				cases++;
			}
		}
	}
	print_message("%u cases\n", cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tame__nothing_hangs),
		cmocka_unit_test(wild__every_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
