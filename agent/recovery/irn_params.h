/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of the parameter tables that IRN (recovery_irn.c) and IRN with go-back-N (recovery_gbn.c) both have. */
#ifndef LOSSLAB_IRN_PARAMS_H
#define LOSSLAB_IRN_PARAMS_H

#include "agent/recovery/recovery.h"

#define IRN_PACKETS_MAX (1U << 20)

/* IRN's own parameters (not irn-gbn's), in recovery_params.own. */
struct irn_params {
	bool hls; /* the authors' hardware: any partial acknowledgement shows a loss, else only a higher SACK does */
	bool dynamic; /* the time-out follows the round trip, as TCP's */
};

static inline const struct irn_params *irn_params(const struct recovery_params *p)
{
	return (const struct irn_params *)p->own;
}

/* BDP-FC (REFERENCE 1.4). */
#define IRN_CAP                                                                                                        \
	{                                                                                                              \
		.name = "cap", .kind = PARAM_NUM, PARAM_COMMON(recovery_params, cap), .min = 1,                        \
		.max = IRN_PACKETS_MAX, .why_less = "no packet could ever be sent", .special = { "auto", 0 },          \
		.def = "auto", .why_unused = "has no cap",                                                             \
		.help = "most packets in flight; auto = as many as fill the longest path"                              \
	}
#define IRN_RTO_LOW                                                                                                    \
	{                                                                                                              \
		.name = "rto_low", .kind = PARAM_TIME, PARAM_COMMON(recovery_params, rto_low), .min = PS_PER_NS,       \
		.max = 10 * PS_PER_S, .def = "100us", .at_most = "rto_high", .why_unused = "has one timeout",          \
		.help = "retransmission timeout while few packets are in flight"                                       \
	}
#define IRN_RTO_N                                                                                                      \
	{                                                                                                              \
		.name = "rto_n", .kind = PARAM_NUM, PARAM_COMMON(recovery_params, rto_n), .max = IRN_PACKETS_MAX,      \
		.def = "3", .why_unused = "has one timeout", .advanced = true,                                         \
		.help = "use rto_low while at most this many packets are in flight"                                    \
	}

/* cap=auto: BDP-FC. */
static inline void irn_resolve(struct recovery_params *p)
{
	if (!p->cap)
		p->cap = p->bdp;
}

extern const struct recovery_ops recovery_irn, recovery_irn_nobdp, recovery_irn_nosack;

#endif
