/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RoCEv2 packets as bytes: headers built and parsed, without any I/O. Payload is not materialised here: a packet
 * says which bytes of which flow it carries; who puts it on a real wire fills them in and seals it (ICRC).
 */
#ifndef LOSSLAB_PACKET_H
#define LOSSLAB_PACKET_H

#include <stdbool.h>

#include "bpf/types.h"
#include "bpf/wire.h"

#define HEAD_MAX (EXT_OFF + RETH_LEN) /* headers of the longest kind */

/* How flows become packets: the same for all hosts of a run. */
struct packet_rules {
	u32 mtu;         /* payload of a full packet */
	u32 msg_packets; /* packets of a full message */
	u32 ack_every;   /* AckReq on every n-th packet, and on the last of a message */
	bool reth_all;   /* every packet a WRITE Only with its own RETH */
	u8 data_class, ack_class;
};

/* The longest message: 2^30 bytes, under the 2^31 of the InfiniBand specification. */
#define MESSAGE_MAX (1U << 30)

/* A packet about to be sent. */
struct tx_frame {
	u8 head[HEAD_MAX];
	u16 head_len;
	u16 payload; /* bytes */
	u16 len;     /* of the frame, without FCS and stamp, at least 60 */
	u8 pad;      /* zero bytes between payload and ICRC */
	u8 class;
	bool data; /* carries payload, or would */
	u32 flow;  /* payload is bytes offset .. offset + payload of this flow */
	u64 offset;
	u64 arrival; /* at the far end of the host's link */
};

/* A packet received, taken apart. */
struct rx_packet {
	u8 opcode;
	u8 ecn; /* IP's two bits */
	bool ack_req;
	u32 qpn, psn;
	u32 payload; /* bytes, without pad */
	u8 syndrome; /* ACK: AETH */
	u32 msn;
	u16 payload_off; /* where it begins in the frame */
	u16 icrc_off;    /* where the ICRC does */
	u32 src;         /* host */
};

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
/* Frame length (without FCS and stamp) of packet @n of a flow of @bytes. */
u32 packet_frame_len(const struct packet_rules *r, u64 bytes, u32 n);
/* The longest frame these rules can make. */
u32 packet_frame_max(u32 mtu);

/* Build packet @n of a flow. */
void packet_build_data(const struct packet_rules *r, struct tx_frame *f, u32 flow, u32 src, u32 dst, u64 bytes, u32 n,
		       u32 psn);
/* Build an ACK or NAK for a flow's requester at @dst. @msn goes out as it is (for IRN's NACK it holds the sack PSN). */
void packet_build_ack(const struct packet_rules *r, struct tx_frame *f, u32 flow, u32 src, u32 dst, u32 psn,
		      u8 syndrome, u32 msn);
/* The UDP checksum is 0, the source port carries the flow's entropy for ECMP. */
u16 packet_sport(u32 flow);

/*
 * Take a frame apart; @have bytes of it can be read (at least HEAD_MAX, or all @len). Checks every length against @len.
 * 0, or -1 if it is not a RoCEv2 packet that this lab's hosts make.
 */
int packet_parse(const u8 *frame, u32 have, u32 len, struct rx_packet *p);

/*
 * The invariant CRC of the whole packet @frame (from the Ethernet header to the last byte before the ICRC, @len bytes;
 * annex A17.3): returns the value, to be stored least significant byte first.
 */
u32 packet_icrc(const u8 *frame, u32 len);

#endif
