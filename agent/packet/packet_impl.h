/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What packet.c (rules, RoCE) and packet_tcp.c (iWARP) share. */
#ifndef LOSSLAB_PACKET_IMPL_H
#define LOSSLAB_PACKET_IMPL_H

#include "agent/packet/packet.h"

/* Where a packet stands in its flow. */
struct packet_place {
	u32 message; /* its number */
	u32 index;   /* within the message */
	u64 offset;  /* in the flow, bytes */
	u32 payload;
	bool last; /* of its message */
};

/* The message that packet @n belongs to. No division where the whole flow is one message. */
static inline u32 packet_message(const struct packet_rules *r, u32 n)
{
	return n < r->msg_packets ? 0 : n / r->msg_packets;
}

/* Packet @n of a flow of @bytes; it must be within. */
static inline struct packet_place packet_place(const struct packet_rules *r, u64 bytes, u32 n)
{
	u32 message = packet_message(r, n), index = n - message * r->msg_packets;
	u64 offset = (u64)message * r->message + (u64)index * r->mtu;
	u64 end = (u64)(message + 1) * r->message;
	u64 left = (end < bytes ? end : bytes) - offset;

	return (struct packet_place){ message, index, offset, left < r->mtu ? left : r->mtu, left <= r->mtu };
}

/* @payload with the pad that both formats put behind it. */
static inline u32 packet_padded(u32 payload)
{
	return (payload + 3) & ~3U;
}

/*
 * Begin a packet of data: all of @f but number and arrival, and the Ethernet and IPv4 headers. @head: bytes before the
 * payload.
 */
void packet_put_data(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 payload, u32 head);
/* The same for one without data from host @src to @dst. @crc: bytes that are to follow the head's. */
void packet_put_control(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 class, u32 src,
			u32 dst, u32 head, u32 crc);

/* packet_tcp.c: the functions of packet.h for FORMAT_TCP. */
u32 packet_tcp_number(const struct packet_rules *r, const struct flow *flow, u32 n);
s64 packet_tcp_find(const struct packet_rules *r, const struct flow *flow, u32 ref, u32 number);
void packet_tcp_data(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 n);
void packet_tcp_ack(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow,
		    const struct packet_ack *a);
/* What follows the IPv4 header, which is right and says that the packet is @total bytes long. 0 or -1. */
int packet_tcp_parse(const u8 *frame, u32 total, struct rx_packet *p);
u32 packet_tcp_seal(u8 *frame, u32 end);
bool packet_tcp_intact(const u8 *frame, const struct rx_packet *p);
/* CRC32c (Castagnoli), as iSCSI and MPA have it: reflected, begun with ones, complemented (RFC 3720, B.4). */
u32 packet_crc32c(const u8 *bytes, u32 len);

#endif
