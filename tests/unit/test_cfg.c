// SPDX-License-Identifier: GPL-2.0
/* Keys: what is accepted, what is refused and how, and that a printed configuration reads back as itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cfg.h"
#include "lab/cfg_keys.h"
#include "lab/rng.h"

static char err[CFG_ERR_MAX];

static struct run_cfg set_all(const char *const *words)
{
	struct run_cfg c;

	cfg_defaults(&c);
	for (; *words; words++)
		if (cfg_set(&c, *words, err))
			fail_msg("%s", err);
	return c;
}
#define SET(...) set_all((const char *const[]){ __VA_ARGS__, NULL })

static struct run_cfg finish(struct run_cfg c)
{
	if (cfg_finish(&c, err))
		fail_msg("%s", err);
	return c;
}

static void assert_says(const char *want)
{
	if (!strstr(err, want) || strpbrk(err, "\n\r\033") || strlen(err) >= CFG_ERR_MAX)
		fail_msg("'%s' does not say '%s'", err, want);
}

/* Every default text must be acceptable: cfg_defaults() relies on it. */
static void table__defaults_parse(void **state)
{
	struct run_cfg c;
	char word[CFG_STR * 2];

	cfg_defaults(&c);
	for (u32 i = 0; i < cfg_n_keys; i++) {
		const struct cfg_key *k = &cfg_keys[i];

		snprintf(word, sizeof(word), "%s=%s", k->name, k->def);
		if (cfg_set(&c, word, err))
			fail_msg("%s", err);
		assert_true(k->help && *k->help);
		for (u32 j = 0; j < i; j++)
			assert_string_not_equal(k->name, cfg_keys[j].name);
	}
}

static void defaults__documented(void **state)
{
	struct run_cfg c;

	cfg_defaults(&c);
	assert_false(c.pfc_set || c.topology_set || c.flows_set || c.xoff_set);
	c = finish(c);
	assert_true(c.engine == ENGINE_KERNEL && !c.rate_ps && !c.delay_ps && c.seed == 1 && c.ecmp_seed == 1);
	assert_string_equal(c.topology, "fat-tree:k=4");
	assert_true(c.mtu == 1000 && c.buffer == 240000 && !c.xoff && !c.xon && c.pfc && c.quanta == 65535);
	assert_true(c.ecn == CFG_ECN_OFF && c.kmin == 5000 && c.kmax == 200000 && c.pmax_ppb == 10000000);
	assert_true(!c.loss_ppb && !*c.loss_at && !c.cap && c.rto_n == 3 && c.ack_every == 1 && !c.reth_all);
	assert_string_equal(c.transport, "roce");
	assert_string_equal(c.cc, "none");
	assert_true(c.rto_high == 320 * PS_PER_US && c.rto_low == 100 * PS_PER_US && c.timeouts == CFG_OFF);
	assert_true(c.data_class == 3 && c.ack_class == 3 && !c.psn0);
	assert_string_equal(c.workload, "heavy-tailed");
	assert_true(c.load_pct == 70 && c.flows == 2000 && !c.duration && !c.senders && !c.bytes);
	assert_true(c.until == UNTIL_DONE && c.stuck_after == 100 * PS_PER_MS && !*c.out);
}

static void finish__dependent_keys(void **state)
{
	struct run_cfg c = finish(SET("transport=irn"));

	assert_true(!c.pfc && c.timeouts == CFG_ON);
	c = finish(SET("transport=irn", "pfc=on"));
	assert_true(c.pfc && c.timeouts == CFG_OFF);
	c = finish(SET("pfc=off"));
	assert_true(!c.pfc && c.timeouts == CFG_ON);
	c = finish(SET("pfc=off", "pfc=auto"));
	assert_true(c.pfc && !c.pfc_set);
	c = finish(SET("timeouts=on"));
	assert_true(c.pfc && c.timeouts == CFG_ON);
	c = finish(SET("class=5", "seed=9"));
	assert_true(c.ack_class == 5 && c.ecmp_seed == 9);
	c = finish(SET("class=5", "ack_class=0", "ecmp_seed=0"));
	assert_true(c.ack_class == 0 && c.ecmp_seed == 0);
	c = finish(SET("duration=1ms"));
	assert_true(c.duration == PS_PER_MS && !c.flows && !c.flows_set);
	c = finish(SET("flows=7", "duration=none"));
	assert_true(c.flows == 7 && c.flows_set);
	c = finish(SET("workload=incast"));
	assert_true(!c.flows && !c.duration);
}

