// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rates, times, sizes and probabilities as people write them. Integers only: a value is
 * either exact or refused, so that every machine reads the same number from the same text.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "topo/err.h"
#include "topo/topo.h"

/* A byte takes this many ps at 1 bit/s: rate [bit/s] * ps_per_byte = PS_BITS, always. */
#define PS_BITS 8000000000000ULL
#define PPB_ONE 1000000000ULL
#define DECIMALS_MAX 19 /* 10^19 is the last power of ten in a u64 */

struct unit {
	const char *name;
	u64 scale;
};

/* A kind of quantity: its units from small to large, and how messages speak of it. */
struct quantity {
	const char *what;
	const char *finest;
	const char *units_text;
	struct unit units[8];
};

static const struct quantity rate_q = {
	.what = "rate",
	.finest = "1 bit/s",
	.units_text = "bit, kbit, mbit, gbit or tbit",
	.units = { { "bit", 1 },
		   { "kbit", 1000 },
		   { "mbit", 1000000 },
		   { "gbit", 1000000000 },
		   { "tbit", 1000000000000 } },
};

static const struct quantity time_q = {
	.what = "time",
	.finest = "1 ps",
	.units_text = "ps, ns, us, ms or s",
	.units = { { "ps", 1 },
		   { "ns", PS_PER_NS },
		   { "us", PS_PER_US },
		   { "ms", PS_PER_MS },
		   { "s", 1000 * PS_PER_MS } },
};

static const struct quantity size_q = {
	.what = "size",
	.finest = "1 byte",
	.units_text = "B, KB, MB, GB, KiB, MiB or GiB",
	.units = { { "B", 1 },
		   { "KB", 1000 },
		   { "KiB", 1 << 10 },
		   { "MB", 1000000 },
		   { "MiB", 1 << 20 },
		   { "GB", 1000000000 },
		   { "GiB", 1 << 30 } },
};

static u64 pow10_u64(u32 n)
{
	u64 v = 1;

	while (n--)
		v *= 10;
	return v;
}

