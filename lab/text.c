// SPDX-License-Identifier: GPL-2.0
/* Reading text that others wrote: lines, columns, numbers and the messages about them. */
#include <errno.h>
#include <string.h>

#include "lab/text.h"

#define NAME_SHOWN 120 /* bytes of a file's name that a message can bear; of longer ones the end is shown */

const char *const text_num_why[] = {
	[TEXT_OK] = "is fine",
	[TEXT_EMPTY] = "is empty",
	[TEXT_NEGATIVE] = "is negative",
	[TEXT_NOT_A_NUMBER] = "is not a number of the form asked for",
	[TEXT_TOO_LARGE] = "is too large",
};

int text_fail(struct text_in *csv, const char *fmt, ...)
{
	size_t len = strlen(csv->name);
	bool cut = len > NAME_SHOWN;
	char what[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(csv->err, -EINVAL, "%s%s:%u: %s", cut ? "..." : "", csv->name + (cut ? len - NAME_SHOWN : 0),
		       csv->line, what);
}

int text_line(struct text_in *csv)
{
	size_t len = 0;
	int c;

	csv->line++;
	while ((c = getc(csv->in)) != EOF && c != '\n') {
		if (c == '\0')
			return text_fail(csv, "a NUL byte: this is not a text file");
		if (len == sizeof(csv->buf) - 1)
			return text_fail(csv, "the line is longer than %zu bytes", sizeof(csv->buf) - 1);
		csv->buf[len++] = (char)c;
	}
	if (ferror(csv->in)) {
		text_fail(csv, "cannot be read: %s", strerror(errno));
		return -EIO;
	}
	if (c == EOF && !len)
		return 0;
	if (len && csv->buf[len - 1] == '\r')
		len--;
	csv->buf[len] = '\0';
	return 1;
}

u32 text_columns(struct text_in *csv, char **col, u32 max)
{
	char *s = csv->buf;
	u32 n = 0;

	for (;;) {
		char *comma = strchr(s, ',');

		if (n < max)
			col[n] = s;
		n++;
		if (!comma)
			return n;
		*comma = '\0';
		s = comma + 1;
	}
}

enum text_num text_u64(const char *s, u64 max, u64 *v)
{
	return text_decimal(s, 0, max, v);
}

/* v x 10 + digit, or too large. */
static enum text_num append(u64 *v, u32 digit, u64 max)
{
	if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, digit, v) || *v > max)
		return TEXT_TOO_LARGE;
	return TEXT_OK;
}

enum text_num text_decimal(const char *s, u32 decimals, u64 max, u64 *v)
{
	bool point = false, too_large = false;
	u32 before = 0, after = 0;

	*v = 0;
	if (!*s)
		return TEXT_EMPTY;
	if (*s == '-')
		return TEXT_NEGATIVE;
	for (; *s; s++) {
		if (*s == '.' && decimals && before && !point) {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9' || (point && after == decimals))
			return TEXT_NOT_A_NUMBER;
		if (point)
			after++;
		else
			before++;
		/* After an overflow read on: rubbish further right is the better message. */
		too_large = too_large || append(v, (u32)(*s - '0'), max);
	}
	if (point && !after)
		return TEXT_NOT_A_NUMBER;
	for (; after < decimals && !too_large; after++)
		too_large = append(v, 0, max);
	return too_large ? TEXT_TOO_LARGE : TEXT_OK;
}

struct text_quote text_quote(const char *s)
{
	size_t len = strlen(s), room = sizeof(struct text_quote) - 4;
	struct text_quote q;

	snprintf(q.s, sizeof(q.s), "%.*s%s", (int)room, s, len > room ? "..." : "");
	err_printable(q.s);
	return q;
}

char *text_trim(char *s)
{
	size_t len;

	while (*s == ' ' || *s == '\t')
		s++;
	for (len = strlen(s); len && (s[len - 1] == ' ' || s[len - 1] == '\t'); len--)
		s[len - 1] = '\0';
	return s;
}
