// SPDX-License-Identifier: GPL-2.0-or-later
/* losslab run --costs: header bytes by the formats, state by the papers (docs/reference.md, 1.8, 3.6). */
#include "tests/unit/cfg_words.h"

#include <stdlib.h>

#include "agent/recovery/melo_pool.h"
#include "agent/recovery/recovery.h"
#include "lab/cmd/run_costs.h"

static char *table(struct run_cfg c)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	assert_int_equal(run_costs(&c, f), 0);
	fclose(f);
	return text;
}

/*
 * Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4: 58. RETH 16, AETH 4, three holes 12. TCP 20, MPA 2, DDP 14, CRC 4 make
 * 74 of a segment; an ACK of TCP is 54, padded to Ethernet's 60, and 28 longer with three SACK blocks.
 */
static void costs__headers(void **state)
{
	static const char *const rows[] = {
		"\nroce                74      58      58      74      62      62\n"
		"  reth=all          74      74      74      74      62      62\n",
		"\nirn                 74      58      58      74      62      62\n",
		"\nmelo                74      58      58      74      62      74\n",
		"\niwarp               74      74      74      74      60      82\n",
	};
	char *text = table(SET("mtu=1000"));

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_non_null(strstr(text, rows[i]));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_in_range(strlen(line), 1, 80);
	free(text);
}

/* IRN: 52 + 52 + 56 bits and five bitmaps of 128. MELO: 23 bytes of 300 connections with pools of 1 Kb. */
static void costs__state(void **state)
{
	static const struct {
		const char *name;
		u32 bytes;
		bool unverified;
	} want[] = { { "irn", 100, true }, { "irn-nobdp", 20, true }, { "melo", 23, false }, { "roce", 0, false } };
	char *text = table(SET("mtu=1000"));

	for (u32 i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct recovery_ops *ops = recovery_find(want[i].name);
		u32 bits = 0;

		for (u32 k = 0; k < RECOVERY_COSTS && ops->costs[k].what; k++) {
			bits += ops->costs[k].bits;
			assert_int_equal(ops->costs[k].unverified, want[i].unverified);
		}
		assert_int_equal((bits + 7) / 8, want[i].bytes);
	}
	assert_int_equal((melo_bytes_per_connection_x100(1024, 300) + 99) / 100, 23);
	assert_non_null(strstr(text, "800  in all: 100 bytes; here "));
	assert_non_null(strstr(text, "181  in all: 23 bytes; here "));
	assert_non_null(strstr(text, "five bitmaps of 128 bits (unverified)\n"));
	assert_non_null(strstr(text, "-  nothing more; here "));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(costs__headers), cmocka_unit_test(costs__state) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
