// SPDX-License-Identifier: GPL-2.0-or-later
/* Workloads: generated ones keep to their statistics and never change; files are believed nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/plan/plan_workload.h"
#include "lab/workload/rng.h"
#include "lab/workload/workload.h"
#include "tests/unit/workload_csv.h"

#define HOSTS 16
#define PS_40G 200 /* ps per byte */
/* E[size] of heavy-tailed: 0.5 x 516 + 0.35 x 199000 / ln 200 + 0.15 x 2800000 / ln 15 */
#define HEAVY_MEAN 168497ULL

static struct err err;
static u32 host_ps[256];
static char path[] = "/tmp/losslab-test-workload-XXXXXX";

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

static struct flow *make(const struct run_cfg *c, u32 hosts, u32 *n)
{
	struct workload_spec w = plan_workload(c);
	struct flow *flows;

	if (workload_make(&w, hosts, host_ps, &flows, n, &err))
		fail_msg("%s", err.text);
	return flows;
}

static void refuse(const struct run_cfg *c, u32 hosts, const char *want)
{
	struct workload_spec w = plan_workload(c);
	struct flow *flows;
	u32 n;

	assert_true(workload_make(&w, hosts, host_ps, &flows, &n, &err) < 0);
	assert_null(flows);
	assert_int_equal(n, 0);
	if (!strstr(err.text, want) || strchr(err.text, '\n'))
		fail_msg("'%s' does not say '%s'", err.text, want);
}

static void assert_sane(const struct flow *f, u32 n, u32 hosts)
{
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(f[i].id, i);
		assert_true(f[i].src < hosts && f[i].dst < hosts && f[i].src != f[i].dst);
		assert_true(f[i].bytes > 0);
		assert_int_equal(f[i].start_ps % PS_PER_NS, 0);
		assert_true(!i || f[i].start_ps >= f[i - 1].start_ps);
	}
}

/* 2e5 flows: the mean size within 2 % of E[size], the classes' shares within 1 %, the load within 3 %. */
static void heavy_tailed__statistics(void **state)
{
	struct run_cfg c = CONFIG("flows=200000", "load=0.7", "load_of=payload", "seed=11");
	u64 sum = 0, offered;
	u32 n, small = 0, large = 0, to[HOSTS] = { 0 };
	struct flow *f = make(&c, HOSTS, &n);

	assert_int_equal(n, 200000);
	assert_sane(f, n, HOSTS);
	for (u32 i = 0; i < n; i++) {
		assert_in_range(f[i].bytes, 32, 3000000);
		sum += f[i].bytes;
		small += f[i].bytes <= 1000;
		large += f[i].bytes >= 200000;
		to[f[i].dst]++;
	}
	assert_in_range(sum / n, HEAVY_MEAN * 98 / 100, HEAVY_MEAN * 102 / 100);
	assert_in_range(small, 99000, 101000);
	assert_in_range(large, 29400, 30600);
	for (u32 h = 0; h < HOSTS; h++)
		assert_in_range(to[h], 12000, 13000);
	/* Payload per host and time, in per mille of the link: bytes x ps per byte / (hosts x time). */
	offered = sum * PS_40G / HOSTS * 1000 / f[n - 1].start_ps;
	assert_in_range(offered, 679, 721);
	free(f);
}

