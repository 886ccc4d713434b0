// SPDX-License-Identifier: GPL-2.0-or-later
/* iWARP's packets: bytes computed apart from this code, stream offsets both ways, options of strangers. */
#include "tests/unit/packet_bytes.h"

#include "agent/packet/packet_impl.h"
#include "bpf/parse.h"

#define FLOW 0x804d /* ports 0xc04d and 6146, STag 0x1009d */
#define OPTIONS (TCP_OFF + TCP_LEN)

/* Packets of 8 bytes in messages of 14, that is of 8 and 6: FPDUs of 28 bytes all. */
static const struct packet_rules base = {
	.format = FORMAT_TCP,
	.psn0 = 0xfffffff0,
	.mtu = 8,
	.message = 14,
	.msg_packets = 2,
	.ack_every = 1,
	.ack_class = 5,
};

static struct flow flow_of(u64 bytes)
{
	return (struct flow){ .id = FLOW, .src = 3, .dst = 40, .op = FLOW_WRITE, .class = 3, .bytes = bytes };
}

/* RFC 3720, B.4, as the bytes stand on the wire; and the check value that catalogues of CRCs have. */
static void packet_crc32c__published(void **state)
{
	static const struct {
		const char *data;
		const char *crc;
	} rows[] = { { "313233343536373839", "839206e3" },
		     { "0000000000000000000000000000000000000000000000000000000000000000", "aa36918a" },
		     { "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "43aba862" },
		     { "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "4e79dd46" },
		     { "1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100", "5cdb3f11" },
		     { "01c00000000000000000000000000000140000000000040000000014000000182800000000000000"
		       "0200000000000000",
		       "563a96d9" } };

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u32 len;
		u8 *data = from_hex(rows[i].data, &len), crc[4];

		put32_low_first(crc, packet_crc32c(data, len));
		assert_bytes(crc, rows[i].crc);
		free(data);
	}
}

/* Whole frames: checksums and CRC are of a few lines of Python that know nothing of this code. */
static void packet_build_data__bytes(void **state)
{
	static const char *const want[] = {
		"020000000029 020000000004 0800 45680044000040004006 2620 0a000004 0a000029"
		"c04d 1802 fffffff0 00000001 5010 ffff 1e70 0000"
		"0016 81 40 0001009d 0000000000000000 f0f1f2f3f4f5f6f7 62e9f028",
		"020000000029 020000000004 0800 45680044000040004006 2620 0a000004 0a000029"
		"c04d 1802 0000000c 00000001 5018 ffff dbf3 0000"
		"0014 c1 40 0001009d 0000000000000008 0c0d0e0f1011 0000 ced22c39",
	};
	struct flow flow = flow_of(14);
	struct tx_frame f;

	for (u32 n = 0; n < 2; n++) {
		u8 *b;

		memset(&f, 0xee, sizeof(f));
		packet_build_data(&base, &f, &flow, n, true);
		assert_outer(&f, &flow, 3, 40, 3 << 5 | 2 << 2, 6, 48);
		assert_true(f.data && f.head_len == 70 && f.payload == (n ? 6 : 8) && f.pad == (n ? 2 : 0));
		assert_true(f.len == 82 && f.number == packet_number(&base, &flow, n));
		b = materialise(&base, &f);
		assert_bytes(b, want[n]);
		free(b);
	}
}

static void packet_build_ack__bytes(void **state)
{
	struct packet_ack a = { .n = 1, .n_ranges = 3, .ranges = { { 5, 6 }, { 2, 3 }, { 4, 5 } } };
	struct packet_ack all = { .n = 6 };
	struct flow flow = flow_of(42);
	struct tx_frame f;
	u8 *b;

	memset(&f, 0xee, sizeof(f));
	packet_build_ack(&base, &f, &flow, &a);
	assert_outer(&f, &flow, 40, 3, 5 << 5 | 2 << 2, 6, 48);
	assert_true(!f.data && f.head_len == 82 && f.payload + f.pad == 0 && f.len == 82 && f.number == 12);
	b = materialise(&base, &f);
	assert_bytes(b,
		     "020000000004 020000000029 0800 45a80044000040004006 25e0 0a000029 0a000004"
		     "1802 c04d 00000001 0000000c c010 ffff 4ab8 0000"
		     "0101051a 0000007c00000098 0000002800000044 000000600000007c");
	free(b);
	memset(&f, 0xee, sizeof(f));
	packet_build_ack(&base, &f, &flow, &all);
	assert_outer(&f, &flow, 40, 3, 5 << 5 | 2 << 2, 6, 20);
	assert_true(f.head_len == 54 && f.len == 60);
	b = materialise(&base, &f);
	assert_bytes(b,
		     "020000000004 020000000029 0800 45a80028000040004006 25fc 0a000029 0a000004"
		     "1802 c04d 00000001 00000098 5010 ffff c2bf 0000 000000000000");
	free(b);
}

static void packet_frame_len__tcp(void **state)
{
	struct packet_rules r = base;
	struct flow flow = flow_of(4001);

	r.mtu = r.message = 1000;
	r.msg_packets = 1;
	assert_int_equal(packet_frame_len(&r, &flow, 0), 1074);
	assert_int_equal(packet_frame_len(&r, &flow, 4), 78);
	assert_int_equal(packet_frame_max(1000), 1074);
}

/*
 * Small cases in full: each packet's number is the one before and its FPDU; back again from anywhere; and whatever lies
 * between the packets, before the first or behind the end is no packet.
 */
static void check_stream(const struct packet_rules *r, const struct flow *flow)
{
	u32 count = packet_count(r, flow->bytes), at = 0, n = 0, ref = (flow->bytes * 7 + r->mtu) % (count + 1);
	u32 next = 0;

	for (; n < count; at++) {
		s64 want = at == next ? n : PACKET_NONE;

		assert_true(packet_find(r, flow, ref, r->psn0 + at) == want);
		if (at != next)
			continue;
		assert_int_equal(packet_number(r, flow, n), r->psn0 + at);
		next += packet_frame_len(r, flow, n) - FPDU_OFF; /* frames are longer than the shortest here */
		n++;
		if (n == count) {
			assert_int_equal(packet_number(r, flow, n), r->psn0 + next);
			assert_true(packet_find(r, flow, ref, r->psn0 + next) == n);
		}
	}
	for (u32 i = 1; i < 60; i++) {
		assert_true(packet_find(r, flow, ref, r->psn0 - i) == PACKET_NONE);
		assert_true(packet_find(r, flow, ref, r->psn0 + next + i) == PACKET_NONE);
	}
}

static void packet_find__small(void **state)
{
	u32 cases = 0;

	for (u32 mtu = 1; mtu <= 9; mtu++)
		for (u32 message = 1; message <= 20; message += 1 + mtu / 3)
			for (u64 bytes = 1; bytes <= 45; bytes++, cases++) {
				struct packet_rules r = { .format = FORMAT_TCP,
							  .psn0 = 0xffffff80 + bytes,
							  .mtu = mtu,
							  .message = message,
							  .msg_packets = (message + mtu - 1) / mtu };
				struct flow flow = flow_of(bytes);

				check_stream(&r, &flow);
			}
	assert_true(cases > 4000);
}

/* Long flows, whose sequence numbers go round many times, as far from the reference as 2^31 allows. */
static void packet_find__far(void **state)
{
	struct rng rng = { .state = 8 };

	for (u32 i = 0; i < 20000; i++) {
		struct packet_rules r = base;
		struct flow flow = flow_of(1ULL << 39);
		u32 near, n, ref, number;

		r.mtu = 1000 + rng_below(&rng, 1000);
		r.message = 1 + rng_below(&rng, one_in(&rng, 2) ? MESSAGE_MAX : 10000);
		r.msg_packets = (r.message + r.mtu - 1) / r.mtu;
		if (r.message < 500)
			continue; /* more packets than a flow may have */
		r.psn0 = rng_next(&rng);
		near = 0x7fffffff / (r.mtu + 24);
		n = rng_below(&rng, packet_count(&r, flow.bytes));
		ref = n - (n < near ? n : near) + rng_below(&rng, (n < near ? n : near) + 1);
		number = packet_number(&r, &flow, n);
		assert_true(packet_find(&r, &flow, ref, number) == n);
		assert_true(packet_find(&r, &flow, n, packet_number(&r, &flow, ref)) == ref);
		assert_true(packet_find(&r, &flow, ref, number + 1) == PACKET_NONE);
		assert_true(packet_find(&r, &flow, ref, number - 1) == PACKET_NONE);
	}
}

static void iwarp_ports__distinct(void **state)
{
	assert_int_equal(iwarp_ports(0), 0xc0001800);
	assert_int_equal(iwarp_ports(0x3fff), 0xffff1800);
	assert_int_equal(iwarp_ports(0x4000), 0xc0001801);
	assert_int_equal(iwarp_ports(IWARP_FLOWS - 1), 0xffff18ff);
}

static void assert_switch_reads(const struct tx_frame *f, const u8 *b, u32 dst, u32 flags)
{
	u8 small[SLOT_SMALL] = { 0 };
	struct frame seen;

	memcpy(small, b, f->len < SLOT_SMALL ? f->len : SLOT_SMALL);
	assert_int_equal(parse_frame(small, f->len, &seen), 0);
	assert_true(seen.dst == dst && seen.class == f->class && seen.flags == flags);
	assert_int_equal(seen.flow_key, route_flow_key(get32(b + 26), get32(b + 30), get32(b + TCP_OFF), IP_TCP));
}

static void check_data_inverse(const struct packet_rules *r, const struct flow *flow, u32 n)
{
	struct tx_frame f;
	struct rx_packet p;
	u8 *b;

	packet_build_data(r, &f, flow, n, false);
	b = materialise(r, &f);
	assert_true(f.len == packet_frame_len(r, flow, n) && f.len <= packet_frame_max(r->mtu));
	assert_int_equal(packet_parse(b, HEAD_MAX < f.len ? HEAD_MAX : f.len, f.len, &p), 0);
	assert_true(packet_intact(b, &p));
	assert_true(p.kind == PACKET_DATA && p.format == FORMAT_TCP && p.flow == flow->id && p.src == flow->src);
	assert_true(!p.to_requester && !p.ecn && !p.has_reth && !p.marked && !p.n_ranges);
	assert_true(packet_find(r, flow, n, p.number) == n && p.va == packet_offset(r, n));
	assert_true(p.rkey == flow_responder_qpn(flow->id) && p.payload == packet_payload(r, flow->bytes, n));
	assert_true(p.payload_off == 70 && p.crc_off == 70 + f.payload + f.pad);
	assert_int_equal(p.last, packet_is_last(r, flow->bytes, n));
	assert_int_equal(!!(b[TCP_OFF + 13] & TCP_PSH), p.last);
	assert_switch_reads(&f, b, flow->dst, FRAME_DATA);
	free(b);
}

static void check_ack_inverse(const struct packet_rules *r, const struct flow *flow, struct rng *rng)
{
	u32 count = packet_count(r, flow->bytes);
	struct packet_ack a = { .n = rng_below(rng, count + 1), .n_ranges = rng_below(rng, 4) };
	struct tx_frame f;
	struct rx_packet p;
	u8 *b;

	for (u32 i = 0; i < a.n_ranges; i++) {
		a.ranges[i].from = rng_below(rng, count);
		a.ranges[i].to = a.ranges[i].from + 1 + rng_below(rng, count - a.ranges[i].from);
	}
	packet_build_ack(r, &f, flow, &a);
	b = materialise(r, &f);
	assert_int_equal(packet_parse(b, HEAD_MAX < f.len ? HEAD_MAX : f.len, f.len, &p), 0);
	assert_true(packet_intact(b, &p));
	assert_true(p.kind == PACKET_ANSWER && p.format == FORMAT_TCP && p.flow == flow->id && p.src == flow->dst);
	assert_true(p.to_requester && !p.payload && p.n_ranges == a.n_ranges);
	assert_true(p.payload_off == f.head_len && p.crc_off == f.head_len);
	assert_true(packet_find(r, flow, 0, p.number) == a.n);
	for (u32 i = 0; i < a.n_ranges; i++) {
		assert_true(packet_find(r, flow, a.n, p.ranges[i].from) == a.ranges[i].from);
		assert_true(packet_find(r, flow, a.n, p.ranges[i].to) == a.ranges[i].to);
	}
	assert_switch_reads(&f, b, flow->src, 0);
	free(b);
}

static void packet_parse__inverse(void **state)
{
	struct rng rng = { .state = 14 };

	for (u32 i = 0; i < 4000; i++) {
		struct packet_rules r = base;
		struct flow flow = { .id = rng_below(&rng, IWARP_FLOWS), .src = 6, .dst = 9 };

		r.psn0 = rng_next(&rng);
		r.mtu = 64 + rng_below(&rng, 1985);
		r.message = 1 + rng_below(&rng, 5000);
		r.msg_packets = (r.message + r.mtu - 1) / r.mtu;
		flow.bytes = 1 + rng_below(&rng, 8 * r.message);
		check_data_inverse(&r, &flow, rng_below(&rng, packet_count(&r, flow.bytes)));
		check_ack_inverse(&r, &flow, &rng);
	}
}

/* Every bit of addresses and segment is covered by one check or the other. */
static void packet_intact__covers(void **state)
{
	struct packet_ack a = { .n = 1, .n_ranges = 1, .ranges = { { 2, 3 } } };
	struct flow flow = flow_of(42);
	struct tx_frame f;
	struct rx_packet p;

	for (u32 data = 0; data < 2; data++) {
		u8 *b;

		if (data)
			packet_build_data(&base, &f, &flow, 1, false);
		else
			packet_build_ack(&base, &f, &flow, &a);
		b = materialise(&base, &f);
		assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
		for (u32 bit = 8 * (IP_OFF + 12); bit < 8U * (ETH_LEN + get16(b + IP_OFF + 2)); bit++) {
			b[bit / 8] ^= 1 << (bit % 8);
			assert_false(packet_intact(b, &p));
			b[bit / 8] ^= 1 << (bit % 8);
		}
		if (data) { /* words exchanged: the sum is the same, but the CRC sees it */
			u16 word = get16(b + 70);

			memcpy(b + 70, b + 72, 2);
			put16(b + 72, word);
			assert_false(packet_intact(b, &p));
		}
		free(b);
	}
}

/* An answer whose options are @len bytes of @options, in a buffer of exactly the frame. */
static u8 *answer_with(const u8 *options, u32 len, u32 *frame_len)
{
	struct packet_ack a = { .n = 1 };
	struct flow flow = flow_of(42);
	struct tx_frame f;
	u8 *b;

	packet_build_ack(&base, &f, &flow, &a);
	*frame_len = OPTIONS + len < ETH_MIN ? ETH_MIN : OPTIONS + len;
	b = calloc(1, *frame_len);
	assert_non_null(b);
	memcpy(b, f.head, f.head_len);
	memcpy(b + OPTIONS, options, len);
	put16(b + IP_OFF + 2, IP_LEN + TCP_LEN + len);
	b[TCP_OFF + 12] = (TCP_LEN + len) / 4 << 4;
	return b;
}

static void packet_parse__options(void **state)
{
	static const struct {
		const char *options;
		int ranges; /* -1: refused */
	} rows[] = {
		{ "01010101", 0 },
		{ "00ffffff", 0 }, /* the end; what follows is padding */
		{ "01010100 05000000", 0 },
		{ "080a0000 00000000 00000101", 0 }, /* timestamps: not ours, passed over */
		{ "fe020101", 0 },
		{ "01010502", 0 }, /* SACK without blocks */
		{ "0101050a 00000007 00000009", 1 },
		{ "050a0000 00070000 00090000", 1 },
		{ "0101051a 000000070000000900000001000000020000000300000004", 3 },
		{ "050a0000 00070000 0009050a 00000001 00000002", 2 }, /* two of them */
		{ "0512ffff ffffffff ffffffff ffffffff ffff050a ffffffff ffffffff",
		  3 },              /* as many as a head has room for */
		{ "01010500", -1 }, /* lengths: none */
		{ "01010501", -1 }, /* itself not in it */
		{ "0101fe00", -1 },
		{ "01010105", -1 }, /* cut off */
		{ "010101fe", -1 },
		{ "0101050b 00000007 00000009", -1 }, /* beyond the header */
		{ "01010504 00000101", -1 },          /* not whole blocks */
		{ "01050b00 00000700 00000900", -1 },
	};

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rx_packet p;
		u32 n, len;
		u8 *options = from_hex(rows[i].options, &n), *b = answer_with(options, n, &len);
		int rc = packet_parse(b, len, len, &p);

		if (rc != (rows[i].ranges < 0 ? -1 : 0) || (!rc && (int)p.n_ranges != rows[i].ranges))
			fail_msg("options %s: %d, %u ranges", rows[i].options, rc, p.n_ranges);
		if (!rc && p.n_ranges == 1)
			assert_true(p.ranges[0].from == 7 && p.ranges[0].to == 9);
		free(options);
		free(b);
	}
}

