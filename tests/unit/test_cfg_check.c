// SPDX-License-Identifier: GPL-2.0-or-later
/* What a finished configuration has filled in, and every contradiction that is refused. */
#include "tests/unit/cfg_words.h"

#include "agent/cc/cc.h"
#include "agent/recovery/recovery.h"

/* As a member of struct run_cfg. */
#define ALG_AT(key)                                                                                                    \
	alg[cfg_key((u32)cfg_key_number(key))->off / sizeof(u64) - offsetof(struct run_cfg, alg) / sizeof(u64)]

static void finish__dependent_keys(void **state)
{
	struct run_cfg c = finish(SET("transport=irn"));

	assert_true(c.fc != CFG_FC_PFC && c.timeouts == CFG_ON);
	c = finish(SET("transport=irn", "fc=pfc"));
	assert_true(c.fc == CFG_FC_PFC && c.timeouts == CFG_OFF);
	c = finish(SET("fc=none"));
	assert_true(c.fc != CFG_FC_PFC && c.timeouts == CFG_ON);
	c = finish(SET("fc=none", "fc=auto"));
	assert_true(c.fc == CFG_FC_PFC && !cfg_given(&c, "fc"));
	c = finish(SET("fc=credit"));
	assert_true(c.fc != CFG_FC_PFC && c.fc == CFG_FC_CREDIT && c.timeouts == CFG_OFF);
	c = finish(SET("fc=credit", "fault=1us:down:h0")); /* faults change nothing, as with PFC */
	assert_true(c.fc == CFG_FC_CREDIT && c.timeouts == CFG_OFF);
	c = finish(SET("preset=roce", "fc=credit")); /* what the user says goes before a preset */
	assert_true(c.fc != CFG_FC_PFC && c.fc == CFG_FC_CREDIT);
	c = finish(SET("transport=irn", "fc=pfc"));
	assert_true(c.fc == CFG_FC_PFC && c.fc == CFG_FC_PFC && c.timeouts == CFG_OFF);
	c = finish(SET("fc=none"));
	assert_true(c.fc != CFG_FC_PFC && c.fc == CFG_FC_NONE && c.timeouts == CFG_ON);
	assert_int_equal(finish(SET("fc=pfc")).fc, CFG_FC_PFC);
	assert_int_equal(finish(SET("fc=none")).fc, CFG_FC_NONE);
	assert_int_equal(finish(SET("fc=none", "fc=credit")).fc, CFG_FC_CREDIT);
	c = finish(SET("timeouts=on"));
	assert_true(c.fc == CFG_FC_PFC && c.timeouts == CFG_ON);
	c = finish(SET("pfc_classes=3"));
	assert_true(c.fc == CFG_FC_PFC && c.pfc_classes == 8 && c.timeouts == CFG_AUTO); /* the flows' classes decide */
	assert_int_equal(finish(SET("pfc_classes=0,1,2,3,4,5,6,7")).timeouts, CFG_OFF);
	assert_int_equal(finish(SET("pfc_classes=3", "pfc_watchdog=1ms")).timeouts, CFG_ON);
	assert_int_equal(finish(SET("pfc_classes=3", "timeouts=off")).timeouts, CFG_OFF);
	c = finish(SET("class=5", "seed=9"));
	assert_true(c.ack_class == CFG_CLASS_SAME && c.ecmp_seed == 9);
	c = finish(SET("class=5", "ack_class=0", "ecmp_seed=0"));
	assert_true(c.ack_class == 0 && c.ecmp_seed == 0);
	c = finish(SET("duration=1ms"));
	assert_true(c.duration == PS_PER_MS && !c.flows && !cfg_given(&c, "flows"));
	c = finish(SET("flows=7", "duration=none"));
	assert_true(c.flows == 7 && cfg_given(&c, "flows"));
	c = finish(SET("workload=incast"));
	assert_true(!c.flows && !c.duration);
}

