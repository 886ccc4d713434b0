// SPDX-License-Identifier: GPL-2.0-or-later
/* Which samples are passed over while nothing happens: none that would have a row. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "lab/run/sample.h"

#define NS PS_PER_NS
#define CLASS 3

static const char text[] = "default 40gbit 2us\nhost h0\nhost h1\nswitch s0\nlink h0 s0\nlink h1 s0\n";

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct plan f;
	struct port ports[2];
	struct host_view hosts[2];
	struct plan_memory m;
	struct sampler s;
} w;

/* Samples every 10 ns of two ports where nothing has happened; class CLASS has a transmitter that can be paused. */
static int set_up(void **state)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	char dir[] = "/tmp/losslab-sample-XXXXXX", word[64];
	struct err err;
	int rc;

	memset(&w, 0, sizeof(w));
	cfg_defaults(&w.cfg);
	if (!in || !mkdtemp(dir))
		return -1;
	snprintf(word, sizeof(word), "out=%s", dir);
	rc = topo_parse(in, "one", &w.topo, &err) || cfg_set(&w.cfg, "workload=incast", &err) ||
		cfg_set(&w.cfg, "sample=10ns", &err) || cfg_set(&w.cfg, word, &err) || cfg_finish(&w.cfg, &err) ||
		plan_make(&w.f, &w.cfg, w.topo, &err);
	fclose(in);
	if (!rc)
		rc = sampler_start(&w.s, &w.f);
	rmdir(dir); /* the file in it has no name */
	for (u32 i = 0; i < 2; i++) {
		w.ports[i].cfg = w.f.ports[i];
		for (u32 c = 0; c < FAB_CLASSES; c++)
			w.ports[i].pause.since[c] = TIME_NEVER;
	}
	w.m.ports = w.ports;
	return rc;
}

static int tear_down(void **state)
{
	sampler_free(&w.s);
	plan_free(&w.f);
	topo_free(w.topo);
	return 0;
}

static void take(u64 at, u64 idle)
{
	assert_int_equal(sampler_next(&w.s), at);
	sampler_take(&w.s, &w.f, &w.m, w.hosts, idle);
}

/* Rows so far, without the line of names. */
static u32 rows(void)
{
	char line[256];
	u32 n = 0;

	assert_int_equal(fseek(w.s.out, 0, SEEK_SET), 0);
	while (fgets(line, sizeof(line), w.s.out))
		n++;
	return n - 1;
}

/* What happens at an instant comes after the sample of that instant: the next one may see it. */
static void idle__is_passed_over(void **state)
{
	take(10 * NS, 10 * NS);
	take(20 * NS, 20 * NS + 1);
	take(30 * NS, 40 * NS - 1);
	take(40 * NS, 70 * NS);
	take(80 * NS, 5000000007 * NS);
	assert_int_equal(sampler_next(&w.s), 5000000010 * NS);
	assert_int_equal(rows(), 0);
}

/* A row tells of it, at the first sample that no longer finds the port paused; no event is needed for that. */
static void pause__that_runs_out_is_not(void **state)
{
	w.ports[1].pause.since[CLASS] = 2 * NS;
	w.ports[1].pause.until[CLASS] = 50 * NS; /* a sample's instant */
	take(10 * NS, 900 * NS);
	assert_int_equal(rows(), 1);
	take(50 * NS, 900 * NS);
	assert_int_equal(rows(), 2);
	assert_int_equal(sampler_next(&w.s), 910 * NS);
}

static void pause__the_first_to_run_out_counts(void **state)
{
	for (u32 i = 0; i < 2; i++)
		for (u32 c = 0; c < FAB_CLASSES; c++) {
			w.ports[i].pause.since[c] = 2 * NS;
			w.ports[i].pause.until[c] = TIME_NEVER; /* for want of credits */
		}
	w.ports[0].pause.until[CLASS] = 50 * NS + 1;
	w.ports[0].pause.until[CLASS + 1] = 300 * NS;
	w.ports[1].pause.until[0] = 300 * NS - 1;
	take(10 * NS, 900 * NS);
	take(60 * NS, 900 * NS);
	take(300 * NS, 900 * NS);
	assert_int_equal(sampler_next(&w.s), 910 * NS);
	assert_int_equal(rows(), 5); /* both ports, one of them, both */
}

/* It runs out behind the next event, which may prolong it. */
static void pause__beyond_the_next_event(void **state)
{
	w.ports[0].pause.since[CLASS] = 2 * NS;
	w.ports[0].pause.until[CLASS] = 500 * NS;
	take(10 * NS, 95 * NS);
	assert_int_equal(sampler_next(&w.s), 100 * NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(idle__is_passed_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pause__that_runs_out_is_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pause__the_first_to_run_out_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pause__beyond_the_next_event, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