/* Random options: read within the header, and what is found stands there. */
static void packet_parse__random_options(void **state)
{
	static const u8 likely[] = { 0, 1, 1, 1, 2, 5, 10, 18 };
	struct rng rng = { .state = 21 };
	u32 found = 0, refused = 0;

	for (u32 i = 0; i < 100000; i++) {
		u32 len, n = 4 * rng_below(&rng, 8);
		u8 options[28], *b;
		struct rx_packet p;

		for (u32 k = 0; k < n; k++)
			options[k] = one_in(&rng, 4) ? rng_next(&rng) : likely[rng_below(&rng, 8)];
		if (n >= 12 && one_in(&rng, 2))
			put16(options + rng_below(&rng, 3), 0x050a);
		b = answer_with(options, n, &len);
		if (packet_parse(b, len, len, &p)) {
			refused++;
		} else {
			assert_true(p.n_ranges <= PACKET_RANGES && p.crc_off == OPTIONS + n);
			for (u32 k = 0; k < p.n_ranges; k++, found++) {
				u32 at = 0;

				while (at + 8 <= n &&
				       (get32(options + at) != p.ranges[k].from ||
					get32(options + at + 4) != p.ranges[k].to))
					at++;
				assert_true(at + 8 <= n);
			}
		}
		free(b);
	}
	assert_true(found > 2000 && refused > 5000);
}

