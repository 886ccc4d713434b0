/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact numbers for jansson, whose reals are doubles and whose integers are signed: with these, JSON has the same
 * digits as the CSV files.
 */
#ifndef LOSSLAB_JSON_EXACT_H
#define LOSSLAB_JSON_EXACT_H

#include <jansson.h>
#include <stdio.h>

#include "bpf/types.h"

/* @v counted in units of 10^-places, with all its decimals: json_exact(1500, 3) is written as 1.500. */
json_t *json_exact(u64 v, u32 places);
/* The number that @digits are: digits, and perhaps a point and more digits; anything else is a text. */
json_t *json_number_or_text(const char *digits);
/* A text from outside. Bytes beyond ASCII become '?' if it is not UTF-8. */
json_t *json_text(const char *text);
/* Write @root, made with these, indented by @indent, and a newline; takes the reference. 0, or -ENOMEM or -EIO. */
int json_write(json_t *root, int indent, FILE *out);

#endif
