// SPDX-License-Identifier: GPL-2.0-or-later
/* What flows occupy of the wire, and the load that counts it: docs/reference.md 1.10 and 2.1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "agent/packet/packet.h"
#include "agent/recovery/recovery.h"
#include "lab/plan/plan_workload.h"
#include "lab/workload/workload_impl.h"

#define HOSTS 16
#define PS_40G 200

static const struct wire_cut cuts[] = {
	{ 1000, 1 << 30 }, { 64, 1 << 30 }, { 1000, 2500 }, { 999, 3001 }, { 2048, 100 }, { 67, 201 }, { 64, 1 },
};
#define CUTS (sizeof(cuts) / sizeof(cuts[0]))

/* The same from the packets that a host sends. */
static u64 packets_wire(const struct wire_cut *c, u64 bytes)
{
	struct packet_rules r = { .format = FORMAT_ROCE,
				  .mtu = c->mtu,
				  .message = c->message,
				  .msg_packets = (c->message + c->mtu - 1) / c->mtu };
	struct flow flow = { .bytes = bytes, .op = FLOW_WRITE };
	u64 wire = 0;

	for (u32 n = 0; n < packet_count(&r, bytes); n++)
		wire += wire_bytes(packet_frame_len(&r, &flow, n));
	return wire;
}

/*
 * By hand: 1 byte is Ethernet 14, IP 20, UDP 8, BTH 12, RETH 16, 4 padded, ICRC 4, FCS 4, preamble 8, gap 12. Of 2500
 * bytes in packets of 1000, only the first has a RETH.
 */
static void flow__by_hand(void **state)
{
	struct wire_cut c = { 1000, 1 << 30 };

	assert_int_equal(wire_flow(&c, 1), 102);
	assert_int_equal(wire_flow(&c, 1000), 1098);
	assert_int_equal(wire_flow(&c, 2500), 2500 + 3 * 82 + 16);
	c.message = 1000;
	assert_int_equal(wire_flow(&c, 2500), 2500 + 3 * (82 + 16));
}

static void flow__is_its_packets(void **state)
{
	for (u32 i = 0; i < CUTS; i++)
		for (u64 bytes = 1; bytes < 3100; bytes++)
			if (wire_flow(&cuts[i], bytes) != packets_wire(&cuts[i], bytes))
				fail_msg("mtu %u, message %u, %llu bytes", cuts[i].mtu, cuts[i].message, bytes);
}

static void sum__is_all_flows(void **state)
{
	for (u32 i = 0; i < CUTS; i++) {
		u128 sum = 0;

		for (u64 bytes = 1; bytes < 10000; bytes++) {
			sum += wire_flow(&cuts[i], bytes);
			if (sum != wire_sum(&cuts[i], bytes))
				fail_msg("mtu %u, message %u, %llu bytes", cuts[i].mtu, cuts[i].message, bytes);
		}
	}
}

/* ln((s + 1) / s) as 2 artanh(1 / (2s + 1)), whose fourth term is below 1e-24 for s >= 1000. */
static long double ln_step(u64 s)
{
	long double z = 1.0L / (2 * s + 1);

	return 2 * (z + z * z * z / 3 + z * z * z * z * z / 5);
}

/* E[wire] over the log-uniform sizes of [a, b), each whole number of bytes with its own probability. */
static long double log_uniform(const struct wire_cut *c, u64 a, u64 b)
{
	long double sum = 0, all = 0;

	for (u64 s = a; s < b; s++) {
		sum += ln_step(s) * wire_flow(c, s);
		all += ln_step(s);
	}
	return sum / all;
}

/* The definition of docs/workloads.md, size by size: our fixed point is within a millionth. */
static void heavy_tailed__mean(void **state)
{
	struct size_dist d;

	size_heavy_tailed(&d);
	for (u32 i = 0; i < CUTS - 1; i += 2) { /* 1000, messages of 2500, 2048 with messages of 100 */
		u64 small = 0;
		long double want, got = (long double)d.wire_mean(&d, &cuts[i]) / (1 << MEAN_BITS);

		for (u64 s = 32; s <= 1000; s++)
			small += wire_flow(&cuts[i], s);
		want = 0.5L * small / 969 + 0.35L * log_uniform(&cuts[i], 1000, 200000) +
			0.15L * log_uniform(&cuts[i], 200000, 3000000);
		if (got > want * 1.000002L || got < want * 0.999998L)
			fail_msg("mtu %u, message %u: %Lf, not %Lf", cuts[i].mtu, cuts[i].message, got, want);
	}
	/* At mtu 1000: 82 bytes per packet of about 1000, and a RETH per flow. 0.70 of payload is 0.758 of the wire. */
	assert_in_range(d.wire_mean(&d, &cuts[0]) * 700 / d.mean, 757, 758);
}