/* One lie each, on otherwise right frames of data and answer. */
static const struct {
	u16 at;
	u8 data[2], answer[2]; /* value, and whether it is one too for this kind */
} lies[] = {
	{ IP_OFF + 3, { 67, 1 }, { 39, 1 } },     /* shorter than it is: half a word, less than a header */
	{ IP_OFF + 3, { 64, 1 }, { 44, 1 } },     /* a whole word; data towards the sender of the data */
	{ IP_OFF + 9, { 17, 1 }, { 17, 1 } },     /* UDP */
	{ IP_OFF + 6, { 0x20, 1 }, { 0x20, 1 } }, /* a fragment */
	{ TCP_OFF, { 0x18, 1 }, { 0xc0, 1 } },    /* ports */
	{ TCP_OFF + 2, { 0x17, 1 }, { 0xbf, 1 } },  { TCP_OFF + 2, { 0x19, 1 }, { 0, 1 } },
	{ TCP_OFF + 12, { 0x40, 1 }, { 0x40, 1 } }, /* header: too short */
	{ TCP_OFF + 12, { 0x60, 1 }, { 0x60, 1 } }, /* with options, which data has not; beyond the packet */
	{ TCP_OFF + 12, { 0xf0, 1 }, { 0xf0, 1 } }, { TCP_OFF + 13, { 0x12, 1 }, { 0x12, 1 } }, /* SYN */
	{ TCP_OFF + 13, { 0x08, 1 }, { 0x14, 1 } },                                             /* no ACK; RST */
	{ FPDU_OFF + 1, { 0x10, 1 }, { 0, 0 } }, /* ULPDU: shorter, longer, less than its header */
	{ FPDU_OFF + 1, { 0x18, 1 }, { 0, 0 } },    { FPDU_OFF + 1, { 0x0d, 1 }, { 0, 0 } },
	{ DDP_OFF, { 0x41, 1 }, { 0, 0 } },     /* untagged */
	{ DDP_OFF, { 0xc2, 1 }, { 0, 0 } },     /* another version */
	{ DDP_OFF + 1, { 0x41, 1 }, { 0, 0 } }, /* a READ request */
};

