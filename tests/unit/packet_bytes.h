/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of packets share: bytes from and against hexadecimal text, whole frames, and their outer headers. */
#ifndef LOSSLAB_TESTS_PACKET_BYTES_H
#define LOSSLAB_TESTS_PACKET_BYTES_H

#include "tests/unit/unit.h"

#include <stdio.h>

#include "agent/packet/packet.h"

/* The bytes of @hex, blanks left out, in a buffer of exactly their number. */
static inline u8 *from_hex(const char *hex, u32 *len)
{
	u8 *bytes = malloc(strlen(hex) / 2 + 1), *exact;

	assert_non_null(bytes);
	for (*len = 0; *hex; hex += *hex == ' ' ? 1 : 2)
		if (*hex != ' ')
			assert_int_equal(sscanf(hex, "%2hhx", &bytes[(*len)++]), 1);
	exact = realloc(bytes, *len);
	assert_non_null(exact);
	return exact;
}

static inline void assert_bytes(const u8 *bytes, const char *hex)
{
	u32 len;
	u8 *want = from_hex(hex, &len);

	assert_memory_equal(bytes, want, len);
	free(want);
}

/* A packet as it goes on the wire, payload bytes counted up, in a buffer of exactly f->len. */
static inline u8 *materialise(const struct packet_rules *r, const struct tx_frame *f)
{
	u32 end = f->head_len + f->payload + f->pad, sealed;
	u8 *b = calloc(1, f->len);

	assert_non_null(b);
	assert_true(f->head_len <= HEAD_MAX && end <= f->len);
	memcpy(b, f->head, f->head_len);
	for (u32 i = 0; i < f->payload; i++)
		b[f->head_len + i] = f->number + i;
	sealed = packet_seal(b, end, r->format);
	assert_int_equal(sealed, ETH_LEN + get16(b + IP_OFF + 2));
	assert_int_equal(f->len, sealed < ETH_MIN ? ETH_MIN : sealed);
	return b;
}

/* The sum over all ten words of a header with a right checksum is all ones. */
static inline u32 ip_sum(const u8 *ip)
{
	u32 sum = 0;

	for (u32 i = 0; i < 20; i += 2)
		sum += get16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Ethernet and IPv4 of a packet of @size bytes behind them, and what tx_frame says beside the head. */
static inline void assert_outer(const struct tx_frame *f, const struct flow *flow, u32 src, u32 dst, u8 tos,
				u8 protocol, u32 size)
{
	const u8 *h = f->head;
	u8 macs[12] = { 2, 0, 0, 0, dst >> 8, dst + 1, 2, 0, 0, 0, src >> 8, src + 1 };

	assert_memory_equal(h, macs, 12);
	assert_int_equal(get16(h + 12), 0x0800);
	assert_int_equal(h[14], 0x45);
	assert_int_equal(h[15], tos);
	assert_int_equal(get16(h + 16), 20 + size);
	assert_int_equal(get32(h + 18), 0x00004000); /* don't fragment */
	assert_int_equal(h[22], 64);
	assert_int_equal(h[23], protocol);
	assert_int_equal(ip_sum(h + 14), 0xffff);
	assert_int_equal(get32(h + 26), 0x0a000001 + src);
	assert_int_equal(get32(h + 30), 0x0a000001 + dst);
	assert_int_equal(f->flow, flow->id);
	assert_int_equal(f->class, tos >> 5);
	assert_int_equal(f->len, 34 + size < 60 ? 60 : 34 + size);
}

#endif
