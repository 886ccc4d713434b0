/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters of algorithms, declared as data. Each congestion control and each loss recovery has a table of them
 * beside its code. lab/config makes from the tables the keys of `losslab run`: how they are read, checked, printed and
 * explained. Algorithms of one family may share a table. Where tables of several families have a row of one name, it is
 * one key: the rows agree in all but where the value is stored (tests/unit/test_registry.c).
 */
#ifndef LOSSLAB_PARAM_H
#define LOSSLAB_PARAM_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/types.h"

#define PARAM_BPS_MIN 1000ULL          /* slower and a packet takes seconds */
#define PARAM_BPS_MAX 8000000000000ULL /* a ps per byte, the fastest link there is */

enum param_kind {
	PARAM_NUM,  /* a whole number */
	PARAM_SIZE, /* bytes */
	PARAM_TIME, /* ps */
	PARAM_BPS,  /* bits/s */
	PARAM_PROB, /* a fraction 0..1 in ppb; with a divisor of 1000, in ppm */
	PARAM_WORD, /* one of words[], kept as its place there */
};

/* Where a table does not have a row, its algorithm's storage stays 0. */
struct param {
	const char *name; /* the key's */
	enum param_kind kind;
	size_t off, size;     /* of the member: bool, u32 or u64 in struct cc_params or struct recovery_params */
	u32 divisor;          /* the member holds the number divided by this; 0: as it is */
	u64 min, max;         /* numbers, before the division */
	u32 step;             /* multiples of this only; 0: all */
	const char *why_less; /* why less than min makes no sense; NULL: "out of range" says it */
	struct {
		const char *word; /* "auto" for 0, say; NULL: none. Allowed whatever the range */
		u64 value;
	} special;
	const char *const *words; /* PARAM_WORD: NULL at the end */
	const char *def;          /* default, as text */
	const char *help;
	const char *why_unused;   /* said of an algorithm without it; NULL: "does not use it" */
	const char *below;        /* a key that it must stay below */
	const char *at_most;      /* a key that it must not exceed */
	const char *power_of_two; /* why it must be one: "halves the rate at each level"; NULL: it need not */
	bool below_line;          /* bits/s: less than the slowest host's link */
	bool advanced;            /* only in --help-all */
};

/* All rows of one algorithm. */
struct param_table {
	const struct param *rows;
	u32 n;
};

#define PARAM_TABLE(array)                                                                                             \
	{                                                                                                              \
		(array), sizeof(array) / sizeof((array)[0])                                                            \
	}
/* Where a parameter is stored: @member of struct @common, or of @type, the algorithm's own struct in common's own[]. */
#define PARAM_COMMON(common, member)                                                                                   \
	.off = offsetof(struct common, member), .size = sizeof(((struct common *)0)->member)
#define PARAM_OWN(common, type, member)                                                                                \
	.off = offsetof(struct common, own) + offsetof(struct type, member), .size = sizeof(((struct type *)0)->member)

/* A word of an algorithm's own parameters, which its file reads as a struct of its own. */
typedef u64 __attribute__((may_alias)) param_word;

static inline u64 param_or(u64 given, u64 automatic)
{
	return given ? given : automatic;
}

#endif
