// SPDX-License-Identifier: GPL-2.0-or-later
/* A flow's time on an empty network, against numbers worked out by hand. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "bpf/arbiter.h"
#include "bpf/parse.h"
#include "lab/plan/plan.h"

static struct run_cfg cfg;

static void set(const char *word)
{
	struct err err;

	if (cfg_set(&cfg, word, &err))
		fail_msg("%s", err.text);
}

/* The plan of a topology given as text, with @transport and no PFC (which needs room in buffers). */
static void plan_words(struct plan *f, const char *text, const char *transport, char *const *words)
{
	struct err err;
	struct topo *t;
	FILE *in = fmemopen((char *)text, strlen(text), "r");

	cfg_defaults(&cfg);
	set(transport);
	set("fc=none");
	set("flows=1");
	for (; *words; words++) {
		if (!strncmp(*words, "speedup", 7))
			set("arbiter=islip");
		set(*words);
	}
	assert_non_null(in);
	if (cfg_finish(&cfg, &err) || topo_parse(in, "memory", &t, &err) || plan_make(f, &cfg, t, &err))
		fail_msg("%s", err.text);
	fclose(in);
}

static void plan(struct plan *f, const char *text, const char *word)
{
	char *words[] = { "mtu=1000", (char *)word, NULL };

	plan_words(f, text, "transport=irn", words);
}

static void unplan(struct plan *f)
{
	struct topo *t = (struct topo *)f->topo;

	plan_free(f);
	topo_free(t);
}

static u64 ideal(const struct plan *f, u32 id, u32 src, u32 dst, u64 bytes)
{
	return plan_ideal(f, &(struct flow){ .id = id, .src = src, .dst = dst, .bytes = bytes, .start_ps = 77 });
}

static const char two[] = "default 40gbit 2us\nhost a\nhost b\nswitch s\nlink a s\nlink b s\n";

/* Frames: 54 + 16 (RETH, first) + payload + 4; 24 more on the wire; 200 ps a byte. */
static void ideal__two_links(void **state)
{
	struct plan f;

	plan(&f, two, NULL);
	assert_int_equal(ideal(&f, 0, 0, 1, 1), 2 * 102 * 200 + 4000000);
	assert_int_equal(ideal(&f, 0, 0, 1, 1000), 2 * 1098 * 200 + 4000000);
	/* 1098, 1082, 582: the second leaves the switch behind the first, the third behind the second */
	assert_int_equal(ideal(&f, 0, 0, 1, 2500), (1098 + 1098 + 1082 + 582) * 200 + 4000000);
	assert_int_equal(ideal(&f, 0, 1, 0, 2500), ideal(&f, 0, 0, 1, 2500));
	/* 3 MB: 3000 packets; DESIGN's slowdown of 1.000 is against this */
	assert_int_equal(ideal(&f, 0, 0, 1, 3000000), (2 * 1098 + 2999ULL * 1082) * 200 + 4000000);
	unplan(&f);
}

/*
 * rto_high=auto (REFERENCE 1.10): twice the longest path's propagation, and the buffers of the largest switch over the
 * slowest link. The last as at k = 6: six links, six ports, 24 us + 6 * 48 us.
 */
static void rto_high__auto(void **state)
{
	static const char six[] = "default 40gbit 2us\nhost a\nhost b\nhost c\nhost d\nhost e\nhost f\n"
				  "switch s\nswitch t\nswitch u\nswitch v\nswitch w\nlink a s\nlink s t\nlink t u\n"
				  "link u v\nlink v w\nlink w b\nlink c u\nlink d u\nlink e u\nlink f u\n";
	static const struct {
		const char *text, *words[3];
		u64 us;
	} rows[] = {
		{ two, { NULL }, 8 + 2 * 48 },
		{ two, { "rate=10gbit" }, 8 + 2 * 192 },
		{ two, { "delay=10us" }, 40 + 2 * 48 },
		{ two, { "buffer=480KB" }, 8 + 2 * 96 },
		{ two, { "buffer=480KB", "buffer_mode=shared" }, 8 + 96 > 100 ? 8 + 96 : 100 },
		{ two, { "rate=100gbit" }, 100 }, /* 46.4: not below rto_low */
		{ two, { "rate=100gbit", "rto_low=20us" }, 46 },
		{ two, { "rto_high=320us" }, 320 },
		{ six, { NULL }, 312 },
	};

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan f;

		plan_words(&f, rows[i].text, "transport=irn", (char *const *)rows[i].words);
		assert_int_equal(f.nics[0].recovery.rto_high / PS_PER_US, rows[i].us);
		unplan(&f);
	}
}

