/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loss recoveries and congestion controls with the parameters that a configuration gives them, as lab/plan does. */
#ifndef LOSSLAB_TESTS_ALGORITHMS_H
#define LOSSLAB_TESTS_ALGORITHMS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/nic/nic.h"
#include "lab/config/cfg.h"
#include "lab/config/cfg_keys.h"

/* "none" or a name of the registry; number @i of all values of cc=, or NULL. */
static inline const char *cc_name(u32 i)
{
	const struct cc_ops *ops = i ? cc_at(i - 1) : NULL;

	return !i ? "none" : ops ? ops->name : NULL;
}

/*
 * Give @p the algorithms @transport and @cc, with parameters by default, but for @words ("KEY=VALUE", ended by NULL; or
 * NULL). @p->ps_per_byte, .rules.mtu and @p->recovery.timeouts are set already. @bdp packets fill the path.
 */
static inline void algorithms_set(struct nic_params *p, const char *transport, const char *cc, u32 bdp,
				  const char *const *words)
{
	struct run_cfg c;
	struct err why = { 0 };

	cfg_defaults(&c);
	for (; words && *words; words++)
		if (cfg_set(&c, *words, &why)) {
			fprintf(stderr, "%s\n", why.text);
			abort();
		}
	p->ops = recovery_find(transport);
	p->cc_ops = cc_find(cc);
	p->recovery = (struct recovery_params){
		.bdp = bdp,
		.mtu = p->rules.mtu,
		.rto_high = c.rto_high ? c.rto_high : 320 * PS_PER_US,
		.timeouts = p->recovery.timeouts,
		.cc_backs_off = p->cc_ops && p->cc_ops->lost,
	};
	cfg_alg_store(&c, &p->ops->params, &p->recovery);
	p->ops->resolve(&p->recovery);
	p->rules.format = p->ops->format;
	p->cc = (struct cc_params){ .line = 8 * PS_PER_S / p->ps_per_byte,
				    .ps_per_byte = p->ps_per_byte,
				    .window_max = bdp };
	if (!p->cc_ops)
		return;
	cfg_alg_store(&c, &p->cc_ops->params, &p->cc);
	if (p->cc_ops->resolve)
		p->cc_ops->resolve(&p->cc);
}

#endif
