// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of faults: a plan in order of time, about ports that exist. fuzz: runs=1500 max_len=512 */
#include "lab/plan/plan.h"
#include "tests/fuzz/fuzz.h"

static const char text[] = "default 40gbit 2us\nhost h0\nhost h1\nhost h2\nswitch s0\nswitch s1\n"
			   "link h0 s0\nlink h1 s1\nlink h2 s1\nlink s0 s1\nlink s0 s1\n";

static void check(const struct plan *f)
{
	CHECK(f->faults.n <= FAULTS_MAX);
	for (u32 i = 0; i < f->faults.n; i++) {
		const struct fault *x = &f->faults.list[i];

		CHECK(x->kind < FAULT_KINDS && (!i || x[-1].at <= x->at));
		CHECK(x->port & FAULT_HOST ? (x->port & ~FAULT_HOST) < f->size.hosts : x->port < f->size.ports);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct run_cfg cfg;
	static struct topo *topo;
	struct err err;
	struct plan f;
	char word[128];

	if (!topo) {
		FILE *in = fuzz_stream(text, strlen(text));

		CHECK(!topo_parse(in, "two", &topo, &err));
		fclose(in);
	}
	snprintf(word, sizeof(word), "fault_file=%s", fuzz_file(data, size));
	cfg_defaults(&cfg);
	CHECK(!cfg_set(&cfg, "workload=incast", &err) && !cfg_set(&cfg, "transport=roce", &err));
	CHECK(!cfg_set(&cfg, word, &err) && !cfg_finish(&cfg, &err));
	if (!plan_make(&f, &cfg, topo, &err))
		check(&f);
	else
		CHECK(!strchr(err.text, '\n'));
	plan_free(&f);
	return 0;
}
