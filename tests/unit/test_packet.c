// SPDX-License-Identifier: GPL-2.0-or-later
/* Cutting flows into packets; RoCEv2: published ICRCs, and parsing as building's inverse. (Built: test_packet_roce.c.)
 */
#include "tests/unit/packet_bytes.h"

#include "agent/packet/psn.h"
#include "bpf/ecn.h"
#include "bpf/parse.h"

static const struct packet_rules base = {
	.mtu = 1000,
	.message = 4000,
	.msg_packets = 4,
	.ack_every = 64,
	.ack_class = 5,
};

static struct flow flow_of(enum flow_op op, u64 bytes)
{
	return (struct flow){ .id = 77, .src = 3, .dst = 40, .op = op, .class = 3, .bytes = bytes };
}

/* REFERENCE 6.4: V1 and V2 are captures published with scapy's tests; V2 is an unreliable connection's. */
static const char *const vectors[] = {
	"e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b7002800008100ffff4000011800000000"
	"0000000000000000000000000000000082fd002a",
	"248a07a8fa22248a07a8fa22080045010040047840004011b4d5c0a80007c0a80007c00012b7002caca22460ffff000000d300cf1710"
	"4630818be28935d90e9a95505401be885e50000078f353f3",
	"0200000000020200000000010800456a003000014000401126500a0000020a000001c12312b7001c00001140ffff0000001200000068"
	"1f00000438054931",
	"0200000000020200000000010800456a003000014000401126500a0000020a000001c12312b7001c00001140ffff000000120000006a"
	"6000000504d6d20f",
	"0200000000020200000000010800456a004c00014000401126340a0000010a000002c12312b7003800000440ffff0000001180000068"
	"7878787878787878787878787878787878787878787878787878787878787878219b7a35",
};

/* IP and Ethernet only: where the packet ends, whatever the trailer. */
static u32 icrc_offset(const u8 *frame)
{
	return ETH_LEN + get16(frame + IP_OFF + 2) - ICRC_LEN;
}

static void packet_icrc__published(void **state)
{
	u32 len, right = 0;

	for (u32 v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
		u8 *frame = from_hex(vectors[v], &len);

		assert_true(icrc_offset(frame) + ICRC_LEN <= len);
		assert_int_equal(packet_icrc(frame, icrc_offset(frame)), get32_low_first(frame + icrc_offset(frame)));
		right++;
		free(frame);
	}
	assert_int_equal(right, 5);
}

/* What may change in flight is not covered; every other bit is. */
static void packet_icrc__covers(void **state)
{
	u32 len, end;
	u8 *frame = from_hex(vectors[4], &len);
	u32 right;

	end = icrc_offset(frame);
	right = packet_icrc(frame, end);
	for (u32 bit = 0; bit < 8 * end; bit++) {
		u32 at = bit / 8;
		int masked = at < IP_OFF || at == IP_OFF + 1 || at == IP_OFF + 8 || at == IP_OFF + 10 ||
			at == IP_OFF + 11 || at == UDP_OFF + 6 || at == UDP_OFF + 7 || at == BTH_OFF + 4;

		frame[at] ^= 1 << (bit % 8);
		assert_int_equal(packet_icrc(frame, end) == right, masked);
		frame[at] ^= 1 << (bit % 8);
	}
	free(frame);
}

/* Published frames that this lab's hosts would make, too: taken apart, intact, and not if a byte is wrong. */
static void packet_intact__published(void **state)
{
	static const struct {
		u32 vector;
		enum packet_kind kind;
		u32 flow, number;
		bool to_requester, marked;
		u8 syndrome;
		u32 msn, payload;
	} rows[] = { { 0, PACKET_CNP, 139, 0, true, false, 0, 0, 0 },
		     { 2, PACKET_ANSWER, 8, 104, true, false, 0x1f, 4, 0 },
		     { 3, PACKET_ANSWER, 8, 106, true, false, 0x60, 5, 0 },
		     { 4, PACKET_DATA, 7, 104, false, false, 0, 0, 32 } };

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rx_packet p;
		u32 len;
		u8 *b = from_hex(vectors[rows[i].vector], &len);

		assert_int_equal(packet_parse(b, len, len, &p), 0);
		assert_true(p.format == FORMAT_ROCE && p.kind == rows[i].kind && p.flow == rows[i].flow);
		assert_true(p.number == rows[i].number && p.to_requester == rows[i].to_requester);
		assert_true(p.syndrome == rows[i].syndrome && p.msn == rows[i].msn && p.payload == rows[i].payload);
		assert_int_equal(p.marked, rows[i].marked);
		assert_true(packet_intact(b, &p));
		b[len - 1] ^= 1;
		assert_false(packet_intact(b, &p));
		b[len - 1] ^= 1;
		b[BTH_OFF + 11] ^= 1;
		assert_false(packet_intact(b, &p));
		free(b);
	}
}

