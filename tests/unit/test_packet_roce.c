// SPDX-License-Identifier: GPL-2.0-or-later
/* RoCEv2 packets as they are built: every field of every kind. */
#include "tests/unit/packet_bytes.h"

#include "bpf/parse.h"

static const struct packet_rules base = {
	.mtu = 1000,
	.message = 4000,
	.msg_packets = 4,
	.ack_every = 64,
	.ack_class = 5,
};

/* QP numbers 156 = 0x9c and 157 = 0x9d */
static struct flow flow_of(enum flow_op op, u64 bytes)
{
	return (struct flow){ .id = 77, .src = 3, .dst = 40, .op = op, .class = 3, .bytes = bytes };
}

/* Headers of a RoCE packet from the flow's source, @forward, or to it; its bytes from the BTH on in hexadecimal. */
static void assert_roce(const struct packet_rules *r, const struct tx_frame *f, const struct flow *flow, bool forward,
			u8 tos, const char *hex)
{
	u32 src = forward ? flow->src : flow->dst, dst = forward ? flow->dst : flow->src;
	u32 size = UDP_LEN + f->head_len - BTH_OFF + f->payload + f->pad + ICRC_LEN, len;
	u8 *want = from_hex(hex, &len);

	assert_outer(f, flow, src, dst, tos, 17, size);
	assert_int_equal(get16(f->head + 34), packet_sport(flow->id));
	assert_int_equal(get16(f->head + 36), 4791);
	assert_int_equal(get16(f->head + 38), size);
	assert_int_equal(get16(f->head + 40), 0);
	assert_int_equal(f->head_len, BTH_OFF + len);
	assert_memory_equal(f->head + BTH_OFF, want, len);
	free(want);
}

struct want {
	u32 n;
	const char *hex; /* BTH and what follows it, up to the payload */
};

static void check_data(const struct packet_rules *r, const struct flow *flow, bool ask, const struct want *w)
{
	struct tx_frame f;

	memset(&f, 0xee, sizeof(f));
	packet_build_data(r, &f, flow, w->n, ask);
	assert_true(f.data);
	assert_int_equal(f.payload, packet_payload(r, flow->bytes, w->n));
	assert_int_equal(f.pad, (4 - f.payload % 4) % 4);
	assert_int_equal(f.len, packet_frame_len(r, flow, w->n));
	assert_true(f.len <= packet_frame_max(r->mtu));
	assert_int_equal(f.number, packet_number(r, flow, w->n));
	assert_roce(r, &f, flow, true, (flow->class << 5 | 2 << 2) | 2, w->hex);
}

/* Messages of four packets: 4000 and 2501 bytes. */
static void packet_build_data__write(void **state)
{
	static const struct want want[] = {
		{ 0, "06 00 ffff 00 00009d 00 fffffe 0000000000000000 0000009d 00000fa0" },
		{ 1, "07 00 ffff 00 00009d 00 ffffff" },
		{ 2, "07 00 ffff 00 00009d 00 000000" },
		{ 3, "08 00 ffff 00 00009d 80 000001" },
		{ 4, "06 00 ffff 00 00009d 00 000002 0000000000000fa0 0000009d 000009c5" },
		{ 5, "07 00 ffff 00 00009d 00 000003" },
		{ 6, "08 30 ffff 00 00009d 80 000004" },
	};
	struct flow flow = flow_of(FLOW_WRITE, 6501);
	struct packet_rules r = base;

	r.psn0 = 0xfffffe;
	for (u32 i = 0; i < 7; i++)
		check_data(&r, &flow, false, &want[i]);
	r.psn0 = 0;
	flow.bytes = 1;
	check_data(&r, &flow, false,
		   &(struct want){ 0, "0a 30 ffff 00 00009d 80 000000 0000000000000000 0000009d 00000001" });
	flow.bytes = 4001;
	check_data(&r, &flow, false,
		   &(struct want){ 4, "0a 30 ffff 00 00009d 80 000004 0000000000000fa0 0000009d 00000001" });
	flow.bytes = 1ULL << 40; /* far into it */
	check_data(&r, &flow, false,
		   &(struct want){ 1 << 28, "06 00 ffff 00 00009d 00 000000 0000003e80000000 0000009d 00000fa0" });
}

