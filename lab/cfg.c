// SPDX-License-Identifier: GPL-2.0
/* Reading a configuration: one KEY=VALUE, or a file of them. */
#include <errno.h>
#include <string.h>

#include "lab/cfg_keys.h"
#include "lab/csv.h"
#include "lab/workload.h"
#include "topo/topo.h"

#define KEY_LEN_MAX 32 /* longer words are no key of ours and get no suggestion */
#define SUGGEST_MAX 3  /* edits: what is further off is another word */

u64 cfg_get(const struct run_cfg *c, const struct cfg_key *k)
{
	const char *p = (const char *)c + k->off;
	u64 wide = 0;
	u32 word = 0;

	if (k->size == sizeof(bool))
		return *(const bool *)p;
	if (k->size == sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		return word;
	}
	memcpy(&wide, p, sizeof(wide));
	return wide;
}

void cfg_put(struct run_cfg *c, const struct cfg_key *k, u64 v)
{
	char *p = (char *)c + k->off;
	u32 word = (u32)v;

	if (k->size == sizeof(bool))
		*(bool *)p = v;
	else if (k->size == sizeof(word))
		memcpy(p, &word, sizeof(word));
	else
		memcpy(p, &v, sizeof(v));
}

/* The number of single-letter edits between two words, each shorter than KEY_LEN_MAX (Levenshtein, one row kept). */
static u32 edit_distance(const char *a, const char *b)
{
	u32 row[KEY_LEN_MAX], len = (u32)strlen(b);

	for (u32 j = 0; j <= len; j++)
		row[j] = j;
	for (u32 i = 0; a[i]; i++) {
		u32 diagonal = row[0]; /* of the row before */

		row[0] = i + 1;
		for (u32 j = 1; j <= len; j++) {
			u32 change = diagonal + (a[i] != b[j - 1]);
			u32 gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = change < gap ? change : gap;
		}
	}
	return row[len];
}

static int unknown_key(const char *name, char *err)
{
	const char *nearest = NULL;
	u32 best = SUGGEST_MAX + 1;

	for (u32 i = 0; i < cfg_n_keys && strlen(name) < KEY_LEN_MAX; i++) {
		u32 d = edit_distance(name, cfg_keys[i].name);

		if (d < best && d < strlen(cfg_keys[i].name)) {
			best = d;
			nearest = cfg_keys[i].name;
		}
	}
	if (nearest)
		return csv_error(err, "%s: no such key; did you mean %s?", csv_quote(name).s, nearest);
	return csv_error(err, "%s: no such key; losslab run --help lists them", csv_quote(name).s);
}

static int bad_value(const struct cfg_key *k, const char *v, const char *why, char *err)
{
	char allowed[160];

	return csv_error(err, "%s=%s: %s; allowed: %s", k->name, csv_quote(v).s, why,
			 cfg_allowed(k, allowed, sizeof(allowed)));
}

/* "0.7", "1", "70%" in hundredths. */
static const char *parse_load(const char *v, u64 *out)
{
	size_t len = strlen(v);
	char digits[16];

	if (!len || len >= sizeof(digits))
		return "not a number";
	if (v[len - 1] != '%')
		return csv_decimal(v, 2, ~0U, out) ? "not a decimal number with at most two places" : NULL;
	snprintf(digits, sizeof(digits), "%.*s", (int)(len - 1), v);
	return csv_u64(digits, ~0U, out) ? "not a whole number of per cent" : NULL;
}

/* The units' functions begin with "rate 40: ", which the caller says better. */
static const char *unit_why(char *unit_err)
{
	char *colon = strstr(unit_err, ": ");

	return colon ? colon + 2 : unit_err;
}