/* A decimal number: mantissa / 10^decimals, and the text that follows it. */
struct number {
	u64 mantissa;
	u32 decimals;
	const char *rest;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Append digits to x->mantissa; returns how many, or -1 when the mantissa overflows. */
static int read_digits(struct number *x)
{
	int n = 0;

	for (; is_digit(*x->rest); x->rest++, n++)
		if (n > 64 || __builtin_mul_overflow(x->mantissa, 10, &x->mantissa) ||
		    __builtin_add_overflow(x->mantissa, *x->rest - '0', &x->mantissa))
			return -1;
	return n;
}

static int read_number(const char *what, const char *s, struct number *x, struct err *err)
{
	int n;

	*x = (struct number){ .rest = s };
	n = read_digits(x);
	if (n > 0 && *x->rest == '.') {
		x->rest++;
		n = read_digits(x);
		x->decimals = n > 0 ? n : 0;
	}
	if (n < 0 || x->decimals > DECIMALS_MAX)
		return err_set(err, -EINVAL, "%s %.40s: too many digits", what, s);
	if (!n)
		return err_set(err, -EINVAL, "%s '%.40s': not a number", what, s);
	return 0;
}

static const struct unit *find_unit(const struct quantity *q, const char *name)
{
	for (const struct unit *u = q->units; u->name; u++)
		if (!strcasecmp(u->name, name))
			return u;
	return NULL;
}

/* Read "NUMBER UNIT" into whole units of scale 1. A @bare number is allowed for sizes only. */
static int read_quantity(const struct quantity *q, const char *s, bool bare, u64 *out, struct err *err)
{
	const struct unit *u = q->units;
	unsigned __int128 v;
	struct number x;
	int rc;

	rc = read_number(q->what, s, &x, err);
	if (rc)
		return rc;
	if (!*x.rest && !bare)
		return err_set(err, -EINVAL, "%s %.40s: no unit: say %s", q->what, s, q->units_text);
	if (*x.rest) {
		u = find_unit(q, x.rest);
		if (!u)
			return err_set(err, -EINVAL, "%s %.40s: unknown unit '%.20s': say %s", q->what, s, x.rest,
				       q->units_text);
	}
	v = (unsigned __int128)x.mantissa * u->scale;
	if (v % pow10_u64(x.decimals))
		return err_set(err, -EINVAL, "%s %.40s: finer than %s", q->what, s, q->finest);
	v /= pow10_u64(x.decimals);
	if (v > UINT64_MAX)
		return err_set(err, -EINVAL, "%s %.40s: too large", q->what, s);
	*out = v;
	return 0;
}

/*
 * The rates that are whole both in bit/s and in ps per byte: their ps per byte divide
 * PS_BITS = 2^15 * 5^12. Find the closest on each side of @bits (0 where there is none).
 */
static void rate_neighbours(u64 bits, u32 *faster, u32 *slower)
{
	u64 two = 1;

	*faster = *slower = 0;
	for (int a = 0; a <= 15; a++, two *= 2) {
		u64 ps = two;

		for (int b = 0; b <= 12 && ps <= UINT32_MAX; b++, ps *= 5) {
			if (PS_BITS / ps >= bits && ps > *faster)
				*faster = ps;
			if (PS_BITS / ps <= bits && (ps < *slower || !*slower))
				*slower = ps;
		}
	}
}

int unit_rate(const char *s, u32 *ps_per_byte, struct err *err)
{
	char a[32], b[32];
	u32 faster, slower;
	u64 bits;
	int rc;

	rc = read_quantity(&rate_q, s, false, &bits, err);
	if (rc)
		return rc;
	if (!bits)
		return err_set(err, -EINVAL, "rate %.40s: must be above 0", s);
	if (PS_BITS % bits || PS_BITS / bits > UINT32_MAX) {
		rate_neighbours(bits, &faster, &slower);
		unit_print_rate(faster, a, sizeof(a));
		unit_print_rate(slower, b, sizeof(b));
		if (!faster || !slower)
			return err_set(err, -EINVAL, "rate %.40s: too %s: the limit is %s", s, faster ? "slow" : "fast",
				       faster ? a : b);
		return err_set(err, -EINVAL,
			       "rate %.40s: not a whole number of ps per byte: the nearest are "
			       "%s and %s",
			       s, b, a);
	}
	*ps_per_byte = PS_BITS / bits;
	return 0;
}

int unit_time(const char *s, u64 *ps, struct err *err)
{
	return read_quantity(&time_q, s, false, ps, err);
}

int unit_size(const char *s, u64 *bytes, struct err *err)
{
	return read_quantity(&size_q, s, true, bytes, err);
}

/* Read what may follow a probability's digits: "e-5", "%", or both. 0, or -1 if malformed. */
static int read_exponent(const char *s, int *exponent)
{
	*exponent = 0;
	if (*s == 'e' || *s == 'E') {
		int sign = s[1] == '-' ? -1 : 1;

		s += s[1] == '-' || s[1] == '+' ? 2 : 1;
		if (!is_digit(*s))
			return -1;
		for (; is_digit(*s); s++)
			if (*exponent < 1000) /* beyond any use, and safe from overflow */
				*exponent = *exponent * 10 + *s - '0';
		*exponent *= sign;
	}
	if (*s == '%') {
		*exponent -= 2;
		s++;
	}
	return *s ? -1 : 0;
}

int unit_prob(const char *s, u32 *ppb, struct err *err)
{
	struct number x;
	u64 v;
	int rc, shift;

	rc = read_number("probability", s, &x, err);
	if (rc)
		return rc;
	if (read_exponent(x.rest, &shift))
		return err_set(err, -EINVAL, "probability %.40s: not like 0.001, 1e-5 or 0.1%%", s);
	v = x.mantissa;
	if (v)
		shift += 9 - (int)x.decimals;
	else
		shift = 0;
	for (; shift < 0 && v; shift++, v /= 10)
		if (v % 10)
			return err_set(err, -EINVAL, "probability %.40s: finer than 1e-9", s);
	for (; shift > 0 && v <= PPB_ONE; shift--)
		v *= 10;
	if (v > PPB_ONE)
		return err_set(err, -EINVAL, "probability %.40s: above 1", s);
	*ppb = v;
	return 0;
}

/* Print @v, counted in units of scale 1, in the largest unit that divides it. */
static const char *print_quantity(const struct quantity *q, u64 v, char *buf, size_t n)
{
	const struct unit *best = q->units;

	for (const struct unit *u = q->units; u->name; u++)
		if (v % u->scale == 0)
			best = u;
	snprintf(buf, n, "%llu%s", v / best->scale, best->name);
	return buf;
}

/* unit_rate() gives only divisors of PS_BITS; anything else is shown as what it is. */
const char *unit_print_rate(u32 ps_per_byte, char *buf, size_t n)
{
	if (ps_per_byte && PS_BITS % ps_per_byte == 0)
		return print_quantity(&rate_q, PS_BITS / ps_per_byte, buf, n);
	snprintf(buf, n, "%ups/B", ps_per_byte);
	return buf;
}

const char *unit_print_time(u64 ps, char *buf, size_t n)
{
	return print_quantity(&time_q, ps, buf, n);
}