static void ideal__overrides(void **state)
{
	struct plan f;

	plan(&f, two, "rate=100gbit");
	assert_int_equal(ideal(&f, 0, 0, 1, 1000), 2 * 1098 * 80 + 4000000);
	unplan(&f);
	plan(&f, two, "delay=5us");
	assert_int_equal(ideal(&f, 0, 0, 1, 1000), 2 * 1098 * 200 + 10000000);
	unplan(&f);
	plan(&f, two, "reth=all");
	assert_int_equal(ideal(&f, 0, 0, 1, 2000), 3 * 1098 * 200 + 4000000);
	unplan(&f);
	plan(&f, two, "mtu=500");
	assert_int_equal(ideal(&f, 0, 0, 1, 1000), (2 * 598 + 582) * 200 + 4000000);
	unplan(&f);
}

static const char four[] = "default 40gbit 2us\nhost a\nhost b\nhost c\nswitch s\nswitch t\nswitch u\n"
			   "link a s\nlink s t 10gbit\nlink t u\nlink b u\nlink c t\n";

/*
 * 40, 10, 40, 40: two packets of 1098 and 1082. The second comes to the slow link (free from 219.6 + 878.4 = 1098 ns
 * on) early, leaves it 865.6 later, and waits nowhere after it: 1098 + 865.6 + 2 * 216.4 = 2396.4 ns, and 8 us.
 */
static void ideal__four_links(void **state)
{
	struct plan f;

	plan(&f, four, NULL);
	assert_int_equal(ideal(&f, 0, 0, 1, 1000), (3 * 1098 * 200 + 1098 * 800) + 8000000);
	assert_int_equal(ideal(&f, 0, 0, 1, 2000), 2396400 + 8000000);
	/* the slow link paces all that follows */
	assert_int_equal(ideal(&f, 0, 0, 1, 100000), 219600 + 878400 + 99 * 865600 + 2 * 216400 + 8000000);
	assert_int_equal(ideal(&f, 0, 2, 1, 1000), 3 * 1098 * 200 + 6000000); /* c hangs on t */
	unplan(&f);
}

/*
 * Rates 40, 100, 10, 25, 40, 100; delays 1, 2, 3, 0.5, 1, 2 us. The first packet: 219600 + 87840 + 878400 + 351360 +
 * 219600 + 87840 and 9.5 us = 11344640. The second, 1082: leaves link 1 at 436000, 2 at 1522560, waits for 3 until
 * 4185840, leaves it at 5051440, 4 at 8397680, 5 at 9114080, 6 at 10200640; 2 us later it is there.
 */
static void ideal__six_links_of_mixed_rates(void **state)
{
	static const char six[] = "host a\nhost b\nswitch s1\nswitch s2\nswitch s3\nswitch s4\nswitch s5\n"
				  "link a s1 40gbit 1us\nlink s1 s2 100gbit 2us\nlink s2 s3 10gbit 3us\n"
				  "link s3 s4 25gbit 500ns\nlink s4 s5 40gbit 1us\nlink s5 b 100gbit 2us\n";
	struct plan f;

	plan(&f, six, NULL);
	assert_int_equal(ideal(&f, 0, 0, 1, 1000), 11344640);
	assert_int_equal(ideal(&f, 0, 0, 1, 2000), 12200640);
	unplan(&f);
}

/* Of two ways of equal length it is timed on the one that ECMP gives it; both are taken by some flow. */
static void ideal__follows_ecmp(void **state)
{
	static const char ways[] = "default 40gbit 2us\nhost a\nhost b\nswitch s\nswitch x\nswitch y\nswitch t\n"
				   "link a s\nlink s x\nlink s y 40gbit 7us\nlink x t\nlink y t\nlink b t\n";
	u32 slow = 0, n = 2000;
	struct plan f;

	plan(&f, ways, NULL);
	for (u32 id = 0; id < n; id++) {
		u32 key = route_flow_key(host_addr(0), host_addr(1), (u32)packet_sport(id) << 16 | ROCE_PORT, 17);
		u64 t = ideal(&f, id, 0, 1, 1000);
		u32 port = route_pick(f.routes.mask[1], key, plan_switch_seed(&f, 0));

		assert_true(port == 1 || port == 2); /* of s: 0 is a's, then x and y */
		assert_int_equal(t, 4 * 1098 * 200 + (port == 2 ? 13000000 : 8000000));
		slow += port == 2;
	}
	assert_binomial(slow, n, 0.5);
	unplan(&f);
}