/* The first flows, as a program of its own in another language computes them. */
static void heavy_tailed__pinned(void **state)
{
	static const struct flow want[] = {
		{ .id = 0, .src = 9, .dst = 14, .bytes = 47, .start_ps = 7987000 },
		{ .id = 1, .src = 10, .dst = 7, .bytes = 379120, .start_ps = 9189000 },
		{ .id = 2, .src = 4, .dst = 2, .bytes = 239, .start_ps = 15670000 },
		{ .id = 3, .src = 15, .dst = 2, .bytes = 637121, .start_ps = 16507000 },
		{ .id = 4, .src = 10, .dst = 13, .bytes = 171, .start_ps = 20451000 },
		{ .id = 5, .src = 5, .dst = 8, .bytes = 693, .start_ps = 24297000 },
		{ .id = 6, .src = 7, .dst = 5, .bytes = 487, .start_ps = 26466000 },
		{ .id = 7, .src = 8, .dst = 9, .bytes = 155420, .start_ps = 28875000 },
		{ .id = 100, .src = 10, .dst = 2, .bytes = 119662, .start_ps = 342301000 },
		{ .id = 250, .src = 13, .dst = 2, .bytes = 602, .start_ps = 846036000 },
		{ .id = 499, .src = 12, .dst = 2, .bytes = 418, .start_ps = 1556622000 },
	};
	struct run_cfg c = CONFIG("flows=500", "load=0.7", "load_of=payload", "seed=1");
	u32 n;
	struct flow *f = make(&c, HOSTS, &n);

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct flow *g = &f[want[i].id];

		assert_int_equal(g->src, want[i].src);
		assert_int_equal(g->dst, want[i].dst);
		assert_int_equal(g->bytes, want[i].bytes);
		assert_int_equal(g->start_ps, want[i].start_ps);
	}
	free(f);
}

static void poisson__deterministic(void **state)
{
	struct run_cfg c = CONFIG("flows=3000", "seed=4"), other = CONFIG("flows=3000", "seed=5");
	u32 n, m, k;
	struct flow *a = make(&c, HOSTS, &n), *b = make(&c, HOSTS, &m), *d = make(&other, HOSTS, &k);

	assert_int_equal(n, m);
	assert_memory_equal(a, b, n * sizeof(*a));
	assert_memory_not_equal(a, d, n * sizeof(*a));
	free(a);
	free(b);
	free(d);
}

/* More flows, or a duration, extend the same sequence. */
static void poisson__prefix(void **state)
{
	struct run_cfg few = CONFIG("flows=1000"), many = CONFIG("flows=4000"), timed = CONFIG("duration=1ms");
	u32 n, m, k;
	struct flow *a = make(&few, HOSTS, &n), *b = make(&many, HOSTS, &m), *d = make(&timed, HOSTS, &k);

	assert_memory_equal(a, b, n * sizeof(*a));
	assert_true(k > 200 && k < m);
	assert_memory_equal(d, b, k * sizeof(*a));
	assert_true(d[k - 1].start_ps < PS_PER_MS && b[k].start_ps >= PS_PER_MS);
	free(a);
	free(b);
	free(d);
}

/* What a host draws does not depend on how many others there are, nor its sizes on the load. */
static void poisson__independent_hosts(void **state)
{
	struct run_cfg c = CONFIG("duration=2ms"), slow = CONFIG("duration=2ms", "load=0.2");
	u32 n, m, k, i = 0, j = 0, l = 0, seen = 0;
	struct flow *a = make(&c, HOSTS, &n), *b = make(&c, 64, &m), *d = make(&slow, HOSTS, &k);

	for (;; i++, j++, l++) {
		for (; i < n && a[i].src != 3; i++)
			;
		for (; j < m && b[j].src != 3; j++)
			;
		for (; l < k && d[l].src != 3; l++)
			;
		if (i == n)
			break;
		assert_true(j < m);
		assert_int_equal(a[i].start_ps, b[j].start_ps);
		assert_int_equal(a[i].bytes, b[j].bytes);
		if (l < k) {
			assert_int_equal(a[i].bytes, d[l].bytes);
			assert_int_equal(a[i].dst, d[l].dst);
			assert_true(a[i].start_ps < d[l].start_ps);
		}
		seen++;
	}
	assert_true(seen > 10);
	free(a);
	free(b);
	free(d);
}

/* A host with a link of four times the rate sends four times as much. */
static void poisson__mixed_rates(void **state)
{
	struct run_cfg c = CONFIG("flows=50000");
	u32 n, fast = 0;
	struct flow *f;

	host_ps[0] = PS_40G / 4;
	f = make(&c, 4, &n);
	host_ps[0] = PS_40G;
	for (u32 i = 0; i < n; i++)
		fast += f[i].src == 0;
	assert_in_range(fast, 50000 * 4 / 7 - 600, 50000 * 4 / 7 + 600);
	free(f);
}