static void packet_count__sizes(void **state)
{
	struct packet_rules odd = base;

	assert_int_equal(packet_count(&base, 1), 1);
	assert_int_equal(packet_count(&base, 1000), 1);
	assert_int_equal(packet_count(&base, 1001), 2);
	assert_int_equal(packet_count(&base, 3000000), 3000);
	assert_true(packet_count(&base, 1000ULL << 31) == 1U << 31);
	assert_int_equal(packet_count(&base, (1000ULL << 31) + 1), 0);
	assert_int_equal(packet_count(&base, ~0ULL), 0);
	assert_int_equal(packet_payload(&base, 2500, 0), 1000);
	assert_int_equal(packet_payload(&base, 2500, 2), 500);
	assert_int_equal(packet_payload(&base, 2000, 1), 1000);
	assert_int_equal(packet_payload(&base, 1000ULL << 31, (1U << 31) - 1), 1000);
	assert_true(packet_offset(&base, (1U << 31) - 1) == 1000 * ((1ULL << 31) - 1));
	odd.message = 3001; /* four packets of 1000, 1000, 1000 and 1 */
	assert_true(packet_count(&odd, 3001ULL << 29) == 1U << 31);
	assert_int_equal(packet_count(&odd, (3001ULL << 29) + 1), 0);
	assert_int_equal(packet_payload(&odd, 3001ULL << 29, (1U << 31) - 1), 1);
	assert_true(packet_offset(&odd, 5) == 4001);
	odd.mtu = odd.message = odd.msg_packets = 1;
	assert_true(packet_count(&odd, 1ULL << 31) == 1U << 31);
	assert_int_equal(packet_count(&odd, ~0ULL), 0);
	odd.message = odd.msg_packets = MESSAGE_MAX;
	assert_int_equal(packet_count(&odd, ~0ULL), 0);
}

/* All small cases: packets follow one another without gap, and messages end where they should and nowhere else. */
static void packet_place__small(void **state)
{
	u32 cases = 0, shorter = 0;

	for (u32 mtu = 1; mtu <= 5; mtu++)
		for (u32 message = 1; message <= 13; message++)
			for (u64 bytes = 1; bytes <= 40; bytes++, cases++) {
				struct packet_rules r = { .mtu = mtu,
							  .message = message,
							  .msg_packets = (message + mtu - 1) / mtu };
				u32 n = 0;
				u64 at = 0;

				for (; at < bytes; n++) {
					u32 payload = packet_payload(&r, bytes, n);
					bool last = (at + payload) % message == 0 || at + payload == bytes;

					assert_true(packet_offset(&r, n) == at && payload >= 1 && payload <= mtu);
					assert_true(last || payload == mtu);
					assert_true(at / message == (at + payload - 1) / message);
					assert_int_equal(packet_is_last(&r, bytes, n), last);
					at += payload;
					shorter += payload < mtu;
				}
				assert_true(at == bytes);
				assert_int_equal(packet_count(&r, bytes), n);
			}
	assert_int_equal(cases, 2600);
	assert_true(shorter > 5000);
}

