/* SPDX-License-Identifier: GPL-2.0 */
/* The table of keys, shared by the files that parse (cfg.c), check (cfg_check.c) and print (cfg_print.c) them. */
#ifndef LOSSLAB_CFG_KEYS_H
#define LOSSLAB_CFG_KEYS_H

#include <stddef.h>

#include "lab/config/cfg.h"

enum cfg_kind {
	/* numbers */
	CFG_NUM,  /* a whole number */
	CFG_SIZE, /* bytes */
	CFG_TIME, /* ps */
	CFG_RATE, /* ps per byte */
	CFG_BPS,  /* bits/s */
	CFG_PROB, /* ppb */
	CFG_LOAD, /* hundredths */
	CFG_LOSS, /* ppb, and perhaps the switch in run_cfg.loss_at */
	CFG_FRAC, /* X or X/2^n, in units of 2^-16 */
	CFG_LIST, /* traffic classes with commas between, a bit each */
	CFG_WORD, /* one of words[], kept as its place there */
	/* texts */
	CFG_NAME,     /* one of words[] */
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
	const char *const *words;   /* of CFG_WORD and CFG_NAME, NULL at the end */
	const char *def;            /* default, as text */
	const char *help;
};

#define CFG_MEMBER(member) .off = offsetof(struct run_cfg, member), .size = sizeof(((struct run_cfg *)0)->member)
#define CFG_PS_PER_S PS_PER_S

/* Keys under one heading of --help. */
struct cfg_group {
	const char *title;
	const struct cfg_key *keys;
	u32 n;
};

#define CFG_ROWS(keys) (sizeof(keys) / sizeof((keys)[0]))

/* All groups, in the order of cfg_print(). */
extern const struct cfg_group *const cfg_groups[];
extern const u32 cfg_n_groups;
extern const struct cfg_group cfg_host_group, cfg_cc_group, cfg_fault_group;

/* Words that several keys share. */
extern const char *const cfg_on_off[];

/* Key number @i in the order of cfg_print(), or NULL beyond the last. */
const struct cfg_key *cfg_key(u32 i);
/* The number of the key of this name, or -1. */
int cfg_key_number(const char *name);

/* Until cfg_finish() this means "like seed". */
#define CFG_SEED_SAME (~0ULL)

/* The member as a number (all kinds but texts). */
u64 cfg_get(const struct run_cfg *c, const struct cfg_key *k);
void cfg_put(struct run_cfg *c, const struct cfg_key *k, u64 v);
/* A number in the form that cfg_set() reads. */
const char *cfg_number_text(const struct cfg_key *k, u64 v, char *buf, size_t n);
/* The member in the form that cfg_set() reads, but for the @SWITCH of CFG_LOSS. Texts are returned where they are. */
const char *cfg_value_text(const struct run_cfg *c, const struct cfg_key *k, char *buf, size_t n);
/* What values the key takes, for messages and help: "64..2048". */
const char *cfg_allowed(const struct cfg_key *k, char *buf, size_t n);
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
