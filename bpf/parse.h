/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a switch reads of a frame: destination, class, ECN, the 5-tuple, whether it carries payload; or the vector and
 * quanta of a PFC frame, or the counters of a credit frame. Frames are untrusted: @head holds SLOT_SMALL bytes that may
 * be read whatever @len says, and every length is checked before it is used.
 */
#ifndef LOSSLAB_PARSE_H
#define LOSSLAB_PARSE_H

#include "bpf/abi.h"
#include "bpf/addr.h"
#include "bpf/route.h"
#include "bpf/wire.h"

static inline int parse_pfc(const u8 *head, struct frame *f)
{
	if (get16(head + ETH_LEN) != PFC_OPCODE)
		return -1;
	f->flags = FRAME_PFC;
	f->class = 0;
	f->dst = FAB_NONE;
	f->pfc_classes = get16(head + PFC_VECTOR_OFF) & 0xff;
	for (u32 c = 0; c < FAB_CLASSES; c++)
		f->pfc_quanta[c] = get16(head + PFC_QUANTA_OFF + 2 * c);
	return 0;
}

static inline int parse_credit(const u8 *head, struct frame *f)
{
	if (get16(head + ETH_LEN) != CREDIT_OPCODE || get16(head + CREDIT_CLASS_OFF) >= FAB_CLASSES)
		return -1;
	f->flags = FRAME_PFC | FRAME_CREDIT;
	f->class = get16(head + CREDIT_CLASS_OFF);
	f->dst = FAB_NONE;
	f->pfc_classes = 0;
	f->fctbs = get32(head + CREDIT_FCTBS_OFF);
	f->fccl = get32(head + CREDIT_FCCL_OFF);
	return 0;
}

/* FRAME_DATA or 0: does an IPv4 packet of @total bytes carry payload? -1 if it is too short for what it says it is. */
static inline int parse_transport(const u8 *head, u32 total)
{
	u32 tcp = IP_LEN + (head[TCP_OFF + 12] >> 4) * 4;
	u8 op = head[BTH_OFF];

	switch (head[IP_OFF + 9]) {
	case IP_UDP:
		if (total < IP_LEN + UDP_LEN + BTH_LEN + ICRC_LEN)
			return -1;
		return op == OP_ACK || op == OP_CNP || op == OP_READ_REQUEST ? 0 : FRAME_DATA;
	case IP_TCP:
		if (tcp < IP_LEN + TCP_LEN || total < tcp)
			return -1;
		return total > tcp ? FRAME_DATA : 0;
	default:
		return -1;
	}
}

static inline int parse_ip(const u8 *head, u32 len, struct frame *f)
{
	const u8 *ip = head + IP_OFF;
	u32 total = get16(ip + 2);
	u32 daddr = get32(ip + 16);
	int data = parse_transport(head, total);

	if (ip[0] != 0x45 || data < 0 || total + ETH_LEN > len)
		return -1;
	if (!addr_is_host(daddr))
		return -1;
	f->flags = data;
	f->class = ip[1] >> 5; /* DSCP's upper three bits */
	if ((ip[1] & 3) == 1 || (ip[1] & 3) == 2)
		f->flags |= FRAME_ECT;
	if ((ip[1] & 3) == 3)
		f->flags |= FRAME_ECT | FRAME_CE;
	f->dst = addr_host(daddr);
	f->flow_key = route_flow_key(get32(ip + 12), daddr, get32(head + UDP_OFF), ip[9]);
	return 0;
}

/* Fill @f from a frame of @len bytes; 0, or -1 if it is not a frame that this lab makes. */
static inline int parse_frame(const u8 *head, u32 len, struct frame *f)
{
	if (len < ETH_MIN)
		return -1;
	if (get16(head + 12) == ETHERTYPE_MACC)
		return parse_pfc(head, f);
	if (get16(head + 12) == ETHERTYPE_CREDIT)
		return parse_credit(head, f);
	if (get16(head + 12) == ETHERTYPE_IP)
		return parse_ip(head, len, f);
	return -1;
}

#endif
