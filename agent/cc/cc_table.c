// SPDX-License-Identifier: GPL-2.0-or-later
/* All congestion controls, in the order of help and lists. A new one is a file beside this and its row here. */
#include "agent/cc/cc.h"

#include <string.h>

#define CONTROLS(ROW)                                                                                                  \
	ROW(cc_dcqcn)                                                                                                  \
	ROW(cc_dcqcn_connectx)                                                                                         \
	ROW(cc_timely)                                                                                                 \
	ROW(cc_timely_patched)                                                                                         \
	ROW(cc_ib_aimd)                                                                                                \
	ROW(cc_ib_lipd)                                                                                                \
	ROW(cc_ib_fimd)                                                                                                \
	ROW(cc_aimd)                                                                                                   \
	ROW(cc_dctcp)

#define DECLARE(ops) extern const struct cc_ops ops;
#define ADDRESS(ops) &ops,
CONTROLS(DECLARE)
static const struct cc_ops *const table[] = { CONTROLS(ADDRESS) };

const struct cc_ops *cc_at(u32 i)
{
	return i < sizeof(table) / sizeof(table[0]) ? table[i] : NULL;
}

const struct cc_ops *cc_find(const char *name)
{
	const struct cc_ops *ops;

	for (u32 i = 0; (ops = cc_at(i)); i++)
		if (!strcmp(ops->name, name))
			return ops;
	return NULL;
}