static void packet_build_data__send(void **state)
{
	static const struct want want[] = {
		{ 0, "00 00 ffff 00 00009d 00 000000" },
		{ 1, "01 00 ffff 00 00009d 00 000001" },
		{ 3, "02 00 ffff 00 00009d 80 000003" },
		{ 4, "04 20 ffff 00 00009d 80 000004" },
	};
	struct flow flow = flow_of(FLOW_SEND, 4002);

	for (u32 i = 0; i < 4; i++)
		check_data(&base, &flow, false, &want[i]);
}

/* Responses: to the requester's QP, an AETH with the messages requested so far on all but Middles. */
static void packet_build_data__read(void **state)
{
	static const struct want want[] = {
		{ 0, "0d 00 ffff 00 00009c 00 000000 1f000001" }, { 1, "0e 00 ffff 00 00009c 00 000001" },
		{ 3, "0f 00 ffff 00 00009c 80 000003 1f000001" }, { 4, "0d 00 ffff 00 00009c 00 000004 1f000002" },
		{ 7, "0f 00 ffff 00 00009c 80 000007 1f000002" }, { 8, "10 10 ffff 00 00009c 80 000008 1f000003" },
	};
	struct flow flow = flow_of(FLOW_READ, 8003);
	struct packet_rules r = base;

	for (u32 i = 0; i < 6; i++)
		check_data(&r, &flow, false, &want[i]);
	r.reth_all = true; /* says nothing of READs */
	check_data(&r, &flow, false, &want[1]);
	flow.bytes = 1ULL << 40;
	check_data(&r, &flow, false, &(struct want){ 1 << 28, "0d 00 ffff 00 00009c 00 000000 1f000001" });
}

/* Messages that are no multiple of the packet: 2500 bytes are 1000, 1000 and 500. */
static void packet_build_data__odd_messages(void **state)
{
	static const struct want want[] = {
		{ 0, "06 00 ffff 00 00009d 00 000000 0000000000000000 0000009d 000009c4" },
		{ 2, "08 00 ffff 00 00009d 80 000002" },
		{ 3, "06 00 ffff 00 00009d 00 000003 00000000000009c4 0000009d 000009c4" },
		{ 5, "08 00 ffff 00 00009d 80 000005" },
		{ 6, "06 00 ffff 00 00009d 00 000006 0000000000001388 0000009d 000003e9" },
		{ 7, "08 30 ffff 00 00009d 80 000007" },
	};
	struct flow flow = flow_of(FLOW_WRITE, 6001);
	struct packet_rules r = base;

	r.message = 2500;
	r.msg_packets = 3;
	for (u32 i = 0; i < 6; i++)
		check_data(&r, &flow, false, &want[i]);
	assert_int_equal(packet_payload(&r, 6001, 5), 500);
	assert_int_equal(packet_payload(&r, 6001, 7), 1);
}

static bool asks(const struct packet_rules *r, u64 bytes, u32 n, bool ask)
{
	struct flow flow = flow_of(FLOW_SEND, bytes);
	struct tx_frame f;

	packet_build_data(r, &f, &flow, n, ask);
	assert_int_equal(f.head[BTH_OFF + 8] & 0x7f, 0);
	return f.head[BTH_OFF + 8];
}

static void packet_build_data__ack_req(void **state)
{
	struct packet_rules r = base;

	r.ack_every = 3;
	r.message = 1000000;
	r.msg_packets = 1000;
	for (u32 n = 0; n < 10; n++)
		assert_int_equal(asks(&r, 10001, n, false), n % 3 == 2);
	assert_true(asks(&r, 10001, 10, false)); /* the last */
	assert_true(asks(&r, 10001, 0, true));
	r.ack_every = 1;
	assert_true(asks(&r, 10001, 1, false));
	r.ack_every = 0;
	for (u32 n = 0; n < 10; n++)
		assert_false(asks(&r, 10001, n, false));
	assert_true(asks(&r, 10001, 10, false));
}

