// SPDX-License-Identifier: GPL-2.0
/* All congestion controls by name. */
#include "agent/cc/cc.h"

#include <string.h>

static const struct {
	const char *name;
	const struct cc_ops *ops;
} table[] = {
	{ "dcqcn", &cc_dcqcn },   { "dcqcn-connectx", &cc_dcqcn_connectx },
	{ "timely", &cc_timely }, { "timely-patched", &cc_timely },
	{ "ib-aimd", &cc_ib },    { "ib-lipd", &cc_ib },
	{ "ib-fimd", &cc_ib },
};

const struct cc_ops *cc_find(const char *name)
{
	for (u32 i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, name))
			return table[i].ops;
	return NULL;
}