/* 58 bytes of overhead, 16 more with a RETH, 4 with an AETH, pad to 4, at least 60. */
static void packet_frame_len__sizes(void **state)
{
	static const struct {
		enum flow_op op;
		u32 bytes, n, len;
	} rows[] = { { FLOW_WRITE, 4000, 1, 1058 }, { FLOW_WRITE, 4000, 0, 1074 }, { FLOW_WRITE, 3001, 3, 62 },
		     { FLOW_WRITE, 1, 0, 78 },      { FLOW_WRITE, 5, 0, 82 },      { FLOW_SEND, 4000, 0, 1058 },
		     { FLOW_SEND, 1, 0, 62 },       { FLOW_READ, 4000, 0, 1062 },  { FLOW_READ, 4000, 1, 1058 },
		     { FLOW_READ, 4000, 3, 1062 },  { FLOW_READ, 1, 0, 66 } };
	struct packet_rules r = base;

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct flow flow = flow_of(rows[i].op, rows[i].bytes);

		assert_int_equal(packet_frame_len(&r, &flow, rows[i].n), rows[i].len);
	}
	r.reth_all = true;
	assert_int_equal(packet_frame_len(&r, &(struct flow){ .op = FLOW_WRITE, .bytes = 4000 }, 1), 1074);
	assert_int_equal(packet_frame_len(&r, &(struct flow){ .op = FLOW_READ, .bytes = 4000 }, 1), 1058);
	assert_int_equal(packet_frame_max(1000), 1074);
	assert_int_equal(packet_frame_max(2048), FRAME_MAX);
	assert_int_equal(packet_frame_max(1), HEAD_MAX);
	assert_int_equal(wire_bytes(1024 + ROCE_OVERHEAD), 1106); /* REFERENCE 6.1 */
	assert_int_equal(wire_bytes(ACK_LEN), 86);
	assert_int_equal(wire_bytes(12), 84);
}

/* PSNs wrap at 2^24; the nearest packet is meant, though it be none of the flow's. */
static void packet_find__roce(void **state)
{
	struct packet_rules r = base;
	struct flow flow = flow_of(FLOW_WRITE, 1ULL << 40);
	struct rng rng = { .state = 5 };

	r.psn0 = 0xfffffe;
	assert_int_equal(packet_number(&r, &flow, 0), 0xfffffe);
	assert_int_equal(packet_number(&r, &flow, 2), 0);
	assert_int_equal(packet_number(&r, &flow, (1 << 24) + 2), 0);
	assert_true(packet_find(&r, &flow, 0, 0xfffffd) == -1);
	assert_true(packet_find(&r, &flow, 0, 1) == 3);
	assert_true(packet_find(&r, &flow, 0, (0xfffffe + (1 << 23) - 1) & PSN_MASK) == (1 << 23) - 1);
	assert_true(packet_find(&r, &flow, 0, (0xfffffe + (1 << 23)) & PSN_MASK) == -(1 << 23));
	for (u32 i = 0; i < 20000; i++) {
		u32 n = rng_below(&rng, 1U << 30), ref;

		r.psn0 = rng_below(&rng, 1 << 24);
		ref = n + (1 << 23) - rng_below(&rng, 1 << 24);
		if (ref > 1U << 31)
			ref = 0;
		if (n - ref + (1 << 23) < 1 << 24)
			assert_true(packet_find(&r, &flow, ref, packet_number(&r, &flow, n)) == n);
	}
}

/* Entropy, in the dynamic range, the same for both directions of a flow, and different for most flows. */
static void packet_sport__spread(void **state)
{
	static u8 seen[1 << 16];
	u32 different = 0;

	for (u32 flow = 0; flow < 4096; flow++) {
		u16 port = packet_sport(flow);

		assert_true(port >= 0xc000);
		different += !seen[port];
		seen[port] = 1;
	}
	assert_true(different > 2800); /* 4096 draws of 16384: 3624 different on average */
}

static struct packet_rules random_rules(struct rng *rng)
{
	static const u32 mtus[] = { 64, 999, 1000, 1024, 2048 };
	struct packet_rules r = base;

	r.mtu = mtus[rng_below(rng, 5)];
	r.reth_all = one_in(rng, 4);
	r.message = 1 + rng_below(rng, 5 * r.mtu);
	r.msg_packets = (r.message + r.mtu - 1) / r.mtu;
	r.psn0 = rng_below(rng, 1 << 24);
	return r;
}

