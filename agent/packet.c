// SPDX-License-Identifier: GPL-2.0
/* RoCEv2 packets: sizes, building, parsing, ICRC. Layouts: bpf/wire.h. */
#include "agent/packet.h"

#include <libdeflate.h>
#include <string.h>

#include "bpf/parse.h"

#define DSCP_LOW 2 /* DSCP = class << 3 | 2: 26 for class 3, as RoCE deployments have it */
#define ECN_ECT0 2

u32 packet_count(const struct packet_rules *r, u64 bytes)
{
	u64 n = (bytes + r->mtu - 1) / r->mtu;

	return n > 1U << 31 ? 0 : n;
}

u32 packet_payload(const struct packet_rules *r, u64 bytes, u32 n)
{
	u64 left = bytes - (u64)n * r->mtu;

	return left < r->mtu ? left : r->mtu;
}

static bool is_first(const struct packet_rules *r, u32 n)
{
	return r->reth_all || n % r->msg_packets == 0;
}

static bool is_last(const struct packet_rules *r, u64 bytes, u32 n)
{
	return r->reth_all || (n + 1) % r->msg_packets == 0 || (u64)(n + 1) * r->mtu >= bytes;
}

static u32 frame_len(u32 head, u32 payload)
{
	u32 len = head + ((payload + 3) & ~3U) + ICRC_LEN;

	return len < ETH_MIN ? ETH_MIN : len;
}

u32 packet_frame_len(const struct packet_rules *r, u64 bytes, u32 n)
{
	return frame_len(EXT_OFF + (is_first(r, n) ? RETH_LEN : 0), packet_payload(r, bytes, n));
}

u32 packet_frame_max(u32 mtu)
{
	return frame_len(EXT_OFF + RETH_LEN, mtu);
}

/* 0xC000 and 14 bits of the flow's QP numbers folded, as Linux chooses it (rdma_get_udp_sport). */
u16 packet_sport(u32 flow)
{
	u64 fl = (u64)flow_requester_qpn(flow) * flow_responder_qpn(flow);

	fl ^= fl >> 20;
	fl ^= fl >> 40;
	fl &= 0xfffff;
	return 0xc000 | ((fl & 0x3fff) ^ ((fl & 0xfc000) >> 14));
}

static void put_mac(u8 *p, u32 host)
{
	put16(p, 0x0200);
	put32(p + 2, host + 1);
}

/* Everything up to and including the BTH. @size: bytes from the BTH to the ICRC's end. */
static void put_headers(u8 *h, u32 src, u32 dst, u32 flow, u8 tos, u32 size)
{
	put_mac(h, dst);
	put_mac(h + 6, src);
	put16(h + 12, ETHERTYPE_IP);
	h[IP_OFF] = 0x45;
	h[IP_OFF + 1] = tos;
	put16(h + IP_OFF + 2, IP_LEN + UDP_LEN + size);
	put32(h + IP_OFF + 4, 0x00004000); /* id 0, don't fragment */
	put16(h + IP_OFF + 8, 64 << 8 | 17);
	put32(h + IP_OFF + 12, host_addr(src));
	put32(h + IP_OFF + 16, host_addr(dst));
	put16(h + IP_OFF + 10, ip_checksum(h + IP_OFF));
	put16(h + UDP_OFF, packet_sport(flow));
	put16(h + UDP_OFF + 2, ROCE_PORT);
	put16(h + UDP_OFF + 4, UDP_LEN + size);
	put16(h + UDP_OFF + 6, 0);
}

static void put_bth(u8 *b, u8 opcode, u8 pad, u32 qpn, bool ack_req, u32 psn)
{
	b[0] = opcode;
	b[1] = pad << 4;
	put16(b + 2, 0xffff);
	put32(b + 4, qpn);
	put32(b + 8, (ack_req ? 0x80000000U : 0) | psn);
}

static u8 write_opcode(bool first, bool last)
{
	if (first)
		return last ? OP_WRITE_ONLY : OP_WRITE_FIRST;
	return last ? OP_WRITE_LAST : OP_WRITE_MIDDLE;
}

/* RETH: where the bytes go. One memory region per flow, its key the responder's QP number, addresses from 0. */
static void put_reth(const struct packet_rules *r, u8 *h, u32 flow, u64 bytes, u32 n)
{
	u64 offset = (u64)n * r->mtu;
	u64 span = r->reth_all ? r->mtu : (u64)r->msg_packets * r->mtu;
	u64 left = bytes - offset;

	put64(h, offset);
	put32(h + 8, flow_responder_qpn(flow));
	put32(h + 12, left < span ? left : span);
}

