/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading text that others wrote: lines of bounded length, whole and decimal numbers without surprises, and
 * messages of one line that name the place. Nothing here trusts its input.
 */
#ifndef LOSSLAB_TEXT_H
#define LOSSLAB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "lab/config/cfg.h"

#define TEXT_LINE_MAX 1024 /* bytes of one line, with the final NUL */

struct text_in {
	FILE *in;
	const char *name; /* for messages */
	struct err *err;
	u32 line; /* number of the line in buf, from 1 */
	char buf[TEXT_LINE_MAX];
};

/* err_set() with "name:line: " before the message. Always -EINVAL, to be returned as it is. */
int text_fail(struct text_in *csv, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The next line to csv->buf, without "\n" or "\r\n": 1; at the end 0; -EINVAL or -EIO with a message. */
int text_line(struct text_in *csv);
/* Cut csv->buf at its commas: how many columns there are, of which the first @max are in col[]. */
u32 text_columns(struct text_in *csv, char **col, u32 max);

enum text_num { TEXT_OK, TEXT_EMPTY, TEXT_NEGATIVE, TEXT_NOT_A_NUMBER, TEXT_TOO_LARGE };
extern const char *const text_num_why[]; /* by enum text_num */

/* Digits only, at most @max. */
enum text_num text_u64(const char *s, u64 max, u64 *v);
/* Digits, and up to @decimals more after a point, as units of 10^-decimals: "1.5" with 3 is 1500. At most @max. */
enum text_num text_decimal(const char *s, u32 decimals, u64 max, u64 *v);

/* @s cut to what a message can bear, "..." at the end if it was longer. */
struct text_quote {
	char s[68];
};
struct text_quote text_quote(const char *s);
/* Cut blanks off both ends, in place. */
char *text_trim(char *s);

#endif
