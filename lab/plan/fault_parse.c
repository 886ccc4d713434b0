// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing rules of faults, TIME[-TIME]:WHAT[=VALUE]:WHERE, into events: see lab/plan/FAULTS.md. */
#include "lab/plan/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/config/cfg_keys.h"
#include "lab/text.h"
#include "lab/plan/plan_impl.h"

#define FAULT_LATEST (TIME_LIMIT / 2 / PS_PER_S) /* s: leaves room below TIME_LIMIT for routes to follow */

/* A rule, taken apart. */
struct rule {
	char text[TEXT_LINE_MAX];
	const char *where;
	u64 from, to; /* to: TIME_NEVER if it has no end */
	u64 down_for, up_for;
	u32 value;
};

struct reader {
	struct plan *f;
	struct err *err;
	u32 rule; /* number of the rule; one about several ports counts once for each */
	struct rule s;
};

static int bad(const struct reader *r, const char *part, const char *why)
{
	return err_set(r->err, -EINVAL, "fault %s: %s: %s", text_quote(r->s.text).s, *part ? text_quote(part).s : "''",
		       why);
}

static int add(struct reader *r, u64 at, enum fault_kind kind, u32 port, u32 value)
{
	struct faults *p = &r->f->faults;

	if (at == TIME_NEVER)
		return 0;
	if (p->n == FAULTS_MAX)
		return err_set(r->err, -EINVAL, "fault %s: more than %u events", text_quote(r->s.text).s, FAULTS_MAX);
	if (p->n == p->room) {
		u32 room = p->room ? 2 * p->room : 64;
		struct fault *list = realloc(p->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		p->list = list;
		p->room = room;
	}
	p->list[p->n] =
		(struct fault){ .at = at, .order = p->n, .kind = kind, .port = port, .value = value, .rule = r->rule };
	p->list[p->n].first = !p->n || p->list[p->n - 1].rule != r->rule;
	p->n++;
	return 0;
}

/* A link goes down or comes up; routes follow. */
static int add_link(struct reader *r, u64 at, bool down, u32 port)
{
	u64 delay = r->f->cfg->route_delay;
	int rc = add(r, at, down ? FAULT_DOWN : FAULT_UP, port, 0);

	return rc || at == TIME_NEVER || delay == TIME_NEVER ? rc : add(r, at + delay, FAULT_ROUTES, port, down);
}

/* ---- what ---- */

static int add_down(struct reader *r, u32 port)
{
	int rc = add_link(r, r->s.from, true, port);

	return rc ? rc : add_link(r, r->s.to, false, port);
}

static int add_up(struct reader *r, u32 port)
{
	return add_link(r, r->s.from, false, port);
}

static int add_flap(struct reader *r, u32 port)
{
	u64 at = r->s.from;
	int rc = 0;

	while (!rc && at < r->s.to) {
		rc = add_link(r, at, true, port);
		at = at + r->s.down_for < r->s.to ? at + r->s.down_for : r->s.to;
		if (!rc)
			rc = add_link(r, at, false, port);
		at += r->s.up_for;
	}
	return rc;
}

static int add_drop(struct reader *r, u32 port)
{
	int rc = add(r, r->s.from, FAULT_DROP, port, r->s.value);

	return rc ? rc : add(r, r->s.to, FAULT_DROP, port, 0);
}

static int add_corrupt(struct reader *r, u32 port)
{
	int rc = add(r, r->s.from, FAULT_CORRUPT, port, r->s.value);

	return rc ? rc : add(r, r->s.to, FAULT_CORRUPT, port, 0);
}

static int add_storm(struct reader *r, u32 port)
{
	int rc = add(r, r->s.from, FAULT_PAUSE, port, r->s.value);

	return rc ? rc : add(r, r->s.to, FAULT_RESUME, port, r->s.value);
}

static int parse_nothing(struct reader *r, char *value)
{
	return value ? bad(r, value, "not allowed: this fault takes no value") : 0;
}

static int parse_share(struct reader *r, char *value)
{
	struct err why;
	u32 ppb;

	if (!value || unit_prob(value, &ppb, &why) || !ppb)
		return bad(r, value ? value : "", "not a share of frames; allowed: above 0, up to 1");
	r->s.value = prob32(ppb);
	return 0;
}

static int parse_class(struct reader *r, char *value)
{
	u64 class;

	if (!value || text_u64(value, FAB_CLASSES - 1, &class))
		return bad(r, value ? value : "", "not a class; allowed: 0..7");
	if (!(r->f->fab.pfc >> class & 1))
		return bad(r, value,
			   r->f->fab.credits       ? "credit flow control has no PAUSE; needs fc=pfc"
				   : r->f->fab.pfc ? "PFC does not cover this class; allowed: those of pfc_classes="
						   : "PFC is off; needs fc=pfc");
	r->s.value = class;
	return 0;
}

static int parse_time(struct reader *r, const char *word, u64 *t)
{
	struct err err;
	char why[64];

	if (unit_time(word, t, &err))
		return bad(r, word, "not a time like 1.5ms");
	if (*t > FAULT_LATEST * PS_PER_S) {
		snprintf(why, sizeof(why), "too late; allowed: up to %llus", FAULT_LATEST);
		return bad(r, word, why);
	}
	return 0;
}

/* DOWN/UP */
static int parse_flap(struct reader *r, char *value)
{
	char *slash = value ? strchr(value, '/') : NULL;
	int rc;

	if (!slash)
		return bad(r, value ? value : "", "not DOWN/UP, like 50us/100us");
	*slash = '\0';
	rc = parse_time(r, value, &r->s.down_for);
	if (!rc)
		rc = parse_time(r, slash + 1, &r->s.up_for);
	if (!rc && (!r->s.down_for || !r->s.up_for))
		return bad(r, value, "DOWN and UP must be above 0");
	return rc;
}

static const struct what {
	const char *name;
	int (*parse)(struct reader *r, char *value);
	int (*add)(struct reader *r, u32 port);
	enum { ONE_TIME, TIME_OR_RANGE, RANGE } time;
	bool all_ports; /* WHERE may be a switch: all its ports */
	bool hosts;     /* WHERE may be a host's NIC, not only its link */
} whats[] = {
	{ "down", parse_nothing, add_down, TIME_OR_RANGE, false, false },
	{ "up", parse_nothing, add_up, ONE_TIME, false, false },
	{ "flap", parse_flap, add_flap, RANGE, false, false },
	{ "drop", parse_share, add_drop, TIME_OR_RANGE, true, false },
	{ "corrupt", parse_share, add_corrupt, TIME_OR_RANGE, true, false },
	{ "pause", parse_class, add_storm, TIME_OR_RANGE, false, true },
};
#define WHATS (sizeof(whats) / sizeof(whats[0]))

/* ---- where ---- */

static const struct topo_node *find_node(const struct topo *t, const char *name)
{
	for (u32 i = 0; i < t->n_nodes; i++)
		if (!strcmp(t->nodes[i].name, name))
			return &t->nodes[i];
	return NULL;
}

static int add_at(struct reader *r, const struct what *w, u32 port)
{
	r->rule++;
	return w->add(r, port);
}

static int add_switch(struct reader *r, const struct what *w, const struct topo_node *n, const char *port)
{
	u32 base = r->f->port_base[n->index];
	u64 number;
	int rc = 0;

	if (port) {
		if (*port != 'p' || text_u64(port + 1, n->n_ports - 1, &number))
			return bad(r, port, "not a port of this switch");
		return add_at(r, w, base + number);
	}
	if (!w->all_ports)
		return bad(r, n->name, "a switch; allowed: one of its ports, like s0:p1");
	for (u32 i = 0; !rc && i < n->n_ports; i++)
		rc = add_at(r, w, base + i);
	return rc;
}

static int add_where(struct reader *r, const struct what *w, char *where)
{
	char *port = strchr(where, ':');
	const struct topo_node *n;

	if (port)
		*port++ = '\0';
	n = find_node(r->f->topo, where);
	if (!n)
		return bad(r, where, "no such node");
	if (n->kind == TOPO_SWITCH)
		return add_switch(r, w, n, port);
	if (port)
		return bad(r, where, "a host; allowed: its name without a port");
	if (w->all_ports)
		return bad(r, where, "a host; allowed: a switch, or a port of one");
	return add_at(r, w, w->hosts ? n->index | FAULT_HOST : r->f->host_port[n->index]);
}

/* ---- rules ---- */

static int parse_times(struct reader *r, char *times)
{
	char *to = strchr(times, '-');
	int rc;

	if (to)
		*to++ = '\0';
	r->s.to = TIME_NEVER;
	rc = parse_time(r, times, &r->s.from);
	if (!rc && to)
		rc = parse_time(r, to, &r->s.to);
	if (!rc && r->s.to <= r->s.from)
		return bad(r, to, "not after the start; allowed: FROM-TO with FROM < TO");
	return rc;
}

static int check_time(const struct reader *r, const struct what *w)
{
	if (r->s.to != TIME_NEVER && w->time == ONE_TIME)
		return bad(r, w->name, "takes one time, not a range");
	if (r->s.to == TIME_NEVER && w->time == RANGE)
		return bad(r, w->name, "needs a range: FROM-TO");
	return 0;
}

/* TIME[-TIME]:WHAT[=VALUE]:WHERE */
static int read_rule(struct reader *r, const char *text)
{
	char word[TEXT_LINE_MAX], *what, *where, *value;
	const struct what *w = whats;
	int rc;

	snprintf(r->s.text, sizeof(r->s.text), "%s", text);
	snprintf(word, sizeof(word), "%s", text);
	what = strchr(word, ':');
	where = what ? strchr(what + 1, ':') : NULL;
	if (!where)
		return err_set(r->err, -EINVAL, "fault %s: not of the form TIME[-TIME]:WHAT:WHERE", text_quote(text).s);
	*what++ = '\0';
	*where++ = '\0';
	value = strchr(what, '=');
	if (value)
		*value++ = '\0';
	rc = parse_times(r, word);
	if (rc)
		return rc;
	while (w < whats + WHATS && strcmp(w->name, what))
		w++;
	if (w == whats + WHATS)
		return bad(r, what, "no such fault; allowed: down|up|flap=D/U|drop=P|corrupt=P|pause=CLASS");
	rc = check_time(r, w);
	if (!rc)
		rc = w->parse(r, value);
	return rc ? rc : add_where(r, w, where);
}

static int read_key(struct reader *r)
{
	char text[CFG_STR], *rest = text, *one;
	bool any = false;
	int rc = 0;

	snprintf(text, sizeof(text), "%s", r->f->cfg->fault);
	while (!rc && (one = strsep(&rest, ";"))) {
		one = text_trim(one);
		if (!*one)
			continue;
		any = true;
		rc = read_rule(r, one);
	}
	if (!any && r->f->cfg->fault[0])
		return err_set(r->err, -EINVAL,
			       "fault=%s: contains no rule; allowed: TIME[-TIME]:WHAT:WHERE, separated by ';'",
			       text_quote(r->f->cfg->fault).s);
	return rc;
}

static int read_file(struct reader *r, const char *path)
{
	char *text, what[sizeof("fault_file=") + sizeof(struct text_quote)];
	struct text_in csv;
	int rc;

	snprintf(what, sizeof(what), "fault_file=%s", text_quote(path).s);
	rc = text_open(&csv, path, what, r->err);
	if (rc)
		return rc == -EINTR ? rc : -EINVAL;
	while ((rc = text_line(&csv)) > 0) {
		text = cfg_text(csv.buf);
		rc = strchr(text, ';')
			? err_set(r->err, -EINVAL, "%s: contains ';'; allowed: one rule per line", text_quote(text).s)
			: *text ? read_rule(r, text)
				: 0;
		if (rc == -EINVAL) {
			text_fail(&csv, "%s", r->err->text);
		}
		if (rc)
			break;
	}
	text_close(&csv);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

int faults_plan(struct plan *f, struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	int rc = r ? 0 : -ENOMEM;

	if (r) {
		r->f = f;
		r->err = err;
		rc = read_key(r);
		if (!rc && f->cfg->fault_file[0])
			rc = read_file(r, f->cfg->fault_file);
	}
	free(r);
	if (!rc && f->faults.n)
		qsort(f->faults.list, f->faults.n, sizeof(*f->faults.list), compare);
	if (!rc)
		rc = faults_resolve(f);
	if (!rc)
		rc = faults_for_hosts(f);
	if (rc == -ENOMEM)
		err_set(err, -EINVAL, "faults: out of memory");
	return rc;
}