static void packet_parse__refuses(void **state)
{
	struct packet_ack a = { .n = 1 };
	struct flow flow = flow_of(14);

	for (u32 kind = 0; kind < 2; kind++) {
		struct tx_frame f;
		struct rx_packet p;
		u8 *b;

		if (kind)
			packet_build_ack(&base, &f, &flow, &a);
		else
			packet_build_data(&base, &f, &flow, 1, false);
		b = materialise(&base, &f);
		for (u32 i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
			const u8 *lie = kind ? lies[i].answer : lies[i].data;
			u8 kept = b[lies[i].at];

			assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
			if (!lie[1])
				continue;
			b[lies[i].at] = lie[0];
			if (packet_parse(b, f.len, f.len, &p) != -1)
				fail_msg("lie %u was believed of kind %u", i, kind);
			b[lies[i].at] = kept;
		}
		free(b);
	}
}

/* Lies that take more than one byte. */
static void packet_parse__refuses_answers(void **state)
{
	static const u8 nops[32] = { [0 ... 31] = TCP_OPT_NOP };
	struct packet_ack a = { .n = 1 };
	struct flow flow = flow_of(14);
	struct tx_frame f;
	struct rx_packet p;
	u32 len;
	u8 *b = answer_with(nops, 28, &len);

	assert_int_equal(packet_parse(b, len, len, &p), 0);
	free(b);
	b = answer_with(nops, 32, &len); /* more options than a host that sees HEAD_MAX bytes could read */
	assert_int_equal(packet_parse(b, len, len, &p), -1);
	free(b);
	packet_build_ack(&base, &f, &flow, &a);
	b = materialise(&base, &f);
	put32(b + TCP_OFF, iwarp_ports(FLOW)); /* an answer from the sender of the data */
	assert_int_equal(packet_parse(b, f.len, f.len, &p), -1);
	put32(b + TCP_OFF, iwarp_ports(FLOW) << 16 | iwarp_ports(FLOW) >> 16);
	assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
	b[TCP_OFF + 12] = 0x40; /* shorter than a header, in lengths that agree */
	put16(b + IP_OFF + 2, IP_LEN + 16);
	assert_int_equal(packet_parse(b, f.len, f.len, &p), -1);
	free(b);
}