/* E[size] of websearch by hand: the sum of shares x middles is 1 711 250 bytes (and half a byte). */
static void websearch__statistics(void **state)
{
	struct run_cfg c = CONFIG("workload=websearch", "flows=200000", "load=50%", "load_of=payload", "seed=3");
	u64 sum = 0;
	u32 n, small = 0;
	struct flow *f = make(&c, HOSTS, &n);

	assert_sane(f, n, HOSTS);
	for (u32 i = 0; i < n; i++) {
		assert_in_range(f[i].bytes, 1, 30000000);
		sum += f[i].bytes;
		small += f[i].bytes <= 80000;
	}
	assert_in_range(sum / n, 1711250ULL * 98 / 100, 1711250ULL * 102 / 100);
	assert_in_range(small, 105000, 107000);
	assert_in_range(sum / HOSTS * PS_40G / (f[n - 1].start_ps / 1000), 485, 515);
	free(f);
}

static void incast__spread(void **state)
{
	struct run_cfg all = CONFIG("workload=incast"), some = CONFIG("workload=incast", "senders=4", "bytes=5KB");
	struct run_cfg many = CONFIG("workload=incast", "senders=16");
	u32 n;
	struct flow *f = make(&all, HOSTS, &n);

	assert_int_equal(n, HOSTS - 1);
	assert_sane(f, n, HOSTS);
	for (u32 i = 0; i < n; i++)
		assert_true(f[i].src == i + 1 && !f[i].dst && f[i].bytes == 1000000 && !f[i].start_ps);
	free(f);
	f = make(&some, HOSTS, &n);
	assert_int_equal(n, 4);
	for (u32 i = 0; i < n; i++)
		assert_true(f[i].src == 1 + i * 15 / 4 && f[i].bytes == 5000);
	free(f);
	refuse(&many, HOSTS, "senders=16: the network has 15 hosts");
}

static void permutation__derangement(void **state)
{
	u32 n, different = 0;

	for (u32 hosts = 2; hosts < 40; hosts++) {
		struct run_cfg c = CONFIG("workload=permutation", "seed=9"),
			       d = CONFIG("workload=permutation", "seed=10");
		struct flow *f = make(&c, hosts, &n), *g = make(&d, hosts, &n);
		u64 to = 0;

		assert_int_equal(n, hosts);
		assert_sane(f, n, hosts);
		for (u32 i = 0; i < n; i++) {
			assert_int_equal(f[i].src, i);
			to |= 1ULL << f[i].dst;
		}
		assert_int_equal(to, (1ULL << hosts) - 1);
		different += memcmp(f, g, n * sizeof(*f)) != 0;
		free(f);
		free(g);
	}
	assert_true(different > 30);
}

/* All 9 derangements of 4 hosts turn up equally often: 9000 seeds, 1000 each, +- 5 sigma. */
static void permutation__uniform(void **state)
{
	struct run_cfg c = CONFIG("workload=permutation");
	u32 seen[256] = { 0 }, kinds = 0, n;

	for (c.seed = 0; c.seed < 9000; c.seed++) {
		struct flow *f = make(&c, 4, &n);

		seen[f[0].dst << 6 | f[1].dst << 4 | f[2].dst << 2 | f[3].dst]++;
		free(f);
	}
	for (u32 i = 0; i < 256; i++) {
		if (!seen[i])
			continue;
		kinds++;
		assert_in_range(seen[i], 850, 1150);
	}
	assert_int_equal(kinds, 9);
}

static void hosts__too_few(void **state)
{
	struct run_cfg c = CONFIG("flows=10");

	refuse(&c, 1, "the network has 1 hosts");
	c = CONFIG("duration=1ns");
	refuse(&c, 2, "no flow starts");
	c = CONFIG("duration=1000s");
	refuse(&c, 2, "more than 4194304 flows");
}

/* --- files --- */

