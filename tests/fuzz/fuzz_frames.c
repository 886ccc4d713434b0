// SPDX-License-Identifier: GPL-2.0-or-later
/* The switch's parser on any frame; bytes behind its end must not matter. fuzz: runs=60000 max_len=200 */
#include "bpf/parse.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 zeros[SLOT_SMALL] = { 0 }, ones[SLOT_SMALL];
	size_t n = size < SLOT_SMALL ? size : SLOT_SMALL;
	struct frame f, g;
	int rc;

	memset(ones, 0xff, sizeof(ones));
	memcpy(zeros, data, n);
	memcpy(ones, data, n);
	memset(&f, 0, sizeof(f));
	memset(&g, 0, sizeof(g));
	rc = parse_frame(zeros, (u32)size, &f);
	CHECK(parse_frame(ones, (u32)size, &g) == rc);
	if (!rc) {
		CHECK(!memcmp(&f, &g, sizeof(f)));
		CHECK(f.class < FAB_CLASSES);
		CHECK(f.dst == FAB_NONE || f.dst < 0xffffff);
	}
	return 0;
}