static void uniform__mean(void **state)
{
	static const struct {
		const char *text;
		u64 min, max;
	} sizes[] = { { "500-5KB", 500, 5000 }, { "1-1", 1, 1 }, { "2KB-2001", 2000, 2001 } };

	for (u32 k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct size_dist d;
		u64 sum = 0, n = sizes[k].max - sizes[k].min + 1;

		assert_null(size_uniform(&d, sizes[k].text));
		assert_int_equal(d.mean, (sizes[k].min + sizes[k].max) << (MEAN_BITS - 1));
		for (u64 s = sizes[k].min; s <= sizes[k].max; s++)
			sum += wire_flow(&cuts[2], s);
		assert_int_equal(d.wire_mean(&d, &cuts[2]), ((u128)sum << MEAN_BITS) / n);
	}
}

/* --- loads --- */

static struct err err;
static u32 host_ps[256];

static struct run_cfg config(const char *const *words)
{
	struct run_cfg c;

	cfg_defaults(&c);
	for (; *words; words++)
		if (cfg_set(&c, *words, &err))
			fail_msg("%s", err.text);
	if (cfg_finish(&c, &err))
		fail_msg("%s", err.text);
	return c;
}
#define CONFIG(...) config((const char *const[]){ __VA_ARGS__, NULL })

static struct flow *make(const struct run_cfg *c, u32 *n)
{
	struct workload_spec w = plan_workload(c);
	struct flow *flows;

	if (workload_make(&w, HOSTS, host_ps, &flows, n, &err))
		fail_msg("%s", err.text);
	return flows;
}

/* What all hosts send per time, in ppm of @hosts links; of the wire, or of payload. */
static u64 measured(const struct run_cfg *c, u32 hosts, bool payload)
{
	struct wire_cut cut = { c->mtu, plan_message(c) };
	u64 sum = 0;
	u32 n;
	struct flow *f = make(c, &n);

	for (u32 i = 0; i < n; i++)
		sum += payload ? f[i].bytes : wire_flow(&cut, f[i].bytes);
	sum = (u64)((u128)sum * PS_40G * 1000000 / hosts / f[n - 1].start_ps);
	free(f);
	return sum;
}

/* Loads within 2 %, which is what 200,000 flows differ by; and the two kinds by the ratio of the means exactly. */
static void load__of_wire(void **state)
{
	struct run_cfg heavy = CONFIG("flows=200000", "load=0.6543"), web, even;

	assert_in_range(measured(&heavy, HOSTS, false), 641000, 668000);
	web = CONFIG("workload=websearch", "flows=100000", "load=30%", "mtu=64", "message=100");
	assert_in_range(measured(&web, HOSTS, false), 294000, 306000);
	even = CONFIG("workload=uniform:500KB-5MB", "flows=50000", "load=0.9", "pattern=half");
	assert_in_range(measured(&even, HOSTS / 2, false), 882000, 918000);
	even.load_of = LOAD_OF_PAYLOAD;
	assert_in_range(measured(&even, HOSTS / 2, true), 882000, 918000);
}

/* The flows depend on neither transport nor congestion control nor RETHs. */
static void load__same_flows(void **state)
{
	struct run_cfg c = CONFIG("flows=500");
	const struct recovery_ops *ops;
	u32 n, m;
	struct flow *f = make(&c, &n), *g;

	for (u32 i = 0; (ops = recovery_at(i)); i++) {
		strcpy(c.transport, ops->name);
		c.reth_all = i % 2;
		g = make(&c, &m);
		assert_int_equal(n, m);
		assert_memory_equal(f, g, n * sizeof(*f));
		free(g);
	}
	free(f);
}

static void pattern__half(void **state)
{
	struct run_cfg c = CONFIG("flows=20000", "pattern=half");
	u32 n, to[HOSTS] = { 0 };
	struct flow *f = make(&c, &n);

	for (u32 i = 0; i < n; i++) {
		assert_true(f[i].src < HOSTS / 2 && f[i].dst >= HOSTS / 2);
		to[f[i].dst]++;
	}
	for (u32 h = HOSTS / 2; h < HOSTS; h++)
		assert_in_range(to[h], 2200, 2800); /* 2500, 6 sigma */
	free(f);
}

/* --- incasts --- */

static void incast__striped(void **state)
{
	struct run_cfg c = CONFIG("workload=incast", "senders=4", "bytes=1003", "stripe=on");
	u32 n;
	struct flow *f = make(&c, &n);

	assert_int_equal(n, 4);
	assert_true(f[0].bytes == 251 && f[1].bytes == 251 && f[2].bytes == 251 && f[3].bytes == 250);
	free(f);
}

