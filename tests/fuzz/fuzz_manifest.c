// SPDX-License-Identifier: GPL-2.0-or-later
/* Manifests, which root acts on: only names of this lab's come out. fuzz: runs=15000 max_len=1024 */
#include "lab/netlab/manifest.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct err err;
	struct manifest m;

	if (manifest_read(&m, path, "lab", &err)) {
		CHECK(!m.ns && !m.n_ns && !strchr(err.text, '\n'));
		return 0;
	}
	CHECK(!strcmp(m.name, "lab") && m.n_ns && m.n_ns <= MANIFEST_NS_MAX);
	for (u32 i = 0; i < m.n_ns; i++)
		CHECK(!strncmp(m.ns[i], "lab-", 4) && !strchr(m.ns[i], '/') && m.ns[i][4] && m.ns[i][4] != '.');
	manifest_free(&m);
	return 0;
}