/* One data packet, from builder to host and switch. */
static void check_inverse(const struct packet_rules *r, const struct flow *flow, u32 n)
{
	bool write = flow->op == FLOW_WRITE, all = r->reth_all && write, middle;
	u32 in_message = packet_offset(r, n) % r->message;
	u8 *b, small[SLOT_SMALL] = { 0 };
	struct tx_frame f;
	struct rx_packet p;
	struct frame seen;

	packet_build_data(r, &f, flow, n, false);
	b = materialise(r, &f);
	assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
	middle = all && in_message; /* the opcode does not tell that it has a RETH */
	assert_int_equal(p.has_reth, write && !in_message);
	assert_int_equal(p.payload_off, f.head_len - (middle ? RETH_LEN : 0));
	assert_int_equal(packet_parse_as(r, b, f.len, f.len, &p), 0);
	assert_int_equal(packet_parse_as(r, b, f.len < HEAD_MAX ? f.len : HEAD_MAX, f.len, &p), 0);
	assert_true(packet_intact(b, &p));
	assert_true(packet_fits(r, flow, n, &p));
	assert_true(p.kind == PACKET_DATA && p.format == FORMAT_ROCE && p.opcode == f.head[BTH_OFF]);
	assert_true(p.payload == f.payload && p.payload_off == f.head_len && !p.marked && !p.n_ranges);
	assert_int_equal(p.crc_off, f.head_len + f.payload + f.pad);
	assert_true(packet_find(r, flow, n, p.number) == n && p.flow == flow->id && p.src == 6 && p.ecn == 2);
	assert_int_equal(p.to_requester, flow->op == FLOW_READ);
	assert_int_equal(p.ack_req, f.head[BTH_OFF + 8] >> 7);
	assert_int_equal(p.first, in_message == 0);
	assert_int_equal(p.last,
			 in_message + p.payload == r->message || packet_offset(r, n) + p.payload == flow->bytes);
	assert_int_equal(p.has_reth, write && (all || p.first));
	if (p.has_reth) {
		assert_true(p.va == packet_offset(r, n) && p.rkey == flow_responder_qpn(flow->id));
		assert_int_equal(
			p.dma_len,
			(flow->bytes - p.va < r->message - in_message ? flow->bytes - p.va : r->message - in_message));
	}
	memcpy(small, b, f.len < SLOT_SMALL ? f.len : SLOT_SMALL);
	assert_int_equal(parse_frame(small, f.len, &seen), 0);
	assert_true(seen.dst == 9 && seen.class == flow->class && seen.flags == (FRAME_ECT | FRAME_DATA));
	free(b);
}

/* What the host builds, the host takes apart and the switch reads. */
static void packet_parse__inverse(void **state)
{
	struct rng rng = { .state = 11 };
	u32 packets = 0;

	for (u32 i = 0; i < 3000; i++) {
		struct packet_rules r = random_rules(&rng);
		struct flow flow = {
			.id = rng_below(&rng, (1 << 23) - 1), .src = 6, .dst = 9, .op = i % 3, .class = i % 8
		};

		flow.bytes = 1 + rng_below(&rng, 4 * r.mtu);
		for (u32 n = 0; n < packet_count(&r, flow.bytes) && n < 20; n++, packets++)
			check_inverse(&r, &flow, n);
	}
	assert_true(packets > 8000);
}

/* CE goes in, the checksum follows, the ICRC does not mind. */
static void ecn_write_ce__checksums(void **state)
{
	struct rng rng = { .state = 2 };

	for (u32 i = 0; i < 2000; i++) {
		struct flow flow = { .id = rng_below(&rng, 1 << 20),
				     .src = rng_below(&rng, 1 << 16),
				     .dst = rng_below(&rng, 1 << 16),
				     .bytes = 1 + rng_below(&rng, 1000) };
		struct tx_frame f;
		struct rx_packet p;
		u8 *b, tos;

		packet_build_data(&base, &f, &flow, 0, false);
		b = materialise(&base, &f);
		tos = b[IP_OFF + 1];
		ecn_write_ce(b);
		assert_int_equal(b[IP_OFF + 1], tos | 3);
		assert_int_equal(ip_sum(b + IP_OFF), 0xffff);
		assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
		assert_int_equal(p.ecn, 3);
		assert_true(packet_intact(b, &p));
		free(b);
	}
}

static u8 *random_frame(struct rng *rng, u32 *len)
{
	struct packet_rules r = random_rules(rng);
	struct flow flow = {
		.id = 5, .src = 1, .dst = 2, .op = rng_below(rng, 3), .bytes = 2000 + rng_below(rng, 600)
	};
	struct packet_ack a = {
		.n = 1, .syndrome = 0x60, .msn = 7, .n_ranges = one_in(rng, 2), .ranges = { { 1, 2 } }
	};
	struct tx_frame f;

	switch (rng_below(rng, 8)) {
	case 0:
		packet_build_ack(&r, &f, &flow, &a);
		break;
	case 1:
		packet_build_cnp(&r, &f, &flow, NO_NUMBER);
		break;
	case 2:
		packet_build_read(&r, &f, &flow, 0);
		break;
	default:
		packet_build_data(&r, &f, &flow, rng_below(rng, packet_count(&r, flow.bytes)), false);
	}
	*len = f.len;
	return materialise(&r, &f);
}

