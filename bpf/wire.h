/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Byte layouts of everything on a lab link: Ethernet, IPv4, UDP, RoCEv2 (InfiniBand Architecture
 * Specification 1.3, annex A17), TCP with iWARP on it, 802.1Qbb PFC, and the lab's stamp. Offsets and
 * accessors over bytes, big-endian but for the CRCs, so that BPF, agents and tests agree on one text.
 *
 * If you add a frame type: its sizes here, its parser in bpf/parse.h, its builder in agent/packet/packet.c or
 * agent/packet/packet_tcp.c, its row in tests/unit/test_packet.c or test_packet_tcp.c.
 */
#ifndef LOSSLAB_WIRE_H
#define LOSSLAB_WIRE_H

#include "bpf/types.h"

/* Ethernet. Preamble 8, FCS 4 and gap 12 are never in a frame's bytes, but take their time on the wire. */
#define ETH_LEN 14
#define ETH_MIN 60        /* without FCS */
#define ETH_WIRE_EXTRA 24 /* preamble + FCS + gap */
#define ETHERTYPE_IP 0x0800
#define ETHERTYPE_MACC 0x8808

/* IPv4 without options, UDP, base transport header. */
#define IP_OFF 14
#define IP_LEN 20
#define IP_TCP 6
#define IP_UDP 17
#define IP_NOT_ECT 0
#define IP_ECT0 2
#define UDP_OFF 34
#define UDP_LEN 8
#define BTH_OFF 42
#define BTH_LEN 12
#define BTH_BECN 0x40 /* byte 4: there is congestion the other way */
#define EXT_OFF 54    /* what follows the BTH: RETH, AETH or payload */
#define RETH_LEN 16
#define AETH_LEN 4
#define HOLE_LEN 4   /* MELO: first packet of the hole, counted from BTH.PSN's, u16; packets, u16 */
#define CNP_ZEROS 16 /* what follows the BTH of a CNP */
#define ICRC_LEN 4
#define ROCE_PORT 4791
#define ROCE_OVERHEAD (EXT_OFF + ICRC_LEN) /* 58: of a packet without extension headers */
#define ACK_LEN (ROCE_OVERHEAD + AETH_LEN) /* 62 */

/*
 * iWARP: a TCP segment (RFC 9293) carries one FPDU (MPA, RFC 5044): length of the ULPDU, u16; ULPDU; pad to 4; CRC32c.
 * The ULPDU is a tagged DDP segment (RFC 5041): control, u8; RDMAP's control, u8; STag, u32; TO, u64; payload.
 */
#define TCP_OFF 34
#define TCP_LEN 20 /* without options */
#define TCP_PSH 0x08
#define TCP_ACK 0x10
#define TCP_OPT_END 0
#define TCP_OPT_NOP 1
#define TCP_OPT_SACK 5   /* RFC 2018; its length, u8; blocks */
#define TCP_SACK_BLOCK 8 /* first sequence number, u32; the one after the last, u32 */
#define FPDU_OFF 54      /* in data: it has no options */
#define MPA_LEN 2
#define MPA_CRC_LEN 4
#define DDP_OFF 56
#define DDP_LEN 14
#define DDP_CONTROL 0x81 /* tagged, version 1 */
#define DDP_LAST 0x40
#define RDMAP_WRITE 0x40 /* version 1, opcode 0 (RFC 5040) */
#define IWARP_HEAD (DDP_OFF + DDP_LEN)
#define IWARP_FLOWS (1U << 22) /* that have ports */

/* Ports of a flow's data, source << 16 | destination; of its answers, the other way round. */
static inline u32 iwarp_ports(u32 flow)
{
	return (0xc000 | (flow & 0x3fff)) << 16 | (6144 + (flow >> 14));
}

/* PFC: 802.1Qbb-2011 / 802.3 clause 31 MAC control frame, opcode 0x0101. */
#define PFC_OPCODE 0x0101
#define PFC_VECTOR_OFF 16
#define PFC_QUANTA_OFF 18
#define PFC_LEN 60
#define PFC_QUANTUM_BYTES 64 /* 512 bit times */

/*
 * Credits: InfiniBand's link flow control packet (IBTA 1.3, 7.9.4: operand, FCTBS, VL, FCCL) in an Ethernet frame like
 * PFC's: to 01:80:c2:00:00:01, never forwarded, padded to 60, under an EtherType for local experiments (IEEE 802,
 * 88b5). offset 14: opcode, u16; 16: class, u16; 18: FCTBS, u32; 22: FCCL, u32, in blocks of 64 bytes. See
 * bpf/credit.h.
 */
#define ETHERTYPE_CREDIT 0x88b5
#define CREDIT_OPCODE 0 /* as IBTA's operand: a normal update */
#define CREDIT_CLASS_OFF 16
#define CREDIT_FCTBS_OFF 18
#define CREDIT_FCCL_OFF 22
#define CREDIT_BLOCK 64 /* bytes */

