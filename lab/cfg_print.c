// SPDX-License-Identifier: GPL-2.0
/* Printing a configuration, and the help on its keys. */
#include <string.h>

#include "lab/cfg_keys.h"
#include "lab/workload.h"
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

const char *cfg_number_text(const struct cfg_key *k, u64 v, char *buf, size_t n)
{
	if (k->special.word && k->kind != CFG_WORD && v == k->special.value)
		return k->special.word;
	switch (k->kind) {
	case CFG_TIME:
		return unit_print_time(v, buf, n);
	case CFG_RATE:
		return unit_print_rate((u32)v, buf, n);
	case CFG_PROB:
	case CFG_LOSS:
		return print_prob((u32)v, buf, n);
	case CFG_LOAD:
		snprintf(buf, n, "%llu.%02llu", v / 100, v % 100);
		return buf;
	case CFG_WORD:
		return k->words[v];
	default:
		snprintf(buf, n, "%llu", v);
		return buf;
	}
}

bool cfg_in_range(const struct cfg_key *k, u64 v)
{
	return (k->special.word && v == k->special.value) || (v >= k->min && v <= k->max);
}

static const char *list_words(const struct cfg_key *k, char *buf, size_t n)
{
	size_t used = 0;

	buf[0] = '\0';
	for (u32 i = 0; k->words[i] && used < n; i++)
		used += (size_t)snprintf(buf + used, n - used, "%s%s", i ? "|" : "", k->words[i]);
	if (k->special.word && used < n)
		snprintf(buf + used, n - used, "|%s", k->special.word);
	return buf;
}

const char *cfg_allowed(const struct cfg_key *k, char *buf, size_t n)
{
	const char *unit = k->kind == CFG_SIZE ? " bytes" : "";
	char min[32], max[32];

	switch (k->kind) {
	case CFG_WORD:
	case CFG_NAME:
		return list_words(k, buf, n);
	case CFG_WORKLOAD:
		return workload_list(buf, n);
	case CFG_TEXT:
		snprintf(buf, n, "text of %s%zu bytes at most", *k->def ? "1 to " : "", k->size - 1);
		return buf;
	case CFG_RATE:
		snprintf(buf, n, "like 40gbit, a whole number of ps per byte");
		break;
	case CFG_PROB:
		snprintf(buf, n, "0..1");
		break;
	case CFG_LOSS:
		snprintf(buf, n, "0..1, or that @SWITCH");
		break;
	default:
		snprintf(buf, n, "%s..%s%s", cfg_number_text(k, k->min, min, sizeof(min)),
			 cfg_number_text(k, k->max, max, sizeof(max)), unit);
	}
	if (k->special.word)
		snprintf(buf + strlen(buf), n - strlen(buf), ", or %s", k->special.word);
	return buf;
}

void cfg_print(const struct run_cfg *c, FILE *out)
{
	char buf[64];

	for (u32 i = 0; i < cfg_n_keys; i++) {
		const struct cfg_key *k = &cfg_keys[i];
		bool text = k->kind == CFG_NAME || k->kind == CFG_TEXT || k->kind == CFG_WORKLOAD;

		fprintf(out, "%s=%s", k->name,
			text ? (const char *)c + k->off : cfg_number_text(k, cfg_get(c, k), buf, sizeof(buf)));
		if (k->kind == CFG_LOSS && *c->loss_at)
			fprintf(out, "@%s", c->loss_at);
		fputc('\n', out);
	}
}

void cfg_help(FILE *out)
{
	char allowed[160];

	for (u32 i = 0; i < cfg_n_keys; i++) {
		const struct cfg_key *k = &cfg_keys[i];

		fprintf(out, "  %-12s %s\n", k->name, k->help);
		fprintf(out, "  %-12s   %s", "", cfg_allowed(k, allowed, sizeof(allowed)));
		fprintf(out, *k->def ? " [%s]\n" : "\n", k->def);
	}
}
