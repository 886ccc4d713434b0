/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the configuration share: a configuration from words, and what a refusal says. */
#ifndef LOSSLAB_TESTS_CFG_WORDS_H
#define LOSSLAB_TESTS_CFG_WORDS_H

#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>

#include "agent/packet/flow.h"
#include "lab/config/cfg.h"
#include "lab/config/cfg_keys.h"
#include "tests/unit/cfg_file.h"

static struct err err;

static inline struct run_cfg set_all(const char *const *words)
{
	struct run_cfg c;

	cfg_defaults(&c);
	for (; *words; words++)
		if (cfg_set(&c, *words, &err))
			fail_msg("%s", err.text);
	return c;
}
#define SET(...) set_all((const char *const[]){ __VA_ARGS__, NULL })

/* A parameter of an algorithm. */
#define ALG(cfg, key) cfg_number(&(struct run_cfg[]){ cfg }[0], key)

static inline struct run_cfg finish(struct run_cfg c)
{
	if (cfg_finish(&c, &err))
		fail_msg("%s", err.text);
	return c;
}

/* The last refusal: one line that holds @want. */
static inline void assert_says(const char *want)
{
	if (!strstr(err.text, want) || strpbrk(err.text, "\n\r\033") || strlen(err.text) >= ERR_TEXT_MAX)
		fail_msg("'%s' does not say '%s'", err.text, want);
}

static inline void print_to(const struct run_cfg *c, char *buf, size_t n)
{
	FILE *f = fmemopen(buf, n, "w");

	cfg_print(c, f);
	fclose(f);
}

static inline int read_from(struct run_cfg *c, const char *text, size_t len)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, len, "r");
	int rc = cfg_read(c, f, "x.conf", &err);

	fclose(f);
	return rc;
}

/* Print, read, print: the same text, and the same members but for what has been given. */
static inline void round_trip(const struct run_cfg *c)
{
	char first[8192], second[8192];
	struct run_cfg back;

	print_to(c, first, sizeof(first));
	cfg_defaults(&back);
	if (read_from(&back, first, strlen(first)) || cfg_finish(&back, &err))
		fail_msg("%s", err.text);
	print_to(&back, second, sizeof(second));
	assert_string_equal(first, second);
	memcpy(back.given, c->given, sizeof(back.given));
	assert_memory_equal(c, &back, sizeof(back));
}

#endif
