/* SPDX-License-Identifier: GPL-2.0 */
/* The table of keys, shared by the files that parse (cfg.c), check (cfg_check.c) and print (cfg_print.c) them. */
#ifndef LOSSLAB_CFG_KEYS_H
#define LOSSLAB_CFG_KEYS_H

#include <stddef.h>

#include "lab/cfg.h"

enum cfg_kind {
	CFG_NUM,      /* a whole number */
	CFG_SIZE,     /* bytes */
	CFG_TIME,     /* ps */
	CFG_RATE,     /* ps per byte */
	CFG_PROB,     /* ppb */
	CFG_LOAD,     /* hundredths */
	CFG_WORD,     /* one of words[], kept as its place there */
	CFG_NAME,     /* one of words[], kept as text */
	CFG_TEXT,     /* free text */
	CFG_WORKLOAD, /* text that workload_kind() knows */
	CFG_LOSS,     /* ppb, and perhaps the switch in run_cfg.loss_at */
};

/* A word that stands for a number: "auto" for 0, say. */
struct cfg_special {
	const char *word;
	u64 value;
};

struct cfg_key {
	const char *name;
	enum cfg_kind kind;
	size_t off, size;           /* of its member of run_cfg */
	size_t given;               /* offset of the bool that says that the user gave it; 0: none */
	u64 min, max;               /* numbers, in the unit of the member */
	struct cfg_special special; /* allowed whatever the range */
	const char *const *words;   /* of CFG_WORD and CFG_NAME, NULL at the end */
	const char *def;            /* default, as text */
	const char *help;
};

extern const struct cfg_key cfg_keys[];
extern const u32 cfg_n_keys;

/* Until cfg_finish() these mean "like data_class" and "like seed". */
#define CFG_CLASS_SAME (~0U)
#define CFG_SEED_SAME (~0ULL)

/* The member as a number (all kinds but CFG_NAME, CFG_TEXT, CFG_WORKLOAD). */
u64 cfg_get(const struct run_cfg *c, const struct cfg_key *k);
void cfg_put(struct run_cfg *c, const struct cfg_key *k, u64 v);
/* A number in the form that cfg_set() reads. */
const char *cfg_number_text(const struct cfg_key *k, u64 v, char *buf, size_t n);
/* What values the key takes, for messages and help: "64..2048". */
const char *cfg_allowed(const struct cfg_key *k, char *buf, size_t n);
/* Whether the member may hold @v, the special value included. */
bool cfg_in_range(const struct cfg_key *k, u64 v);

#define CFG_KEYS_MAX 64 /* room to keep count of which keys have been given */

struct csv_in;

/* The line without comment and blanks at its ends: '#' begins one first on a line or after a blank. */
char *cfg_text(char *line);
/* Take in the line that csv_line() has read. @seen[CFG_KEYS_MAX]: on which line each key stood before, 0 = not yet. */
int cfg_read_line(struct run_cfg *c, struct csv_in *csv, u32 *seen);

#endif