/* IRN: a RETH in every WRITE, opcodes as ever; the length is what the message still has from here on. */
static void packet_build_data__reth_all(void **state)
{
	static const struct want want[] = {
		{ 0, "06 00 ffff 00 00009d 00 000000 0000000000000000 0000009d 00000fa0" },
		{ 1, "07 00 ffff 00 00009d 00 000001 00000000000003e8 0000009d 00000bb8" },
		{ 3, "08 00 ffff 00 00009d 80 000003 0000000000000bb8 0000009d 000003e8" },
		{ 4, "06 00 ffff 00 00009d 00 000004 0000000000000fa0 0000009d 000009c5" },
		{ 6, "08 30 ffff 00 00009d 80 000006 0000000000001770 0000009d 000001f5" },
	};
	struct flow flow = flow_of(FLOW_WRITE, 6501);
	struct packet_rules r = base;

	r.reth_all = true;
	flow.class = 7;
	for (u32 i = 0; i < 5; i++)
		check_data(&r, &flow, false, &want[i]);
	flow.bytes = 1; /* an Only has one anyway */
	check_data(&r, &flow, false,
		   &(struct want){ 0, "0a 30 ffff 00 00009d 80 000000 0000000000000000 0000009d 00000001" });
}

/* What is built without payload: neither ECT nor data, in the answers' class; switches and hosts read it back. */
static void check_control(const struct packet_rules *r, const struct tx_frame *f, const struct flow *flow, bool forward,
			  const char *hex, struct rx_packet *p)
{
	u8 *b = materialise(r, f), small[SLOT_SMALL] = { 0 };
	struct frame seen;

	assert_roce(r, f, flow, forward, r->ack_class << 5 | 2 << 2, hex);
	assert_false(f->data);
	assert_int_equal(f->payload + f->pad, 0);
	assert_int_equal(f->class, r->ack_class);
	assert_int_equal(f->number, get24(f->head + BTH_OFF + 9));
	memcpy(small, b, f->len);
	assert_int_equal(parse_frame(small, f->len, &seen), 0);
	assert_int_equal(seen.flags, 0);
	assert_int_equal(seen.dst, forward ? flow->dst : flow->src);
	assert_int_equal(packet_parse(b, f->len, f->len, p), 0);
	assert_true(packet_intact(b, p));
	assert_int_equal(p->src, forward ? flow->src : flow->dst);
	assert_int_equal(p->payload_off, f->head_len);
	assert_true(p->flow == flow->id && p->number == f->number && !p->payload && !p->ack_req && !p->first);
	free(b);
}

static void check_ack(const struct packet_rules *r, enum flow_op op, const struct packet_ack *a, const char *hex)
{
	struct flow flow = flow_of(op, 100000);
	struct rx_packet p;
	struct tx_frame f;

	memset(&f, 0xee, sizeof(f));
	packet_build_ack(r, &f, &flow, a);
	check_control(r, &f, &flow, false, hex, &p);
	assert_true(p.kind == PACKET_ANSWER && p.opcode == OP_ACK && p.syndrome == a->syndrome);
	assert_true(p.msn == (a->msn & PSN_MASK) && p.marked == a->marked && !p.n_ranges);
	assert_int_equal(p.to_requester, op != FLOW_READ);
	assert_int_equal(f.len, ACK_LEN);
}

static void packet_build_ack__fields(void **state)
{
	struct packet_rules r = base;
	struct packet_ack ack = { .n = 0, .syndrome = AETH_ACK, .msn = 0x1000002 };
	struct packet_ack nak = { .n = 0x23, .syndrome = AETH_NAK_SEQUENCE, .msn = 0xabcdef, .marked = true };
	struct packet_ack rnr = { .n = 3, .syndrome = AETH_RNR | 14, .msn = 1 };

	check_ack(&r, FLOW_WRITE, &ack, "11 00 ffff 00 00009c 00 000000 1f000002");
	r.psn0 = 0xffffff;
	check_ack(&r, FLOW_WRITE, &nak, "11 00 ffff 40 00009c 00 000022 60abcdef");
	check_ack(&r, FLOW_SEND, &rnr, "11 00 ffff 00 00009c 00 000002 2e000001");
	check_ack(&r, FLOW_READ, &ack, "11 00 ffff 00 00009d 00 ffffff 1f000002");
}