static void set__values(void **state)
{
	struct run_cfg c = SET("engine=twin", "rate=100gbit", "delay=500ns", "buffer=1MB", "xoff=0.5MB", "pmax=1e-3",
			       "loss=0.1%@s12", "load=70%", "psn0=16777215", "reth=all", "until=arrivals",
			       "workload=file:a b#c,=d", "out=/x/y", "seed=18446744073709551615", "topology=t=1");

	assert_true(c.engine == ENGINE_TWIN && c.rate_ps == 80 && c.delay_ps == 500000 && c.buffer == 1000000);
	assert_true(c.xoff == 500000 && c.xoff_set && c.pmax_ppb == 1000000 && c.loss_ppb == 1000000);
	assert_string_equal(c.loss_at, "s12");
	assert_true(c.load_pct == 70 && c.psn0 == (1 << 24) - 1 && c.reth_all && c.until == UNTIL_ARRIVALS);
	assert_string_equal(c.workload, "file:a b#c,=d");
	assert_string_equal(c.topology, "t=1");
	assert_true(c.topology_set && c.seed == ~0ULL);
	assert_int_equal(SET("load=0.01").load_pct, 1);
	assert_int_equal(SET("load=1").load_pct, 100);
	assert_int_equal(SET("load=1.00").load_pct, 100);
	assert_int_equal(SET("load=0.5").load_pct, 50);
	assert_false(SET("xoff=5KB", "xoff=auto").xoff_set);
	assert_string_equal(SET("loss=0.1@s1", "loss=0.1").loss_at, "");
}

static void set__refuses(void **state)
{
	static const char *const bad[][2] = {
		{ "bufer=1", "bufer: no such key; did you mean buffer?" },
		{ "rto_hi=1us", "did you mean rto_high?" },
		{ "Mtu=1000", "did you mean mtu?" },
		{ "wibblewobble=1", "no such key; losslab run --help" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
		  "aaa...: no such key" },
		{ "mtu", "not of the form KEY=VALUE" },
		{ "=5", "not of the form KEY=VALUE" },
		{ "", "not of the form KEY=VALUE" },
		{ "mtu=", "mtu=: is empty; allowed: 64..2048" },
		{ "mtu=63", "mtu=63: out of range; allowed: 64..2048" },
		{ "mtu=2049", "out of range" },
		{ "mtu=1e3", "mtu=1e3: is not a whole number" },
		{ "mtu=+100", "is not a whole number" },
		{ "mtu=-100", "mtu=-100: is negative" },
		{ "mtu= 100", "is not a whole number" },
		{ "mtu=4294967396", "out of range" },
		{ "mtu=18446744073709551716", "too large" },
		{ "seed=18446744073709551616", "too large" },
		{ "seed=0x10", "is not a whole number" },
		{ "engine=twins", "engine=twins: unknown; allowed: kernel|twin" },
		{ "transport=tcp", "transport=tcp: unknown; allowed: roce|irn" },
		{ "cc=dcqcn", "cc=dcqcn: unknown; allowed: none" },
		{ "pfc=yes", "pfc=yes: unknown; allowed: off|on|auto" },
		{ "ecn=ib", "allowed: off|red" },
		{ "timeouts=never", "allowed: off|on|auto" },
		{ "rate=40", "rate=40: no unit" },
		{ "rate=0gbit", "rate=0gbit: must be above 0" },
		{ "delay=0ns", "delay=0ns: out of range; allowed: 1ps..1s, or topology" },
		{ "delay=2", "delay=2: no unit" },
		{ "delay=0", "delay=0: no unit" },
		{ "buffer=5GB", "out of range; allowed: 1..1073741824 bytes" },
		{ "quanta=0", "quanta=0: out of range; allowed: 1..65535" },
		{ "quanta=65536", "out of range" },
		{ "pmax=1.1", "pmax=1.1: above 1" },
		{ "loss=x", "loss=x: not a number" },
		{ "loss=0.1@", "not the name of a switch" },
		{ "loss=0.1@a b", "not the name of a switch" },
		{ "loss=0.1@aaaaaaaaaaaaaaaa", "not the name of a switch" },
		{ "load=0", "load=0: out of range; allowed: 0.01..1.00" },
		{ "load=1.01", "out of range" },
		{ "load=101%", "out of range" },
		{ "load=0.701", "at most two places" },
		{ "load=0.7.1", "at most two places" },
		{ "load=70.5%", "per cent" },
		{ "load=%", "per cent" },
		{ "load=-1", "at most two places" },
		{ "psn0=16777216", "psn0=16777216: out of range; allowed: 0..16777215" },
		{ "class=8", "out of range; allowed: 0..7" },
		{ "ack_every=0", "out of range; allowed: 1..64" },
		{ "ack_every=65", "out of range" },
		{ "flows=4194305", "out of range" },
		{ "bytes=1100GB", "out of range" },
		{ "workload=heavy", "unknown; allowed: heavy-tailed|websearch|incast|permutation|file:PATH|cdf:PATH" },
		{ "workload=file:", "unknown" },
		{ "workload=incast:3", "unknown" },
		{ "topology=", "topology=: is empty" },
		{ "out=a\nb", "out=a?b: holds a control character" },
		{ "out=\033[2J", "control character" },
		{ "out= a", "blank" },
		{ "out=a ", "blank" },
		{ "out=a #b", "comment" },
		{ "stuck_after=1ns", "out of range" },
		{ "rto_high=1000s", "out of range" },
	};

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run_cfg c, before;

		cfg_defaults(&c);
		before = c;
		if (!cfg_set(&c, bad[i][0], err))
			fail_msg("accepted %s", bad[i][0]);
		assert_says(bad[i][1]);
		assert_memory_equal(&c, &before, sizeof(c));
	}
}

