// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers that a run goes by. */
#include "lab/run/computed.h"

#include <stdio.h>
#include <string.h>

#include "lab/config/cfg_keys.h"

static void add(struct run_result *r, const struct cfg_key *k, u64 v)
{
	struct computed *c = &r->computed[r->n_computed];
	char buf[sizeof(c->value)];

	if (r->n_computed == COMPUTED_MAX)
		return;
	c->name = k->name;
	snprintf(c->value, sizeof(c->value), "%s", cfg_number_text(k, v, buf, sizeof(buf)));
	r->n_computed++;
}

static void add_key(struct run_result *r, const char *name, u64 v)
{
	add(r, cfg_key((u32)cfg_key_number(name)), v);
}

static void thresholds(const struct plan *f, struct run_result *r)
{
	u64 xoff = ~0ULL, headroom = 0;

	for (u32 i = 0; i < f->size.ports; i++) {
		const struct port_cfg *p = &f->ports[i];

		xoff = min64(xoff, p->xoff);
		headroom = max64(headroom, f->fab.shared ? p->headroom : f->fab.buffer - p->xoff);
	}
	if (!f->fab.shared) /* a shared buffer's is what alpha leaves of it at the moment */
		add_key(r, "xoff", xoff);
	add_key(r, "headroom", headroom);
}

/* The member that cfg_alg_store() has filled in and resolve() may have changed, in the key's unit. */
static u64 stored(const struct param *p, const void *params)
{
	const char *member = (const char *)params + p->off;
	u64 v = 0;

	if (p->size == sizeof(bool))
		v = *(const bool *)member;
	else if (p->size == sizeof(u32))
		v = *(const u32 *)member;
	else
		memcpy(&v, member, sizeof(v));
	return p->divisor ? v * p->divisor : v;
}

static void parameters(const struct plan *f, struct run_result *r)
{
	const struct nic_params *nic = &f->nics[0];

	for (u32 i = 0; cfg_alg_key(i); i++) {
		const struct param *row = cfg_alg_row(f->cfg, i);

		if (row)
			add(r, cfg_alg_key(i),
			    stored(row, strcmp(cfg_alg_chooser(i), "cc") ? (const void *)&nic->recovery : &nic->cc));
	}
}

void computed_collect(const struct plan *f, struct run_result *r)
{
	r->n_computed = 0;
	if (f->fab.pfc && f->size.ports)
		thresholds(f, r);
	add_key(r, "rto_high", f->nics[0].recovery.rto_high);
	add_key(r, "stuck_after", f->stuck_after);
	parameters(f, r);
}