static void put_file(const void *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static struct run_cfg file_config(const char *kind)
{
	char word[128];

	snprintf(word, sizeof(word), "workload=%s:%s", kind, path);
	return CONFIG(word);
}

#define HEAD "id,src,dst,bytes,start_ns\n"
#define HEAD_OP "id,src,dst,bytes,start_ns,op\n"

static void file__reads(void **state)
{
	static const char text[] = "id,src,dst,bytes,start_ns\r\n2,0,1,1099511627776,0.5\r\n0,3,2,1,7\n"
				   "1,1,0,64,0.123\n3,1,0,9,0.5";
	struct run_cfg c = file_config("file");
	struct flow *f;
	u32 n;

	put_file(text, sizeof(text) - 1);
	f = make(&c, 4, &n);
	assert_int_equal(n, 4);
	assert_true(f[0].id == 1 && f[0].start_ps == 123 && f[0].bytes == 64);
	assert_true(f[1].id == 2 && f[1].start_ps == 500 && f[1].bytes == 1ULL << 40);
	assert_true(f[2].id == 3 && f[2].start_ps == 500 && f[2].src == 1 && f[2].dst == 0);
	assert_true(f[3].id == 0 && f[3].start_ps == 7000 && f[3].src == 3 && f[3].dst == 2);
	free(f);
}

/* A sixth column says what each flow does; without it the configuration does, for all. */
static void file__ops(void **state)
{
	static const char text[] = HEAD_OP "0,0,1,7,0,read\r\n1,0,1,7,0,write\n2,0,1,7,0,send";
	struct run_cfg c = file_config("file");
	struct flow *f;
	u32 n;

	for (c.op = FLOW_WRITE; c.op <= FLOW_READ; c.op++) {
		put_file(text, sizeof(text) - 1);
		f = make(&c, 4, &n);
		assert_true(n == 3 && f[0].op == FLOW_READ && f[1].op == FLOW_WRITE && f[2].op == FLOW_SEND);
		free(f);
		put_file(HEAD "0,0,1,7,0\n1,0,1,7,0\n", strlen(HEAD "0,0,1,7,0\n1,0,1,7,0\n"));
		f = make(&c, 4, &n);
		assert_true(n == 2 && f[0].op == c.op && f[1].op == c.op);
		free(f);
	}
}

/* iWARP writes only: a file's column may say so, and nothing else. */
static void file__ops_of_iwarp(void **state)
{
	struct run_cfg c = file_config("file");
	struct flow *f;
	u32 n;

	strcpy(c.transport, "iwarp");
	put_file(HEAD_OP "0,0,1,7,0,write\n", strlen(HEAD_OP "0,0,1,7,0,write\n"));
	f = make(&c, 4, &n);
	assert_int_equal(f[0].op, FLOW_WRITE);
	free(f);
	put_file(HEAD_OP "0,0,1,7,0,write\n1,0,1,7,0,send\n", strlen(HEAD_OP "0,0,1,7,0,write\n1,0,1,7,0,send\n"));
	refuse(&c, 4, ":3: op 'send': transport=iwarp carries WRITEs only");
	put_file(HEAD_OP "0,0,1,7,0,read\n", strlen(HEAD_OP "0,0,1,7,0,read\n"));
	refuse(&c, 4, ":2: op 'read': transport=iwarp carries");
}

/* What generators make does as the key op= says, and is otherwise the same. */
static void generators__ops(void **state)
{
	static const char *const workloads[] = { "workload=heavy-tailed", "workload=websearch", "workload=incast",
						 "workload=permutation" };

	for (u32 i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
		struct run_cfg c = CONFIG(workloads[i]), reads = CONFIG(workloads[i], "op=read");
		struct flow *f, *g;
		u32 n, m;

		f = make(&c, HOSTS, &n);
		g = make(&reads, HOSTS, &m);
		assert_int_equal(n, m);
		for (u32 k = 0; k < n; k++) {
			assert_true(f[k].op == FLOW_WRITE && g[k].op == FLOW_READ);
			g[k].op = FLOW_WRITE;
		}
		assert_memory_equal(f, g, n * sizeof(*f));
		free(f);
		free(g);
	}
}

static void file__refuses(void **state)
{
	static const struct {
		const char *text, *line, *why;
	} bad[] = {
		{ "", ":1:", "empty" },
		{ HEAD, ":2:", "no flows" },
		{ "id,src,dst,bytes\n0,0,1,1\n", ":1:", "should be id,src,dst,bytes,start_ns" },
		{ " " HEAD "0,0,1,1,0\n", ":1:", "should be" },
		{ "0,0,1,1,0\n", ":1:", "should be" },
		{ HEAD "0,0,1,1\n", ":2:", "4 columns" },
		{ HEAD "0,0,1,1,0,\n", ":2:", "6 columns" },
		{ HEAD "0,0,1,1,0\n\n", ":3:", "1 columns" },
		{ HEAD "-1,0,1,1,0\n", ":2:", "id '-1' is negative" },
		{ HEAD "0,,1,1,0\n", ":2:", "src '' is empty" },
		{ HEAD "0,0,+1,1,0\n", ":2:", "dst '+1' is not a number" },
		{ HEAD "0,0,1, 1,0\n", ":2:", "bytes ' 1' is not a number" },
		{ HEAD "0,0,1,0x10,0\n", ":2:", "not a number" },
		{ HEAD "0,0,1,1e3,0\n", ":2:", "not a number" },
		{ HEAD "0,0,1,1.5,0\n", ":2:", "not a number" },
		{ HEAD "0,0,1,0,0\n", ":2:", "bytes is 0" },
		{ HEAD "0,0,1,1099511627777,0\n", ":2:", "too large" },
		{ HEAD "0,0,1,18446744073709551617,0\n", ":2:", "too large" },
		{ HEAD "0,0,1,1,-0.5\n", ":2:", "start_ns '-0.5' is negative" },
		{ HEAD "0,0,1,1,0.1234\n", ":2:", "not a number" },
		{ HEAD "0,0,1,1,.5\n", ":2:", "not a number" },
		{ HEAD "0,0,1,1,5.\n", ":2:", "not a number" },
		{ HEAD "0,0,1,1,1.2.3\n", ":2:", "not a number" },
		{ HEAD "0,0,1,1,nan\n", ":2:", "not a number" },
		{ HEAD "0,0,1,1,4611686018427388\n", ":2:", "too large" },
		{ HEAD "0,0,1,1,99999999999999999999999\n", ":2:", "too large" },
		{ HEAD "0,4,1,1,0\n", ":2:", "src 4: the network has hosts 0..3" },
		{ HEAD "0,1,4294967295,1,0\n", ":2:", "dst 4294967295" },
		{ HEAD "0,1,4294967296,1,0\n", ":2:", "too large" },
		{ HEAD "0,2,2,1,0\n", ":2:", "both host 2" },
		{ HEAD_OP "0,0,1,1,0\n", ":2:", "5 columns instead of 6: id,src,dst,bytes,start_ns,op" },
		{ HEAD_OP "0,0,1,1,0,write,\n", ":2:", "7 columns" },
		{ HEAD_OP "0,0,1,1,0,\n", ":2:", "op '' is unknown; allowed: write|send|read" },
		{ HEAD_OP "0,0,1,1,0,Read\n", ":2:", "op 'Read' is unknown" },
		{ HEAD_OP "0,0,1,1,0,reads\n", ":2:", "op 'reads' is unknown" },
		{ "id,src,dst,bytes,start_ns,ops\n0,0,1,1,0,read\n", ":1:", "perhaps with ,op" },
		{ HEAD "0,1,2,1,0\n0,1,2,1,0\n", ":3:", "id 0: already used on line 2" },
		{ HEAD "0,1,2,1,0\n2,1,2,1,0\n", ":3:", "ids are 0..1" },
		{ HEAD "4294967295,1,2,1,0\n", ":2:", "ids are 0..0" },
		{ HEAD "0,1,2,1,0\r\r\n", ":2:", "not a number" },
	};
	struct run_cfg c = file_config("file");

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_file(bad[i].text, strlen(bad[i].text));
		refuse(&c, 4, bad[i].why);
		assert_memory_equal(err.text, path, strlen(path));
		assert_memory_equal(err.text + strlen(path), bad[i].line, strlen(bad[i].line));
	}
}

