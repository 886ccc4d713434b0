// SPDX-License-Identifier: GPL-2.0-or-later
/* What a switch believes of a frame: its fields, and nothing of a liar's. (Frames as hosts build them: test_packet*.c.)
 */
#include "tests/unit/unit.h"

#include "agent/packet/packet.h"
#include "bpf/parse.h"
#include "bpf/pfc.h"

/* The first SLOT_SMALL bytes of a data frame from host 1 to host 2, in a buffer of just that size. */
static u8 *frame_of(enum packet_format format, u32 *len)
{
	const struct packet_rules rules = {
		.format = format, .mtu = 1000, .message = 4000, .msg_packets = 4, .ack_every = 1, .ack_class = 6
	};
	const struct flow flow = { .id = 5, .src = 1, .dst = 2, .op = FLOW_WRITE, .class = 3, .bytes = 600 };
	u8 *b = calloc(1, SLOT_SMALL);
	struct tx_frame f;

	assert_non_null(b);
	packet_build_data(&rules, &f, &flow, 0, false);
	memcpy(b, f.head, f.head_len);
	*len = f.len;
	return b;
}

static u8 *data_frame(u32 *len)
{
	return frame_of(FORMAT_ROCE, len);
}

static void parse_frame__fields(void **state)
{
	struct frame f;
	u32 len;
	u8 *b = data_frame(&len);

	memset(&f, 0xee, sizeof(f));
	assert_int_equal(parse_frame(b, len, &f), 0);
	assert_int_equal(f.dst, 2);
	assert_int_equal(f.class, 3);
	assert_int_equal(f.flags, FRAME_ECT | FRAME_DATA);
	assert_int_equal(f.flow_key,
			 route_flow_key(host_addr(1), host_addr(2), (u32)packet_sport(5) << 16 | ROCE_PORT, 17));
	free(b);
}

static void parse_frame__tcp_fields(void **state)
{
	struct frame f;
	u32 len;
	u8 *b = frame_of(FORMAT_TCP, &len);

	memset(&f, 0xee, sizeof(f));
	assert_int_equal(parse_frame(b, len, &f), 0);
	assert_int_equal(f.dst, 2);
	assert_int_equal(f.class, 3);
	assert_int_equal(f.flags, FRAME_DATA); /* not ECT */
	assert_int_equal(f.flow_key, route_flow_key(host_addr(1), host_addr(2), iwarp_ports(5), 6));
	free(b);
}

/* Payload or not: RoCE's opcode says so, of TCP the lengths do. */
static void parse_frame__data(void **state)
{
	struct frame f;
	u32 len, data = 0;
	u8 *b = data_frame(&len);

	for (u32 op = 0; op < 256; op++) {
		b[BTH_OFF] = op;
		assert_int_equal(parse_frame(b, len, &f), 0);
		assert_int_equal(!(f.flags & FRAME_DATA), op == OP_ACK || op == OP_CNP || op == OP_READ_REQUEST);
		data += !!(f.flags & FRAME_DATA);
	}
	assert_int_equal(data, 253);
	free(b);
	b = frame_of(FORMAT_TCP, &len);
	for (u32 words = 0; words < 16; words++)
		for (u32 total = 0; total < 120; total++) {
			u32 header = IP_LEN + 4 * words;
			bool valid = words >= 5 && total >= header;

			b[TCP_OFF + 12] = words << 4 | 0xf; /* the low half is not the length's */
			put16(b + IP_OFF + 2, total);
			assert_int_equal(parse_frame(b, len, &f), valid ? 0 : -1);
			if (valid)
				assert_int_equal(f.flags, total > header ? FRAME_DATA : 0);
		}
	free(b);
}

static void parse_frame__ecn_and_class(void **state)
{
	static const u8 want[] = { 0, FRAME_ECT, FRAME_ECT, FRAME_ECT | FRAME_CE };
	struct frame f;
	u32 len;
	u8 *b = data_frame(&len);

	for (u32 tos = 0; tos < 256; tos++) {
		b[IP_OFF + 1] = tos;
		assert_int_equal(parse_frame(b, len, &f), 0);
		assert_int_equal(f.class, tos >> 5);
		assert_int_equal(f.flags, want[tos & 3] | FRAME_DATA);
	}
	free(b);
}

