// SPDX-License-Identifier: GPL-2.0-or-later
/* Printing a configuration, and the help on its keys. */
#include <string.h>

#include "bpf/buffer.h"
#include "lab/config/cfg_keys.h"
#include "lab/workload/workload.h"
#include "topo/topo.h"

#define PPB_DIGITS 9

/* ppb as a decimal without trailing zeros: 10000000 is "0.01". */
static const char *print_prob(u32 ppb, char *buf, size_t n)
{
	u32 whole = ppb / 1000000000, rest = ppb % 1000000000;
	int digits = PPB_DIGITS;

	while (digits && rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	if (digits)
		snprintf(buf, n, "%u.%0*u", whole, digits, rest);
	else
		snprintf(buf, n, "%u", whole);
	return buf;
}

const char *const cfg_bps_units[CFG_BPS_UNITS] = { "bit", "kbit", "mbit", "gbit", "tbit" };

/* In the largest unit that needs no fraction. */
static const char *print_bps(u64 bps, char *buf, size_t n)
{
	u32 unit = 0;

	for (; unit < CFG_BPS_UNITS - 1 && bps && bps % 1000 == 0; unit++)
		bps /= 1000;
	snprintf(buf, n, "%llu%s", bps, cfg_bps_units[unit]);
	return buf;
}

/* In lowest terms. */
static const char *print_frac(u64 v, char *buf, size_t n)
{
	u32 shift = ALPHA_SHIFT;

	for (; shift && v % 2 == 0; shift--)
		v /= 2;
	snprintf(buf, n, shift ? "%llu/%u" : "%llu", v, 1U << shift);
	return buf;
}

/* "3,5" */
static const char *print_list(u64 v, char *buf, size_t n)
{
	size_t used = 0;

	buf[0] = '\0';
	for (u32 i = 0; i < CFG_CLASSES && used < n; i++)
		if (v >> i & 1)
			used += (size_t)snprintf(buf + used, n - used, "%s%u", used ? "," : "", i);
	return buf;
}

const char *cfg_number_text(const struct cfg_key *k, u64 v, char *buf, size_t n)
{
	if (k->special.word && k->kind != CFG_WORD && v == k->special.value)
		return k->special.word;
	switch (k->kind) {
	case CFG_TIME:
		return unit_print_time(v, buf, n);
	case CFG_RATE:
		return unit_print_rate((u32)v, buf, n);
	case CFG_BPS:
		return print_bps(v, buf, n);
	case CFG_PROB:
	case CFG_LOAD:
	case CFG_LOSS:
		return print_prob((u32)v, buf, n);
	case CFG_FACTOR:
		snprintf(buf, n, "%llu.%02llu", v / 100, v % 100);
		return buf;
	case CFG_FRAC:
		return print_frac(v, buf, n);
	case CFG_LIST:
		return print_list(v, buf, n);
	case CFG_WORD: /* a special value of its own is the place behind the last word */
		return k->words[v] ? k->words[v] : k->special.word;
	default:
		snprintf(buf, n, "%llu", v);
		return buf;
	}
}

const char *cfg_value_text(const struct run_cfg *c, const struct cfg_key *k, char *buf, size_t n)
{
	if (k->kind >= CFG_NAME)
		return (const char *)c + k->off;
	return cfg_number_text(k, cfg_get(c, k), buf, n);
}

const char *cfg_why_not(const struct cfg_key *k, u64 v)
{
	if (v < k->min && k->why_less)
		return k->why_less;
	if (v < k->min || v > k->max)
		return "out of range";
	return k->step && v % k->step ? "between two steps" : NULL;
}

static const char *list_words(const struct cfg_key *k, char *buf, size_t n)
{
	const char *word;
	size_t used = 0;

	buf[0] = '\0';
	for (u32 i = 0; (word = cfg_word(k, i)) && used < n; i++)
		used += (size_t)snprintf(buf + used, n - used, "%s%s", i ? "|" : "", word);
	if (k->special.word && used < n)
		snprintf(buf + used, n - used, "|%s", k->special.word);
	return buf;
}

/* "64..2048", "8..2048 in steps of 8". */
static void print_range(const struct cfg_key *k, char *buf, size_t n)
{
	char min[32], max[32], step[32];
	size_t used;

	used = (size_t)snprintf(buf, n, "%s..%s%s", cfg_number_text(k, k->min, min, sizeof(min)),
				cfg_number_text(k, k->max, max, sizeof(max)), k->kind == CFG_SIZE ? " bytes" : "");
	if (k->step && used < n)
		snprintf(buf + used, n - used, " in steps of %s", cfg_number_text(k, k->step, step, sizeof(step)));
}

const char *cfg_allowed(const struct cfg_key *k, char *buf, size_t n)
{
	switch (k->kind) {
	case CFG_WORD:
	case CFG_NAME:
		return list_words(k, buf, n);
	case CFG_WORKLOAD:
		return workload_list(buf, n);
	case CFG_PRESET:
		snprintf(buf, n, "a name that losslab run --presets lists, or nothing");
		return buf;
	case CFG_TEXT:
		snprintf(buf, n, "text of %s%zu bytes at most", *k->def ? "1 to " : "", k->size - 1);
		return buf;
	case CFG_RATE:
		snprintf(buf, n, "like 40gbit, a whole number of ps per byte");
		break;
	case CFG_LOSS:
		snprintf(buf, n, "0..1, or that @SWITCH");
		break;
	case CFG_LIST:
		snprintf(buf, n, "0..%d with commas between", CFG_CLASSES - 1);
		break;
	default:
		print_range(k, buf, n);
	}
	if (k->special.word)
		snprintf(buf + strlen(buf), n - strlen(buf), ", or %s", k->special.word);
	return buf;
}

void cfg_print(const struct run_cfg *c, FILE *out)
{
	const struct cfg_key *k;
	char buf[64];

	for (u32 i = 0; (k = cfg_key(i)); i++) {
		fprintf(out, "%s=%s", k->name, cfg_value_text(c, k, buf, sizeof(buf)));
		if (k->kind == CFG_LOSS && *c->loss_at)
			fprintf(out, "@%s", c->loss_at);
		fputc('\n', out);
	}
}

const char *cfg_help_text(const struct cfg_key *k, char *buf, size_t n)
{
	char allowed[200], users[160] = "";
	const struct cfg_key *alg;

	for (u32 i = 0; (alg = cfg_alg_key(i)); i++)
		if (alg == k)
			cfg_alg_users(i, users, sizeof(users));
	cfg_allowed(k, allowed, sizeof(allowed));
	snprintf(buf, n, "%s%s%s\n%s%s%s%s", users, *users ? ": " : "", k->help, allowed, *k->def ? " [" : "", k->def,
		 *k->def ? "]" : "");
	return buf;
}
