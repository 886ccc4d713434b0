// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a configuration: one KEY=VALUE, or a file of them. */
#include <errno.h>
#include <string.h>

#include "bpf/buffer.h"
#include "lab/config/cfg_keys.h"
#include "lab/text.h"
#include "lab/config/preset.h"
#include "lab/workload/workload.h"
#include "topo/topo.h"

#define NAME_LEN_MAX 32 /* longer words are no name of ours and get no suggestion */
#define SUGGEST_MAX 3   /* edits: what is further off is another word */

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

/* The number of single-letter edits between two words, each shorter than NAME_LEN_MAX (Levenshtein, one row kept). */
static u32 edit_distance(const char *a, const char *b)
{
	u32 row[NAME_LEN_MAX], len = (u32)strlen(b);

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

const char *cfg_nearer(const char *word, const char *best, const char *name)
{
	u32 d;

	if (strlen(word) >= NAME_LEN_MAX)
		return NULL;
	d = edit_distance(word, name);
	if (d > SUGGEST_MAX || 2 * d > strlen(name)) /* half of it another: another word */
		return best;
	return best && edit_distance(word, best) <= d ? best : name;
}

static int unknown_key(const char *name, struct err *err)
{
	const char *nearest = NULL;
	const struct cfg_key *k;

	for (u32 i = 0; (k = cfg_key(i)); i++)
		nearest = cfg_nearer(name, nearest, k->name);
	if (nearest)
		return err_set(err, -EINVAL, "%s: no such key; did you mean %s?", text_quote(name).s, nearest);
	return err_set(err, -EINVAL, "%s: no such key; losslab run --help lists them", text_quote(name).s);
}

static int bad_value(const struct cfg_key *k, const char *v, const char *why, struct err *err)
{
	char allowed[160];

	return err_set(err, -EINVAL, "%s=%s: %s; allowed: %s", k->name, text_quote(v).s, why,
		       cfg_allowed(k, allowed, sizeof(allowed)));
}

/* "0.7", "1", "70.5%" in ppb. */
static const char *parse_load(const char *v, u64 *out)
{
	size_t len = strlen(v);
	char digits[32];

	if (!len || len >= sizeof(digits))
		return "not a number";
	if (v[len - 1] != '%')
		return text_decimal(v, 9, ~0U, out) ? "not a decimal number with at most nine places" : NULL;
	snprintf(digits, sizeof(digits), "%.*s", (int)(len - 1), v);
	return text_decimal(digits, 7, ~0U, out) ? "not a per cent with at most seven places" : NULL;
}

/* "1.5" in hundredths. */
static const char *parse_factor(const char *v, u64 *out)
{
	return text_decimal(v, 2, ~0U, out) ? "not a decimal number with at most two places" : NULL;
}

/* "40mbit" exactly: each unit is three more decimal places of a bit per second. */
static const char *parse_bps(const char *v, u64 *out)
{
	size_t len = strspn(v, "0123456789.");
	enum text_num rc;
	char digits[32];
	u32 unit = 0;

	while (unit < CFG_BPS_UNITS && strcasecmp(v + len, cfg_bps_units[unit]))
		unit++;
	if (unit == CFG_BPS_UNITS)
		return "no unit: say bit, kbit, mbit, gbit or tbit";
	if (len >= sizeof(digits))
		return "too many digits";
	snprintf(digits, sizeof(digits), "%.*s", (int)len, v);
	rc = text_decimal(digits, 3 * unit, ~0ULL, out);
	return rc == TEXT_NOT_A_NUMBER ? "not a whole number of bits per second" : rc ? text_num_why[rc] : NULL;
}

/* "1/8", "2": a whole number over a power of two, exactly. */
static const char *parse_frac(const char *v, u64 *out)
{
	size_t len = strcspn(v, "/");
	u64 above, below = 1;
	enum text_num rc = TEXT_OK;
	char digits[16];

	if (len >= sizeof(digits))
		return "too large";
	snprintf(digits, sizeof(digits), "%.*s", (int)len, v);
	if (v[len])
		rc = text_u64(v + len + 1, 1ULL << ALPHA_SHIFT, &below);
	if (text_u64(digits, ~0U, &above) || (rc && rc != TEXT_TOO_LARGE))
		return "not a whole number, nor one over another";
	if (rc || !below || below & (below - 1))
		return "not over a power of two up to 65536";
	*out = (above << ALPHA_SHIFT) / below;
	return NULL;
}

/* "3,5" as a bit each. */
static const char *parse_list(const char *v, u64 *out)
{
	for (*out = 0;; v += 2) {
		if (v[0] < '0' || v[0] >= '0' + CFG_CLASSES || (v[1] && v[1] != ','))
			return "not a list of classes";
		if (*out >> (v[0] - '0') & 1)
			return "names a class twice";
		*out |= 1ULL << (v[0] - '0');
		if (!v[1])
			return NULL;
	}
}

/* The units' functions begin with "rate 40: ", which the caller says better. */
static const char *unit_why(const struct err *unit_err)
{
	const char *colon = strstr(unit_err->text, ": ");

	return colon ? colon + 2 : unit_err->text;
}

/* A number in the member's unit. NULL, or why not. */
static const char *parse_number(const struct cfg_key *k, const char *v, u64 *out, struct err *unit_err)
{
	u32 word = 0;
	int rc;

	switch (k->kind) {
	case CFG_NUM:
		rc = text_u64(v, ~0ULL, out);
		return rc == TEXT_NOT_A_NUMBER ? "is not a whole number" : rc ? text_num_why[rc] : NULL;
	case CFG_LOAD:
		return parse_load(v, out);
	case CFG_FACTOR:
		return parse_factor(v, out);
	case CFG_SIZE:
		return unit_size(v, out, unit_err) ? unit_why(unit_err) : NULL;
	case CFG_TIME:
		return unit_time(v, out, unit_err) ? unit_why(unit_err) : NULL;
	case CFG_RATE:
		rc = unit_rate(v, &word, unit_err);
		*out = word;
		return rc ? unit_why(unit_err) : NULL;
	case CFG_BPS:
		return parse_bps(v, out);
	case CFG_FRAC:
		return parse_frac(v, out);
	case CFG_LIST:
		return parse_list(v, out);
	default:
		rc = unit_prob(v, &word, unit_err);
		*out = word;
		return rc ? unit_why(unit_err) : NULL;
	}
}

static int set_number(struct run_cfg *c, const struct cfg_key *k, const char *v, struct err *err)
{
	struct err unit_err;
	const char *why;
	u64 n = 0;

	if (k->special.word && !strcmp(v, k->special.word)) {
		cfg_put(c, k, k->special.value);
		return 0;
	}
	why = parse_number(k, v, &n, &unit_err);
	if (!why)
		why = cfg_why_not(k, n);
	if (why)
		return bad_value(k, v, why, err);
	cfg_put(c, k, n);
	return 0;
}

/* The rest of the member is cleared, so that equal configurations are equal bytes. */
static void put_text(char *member, size_t size, const char *v)
{
	memset(member, 0, size);
	memcpy(member, v, strlen(v));
}

static int set_word(struct run_cfg *c, const struct cfg_key *k, const char *v, struct err *err)
{
	const char *word;

	if (k->special.word && !strcmp(v, k->special.word)) {
		cfg_put(c, k, k->special.value);
		return 0;
	}
	for (u32 i = 0; (word = cfg_word(k, i)); i++) {
		if (strcmp(v, word))
			continue;
		if (k->kind == CFG_WORD)
			cfg_put(c, k, i);
		else
			put_text((char *)c + k->off, k->size, v);
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

static int set_text(struct run_cfg *c, const struct cfg_key *k, const char *v, struct err *err)
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
	if (k->kind == CFG_PRESET && *v && !preset_find(v))
		return preset_unknown(v, err);
	put_text((char *)c + k->off, k->size, v);
	return 0;
}

/* P or P@SWITCH. */
static int set_loss(struct run_cfg *c, const struct cfg_key *k, const char *v, struct err *err)
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
		put_text(c->loss_at, sizeof(c->loss_at), *at ? at + 1 : "");
	return rc;
}

/* "fc=auto" and the like, where that is the default, take a value back rather than give one. */
static void note_given(struct run_cfg *c, u32 number, const char *v)
{
	const struct cfg_key *k = cfg_key(number);
	u64 bit = 1ULL << number % 64;

	c->given[number / 64] |= bit;
	if (k->special.word && !strcmp(v, k->special.word) && !strcmp(v, k->def))
		c->given[number / 64] &= ~bit;
}

static int set_key(struct run_cfg *c, u32 number, const char *v, struct err *err)
{
	const struct cfg_key *k = cfg_key(number);
	int rc;

	switch (k->kind) {
	case CFG_WORD:
	case CFG_NAME:
		rc = set_word(c, k, v, err);
		break;
	case CFG_TEXT:
	case CFG_PRESET:
	case CFG_WORKLOAD:
		rc = set_text(c, k, v, err);
		break;
	case CFG_LOSS:
		rc = set_loss(c, k, v, err);
		break;
	default:
		rc = set_number(c, k, v, err);
	}
	if (!rc)
		note_given(c, number, v);
	return rc;
}

u64 cfg_number(const struct run_cfg *c, const char *key)
{
	return cfg_get(c, cfg_key((u32)cfg_key_number(key)));
}

bool cfg_given(const struct run_cfg *c, const char *key)
{
	int number = cfg_key_number(key);

	return number >= 0 && c->given[number / 64] >> number % 64 & 1;
}

void cfg_defaults(struct run_cfg *c)
{
	struct err err;
	const struct cfg_key *k;

	memset(c, 0, sizeof(*c));
	for (u32 i = 0; (k = cfg_key(i)); i++)
		set_key(c, i, k->def, &err); /* test_cfg.c proves that all are accepted */
	memset(c->given, 0, sizeof(c->given));
}

int cfg_set(struct run_cfg *c, const char *word, struct err *err)
{
	const char *equals = strchr(word, '=');
	char name[CFG_STR];
	int number;

	if (!equals || equals == word)
		return err_set(err, -EINVAL, "%s: not of the form KEY=VALUE", text_quote(word).s);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - word), word);
	number = cfg_key_number(name);
	return number < 0 ? unknown_key(name, err) : set_key(c, number, equals + 1, err);
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
	return text_trim(line);
}

int cfg_read_line(struct run_cfg *c, struct text_in *csv, u32 *seen)
{
	char *name, *value;
	struct err why;
	int number;

	name = cfg_text(csv->buf);
	if (!*name)
		return 0;
	value = strchr(name, '=');
	if (!value || value == name)
		return text_fail(csv, "%s: not of the form KEY=VALUE", text_quote(name).s);
	*value++ = '\0';
	name = text_trim(name);
	number = cfg_key_number(name);
	if (number < 0) {
		unknown_key(name, &why);
		return text_fail(csv, "%s", why.text);
	}
	if (seen[number])
		return text_fail(csv, "%s: given before, on line %u", name, seen[number]);
	seen[number] = csv->line;
	return set_key(c, number, text_trim(value), &why) ? text_fail(csv, "%s", why.text) : 0;
}