static void set__length_of_texts(void **state)
{
	char word[600] = "topology=";
	struct run_cfg c;

	cfg_defaults(&c);
	memset(word + 9, 'x', CFG_STR - 1);
	assert_int_equal(cfg_set(&c, word, err), 0);
	assert_int_equal(strlen(c.topology), CFG_STR - 1);
	word[9 + CFG_STR - 1] = 'x';
	assert_true(cfg_set(&c, word, err) < 0);
	assert_says("too long; allowed: text of 1 to 255 bytes");
	memset(word, 'k', sizeof(word) - 1);
	assert_true(cfg_set(&c, word, err) < 0);
	word[550] = '=';
	assert_true(cfg_set(&c, word, err) < 0);
	assert_says("no such key");
}

static void finish__contradictions(void **state)
{
	static const char *const bad[][4] = {
		{ "xon > xoff", "xoff=100KB", "xon=101KB", "xon=101000: above xoff=100000" },
		{ "xoff > buffer", "buffer=100KB", "xoff=101KB", "xoff=101000: above buffer=100000" },
		{ "xon > buffer", "buffer=100KB", "xon=101KB", "xon=101000: above buffer=100000" },
		{ "kmin > kmax", "kmin=30KB", "kmax=20KB", "kmin=30000: above kmax=20000" },
		{ "ack_every with irn", "transport=irn", "ack_every=2", "ack_every=2: irn acknowledges every packet" },
		{ "cap with roce", "transport=roce", "cap=110", "cap=110: transport=roce has no cap" },
		{ "rto_low > rto_high", "rto_low=10us", "rto_high=9us", "rto_low=10000ns: above rto_high=9000ns" },
		{ "loss_at alone", "loss=0@s1", "seed=1", "loss=0@s1: a switch without a loss" },
		{ "flows and duration", "flows=5", "duration=1ms", "flows=5: duration is given too" },
		{ "small buffer", "mtu=1000", "buffer=1093",
		  "buffer=1093: smaller than one frame; allowed: mtu + 94 = 1094" },
		{ "flows of a file", "workload=file:x", "flows=3", "flows=3: workload=file:x says itself" },
		{ "duration of incast", "workload=incast", "duration=1us", "duration=1000ns: workload=incast" },
		{ "senders of poisson", "workload=websearch", "senders=3", "senders=3: nothing to workload=websearch" },
		{ "bytes of poisson", "workload=heavy-tailed", "bytes=3", "bytes=3: nothing to workload=heavy-tailed" },
		{ "senders of permutation", "workload=permutation", "senders=3", "senders=3: nothing to" },
	};

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run_cfg c = SET(bad[i][1], bad[i][2]);

		if (!cfg_finish(&c, err))
			fail_msg("accepted: %s", bad[i][0]);
		assert_says(bad[i][3]);
	}
	finish(SET("mtu=1000", "buffer=1094", "xoff=1094", "xon=1094"));
}

/* Members set by code rather than by cfg_set() are checked as well. */
static void finish__ranges(void **state)
{
	struct run_cfg good = finish(SET("seed=1")), c;

#define REFUSED(member, value, text)                                                                                   \
	do {                                                                                                           \
		c = good;                                                                                              \
		c.member = value;                                                                                      \
		assert_true(cfg_finish(&c, err) < 0);                                                                  \
		assert_says(text);                                                                                     \
	} while (0)
	REFUSED(mtu, 63, "mtu=63: out of range");
	REFUSED(mtu, 4096, "mtu=4096: out of range");
	REFUSED(psn0, 1 << 24, "psn0=16777216: out of range");
	REFUSED(quanta, 0, "quanta=0: out of range");
	REFUSED(load_pct, 0, "load=0.00: out of range");
	REFUSED(ack_every, 0, "ack_every=0: out of range");
	REFUSED(data_class, 8, "class=8: out of range");
	REFUSED(loss_ppb, 2000000000, "loss=2: out of range");
#undef REFUSED
}

