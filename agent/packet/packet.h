/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets as bytes, RoCEv2 or iWARP: headers built and parsed, without any I/O. Payload is not materialised here: a
 * packet says which packet of which flow it is; who puts it on a real wire fills its bytes in and seals it (CRCs).
 *
 * A flow is cut into messages, and each message into packets: packet n is packet n % msg_packets of message
 * n / msg_packets. A message's last packet, and a flow's last message, may be shorter than the others.
 */
#ifndef LOSSLAB_PACKET_H
#define LOSSLAB_PACKET_H

#include <stdbool.h>

#include "agent/packet/flow.h"
#include "bpf/types.h"
#include "bpf/wire.h"

#define HEAD_MAX 82 /* headers of the longest kind: a TCP acknowledgement with three SACK blocks */

enum packet_format {
	FORMAT_ROCE,
	FORMAT_TCP, /* iWARP: DDP segments over TCP */
};

/* How flows become packets: the same for all hosts of a run. */
struct packet_rules {
	enum packet_format format;
	u32 psn0;        /* PSN (TCP: sequence number) of every connection's first packet */
	u32 mtu;         /* payload of a full packet, 1..MTU_MAX */
	u32 message;     /* bytes of a full message, 1..MESSAGE_MAX; flows are cut into these */
	u32 msg_packets; /* packets of a full message: message / mtu, rounded up */
	u32 ack_every;   /* AckReq on every n-th packet, and on the last of a message; 0: only there */
	/* RoCE WRITE: a RETH in every packet, as IRN has it (REFERENCE 1.6); other operations are as ever. */
	bool reth_all;
	u8 ack_class; /* of answers and READ requests, 0..7; or CLASS_OF_FLOW. DSCP's upper three bits */
	u8 cnp_class; /* of CNPs, 1..8 for classes 0..7; 0: that of ACKs */
};

#define CLASS_OF_FLOW 0xff /* ack_class: that of the flow's data */

/* The longest message: 2^30 bytes, under the 2^31 of the InfiniBand specification. */
#define MESSAGE_MAX (1U << 30)

/* A packet about to be sent. */
struct tx_frame {
	u8 head[HEAD_MAX];
	u16 head_len;
	u16 payload; /* bytes */
	u16 len;     /* of the frame, without FCS and stamp, at least 60 */
	u8 pad;      /* zero bytes between payload (or head) and the CRC that ends the packet */
	u8 class;
	bool data; /* carries payload, or would */
	u32 flow;
	u32 number;  /* rx_packet's: with the flow, which payload this is */
	u64 arrival; /* at the far end of the host's link */
};

/* Most holes (MELO) and SACK blocks (TCP) of one answer. */
#define PACKET_RANGES 3

enum packet_kind {
	PACKET_DATA,
	PACKET_ANSWER, /* ACK, NAK; TCP: a segment without payload */
	PACKET_CNP,    /* congestion notification */
	PACKET_READ,   /* READ request */
};

/* A packet received, taken apart. What a kind or format does not have is 0. */
struct rx_packet {
	enum packet_kind kind;
	enum packet_format format;
	u8 opcode;   /* RoCE: BTH's */
	u8 ecn;      /* IP's two bits */
	bool marked; /* RoCE answer: it carries a congestion mark (BECN) */
	bool ack_req;
	bool first, last;  /* data: of its message, as opcodes say; TCP: only the last is told */
	u32 flow;          /* which QPs or ports say: RoCE, less than 2^23; TCP, less than IWARP_FLOWS */
	bool to_requester; /* the destination QP is the requester's, not the responder's; TCP: an answer */
	u32 number;        /* PSN; data of TCP: sequence number; answers of TCP: acknowledgement number */
	u32 payload;       /* bytes, without pad */
	u8 syndrome;       /* AETH, of RoCE's answers and READ responses */
	u32 msn;           /* the same */
	bool has_reth;
	u64 va;          /* RETH; data of TCP: DDP's tagged offset */
	u32 rkey;        /* RETH; data of TCP: STag */
	u32 dma_len;     /* RETH */
	u16 payload_off; /* where it begins in the frame */
	u16 crc_off;     /* where the CRC that ends the packet begins; TCP answers, that have none: where they end */
	u32 src;         /* host */
	u32 n_ranges;    /* holes or SACK blocks, as PSNs or sequence numbers, from .. to-1, as the other side says */
	struct {
		u32 from, to;
	} ranges[PACKET_RANGES];
};

/* The traffic class of all that is neither data of @flow nor a CNP. */
static inline u32 packet_ack_class(const struct packet_rules *r, const struct flow *flow)
{
	return r->ack_class == CLASS_OF_FLOW ? flow->class : r->ack_class;
}

/* ... and of a CNP. */
static inline u32 packet_cnp_class(const struct packet_rules *r, const struct flow *flow)
{
	return r->cnp_class ? r->cnp_class - 1U : packet_ack_class(r, flow);
}

