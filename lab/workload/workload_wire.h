/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What flows occupy of the wire: bytes of time on it, as wire_bytes() has them, of RoCEv2 WRITE packets. A RETH on the
 * first packet of each message, padding to four bytes, ICRC, FCS, preamble and gap; no ACKs, no retransmissions. The
 * same whatever the transport: so all schemes get the same flows.
 */
#ifndef LOSSLAB_WORKLOAD_WIRE_H
#define LOSSLAB_WORKLOAD_WIRE_H

#include "lab/workload/fixmath.h"

/* How flows are cut: into messages, and these into packets. */
struct wire_cut {
	u32 mtu;     /* payload of a full packet, 1..MTU_MAX */
	u32 message; /* bytes of a full message, 1..MESSAGE_MAX */
};

/* Wire bytes of a flow of @bytes, up to 2^40. */
u64 wire_flow(const struct wire_cut *c, u64 bytes);
/* The sum of wire_flow() over flows of 1, 2, ... @most bytes, up to 2^40. Exact. */
u128 wire_sum(const struct wire_cut *c, u64 most);

#endif