/* cnp_class=: CNPs, and nothing else, go in a class of their own. */
static void packet_build__cnp_class(void **state)
{
	struct packet_ack a = { .n = 3, .syndrome = AETH_ACK };
	struct flow flow = flow_of(FLOW_WRITE, 9000);
	struct packet_rules r = base;
	struct tx_frame cnp, ack;

	for (u32 class = 0; class < 8; class ++) {
		r.cnp_class = class + 1;
		packet_build_cnp(&r, &cnp, &flow, NO_NUMBER);
		packet_build_ack(&r, &ack, &flow, &a);
		assert_int_equal(cnp.class, class);
		assert_int_equal(cnp.head[IP_OFF + 1] >> 2, class << 3 | 2);
		assert_int_equal(ack.class, 5);
		assert_int_equal(packet_cnp_class(&r, &flow), class);
	}
}

/* Without a class of its own an answer, and all else without payload, has that of the flow's data. */
static void packet_build__class_of_flow(void **state)
{
	struct packet_ack a = { .n = 3, .syndrome = AETH_ACK };
	struct flow flow = flow_of(FLOW_READ, 9000);
	struct packet_rules r = base;
	struct tx_frame f[4];

	r.ack_class = CLASS_OF_FLOW;
	for (u32 class = 0; class < 8; class ++) {
		flow.class = (u16) class;
		packet_build_ack(&r, &f[0], &flow, &a);
		packet_build_cnp(&r, &f[1], &flow, NO_NUMBER);
		packet_build_read(&r, &f[2], &flow, 0);
		packet_build_read_nak(&r, &f[3], &flow, 0, AETH_NAK_ACCESS);
		for (u32 i = 0; i < 4; i++) {
			assert_int_equal(f[i].class, class);
			assert_int_equal(f[i].head[IP_OFF + 1] >> 2, class << 3 | 2);
		}
	}
}

static void packet_build_ack__holes(void **state)
{
	struct packet_ack a = { .n = 10, .syndrome = 0x60, .msn = 99, .n_ranges = 2, .ranges = { { 10, 12 } } };
	struct packet_rules r = base;
	struct flow flow = flow_of(FLOW_WRITE, 1 << 30);
	struct tx_frame f;
	struct rx_packet p;

	r.psn0 = 0xfffff0;
	a.ranges[1].from = 17;
	a.ranges[1].to = 18;
	memset(&f, 0xee, sizeof(f));
	packet_build_ack(&r, &f, &flow, &a);
	check_control(&r, &f, &flow, false, "11 00 ffff 00 00009c 00 fffffa 60000063 00000002 00070001 00000000", &p);
	assert_int_equal(f.len, 74);
	assert_true(p.kind == PACKET_ANSWER && p.n_ranges == 2);
	assert_true(p.ranges[0].from == 0xfffffa && p.ranges[0].to == 0xfffffc);
	assert_true(p.ranges[1].from == 1 && p.ranges[1].to == 2);
	/* what 16 bits cannot say: a start is left out, a length cut */
	a.n_ranges = 3;
	a.ranges[0].from = 10 + 65536;
	a.ranges[0].to = 10 + 65537;
	a.ranges[1].from = 10 + 65535;
	a.ranges[1].to = 10 + 65535 + 65536;
	a.ranges[2].from = 9; /* before @n */
	a.ranges[2].to = 10;
	packet_build_ack(&r, &f, &flow, &a);
	check_control(&r, &f, &flow, false, "11 00 ffff 00 00009c 00 fffffa 60000063 ffffffff 00000000 00000000", &p);
	assert_true(p.n_ranges == 1 && p.ranges[0].from == 0xfff9 && p.ranges[0].to == 0x1fff8);
}

