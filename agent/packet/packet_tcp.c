// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iWARP on the wire: RDMA Writes (RDMAP, RFC 5040) in tagged DDP segments (RFC 5041), each an FPDU of its own (MPA
 * with CRC and without markers, RFC 5044), each FPDU a TCP segment. Data has no TCP options, answers no payload.
 */
#include "agent/packet/packet_impl.h"

#include <isa-l/crc.h>

/* Connections are set up out of band. Answers carry no bytes of a stream of their own, so its numbers stand still. */
#define ANSWER_SEQUENCE 1
/* Nor is there flow control: the largest field, under a scale (RFC 7323) that was agreed at set-up. */
#define WINDOW 0xffff

_Static_assert(HEAD_MAX == TCP_OFF + TCP_LEN + 4 + PACKET_RANGES * TCP_SACK_BLOCK, "an answer's head fits");
_Static_assert(IWARP_HEAD <= HEAD_MAX, "data's head fits");
_Static_assert((HEAD_MAX - TCP_OFF - TCP_LEN) / TCP_SACK_BLOCK <= PACKET_RANGES, "a head has no more blocks");

/* A whole FPDU. */
static u32 fpdu_len(u32 payload)
{
	return MPA_LEN + DDP_LEN + packet_padded(payload) + MPA_CRC_LEN;
}

/* All FPDUs of a full message. */
static u64 message_len(const struct packet_rules *r)
{
	u32 before = r->msg_packets - 1;

	return (u64)before * fpdu_len(r->mtu) + fpdu_len(r->message - before * r->mtu);
}

/* Where packet @n begins in the stream; where the stream ends if the flow has no more than @n packets. */
static u64 stream_offset(const struct packet_rules *r, u64 bytes, u32 n)
{
	bool end = packet_offset(r, n) >= bytes;
	struct packet_place p = packet_place(r, bytes, end ? n - 1 : n);

	return (p.message ? p.message * message_len(r) : 0) + (u64)p.index * fpdu_len(r->mtu) +
		(end ? fpdu_len(p.payload) : 0);
}

u32 packet_tcp_number(const struct packet_rules *r, const struct flow *flow, u32 n)
{
	return r->psn0 + (u32)stream_offset(r, flow->bytes, n);
}

s64 packet_tcp_find(const struct packet_rules *r, const struct flow *flow, u32 ref, u32 number)
{
	u64 from = stream_offset(r, flow->bytes, ref), message = message_len(r), at;
	s64 to = (s64)from + (s32)(number - r->psn0 - (u32)from);
	u32 n, full = fpdu_len(r->mtu), end;

	if (to < 0)
		return PACKET_NONE;
	n = (u64)to < message ? 0 : (u64)to / message;
	at = to - n * message;
	n = n * r->msg_packets + at / full;
	if (at % full == 0 && packet_offset(r, n) < flow->bytes)
		return n;
	end = packet_count(r, flow->bytes);
	return stream_offset(r, flow->bytes, end) == (u64)to ? end : PACKET_NONE;
}

static void put_tcp(u8 *tcp, u32 ports, u32 sequence, u32 acknowledged, u32 len, u8 flags)
{
	put32(tcp, ports);
	put32(tcp + 4, sequence);
	put32(tcp + 8, acknowledged);
	tcp[12] = len / 4 << 4;
	tcp[13] = flags;
	put16(tcp + 14, WINDOW);
	put32(tcp + 16, 0); /* checksum, until sealed; urgent pointer */
}

void packet_tcp_data(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 n)
{
	struct packet_place p = packet_place(r, flow->bytes, n);
	u8 *ddp;

	packet_put_data(r, f, flow, p.payload, IWARP_HEAD);
	f->number = packet_tcp_number(r, flow, n);
	put_tcp(f->head + TCP_OFF, iwarp_ports(flow->id), f->number, ANSWER_SEQUENCE, TCP_LEN,
		TCP_ACK | (p.last ? TCP_PSH : 0));
	put16(f->head + FPDU_OFF, DDP_LEN + p.payload);
	ddp = f->head + DDP_OFF;
	ddp[0] = DDP_CONTROL | (p.last ? DDP_LAST : 0);
	ddp[1] = RDMAP_WRITE;
	put32(ddp + 2, flow_responder_qpn(flow->id)); /* STag: the flow's memory region, addresses from 0 */
	put64(ddp + 6, p.offset);
}

/* SACK blocks behind two NOPs, so that they are aligned (RFC 2018, 3). */
static void put_sack(const struct packet_rules *r, u8 *option, const struct flow *flow, const struct packet_ack *a)
{
	option[0] = option[1] = TCP_OPT_NOP;
	option[2] = TCP_OPT_SACK;
	option[3] = 2 + a->n_ranges * TCP_SACK_BLOCK;
	for (u32 i = 0; i < a->n_ranges; i++) {
		put32(option + 4 + i * TCP_SACK_BLOCK, packet_tcp_number(r, flow, a->ranges[i].from));
		put32(option + 8 + i * TCP_SACK_BLOCK, packet_tcp_number(r, flow, a->ranges[i].to));
	}
}

void packet_tcp_ack(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow,
		    const struct packet_ack *a)
{
	u32 len = TCP_LEN + (a->n_ranges ? 4 + a->n_ranges * TCP_SACK_BLOCK : 0), ports = iwarp_ports(flow->id);

	packet_put_control(r, f, flow, packet_ack_class(r, flow), flow->dst, flow->src, TCP_OFF + len, 0);
	f->number = packet_tcp_number(r, flow, a->n);
	put_tcp(f->head + TCP_OFF, ports << 16 | ports >> 16, ANSWER_SEQUENCE, f->number, len, TCP_ACK);
	if (a->n_ranges)
		put_sack(r, f->head + TCP_OFF + TCP_LEN, flow, a);
}

