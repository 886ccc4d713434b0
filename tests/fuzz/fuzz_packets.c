// SPDX-License-Identifier: GPL-2.0-or-later
/* The NIC's parser on any frame: RoCE or TCP. fuzz: runs=40000 max_len=256 */
#include "agent/packet/packet.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u32 len = (u32)size, head = len < HEAD_MAX ? len : HEAD_MAX;
	u8 *frame = malloc(size ? size : 1), *start = malloc(head ? head : 1);
	struct rx_packet p, q;
	int rc;

	/* Copies of exactly these lengths: ASAN sees a byte read behind them. */
	CHECK(frame && start);
	memcpy(frame, data, size);
	memcpy(start, data, head);
	memset(&p, 0, sizeof(p));
	memset(&q, 0, sizeof(q));
	rc = packet_parse(frame, len, len, &p);
	CHECK(packet_parse(start, head, len, &q) == rc);
	if (!rc) {
		CHECK(!memcmp(&p, &q, sizeof(p)));
		CHECK(p.crc_off <= len && p.payload_off <= len && p.payload_off + p.payload <= len);
		CHECK(p.n_ranges <= PACKET_RANGES);
		packet_intact(frame, &p);
	}
	free(frame);
	free(start);
	return 0;
}
