// SPDX-License-Identifier: GPL-2.0-or-later
/* How flows become packets, and RoCEv2 packets: building, parsing, ICRC. Layouts: bpf/wire.h. */
#include "agent/packet/packet.h"

#include <libdeflate.h>
#include <stddef.h>
#include <string.h>

#include "agent/packet/packet_impl.h"
#include "agent/packet/psn.h"
#include "bpf/parse.h"

#define PACKETS_MAX (1ULL << 31)
#define DSCP_LOW 2 /* DSCP = class << 3 | 2: 26 for class 3, as RoCE deployments have it */
#define HOLES_LEN (PACKET_RANGES * HOLE_LEN)
#define HOLE_MAX 0xffffU

u32 packet_count(const struct packet_rules *r, u64 bytes)
{
	u64 full = bytes < r->message ? 0 : bytes / r->message, n;

	if (full > PACKETS_MAX) /* the sum below would not fit */
		return 0;
	n = full * r->msg_packets + (bytes - full * r->message + r->mtu - 1) / r->mtu;
	return n > PACKETS_MAX ? 0 : n;
}

u32 packet_payload(const struct packet_rules *r, u64 bytes, u32 n)
{
	return packet_place(r, bytes, n).payload;
}

u64 packet_offset(const struct packet_rules *r, u32 n)
{
	u32 message = packet_message(r, n);

	return (u64)message * r->message + (u64)(n - message * r->msg_packets) * r->mtu;
}

bool packet_is_first(const struct packet_rules *r, u32 n)
{
	return n == packet_message(r, n) * r->msg_packets;
}

bool packet_is_last(const struct packet_rules *r, u64 bytes, u32 n)
{
	return packet_place(r, bytes, n).last;
}

u32 packet_number(const struct packet_rules *r, const struct flow *flow, u32 n)
{
	return r->format == FORMAT_TCP ? packet_tcp_number(r, flow, n) : psn_add(r->psn0, n);
}

s64 packet_find(const struct packet_rules *r, const struct flow *flow, u32 ref, u32 number)
{
	if (r->format == FORMAT_TCP)
		return packet_tcp_find(r, flow, ref, number);
	return (s64)ref + psn_diff(number, psn_add(r->psn0, ref));
}