/* QP numbers of a flow: the requester's is even, the responder's odd. */
static inline u32 flow_requester_qpn(u32 flow)
{
	return 2 * flow + 2;
}

static inline u32 flow_responder_qpn(u32 flow)
{
	return 2 * flow + 3;
}

/* Number of packets of a flow; 0 if more than 2^31. */
u32 packet_count(const struct packet_rules *r, u64 bytes);
/* Payload of packet @n of a flow of @bytes. */
u32 packet_payload(const struct packet_rules *r, u64 bytes, u32 n);
/* Where it stands in the flow. */
u64 packet_offset(const struct packet_rules *r, u32 n);
/* Whether it is the first or the last of its message, as opcodes have it. */
bool packet_is_first(const struct packet_rules *r, u32 n);
bool packet_is_last(const struct packet_rules *r, u64 bytes, u32 n);
/* Frame length (without FCS and stamp) of packet @n of a flow. */
u32 packet_frame_len(const struct packet_rules *r, const struct flow *flow, u32 n);
/* The longest frame, data or not, in any format. */
u32 packet_frame_max(u32 mtu);

/* The PSN or sequence number of packet @n of a flow; packet_count()'s @n stands for the flow's end. */
u32 packet_number(const struct packet_rules *r, const struct flow *flow, u32 n);
/*
 * Back again: the packet whose number this is, as near to packet @ref (0 .. packet_count()) as serial arithmetic has
 * it, in 24 bits or TCP's 32. RoCE: it may lie outside the flow, < 0 or beyond its end. TCP: PACKET_NONE, < 0, if no
 * packet begins there; packet_count() for the stream's end.
 */
s64 packet_find(const struct packet_rules *r, const struct flow *flow, u32 ref, u32 number);
#define PACKET_NONE (-(1LL << 62))

/* Build packet @n of a flow. @ack_req: ask for an ACK even where the rules do not. Returns whether it asks for one. */
bool packet_build_data(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 n, bool ack_req);

/* Is @p what packet @n of a flow has to look like: operation, place in the message, length? @n must be within. */
bool packet_fits(const struct packet_rules *r, const struct flow *flow, u32 n, const struct rx_packet *p);

/*
 * An answer to the sender of a flow's data. Packet numbers where not said otherwise. RoCE: with ranges, three holes of
 * 4 bytes follow the AETH (MELO), those not used zero; a hole that begins 2^16 packets or more from @n is left out, and
 * a longer one cut to 2^16 - 1. TCP: SACK blocks in the order given.
 */
struct packet_ack {
	u32 n;        /* RoCE: packet whose PSN stands in BTH.PSN. TCP: first packet not received */
	u8 syndrome;  /* RoCE: AETH */
	u32 msn;      /* RoCE: AETH's 24 bits as they are: a message number, or a PSN */
	bool marked;  /* RoCE: it carries a congestion mark */
	u32 n_ranges; /* from .. to-1, from < to */
	struct {
		u32 from, to;
	} ranges[PACKET_RANGES];
};
void packet_build_ack(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow,
		      const struct packet_ack *a);
/* RoCE only, like the two below: a NAK of the sender of a READ flow's data to the requester, for packet @n. */
void packet_build_read_nak(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 n,
			   u8 syndrome);
/* A congestion notification to the sender of a flow's data: for packet @n, or NO_NUMBER if it is not to say (DCQCN). */
void packet_build_cnp(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 n);
#define NO_NUMBER 0xffffffffU
/* The READ request for message @message of a flow. */
void packet_build_read(const struct packet_rules *r, struct tx_frame *f, const struct flow *flow, u32 message);
/* UDP's source port, both ways: it carries the flow's entropy for ECMP. (TCP's ports: iwarp_ports().) */
u16 packet_sport(u32 flow);

/*
 * Take a frame apart; @have bytes of it can be read (at least HEAD_MAX, or all @len). Checks every length against @len.
 * 0, or -1 if it is not a packet that this lab's hosts make.
 */
int packet_parse(const u8 *frame, u32 have, u32 len, struct rx_packet *p);
/*
 * The same for one who knows the rules: with reth_all, the RETH of a WRITE Middle or Last, whose opcode says nothing of
 * it, is taken apart too. packet_parse() takes it for the first bytes of the payload.
 */
int packet_parse_as(const struct packet_rules *r, const u8 *frame, u32 have, u32 len, struct rx_packet *p);

/*
 * Complete a whole packet that lies at @frame, payload and pad filled in: the ICRC or MPA's CRC, and TCP's checksum.
 * @end: where payload and pad end; the CRC goes there. Returns where the packet ends.
 */
u32 packet_seal(u8 *frame, u32 end, enum packet_format format);
/* Whether a whole packet, taken apart as @p, is sealed right. */
bool packet_intact(const u8 *frame, const struct rx_packet *p);

/*
 * The invariant CRC of the whole packet @frame (from the Ethernet header to the last byte before the ICRC, @len bytes;
 * annex A17.3): returns the value, to be stored least significant byte first.
 */
u32 packet_icrc(const u8 *frame, u32 len);

#endif