/* Each incast: one receiver, different senders, one start; over many all hosts receive equally often. */
static void incast__repeated(void **state)
{
	struct run_cfg c = CONFIG("workload=incast", "senders=5", "repeat=4000", "every=10us", "bytes=7KB");
	u32 n, to[HOSTS] = { 0 };
	struct flow *f = make(&c, &n);

	assert_int_equal(n, 20000);
	for (u32 k = 0; k < 4000; k++) {
		u32 seen = 1U << f[5 * k].dst;

		for (u32 i = 5 * k; i < 5 * k + 5; i++) {
			assert_true(f[i].start_ps == k * 10 * PS_PER_US && f[i].dst == f[5 * k].dst);
			assert_true(f[i].id == i && f[i].bytes == 7000 && !(seen >> f[i].src & 1));
			seen |= 1U << f[i].src;
		}
		to[f[5 * k].dst]++;
	}
	for (u32 h = 0; h < HOSTS; h++)
		assert_in_range(to[h], 160, 340); /* 250, 6 sigma */
	free(f);
}

/* every=auto: 15 flows of 1 MB take 15 x 1,082,016 B x 200 ps on the receiver's link. */
static void incast__every_auto(void **state)
{
	struct run_cfg c = CONFIG("workload=incast", "repeat=2");
	u32 n;
	struct flow *f = make(&c, &n);

	assert_int_equal(n, 30);
	assert_in_range(f[29].start_ps, 2 * 15 * 1082016ULL * 200, 2 * 15 * 1082016ULL * 200 + 1000);
	free(f);
}

/* The background's flows are those of the same load without an incast, until the last incast's time is over. */
static void incast__background(void **state)
{
	struct run_cfg c = CONFIG("workload=incast", "senders=3", "repeat=5", "every=100us", "background=0.4",
				  "background_sizes=websearch");
	struct run_cfg alone = CONFIG("workload=websearch", "load=0.4", "duration=500us");
	u32 n, m, k = 0, incast = 0;
	struct flow *f = make(&c, &n), *g = make(&alone, &m);

	assert_int_equal(n, m + 15);
	for (u32 i = 0; i < n; i++) {
		assert_true(f[i].id == i && (!i || f[i].start_ps >= f[i - 1].start_ps));
		if (k < m && f[i].start_ps == g[k].start_ps && f[i].src == g[k].src && f[i].dst == g[k].dst) {
			assert_int_equal(f[i].bytes, g[k].bytes);
			k++;
		} else {
			assert_true(f[i].start_ps == incast / 3 * 100 * PS_PER_US && f[i].bytes == 1000000);
			incast++;
		}
	}
	assert_true(k == m && incast == 15);
	free(f);
	free(g);
}

static void refuse(const char *want, const struct run_cfg *c)
{
	struct workload_spec w = plan_workload(c);
	struct flow *flows;
	u32 n;

	assert_true(workload_make(&w, HOSTS, host_ps, &flows, &n, &err) < 0);
	if (!strstr(err.text, want) || strchr(err.text, '\n'))
		fail_msg("'%s' does not say '%s'", err.text, want);
}

static void incast__refuses(void **state)
{
	struct run_cfg c = CONFIG("workload=incast", "bytes=14", "stripe=on");

	refuse("bytes=14: stripe=on leaves less than a byte to each of 15 senders", &c);
	c = CONFIG("workload=incast", "repeat=4000000", "every=1000s");
	refuse("repeat=4000000: the last incast would start after 6 days", &c);
	c = CONFIG("workload=incast", "background=0.1", "background_sizes=cdf:x");
	refuse("background_sizes=cdf:x: unknown; allowed: heavy-tailed|websearch|uniform:MIN-MAX", &c);
	c = CONFIG("workload=incast", "background=0.1", "background_sizes=uniform:9");
	refuse("background_sizes=uniform:9: not of the form MIN-MAX", &c);
	c = CONFIG("workload=uniform:5-4");
	refuse("workload=uniform:5-4: not a range of sizes", &c);
	c = CONFIG("workload=uniform:0-4");
	refuse("not a range of sizes", &c);
	c = CONFIG("workload=uniform:1-2TB");
	refuse("uniform:1-2TB: not", &c);
}

static int setup(void **state)
{
	for (u32 i = 0; i < sizeof(host_ps) / sizeof(host_ps[0]); i++)
		host_ps[i] = PS_40G;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow__by_hand),      cmocka_unit_test(flow__is_its_packets),
		cmocka_unit_test(sum__is_all_flows),  cmocka_unit_test(heavy_tailed__mean),
		cmocka_unit_test(uniform__mean),      cmocka_unit_test(load__of_wire),
		cmocka_unit_test(load__same_flows),   cmocka_unit_test(pattern__half),
		cmocka_unit_test(incast__striped),    cmocka_unit_test(incast__repeated),
		cmocka_unit_test(incast__every_auto), cmocka_unit_test(incast__background),
		cmocka_unit_test(incast__refuses),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