/* By itself a switch marks where congestion control goes by marks; PFC is RoCE's. */
static void finish__by_transport_and_cc(void **state)
{
	struct run_cfg c;
	char word[32];

	for (u32 i = 0; recovery_at(i); i++) {
		snprintf(word, sizeof(word), "transport=%s", recovery_at(i)->name);
		c = finish(SET(word));
		assert_int_equal(c.fc == CFG_FC_PFC, recovery_at(i)->lossless);
		assert_int_equal(c.timeouts, recovery_at(i)->lossless ? CFG_OFF : CFG_ON);
		assert_int_equal(c.ecn, CFG_ECN_OFF);
	}
	for (u32 i = 0; cc_at(i); i++) {
		snprintf(word, sizeof(word), "cc=%s", cc_at(i)->name);
		c = finish(SET(word));
		assert_int_equal(c.fc, cc_at(i)->credits ? CFG_FC_CREDIT : CFG_FC_PFC);
		assert_int_equal((int)c.ecn, cc_at(i)->marking);
	}
	assert_int_equal(finish(SET("transport=irn")).fc, CFG_FC_NONE);
	assert_int_equal(finish(SET("cc=dcqcn")).ecn, CFG_ECN_RED);
	/* HP's proposal: its own marking, and InfiniBand's credits, whatever recovers losses; unless told otherwise */
	assert_int_equal(finish(SET("cc=ib-fimd")).ecn, CFG_ECN_IB);
	assert_int_equal(finish(SET("cc=ib-lipd")).fc, CFG_FC_CREDIT);
	assert_int_equal(finish(SET("cc=ib-lipd", "transport=irn")).fc, CFG_FC_CREDIT);
	assert_int_equal(finish(SET("cc=ib-lipd")).buffer, 240000);
	assert_int_equal(finish(SET("cc=ib-aimd", "ecn=red")).ecn, CFG_ECN_RED);
	assert_int_equal(finish(SET("cc=ib-aimd", "fc=pfc")).fc, CFG_FC_PFC);
	assert_int_equal(finish(SET("cc=ib-aimd", "fc=none", "transport=irn")).fc, CFG_FC_NONE);
	assert_int_equal(finish(SET("cc=dctcp")).ecn, CFG_ECN_STEP);
	assert_int_equal(finish(SET("cc=dctcp", "transport=irn")).fc, CFG_FC_NONE);
	assert_int_equal(finish(SET("cc=aimd")).ecn, CFG_ECN_OFF);
	assert_int_equal(finish(SET("cc=timely")).ecn, CFG_ECN_OFF);
	assert_int_equal(finish(SET("cc=timely-patched")).ecn, CFG_ECN_OFF);
	assert_int_equal(finish(SET("cc=timely", "ecn=red")).ecn, CFG_ECN_RED);
	assert_int_equal(finish(SET("cc=dcqcn", "ecn=off", "ecn=auto")).ecn, CFG_ECN_RED);
	assert_int_equal(finish(SET("ecn=red")).ecn, CFG_ECN_RED);
	assert_int_equal(finish(SET("cc=ib-aimd", "ecn=ib-output")).ecn, CFG_ECN_IB_OUTPUT);
	assert_int_equal(finish(SET("ecn=step", "kmin=300KB")).kmin, 300000); /* above kmax, which it does not use */
}