static void file__refuses_binary(void **state)
{
	static const char nul[] = HEAD "0,0,1,1\0,0\n";
	struct run_cfg c = file_config("file"), none = CONFIG("workload=file:/nonexistent/x"),
		       dir = CONFIG("workload=file:/");
	static char wide[5000];

	put_file(nul, sizeof(nul) - 1);
	refuse(&c, 4, ":2: a NUL byte");
	memset(wide, '1', sizeof(wide));
	put_file(wide, sizeof(wide));
	refuse(&c, 4, ":1: the line is longer than");
	refuse(&none, 4, "/nonexistent/x: No such file");
	refuse(&dir, 4, "/:1: cannot be read: Is a directory");
}

static void csv__round_trip(void **state)
{
	struct run_cfg c = CONFIG("flows=2000", "seed=77"), file = file_config("file");
	u32 n, m;
	struct flow *f = make(&c, HOSTS, &n), *g;
	FILE *out = fopen(path, "w");

	f[n - 1].start_ps += 7; /* a start that is not whole ns */
	for (u32 i = 0; i < n; i++)
		f[i].op = i % 3;
	for (u32 i = 0; i < n; i++)
		f[i].class = i % 8;
	file.op = FLOW_READ; /* the file says itself */
	file.data_class = 1;
	assert_int_equal(workload_write_csv(f, n, out), 0);
	assert_int_equal(fclose(out), 0);
	g = make(&file, HOSTS, &m);
	assert_int_equal(n, m);
	assert_memory_equal(f, g, n * sizeof(*f));
	free(f);
	free(g);
}