/* One option of @len bytes, kind and length included. No header has room for more blocks than p->ranges. */
static int parse_option(const u8 *option, u32 len, struct rx_packet *p)
{
	if (option[0] != TCP_OPT_SACK)
		return 0;
	if ((len - 2) % TCP_SACK_BLOCK)
		return -1;
	for (const u8 *block = option + 2; block < option + len; block += TCP_SACK_BLOCK, p->n_ranges++) {
		p->ranges[p->n_ranges].from = get32(block);
		p->ranges[p->n_ranges].to = get32(block + 4);
	}
	return 0;
}

static int parse_options(const u8 *option, const u8 *end, struct rx_packet *p)
{
	while (option < end && *option != TCP_OPT_END) {
		u32 len = 1;

		if (*option != TCP_OPT_NOP) {
			if (end - option < 2 || option[1] < 2 || option[1] > end - option)
				return -1;
			len = option[1];
			if (parse_option(option, len, p))
				return -1;
		}
		option += len;
	}
	return 0;
}

/* The FPDU must fill the segment's @len bytes: if it does, they hold a whole header. */
static int parse_fpdu(const u8 *fpdu, u32 len, struct rx_packet *p)
{
	const u8 *ddp = fpdu + MPA_LEN;
	u32 ulpdu = get16(fpdu);

	if (ulpdu < DDP_LEN || fpdu_len(ulpdu - DDP_LEN) != len)
		return -1;
	if ((ddp[0] & ~DDP_LAST) != DDP_CONTROL || ddp[1] != RDMAP_WRITE)
		return -1;
	p->kind = PACKET_DATA;
	p->last = ddp[0] & DDP_LAST;
	p->rkey = get32(ddp + 2);
	p->va = get64(ddp + 6);
	p->payload = ulpdu - DDP_LEN;
	p->payload_off = IWARP_HEAD;
	p->crc_off = FPDU_OFF + len - MPA_CRC_LEN;
	return 0;
}

/* Whose connection it is, and which way the segment goes. */
static int parse_ports(const u8 *tcp, struct rx_packet *p)
{
	u32 ports = get32(tcp);

	p->to_requester = ports >> 16 < 0xc000;
	if (p->to_requester)
		ports = ports << 16 | ports >> 16;
	p->flow = (ports >> 16 & 0x3fff) | ((ports & 0xffff) - 6144) << 14;
	return p->flow < IWARP_FLOWS && iwarp_ports(p->flow) == ports ? 0 : -1;
}

int packet_tcp_parse(const u8 *frame, u32 total, struct rx_packet *p)
{
	const u8 *tcp = frame + TCP_OFF;
	u32 header, payload;

	if ((tcp[13] & ~TCP_PSH) != TCP_ACK || parse_ports(tcp, p))
		return -1;
	header = (tcp[12] >> 4) * 4;
	if (header < TCP_LEN || IP_LEN + header > total || TCP_OFF + header > HEAD_MAX)
		return -1;
	payload = total - IP_LEN - header;
	p->format = FORMAT_TCP;
	if (p->to_requester == !!payload) /* data goes the one way, answers the other */
		return -1;
	if (payload) {
		p->number = get32(tcp + 4);
		return header == TCP_LEN ? parse_fpdu(frame + FPDU_OFF, payload, p) : -1;
	}
	p->kind = PACKET_ANSWER;
	p->number = get32(tcp + 8);
	p->payload_off = p->crc_off = TCP_OFF + header;
	return parse_options(tcp + TCP_LEN, tcp + header, p);
}

u32 packet_crc32c(const u8 *bytes, u32 len)
{
	/* ISA-L neither begins with ones nor complements; it does not write to its buffer. */
	return ~crc32_iscsi((unsigned char *)bytes, len, ~0U);
}

/* Over pseudo-header and segment, a multiple of 4 bytes long as all of ours are; 0 if the checksum in it is right. */
static u16 tcp_checksum(const u8 *frame, u32 end)
{
	u64 sum = (u64)get32(frame + IP_OFF + 12) + get32(frame + IP_OFF + 16) + IP_TCP + (end - TCP_OFF);

	for (u32 i = TCP_OFF; i < end; i += 4)
		sum += get32(frame + i);
	while (sum >> 16) /* words of 32 bits fold as well as those of 16 (RFC 1071, 2) */
		sum = (sum & 0xffff) + (sum >> 16);
	return (u16)~sum;
}

u32 packet_tcp_seal(u8 *frame, u32 end)
{
	u32 header = (frame[TCP_OFF + 12] >> 4) * 4;

	if (end > TCP_OFF + header) {
		put32_low_first(frame + end, packet_crc32c(frame + FPDU_OFF, end - FPDU_OFF));
		end += MPA_CRC_LEN;
	}
	put16(frame + TCP_OFF + 16, tcp_checksum(frame, end));
	return end;
}

bool packet_tcp_intact(const u8 *frame, const struct rx_packet *p)
{
	u32 end = p->crc_off;

	if (p->kind == PACKET_DATA) {
		if (packet_crc32c(frame + FPDU_OFF, end - FPDU_OFF) != get32_low_first(frame + end))
			return false;
		end += MPA_CRC_LEN;
	}
	return tcp_checksum(frame, end) == 0;
}
