// SPDX-License-Identifier: GPL-2.0-or-later
/* Rates, times, sizes and probabilities: exact, or refused with a reason. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "topo/topo.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))

static struct err err;

static void check_refusal(int rc, const char *text, const char *part)
{
	if (rc != -EINVAL || !strstr(err.text, part))
		fail_msg("'%s': rc %d, '%s' does not say '%s'", text, rc, err.text, part);
	assert_null(strchr(err.text, '\n'));
}

static void unit_rate__exact(void **state)
{
	static const struct {
		const char *text;
		u32 ps;
	} rows[] = {
		{ "40gbit", 200 },       { "100gbit", 80 },    { "400gbit", 20 },         { "10mbit", 800000 },
		{ "1gbit", 8000 },       { "25gbit", 320 },    { "2.5gbit", 3200 },       { "0.04tbit", 200 },
		{ "8tbit", 1 },          { "40000mbit", 200 }, { "40Gbit", 200 },         { "40.000gbit", 200 },
		{ "2kbit", 4000000000 }, { "800gbit", 10 },    { "1000000000bit", 8000 },
	};
	u32 ps;

	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(unit_rate(rows[i].text, &ps, &err), 0);
		assert_int_equal(ps, rows[i].ps);
	}
}

static void unit_rate__refused(void **state)
{
	static const char *const rows[][2] = {
		{ "60gbit", "rate 60gbit: not a whole number of ps per byte: the nearest are 50gbit and 62500mbit" },
		{ "41gbit", "the nearest are 40gbit and 50gbit" },
		{ "39999999999bit", "and 40gbit" },
		{ "0gbit", "rate 0gbit: must be above 0" },
		{ "40", "rate 40: no unit: say bit, kbit, mbit, gbit or tbit" },
		{ "40gb", "unknown unit 'gb'" },
		{ "40 gbit", "unknown unit ' gbit'" },
		{ "gbit", "rate 'gbit': not a number" },
		{ "", "rate '': not a number" },
		{ "-1gbit", "not a number" },
		{ "+1gbit", "not a number" },
		{ ".5gbit", "not a number" },
		{ "5.gbit", "not a number" },
		{ "1.5.5gbit", "unknown unit '.5gbit'" },
		{ "1.5bit", "finer than 1 bit/s" },
		{ "16tbit", "rate 16tbit: too fast: the limit is 8tbit" },
		{ "1kbit", "rate 1kbit: too slow: the limit is" },
		{ "99999999999999999999gbit", "too many digits" },
		{ "18446744073709551615tbit", "too large" },
		{ "0x10gbit", "unknown unit 'x10gbit'" },
	};
	u32 ps = 77;

	for (size_t i = 0; i < N(rows); i++)
		check_refusal(unit_rate(rows[i][0], &ps, &err), rows[i][0], rows[i][1]);
	assert_int_equal(ps, 77);
}

static void unit_rate__long_text_fits(void **state)
{
	char text[3000];
	u32 ps;

	memset(text, '1', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	check_refusal(unit_rate(text, &ps, &err), text, "too many digits");
	memset(text + 1, 'x', sizeof(text) - 2);
	check_refusal(unit_rate(text, &ps, &err), text, "unknown unit");
	memset(text + 1, '\n', sizeof(text) - 2);
	check_refusal(unit_rate(text, &ps, &err), text, "unknown unit '???");
	assert_true(strlen(err.text) < ERR_TEXT_MAX);
}

/* Every rate that is told as a neighbour, or printed, must itself be accepted. */
static void unit_rate__print_is_read_back(void **state)
{
	char buf[32];
	u32 ps, n = 0;

	for (u32 want = 1; want < 2000000; want++) {
		if (8000000000000ULL % want)
			continue;
		assert_int_equal(unit_rate(unit_print_rate(want, buf, sizeof(buf)), &ps, &err), 0);
		assert_int_equal(ps, want);
		n++;
	}
	assert_int_equal(n, 100); /* the divisors of 8e12 below two million */
	assert_string_equal(unit_print_rate(200, buf, sizeof(buf)), "40gbit");
	assert_string_equal(unit_print_rate(3200, buf, sizeof(buf)), "2500mbit");
	assert_string_equal(unit_print_rate(3, buf, sizeof(buf)), "3ps/B");
	assert_string_equal(unit_print_rate(0, buf, sizeof(buf)), "0ps/B");
}

static void unit_time__exact(void **state)
{
	static const struct {
		const char *text;
		u64 ps;
	} rows[] = {
		{ "2us", 2000000 },
		{ "500ns", 500000 },
		{ "1.5ms", 1500000000 },
		{ "3s", 3000000000000 },
		{ "250ps", 250 },
		{ "0.001ns", 1 },
		{ "0s", 0 },
		{ "1.50000us", 1500000 },
		{ "18446744073709551615ps", UINT64_MAX },
		{ "18446744.073709551615s", UINT64_MAX },
	};
	u64 ps;

	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(unit_time(rows[i].text, &ps, &err), 0);
		assert_int_equal(ps, rows[i].ps);
	}
}