static void finish__contradictions(void **state)
{
	static const char *const bad[][4] = {
		{ "xon > xoff", "xoff=100KB", "xon=101KB", "xon=101000: not below xoff=100000" },
		{ "xon = xoff", "xoff=100KB", "xon=100KB", "xon=100000: not below xoff=100000; allowed: less" },
		{ "xoff > buffer", "buffer=100KB", "xoff=101KB", "xoff=101000: above buffer=100000" },
		{ "xon > buffer", "buffer=100KB", "xon=101KB", "xon=101000: above buffer=100000" },
		{ "kmin > kmax", "ecn=red", "kmin=201KB", "kmin=201000: above kmax=200000" },
		{ "xoff without PFC", "fc=none", "xoff=50KB",
		  "xoff=50000: fc=none sends no PAUSE; allowed: with fc=pfc" },
		{ "xon with credits", "fc=credit", "xon=50KB", "xon=50000: fc=credit sends no PAUSE" },
		{ "quanta without PFC", "transport=irn", "quanta=9", "quanta=9: fc=none sends no PAUSE" },
		{ "a restore of nothing", "fc=pfc", "pfc_restore=1ms",
		  "pfc_restore=1ms: pfc_watchdog=off never acts; allowed: with pfc_watchdog=TIME" },
		{ "routes that stay", "seed=1", "route_delay=2ms",
		  "route_delay=2ms: no link goes down or comes up; allowed: with fault=|fault_file=" },
		{ "kmin unmarked", "ecn=off", "kmin=6KB", "kmin=6000: ecn=off has no such threshold" },
		{ "kmax unmarked", "cc=none", "kmax=6KB", "kmax=6000: ecn=off has no such threshold" },
		{ "pmax unmarked", "ecn=step", "pmax=1", "pmax=1: ecn=step has no such probability" },
		{ "ack_every with irn", "transport=irn", "ack_every=2",
		  "ack_every=2: transport=irn acknowledges every packet; allowed: with transport=roce|melo" },
		{ "ack_every with irn-gbn", "transport=irn-gbn", "ack_every=2", "acknowledges every packet" },
		{ "ack_every with irn-nobdp", "transport=irn-nobdp", "ack_every=message", "ack_every=message: " },
		{ "ack_every with iwarp", "transport=iwarp", "ack_every=64", "acknowledges every packet" },
		{ "cap with roce", "transport=roce", "cap=110", "cap=110: transport=roce has no cap" },
		{ "cap with irn-nobdp", "transport=irn-nobdp", "cap=110",
		  "cap=110: transport=irn-nobdp has no cap; allowed: with transport=irn|irn-gbn|irn-nosack" },
		{ "backoff with irn", "transport=irn", "backoff=on",
		  "backoff=on: transport=irn does not go back N; allowed: with transport=roce|irn-gbn" },
		{ "melo_bits with roce", "transport=roce", "melo_bits=512", "melo_bits=512: transport=roce has no" },
		{ "melo_cache with irn", "transport=irn", "melo_cache=5", "allowed: with transport=melo" },
		{ "init_window with roce", "transport=roce", "init_window=3", "allowed: with transport=iwarp" },
		{ "read with iwarp", "transport=iwarp", "op=read", "op=read: transport=iwarp writes only" },
		{ "send with iwarp", "transport=iwarp", "op=send", "op=send: transport=iwarp writes only" },
		{ "reth with iwarp", "transport=iwarp", "reth=all", "reth=all: transport=iwarp has no RETH" },
		{ "region with iwarp", "transport=iwarp", "region=1KB",
		  "region=1000: transport=iwarp checks no region" },
		{ "region with send", "op=send", "region=1KB",
		  "region=1000: op=send addresses no memory; allowed: with op=write|read" },
		{ "cc with iwarp", "transport=iwarp", "cc=timely",
		  "cc=timely: transport=iwarp has its own congestion control" },
		{ "cap with a file", "workload=file:x", "cap=5", "cap=5: transport=roce has no cap" },
		{ "rq with write", "op=write", "rq=4", "rq=4: op=write posts no receives; allowed: with op=send" },
		{ "rq_delay with read", "op=read", "rq_delay=2us", "rq_delay=2us: op=read posts no receives" },
		{ "rnr_retry with read", "op=read", "rnr_retry=2", "rnr_retry=2: op=read posts no receives" },
		{ "rnr_timer with write", "op=write", "rnr_timer=2", "rnr_timer=2: op=write posts no receives" },
		{ "weights without turns", "sched=strict", "weights=1,1,1,2,1,1,1,1",
		  "weights=1,1,1,2,1,1,1,1: sched=strict has no weights; allowed: with "
		  "sched=wrr" },
		{ "seven weights", "sched=wrr", "weights=1,1,1,1,1,1,1",
		  "weights=1,1,1,1,1,1,1: none for class 7; allowed: eight numbers 1..100" },
		{ "nine weights", "sched=wrr", "weights=1,1,1,1,1,1,1,1,1",
		  "weights=1,1,1,1,1,1,1,1,1: '1' for no class; allowed: eight" },
		{ "a weight of 0", "sched=wrr", "weights=1,1,1,1,1,1,1,0",
		  "'0' for class 7; allowed: eight numbers 1..100" },
		{ "a weight of 101", "sched=wrr", "weights=101,1,1,1,1,1,1,1",
		  "'101' for class 0; allowed: eight numbers 1..100" },
		{ "a blank weight", "sched=wrr", "weights=1,1,1,,1,1,1,1", "'' for class 3; allowed" },
		{ "no weight", "sched=wrr", "weights=x", "weights=x: 'x' for class 0; allowed: eight" },
		{ "kmax with a step", "ecn=step", "kmax=30KB", "kmax=30000: ecn=step has no such threshold" },
		{ "pmax with a step", "ecn=step", "pmax=0.5", "pmax=0.5: ecn=step has no such probability" },
		{ "kmin with ib", "ecn=ib-input", "kmin=9KB",
		  "kmin=9000: ecn=ib-input has no such threshold; allowed: with ecn=red|step" },
		{ "kmax with ib", "ecn=ib", "kmax=30KB", "kmax=30000: ecn=ib has no such threshold" },
		{ "pmax with ib", "ecn=ib-output", "pmax=0.5", "allowed: with ecn=red" },
		{ "credits of a shared buffer", "fc=credit", "buffer_mode=shared",
		  "buffer_mode=shared: fc=credit advertises a buffer per port and class; allowed: with fc=none|pfc" },
		{ "a watchdog of credits", "fc=credit", "pfc_watchdog=1ms",
		  "pfc_watchdog=1ms: fc=credit sends no PAUSE; allowed: with fc=pfc" },
		{ "a restore of credits", "fc=credit", "pfc_restore=1ms",
		  "pfc_restore=1ms: fc=credit sends no PAUSE; allowed: with fc=pfc" },
		{ "alpha alone", "buffer_mode=static", "alpha=1/4",
		  "alpha=1/4: buffer_mode=static has a fixed buffer per port and class; allowed: with "
		  "buffer_mode=shared" },
		{ "reserve alone", "buffer_mode=static", "reserve=1KB",
		  "reserve=1000: buffer_mode=static has a fixed buffer per port and class" },
		{ "headroom alone", "buffer_mode=static", "headroom=20KB",
		  "headroom=20000: buffer_mode=static uses the buffer above xoff; allowed: with buffer_mode=shared" },
		{ "xoff when shared", "buffer_mode=shared", "xoff=9KB",
		  "xoff=9000: buffer_mode=shared derives it from the free buffer" },
		{ "xon when shared", "buffer_mode=shared", "xon=9KB",
		  "xon=9000: buffer_mode=shared derives it from the free buffer" },
		{ "unmarked dcqcn", "cc=dcqcn", "ecn=off", "ecn=off: cc=dcqcn requires ECN marking" },
		{ "unmarked connectx", "cc=dcqcn-connectx", "ecn=off", "ecn=off: cc=dcqcn-connectx requires" },
		{ "unmarked ib", "cc=ib-lipd", "ecn=off", "ecn=off: cc=ib-lipd requires" },
		{ "timely without ACKs", "cc=timely", "ack_every=message",
		  "ack_every=message: too few ACKs for cc=timely; allowed: 1..16 with it" },
		{ "timely, rare ACKs", "cc=timely-patched", "ack_every=17", "ack_every=17: above timely_segment=16" },
		{ "tlow = thigh", "timely_tlow=500us", "cc=timely",
		  "timely_tlow=500us: not below timely_thigh=500us; allowed: less" },
		{ "fimd's levels", "cc=ib-fimd", "ib_levels=100",
		  "ib_levels=100: ib-fimd halves the rate at each level; allowed: a power of two" },
		{ "rto_low > rto_high", "transport=irn", "rto_high=9us",
		  "rto_low=100us: above rto_high=9us; allowed: up to that" },
		{ "rto_low of one timeout", "transport=melo", "rto_low=10us", "rto_low=10us: transport=melo has one" },
		{ "irn_lost of go-back-N", "transport=irn-gbn", "irn_lost=hls",
		  "irn_lost=hls: transport=irn-gbn does not recover as IRN; allowed: with transport=irn|irn-nobdp" },
		{ "rto of roce", "transport=roce", "rto=dynamic", "allowed: with transport=irn|irn-nobdp|irn-nosack" },
		{ "timer_restart of irn", "transport=irn", "timer_restart=send", "allowed: with transport=roce" },
		{ "retries without timeouts", "transport=roce", "retry_cnt=3",
		  "retry_cnt=3: timeouts=off has no timeouts" },
		{ "pfc_classes without pfc", "fc=none", "pfc_classes=3",
		  "pfc_classes=3: fc=none sends no PAUSE; allowed: with fc=pfc" },
		{ "pfc_classes with credits", "fc=credit", "pfc_classes=0,7", "pfc_classes=0,7: fc=credit sends no" },
		{ "loss_at alone", "loss=0@s1", "seed=1", "loss=0@s1: a switch without a loss" },
		{ "flows and duration", "flows=5", "duration=1ms", "flows=5: duration is given too" },
		{ "small buffer", "mtu=1000", "buffer=1093",
		  "buffer=1093: smaller than one frame; allowed: mtu + 94 = 1094" },
		{ "flows of a file", "workload=file:x", "flows=3", "flows=3: workload=file:x sets their number" },
		{ "duration of incast", "workload=incast", "duration=1us", "duration=1000ns: workload=incast" },
		{ "senders of poisson", "workload=websearch", "senders=3",
		  "senders=3: workload=websearch does not use it" },
		{ "bytes of poisson", "workload=heavy-tailed", "bytes=3",
		  "bytes=3: workload=heavy-tailed does not use it; allowed: with workload=incast|permutation" },
		{ "senders of permutation", "workload=permutation", "senders=3", "allowed: with workload=incast" },
	};
	struct run_cfg shared = SET("buffer_mode=shared", "headroom=20KB", "fc=none");
	struct run_cfg stuck = SET("transport=irn", "rto_high=320us", "stuck_after=320us");

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run_cfg c = SET(bad[i][1], bad[i][2]);

		if (!cfg_finish(&c, &err))
			fail_msg("accepted: %s", bad[i][0]);
		assert_says(bad[i][3]);
	}
	assert_int_equal(cfg_finish(&shared, &err), -EINVAL);
	assert_says("headroom=20000: fc=none sends no PAUSE; allowed: with fc=pfc");
	assert_int_not_equal(cfg_finish(&stuck, &err), 0);
	assert_says("rto_high: waits for 320us");
	finish(SET("mtu=1000", "buffer=1094", "xoff=1094", "xon=1093"));
	finish(SET("workload=file:x", "op=send", "region=1KB")); /* its flows may be WRITEs */
}

