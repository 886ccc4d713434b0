// SPDX-License-Identifier: GPL-2.0-or-later
/* Routes against counts that follow from the shape, and times worked out by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "topo/topo.h"

static struct err err;

static struct topo *parse(const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct topo *t;

	if (topo_parse(in, "f", &t, &err))
		fail_msg("%s", err.text);
	fclose(in);
	return t;
}

static struct topo *open_routes(const char *spec, struct routes *r)
{
	struct topo *t;

	if (topo_open(spec, "topo", &t, &err) || routes_compute(t, r, &err))
		fail_msg("%s: %s", spec, err.text);
	return t;
}

static u64 mask(const struct routes *r, u32 s, u32 h)
{
	return r->mask[(size_t)s * r->n_hosts + h];
}

/* All masks of a fat-tree, from its numbering: edges, aggregations, cores. */
static void check_fat_tree(const struct routes *r, u32 k)
{
	u32 half = k / 2, edges = k * half;
	u64 down = (1ULL << half) - 1, up = down << half;

	for (u32 h = 0; h < r->n_hosts; h++) {
		u32 edge = h / half, pod = edge / half;

		for (u32 s = 0; s < edges; s++)
			assert_int_equal(mask(r, s, h), s == edge ? 1ULL << h % half : up);
		for (u32 a = 0; a < edges; a++)
			assert_int_equal(mask(r, edges + a, h), a / half == pod ? 1ULL << edge % half : up);
		for (u32 c = 0; c < half * half; c++)
			assert_int_equal(mask(r, 2 * edges + c, h), 1ULL << pod);
	}
}

static void routes_compute__fat_trees(void **state)
{
	char spec[32];

	for (u32 k = 2; k <= 16; k += 2) {
		struct routes r;
		struct topo *t;

		snprintf(spec, sizeof(spec), "fat-tree:k=%u", k);
		t = open_routes(spec, &r);
		assert_int_equal(r.n_hosts, t->n_hosts);
		assert_int_equal(r.n_switches, t->n_switches);
		check_fat_tree(&r, k);
		assert_int_equal(routes_max_hops(t, &r), 6);
		routes_free(&r);
		topo_free(t);
	}
}

/* 1106 bytes take 221200 ps at 40 Gb/s, 86 take 17200; six links of 2 us each way. */
static void routes_max_rtt__fat_tree(void **state)
{
	struct routes r;
	struct topo *t = open_routes("fat-tree:k=6,rate=40gbit,delay=2us", &r);

	assert_int_equal(routes_max_rtt(t, &r, 1106, 86), 25430400);
	assert_int_equal(routes_max_rtt(t, &r, 0, 0), 24000000);
	routes_free(&r);
	topo_free(t);
}

static void routes_max_rtt__star(void **state)
{
	struct routes r;
	struct topo *t = open_routes("star:n=3,rate=100gbit,delay=1us", &r);

	assert_int_equal(routes_max_hops(t, &r), 2);
	assert_int_equal(routes_max_rtt(t, &r, 1000, 100), 2 * (80000 + 1000000) + 2 * (8000 + 1000000));
	assert_int_equal(mask(&r, 0, 2), 1 << 2);
	routes_free(&r);
	topo_free(t);
}

/* No host talks to itself: the slow link counts once, not there and back to the same host. */
static void routes_max_rtt__one_slow_host(void **state)
{
	struct topo *t = parse("host h0\nhost h1\nswitch s0\n"
			       "link h0 s0 40gbit 9us\nlink h1 s0 40gbit 1us\n");
	struct routes r;

	assert_int_equal(routes_compute(t, &r, &err), 0);
	assert_int_equal(routes_max_rtt(t, &r, 0, 0), 2 * 10000000);
	routes_free(&r);
	topo_free(t);
}

/*
 *      s1 --- s2         two ways of two links, one of them doubled, from s0 to s3,
 *     /        \         and one of three links by s1-s2 that is never taken
 *   s0 ==s2    s3
 *     h0, h1     h2
 */
