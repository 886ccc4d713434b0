// SPDX-License-Identifier: GPL-2.0
/* RoCEv2 packets: published ICRCs, every field of what is built, and parsing as its inverse. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "agent/packet.h"
#include "bpf/ecn.h"
#include "bpf/parse.h"

static const struct packet_rules base = {
	.mtu = 1000,
	.msg_packets = 4,
	.ack_every = 64,
	.data_class = 3,
	.ack_class = 5,
};

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

/* The bytes of @hex in a buffer of exactly their number. */
static u8 *from_hex(const char *hex, u32 *len)
{
	u8 *bytes = malloc(*len = strlen(hex) / 2);

	assert_non_null(bytes);
	for (u32 i = 0; i < *len; i++)
		assert_int_equal(sscanf(hex + 2 * i, "%2hhx", &bytes[i]), 1);
	return bytes;
}

static u32 get32_low_first(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

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

static void packet_count__sizes(void **state)
{
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
}

/* 58 bytes of overhead, 16 more with a RETH, pad to 4, at least 60. */
static void packet_frame_len__sizes(void **state)
{
	assert_int_equal(packet_frame_len(&base, 4000, 1), 1058);
	assert_int_equal(packet_frame_len(&base, 4000, 0), 1074);
	assert_int_equal(packet_frame_len(&base, 3001, 3), 62);
	assert_int_equal(packet_frame_len(&base, 1, 0), 78);
	assert_int_equal(packet_frame_len(&base, 5, 0), 82);
	assert_int_equal(packet_frame_max(1000), 1074);
	assert_int_equal(packet_frame_max(2048), FRAME_MAX);
	assert_int_equal(wire_bytes(1024 + ROCE_OVERHEAD), 1106); /* REFERENCE 6.1 */
	assert_int_equal(wire_bytes(ACK_LEN), 86);
	assert_int_equal(wire_bytes(12), 84);
}

/* A packet as it goes on the wire, payload bytes counted up, in a buffer of exactly f->len. */
static u8 *materialise(const struct tx_frame *f)
{
	u8 *b = calloc(1, f->len);
	u32 end = f->head_len + f->payload + f->pad, crc;

	assert_non_null(b);
	assert_true(end + ICRC_LEN <= f->len);
	memcpy(b, f->head, f->head_len);
	for (u32 i = 0; i < f->payload; i++)
		b[f->head_len + i] = f->offset + i;
	crc = packet_icrc(b, end);
	for (u32 i = 0; i < 4; i++)
		b[end + i] = crc >> (8 * i);
	return b;
}

/* The sum over all ten words of a header with a right checksum is all ones. */
static u32 ip_sum(const u8 *ip)
{
	u32 sum = 0;

	for (u32 i = 0; i < 20; i += 2)
		sum += get16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void check_headers(const struct tx_frame *f, u32 src, u32 dst, u8 tos, u32 flow)
{
	const u8 *h = f->head;
	u32 size = BTH_LEN + (f->head_len - EXT_OFF) + f->payload + f->pad + ICRC_LEN;
	u8 macs[12] = { 2, 0, 0, 0, dst >> 8, dst + 1, 2, 0, 0, 0, src >> 8, src + 1 };

	assert_memory_equal(h, macs, 12);
	assert_int_equal(get16(h + 12), 0x0800);
	assert_int_equal(h[14], 0x45);
	assert_int_equal(h[15], tos);
	assert_int_equal(get16(h + 16), 28 + size);
	assert_int_equal(get32(h + 18), 0x00004000); /* don't fragment */
	assert_int_equal(h[22], 64);
	assert_int_equal(h[23], 17);
	assert_int_equal(ip_sum(h + IP_OFF), 0xffff);
	assert_int_equal(get32(h + 26), 0x0a000001 + src);
	assert_int_equal(get32(h + 30), 0x0a000001 + dst);
	assert_int_equal(get16(h + 34), packet_sport(flow));
	assert_int_equal(get16(h + 36), 4791);
	assert_int_equal(get16(h + 38), 8 + size);
	assert_int_equal(get16(h + 40), 0);
	assert_int_equal(h[BTH_OFF + 1], f->pad << 4);
	assert_int_equal(get16(h + BTH_OFF + 2), 0xffff);
	assert_int_equal(h[BTH_OFF + 4], 0);
	assert_int_equal(h[BTH_OFF + 8] & 0x7f, 0);
	assert_int_equal(f->flow, flow);
}

struct expected {
	u8 opcode;
	bool ack_req;
	u32 dma; /* RETH's length; 0: no RETH */
};

static void check_data(const struct packet_rules *r, u64 bytes, u32 n, u32 psn, struct expected e)
{
	struct tx_frame f;
	const u8 *bth = f.head + BTH_OFF, *reth = f.head + EXT_OFF;

	memset(&f, 0xee, sizeof(f));
	packet_build_data(r, &f, 77, 3, 40, bytes, n, psn);
	check_headers(&f, 3, 40, (r->data_class << 5 | 2 << 2) | 2, 77);
	assert_int_equal(bth[0], e.opcode);
	assert_int_equal(get24(bth + 5), flow_responder_qpn(77));
	assert_int_equal(bth[8] >> 7, e.ack_req);
	assert_int_equal(get24(bth + 9), psn);
	assert_int_equal(f.payload, packet_payload(r, bytes, n));
	assert_int_equal(f.pad, (4 - f.payload % 4) % 4);
	assert_int_equal(f.head_len, e.dma ? 70 : 54);
	assert_int_equal(f.len, packet_frame_len(r, bytes, n));
	assert_int_equal(f.class, r->data_class);
	assert_true(f.data);
	assert_true(f.offset == (u64)n * r->mtu);
	if (e.dma) {
		assert_true(get64(reth) == f.offset);
		assert_int_equal(get32(reth + 8), flow_responder_qpn(77));
		assert_int_equal(get32(reth + 12), e.dma);
	}
}

/* Messages of four packets: 4000 and 2501 bytes. */
static void packet_build_data__messages(void **state)
{
	static const struct expected want[] = {
		{ OP_WRITE_FIRST, 0, 4000 }, { OP_WRITE_MIDDLE, 0, 0 },   { OP_WRITE_MIDDLE, 0, 0 },
		{ OP_WRITE_LAST, 1, 0 },     { OP_WRITE_FIRST, 0, 2501 }, { OP_WRITE_MIDDLE, 0, 0 },
		{ OP_WRITE_LAST, 1, 0 },
	};

	for (u32 n = 0; n < 7; n++)
		check_data(&base, 6501, n, 0xfffffe + n < 1 << 24 ? 0xfffffe + n : n - 2, want[n]);
	check_data(&base, 1, 0, 0, (struct expected){ OP_WRITE_ONLY, 1, 1 });
	check_data(&base, 4001, 4, 4, (struct expected){ OP_WRITE_ONLY, 1, 1 });
	check_data(&base, 4000, 3, 3, (struct expected){ OP_WRITE_LAST, 1, 0 });
	check_data(&base, 1ULL << 40, 1U << 30, 9, (struct expected){ OP_WRITE_FIRST, 0, 4000 });
}

static void packet_build_data__ack_every(void **state)
{
	struct packet_rules r = base;

	r.ack_every = 3;
	r.msg_packets = 1000;
	for (u32 n = 1; n < 10; n++)
		check_data(&r, 10001, n, n, (struct expected){ OP_WRITE_MIDDLE, n % 3 == 2, 0 });
	check_data(&r, 10001, 10, 10, (struct expected){ OP_WRITE_LAST, 1, 0 });
	r.ack_every = 1;
	check_data(&r, 10001, 1, 1, (struct expected){ OP_WRITE_MIDDLE, 1, 0 });
}

static void packet_build_data__reth_all(void **state)
{
	struct packet_rules r = base;

	r.reth_all = true;
	r.data_class = 7;
	for (u32 n = 0; n < 6; n++)
		check_data(&r, 6501, n, n, (struct expected){ OP_WRITE_ONLY, 1, 1000 });
	check_data(&r, 6501, 6, 6, (struct expected){ OP_WRITE_ONLY, 1, 501 });
}

static void check_ack(u32 psn, u8 syndrome, u32 msn)
{
	struct tx_frame f;
	struct frame seen;
	struct rx_packet p;
	u8 *b;

	memset(&f, 0xee, sizeof(f));
	packet_build_ack(&base, &f, 12, 8, 1, psn, syndrome, msn);
	check_headers(&f, 8, 1, 5 << 5 | 2 << 2, 12);
	assert_int_equal(f.len, 62);
	assert_int_equal(f.head_len, 58);
	assert_int_equal(f.payload + f.pad, 0);
	assert_int_equal(f.class, 5);
	assert_false(f.data);
	assert_int_equal(f.head[BTH_OFF], 0x11);
	assert_int_equal(get24(f.head + BTH_OFF + 5), flow_requester_qpn(12));
	assert_int_equal(get32(f.head + BTH_OFF + 8), psn);
	assert_int_equal(get32(f.head + EXT_OFF), (u32)syndrome << 24 | (msn & PSN_MASK));
	b = materialise(&f);
	assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
	assert_true(p.opcode == OP_ACK && p.psn == psn && p.syndrome == syndrome && p.msn == (msn & PSN_MASK) &&
		    !p.payload);
	assert_int_equal(p.src, 8);
	assert_int_equal(p.qpn, flow_requester_qpn(12));
	assert_int_equal(parse_frame(f.head, f.len, &seen), 0);
	assert_int_equal(seen.flags, 0); /* neither ECT nor data */
	free(b);
}

static void packet_build_ack__fields(void **state)
{
	check_ack(0, AETH_ACK, 0);
	check_ack(0xffffff, AETH_ACK, 0x1000000);
	check_ack(0x123456, AETH_NAK_SEQUENCE, 0xabcdef);
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

/* What the host builds, the host takes apart and the switch reads. */
static void packet_parse__inverse(void **state)
{
	static const u32 mtus[] = { 64, 999, 1000, 1024, 2048 };
	struct rng rng = { .state = 11 };
	u32 packets = 0;

	for (u32 i = 0; i < 3000; i++) {
		struct packet_rules r = base;
		u64 bytes;

		r.mtu = mtus[i % 5];
		r.reth_all = one_in(&rng, 4);
		r.msg_packets = 1 + rng_below(&rng, 5);
		bytes = 1 + rng_below(&rng, 4 * r.mtu);
		for (u32 n = 0; n < packet_count(&r, bytes); n++, packets++) {
			u32 psn = rng_below(&rng, 1 << 24), flow = rng_below(&rng, 1 << 22);
			struct tx_frame f;
			struct rx_packet p;
			struct frame seen;
			u8 *b, small[SLOT_SMALL] = { 0 };

			packet_build_data(&r, &f, flow, 6, 9, bytes, n, psn);
			b = materialise(&f);
			assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
			assert_int_equal(packet_parse(b, f.len < HEAD_MAX ? f.len : HEAD_MAX, f.len, &p), 0);
			assert_true(p.psn == psn && p.payload == f.payload && p.payload_off == f.head_len);
			assert_int_equal(p.opcode, f.head[BTH_OFF]);
			assert_int_equal(p.qpn, flow_responder_qpn(flow));
			assert_int_equal(p.ack_req, f.head[BTH_OFF + 8] >> 7);
			assert_true(p.src == 6 && p.ecn == 2 && !p.syndrome && !p.msn);
			memcpy(small, b, f.len < SLOT_SMALL ? f.len : SLOT_SMALL);
			assert_int_equal(parse_frame(small, f.len, &seen), 0);
			assert_true(seen.dst == 9 && seen.class == 3 && seen.flags == (FRAME_ECT | FRAME_DATA));
			free(b);
		}
	}
	assert_true(packets > 5000);
}

/* CE goes in, the checksum follows, the ICRC does not mind. */
static void ecn_write_ce__checksums(void **state)
{
	struct rng rng = { .state = 2 };

	for (u32 i = 0; i < 2000; i++) {
		struct tx_frame f;
		struct rx_packet p;
		u32 crc, end;
		u8 *b, tos;

		packet_build_data(&base, &f, rng_below(&rng, 1 << 20), rng_below(&rng, 1 << 16),
				  rng_below(&rng, 1 << 16), 1 + rng_below(&rng, 1000), 0, i);
		end = f.head_len + f.payload + f.pad;
		b = materialise(&f);
		crc = packet_icrc(b, end);
		tos = b[IP_OFF + 1];
		ecn_write_ce(b);
		assert_int_equal(b[IP_OFF + 1], tos | 3);
		assert_int_equal(ip_sum(b + IP_OFF), 0xffff);
		assert_int_equal(packet_icrc(b, end), crc);
		assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
		assert_int_equal(p.ecn, 3);
		free(b);
	}
}

static u8 *random_frame(struct rng *rng, u32 *len)
{
	struct packet_rules r = base;
	struct tx_frame f;

	r.msg_packets = 1 + rng_below(rng, 3);
	if (one_in(rng, 4))
		packet_build_ack(&r, &f, 5, 1, 2, rng_below(rng, 1 << 24), AETH_NAK_SEQUENCE, 7);
	else
		packet_build_data(&r, &f, 5, 1, 2, 2000 + rng_below(rng, 600), rng_below(rng, 3), 8);
	*len = f.len;
	return materialise(&f);
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
			assert_true(len >= ETH_MIN && p.payload_off >= EXT_OFF && p.payload_off <= have);
			assert_true((u64)p.payload_off + p.payload <= icrc_offset(cut));
			assert_true(icrc_offset(cut) + ICRC_LEN <= len);
			assert_true(p.psn <= PSN_MASK && p.qpn <= PSN_MASK && p.msn <= PSN_MASK && p.ecn <= 3);
			assert_true(p.opcode == OP_ACK ? !p.payload
						       : p.opcode >= OP_WRITE_FIRST && p.opcode <= OP_WRITE_ONLY);
		}
		free(cut);
		free(b);
	}
	assert_true(accepted > 5000 && refused > 5000);
}

/* One lie each, on an otherwise right frame. */
static void packet_parse__refuses(void **state)
{
	static const struct {
		u16 at;
		u8 value;
	} lies[] = { { 12, 0x86 },       { IP_OFF, 0x46 },     { IP_OFF, 0x65 },     { IP_OFF + 9, 6 },
		     { UDP_OFF + 2, 0 }, { UDP_OFF + 5, 1 },   { IP_OFF + 2, 0xff }, { BTH_OFF, OP_SEND_ONLY },
		     { BTH_OFF, 0x31 },  { BTH_OFF + 1, 0x10 } };
	struct tx_frame f;
	struct rx_packet p;
	u8 *b;

	packet_build_ack(&base, &f, 12, 8, 1, 3, AETH_ACK, 0);
	b = materialise(&f);
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packet_icrc__published),      cmocka_unit_test(packet_icrc__covers),
		cmocka_unit_test(packet_count__sizes),         cmocka_unit_test(packet_frame_len__sizes),
		cmocka_unit_test(packet_build_data__messages), cmocka_unit_test(packet_build_data__ack_every),
		cmocka_unit_test(packet_build_data__reth_all), cmocka_unit_test(packet_build_ack__fields),
		cmocka_unit_test(packet_sport__spread),        cmocka_unit_test(packet_parse__inverse),
		cmocka_unit_test(ecn_write_ce__checksums),     cmocka_unit_test(packet_parse__hostile),
		cmocka_unit_test(packet_parse__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