/* Keys of one congestion control are refused by name with the others, unless they say what is the default anyway. */
static void finish__keys_of_a_cc(void **state)
{
	static const struct {
		const char *word, *other, *ccs; /* @other: what holds where @word does not */
	} keys[] = {
		{ "cnp_interval=4us", "cnp_interval=auto", "dcqcn|dcqcn-connectx" },
		{ "dcqcn_g=16", "dcqcn_g=auto", "dcqcn|dcqcn-connectx" },
		{ "dcqcn_f=1", "dcqcn_f=auto", "dcqcn|dcqcn-connectx" },
		{ "dcqcn_alpha_timer=1us", "dcqcn_alpha_timer=auto", "dcqcn|dcqcn-connectx" },
		{ "dcqcn_rate_timer=1us", "dcqcn_rate_timer=auto", "dcqcn|dcqcn-connectx" },
		{ "dcqcn_bytes=64", "dcqcn_bytes=auto", "dcqcn" },
		{ "dcqcn_rai=5mbit", "dcqcn_rai=auto", "dcqcn|dcqcn-connectx" },
		{ "dcqcn_rhai=5mbit", "dcqcn_rhai=auto", "dcqcn|dcqcn-connectx" },
		{ "rmin=1gbit", "rmin=auto", "dcqcn|dcqcn-connectx|timely|timely-patched" },
		{ "timely_tlow=49us", "timely_tlow=50us", "timely|timely-patched" },
		{ "timely_thigh=1ms", "timely_thigh=500us", "timely|timely-patched" },
		{ "timely_min_rtt=1us", "timely_min_rtt=20us", "timely|timely-patched" },
		{ "timely_delta=1mbit", "timely_delta=auto", "timely|timely-patched" },
		{ "timely_beta=0.5", "timely_beta=auto", "timely|timely-patched" },
		{ "timely_alpha=0.5", "timely_alpha=0.875", "timely|timely-patched" },
		{ "timely_hai=6", "timely_hai=5", "timely|timely-patched" },
		{ "timely_segment=8", "timely_segment=16", "timely|timely-patched" },
		{ "ib_levels=8", "ib_levels=auto", "ib-aimd|ib-lipd|ib-fimd" },
	};

	for (u32 i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		for (u32 a = 0; !a || cc_at(a - 1); a++) {
			const char *name = a ? cc_at(a - 1)->name : "none";
			char cc[32], want[128], list[64];
			struct run_cfg c;
			bool used;

			snprintf(cc, sizeof(cc), "|%s|", name);
			snprintf(list, sizeof(list), "|%s|", keys[i].ccs);
			used = strstr(list, cc);
			snprintf(cc, sizeof(cc), "cc=%s", name);
			finish(SET(cc, keys[i].other));
			c = SET(keys[i].word, cc);
			assert_int_equal(cfg_finish(&c, &err), used ? 0 : -EINVAL);
			snprintf(want, sizeof(want), "%s: %s ", keys[i].word, cc);
			if (!used)
				assert_says(want);
		}
	}
}

