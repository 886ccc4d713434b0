/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading text files from outside: lines and files of bounded length, numbers in one form only, and messages of one
 * line that name the place. The input is checked while it is read, so memory does not depend on it.
 */
#ifndef LOSSLAB_TEXT_H
#define LOSSLAB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "bpf/types.h"
#include "topo/err.h"

#define TEXT_LINE_MAX 1024           /* bytes of one line, with the final NUL */
#define TEXT_FILE_MAX (256ULL << 20) /* bytes of one file: 4 million flows of 60 bytes */

struct text_in {
	FILE *in;
	const char *name; /* for messages */
	struct err *err;
	u32 line;  /* number of the line in buf, from 1 */
	u64 bytes; /* read so far */
	char buf[TEXT_LINE_MAX];
};

/* Open a file to be read by text_line(). 0; or -errno and err filled in: "WHAT: why", where @what NULL stands for
 * @path. */
int text_open(struct text_in *t, const char *path, const char *what, struct err *err);
void text_close(struct text_in *t);
/* err_set() with "name:line: " before the message. Always -EINVAL, to be returned as it is. */
int text_fail(struct text_in *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * The next line to t->buf, without "\n" or "\r\n": 1; at the end 0; -EINVAL or -EIO with a message, or -EINTR if
 * interrupted() holds (lab/interrupt.h).
 */
int text_line(struct text_in *t);
/* Cut t->buf at its commas: how many columns there are, of which the first @max are in col[]. */
u32 text_columns(struct text_in *t, char **col, u32 max);

enum text_num { TEXT_OK, TEXT_EMPTY, TEXT_NEGATIVE, TEXT_NOT_A_NUMBER, TEXT_TOO_LARGE };
extern const char *const text_num_why[]; /* by enum text_num */

/* Digits only, at most @max. */
enum text_num text_u64(const char *s, u64 max, u64 *v);
/* Digits, and up to @decimals more after a point, as units of 10^-decimals: "1.5" with 3 is 1500. At most @max. */
enum text_num text_decimal(const char *s, u32 decimals, u64 max, u64 *v);

/* @s for a message: printable, and cut to 64 bytes with "..." at the end. */
struct text_quote {
	char s[68];
};
struct text_quote text_quote(const char *s);
/* Remove blanks at both ends, in place. */
char *text_trim(char *s);

#endif
