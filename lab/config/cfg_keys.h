/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of keys, shared by the files that parse (cfg.c), check (cfg_check.c) and print (cfg_print.c) them. */
#ifndef LOSSLAB_CFG_KEYS_H
#define LOSSLAB_CFG_KEYS_H

#include <stddef.h>

#include "agent/alg/param.h"
#include "lab/config/cfg.h"

enum cfg_kind {
	/* numbers */
	CFG_NUM,    /* a whole number */
	CFG_SIZE,   /* bytes */
	CFG_TIME,   /* ps */
	CFG_RATE,   /* ps per byte */
	CFG_BPS,    /* bits/s */
	CFG_PROB,   /* ppb */
	CFG_LOAD,   /* a share, or a per cent, in ppb */
	CFG_FACTOR, /* hundredths */
	CFG_LOSS,   /* ppb, and perhaps the switch in run_cfg.loss_at */
	CFG_FRAC,   /* X or X/2^n, in units of 2^-16 */
	CFG_LIST,   /* traffic classes with commas between, a bit each */
	CFG_WORD,   /* one of words[], kept as its place there */
	/* texts */
	CFG_NAME,     /* one of those that word() lists */
	CFG_TEXT,     /* free text */
	CFG_PRESET,   /* a name that preset_find() knows, or nothing */
	CFG_WORKLOAD, /* text that workload_kind() knows */
};

/* A word that stands for a number: "auto" for 0, say. The number itself is no other spelling of it (a list may be). */
struct cfg_special {
	const char *word;
	u64 value;
};

struct cfg_key {
	const char *name;
	enum cfg_kind kind;
	size_t off, size;     /* of its member of run_cfg */
	u64 min, max;         /* numbers, in the unit of the member */
	u32 step;             /* numbers: multiples of this only; 0: all */
	const char *why_less; /* why less than min makes no sense; NULL: nothing more to say than "out of range" */
	struct cfg_special special; /* allowed whatever the range */
	const char *const *words;   /* of CFG_WORD, NULL at the end */
	const char *(*word)(u32 i); /* CFG_NAME: number @i of the words, NULL beyond the last */
	const char *def;            /* default, as text */
	const char *help;
	bool advanced; /* only in --help-all */
};

#define CFG_MEMBER(member) .off = offsetof(struct run_cfg, member), .size = sizeof(((struct run_cfg *)0)->member)

/* Keys under one heading of --help. */
struct cfg_group {
	const char *title;
	const struct cfg_key *keys;
	u32 n;
};

#define CFG_ROWS(keys) (sizeof(keys) / sizeof((keys)[0]))

/* Group number @i in the order of cfg_print(), or NULL beyond the last. */
const struct cfg_group *cfg_group(u32 i);

/* Key number @i in the order of cfg_print(), or NULL beyond the last. */
const struct cfg_key *cfg_key(u32 i);
/* The number of the key of this name, or -1. */
int cfg_key_number(const char *name);

/*
 * Keys made from the tables of the loss recoveries and congestion controls (agent/alg/param.h). Number @i of them is
 * run_cfg.alg[i].
 */
/* 0: the keys of loss recoveries, 1: those of congestion controls. */
const struct cfg_group *cfg_alg_group(u32 which);
/* Key number @i, or NULL beyond the last. */
const struct cfg_key *cfg_alg_key(u32 i);
/* Its row in the table of the algorithm that transport= or cc= chooses; NULL if that does not have it. */
const struct param *cfg_alg_row(const struct run_cfg *c, u32 i);
/* The first row of it in any table. */
const struct param *cfg_alg_param(u32 i);
/* The key that chooses among the algorithms of key number @i: "transport" or "cc". */
const char *cfg_alg_chooser(u32 i);
/* The algorithms that have it, "a|b". */
const char *cfg_alg_users(u32 i, char *buf, size_t n);
/* Store the values of all keys that @t has in @params, struct recovery_params or struct cc_params. */
void cfg_alg_store(const struct run_cfg *c, const struct param_table *t, void *params);

/* Until cfg_finish() this means "like seed". */
#define CFG_SEED_SAME (~0ULL)

/* Number @i of the words of CFG_WORD or CFG_NAME, or NULL. */
static inline const char *cfg_word(const struct cfg_key *k, u32 i)
{
	return k->word ? k->word(i) : k->words[i];
}

/* The member as a number (all kinds but texts). */
u64 cfg_get(const struct run_cfg *c, const struct cfg_key *k);
void cfg_put(struct run_cfg *c, const struct cfg_key *k, u64 v);
/* A number in the form that cfg_set() reads. */
const char *cfg_number_text(const struct cfg_key *k, u64 v, char *buf, size_t n);
/* The member in the form that cfg_set() reads, but for the @SWITCH of CFG_LOSS. Texts are returned where they are. */
const char *cfg_value_text(const struct run_cfg *c, const struct cfg_key *k, char *buf, size_t n);
/* What values the key takes, for messages and help: "64..2048". */
const char *cfg_allowed(const struct cfg_key *k, char *buf, size_t n);
/* Two lines for the help: what the key means (of an algorithm's: after the names of who has it), its values [default].
 */
const char *cfg_help_text(const struct cfg_key *k, char *buf, size_t n);
/* Why the number @v is not one that the key takes; NULL if it is. The special value is none: only its word is taken. */
const char *cfg_why_not(const struct cfg_key *k, u64 v);

#define CFG_BPS_UNITS 5
extern const char *const cfg_bps_units[CFG_BPS_UNITS]; /* each a thousand of the one before */

/*
 * For "did you mean": of @best (may be NULL) and @name the one that takes fewer edits to become @word, @best at a tie;
 * NULL if both are other words altogether. Names are shorter than 32 bytes, @word may be anything.
 */
const char *cfg_nearer(const char *word, const char *best, const char *name);

struct text_in;

/* The line without comment and blanks at its ends: '#' begins one first on a line or after a blank. */
char *cfg_text(char *line);
/* Take in the line that text_line() has read. @seen[CFG_KEYS_MAX]: on which line each key stood before, 0 = not yet. */
int cfg_read_line(struct run_cfg *c, struct text_in *csv, u32 *seen);

#endif
