// SPDX-License-Identifier: GPL-2.0-or-later
/* Workload files: flows in range and in order, which read the same once written. fuzz: runs=10000 max_len=512 */
#include "lab/workload/workload.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/workload_csv.h"

#define HOSTS 6

static int make(const u8 *data, size_t size, struct flow **flows, u32 *n, struct err *err)
{
	static const u32 host_ps[HOSTS] = { 200, 200, 200, 200, 200, 200 };
	static const char *const names[HOSTS] = { "h0", "h1", "h2", "a", "b-c", "d" };
	struct workload_spec spec = { .seed = 1, .host_names = names };
	char text[128];

	snprintf(text, sizeof(text), "file:%s", fuzz_file(data, size));
	spec.text = text;
	return workload_make(&spec, HOSTS, host_ps, flows, n, err);
}

static void reads_back(const struct flow *flows, u32 n)
{
	struct flow *again;
	struct err err;
	char *text = NULL;
	size_t size;
	u32 m;
	FILE *out = open_memstream(&text, &size);

	CHECK(out && !workload_write_csv(flows, n, out) && !fclose(out));
	CHECK(!make((const u8 *)text, size, &again, &m, &err));
	CHECK(m == n);
	for (u32 i = 0; i < n; i++) {
		const struct flow *f = &flows[i], *g = &again[i];

		CHECK(f->id == g->id && f->src == g->src && f->dst == g->dst && f->bytes == g->bytes);
		CHECK(f->start_ps == g->start_ps && f->op == g->op && f->class == g->class);
	}
	free(text);
	free(again);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct flow *flows;
	struct err err;
	u32 n;

	if (make(data, size, &flows, &n, &err)) {
		CHECK(!flows && !strchr(err.text, '\n'));
		return 0;
	}
	for (u32 i = 0; i < n; i++) {
		const struct flow *f = &flows[i];

		CHECK(f->id < n && f->src < HOSTS && f->dst < HOSTS && f->src != f->dst && f->class < 8);
		CHECK(f->bytes && f->bytes <= WORKLOAD_BYTES_MAX && f->start_ps <= WORKLOAD_START_MAX);
		CHECK(!i || f[-1].start_ps <= f->start_ps);
	}
	reads_back(flows, n);
	free(flows);
	return 0;
}