/* A line of switches between a and b, and the same packet by packet. */
struct line {
	u32 n;
	u32 rate[8], speedup; /* ps per byte of the links; in hundredths, 0: no crossbars */
};

static u64 walk_packet(const struct line *l, u64 *free, u64 *xbar, u32 wire, u64 at)
{
	for (u32 h = 0; h < l->n; h++) {
		if (h && l->speedup) {
			u32 fastest = l->rate[h - 1] < l->rate[h] ? l->rate[h - 1] : l->rate[h];

			at = xbar[h] = (at > xbar[h] ? at : xbar[h]) + xbar_time(wire, fastest, l->speedup);
		}
		free[h] = (at > free[h] ? at : free[h]) + (u64)wire * l->rate[h];
		at = free[h] + 2 * PS_PER_US;
	}
	return at;
}

static u64 walk_flow(const struct line *l, const struct packet_rules *r, const struct flow *flow)
{
	u64 free[8] = { 0 }, xbar[8] = { 0 }, ready = 0, at = 0;
	struct line back = *l;
	struct tx_frame read;

	if (flow->op == FLOW_READ) {
		for (u32 h = 0; h < l->n; h++)
			back.rate[h] = l->rate[l->n - 1 - h];
		packet_build_read(r, &read, flow, 0);
		ready = walk_packet(&back, free, xbar, wire_bytes(read.len), 0);
		memset(free, 0, sizeof(free));
		memset(xbar, 0, sizeof(xbar));
	}
	for (u32 i = 0; i < packet_count(r, flow->bytes); i++)
		at = walk_packet(l, free, xbar, wire_bytes(packet_frame_len(r, flow, i)), ready);
	return at;
}

static void draw_line(struct rng *r, struct line *l, char *text, size_t n)
{
	static const u32 gbit[] = { 10, 25, 40, 50, 100 };
	size_t used;

	l->n = 2 + (u32)rng_below(r, 7);
	l->speedup = rng_below(r, 2) ? 100 + (u32)rng_below(r, 200) : 0;
	used = (size_t)snprintf(text, n, "host a\nhost b\n");
	for (u32 h = 0; h + 1 < l->n; h++)
		used += (size_t)snprintf(text + used, n - used, "switch s%u\n", h);
	for (u32 h = 0; h < l->n; h++) {
		u32 rate = gbit[rng_below(r, 5)];

		l->rate[h] = 8000 / rate;
		used += (size_t)snprintf(text + used, n - used, h ? "link s%u " : "link a ", h - 1);
		used += (size_t)snprintf(text + used, n - used, h + 1 < l->n ? "s%u" : "b", h);
		used += (size_t)snprintf(text + used, n - used, " %ugbit 2us\n", rate);
	}
}

/* Flows of every operation, cut into messages of every length, over mixed rates, with and without crossbars. */
static void ideal__equals_the_walk(void **state)
{
	static const char *const transports[] = { "transport=irn", "transport=roce", "transport=iwarp" };
	struct rng r = rng_stream(1, RNG_SIZE, 1);

	for (u32 i = 0; i < 400; i++) {
		char text[512], words[3][64], *given[4] = { 0 };
		struct line line;
		struct plan f;
		u32 transport = (u32)rng_below(&r, 3);

		draw_line(&r, &line, text, sizeof(text));
		snprintf(words[0], 64, "mtu=%u", 64 + (u32)rng_below(&r, 1500));
		snprintf(words[1], 64, "message=%u", rng_below(&r, 2) ? 1 + (u32)rng_below(&r, 5000) : 1U << 20);
		snprintf(words[2], 64, "speedup=%u.%02u", line.speedup / 100, line.speedup % 100);
		given[0] = words[0];
		given[1] = words[1];
		given[2] = line.speedup ? words[2] : NULL;
		plan_words(&f, text, transports[transport], given);
		for (u32 j = 0; j < 20; j++) {
			struct flow flow = { .id = j,
					     .src = 0,
					     .dst = 1,
					     .op = transport == 2 ? FLOW_WRITE : (u16)rng_below(&r, 3),
					     .bytes = 1 + rng_below(&r, rng_below(&r, 2) ? 300000 : 8000) };

			assert_int_equal(plan_ideal(&f, &flow), walk_flow(&line, &f.nics[0].rules, &flow));
		}
		unplan(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ideal__two_links),
		cmocka_unit_test(ideal__overrides),
		cmocka_unit_test(rto_high__auto),
		cmocka_unit_test(ideal__four_links),
		cmocka_unit_test(ideal__six_links_of_mixed_rates),
		cmocka_unit_test(ideal__follows_ecmp),
		cmocka_unit_test(ideal__equals_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
