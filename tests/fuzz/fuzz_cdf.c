// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of flow sizes: sizes within the distribution's range. fuzz: runs=10000 max_len=256 */
#include "lab/workload/workload.h"
#include "tests/fuzz/fuzz.h"

#define HOSTS 4

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u32 host_ps[HOSTS] = { 200, 200, 200, 200 };
	struct workload_spec spec = { .seed = 1, .load_ppb = 700000000, .mtu = 1000, .message = 1000, .flows = 20 };
	struct flow *flows;
	struct err err;
	char text[128];
	u32 n;

	snprintf(text, sizeof(text), "cdf:%s", fuzz_file(data, size));
	spec.text = text;
	if (workload_make(&spec, HOSTS, host_ps, &flows, &n, &err)) {
		CHECK(!flows && !strchr(err.text, '\n'));
		return 0;
	}
	CHECK(n && n <= 20);
	for (u32 i = 0; i < n; i++)
		CHECK(flows[i].bytes && flows[i].bytes <= WORKLOAD_BYTES_MAX && flows[i].src != flows[i].dst);
	free(flows);
	return 0;
}