static void parse_frame__destinations(void **state)
{
	static const struct {
		u32 daddr;
		int rc;
	} rows[] = { { HOST_NET, -1 },   { HOST_NET + 1, 0 }, { 0x0affffff, 0 }, { 0x0b000000, -1 },
		     { 0x09ffffff, -1 }, { 0, -1 },           { ~0U, -1 } };
	struct frame f;
	u32 len;
	u8 *b = data_frame(&len);

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put32(b + IP_OFF + 16, rows[i].daddr);
		assert_int_equal(parse_frame(b, len, &f), rows[i].rc);
		if (!rows[i].rc)
			assert_int_equal(host_addr(f.dst), rows[i].daddr);
	}
	free(b);
}

static void parse_frame__refuses(void **state)
{
	struct frame f;
	u32 len;
	u8 *b = data_frame(&len);
	u16 total = get16(b + IP_OFF + 2);

	assert_int_equal(parse_frame(b, ETH_LEN + total, &f), 0);
	assert_int_equal(parse_frame(b, ETH_LEN + total - 1, &f), -1); /* says more than there is */
	assert_int_equal(parse_frame(b, ETH_MIN - 1, &f), -1);
	assert_int_equal(parse_frame(b, 0, &f), -1);
	put16(b + IP_OFF + 2, IP_LEN + UDP_LEN + BTH_LEN + ICRC_LEN - 1);
	assert_int_equal(parse_frame(b, len, &f), -1);
	put16(b + IP_OFF + 2, total);
	b[IP_OFF] = 0x46;
	assert_int_equal(parse_frame(b, len, &f), -1);
	b[IP_OFF] = 0x45;
	for (u32 protocol = 0; protocol < 256; protocol++) {
		b[IP_OFF + 9] = protocol;
		assert_int_equal(parse_frame(b, len, &f), protocol == 17 ? 0 : -1); /* as TCP its header is short */
	}
	b[IP_OFF + 9] = 17;
	put16(b + 12, 0x0806);
	assert_int_equal(parse_frame(b, len, &f), -1);
	put16(b + 12, ETHERTYPE_MACC);
	put16(b + ETH_LEN, 0x0001); /* 802.3x PAUSE: not this lab's */
	assert_int_equal(parse_frame(b, len, &f), -1);
	free(b);
}

/* SLOT_SMALL bytes may be read, whatever the length says; what is believed is in range. */
static void parse_frame__hostile(void **state)
{
	struct rng r = { .state = 77 };
	u32 accepted = 0, pfc = 0, refused = 0;

	for (u32 i = 0; i < 60000; i++) {
		struct frame f;
		u32 len;
		u8 *b = frame_of(one_in(&r, 2) ? FORMAT_TCP : FORMAT_ROCE, &len);

		if (one_in(&r, 3))
			pfc_build(b, i, rng_next(&r), rng_next(&r), rng_next(&r));
		for (u32 m = rng_below(&r, 6); m; m--)
			b[rng_below(&r, SLOT_SMALL)] = rng_next(&r);
		if (one_in(&r, 3))
			len = rng_below(&r, 2200);
		memset(&f, 0xee, sizeof(f));
		if (parse_frame(b, len, &f)) {
			refused++;
		} else if (f.flags & FRAME_PFC) {
			pfc++;
			assert_int_equal(f.flags, FRAME_PFC);
			assert_true(f.pfc_classes < 256 && f.class < FAB_CLASSES && f.dst == FAB_NONE &&
				    len >= ETH_MIN);
		} else {
			accepted++;
			assert_true(f.dst < 1 << 24 && f.class < FAB_CLASSES && len >= ETH_MIN);
			assert_true(get16(b + IP_OFF + 2) + (u32)ETH_LEN <= len);
			assert_int_equal(f.flags & ~(FRAME_ECT | FRAME_CE | FRAME_DATA), 0);
		}
		free(b);
	}
	assert_true(accepted > 5000 && pfc > 5000 && refused > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse_frame__fields),       cmocka_unit_test(parse_frame__tcp_fields),
		cmocka_unit_test(parse_frame__data),         cmocka_unit_test(parse_frame__ecn_and_class),
		cmocka_unit_test(parse_frame__destinations), cmocka_unit_test(parse_frame__refuses),
		cmocka_unit_test(parse_frame__hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