/* Random holes in range come back as they were. */
static void packet_build_ack__holes_inverse(void **state)
{
	struct rng rng = { .state = 31 };
	struct packet_rules r = base;
	struct flow flow = flow_of(FLOW_READ, 1ULL << 40);

	for (u32 i = 0; i < 3000; i++) {
		struct packet_ack a = { .n = rng_below(&rng, 1 << 26), .n_ranges = 1 + rng_below(&rng, 3) };
		struct tx_frame f;
		struct rx_packet p;
		u8 *b;

		r.psn0 = rng_below(&rng, 1 << 24);
		for (u32 h = 0; h < a.n_ranges; h++) {
			a.ranges[h].from = a.n + rng_below(&rng, 65536);
			a.ranges[h].to = a.ranges[h].from + 1 + rng_below(&rng, 65535);
		}
		packet_build_ack(&r, &f, &flow, &a);
		b = materialise(&r, &f);
		assert_int_equal(packet_parse(b, f.len, f.len, &p), 0);
		assert_int_equal(p.n_ranges, a.n_ranges);
		for (u32 h = 0; h < a.n_ranges; h++) {
			assert_true(packet_find(&r, &flow, a.n, p.ranges[h].from) == a.ranges[h].from);
			assert_true(packet_find(&r, &flow, a.n, p.ranges[h].to) == a.ranges[h].to);
		}
		free(b);
	}
}

/* From the data's sender to the requester. */
static void packet_build_read_nak__fields(void **state)
{
	struct flow flow = flow_of(FLOW_READ, 100000);
	struct tx_frame f;
	struct rx_packet p;

	memset(&f, 0xee, sizeof(f));
	packet_build_read_nak(&base, &f, &flow, 8, AETH_NAK_ACCESS);
	check_control(&base, &f, &flow, true, "11 00 ffff 00 00009c 00 000008 62000002", &p);
	assert_true(p.kind == PACKET_ANSWER && p.to_requester && p.syndrome == AETH_NAK_ACCESS && p.msn == 2);
}

static void packet_build_cnp__fields(void **state)
{
	struct flow flow = flow_of(FLOW_WRITE, 100000);
	struct packet_rules r = base;
	struct tx_frame f;
	struct rx_packet p;

	r.psn0 = 5;
	memset(&f, 0xee, sizeof(f));
	packet_build_cnp(&r, &f, &flow, NO_NUMBER);
	check_control(&r, &f, &flow, false, "81 00 ffff 40 00009c 00 000000 00000000000000000000000000000000", &p);
	assert_true(p.kind == PACKET_CNP && p.to_requester);
	assert_int_equal(f.len, 74);
	flow.op = FLOW_READ;
	packet_build_cnp(&r, &f, &flow, 7);
	check_control(&r, &f, &flow, false, "81 00 ffff 40 00009d 00 00000c 00000000000000000000000000000000", &p);
	assert_true(p.kind == PACKET_CNP && !p.to_requester && p.number == 12);
}

/* Messages of 2500 bytes, the last 1 byte. */
static void packet_build_read__fields(void **state)
{
	struct flow flow = flow_of(FLOW_READ, 5001);
	struct packet_rules r = base;
	struct tx_frame f;
	struct rx_packet p;

	r.psn0 = 0xfffffd;
	r.message = 2500;
	r.msg_packets = 3;
	memset(&f, 0xee, sizeof(f));
	packet_build_read(&r, &f, &flow, 1);
	check_control(&r, &f, &flow, false, "0c 00 ffff 00 00009d 00 000000 00000000000009c4 0000009d 000009c4", &p);
	assert_true(p.kind == PACKET_READ && !p.to_requester && p.has_reth);
	assert_true(p.va == 2500 && p.rkey == 157 && p.dma_len == 2500);
	packet_build_read(&r, &f, &flow, 2);
	check_control(&r, &f, &flow, false, "0c 00 ffff 00 00009d 00 000003 0000000000001388 0000009d 00000001", &p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packet_build_data__write),        cmocka_unit_test(packet_build_data__send),
		cmocka_unit_test(packet_build_data__read),         cmocka_unit_test(packet_build_data__odd_messages),
		cmocka_unit_test(packet_build_data__ack_req),      cmocka_unit_test(packet_build_data__reth_all),
		cmocka_unit_test(packet_build_ack__fields),        cmocka_unit_test(packet_build__class_of_flow),
		cmocka_unit_test(packet_build__cnp_class),         cmocka_unit_test(packet_build_ack__holes),
		cmocka_unit_test(packet_build_ack__holes_inverse), cmocka_unit_test(packet_build_read_nak__fields),
		cmocka_unit_test(packet_build_cnp__fields),        cmocka_unit_test(packet_build_read__fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
