// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text format of topologies (topo/FORMAT.md): reading and writing. A file is hostile
 * until it is parsed: every line, word, count and number has a bound.
 */
#include "topo/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topo/err.h"

#define LINE_BYTES 255     /* of one line, without its newline */
#define LINES_MAX 4000000u /* more than the links of the largest graph */
#define BLANKS " \t"

struct parser {
	struct builder b;
	bool has_title;
	bool has_defaults;
	struct topo_link defaults; /* rate, delay and loss of a "default" line */
};

/* 1: a line is in buf[LINE_BYTES + 1]; 0: end of file; negative: an error. */
static int read_line(struct builder *b, FILE *in, char *buf)
{
	size_t n = 0;
	int c;

	if (b->line == LINES_MAX)
		return build_error(b, "more than %u lines", LINES_MAX);
	b->line++;
	while ((c = getc(in)) != EOF && c != '\n') {
		if (!c)
			return build_error(b, "a NUL byte: not a text file");
		if (n == LINE_BYTES)
			return build_error(b, "line longer than %d bytes", LINE_BYTES);
		buf[n++] = c;
	}
	if (ferror(in)) {
		build_error(b, "cannot read: %s", strerror(errno));
		return -EIO;
	}
	if (c == EOF && !n) {
		if (b->line > 1)
			b->line--;
		return 0;
	}
	buf[n] = '\0';
	return 1;
}

/* Take off the comment and the end of the line; what is left must be plain ASCII. */
static int clean_line(struct builder *b, char *line)
{
	size_t n = strcspn(line, "#");

	while (n && strchr(BLANKS "\r", line[n - 1]))
		n--;
	line[n] = '\0';
	for (const unsigned char *c = (unsigned char *)line; *c; c++)
		if ((*c < ' ' && *c != '\t') || *c >= 0x7f)
			return build_error(b, "byte 0x%02x: only ASCII text outside comments", *c);
	return 0;
}

static int read_rate(struct builder *b, const char *word, struct topo_link *link)
{
	struct err why;

	return unit_rate(word, &link->ps_per_byte, &why) ? build_error(b, "%s", why.text) : 0;
}

static int read_delay(struct builder *b, const char *word, struct topo_link *link)
{
	struct err why;

	if (unit_time(word, &link->delay_ps, &why))
		return build_error(b, "%s", why.text);
	/* A window of virtual time is no longer than the shortest delay: 0 would stop the clock. */
	if (!link->delay_ps)
		return build_error(b, "delay %.40s: must be above 0", word);
	if (link->delay_ps > TOPO_DELAY_MAX)
		return build_error(b, "delay %.40s: above 1s", word);
	return 0;
}

static int read_loss(struct builder *b, const char *word, struct topo_link *link)
{
	struct err why;

	if (!word)
		return build_error(b, "loss: probability missing");
	return unit_prob(word, &link->loss_ppb, &why) ? build_error(b, "%s", why.text) : 0;
}

/* [RATE [DELAY]] [loss P], as they end a "link" or a "default" line. 0: neither is missing. */
static int read_qualities(struct parser *p, const char *stmt, bool optional, char **rest, struct topo_link *link)
{
	static int (*const readers[])(struct builder *, const char *, struct topo_link *) = { read_rate, read_delay };
	static const char *const missing[] = { "rate", "delay" };
	const char *word = strtok_r(NULL, BLANKS, rest);
	u32 n = 0;
	int rc;

	for (; word && strcmp(word, "loss") && n < 2; n++) {
		rc = readers[n](&p->b, word, link);
		if (rc)
			return rc;
		word = strtok_r(NULL, BLANKS, rest);
	}
	if (n < 2 && !optional)
		return build_error(&p->b, "%s: %s missing%s", stmt, missing[n],
				   *stmt == 'l' ? ", and there is no default line above" : "");
	if (word && !strcmp(word, "loss")) {
		rc = read_loss(&p->b, strtok_r(NULL, BLANKS, rest), link);
		if (rc)
			return rc;
		word = strtok_r(NULL, BLANKS, rest);
	}
	return word ? build_error(&p->b, "%s: unexpected word '%.40s'", stmt, word) : 0;
}

static int parse_title(struct parser *p, char **rest)
{
	struct topo *t = p->b.t;
	const char *text = strtok_r(NULL, "", rest);

	if (text)
		text += strspn(text, BLANKS);
	if (!text || !*text)
		return build_error(&p->b, "title: text missing");
	if (p->has_title)
		return build_error(&p->b, "title: given twice");
	if (strlen(text) >= sizeof(t->title))
		return build_error(&p->b, "title: longer than %zu bytes", sizeof(t->title) - 1);
	strcpy(t->title, text);
	p->has_title = true;
	return 0;
}

static int parse_default(struct parser *p, char **rest)
{
	p->defaults = (struct topo_link){ 0 };
	p->has_defaults = true;
	return read_qualities(p, "default", false, rest, &p->defaults);
}

