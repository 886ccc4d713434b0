// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Resolving rules of faults that overlap: where two concern the same thing, the one that starts later replaces the
 * other.
 *
 * A subject is what a rule can be about: one link, or one port's drops, its corruption, or its storm of one class (a
 * host's too). The events are visited in order of time. The first event of a rule makes it the active rule of its
 * subject; an event of a rule that is not active any more is removed.
 */
#include <errno.h>
#include <stdlib.h>

#include "lab/plan/plan.h"

#define NO_RULE (~0U)

/* The subjects of a port or host, besides its link. */
enum { SUBJECT_DROP, SUBJECT_CORRUPT, SUBJECT_STORM, SUBJECTS = SUBJECT_STORM + FAB_CLASSES };

struct resolver {
	const struct plan *f;
	u32 *link_rule;    /* [links]: the active rule of each link, or NO_RULE */
	u32 *subject_rule; /* [ports, then hosts][SUBJECTS]: the same for the other subjects */
	bool *removed;     /* [fault.order] */
};

/* Where the active rule of @x's subject is kept. */
static u32 *active_rule(const struct resolver *r, const struct fault *x)
{
	u32 place = x->port & FAULT_HOST ? r->f->size.ports + (x->port & ~FAULT_HOST) : x->port;
	u32 *subjects = &r->subject_rule[(size_t)place * SUBJECTS];

	switch (x->kind) {
	case FAULT_DROP:
		return &subjects[SUBJECT_DROP];
	case FAULT_CORRUPT:
		return &subjects[SUBJECT_CORRUPT];
	case FAULT_PAUSE:
	case FAULT_RESUME:
		return &subjects[SUBJECT_STORM + x->value];
	default:
		return &r->link_rule[plan_port_link(r->f, x->port)];
	}
}

/*
 * Is @x to be applied? Routes learn of a link that went down or up even if another rule has become active since: they
 * follow the event before them in their rule.
 */
static bool keep(struct resolver *r, const struct fault *x)
{
	u32 *active = active_rule(r, x);

	if (x->kind == FAULT_ROUTES)
		return !r->removed[x->order - 1];
	if (x->first)
		*active = x->rule;
	r->removed[x->order] = *active != x->rule;
	return !r->removed[x->order];
}

/* Is some storm on after the last event? Reuses subject_rule: 1 for a storm that is on, 0 for one that has ended. */
static bool is_endless(const struct resolver *r)
{
	const struct faults *p = &r->f->faults;
	bool endless = false;

	for (u32 i = 0; i < p->n; i++)
		if (p->list[i].kind == FAULT_PAUSE || p->list[i].kind == FAULT_RESUME)
			*active_rule(r, &p->list[i]) = p->list[i].kind == FAULT_PAUSE;
	for (u32 i = 0; i < p->n; i++)
		endless |= p->list[i].kind == FAULT_PAUSE && *active_rule(r, &p->list[i]);
	return endless;
}

static u32 *no_rules(size_t n)
{
	u32 *rules = malloc((n + 1) * sizeof(*rules));

	for (size_t i = 0; rules && i < n; i++)
		rules[i] = NO_RULE;
	return rules;
}

/* Remove replaced events from the list. */
static void resolve(struct resolver *r, struct faults *p)
{
	u32 n = 0;

	for (u32 i = 0; i < p->n; i++)
		if (keep(r, &p->list[i]))
			p->list[n++] = p->list[i];
	p->n = n;
	p->endless = is_endless(r);
}

int faults_resolve(struct plan *f)
{
	struct resolver r = {
		.f = f,
		.link_rule = no_rules(f->topo->n_links),
		.subject_rule = no_rules((size_t)(f->size.ports + f->size.hosts) * SUBJECTS),
		.removed = calloc(f->faults.n + 1, sizeof(bool)),
	};
	bool ok = r.link_rule && r.subject_rule && r.removed;

	if (ok)
		resolve(&r, &f->faults);
	free(r.link_rule);
	free(r.subject_rule);
	free(r.removed);
	return ok ? 0 : -ENOMEM;
}
