// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of flow sizes: sizes within the distribution's range. fuzz: runs=1000 max_len=256 */
#include "lab/workload/workload.h"
#include "tests/fuzz/fuzz.h"

#define HOSTS 4

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u32 host_ps[HOSTS] = { 200, 200, 200, 200 };
	static struct run_cfg cfg;
	struct flow *flows;
	struct err err;
	char word[128];
	u32 n;

	snprintf(word, sizeof(word), "workload=cdf:%s", fuzz_file(data, size));
	cfg_defaults(&cfg);
	CHECK(!cfg_set(&cfg, word, &err) && !cfg_set(&cfg, "flows=20", &err) && !cfg_finish(&cfg, &err));
	if (workload_make(&cfg, HOSTS, host_ps, &flows, &n, &err)) {
		CHECK(!flows && !strchr(err.text, '\n'));
		return 0;
	}
	CHECK(n && n <= 20);
	for (u32 i = 0; i < n; i++)
		CHECK(flows[i].bytes && flows[i].bytes <= WORKLOAD_BYTES_MAX && flows[i].src != flows[i].dst);
	free(flows);
	return 0;
}