/* Bytes of message @message of a flow. */
static u32 message_bytes(const struct packet_rules *r, u64 bytes, u32 message)
{
	u64 left = bytes - (u64)message * r->message;

	return left < r->message ? left : r->message;
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

/*
 * What the opcodes of this lab stand for. Direction matters: a QP that requests WRITEs, say, never receives their
 * data. An ACK may be a NAK of a READ, and a CNP goes to whoever sends the data, so these go both ways.
 */
enum direction { UNKNOWN, TO_RESPONDER, TO_REQUESTER, TO_BOTH };

static const struct opcode {
	u8 to; /* enum direction; UNKNOWN: not an opcode of this lab */
	u8 kind;
	u8 ext; /* bytes between BTH and payload, holes of MELO apart */
	bool first, last;
} opcodes[256] = {
	[OP_SEND_FIRST] = { TO_RESPONDER, PACKET_DATA, 0, true, false },
	[OP_SEND_MIDDLE] = { TO_RESPONDER, PACKET_DATA, 0, false, false },
	[OP_SEND_LAST] = { TO_RESPONDER, PACKET_DATA, 0, false, true },
	[OP_SEND_ONLY] = { TO_RESPONDER, PACKET_DATA, 0, true, true },
	[OP_WRITE_FIRST] = { TO_RESPONDER, PACKET_DATA, RETH_LEN, true, false },
	[OP_WRITE_MIDDLE] = { TO_RESPONDER, PACKET_DATA, 0, false, false },
	[OP_WRITE_LAST] = { TO_RESPONDER, PACKET_DATA, 0, false, true },
	[OP_WRITE_ONLY] = { TO_RESPONDER, PACKET_DATA, RETH_LEN, true, true },
	[OP_READ_FIRST] = { TO_REQUESTER, PACKET_DATA, AETH_LEN, true, false },
	[OP_READ_MIDDLE] = { TO_REQUESTER, PACKET_DATA, 0, false, false },
	[OP_READ_LAST] = { TO_REQUESTER, PACKET_DATA, AETH_LEN, false, true },
	[OP_READ_ONLY] = { TO_REQUESTER, PACKET_DATA, AETH_LEN, true, true },
	[OP_READ_REQUEST] = { TO_RESPONDER, PACKET_READ, RETH_LEN, false, false },
	[OP_ACK] = { TO_BOTH, PACKET_ANSWER, AETH_LEN, false, false },
	[OP_CNP] = { TO_BOTH, PACKET_CNP, CNP_ZEROS, false, false },
};

/* [enum flow_op][first][last] */
static const u8 data_opcodes[][2][2] = {
	[FLOW_WRITE] = { { OP_WRITE_MIDDLE, OP_WRITE_LAST }, { OP_WRITE_FIRST, OP_WRITE_ONLY } },
	[FLOW_SEND] = { { OP_SEND_MIDDLE, OP_SEND_LAST }, { OP_SEND_FIRST, OP_SEND_ONLY } },
	[FLOW_READ] = { { OP_READ_MIDDLE, OP_READ_LAST }, { OP_READ_FIRST, OP_READ_ONLY } },
};

static u8 data_opcode(const struct flow *flow, const struct packet_place *p)
{
	return data_opcodes[flow->op][!p->index][p->last];
}

/* Bytes between BTH and payload of a packet of data: with reth_all, all WRITEs have a RETH. */
static u32 data_ext(const struct packet_rules *r, const struct flow *flow, u8 opcode)
{
	return r->reth_all && flow->op == FLOW_WRITE ? RETH_LEN : opcodes[opcode].ext;
}

static u32 frame_len(u32 head, u32 payload, u32 crc)
{
	u32 len = head + packet_padded(payload) + crc;

	return len < ETH_MIN ? ETH_MIN : len;
}

u32 packet_frame_len(const struct packet_rules *r, const struct flow *flow, u32 n)
{
	struct packet_place p = packet_place(r, flow->bytes, n);

	if (r->format == FORMAT_TCP)
		return frame_len(IWARP_HEAD, p.payload, MPA_CRC_LEN);
	return frame_len(EXT_OFF + data_ext(r, flow, data_opcode(flow, &p)), p.payload, ICRC_LEN);
}

u32 packet_frame_max(u32 mtu)
{
	u32 data = frame_len(IWARP_HEAD, mtu, MPA_CRC_LEN); /* as long as RoCE's with a RETH */

	return data < HEAD_MAX ? HEAD_MAX : data;
}

/* Ethernet and IPv4 headers. @size: bytes behind them. */
static void put_ip(struct tx_frame *f, u32 src, u32 dst, u8 ecn, u8 protocol, u32 size)
{
	u8 *h = f->head, *ip = h + IP_OFF;

	mac_put_host(h, dst);
	mac_put_host(h + 6, src);
	put16(h + 12, ETHERTYPE_IP);
	ip[0] = 0x45;
	ip[1] = (f->class << 3 | DSCP_LOW) << 2 | ecn;
	put16(ip + 2, IP_LEN + size);
	put32(ip + 4, 0x00004000); /* id 0, don't fragment */
	put16(ip + 8, 64 << 8 | protocol);
	put32(ip + 12, host_addr(src));
	put32(ip + 16, host_addr(dst));
	put16(ip + 10, ip_checksum(ip));
}

void packet_put_data(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 payload, u32 head)
{
	bool tcp = r->format == FORMAT_TCP;
	u32 padded = packet_padded(payload), crc = tcp ? MPA_CRC_LEN : ICRC_LEN;

	f->head_len = head;
	f->payload = payload;
	f->pad = padded - payload;
	f->len = frame_len(head, payload, crc);
	f->class = flow->class;
	f->data = true;
	f->flow = flow->id;
	put_ip(f, flow->src, flow->dst, tcp ? IP_NOT_ECT : IP_ECT0, tcp ? IP_TCP : IP_UDP,
	       head - IP_OFF - IP_LEN + padded + crc);
}

void packet_put_control(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 class, u32 src,
			u32 dst, u32 head, u32 crc)
{
	f->head_len = head;
	f->payload = 0;
	f->pad = 0;
	f->len = frame_len(head, 0, crc);
	f->class = class;
	f->data = false;
	f->flow = flow->id;
	put_ip(f, src, dst, IP_NOT_ECT, r->format == FORMAT_TCP ? IP_TCP : IP_UDP, head - IP_OFF - IP_LEN + crc);
}

/* UDP header and BTH, the IP header being there. @forward: from the flow's source to its destination. */
static void put_bth(struct tx_frame *f, const struct flow *flow, bool forward, u8 opcode, bool ack_req, u32 psn)
{
	bool to_requester = forward == (flow->op == FLOW_READ);
	u8 *udp = f->head + UDP_OFF, *bth = f->head + BTH_OFF;

	put16(udp, packet_sport(flow->id));
	put16(udp + 2, ROCE_PORT);
	put16(udp + 4, get16(f->head + IP_OFF + 2) - IP_LEN);
	put16(udp + 6, 0);
	bth[0] = opcode;
	bth[1] = f->pad << 4;
	put16(bth + 2, 0xffff);
	put32(bth + 4, to_requester ? flow_requester_qpn(flow->id) : flow_responder_qpn(flow->id));
	put32(bth + 8, (ack_req ? 0x80000000U : 0) | psn);
	f->number = psn;
}

/* From the flow's destination to its source if not @forward. */
static void put_roce_control(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, bool forward,
			     u8 opcode, u32 ext, u32 psn)
{
	u32 src = forward ? flow->src : flow->dst, dst = forward ? flow->dst : flow->src;
	u32 class = opcode == OP_CNP ? packet_cnp_class(r, flow) : packet_ack_class(r, flow);

	packet_put_control(r, f, flow, class, src, dst, EXT_OFF + ext, ICRC_LEN);
	put_bth(f, flow, forward, opcode, false, psn);
}

static void put_aeth(u8 *h, u8 syndrome, u32 msn)
{
	put32(h, (u32)syndrome << 24 | (msn & PSN_MASK));
}

/* RETH: one memory region per flow, its key the responder's QP number, addresses from 0. */
static void put_reth(u8 *h, const struct flow *flow, u64 va, u32 len)
{
	put64(h, va);
	put32(h + 8, flow_responder_qpn(flow->id));
	put32(h + 12, len);
}

/*
 * READ responses carry AckReq like other data: IRN acknowledges them (SIGCOMM 2018, 5). Their MSN counts the messages
 * requested up to this one, which is what a responder that has served no later request says (REFERENCE 2.2).
 */
bool packet_build_data(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 n, bool ack_req)
{
	struct packet_place p = packet_place(r, flow->bytes, n);
	u8 opcode;
	u32 ext;

	if (r->format == FORMAT_TCP) {
		packet_tcp_data(r, f, flow, n);
		return true; /* TCP acknowledges every segment */
	}
	opcode = data_opcode(flow, &p);
	ext = data_ext(r, flow, opcode);
	ack_req |= p.last || (r->ack_every && (n + 1) % r->ack_every == 0);
	packet_put_data(r, f, flow, p.payload, EXT_OFF + ext);
	put_bth(f, flow, true, opcode, ack_req, psn_add(r->psn0, n));
	if (ext == RETH_LEN)
		put_reth(f->head + EXT_OFF, flow, p.offset,
			 message_bytes(r, flow->bytes, p.message) - p.index * r->mtu);
	else if (ext == AETH_LEN)
		put_aeth(f->head + EXT_OFF, AETH_ACK, p.message + 1);
	return ack_req;
}

bool packet_fits(const struct packet_rules *r, const struct flow *flow, u32 n, const struct rx_packet *p)
{
	struct packet_place place = packet_place(r, flow->bytes, n);

	if (p->payload != place.payload)
		return false;
	if (r->format == FORMAT_TCP)
		return p->va == place.offset && p->rkey == flow_responder_qpn(flow->id);
	return p->opcode == data_opcode(flow, &place);
}

/* MELO's holes (APNet 2017, 3.2.4: start and length, 2 bytes each); what 16 bits cannot hold is left to a later NACK.
 */
static void put_holes(u8 *h, const struct packet_ack *a)
{
	memset(h, 0, HOLES_LEN);
	for (u32 i = 0; i < a->n_ranges; i++) {
		u32 start = a->ranges[i].from - a->n, len = a->ranges[i].to - a->ranges[i].from;

		if (start > HOLE_MAX)
			continue;
		put16(h, start);
		put16(h + 2, len < HOLE_MAX ? len : HOLE_MAX);
		h += HOLE_LEN;
	}
}

void packet_build_ack(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow,
		      const struct packet_ack *a)
{
	if (r->format == FORMAT_TCP) {
		packet_tcp_ack(r, f, flow, a);
		return;
	}
	put_roce_control(r, f, flow, false, OP_ACK, AETH_LEN + (a->n_ranges ? HOLES_LEN : 0), psn_add(r->psn0, a->n));
	f->head[BTH_OFF + 4] = a->marked ? BTH_BECN : 0;
	put_aeth(f->head + EXT_OFF, a->syndrome, a->msn);
	if (a->n_ranges)
		put_holes(f->head + EXT_OFF + AETH_LEN, a);
}

/* The MSN counts the messages before: this one's request has not been carried out. */
void packet_build_read_nak(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 n,
			   u8 syndrome)
{
	put_roce_control(r, f, flow, true, OP_ACK, AETH_LEN, psn_add(r->psn0, n));
	put_aeth(f->head + EXT_OFF, syndrome, packet_message(r, n));
}

/*
 * REFERENCE 6.3. Adapters send CNPs ECN-capable, in a class of their own; here they go with the answers unless
 * cnp_class= says otherwise, and like these not ECN-capable, so that no switch marks what nobody would react to.
 */
void packet_build_cnp(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 n)
{
	put_roce_control(r, f, flow, false, OP_CNP, CNP_ZEROS, n == NO_NUMBER ? 0 : psn_add(r->psn0, n));
	f->head[BTH_OFF + 4] = BTH_BECN;
	memset(f->head + EXT_OFF, 0, CNP_ZEROS);
}

void packet_build_read(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 message)
{
	put_roce_control(r, f, flow, false, OP_READ_REQUEST, RETH_LEN, psn_add(r->psn0, message * r->msg_packets));
	put_reth(f->head + EXT_OFF, flow, (u64)message * r->message, message_bytes(r, flow->bytes, message));
}

static void parse_holes(const u8 *h, struct rx_packet *p)
{
	for (u32 i = 0; i < PACKET_RANGES; i++, h += HOLE_LEN) {
		u32 from = psn_add(p->number, get16(h)), len = get16(h + 2);

		if (!len)
			continue; /* not used */
		p->ranges[p->n_ranges].from = from;
		p->ranges[p->n_ranges++].to = psn_add(from, len);
	}
}

static void parse_reth(const u8 *h, struct rx_packet *p)
{
	p->has_reth = true;
	p->va = get64(h);
	p->rkey = get32(h + 8);
	p->dma_len = get32(h + 12);
}

/* What follows the BTH, if its @body bytes are of the right number. */
static int parse_ext(const u8 *h, u32 body, const struct opcode *op, struct rx_packet *p)
{
	u32 pad = h[BTH_OFF + 1] >> 4 & 3;
	bool holes = p->kind == PACKET_ANSWER && body == AETH_LEN + HOLES_LEN;

	if (body < op->ext + pad || (p->kind != PACKET_DATA && !holes && body != op->ext) || (holes && pad))
		return -1;
	p->has_reth = false;
	if (op->ext == RETH_LEN) {
		parse_reth(h + EXT_OFF, p);
	} else if (op->ext == AETH_LEN) {
		p->syndrome = h[EXT_OFF];
		p->msn = get24(h + EXT_OFF + 1);
	}
	if (holes)
		parse_holes(h + EXT_OFF + AETH_LEN, p);
	if (p->kind == PACKET_DATA)
		p->payload = body - op->ext - pad;
	p->payload_off = EXT_OFF + op->ext + (holes ? HOLES_LEN : 0);
	return 0;
}

/* What follows the IPv4 header, which is right and says that the packet is @total bytes long. */
static int parse_roce(const u8 *h, u32 total, struct rx_packet *p)
{
	const u8 *bth = h + BTH_OFF;
	const struct opcode *op = &opcodes[bth[0]];
	u32 qpn = get24(bth + 5);

	if (total < IP_LEN + UDP_LEN + BTH_LEN + ICRC_LEN || get16(h + UDP_OFF + 2) != ROCE_PORT ||
	    get16(h + UDP_OFF + 4) != total - IP_LEN || qpn < flow_requester_qpn(0))
		return -1;
	p->to_requester = !(qpn & 1);
	if (!(op->to & (p->to_requester ? TO_REQUESTER : TO_RESPONDER)))
		return -1;
	p->format = FORMAT_ROCE;
	p->kind = op->kind;
	p->opcode = bth[0];
	p->flow = (qpn - flow_requester_qpn(0)) / 2;
	p->marked = p->kind == PACKET_ANSWER && (bth[4] & BTH_BECN);
	p->ack_req = bth[8] >> 7;
	p->number = get24(bth + 9);
	p->first = op->first;
	p->last = op->last;
	p->crc_off = ETH_LEN + total - ICRC_LEN;
	return parse_ext(h, total - IP_LEN - UDP_LEN - BTH_LEN - ICRC_LEN, op, p);
}

/*
 * All headers lie below HEAD_MAX and within the packet, and the packet within the frame: so what is read here may be
 * read. The first lengths checked are of the shortest frame, longer than any fixed header.
 */
int packet_parse(const u8 *h, u32 have, u32 len, struct rx_packet *p)
{
	const u8 *ip = h + IP_OFF;
	u32 total;

	if (len < ETH_MIN || len > 0xffff || have < (len < HEAD_MAX ? len : HEAD_MAX))
		return -1;
	total = get16(ip + 2);
	if (get16(h + 12) != ETHERTYPE_IP || ip[0] != 0x45 || (get16(ip + 6) & 0x3fff) || /* a fragment */
	    total + ETH_LEN > len)
		return -1;
	memset(p, 0, offsetof(struct rx_packet, ranges));
	p->ecn = ip[1] & 3;
	p->src = addr_host(get32(ip + 12));
	if (ip[9] == IP_UDP)
		return parse_roce(h, total, p);
	return ip[9] == IP_TCP ? packet_tcp_parse(h, total, p) : -1;
}

int packet_parse_as(const struct packet_rules *r, const u8 *h, u32 have, u32 len, struct rx_packet *p)
{
	if (packet_parse(h, have, len, p))
		return -1;
	if (!r->reth_all || (p->opcode != OP_WRITE_MIDDLE && p->opcode != OP_WRITE_LAST) || p->format != FORMAT_ROCE)
		return 0;
	if (p->payload < RETH_LEN)
		return -1;
	parse_reth(h + p->payload_off, p);
	p->payload_off += RETH_LEN;
	p->payload -= RETH_LEN;
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

u32 packet_seal(u8 *frame, u32 end, enum packet_format format)
{
	if (format == FORMAT_TCP)
		return packet_tcp_seal(frame, end);
	put32_low_first(frame + end, packet_icrc(frame, end));
	return end + ICRC_LEN;
}

bool packet_intact(const u8 *frame, const struct rx_packet *p)
{
	if (p->format == FORMAT_TCP)
		return packet_tcp_intact(frame, p);
	return packet_icrc(frame, p->crc_off) == get32_low_first(frame + p->crc_off);
}