/* What stands on the other side of the refusals above. */
static void finish__in_place(void **state)
{
	finish(SET("transport=irn", "fc=pfc", "pfc_watchdog=1ms", "pfc_restore=1ms")); /* as a refusal advises */
	finish(SET("fault=1us:down:h0", "route_delay=never"));
	finish(SET("fault_file=x", "route_delay=0us"));
	finish(SET("fc=credit", "xoff=auto", "quanta=65535", "route_delay=1ms", "kmin=5KB")); /* defaults may stand */
	finish(SET("transport=irn-gbn", "cap=1", "backoff=on"));
	finish(SET("backoff=on", "fc=none", "ack_every=64"));
	finish(SET("transport=melo", "melo_bits=8", "melo_cache=1", "ack_every=message"));
	finish(SET("transport=iwarp", "init_window=1"));
	finish(SET("op=send", "rq=1", "rq_delay=0s", "rnr_retry=0", "rnr_timer=26"));
	finish(SET("workload=file:x", "rq=1", "rnr_retry=0")); /* the file may say send */
	finish(SET("cc=timely", "ack_every=16"));
	finish(SET("cc=dcqcn", "ack_every=message"));
	finish(SET("cc=ib-fimd", "ib_levels=64"));
	finish(SET("cc=ib-aimd", "ib_levels=100"));
}