static void cdf__reads(void **state)
{
	static const char text[] = "# a comment\n100 25\r\n\n\t 200  25 # none between\n1000\t62.5\n1001 100";
	struct run_cfg c = file_config("cdf");
	u32 n, low = 0, top = 0;
	struct flow *f;

	c.flows = 40000;
	put_file(text, sizeof(text) - 1);
	f = make(&c, HOSTS, &n);
	for (u32 i = 0; i < n; i++) {
		assert_true(f[i].bytes >= 1 && f[i].bytes <= 1001);
		assert_false(f[i].bytes > 100 && f[i].bytes <= 200);
		low += f[i].bytes <= 100;
		top += f[i].bytes == 1001;
	}
	assert_in_range(low, 9700, 10300);
	assert_in_range(top, 14600, 15400);
	free(f);
	put_file("999 0\n1000 100\n", 15); /* one size only; and the exact load it makes */
	c.load_of = LOAD_OF_PAYLOAD;
	f = make(&c, HOSTS, &n);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(f[i].bytes, 1000);
	assert_in_range((u64)n * 1000 * PS_40G / HOSTS * 1000 / f[n - 1].start_ps, 679, 721);
	free(f);
}

static void cdf__refuses(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "no points" },
		{ "# nothing\n", "no points" },
		{ "100\n", ":1: not of the form" },
		{ "100 50 3\n", ":1: not of the form" },
		{ "100 50\n100 100\n", ":2: 100 bytes: not more than" },
		{ "100 50\n90 100\n", ":2: 90 bytes: not more than" },
		{ "0 50\n90 100\n", ":1: 0 bytes: not more than" },
		{ "100 50\n200 40\n300 100\n", ":2: the per cent is lower" },
		{ "100 50\n200 99.9\n", "not at 100" },
		{ "100 0\n", "not at 100" },
		{ "0 100\n", ":1: 0 bytes" },
		{ "100 100.000001\n", "too large" },
		{ "100 1e2\n", "not a number" },
		{ "100 50.1234567\n", "not a number" },
		{ "-5 50\n", "negative" },
		{ "5,50\n", "not of the form" },
		{ "1099511627777 100\n", "too large" },
	};
	struct run_cfg c = file_config("cdf");

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_file(bad[i].text, strlen(bad[i].text));
		refuse(&c, 4, bad[i].why);
	}
	put_file("1\0 100\n", 7);
	refuse(&c, 4, "NUL");
}

