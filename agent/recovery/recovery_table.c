// SPDX-License-Identifier: GPL-2.0
/* All transports by name. */
#include "agent/recovery/recovery.h"

#include <string.h>

static const struct {
	const char *transport;
	const struct recovery_ops *ops;
} table[] = {
	{ "roce", &recovery_gbn },      { "irn", &recovery_irn },   { "irn-gbn", &recovery_irn_gbn },
	{ "irn-nobdp", &recovery_irn }, { "melo", &recovery_melo }, { "iwarp", &recovery_iwarp },
};

const struct recovery_ops *recovery_find(const char *transport)
{
	for (u32 i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].transport, transport))
			return table[i].ops;
	return NULL;
}