static void packet_parse__refuses_segments(void **state)
{
	struct flow flow = flow_of(14);
	struct tx_frame f;
	struct rx_packet p;
	u8 *b, *longer;

	packet_build_data(&base, &f, &flow, 1, false);
	b = materialise(&base, &f);
	put32(b + TCP_OFF, iwarp_ports(FLOW) << 16 | iwarp_ports(FLOW) >> 16); /* data to its sender */
	assert_int_equal(packet_parse(b, f.len, f.len, &p), -1);
	put32(b + TCP_OFF, iwarp_ports(FLOW));
	assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
	assert_int_equal(packet_parse(b, f.len - 1, f.len, &p), -1); /* not enough of it can be read */
	longer = realloc(b, f.len + 4);
	assert_non_null(longer);
	longer[TCP_OFF + 12] = 0x60; /* an FPDU in the place of options, and as long as what follows them */
	put16(longer + IP_OFF + 2, IP_LEN + 24 + 28);
	assert_int_equal(packet_parse(longer, f.len + 4, f.len + 4, &p), -1);
	longer[TCP_OFF + 12] = 0x50;
	put16(longer + IP_OFF + 2, IP_LEN + 20 + 20);
	put16(longer + FPDU_OFF, 14); /* nothing in it */
	assert_int_equal(packet_parse(longer, f.len, f.len, &p), 0);
	assert_true(p.kind == PACKET_DATA && !p.payload);
	put16(longer + FPDU_OFF, 13);
	assert_int_equal(packet_parse(longer, f.len, f.len, &p), -1);
	free(longer);
}

