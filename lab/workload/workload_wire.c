// SPDX-License-Identifier: GPL-2.0-or-later
/* Wire bytes of flows, in closed form: a file of sizes may have flows of 2^40 bytes. */
#include "lab/workload/workload_wire.h"

#include "bpf/wire.h"

#define PACKET_EXTRA (ROCE_OVERHEAD + ETH_WIRE_EXTRA) /* wire bytes of a packet beyond RETH and padded payload */

_Static_assert(ROCE_OVERHEAD + 4 >= ETH_MIN, "no data packet is filled up to Ethernet's shortest frame");

static u64 padded(u64 payload)
{
	return (payload + 3) / 4 * 4;
}

static u64 message_wire(const struct wire_cut *c, u64 bytes)
{
	u64 full = bytes / c->mtu, rest = bytes % c->mtu, wire = full * (PACKET_EXTRA + padded(c->mtu));

	if (rest)
		wire += PACKET_EXTRA + padded(rest);
	return bytes ? wire + RETH_LEN : 0;
}

u64 wire_flow(const struct wire_cut *c, u64 bytes)
{
	return bytes / c->message * message_wire(c, c->message) + message_wire(c, bytes % c->message);
}

/* padded(1) + ... + padded(n): four each of 4, 8, 12, ... */
static u128 padded_sum(u64 n)
{
	u64 fours = n / 4;

	return (u128)8 * fours * (fours + 1) + n % 4 * 4 * (fours + 1);
}

/* 0 + ... + 0 + 1 + ... + 1 + 2 ..., @n terms, @each of every number: how many whole pieces lie before the last. */
static u128 pieces_sum(u64 n, u64 each)
{
	u64 whole = n / each;

	return whole ? (u128)each * whole * (whole - 1) / 2 + (u128)whole * (n % each) : 0;
}

/* message_wire(1) + ... + message_wire(n): of each, the full packets before the last, the last packet, the RETH. */
static u128 message_sum(const struct wire_cut *c, u64 n)
{
	return pieces_sum(n, c->mtu) * (PACKET_EXTRA + padded(c->mtu)) + (u128)n * (PACKET_EXTRA + RETH_LEN) +
		n / c->mtu * padded_sum(c->mtu) + padded_sum(n % c->mtu);
}

u128 wire_sum(const struct wire_cut *c, u64 most)
{
	return pieces_sum(most, c->message) * message_wire(c, c->message) +
		most / c->message * message_sum(c, c->message) + message_sum(c, most % c->message);
}