static const char mixed[] = "default 40gbit 2us\n"
			    "host h0\nhost h1\nhost h2\n"
			    "switch s0\nswitch s1\nswitch s2\nswitch s3\n"
			    "link s0 s1 10gbit 1us\n"  /* s0 port 0, s1 port 0 */
			    "link s0 s2\n"             /* s0 port 1, s2 port 0 */
			    "link s2 s0 100gbit 5us\n" /* s2 port 1, s0 port 2 */
			    "link s1 s2 1mbit 1ms\n"   /* s1 port 1, s2 port 2 */
			    "link s1 s3 40gbit 1us\n"  /* s1 port 2, s3 port 0 */
			    "link s2 s3\n"             /* s2 port 3, s3 port 1 */
			    "link h0 s0\n"             /* s0 port 3 */
			    "link h1 s0\n"             /* s0 port 4 */
			    "link h2 s3 100gbit\n";    /* s3 port 2 */

static void routes_compute__parallel_paths(void **state)
{
	static const u64 expected[4][3] = {
		{ 1 << 3, 1 << 4, 1 << 0 | 1 << 1 | 1 << 2 },
		{ 1 << 0, 1 << 0, 1 << 2 },
		{ 1 << 0 | 1 << 1, 1 << 0 | 1 << 1, 1 << 3 },
		{ 1 << 0 | 1 << 1, 1 << 0 | 1 << 1, 1 << 2 },
	};
	struct topo *t = parse(mixed);
	struct routes r;

	assert_int_equal(routes_compute(t, &r, &err), 0);
	for (u32 s = 0; s < 4; s++)
		for (u32 h = 0; h < 3; h++)
			assert_int_equal(mask(&r, s, h), expected[s][h]);
	assert_int_equal(routes_max_hops(t, &r), 4);
	routes_free(&r);
	topo_free(t);
}

/*
 * h0 to h2, 10000 bytes one way and 100 back. Ways out between s0 and s3:
 *   by s1:          8000000+1000000 + 2000000+1000000 = 12000000; back 80000+20000+2000000 = 2100000
 *   by s2, 40 Gb/s: 2 * (2000000+2000000)             =  8000000; back 2 * 2020000         = 4040000
 *   by s2, 100:     800000+5000000 + 2000000+2000000  =  9800000; back 8000+5000000+2020000 = 7028000
 * The frame's worst is by s1, its answer's by s2. Host links: 4000000 + 800000+2000000, and
 * 2020000 + 2008000. The long way s1-s2 of 1 Mb/s must not count.
 */
static void routes_max_rtt__each_way_has_its_own_path(void **state)
{
	struct topo *t = parse(mixed);
	struct routes r;

	assert_int_equal(routes_compute(t, &r, &err), 0);
	assert_int_equal(routes_max_rtt(t, &r, 10000, 100), 12000000 + 6800000 + 7028000 + 4028000);
	routes_free(&r);
	topo_free(t);
}

static void routes_compute__unreachable(void **state)
{
	struct topo *t = parse("default 40gbit 2us\n"
			       "host a\nhost b\nhost c\nhost d\nswitch x\nswitch y\n"
			       "link a x\nlink b x\nlink c y\nlink d y\n");
	struct routes r;

	assert_int_equal(routes_compute(t, &r, &err), -EINVAL);
	assert_string_equal(err.text, "hosts a and c: no path between them");
	assert_null(r.mask);
	routes_free(&r);
	topo_free(t);
}

/* Switches that no host can reach do no harm: nothing is routed through them. */
static void routes_compute__idle_island(void **state)
{
	struct topo *t = parse("default 40gbit 2us\nhost a\nhost b\nswitch x\nswitch y\nswitch z\n"
			       "link a x\nlink b x\nlink y z\n");
	struct routes r;

	assert_int_equal(routes_compute(t, &r, &err), 0);
	assert_int_equal(mask(&r, 0, 1), 2);
	assert_int_equal(mask(&r, 1, 0), 0);
	assert_int_equal(mask(&r, 2, 1), 0);
	assert_int_equal(routes_max_hops(t, &r), 2);
	assert_true(routes_max_rtt(t, &r, 1000, 100) > 0);
	routes_free(&r);
	topo_free(t);
}