static int parse_node(struct parser *p, const char *stmt, enum topo_kind kind, char **rest)
{
	const char *name = strtok_r(NULL, BLANKS, rest);
	const char *more = strtok_r(NULL, BLANKS, rest);

	if (!name)
		return build_error(&p->b, "%s: name missing", stmt);
	if (more)
		return build_error(&p->b, "%s: unexpected word '%.40s'", stmt, more);
	return build_node(&p->b, kind, name);
}

static int parse_host(struct parser *p, char **rest)
{
	return parse_node(p, "host", TOPO_HOST, rest);
}

static int parse_switch(struct parser *p, char **rest)
{
	return parse_node(p, "switch", TOPO_SWITCH, rest);
}

static int parse_link(struct parser *p, char **rest)
{
	const char *from = strtok_r(NULL, BLANKS, rest);
	const char *to = strtok_r(NULL, BLANKS, rest);
	struct topo_link link = p->defaults;
	int rc;

	if (!to)
		return build_error(&p->b, "link: two nodes needed");
	rc = read_qualities(p, "link", p->has_defaults, rest, &link);
	return rc ? rc : build_link(&p->b, from, to, link);
}

static int parse_route(struct parser *p, char **rest)
{
	const char *sw = strtok_r(NULL, BLANKS, rest);
	const char *host = strtok_r(NULL, BLANKS, rest);
	char *ports = strtok_r(NULL, "", rest);

	if (!ports)
		return build_error(&p->b, "route: a switch, a host and one port or more needed");
	return build_route(&p->b, sw, host, ports);
}

static const struct {
	const char *word;
	int (*parse)(struct parser *p, char **rest);
} statements[] = {
	{ "title", parse_title },   { "default", parse_default }, { "host", parse_host },
	{ "switch", parse_switch }, { "link", parse_link },       { "route", parse_route },
};

static int parse_line(struct parser *p, char *line)
{
	char *rest = NULL;
	const char *word;
	int rc;

	rc = clean_line(&p->b, line);
	if (rc)
		return rc;
	word = strtok_r(line, BLANKS, &rest);
	if (!word)
		return 0;
	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++)
		if (!strcmp(word, statements[i].word))
			return statements[i].parse(p, &rest);
	return build_error(&p->b, "unknown word '%.40s': say title, default, host, switch, link or route", word);
}

int topo_parse(FILE *in, const char *name, struct topo **out, struct err *err)
{
	struct parser p = { .b = { .name = name, .err = err } };
	char line[LINE_BYTES + 1];
	int rc;

	*out = NULL;
	p.b.t = calloc(1, sizeof(*p.b.t));
	if (!p.b.t)
		return err_set(err, -ENOMEM, "%.96s: out of memory", name);
	while ((rc = read_line(&p.b, in, line)) > 0) {
		rc = parse_line(&p, line);
		if (rc)
			break;
	}
	if (!rc)
		rc = build_finish(&p.b);
	free(p.b.slots);
	free(p.b.node_line);
	if (rc)
		topo_free(p.b.t);
	else
		*out = p.b.t;
	return rc;
}

void topo_free(struct topo *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t->links);
	free(t->hosts);
	free(t->switches);
	free(t->routes);
	free(t);
}

/* " loss 0.001", with no zeros at the end; nothing for a link that loses nothing. */
static void print_loss(u32 ppb, FILE *out)
{
	char digits[16];
	int n;

	if (!ppb)
		return;
	if (ppb >= 1000000000) {
		fputs(" loss 1", out);
		return;
	}
	n = snprintf(digits, sizeof(digits), "%09u", ppb);
	while (digits[n - 1] == '0')
		n--;
	fprintf(out, " loss 0.%.*s", n, digits);
}

int topo_print(const struct topo *t, FILE *out)
{
	char rate[32], delay[32];

	if (*t->title)
		fprintf(out, "title %s\n", t->title);
	for (u32 n = 0; n < t->n_nodes; n++)
		fprintf(out, "%s %s\n", t->nodes[n].kind == TOPO_HOST ? "host" : "switch", t->nodes[n].name);
	for (u32 l = 0; l < t->n_links; l++) {
		const struct topo_link *link = &t->links[l];

		fprintf(out, "link %s %s %s %s", t->nodes[link->node[0]].name, t->nodes[link->node[1]].name,
			unit_print_rate(link->ps_per_byte, rate, sizeof(rate)),
			unit_print_time(link->delay_ps, delay, sizeof(delay)));
		print_loss(link->loss_ppb, out);
		fputc('\n', out);
	}
	for (u32 i = 0; i < t->n_routes; i++) {
		const struct topo_route *route = &t->routes[i];

		fprintf(out, "route %s %s", t->nodes[t->switches[route->sw]].name,
			t->nodes[t->hosts[route->host]].name);
		for (u64 ports = route->ports; ports; ports &= ports - 1)
			fprintf(out, " p%d", __builtin_ctzll(ports));
		fputc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}