static void unit_time__refused(void **state)
{
	static const char *const rows[][2] = {
		{ "0.5ps", "time 0.5ps: finer than 1 ps" },          { "0.0001ns", "finer than 1 ps" },
		{ "2", "time 2: no unit: say ps, ns, us, ms or s" }, { "2h", "unknown unit 'h'" },
		{ "18446744073709551616ps", "too many digits" },     { "18446745s", "time 18446745s: too large" },
		{ "0.00000000000000000001s", "too many digits" },    { "us", "not a number" },
	};
	u64 ps;

	for (size_t i = 0; i < N(rows); i++)
		check_refusal(unit_time(rows[i][0], &ps, &err), rows[i][0], rows[i][1]);
}

static void unit_print_time__is_read_back(void **state)
{
	static const u64 rows[] = { 0, 1, 999, 1000, 2000000, 1500000, 25430400, 1000000000000, UINT64_MAX };
	char buf[32];
	u64 ps;

	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(unit_time(unit_print_time(rows[i], buf, sizeof(buf)), &ps, &err), 0);
		assert_int_equal(ps, rows[i]);
	}
	assert_string_equal(unit_print_time(2000000, buf, sizeof(buf)), "2us");
	assert_string_equal(unit_print_time(1500000, buf, sizeof(buf)), "1500ns");
	assert_string_equal(unit_print_time(1000000000000, buf, sizeof(buf)), "1s");
}

static void unit_size__exact(void **state)
{
	static const struct {
		const char *text;
		u64 bytes;
	} rows[] = {
		{ "240000", 240000 },
		{ "240KB", 240000 },
		{ "1KiB", 1024 },
		{ "3MB", 3000000 },
		{ "0", 0 },
		{ "1.5KB", 1500 },
		{ "0.5KiB", 512 },
		{ "2GiB", 2147483648 },
		{ "7B", 7 },
		{ "1.5GB", 1500000000 },
		{ "1.0", 1 },
		{ "2MiB", 2097152 },
		{ "18446744073709551615", UINT64_MAX },
	};
	u64 bytes;

	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(unit_size(rows[i].text, &bytes, &err), 0);
		assert_int_equal(bytes, rows[i].bytes);
	}
}

static void unit_size__refused(void **state)
{
	static const char *const rows[][2] = {
		{ "1.5", "size 1.5: finer than 1 byte" },  { "1.0001KB", "finer than 1 byte" },
		{ "3TB", "unknown unit 'TB': say B, KB" }, { "KB", "not a number" },
		{ "18446744073709551615KB", "too large" },
	};
	u64 bytes;

	for (size_t i = 0; i < N(rows); i++)
		check_refusal(unit_size(rows[i][0], &bytes, &err), rows[i][0], rows[i][1]);
}

static void unit_prob__exact(void **state)
{
	static const struct {
		const char *text;
		u32 ppb;
	} rows[] = {
		{ "0.001", 1000000 },    { "1e-5", 10000 },
		{ "0.1%", 1000000 },     { "0", 0 },
		{ "1", 1000000000 },     { "100%", 1000000000 },
		{ "1e-9", 1 },           { "0.000000001", 1 },
		{ "1.5e-3", 1500000 },   { "0.0", 0 },
		{ "0e-999999", 0 },      { "0e99999999999", 0 },
		{ "10e-1", 1000000000 }, { "0.01e+1", 100000000 },
		{ "1E-2%", 100000 },     { "1000000000000e-15", 1000000 },
	};
	u32 ppb;

	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(unit_prob(rows[i].text, &ppb, &err), 0);
		assert_int_equal(ppb, rows[i].ppb);
	}
}

static void unit_prob__refused(void **state)
{
	static const char *const rows[][2] = {
		{ "1.1", "probability 1.1: above 1" },
		{ "2", "above 1" },
		{ "100.1%", "above 1" },
		{ "1e5", "above 1" },
		{ "1e999999999999", "above 1" },
		{ "1e-10", "finer than 1e-9" },
		{ "1e-999999999999", "finer than 1e-9" },
		{ "0.00000000015", "finer than 1e-9" },
		{ "18446744073709551615e9", "above 1" },
		{ "1e", "not like 0.001, 1e-5 or 0.1%" },
		{ "1e--5", "not like" },
		{ "0.1%%", "not like" },
		{ "0.1x", "not like" },
		{ "-0.1", "not a number" },
		{ "", "not a number" },
		{ "nan", "not a number" },
	};
	u32 ppb;

	for (size_t i = 0; i < N(rows); i++)
		check_refusal(unit_prob(rows[i][0], &ppb, &err), rows[i][0], rows[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unit_rate__exact),
		cmocka_unit_test(unit_rate__refused),
		cmocka_unit_test(unit_rate__long_text_fits),
		cmocka_unit_test(unit_rate__print_is_read_back),
		cmocka_unit_test(unit_time__exact),
		cmocka_unit_test(unit_time__refused),
		cmocka_unit_test(unit_print_time__is_read_back),
		cmocka_unit_test(unit_size__exact),
		cmocka_unit_test(unit_size__refused),
		cmocka_unit_test(unit_prob__exact),
		cmocka_unit_test(unit_prob__refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