/* A chain of switches with a host on each: distances add up, and hosts never forward. */
static void routes_compute__chain(void **state)
{
	enum { LENGTH = 100 };
	struct routes r;
	struct topo *t;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	fputs("default 40gbit 1ns\n", out);
	for (u32 i = 0; i < LENGTH; i++)
		fprintf(out, "host h%u\nswitch s%u\nlink h%u s%u\n", i, i, i, i);
	for (u32 i = 1; i < LENGTH; i++)
		fprintf(out, "link s%u s%u\n", i - 1, i);
	fclose(out);
	t = parse(text);
	assert_int_equal(routes_compute(t, &r, &err), 0);
	for (u32 s = 0; s < LENGTH; s++)
		for (u32 h = 0; h < LENGTH; h++) {
			u64 left = 2, right = s ? 4 : 2;

			assert_int_equal(mask(&r, s, h), h == s ? 1 : h < s ? left : right);
		}
	assert_int_equal(routes_max_hops(t, &r), LENGTH + 1);
	assert_int_equal(routes_max_rtt(t, &r, 1, 1), 2 * (LENGTH + 1) * 1200);
	routes_free(&r);
	topo_free(t);
	free(text);
}

/*
 *        s1        from s0 two ways to s2 of two links, one of one; by hand the longer ones can be taken
 *      /    \
 *   s0 ----- s2        ports: s0: h0, s1, s2, s3; s1: s0, s2; s2: h1, s1, s0, s3; s3: s0, s2
 *   h0 \    / h1
 *       s3
 */
#define DIAMOND                                                                                                        \
	"default 40gbit 2us\nhost h0\nhost h1\n"                                                                       \
	"switch s0\nswitch s1\nswitch s2\nswitch s3\n"                                                                 \
	"link h0 s0\nlink s0 s1 40gbit 1us\nlink s1 s2 10gbit 1us\n"                                                   \
	"link h1 s2\nlink s0 s2\nlink s0 s3\nlink s3 s2 40gbit 3us\n"

static void routes_compute__by_hand(void **state)
{
	struct topo *t = parse(DIAMOND "route s0 h1 p1 p3\n");
	struct routes r;

	assert_int_equal(routes_compute(t, &r, &err), 0);
	assert_true(mask(&r, 0, 1) == (1 << 1 | 1 << 3));
	assert_true(mask(&r, 0, 0) == 1 << 0); /* the other host's are as they were */
	assert_true(mask(&r, 1, 1) == 1 << 1);
	assert_true(mask(&r, 2, 0) == 1 << 2);
	assert_int_equal(routes_max_hops(t, &r), 4);
	/*
	 * A frame of 10000 bytes from h0 to h1: by s1, 3 * 2000000 + 8000000 + 6000000; by s3, 4 * 2000000 + 9000000.
	 * Its answer of 100 comes straight: 3 * (20000 + 2000000). The other way round it is the answer that goes by
	 * s1.
	 */
	assert_int_equal(routes_max_rtt(t, &r, 10000, 100), 20000000 + 6060000);
	assert_int_equal(routes_max_rtt(t, &r, 100, 10000), 20000000 + 6060000);
	routes_free(&r);
	topo_free(t);
}