/* A number in the member's unit. NULL, or why not. */
static const char *parse_number(const struct cfg_key *k, const char *v, u64 *out, char *unit_err)
{
	u32 word = 0;
	int rc;

	switch (k->kind) {
	case CFG_NUM:
		rc = csv_u64(v, ~0ULL, out);
		return rc == CSV_NOT_A_NUMBER ? "is not a whole number" : rc ? csv_num_why[rc] : NULL;
	case CFG_LOAD:
		return parse_load(v, out);
	case CFG_SIZE:
		return unit_size(v, out, unit_err) ? unit_why(unit_err) : NULL;
	case CFG_TIME:
		return unit_time(v, out, unit_err) ? unit_why(unit_err) : NULL;
	case CFG_RATE:
		rc = unit_rate(v, &word, unit_err);
		*out = word;
		return rc ? unit_why(unit_err) : NULL;
	default:
		rc = unit_prob(v, &word, unit_err);
		*out = word;
		return rc ? unit_why(unit_err) : NULL;
	}
}

static int set_number(struct run_cfg *c, const struct cfg_key *k, const char *v, char *err)
{
	char unit_err[TOPO_ERR_MAX];
	/* A plain 0 means "auto" and the like, but not "topology": delay=0 would mislead. */
	bool zero = !k->special.value && (k->kind == CFG_NUM || k->kind == CFG_SIZE) && !strcmp(v, "0");
	const char *why;
	u64 n = 0;

	if (k->special.word && (zero || !strcmp(v, k->special.word))) {
		cfg_put(c, k, k->special.value);
		return 0;
	}
	why = parse_number(k, v, &n, unit_err);
	if (!why && (n < k->min || n > k->max))
		why = "out of range";
	if (why)
		return bad_value(k, v, why, err);
	cfg_put(c, k, n);
	return 0;
}

static int set_word(struct run_cfg *c, const struct cfg_key *k, const char *v, char *err)
{
	if (k->special.word && !strcmp(v, k->special.word)) {
		cfg_put(c, k, k->special.value);
		return 0;
	}
	for (u32 i = 0; k->words[i]; i++) {
		if (strcmp(v, k->words[i]))
			continue;
		if (k->kind == CFG_WORD)
			cfg_put(c, k, i);
		else
			snprintf((char *)c + k->off, k->size, "%s", v);
		return 0;
	}
	return bad_value(k, v, "unknown", err);
}

/* Why @v could not stand in a file of KEY=VALUE lines and come back the same; NULL if it could. */
static const char *unprintable(const char *v)
{
	size_t len = strlen(v);

	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)v[i] < 0x20 || v[i] == 0x7f)
			return "holds a control character";
		if (v[i] == '#' && (!i || v[i - 1] == ' '))
			return "holds a '#' after a blank, which begins a comment";
	}
	return len && (v[0] == ' ' || v[len - 1] == ' ') ? "begins or ends with a blank" : NULL;
}

static int set_text(struct run_cfg *c, const struct cfg_key *k, const char *v, char *err)
{
	const char *why = unprintable(v);

	if (!why && strlen(v) >= k->size)
		why = "too long";
	if (!why && !*v && *k->def)
		why = "is empty";
	if (!why && k->kind == CFG_WORKLOAD && workload_kind(v) == WORKLOAD_UNKNOWN)
		why = "unknown";
	if (why)
		return bad_value(k, v, why, err);
	snprintf((char *)c + k->off, k->size, "%s", v);
	return 0;
}

/* P or P@SWITCH. */
static int set_loss(struct run_cfg *c, const struct cfg_key *k, const char *v, char *err)
{
	const char *at = strchrnul(v, '@');
	char prob[64];
	int rc;

	if ((size_t)(at - v) >= sizeof(prob))
		return bad_value(k, v, "not a number", err);
	if (*at && (!at[1] || strlen(at + 1) >= TOPO_NAME_MAX || strpbrk(at + 1, " \t@#") || unprintable(at + 1)))
		return bad_value(k, v, "what follows the @ is not the name of a switch", err);
	snprintf(prob, sizeof(prob), "%.*s", (int)(at - v), v);
	rc = set_number(c, k, prob, err);
	if (!rc)
		snprintf(c->loss_at, sizeof(c->loss_at), "%s", *at ? at + 1 : "");
	return rc;
}