void packet_build_data(const struct packet_rules *r, struct tx_frame *f, u32 flow, u32 src, u32 dst, u64 bytes, u32 n,
		       u32 psn)
{
	bool first = is_first(r, n), last = is_last(r, bytes, n);

	f->payload = packet_payload(r, bytes, n);
	f->pad = -f->payload & 3;
	f->head_len = EXT_OFF + (first ? RETH_LEN : 0);
	f->len = frame_len(f->head_len, f->payload);
	f->class = r->data_class;
	f->data = true;
	f->flow = flow;
	f->offset = (u64)n * r->mtu;
	put_headers(f->head, src, dst, flow, (r->data_class << 3 | DSCP_LOW) << 2 | ECN_ECT0,
		    f->head_len - BTH_OFF + f->payload + f->pad + ICRC_LEN);
	put_bth(f->head + BTH_OFF, write_opcode(first, last), f->pad, flow_responder_qpn(flow),
		last || (n + 1) % r->ack_every == 0, psn);
	if (first)
		put_reth(r, f->head + EXT_OFF, flow, bytes, n);
}

void packet_build_ack(const struct packet_rules *r, struct tx_frame *f, u32 flow, u32 src, u32 dst, u32 psn,
		      u8 syndrome, u32 msn)
{
	f->payload = 0;
	f->pad = 0;
	f->head_len = EXT_OFF + AETH_LEN;
	f->len = ACK_LEN;
	f->class = r->ack_class;
	f->data = false;
	f->flow = flow;
	f->offset = 0;
	put_headers(f->head, src, dst, flow, (r->ack_class << 3 | DSCP_LOW) << 2, BTH_LEN + AETH_LEN + ICRC_LEN);
	put_bth(f->head + BTH_OFF, OP_ACK, 0, flow_requester_qpn(flow), false, psn);
	put32(f->head + EXT_OFF, (u32)syndrome << 24 | (msn & PSN_MASK));
}

int packet_parse(const u8 *h, u32 have, u32 len, struct rx_packet *p)
{
	const u8 *ip = h + IP_OFF, *bth = h + BTH_OFF;
	u32 total, body, ext = 0, pad;

	if (have < EXT_OFF + AETH_LEN || len < ETH_MIN || get16(h + 12) != ETHERTYPE_IP || ip[0] != 0x45 ||
	    ip[9] != 17 || (get16(ip + 6) & 0x3fff)) /* a fragment */
		return -1;
	total = get16(ip + 2);
	if (total + ETH_LEN > len || total < IP_LEN + UDP_LEN + BTH_LEN + ICRC_LEN)
		return -1;
	if (get16(h + UDP_OFF + 2) != ROCE_PORT || get16(h + UDP_OFF + 4) != total - IP_LEN)
		return -1;
	body = total - IP_LEN - UDP_LEN - BTH_LEN - ICRC_LEN;
	p->opcode = bth[0];
	p->ecn = ip[1] & 3;
	p->src = get32(ip + 12) - HOST_NET - 1;
	p->qpn = get24(bth + 5);
	p->ack_req = bth[8] >> 7;
	p->psn = get24(bth + 9);
	p->syndrome = 0;
	p->msn = 0;
	pad = bth[1] >> 4 & 3;
	switch (p->opcode) {
	case OP_WRITE_FIRST:
	case OP_WRITE_ONLY:
		ext = RETH_LEN;
		break;
	case OP_WRITE_MIDDLE:
	case OP_WRITE_LAST:
		break;
	case OP_ACK:
		if (body != AETH_LEN || pad)
			return -1;
		ext = AETH_LEN;
		p->syndrome = h[EXT_OFF];
		p->msn = get24(h + EXT_OFF + 1);
		break;
	default:
		return -1;
	}
	if (body < ext + pad || have < EXT_OFF + ext)
		return -1;
	p->payload = body - ext - pad;
	p->payload_off = EXT_OFF + ext;
	p->icrc_off = ETH_LEN + total - ICRC_LEN;
	return 0;
}

/* CRC-32 over eight bytes of ones for the masked link header, then the packet with all that may change in flight as
 * ones. */
u32 packet_icrc(const u8 *frame, u32 len)
{
	u8 head[8 + EXT_OFF - ETH_LEN];
	u8 *ip = head + 8, *bth = ip + BTH_OFF - IP_OFF;
	u32 crc;

	memset(head, 0xff, 8);
	memcpy(ip, frame + IP_OFF, EXT_OFF - IP_OFF);
	ip[1] = 0xff;                   /* DSCP and ECN */
	ip[8] = 0xff;                   /* TTL */
	put16(ip + 10, 0xffff);         /* checksum */
	put16(ip + IP_LEN + 6, 0xffff); /* UDP checksum */
	bth[4] = 0xff;                  /* FECN, BECN, reserved */
	crc = libdeflate_crc32(0, head, sizeof(head));
	return libdeflate_crc32(crc, frame + EXT_OFF, len - EXT_OFF);
}
