// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run goes by, against numbers by hand. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "bpf/pfc.h"
#include "lab/run/computed.h"

/* The value of @name in a run with @words on a star of @links; NULL: it has none. */
static const char *value(const char *name, const char *links, const char *const *words)
{
	static struct run_result r;
	struct run_cfg cfg;
	struct topo *topo;
	struct plan f;
	struct err err;
	FILE *in = fmemopen((void *)links, strlen(links), "r");

	cfg_defaults(&cfg);
	assert_int_equal(topo_parse(in, "star", &topo, &err), 0);
	fclose(in);
	for (; *words; words++)
		assert_int_equal(cfg_set(&cfg, *words, &err), 0);
	assert_int_equal(cfg_finish(&cfg, &err), 0);
	assert_int_equal(plan_make(&f, &cfg, topo, &err), 0);
	computed_collect(&f, &r);
	plan_free(&f);
	topo_free(topo);
	for (u32 i = 0; i < r.n_computed; i++)
		if (!strcmp(r.computed[i].name, name))
			return r.computed[i].value;
	return NULL;
}

#define WORDS(...) ((const char *const[]){ "workload=incast", __VA_ARGS__, NULL })

static const char star[] = "default 40gbit 2us\nhost h0\nhost h1\nswitch s0\nlink h0 s0\nlink h1 s0\n";
static const char mixed[] = "default 40gbit 2us\nhost h0\nhost h1\nswitch s0\nlink h0 s0\nlink h1 s0 100gbit\n";

static void is(const char *got, u64 want)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", want);
	assert_non_null(got);
	assert_string_equal(got, text);
}

/* The headroom of the faster link, and the XOFF that leaves it. */
static void thresholds(void **state)
{
	u64 slow = pfc_headroom(200, 2000000, 1074), fast = pfc_headroom(80, 2000000, 1074);

	assert_true(fast > slow);
	is(value("headroom", star, WORDS("fc=pfc", "mtu=1000", "buffer=240KB")), slow);
	is(value("xoff", star, WORDS("fc=pfc", "mtu=1000", "buffer=240KB")), 240000 - slow);
	is(value("xoff", mixed, WORDS("fc=pfc", "mtu=1000", "buffer=240KB")), 240000 - fast);
	is(value("headroom", star, WORDS("fc=pfc", "mtu=1000", "buffer=240KB", "xoff=100KB")), 140000);
	assert_null(value("xoff", star, WORDS("fc=none")));
}

/* Given values stand as given; IRN's have a cap, and go-back-N none. */
static void timers(void **state)
{
	assert_string_equal(value("rto_high", star, WORDS("rto_high=500us")), "500us");
	assert_string_equal(value("stuck_after", star, WORDS("stuck_after=123ms")), "123ms");
	assert_string_equal(value("stuck_after", star, WORDS("stuck_after=auto")), "100ms"); /* the least */
	assert_string_equal(value("cap", star, WORDS("transport=irn", "cap=7")), "7");
	assert_string_equal(value("rto_low", star, WORDS("transport=irn", "rto_low=90us")), "90us");
	assert_null(value("cap", star, WORDS("transport=roce")));
}

/*
 * One flow alone fills its 40 Gb/s with as many packets as are sent until its first ACK is back: 4 links of 2 us,
 * 1098 + 1082 (store and forward) and 2 x 84 bytes of frames and gaps at 200 ps.
 */
static void cap(void **state)
{
	u64 rtt = 4 * 2000000 + (2 * 1098 + 2 * 84) * 200, packet = 1082 * 200;
	const char *got = value("cap", star, WORDS("transport=irn", "mtu=1000"));

	is(got, 1 + (rtt - 1098 * 200 + packet - 1) / packet);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(thresholds), cmocka_unit_test(timers),
					    cmocka_unit_test(cap) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
