// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys that the tables of loss recoveries and congestion controls declare. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cc/cc.h"
#include "agent/recovery/recovery.h"
#include "lab/config/cfg_keys.h"
#include "lab/text.h"

/* What both kinds of algorithm have. */
struct algorithm {
	const char *name, *what;
	const struct param_table *params;
};

static bool recovery_number(u32 i, struct algorithm *a)
{
	const struct recovery_ops *ops = recovery_at(i);

	if (ops)
		*a = (struct algorithm){ ops->name, ops->what, &ops->params };
	return ops;
}

static bool cc_number(u32 i, struct algorithm *a)
{
	const struct cc_ops *ops = cc_at(i);

	if (ops)
		*a = (struct algorithm){ ops->name, ops->what, &ops->params };
	return ops;
}

static struct family {
	const char *chooser; /* the key that names one */
	size_t chosen;       /* offset of its text in struct run_cfg */
	bool (*at)(u32 i, struct algorithm *a);
	struct cfg_group group;
} families[] = {
	{ .chooser = "transport",
	  .chosen = offsetof(struct run_cfg, transport),
	  .at = recovery_number,
	  .group = { .title = "Parameters of loss recoveries" } },
	{ .chooser = "cc",
	  .chosen = offsetof(struct run_cfg, cc),
	  .at = cc_number,
	  .group = { .title = "Parameters of congestion controls; auto = as the paper or the variant has it" } },
};
#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

/* In the order of the registries, one for each name; made at the first look. */
static struct cfg_key keys[CFG_ALG_MAX];
static const struct param *params[CFG_ALG_MAX];
static u32 n_keys;

static const struct param *find_row(const struct param_table *t, const char *name)
{
	for (u32 i = 0; i < t->n; i++)
		if (!strcmp(t->rows[i].name, name))
			return &t->rows[i];
	return NULL;
}

static void add_key(const struct param *p)
{
	static const enum cfg_kind kinds[] = {
		[PARAM_NUM] = CFG_NUM, [PARAM_SIZE] = CFG_SIZE, [PARAM_TIME] = CFG_TIME,
		[PARAM_BPS] = CFG_BPS, [PARAM_PROB] = CFG_PROB, [PARAM_WORD] = CFG_WORD,
	};

	if (n_keys == CFG_ALG_MAX)
		abort(); /* raise CFG_ALG_MAX: test_registry.c finds it */
	params[n_keys] = p;
	keys[n_keys] = (struct cfg_key){
		.name = p->name,
		.kind = kinds[p->kind],
		.off = offsetof(struct run_cfg, alg) + n_keys * sizeof(u64),
		.size = sizeof(u64),
		.min = p->min,
		.max = p->max,
		.step = p->step,
		.why_less = p->why_less,
		.special = { p->special.word, p->special.value },
		.words = p->words,
		.def = p->def,
		.help = p->help,
		.advanced = p->advanced,
	};
	n_keys++;
}

static bool has_key(const struct cfg_group *g, const char *name)
{
	for (u32 i = 0; i < g->n; i++)
		if (!strcmp(g->keys[i].name, name))
			return true;
	return false;
}

static void make_keys(void)
{
	for (u32 f = 0; f < N_FAMILIES; f++) {
		struct cfg_group *g = &families[f].group;
		struct algorithm a;

		g->keys = &keys[n_keys];
		for (u32 i = 0; families[f].at(i, &a); i++) {
			for (u32 r = 0; r < a.params->n; r++) {
				if (has_key(g, a.params->rows[r].name))
					continue;
				add_key(&a.params->rows[r]);
				g->n++;
			}
		}
	}
}

const struct cfg_group *cfg_alg_group(u32 which)
{
	if (!families[0].group.keys)
		make_keys();
	return &families[which].group;
}

const struct cfg_key *cfg_alg_key(u32 i)
{
	cfg_alg_group(0);
	return i < n_keys ? &keys[i] : NULL;
}

const struct param *cfg_alg_param(u32 i)
{
	return params[i];
}

static const struct family *family_of(u32 i)
{
	return &families[i >= families[0].group.n];
}

const char *cfg_alg_chooser(u32 i)
{
	return family_of(i)->chooser;
}

const struct param *cfg_alg_row(const struct run_cfg *c, u32 i)
{
	const struct family *f = family_of(i);
	struct algorithm a;

	for (u32 n = 0; f->at(n, &a); n++)
		if (!strcmp(a.name, (const char *)c + f->chosen))
			return find_row(a.params, keys[i].name);
	return NULL;
}

const char *cfg_alg_users(u32 i, char *buf, size_t n)
{
	struct algorithm a;
	size_t used = 0;

	buf[0] = '\0';
	for (u32 k = 0; family_of(i)->at(k, &a); k++)
		if (find_row(a.params, keys[i].name) && used < n)
			used += (size_t)snprintf(buf + used, n - used, "%s%s", used ? "|" : "", a.name);
	return buf;
}

static void put(const struct param *p, void *to, u64 v)
{
	char *member = (char *)to + p->off;
	bool flag = v;
	u32 word;

	v = p->divisor ? v / p->divisor : v;
	word = (u32)v;
	if (p->size == sizeof(flag))
		memcpy(member, &flag, sizeof(flag));
	else if (p->size == sizeof(word))
		memcpy(member, &word, sizeof(word));
	else
		memcpy(member, &v, sizeof(v));
}

void cfg_alg_store(const struct run_cfg *c, const struct param_table *t, void *to)
{
	const struct cfg_key *k;

	for (u32 i = 0; (k = cfg_alg_key(i)); i++) {
		const struct param *p = find_row(t, k->name);

		if (p)
			put(p, to, c->alg[i]);
	}
}

int cfg_list(const char *key, FILE *out, struct err *err)
{
	for (u32 f = 0; f < N_FAMILIES; f++) {
		struct algorithm a;

		if (strcmp(key, families[f].chooser))
			continue;
		for (u32 i = 0; families[f].at(i, &a); i++)
			fprintf(out, "%-16s %s\n", a.name, a.what);
		return 0;
	}
	return err_set(err, -EINVAL, "--list %s: there is no such list; allowed: transport, cc", text_quote(key).s);
}
