// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel engine while something writes at random into what it shares with the programs: an error, never a crash. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "lab/engine/engine.h"
#include "lab/netlab/netlab.h"
#include "lab/run/collect.h"

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct plan f;
	struct engine *e;
	char lab[32], dir[64];
	bool over;
} w;

static void set_up(void)
{
	static const char text[] = "default 40gbit 2us\nhost h0\nhost h1\nhost h2\nswitch s0\nlink h0 s0\nlink h1 s0\n"
				   "link h2 s0\n";
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct err err;
	int rc;

	memset(&w, 0, sizeof(w));
	snprintf(w.dir, sizeof(w.dir), "/tmp/losslab-kernel-XXXXXX");
	assert_non_null(mkdtemp(w.dir));
	setenv("LOSSLAB_RUN_DIR", w.dir, 1);
	setenv("LOSSLAB_CHAOS", "0,300", 1); /* frames that a scribbled list never sent are not waited for long */
	snprintf(w.lab, sizeof(w.lab), "tk%d", (int)getpid());
	cfg_defaults(&w.cfg);
	assert_non_null(in);
	assert_int_equal(topo_parse(in, "star", &w.topo, &err), 0);
	fclose(in);
	if (cfg_set(&w.cfg, "workload=permutation", &err) || cfg_set(&w.cfg, "bytes=100MB", &err) ||
	    cfg_finish(&w.cfg, &err) || plan_make(&w.f, &w.cfg, w.topo, &err) || netlab_up(w.lab, w.topo, &err))
		fail_msg("%s", err.text);
	w.e = kernel_new(&w.f, w.lab, &rc, &err);
	if (!w.e)
		fail_msg("%s", err.text);
}

static int tear_down(void **state)
{
	struct err err;

	if (!*w.lab)
		return 0;
	if (w.e)
		w.e->ops->destroy(w.e);
	netlab_down(w.lab, NETLAB_DOWN_ANYWAY, &err);
	plan_free(&w.f);
	topo_free(w.topo);
	rmdir(w.dir);
	return 0;
}

static void scribble_emissions(u32 value)
{
	for (u32 i = 0; i < w.f.size.emissions; i++)
		__atomic_store_n(&w.e->mem.emissions[i].port, value, __ATOMIC_RELAXED);
}

static void scribble_counts(u32 value)
{
	struct fab_state *st = w.e->mem.state;

	__atomic_store_n(&st->n_emit, value, __ATOMIC_RELAXED);
	__atomic_store_n(&st->emitted, value, __ATOMIC_RELAXED);
	__atomic_store_n(&st->n_chunks, value, __ATOMIC_RELAXED);
	for (u32 i = 0; i < FAB_CHUNKS; i++)
		__atomic_store_n(&st->chunk_end[i], value, __ATOMIC_RELAXED);
}

static void scribble_slots(u32 value)
{
	for (u32 n = 0; n < w.f.size.ports; n++) {
		w.e->mem.ports[n].cfg.arrq_base = w.e->mem.ports[n].cfg.arrq_mask = value;
		w.e->mem.ports[n].cfg.free_size[0] = w.e->mem.ports[n].cfg.free_size[1] = value;
	}
	w.e->mem.state->free_top[0] = w.e->mem.state->free_top[1] = value;
}

static void *scribble(void *what)
{
	void (*const write)(u32 value) = *(void (*const *)(u32))what;
	struct rng r = rng_stream(7, RNG_SIZE, 0);

	while (!__atomic_load_n(&w.over, __ATOMIC_ACQUIRE))
		write((u32)rng_next(&r) >> rng_below(&r, 32));
	return NULL;
}

static void scribbled(void (*what)(u32 value))
{
	struct conductor c = { 0 };
	pthread_t thread;
	int rc;

	if (geteuid())
		skip();
	set_up();
	c.engine = w.e;
	assert_int_equal(pthread_create(&thread, NULL, scribble, &what), 0);
	rc = conductor_run(&c);
	__atomic_store_n(&w.over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_true(rc < 0);
	print_message("  %s\n", w.e->err.text);
	conductor_free(&c);
}

static void scribbled__emissions(void **state)
{
	scribbled(scribble_emissions);
}

static void scribbled__counts(void **state)
{
	scribbled(scribble_counts);
}

static void scribbled__slots(void **state)
{
	scribbled(scribble_slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(scribbled__emissions, tear_down),
		cmocka_unit_test_teardown(scribbled__counts, tear_down),
		cmocka_unit_test_teardown(scribbled__slots, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