/* What packet_parse() believed lies within the frame and in range. */
static void assert_within(const u8 *frame, const struct rx_packet *p, u32 have, u32 len)
{
	assert_true(len >= ETH_MIN && p->payload_off >= EXT_OFF && p->payload_off <= have);
	assert_true((u64)p->payload_off + p->payload <= p->crc_off);
	assert_int_equal(p->crc_off, icrc_offset(frame));
	assert_true(p->crc_off + (u32)ICRC_LEN <= len && p->n_ranges <= PACKET_RANGES);
	assert_true(p->number <= PSN_MASK && p->flow < 1 << 23 && p->msn <= PSN_MASK && p->ecn <= 3);
	assert_true(p->kind == PACKET_DATA ? p->opcode <= OP_READ_ONLY : !p->payload);
	for (u32 i = 0; i < p->n_ranges; i++)
		assert_true(p->ranges[i].from <= PSN_MASK && p->ranges[i].to <= PSN_MASK);
}

/* Lies in the headers, and frames cut short: what is accepted lies within the frame. Buffers end where the bytes do. */
static void packet_parse__hostile(void **state)
{
	struct rng rng = { .state = 99 };
	u32 accepted = 0, refused = 0;

	for (u32 i = 0; i < 60000; i++) {
		u32 whole, len, have;
		u8 *b = random_frame(&rng, &whole), *cut;
		struct rx_packet p;

		for (u32 m = rng_below(&rng, 4); m; m--)
			b[rng_below(&rng, EXT_OFF + RETH_LEN < whole ? EXT_OFF + RETH_LEN : whole)] = rng_next(&rng);
		if (one_in(&rng, 4))
			put16(b + IP_OFF + 2, rng_below(&rng, 80));
		put16(b + UDP_OFF + 4, get16(b + IP_OFF + 2) - IP_LEN);
		if (one_in(&rng, 8))
			b[UDP_OFF + 5] = rng_next(&rng);
		len = one_in(&rng, 3) ? rng_below(&rng, whole + 1) : whole;
		have = len > HEAD_MAX && one_in(&rng, 2) ? HEAD_MAX : len;
		cut = malloc(have ? have : 1);
		assert_non_null(cut);
		memcpy(cut, b, have);
		if (packet_parse(cut, have, len, &p)) {
			refused++;
		} else {
			accepted++;
			assert_within(cut, &p, have, len);
			if (!packet_parse_as(&(struct packet_rules){ .reth_all = true }, cut, have, len, &p))
				assert_within(cut, &p, have, len);
			if (have == len)
				packet_intact(cut, &p); /* whatever it says: it reads no further */
		}
		free(cut);
		free(b);
	}
	assert_true(accepted > 5000 && refused > 5000);
}

static const struct {
	u8 opcode;
	bool responder, requester; /* may receive it */
	u8 ext;
} known[] = { { 0x00, 1, 0, 0 }, { 0x01, 1, 0, 0 }, { 0x02, 1, 0, 0 },  { 0x04, 1, 0, 0 },  { 0x06, 1, 0, 16 },
	      { 0x07, 1, 0, 0 }, { 0x08, 1, 0, 0 }, { 0x0a, 1, 0, 16 }, { 0x0c, 1, 0, 16 }, { 0x0d, 0, 1, 4 },
	      { 0x0e, 0, 1, 0 }, { 0x0f, 0, 1, 4 }, { 0x10, 0, 1, 4 },  { 0x11, 1, 1, 4 },  { 0x81, 1, 1, 16 } };

