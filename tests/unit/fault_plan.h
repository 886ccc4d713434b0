/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two hosts, two switches in a row, and a run of faults planned for them. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "lab/plan/plan.h"

#define US PS_PER_US

static const char text[] = "default 40gbit 2us\nhost h0\nhost h1\nswitch s0\nswitch s1\nlink h0 s0\nlink h1 s1\n"
			   "link s0 s1\n"; /* lab-wide ports: s0 0 1, s1 2 3 */

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct plan f;
	struct err err;
} w;

static inline int plan(const char *faults, const char *key)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	char word[CFG_STR + 32];

	memset(&w, 0, sizeof(w));
	cfg_defaults(&w.cfg);
	assert_int_equal(topo_parse(in, "two", &w.topo, &w.err), 0);
	fclose(in);
	assert_int_equal(cfg_set(&w.cfg, "workload=incast", &w.err), 0);
	assert_int_equal(cfg_set(&w.cfg, "transport=roce", &w.err), 0);
	if (key)
		assert_int_equal(cfg_set(&w.cfg, key, &w.err), 0);
	snprintf(word, sizeof(word), "fault=%s", faults);
	assert_int_equal(cfg_set(&w.cfg, word, &w.err), 0);
	assert_int_equal(cfg_finish(&w.cfg, &w.err), 0);
	return plan_make(&w.f, &w.cfg, w.topo, &w.err);
}

static inline void drop_plan(void)
{
	plan_free(&w.f);
	topo_free(w.topo);
}

static inline void planned(const char *faults, const char *key)
{
	if (plan(faults, key))
		fail_msg("%s", w.err.text);
}