/* Members set by code rather than by cfg_set() are checked as well. */
static void finish__ranges(void **state)
{
	struct run_cfg good = finish(SET("seed=1")), c;

#define REFUSED(member, value, text)                                                                                   \
	do {                                                                                                           \
		c = good;                                                                                              \
		c.member = value;                                                                                      \
		assert_true(cfg_finish(&c, &err) < 0);                                                                 \
		assert_says(text);                                                                                     \
	} while (0)
	REFUSED(mtu, 63, "mtu=63: out of range");
	REFUSED(mtu, 4096, "mtu=4096: out of range");
	REFUSED(psn0, 1 << 24, "psn0=16777216: out of range");
	REFUSED(quanta, 0, "quanta=0: out of range");
	REFUSED(load_ppb, 0, "load=0: out of range");
	REFUSED(ack_every, 65, "ack_every=65: out of range");
	REFUSED(data_class, 8, "class=8: out of range");
	REFUSED(classes, 256, "class_mix=: out of range");
	REFUSED(loss_ppb, 2000000000, "loss=2: out of range");
	REFUSED(retry_cnt, 8, "retry_cnt=8: out of range");
	REFUSED(ALG_AT("melo_bits"), 12, "melo_bits=12: between two steps");
	REFUSED(ALG_AT("melo_bits"), 0, "melo_bits=0: a pool smaller than one block");
	REFUSED(message, (1 << 30) + 1, "message=1073741825: out of range");
	REFUSED(ALG_AT("rmin"), 999, "rmin=999bit: out of range");
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finish__dependent_keys), cmocka_unit_test(finish__by_transport_and_cc),
		cmocka_unit_test(finish__contradictions), cmocka_unit_test(finish__keys_of_a_cc),
		cmocka_unit_test(finish__in_place),       cmocka_unit_test(finish__ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
