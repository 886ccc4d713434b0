// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON with exact numbers: the digits arrive as they are, and no text is taken for a number. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lab/records/json_exact.h"

static char text[1024];

static const char *written(json_t *root)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_int_equal(json_write(root, 0, out), 0);
	fclose(out);
	return text;
}

static void numbers__exact(void **state)
{
	assert_string_equal(written(json_exact(1500, 3)), "1.500\n");
	assert_string_equal(written(json_exact(0, 6)), "0.000000\n");
	assert_string_equal(written(json_exact(~0ULL, 0)), "18446744073709551615\n");
	assert_string_equal(written(json_exact(9007199254740993ULL, 3)), "9007199254740.993\n"); /* no double has it */
}

/* What JSON does not take for a number is a text. */
static void numbers__or_text(void **state)
{
	static const struct {
		const char *cell, *want;
	} cases[] = {
		{ "0", "0\n" },
		{ "12.050", "12.050\n" },
		{ "007", "\"007\"\n" },
		{ "1.", "\"1.\"\n" },
		{ ".5", "\".5\"\n" },
		{ "", "\"\"\n" },
		{ "-1", "\"-1\"\n" },
		{ "1e3", "\"1e3\"\n" },
		{ "s0", "\"s0\"\n" },
		{ "1.2.3", "\"1.2.3\"\n" },
		{ "123456789012345678901234567890123456789012345678",
		  "\"123456789012345678901234567890123456789012345678\"\n" },
	};

	for (u32 i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(written(json_number_or_text(cases[i].cell)), cases[i].want);
}

/* The byte that marks a number is no part of a text, wherever it stands, and quotes stay quoted. */
static void texts__are_texts(void **state)
{
	json_t *o = json_object();

	assert_string_equal(written(json_text("\x01"
					      "12")),
			    "\"?12\"\n");
	assert_string_equal(written(json_text("a\"\x01"
					      "12")),
			    "\"a\\\"?12\"\n");
	assert_string_equal(written(json_text("\\u00011")), "\"\\\\u00011\"\n");
	assert_string_equal(written(json_text("\xff!")), "\"?!\"\n");
	assert_string_equal(written(json_text("\xc3\xa9")), "\"\xc3\xa9\"\n");
	json_object_set_new(o, "a", json_exact(5, 1));
	json_object_set_new(o, "b", json_text("x"));
	json_object_set_new(o, "c", json_exact(7, 0));
	assert_string_equal(written(o), "{\"a\": 0.5, \"b\": \"x\", \"c\": 7}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers__exact),
		cmocka_unit_test(numbers__or_text),
		cmocka_unit_test(texts__are_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