static void routes_compute__by_hand_refused(void **state)
{
	static const char *const rows[][2] = {
		{ DIAMOND "route s1 h1 p0\nroute s0 h1 p1\n", "route: to host h1: frames could go round: s0 s1 s0" },
		/* One loop among the choices of ECMP is enough. */
		{ DIAMOND "route s2 h1 p1 p3\n", "route: to host h1: frames could go round: s2 s3 s2" },
		{ DIAMOND "route s2 h1 p0\nroute s1 h1 p0\nroute s0 h1 p3\n",
		  "route: to host h1: frames could go round: s0 s3 s2 s1 s0" },
		{ DIAMOND "switch a\nswitch b\nlink a b\nroute b h0 p0\n",
		  "route: b to host h0: leads to a, which has no path there" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct topo *t = parse(rows[i][0]);
		struct routes r;

		assert_int_equal(routes_compute(t, &r, &err), -EINVAL);
		assert_string_equal(err.text, rows[i][1]);
		assert_null(r.mask);
		topo_free(t);
	}
}

/* A message names the beginning and the end of a way that is too long for a line. */
static void routes_around__dead_links(void **state)
{
	struct topo *t = parse(DIAMOND);
	bool dead[7] = { false };
	struct routes r;

	assert_int_equal(routes_compute(t, &r, &err), 0);
	dead[4] = true; /* s0 s2 */
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_true(mask(&r, 0, 1) == (1 << 1 | 1 << 3));
	assert_true(mask(&r, 2, 0) == (1 << 0 | 1 << 3));
	dead[1] = dead[5] = true; /* s0 s1, s0 s3: s0 and h0 are alone */
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_int_equal(mask(&r, 0, 1), 0);
	assert_int_equal(mask(&r, 2, 0), 0);
	assert_int_equal(mask(&r, 0, 0), 1);
	assert_true(mask(&r, 3, 1) == 1 << 1);
	dead[0] = true; /* h0 s0 */
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_int_equal(mask(&r, 0, 0), 0);
	memset(dead, 0, sizeof(dead));
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_true(mask(&r, 0, 1) == 1 << 2);
	routes_free(&r);
	topo_free(t);
}

static void routes_around__by_hand(void **state)
{
	struct topo *t = parse(DIAMOND "route s0 h1 p1 p3\nroute s1 h1 p0 p1\nroute s0 h0 p0\n");
	bool dead[7] = { false };
	struct routes r;

	/* s0 and s1 send to each other: refused as it stands */
	assert_int_equal(routes_compute(t, &r, &err), -EINVAL);
	topo_free(t);
	t = parse(DIAMOND "route s0 h1 p1 p3\nroute s3 h1 p1\n");
	assert_int_equal(routes_compute(t, &r, &err), 0);
	dead[1] = true; /* s0 s1: the other port is left */
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_true(mask(&r, 0, 1) == 1 << 3);
	dead[5] = true; /* s0 s3: neither */
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_true(mask(&r, 0, 1) == 1 << 2);
	memset(dead, 0, sizeof(dead));
	dead[2] = true; /* s1 s2: s1 would send back to s0 */
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_true(mask(&r, 0, 1) == 1 << 2);
	assert_true(mask(&r, 1, 1) == 1 << 0);
	dead[2] = false;
	dead[3] = true; /* h1's own */
	assert_int_equal(routes_around(t, dead, &r), 0);
	for (u32 s = 0; s < 4; s++)
		assert_int_equal(mask(&r, s, 1), 0);
	dead[3] = false;
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_true(mask(&r, 0, 1) == (1 << 1 | 1 << 3));
	routes_free(&r);
	topo_free(t);
}

/* What is cut off keeps no ports, and its routes by hand do not cost the others theirs. */
static void routes_around__cut_off(void **state)
{
	struct topo *t = parse(DIAMOND "link s3 s2\nroute s0 h1 p1\nroute s3 h1 p2\n");
	bool dead[8] = { false };
	struct routes r;

	assert_int_equal(routes_compute(t, &r, &err), 0);
	dead[2] = dead[4] = dead[5] = true; /* s0 and s1 are left alone */
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_int_equal(mask(&r, 0, 1), 0);
	assert_int_equal(mask(&r, 1, 1), 0);
	assert_true(mask(&r, 3, 1) == 1 << 2);
	memset(dead, 0, sizeof(dead));
	dead[7] = true; /* the second of two links between the same switches */
	assert_int_equal(routes_around(t, dead, &r), 0);
	assert_true(mask(&r, 3, 1) == 1 << 1);
	routes_free(&r);
	topo_free(t);
}

static void routes_compute__long_loop(void **state)
{
	struct routes r;
	struct topo *t;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	fputs("default 40gbit 1ns\nhost h0\nhost h1\n", out);
	for (u32 i = 0; i < 200; i++)
		fprintf(out, "switch s%u\n", i);
	fputs("link h0 s0\nlink h1 s0\n", out);
	for (u32 i = 0; i < 200; i++)
		fprintf(out, "link s%u s%u\n", i, (i + 1) % 200);
	for (u32 i = 0; i < 200; i++)
		fprintf(out, "route s%u h0 p%u\n", i, i ? 1 : 2);
	fclose(out);
	t = parse(text);
	assert_int_equal(routes_compute(t, &r, &err), -EINVAL);
	assert_non_null(strstr(err.text, "route: to host h0: frames could go round: s0 s1 s2 "));
	assert_non_null(strstr(err.text, " ... s0"));
	topo_free(t);
	free(text);
}

static void routes_compute__rings(void **state)
{
	char spec[48];

	for (u32 n = 3; n <= 63; n += 15) {
		struct routes r;
		struct topo *t;

		snprintf(spec, sizeof(spec), "ring:n=%u,hosts=1", n);
		t = open_routes(spec, &r);
		for (u32 s = 0; s < n; s++)
			for (u32 h = 0; h < n; h++)
				assert_int_equal(mask(&r, s, h), s == h ? 1 : s ? 4 : 2);
		assert_int_equal(routes_max_hops(t, &r), n + 1);
		routes_free(&r);
		topo_free(t);
		snprintf(spec, sizeof(spec), "ring:n=%u,hosts=1,routes=shortest", n);
		t = open_routes(spec, &r);
		assert_int_equal(routes_max_hops(t, &r), n / 2 + 2);
		routes_free(&r);
		topo_free(t);
	}
}

/* 16 us of propagation; a frame of 1098 bytes on the wire and an ACK of 86 cross 40, 100, 100, 40 Gb/s. */
static void routes_max_rtt__melo(void **state)
{
	struct routes r;
	struct topo *t = open_routes("melo", &r);

	assert_int_equal(routes_max_rtt(t, &r, 0, 0), 16 * PS_PER_US);
	assert_int_equal(routes_max_rtt(t, &r, 1098, 86), 16 * PS_PER_US + 2 * (1098 + 86) * (200 + 80));
	assert_int_equal(routes_max_hops(t, &r), 4);
	routes_free(&r);
	topo_free(t);
}

static void routes_compute__table_too_large(void **state)
{
	struct topo *t;
	struct routes r;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	fputs("default 40gbit 1ns\n", out);
	for (u32 i = 0; i < 5000; i++)
		fprintf(out, "host h%u\nswitch s%u\nlink h%u s%u\n", i, i, i, i);
	fclose(out);
	t = parse(text);
	assert_int_equal(routes_compute(t, &r, &err), -EINVAL);
	assert_string_equal(err.text, "routes: 5000 switches times 5000 hosts: above 16777216");
	topo_free(t);
	free(text);
}

/* 1024 hosts, 320 switches: an "up" must not wait for it, even here under the sanitizers. */
static void routes_compute__quick(void **state)
{
	clock_t start = clock();
	struct routes r;
	struct topo *t = open_routes("fat-tree:k=16", &r);

	assert_int_equal(routes_max_rtt(t, &r, 1106, 86), 25430400);
	assert_int_equal(routes_max_hops(t, &r), 6);
	assert_true(clock() - start < 3 * CLOCKS_PER_SEC);
	routes_free(&r);
	topo_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(routes_compute__fat_trees),
		cmocka_unit_test(routes_max_rtt__fat_tree),
		cmocka_unit_test(routes_max_rtt__star),
		cmocka_unit_test(routes_max_rtt__one_slow_host),
		cmocka_unit_test(routes_compute__parallel_paths),
		cmocka_unit_test(routes_max_rtt__each_way_has_its_own_path),
		cmocka_unit_test(routes_compute__unreachable),
		cmocka_unit_test(routes_compute__idle_island),
		cmocka_unit_test(routes_compute__chain),
		cmocka_unit_test(routes_compute__by_hand),
		cmocka_unit_test(routes_compute__by_hand_refused),
		cmocka_unit_test(routes_around__dead_links),
		cmocka_unit_test(routes_around__by_hand),
		cmocka_unit_test(routes_around__cut_off),
		cmocka_unit_test(routes_compute__long_loop),
		cmocka_unit_test(routes_compute__rings),
		cmocka_unit_test(routes_max_rtt__melo),
		cmocka_unit_test(routes_compute__table_too_large),
		cmocka_unit_test(routes_compute__quick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