/* Every opcode, to both QPs of a flow: those that this lab's hosts send, and no others. */
static void packet_parse__opcodes(void **state)
{
	struct flow flow = flow_of(FLOW_SEND, 500);
	struct rx_packet p;
	struct tx_frame f;
	u32 accepted = 0;
	u8 *b;

	packet_build_data(&base, &f, &flow, 0, false);
	b = materialise(&base, &f);
	for (u32 row = 0; row < 256 + sizeof(known) / sizeof(known[0]); row++) {
		u32 k = row < 256 ? 0 : row - 256, body = row < 256 ? 496 : known[k].ext;
		u8 opcode = row < 256 ? row : known[k].opcode;

		/* first with a body of data's length, then with none but the extension */
		put16(b + IP_OFF + 2, IP_LEN + UDP_LEN + BTH_LEN + body + ICRC_LEN);
		put16(b + UDP_OFF + 4, UDP_LEN + BTH_LEN + body + ICRC_LEN);
		b[BTH_OFF] = opcode;
		for (u32 side = 0; side < 2; side++) {
			bool want = false;

			put24(b + BTH_OFF + 5, side ? flow_requester_qpn(77) : flow_responder_qpn(77));
			for (u32 i = 0; i < sizeof(known) / sizeof(known[0]); i++)
				if (known[i].opcode == opcode && (side ? known[i].requester : known[i].responder))
					want = row >= 256 || (opcode <= 0x10 && opcode != 0x0c);
			if (packet_parse(b, f.len, f.len, &p) != (want ? 0 : -1))
				fail_msg("opcode %#x to side %u, %u bytes", opcode, side, body);
			accepted += want;
		}
	}
	assert_int_equal(accepted, 12 + 17);
	b[BTH_OFF] = OP_ACK;
	put24(b + BTH_OFF + 5, 1); /* QP 1 is management's */
	assert_int_equal(packet_parse(b, f.len, f.len, &p), -1);
	free(b);
}

/* One lie each, on an otherwise right frame. */
static void packet_parse__refuses(void **state)
{
	static const struct {
		u16 at;
		u8 value;
	} lies[] = { { 12, 0x86 },         { IP_OFF, 0x46 },     { IP_OFF, 0x65 },          { IP_OFF + 9, 6 },
		     { IP_OFF + 9, 1 },    { IP_OFF + 6, 0x20 }, { UDP_OFF + 2, 0 },        { UDP_OFF + 5, 1 },
		     { IP_OFF + 2, 1 },    { IP_OFF + 3, 44 },   { BTH_OFF, OP_SEND_ONLY }, { BTH_OFF, 0x31 },
		     { BTH_OFF + 1, 0x10 } };
	struct flow flow = flow_of(FLOW_WRITE, 500);
	struct packet_ack a = { .n = 3, .syndrome = AETH_ACK };
	struct tx_frame f;
	struct rx_packet p;
	u8 *b;

	packet_build_ack(&base, &f, &flow, &a);
	b = materialise(&base, &f);
	assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
	for (u32 i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		u8 kept = b[lies[i].at];

		b[lies[i].at] = lies[i].value;
		if (packet_parse(b, f.len, f.len, &p) != -1)
			fail_msg("lie %u was believed", i);
		b[lies[i].at] = kept;
	}
	assert_int_equal(packet_parse(b, f.len, f.len - 1, &p), -1);
	free(b);
	a.n_ranges = 1;
	a.ranges[0].to = 9;
	packet_build_ack(&base, &f, &flow, &a);
	b = materialise(&base, &f);
	assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
	b[BTH_OFF + 1] = 0x10; /* holes have no pad */
	assert_int_equal(packet_parse(b, f.len, f.len, &p), -1);
	free(b);
	packet_build_data(&base, &f, &flow, 0, false);
	b = materialise(&base, &f);
	assert_int_equal(packet_parse(b, HEAD_MAX, f.len, &p), 0);
	assert_int_equal(packet_parse(b, HEAD_MAX - 1, f.len, &p), -1);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packet_icrc__published),   cmocka_unit_test(packet_icrc__covers),
		cmocka_unit_test(packet_intact__published), cmocka_unit_test(packet_count__sizes),
		cmocka_unit_test(packet_place__small),      cmocka_unit_test(packet_frame_len__sizes),
		cmocka_unit_test(packet_find__roce),        cmocka_unit_test(packet_sport__spread),
		cmocka_unit_test(packet_parse__inverse),    cmocka_unit_test(ecn_write_ce__checksums),
		cmocka_unit_test(packet_parse__hostile),    cmocka_unit_test(packet_parse__opcodes),
		cmocka_unit_test(packet_parse__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