static int set_key(struct run_cfg *c, const struct cfg_key *k, const char *v, char *err)
{
	int rc;

	switch (k->kind) {
	case CFG_WORD:
	case CFG_NAME:
		rc = set_word(c, k, v, err);
		break;
	case CFG_TEXT:
	case CFG_WORKLOAD:
		rc = set_text(c, k, v, err);
		break;
	case CFG_LOSS:
		rc = set_loss(c, k, v, err);
		break;
	default:
		rc = set_number(c, k, v, err);
	}
	/* "xoff=auto" and "flows=0" take a value back rather than give one. */
	if (!rc && k->given)
		*(bool *)((char *)c + k->given) =
			!k->special.word || (strcmp(v, k->special.word) && (k->kind == CFG_WORD || cfg_get(c, k)));
	return rc;
}

static const struct cfg_key *find_key(const char *name)
{
	for (u32 i = 0; i < cfg_n_keys; i++)
		if (!strcmp(name, cfg_keys[i].name))
			return &cfg_keys[i];
	return NULL;
}

void cfg_defaults(struct run_cfg *c)
{
	char err[CFG_ERR_MAX];

	memset(c, 0, sizeof(*c));
	for (u32 i = 0; i < cfg_n_keys; i++)
		set_key(c, &cfg_keys[i], cfg_keys[i].def, err); /* test_cfg.c proves that all are accepted */
	c->topology_set = false;
}

int cfg_set(struct run_cfg *c, const char *word, char *err)
{
	const char *equals = strchr(word, '=');
	const struct cfg_key *k;
	char name[CFG_ERR_MAX];

	if (!equals || equals == word)
		return csv_error(err, "%s: not of the form KEY=VALUE", csv_quote(word).s);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - word < CFG_ERR_MAX ? equals - word : CFG_ERR_MAX), word);
	k = find_key(name);
	return k ? set_key(c, k, equals + 1, err) : unknown_key(name, err);
}

/* Cut a comment off: '#' at the beginning or after a blank, so that a path may hold one. */
static void cut_comment(char *s)
{
	for (char *p = s; *p; p++) {
		if (*p == '#' && (p == s || p[-1] == ' ' || p[-1] == '\t')) {
			*p = '\0';
			return;
		}
	}
}

char *cfg_text(char *line)
{
	cut_comment(line);
	return csv_trim(line);
}

int cfg_read_line(struct run_cfg *c, struct csv_in *csv, u32 *seen)
{
	char why[CFG_ERR_MAX], *name, *value;
	const struct cfg_key *k;

	name = cfg_text(csv->buf);
	if (!*name)
		return 0;
	value = strchr(name, '=');
	if (!value || value == name)
		return csv_fail(csv, "%s: not of the form KEY=VALUE", csv_quote(name).s);
	*value++ = '\0';
	name = csv_trim(name);
	k = find_key(name);
	if (!k) {
		unknown_key(name, why);
		return csv_fail(csv, "%s", why);
	}
	if (seen[k - cfg_keys])
		return csv_fail(csv, "%s: given before, on line %u", name, seen[k - cfg_keys]);
	seen[k - cfg_keys] = csv->line;
	return set_key(c, k, csv_trim(value), why) ? csv_fail(csv, "%s", why) : 0;
}

int cfg_read(struct run_cfg *c, FILE *in, const char *name, char *err)
{
	struct csv_in csv = { .in = in, .name = name, .err = err };
	u32 seen[CFG_KEYS_MAX] = { 0 };
	int rc;

	while ((rc = csv_line(&csv)) > 0) {
		rc = cfg_read_line(c, &csv, seen);
		if (rc)
			return rc;
	}
	return rc;
}
