// SPDX-License-Identifier: GPL-2.0-or-later
/* The hosts' part of the faults: each host gets a list of those that concern it, and follows it by itself. */
#include <errno.h>
#include <stdlib.h>

#include "lab/plan/plan.h"

/*
 * Does @x concern a host? If so, which one and, in *@nf, how: a storm of its NIC, or its link down or up.
 */
static bool of_host(const struct plan *f, const struct fault *x, u32 *host, struct nic_fault *nf)
{
	bool storm = x->kind == FAULT_PAUSE || x->kind == FAULT_RESUME;

	if (storm && x->port & FAULT_HOST) {
		*host = x->port & ~FAULT_HOST;
		*nf = (struct nic_fault){ x->at, x->kind == FAULT_PAUSE ? NIC_STORM_ON : NIC_STORM_OFF, x->value };
		return true;
	}
	if ((x->kind != FAULT_DOWN && x->kind != FAULT_UP) || !(f->ports[x->port].peer & PEER_HOST))
		return false;
	*host = f->ports[x->port].peer & ~PEER_HOST;
	*nf = (struct nic_fault){ x->at, x->kind == FAULT_DOWN ? NIC_LINK_DOWN : NIC_LINK_UP, 0 };
	return true;
}

int faults_for_hosts(struct plan *f)
{
	struct nic_fault nf, *at;
	u32 host;

	f->faults.nic_list = at = calloc(f->faults.n + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (u32 i = 0; i < f->faults.n; i++)
		if (of_host(f, &f->faults.list[i], &host, &nf))
			f->nics[host].n_faults++;
	for (u32 h = 0; h < f->size.hosts; h++) {
		f->nics[h].faults = at;
		f->nics[h].quanta = f->cfg->quanta;
		at += f->nics[h].n_faults;
		f->nics[h].n_faults = 0;
	}
	for (u32 i = 0; i < f->faults.n; i++) {
		struct nic_params *p;

		if (!of_host(f, &f->faults.list[i], &host, &nf))
			continue;
		p = &f->nics[host];
		f->faults.nic_list[p->faults - f->faults.nic_list + p->n_faults++] = nf;
		if (nf.kind == NIC_STORM_ON || nf.kind == NIC_STORM_OFF)
			p->n_storms = p->n_faults;
	}
	return 0;
}

void faults_free(struct faults *p)
{
	free(p->list);
	free(p->nic_list);
}