/* The stamp: the last bytes of every frame on a lab link, after the pad to 60. Nobody else's header covers it. */
#define STAMP_LEN 16
#define STAMP_MAGIC 0x4c4f5353U /* "LOSS" */
/* offset 0: magic, u32; 4: version, u16; 6: frame length without stamp, u16; 8: arrival time in ps, u64 */
#define STAMP_VERSION 1

#define MTU_MAX 2048 /* payload of a packet */
#define FRAME_MAX (EXT_OFF + RETH_LEN + MTU_MAX + ICRC_LEN)
_Static_assert(IWARP_HEAD + MPA_CRC_LEN == EXT_OFF + RETH_LEN + ICRC_LEN, "the longest frames are the same");

enum bth_opcode {
	OP_SEND_FIRST = 0x00,
	OP_SEND_MIDDLE = 0x01,
	OP_SEND_LAST = 0x02,
	OP_SEND_ONLY = 0x04,
	OP_WRITE_FIRST = 0x06,
	OP_WRITE_MIDDLE = 0x07,
	OP_WRITE_LAST = 0x08,
	OP_WRITE_LAST_IMM = 0x09,
	OP_WRITE_ONLY = 0x0a,
	OP_WRITE_ONLY_IMM = 0x0b,
	OP_READ_REQUEST = 0x0c,
	OP_READ_FIRST = 0x0d, /* READ Responses */
	OP_READ_MIDDLE = 0x0e,
	OP_READ_LAST = 0x0f,
	OP_READ_ONLY = 0x10,
	OP_ACK = 0x11,
	OP_CNP = 0x81,
};

enum aeth_syndrome {
	AETH_ACK = 0x1f,          /* ACK, credits not used */
	AETH_RNR = 0x20,          /* RNR NAK, with a timer code in the low bits */
	AETH_NAK_SEQUENCE = 0x60, /* NAK, PSN sequence error */
	AETH_NAK_ACCESS = 0x62,   /* NAK, remote access error */
	AETH_TYPE = 0xe0,         /* mask: what kind it is */
	AETH_VALUE = 0x1f,        /* mask: credits, timer code, NAK code */
};

#define PSN_MASK 0xffffffU

/* Frame bytes -> bytes of time on the wire. */
static inline u32 wire_bytes(u32 len)
{
	return (len < ETH_MIN ? ETH_MIN : len) + ETH_WIRE_EXTRA;
}

static inline u16 get16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static inline u32 get24(const u8 *p)
{
	return (u32)p[0] << 16 | (u32)p[1] << 8 | p[2];
}

static inline u32 get32(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

static inline u64 get64(const u8 *p)
{
	return (u64)get32(p) << 32 | get32(p + 4);
}

static inline void put16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = (u8)v;
}

static inline void put24(u8 *p, u32 v)
{
	p[0] = (u8)(v >> 16);
	p[1] = (u8)(v >> 8);
	p[2] = (u8)v;
}

static inline void put32(u8 *p, u32 v)
{
	put16(p, v >> 16);
	put16(p + 2, (u16)v);
}

static inline void put64(u8 *p, u64 v)
{
	put32(p, v >> 32);
	put32(p + 4, (u32)v);
}

/* Least significant byte first: the CRCs. */
static inline u32 get32_low_first(const u8 *p)
{
	return (u32)p[3] << 24 | (u32)p[2] << 16 | (u32)p[1] << 8 | p[0];
}

static inline void put32_low_first(u8 *p, u32 v)
{
	p[0] = (u8)v;
	p[1] = (u8)(v >> 8);
	p[2] = (u8)(v >> 16);
	p[3] = v >> 24;
}

static inline void stamp_put(u8 *p, u16 len, u64 arrival)
{
	put32(p, STAMP_MAGIC);
	put16(p + 4, STAMP_VERSION);
	put16(p + 6, len);
	put64(p + 8, arrival);
}

/*
 * Whether @stamp, the last STAMP_LEN bytes of a frame of @total bytes, makes it one of the lab's: magic, version and
 * length. The one rule: switches' ingress, hosts' TC and agents all ask this function, so they count the same frames.
 */
static inline int stamp_valid(const u8 *stamp, u32 total)
{
	return get32(stamp) == STAMP_MAGIC && get16(stamp + 4) == STAMP_VERSION &&
		get16(stamp + 6) == total - STAMP_LEN;
}

/* The IPv4 header's checksum over @p[20] with the checksum field taken as zero. */
static inline u16 ip_checksum(const u8 *p)
{
	u32 sum = get16(p) + get16(p + 2) + get16(p + 4) + get16(p + 6) + get16(p + 8) + get16(p + 12) + get16(p + 14) +
		get16(p + 16) + get16(p + 18);

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (u16)~sum;
}

#endif
