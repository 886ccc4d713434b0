// SPDX-License-Identifier: GPL-2.0-or-later
/* Scenario files: a frozen configuration reads back as itself. fuzz: runs=3000 max_len=1024 */
#include "lab/config/cfg.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/cfg_file.h"

static int finish(struct run_cfg *c, const void *data, size_t size, struct err *err)
{
	FILE *in = fuzz_stream(data, size);
	int rc;

	cfg_defaults(c);
	rc = cfg_read(c, in, "fuzz", err);
	fclose(in);
	return rc ? rc : cfg_finish(c, err);
}

static char *print(const struct run_cfg *c, size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	CHECK(out);
	cfg_print(c, out);
	CHECK(!fclose(out));
	return text;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct run_cfg c, d;
	struct err err;
	size_t n, m;
	char *text, *again;

	if (finish(&c, data, size, &err)) {
		CHECK(!strchr(err.text, '\n'));
		return 0;
	}
	text = print(&c, &n);
	if (finish(&d, text, n, &err)) {
		fprintf(stderr, "refused when read back: %s\n%s", err.text, text);
		abort();
	}
	again = print(&d, &m);
	if (strcmp(text, again)) {
		fprintf(stderr, "%s\nreads back as\n%s", text, again);
		abort();
	}
	free(text);
	free(again);
	return 0;
}