static void print_to(const struct run_cfg *c, char *buf, size_t n)
{
	FILE *f = fmemopen(buf, n, "w");

	cfg_print(c, f);
	fclose(f);
}

static int read_from(struct run_cfg *c, const char *text, size_t len)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, len, "r");
	int rc = cfg_read(c, f, "x.conf", err);

	fclose(f);
	return rc;
}

/* Print, read, print: the same text, and the same members but for what was given by whom. */
static void round_trip(const struct run_cfg *c)
{
	char first[8192], second[8192];
	struct run_cfg back;

	print_to(c, first, sizeof(first));
	cfg_defaults(&back);
	if (read_from(&back, first, strlen(first)) || cfg_finish(&back, err))
		fail_msg("%s", err);
	print_to(&back, second, sizeof(second));
	assert_string_equal(first, second);
	back.pfc_set = c->pfc_set;
	back.topology_set = c->topology_set;
	back.flows_set = c->flows_set;
	back.xoff_set = c->xoff_set;
	assert_memory_equal(c, &back, offsetof(struct run_cfg, topology));
	assert_string_equal(c->topology, back.topology);
	assert_memory_equal(&c->rate_ps, &back.rate_ps,
			    offsetof(struct run_cfg, loss_at) - offsetof(struct run_cfg, rate_ps));
	assert_memory_equal(&c->cap, &back.cap, offsetof(struct run_cfg, workload) - offsetof(struct run_cfg, cap));
	assert_memory_equal(&c->load_pct, &back.load_pct,
			    offsetof(struct run_cfg, out) - offsetof(struct run_cfg, load_pct));
}

static void print__round_trip(void **state)
{
	struct run_cfg c = finish(SET("seed=1"));

	round_trip(&c);
	c = finish(SET("transport=irn", "engine=twin", "topology=/a b/c#d.topo", "rate=25gbit", "delay=1500ps",
		       "seed=0", "ecmp_seed=12345678901234567890", "xoff=200KB", "xon=199KB", "loss=1e-9@s3", "pmax=1",
		       "cap=110", "timeouts=off", "ack_class=0", "load=7%", "duration=1500us", "until=arrivals",
		       "reth=all", "out=o/p"));
	round_trip(&c);
	c = finish(SET("workload=incast", "senders=3", "bytes=12345"));
	round_trip(&c);
}

static void print__golden(void **state)
{
	struct run_cfg c = finish(SET("loss=0.001@s3", "delay=2us"));
	char text[8192];

	print_to(&c, text, sizeof(text));
	assert_string_equal(
		text,
		"engine=kernel\ntopology=fat-tree:k=4\nrate=topology\ndelay=2us\nseed=1\necmp_seed=1\nmtu=1000\n"
		"buffer=240000\nxoff=auto\nxon=auto\npfc=on\nquanta=65535\necn=off\nkmin=5000\nkmax=200000\n"
		"pmax=0.01\nloss=0.001@s3\ntransport=roce\ncc=none\ncap=auto\nrto_high=320us\nrto_low=100us\n"
		"rto_n=3\ntimeouts=off\nack_every=1\nreth=first\nclass=3\nack_class=3\npsn0=0\n"
		"workload=heavy-tailed\nload=0.70\nflows=2000\nduration=none\nsenders=all\nbytes=default\n"
		"until=done\nstuck_after=100ms\ntap=\nout=\n");
}

static void read__scenario(void **state)
{
	static const char text[] = "# IRN against RoCE\r\n\n  transport = irn \t# the scheme\nload=0.9\n"
				   "\tout=a#b\n#seed=7\nflows=12";
	struct run_cfg c;

	cfg_defaults(&c);
	assert_int_equal(read_from(&c, text, sizeof(text) - 1), 0);
	assert_string_equal(c.transport, "irn");
	assert_string_equal(c.out, "a#b");
	assert_true(c.load_pct == 90 && c.seed == 1 && c.flows == 12 && c.flows_set);
}