/* Data or an answer with some bytes changed. */
static u8 *changed_frame(struct rng *rng, u32 *len)
{
	struct packet_ack a = { .n = 1, .n_ranges = rng_below(rng, 4), .ranges = { { 2, 3 }, { 4, 5 }, { 4, 6 } } };
	struct flow flow = flow_of(42);
	struct tx_frame f;
	u8 *b;

	if (one_in(rng, 2))
		packet_build_ack(&base, &f, &flow, &a);
	else
		packet_build_data(&base, &f, &flow, rng_below(rng, 6), false);
	b = materialise(&base, &f);
	for (u32 m = rng_below(rng, 3); m; m--)
		b[rng_below(rng, f.len)] = rng_next(rng);
	if (one_in(rng, 4))
		b[IP_OFF + 3] = rng_next(rng);
	if (one_in(rng, 4))
		b[TCP_OFF + 12] = rng_below(rng, 16) << 4;
	*len = f.len;
	return b;
}

/* Changed, and cut short: what is accepted lies within the frame. */
static void packet_parse__hostile(void **state)
{
	struct rng rng = { .state = 77 };
	u32 accepted = 0, refused = 0;

	for (u32 i = 0; i < 60000; i++) {
		u32 whole, len, have;
		u8 *b = changed_frame(&rng, &whole), *cut;
		struct rx_packet p;

		have = len = one_in(&rng, 3) ? rng_below(&rng, whole + 1) : whole;
		cut = malloc(have ? have : 1);
		assert_non_null(cut);
		memcpy(cut, b, have);
		if (packet_parse(cut, have, len, &p)) {
			refused++;
		} else {
			accepted++;
			assert_true(p.payload_off >= OPTIONS && p.payload_off <= len);
			assert_true((u64)p.payload_off + p.payload <= p.crc_off && p.n_ranges <= PACKET_RANGES);
			assert_int_equal(p.crc_off + (p.kind == PACKET_DATA ? MPA_CRC_LEN : 0),
					 ETH_LEN + get16(cut + IP_OFF + 2));
			packet_intact(cut, &p); /* whatever it says: it reads no further */
		}
		free(cut);
		free(b);
	}
	assert_true(accepted > 5000 && refused > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packet_crc32c__published),
		cmocka_unit_test(packet_build_data__bytes),
		cmocka_unit_test(packet_build_ack__bytes),
		cmocka_unit_test(packet_frame_len__tcp),
		cmocka_unit_test(packet_find__small),
		cmocka_unit_test(packet_find__far),
		cmocka_unit_test(iwarp_ports__distinct),
		cmocka_unit_test(packet_parse__inverse),
		cmocka_unit_test(packet_intact__covers),
		cmocka_unit_test(packet_parse__options),
		cmocka_unit_test(packet_parse__random_options),
		cmocka_unit_test(packet_parse__refuses),
		cmocka_unit_test(packet_parse__refuses_answers),
		cmocka_unit_test(packet_parse__refuses_segments),
		cmocka_unit_test(packet_parse__hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
