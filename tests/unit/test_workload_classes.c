// SPDX-License-Identifier: GPL-2.0-or-later
/* The traffic classes of flows: drawn for generated ones, read from files. */
#include "tests/unit/cfg_words.h"

#include <string.h>
#include <unistd.h>

#include "lab/plan/plan_workload.h"

#define HOSTS 16

static u32 host_ps[HOSTS];
static char path[] = "/tmp/losslab-test-classes-XXXXXX";

static struct flow *make(const struct run_cfg *c, u32 *n)
{
	struct workload_spec w = plan_workload(c);
	struct flow *flows;

	if (workload_make(&w, HOSTS, host_ps, &flows, n, &err))
		fail_msg("%s", err.text);
	return flows;
}

static void put_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static struct run_cfg of_file(void)
{
	char word[128];

	snprintf(word, sizeof(word), "workload=file:%s", path);
	return finish(SET(word, "class=6"));
}

/* class_mix= changes the classes and nothing else; without it all are of class=. */
static void generators__draw(void **state)
{
	static const char *const workloads[] = { "workload=heavy-tailed", "workload=websearch", "workload=incast",
						 "workload=permutation" };

	for (u32 i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
		struct run_cfg c = finish(SET(workloads[i], "class=2")),
			       d = finish(SET(workloads[i], "class_mix=0,7,3"));
		u32 n, m, seen = 0;
		struct flow *f = make(&c, &n), *g = make(&d, &m);

		assert_int_equal(n, m);
		for (u32 k = 0; k < n; k++) {
			assert_int_equal(f[k].class, 2);
			seen |= 1 << g[k].class;
			g[k].class = 2;
		}
		assert_int_equal(seen, 1 << 0 | 1 << 3 | 1 << 7);
		assert_memory_equal(f, g, n * sizeof(*f));
		free(f);
		free(g);
	}
}

/* Each equally likely, whatever the flow before has; by the seed; a flow's own draw, however many there are. */
static void generators__draw_fairly(void **state)
{
	struct run_cfg c = finish(SET("class_mix=1,4,5", "flows=30000")),
		       few = finish(SET("class_mix=1,4,5", "flows=100"));
	struct run_cfg other = finish(SET("class_mix=1,4,5", "flows=30000", "seed=2"));
	u32 n, m, l, count[CFG_CLASSES] = { 0 }, pairs[CFG_CLASSES][CFG_CLASSES] = { 0 }, same = 0;
	struct flow *f = make(&c, &n), *g = make(&few, &m), *o = make(&other, &l);

	for (u32 i = 0; i < n; i++) {
		assert_int_equal(f[i].id, i);
		count[f[i].class]++;
		if (i)
			pairs[f[i - 1].class][f[i].class]++;
		if (i < m)
			assert_int_equal(f[i].class, g[i].class);
		same += f[i].class == o[i].class;
	}
	assert_int_equal(count[1] + count[4] + count[5], n);
	for (u32 a = 1; a <= 5; a += a == 1 ? 3 : 1) {
		assert_in_range(count[a], 9600, 10400); /* sigma: 82 */
		for (u32 b = 1; b <= 5; b += b == 1 ? 3 : 1)
			assert_in_range(pairs[a][b], 3050, 3620); /* sigma: 54 */
	}
	assert_in_range(same, 9600, 10400);
	free(f);
	free(g);
	free(o);
}

#define HEAD "id,src,dst,bytes,start_ns"

/* With op or without; empty is class=. */
static void file__classes(void **state)
{
	struct run_cfg c = of_file();
	struct flow *f;
	u32 n;

	put_file(HEAD ",class\n0,0,1,7,0,0\r\n1,0,1,7,0,\n2,0,1,7,0,7");
	f = make(&c, &n);
	assert_true(n == 3 && f[0].class == 0 && f[1].class == 6 && f[2].class == 7);
	free(f);
	put_file(HEAD ",op,class\n0,0,1,7,0,read,5\n1,0,1,7,0,send,\n");
	f = make(&c, &n);
	assert_true(n == 2 && f[0].class == 5 && f[0].op == FLOW_READ && f[1].class == 6 && f[1].op == FLOW_SEND);
	free(f);
	put_file(HEAD ",op\n0,0,1,7,0,read\n");
	f = make(&c, &n);
	assert_true(n == 1 && f[0].class == 6 && f[0].op == FLOW_READ);
	free(f);
}

static void file__refuses(void **state)
{
	static const char *const bad[][2] = {
		{ HEAD ",class\n0,0,1,1,0,8\n", ":2: class '8' is not a class; allowed: 0..7, or nothing for that of" },
		{ HEAD ",class\n0,0,1,1,0,-1\n", ":2: class '-1' is not a class" },
		{ HEAD ",class\n0,0,1,1,0, 3\n", ":2: class ' 3' is not a class" },
		{ HEAD ",class\n0,0,1,1,0\n", ":2: 5 columns instead of 6: " HEAD ",class" },
		{ HEAD ",op,class\n0,0,1,1,0,write\n", ":2: 6 columns instead of 7: " HEAD ",op,class" },
		{ HEAD ",op,class\n0,0,1,1,0,3,write\n", ":2: op '3' is unknown" },
		{ HEAD ",class,op\n0,0,1,1,0,3,write\n", ":1:" },
		{ HEAD ",classes\n0,0,1,1,0,3\n", "perhaps with ,op or ,class or ,op,class" },
	};
	struct run_cfg c = of_file();
	struct workload_spec w = plan_workload(&c);

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct flow *f;
		u32 n;

		put_file(bad[i][0]);
		assert_true(workload_make(&w, HOSTS, host_ps, &f, &n, &err) < 0);
		assert_says(bad[i][1]);
	}
}

/* A file says itself of which class its flows are. */
static void finish__refuses(void **state)
{
	struct run_cfg c = SET("workload=file:x", "class_mix=3,5");

	assert_true(cfg_finish(&c, &err) < 0);
	assert_says("class_mix=3,5: workload=file:x sets the class of each flow; allowed: with generated");
	finish(SET("workload=file:x", "class_mix=none"));
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	for (u32 i = 0; i < HOSTS; i++)
		host_ps[i] = 200;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generators__draw), cmocka_unit_test(generators__draw_fairly),
		cmocka_unit_test(file__classes),    cmocka_unit_test(file__refuses),
		cmocka_unit_test(finish__refuses),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