static void read__refuses(void **state)
{
	static const char nul[] = "seed=1\nmtu=1\0000\n";
	static const char *const bad[][2] = {
		{ "seed=1\nmtu=5\n", "x.conf:2: mtu=5: out of range; allowed: 64..2048" },
		{ "\n\nbuffr=5\n", "x.conf:3: buffr: no such key; did you mean buffer?" },
		{ "seed\n", "x.conf:1: seed: not of the form KEY=VALUE" },
		{ "=1\n", "x.conf:1: =1: not of the form KEY=VALUE" },
		{ "seed=1\nload=1\nseed=2", "x.conf:3: seed: given before, on line 1" },
		{ "seed=1\033[2J\n", "x.conf:1: seed=1?[2J: is not a whole number" },
	};
	struct run_cfg c;
	char wide[2000];

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cfg_defaults(&c);
		assert_true(read_from(&c, bad[i][0], strlen(bad[i][0])) < 0);
		assert_says(bad[i][1]);
	}
	assert_true(read_from(&c, nul, sizeof(nul) - 1) < 0);
	assert_says("x.conf:2: a NUL byte");
	memset(wide, '#', sizeof(wide));
	assert_true(read_from(&c, wide, sizeof(wide)) < 0);
	assert_says("x.conf:1: the line is longer than 1023 bytes");
}

static void help__names_every_key(void **state)
{
	static char text[16384];
	FILE *f = fmemopen(text, sizeof(text), "w");

	cfg_help(f);
	fclose(f);
	for (u32 i = 0; i < cfg_n_keys; i++)
		assert_non_null(strstr(text, cfg_keys[i].name));
	assert_non_null(strstr(text, "64..2048 [1000]"));
}

/* A word with a few bytes changed: refused in one line, or taken; what is then complete reads back as itself. */
static void set__fuzz(void **state)
{
	static const char likely[] = "0123456789.=@%#-+ eKMusnpbit\n\033\xff:auto";
	struct rng r = rng_stream(99, RNG_SIZE, 0);
	u32 taken = 0, complete = 0;

	for (u32 round = 0; round < 20000; round++) {
		const struct cfg_key *k = &cfg_keys[rng_below(&r, cfg_n_keys)];
		struct run_cfg c;
		char word[96];
		size_t len;

		cfg_defaults(&c);
		len = (size_t)snprintf(word, sizeof(word), "%s=%s%s", k->name, k->def, rng_below(&r, 2) ? "7" : "");
		for (u64 edits = rng_below(&r, 3); edits; edits--)
			word[rng_below(&r, len)] = likely[rng_below(&r, sizeof(likely) - 1)];
		if (cfg_set(&c, word, err)) {
			assert_true(*err && !strpbrk(err, "\n\033") && strlen(err) < CFG_ERR_MAX);
			continue;
		}
		taken++;
		if (cfg_finish(&c, err))
			continue;
		complete++;
		round_trip(&c);
	}
	assert_in_range(taken, 4000, 19000);
	assert_in_range(complete, 3000, taken);
}

static void read__fuzz(void **state)
{
	static const char good[] = "# x\ntransport=irn\nload = 0.7 # y\nrto_high=320us\nloss=0.01@s1\nout=a\n"
				   "rate=40gbit\nseed=1\n";
	static const char likely[] = "0123456789.=@%# \n\r\t\0\xff:";
	struct rng r = rng_stream(100, RNG_SIZE, 0);
	u32 taken = 0;

	for (u32 round = 0; round < 10000; round++) {
		char text[sizeof(good)];
		struct run_cfg c;

		cfg_defaults(&c);
		memcpy(text, good, sizeof(good));
		for (u64 edits = 1 + rng_below(&r, 4); edits; edits--)
			text[rng_below(&r, sizeof(good) - 1)] = likely[rng_below(&r, sizeof(likely) - 1)];
		if (read_from(&c, text, 1 + rng_below(&r, 2) * (sizeof(good) - 2))) {
			assert_memory_equal(err, "x.conf:", 7);
			assert_true(!strpbrk(err, "\n\r") && strlen(err) < CFG_ERR_MAX);
			continue;
		}
		taken++;
		if (!cfg_finish(&c, err))
			round_trip(&c);
	}
	assert_in_range(taken, 500, 9500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table__defaults_parse),
		cmocka_unit_test(defaults__documented),
		cmocka_unit_test(finish__dependent_keys),
		cmocka_unit_test(set__values),
		cmocka_unit_test(set__refuses),
		cmocka_unit_test(set__length_of_texts),
		cmocka_unit_test(finish__contradictions),
		cmocka_unit_test(finish__ranges),
		cmocka_unit_test(print__round_trip),
		cmocka_unit_test(print__golden),
		cmocka_unit_test(read__scenario),
		cmocka_unit_test(read__refuses),
		cmocka_unit_test(help__names_every_key),
		cmocka_unit_test(set__fuzz),
		cmocka_unit_test(read__fuzz),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
