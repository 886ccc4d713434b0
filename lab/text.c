// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading text files from outside: lines, columns, numbers, and messages about them. */
#include <errno.h>
#include <string.h>

#include "lab/interrupt.h"
#include "lab/text.h"

#define NAME_SHOWN 120 /* bytes of a file's name in a message; of a longer name the end is shown */

const char *const text_num_why[] = {
	[TEXT_OK] = "is fine",
	[TEXT_EMPTY] = "is empty",
	[TEXT_NEGATIVE] = "is negative",
	[TEXT_NOT_A_NUMBER] = "is not a number in the required form",
	[TEXT_TOO_LARGE] = "is too large",
};

int text_fail(struct text_in *t, const char *fmt, ...)
{
	size_t len = strlen(t->name);
	bool cut = len > NAME_SHOWN;
	char what[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(t->err, -EINVAL, "%s%s:%u: %s", cut ? "..." : "", t->name + (cut ? len - NAME_SHOWN : 0),
		       t->line, what);
}

int text_open(struct text_in *t, const char *path, const char *what, struct err *err)
{
	int rc;

	*t = (struct text_in){ .name = path, .err = err, .in = fopen(path, "re") };
	if (t->in)
		return 0;
	rc = interrupted() ? -EINTR : -errno;
	return err_set(err, rc, "%s: %s", what ? what : text_quote(path).s, strerror(-rc));
}

void text_close(struct text_in *t)
{
	if (t->in)
		fclose(t->in);
	t->in = NULL;
}

/* A line that cannot be read, by errno. */
static int read_error(struct text_in *t)
{
	if (interrupted())
		return -EINTR;
	text_fail(t, "cannot be read: %s", strerror(errno));
	return -EIO;
}

int text_line(struct text_in *t)
{
	size_t len = 0;
	int c;

	if (interrupted())
		return -EINTR;
	t->line++;
	while ((c = getc(t->in)) != EOF && c != '\n') {
		if (c == '\0')
			return text_fail(t, "a NUL byte: this is not a text file");
		if (len == sizeof(t->buf) - 1)
			return text_fail(t, "the line is longer than %zu bytes", sizeof(t->buf) - 1);
		t->buf[len++] = (char)c;
	}
	if (ferror(t->in))
		return read_error(t);
	t->bytes += len + 1;
	if (t->bytes > TEXT_FILE_MAX)
		return text_fail(t, "the file is longer than %llu bytes", TEXT_FILE_MAX);
	if (c == EOF && !len)
		return 0;
	if (len && t->buf[len - 1] == '\r')
		len--;
	t->buf[len] = '\0';
	return 1;
}

u32 text_columns(struct text_in *t, char **col, u32 max)
{
	char *s = t->buf;
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
