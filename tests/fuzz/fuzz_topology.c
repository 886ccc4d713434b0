// SPDX-License-Identifier: GPL-2.0-or-later
/* Topology files: what is read prints as a file that reads the same, and routes. fuzz: runs=15000 max_len=1024 */
#include "tests/fuzz/fuzz.h"
#include "topo/topo.h"

static char *print(const struct topo *t, size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	CHECK(out && !topo_print(t, out) && !fclose(out));
	return text;
}

static void reads_back(const struct topo *t)
{
	size_t n, m;
	char *text = print(t, &n), *again;
	FILE *in = fuzz_stream(text, n);
	struct topo *u;
	struct err err;

	CHECK(!topo_parse(in, "printed", &u, &err));
	fclose(in);
	again = print(u, &m);
	CHECK(n == m && !memcmp(text, again, n));
	topo_free(u);
	free(text);
	free(again);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	FILE *in = fuzz_stream(data, size);
	struct routes routes;
	struct topo *t;
	struct err err;
	int rc = topo_parse(in, "fuzz", &t, &err);

	fclose(in);
	if (rc) {
		CHECK(!t && !strchr(err.text, '\n'));
		return 0;
	}
	reads_back(t);
	if (!routes_compute(t, &routes, &err)) {
		CHECK(t->n_hosts < 2 || routes_max_hops(t, &routes) > 0);
		routes_free(&routes);
	}
	topo_free(t);
	return 0;
}