static void cdf__too_many_points(void **state)
{
	struct run_cfg c = file_config("cdf");
	FILE *f = fopen(path, "w");

	for (u32 i = 1; i <= 1100; i++)
		fprintf(f, "%u 1\n", i);
	fclose(f);
	refuse(&c, 4, ":1024: more than 1023 points");
}

/* Change a few bytes of a good file: the answer is an error of one line, or flows that are sane. */
static void fuzz(const char *kind, const char *good, u32 rounds)
{
	static const char likely[] = "0123456789,.-+ \n\r\t#\0\xff";
	struct rng r = rng_stream(2024, RNG_SIZE, 0);
	struct run_cfg c = file_config(kind);
	struct workload_spec w = plan_workload(&c);
	u32 accepted = 0;

	if (w.flows)
		w.flows = 50;
	for (u32 round = 0; round < rounds; round++) {
		size_t len = strlen(good);
		char text[512];
		struct flow *f;
		u32 n;

		memcpy(text, good, len);
		for (u64 edits = 1 + rng_below(&r, 4); edits; edits--)
			text[rng_below(&r, len)] = likely[rng_below(&r, sizeof(likely) - 1)];
		put_file(text, rng_below(&r, 4) ? len : rng_below(&r, len + 1));
		if (workload_make(&w, 4, host_ps, &f, &n, &err)) {
			assert_true(*err.text && !strchr(err.text, '\n') && strlen(err.text) < ERR_TEXT_MAX);
			continue;
		}
		accepted++;
		for (u32 i = 0; i < n; i++) {
			assert_true(f[i].id < n && f[i].src < 4 && f[i].dst < 4 && f[i].src != f[i].dst);
			assert_true(f[i].bytes > 0 && f[i].bytes <= WORKLOAD_BYTES_MAX && f[i].op <= FLOW_READ);
			assert_true(!i || f[i].start_ps >= f[i - 1].start_ps);
		}
		free(f);
	}
	assert_true(accepted > rounds / 100); /* not all refused at the door */
}

static void file__fuzz(void **state)
{
	fuzz("file", HEAD "0,0,1,1000,0\n1,1,2,64,100.5\n2,3,0,2000000,100.500\r\n3,2,1,7,9999\n", 5000);
}

static void file__fuzz_ops(void **state)
{
	fuzz("file", HEAD_OP "0,0,1,1000,0,read\n1,1,2,64,100.5,write\n2,3,0,2000000,100.500,send\r\n", 5000);
}

static void cdf__fuzz(void **state)
{
	fuzz("cdf", "0 0\n10000 15\n20000 20.5\n30000 30 # comment\n1000000 70.123456\n30000000 100\n", 5000);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	for (u32 i = 0; i < sizeof(host_ps) / sizeof(host_ps[0]); i++)
		host_ps[i] = PS_40G;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heavy_tailed__statistics),
		cmocka_unit_test(heavy_tailed__pinned),
		cmocka_unit_test(poisson__deterministic),
		cmocka_unit_test(poisson__prefix),
		cmocka_unit_test(poisson__independent_hosts),
		cmocka_unit_test(poisson__mixed_rates),
		cmocka_unit_test(websearch__statistics),
		cmocka_unit_test(incast__spread),
		cmocka_unit_test(permutation__derangement),
		cmocka_unit_test(permutation__uniform),
		cmocka_unit_test(hosts__too_few),
		cmocka_unit_test(generators__ops),
		cmocka_unit_test(file__reads),
		cmocka_unit_test(file__ops),
		cmocka_unit_test(file__ops_of_iwarp),
		cmocka_unit_test(file__refuses),
		cmocka_unit_test(file__refuses_binary),
		cmocka_unit_test(csv__round_trip),
		cmocka_unit_test(cdf__reads),
		cmocka_unit_test(cdf__refuses),
		cmocka_unit_test(cdf__too_many_points),
		cmocka_unit_test(file__fuzz),
		cmocka_unit_test(file__fuzz_ops),
		cmocka_unit_test(cdf__fuzz),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
