// SPDX-License-Identifier: GPL-2.0
/*
 * Whole NICs over a wild wire: every loss recovery with every congestion control, all operations. Every byte arrives
 * once and in order, nothing acknowledged is sent again, the cap holds (checked frame by frame in nic_world.h).
 */
#include "agent/cc/ib_tables.h"
#include "bpf/ecn.h"
#include "bpf/hash.h"
#include "bpf/parse.h"

#include "tests/unit/nic_world.h"

#define CASES 60 /* per pair of schemes and kind of trouble */

static const char *const transports[] = { "roce", "irn", "irn-gbn", "irn-nobdp", "melo", "iwarp" };
static const char *const ccs[] = { "none",           "dcqcn",   "dcqcn-connectx", "timely",
				   "timely-patched", "ib-aimd", "ib-lipd",        "ib-fimd" };

static struct ib_tables tables[3];

static void tune(u64 seed, const char *transport, const char *cc)
{
	for (u32 i = 0; i < w.n_hosts; i++) {
		struct nic_params *p = &w.hosts[i].par;

		if (!strcmp(transport, "roce") || !strcmp(transport, "irn-nobdp"))
			p->recovery.cap = PSN_WINDOW_MAX - 1;
		if (!strcmp(transport, "melo") || !strcmp(transport, "iwarp"))
			p->recovery.cap = 200;
		p->recovery.melo_holes = seed % 2;
		p->recovery.melo_cache = seed % 5 == 4;
		p->recovery.backoff = seed % 4 == 3;
		p->cc.ib = &tables[!strcmp(cc, "ib-aimd") ? IB_AIMD : !strcmp(cc, "ib-lipd") ? IB_LIPD : IB_FIMD];
		p->cc.timely.patched = !strcmp(cc, "timely-patched");
		if (p->cc.timely.patched)
			p->cc.timely.beta_ppm = 8000;
		if (!strcmp(cc, "dcqcn-connectx"))
			p->cc.dcqcn = (struct dcqcn_params){ 4 * PS_PER_US, 256,      PS_PER_US,  300 * PS_PER_US, 0, 1,
							     8000000,       80000000, 1000000000, 4 * PS_PER_US };
	}
}

/* All flows complete, nothing goes on afterwards, and as many packets were kept as there are. */
static void assert_all_done(void)
{
	u64 packets = 0, fresh = 0, completed = 0;

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
		packets += s.forgotten;                        /* kept twice: a small cache */
	}
	if (w.hosts[0].par.recovery.melo_cache)
		assert_in_range(fresh, packets - packets / 2, packets);
	else
		assert_int_equal(fresh, packets);
	assert_int_equal(completed, w.table.n);
	assert_true(world_next() == TIME_NEVER);
}

static void run_case(u64 seed, const char *transport, const char *cc)
{
	bool tcp = !strcmp(transport, "iwarp");

	world_prepare(seed, 3, transport, cc);
	tune(seed, transport, cc);
	w.loss = seed % 3 ? 8 + rng_below(&w.rng, 200) : 0;
	w.reorder = rng_below(&w.rng, 3) ? 3 + rng_below(&w.rng, 50) : 0;
	w.repeat = rng_below(&w.rng, 3) ? 5 + rng_below(&w.rng, 50) : 0;
	w.corrupt = rng_below(&w.rng, 3) ? 20 + rng_below(&w.rng, 100) : 0;
	w.mark = rng_below(&w.rng, 4) ? 2 + rng_below(&w.rng, 50) : 0;
	for (u32 i = 0; i < w.n_hosts; i++) {
		w.hosts[i].par.rules.message = 1 + rng_below(&w.rng, 12000);
		if (!strcmp(transport, "roce") || !strcmp(transport, "melo"))
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
	world_prepare(seed, 3, transport, cc);
	tune(seed, transport, cc);
	w.mark = 1 + rng_below(&w.rng, 20);
	for (u32 i = 0; i < w.n_hosts; i++) {
		struct nic_params *p = &w.hosts[i].par;

		p->recovery.timeouts = false;
		p->rules.message = 1 + rng_below(&w.rng, 100000);
		if (!strcmp(transport, "roce") || !strcmp(transport, "melo"))
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
			   strcmp(transport, "iwarp") ? rng_below(&w.rng, 3) : FLOW_WRITE);
	world_open();
	world_run(TIME_LIMIT);
	assert_all_done();
	world_close();
}

static void tame__nothing_hangs(void **state)
{
	for (u32 t = 0; t < sizeof(transports) / sizeof(*transports); t++)
		for (u32 c = 0; c < (strcmp(transports[t], "iwarp") ? sizeof(ccs) / sizeof(*ccs) : 1); c++)
			for (u64 seed = 0; seed < 20; seed++)
				tame_case(seed * 1000 + t * 10 + c, transports[t], ccs[c]);
}

static void wild__every_pair(void **state)
{
	u32 cases = 0;

	for (u32 t = 0; t < sizeof(transports) / sizeof(*transports); t++) {
		for (u32 c = 0; c < sizeof(ccs) / sizeof(*ccs); c++) {
			if (!strcmp(transports[t], "iwarp") && c)
				continue;
			for (u64 seed = 0; seed < (strcmp(transports[t], "iwarp") ? CASES : 8 * CASES); seed++) {
				run_case(seed * 1000 + t * 10 + c, transports[t], ccs[c]);
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
	int rc;

	for (u32 f = IB_AIMD; f <= IB_FIMD; f++)
		if (ib_tables_make(&tables[f], f, 16, 40))
			return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	for (u32 f = IB_AIMD; f <= IB_FIMD; f++)
		ib_tables_free(&tables[f]);
	return rc;
}
