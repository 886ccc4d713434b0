// SPDX-License-Identifier: GPL-2.0-or-later
/* All loss recoveries, in the order of help and lists. A new one is a file beside this and its row here. */
#include "agent/recovery/recovery.h"

#include <string.h>

#define RECOVERIES(ROW)                                                                                                \
	ROW(recovery_gbn)                                                                                              \
	ROW(recovery_irn)                                                                                              \
	ROW(recovery_irn_gbn)                                                                                          \
	ROW(recovery_irn_nobdp)                                                                                        \
	ROW(recovery_irn_nosack)                                                                                       \
	ROW(recovery_melo)                                                                                             \
	ROW(recovery_iwarp)

#define DECLARE(ops) extern const struct recovery_ops ops;
#define ADDRESS(ops) &ops,
RECOVERIES(DECLARE)
static const struct recovery_ops *const table[] = { RECOVERIES(ADDRESS) };

const struct recovery_ops *recovery_at(u32 i)
{
	return i < sizeof(table) / sizeof(table[0]) ? table[i] : NULL;
}

const struct recovery_ops *recovery_find(const char *transport)
{
	const struct recovery_ops *ops;

	for (u32 i = 0; (ops = recovery_at(i)); i++)
		if (!strcmp(ops->name, transport))
			return ops;
	return NULL;
}
