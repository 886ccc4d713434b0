/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host 0's NIC, without an engine: frames come from a script, and what it sends is written down. */
#include "tests/unit/unit.h"

#include "agent/nic/nic.h"
#include "agent/packet/psn.h"
#include "bpf/parse.h"
#include "bpf/pfc.h"

#define PS 200
#define DELAY 2000000ULL
#define CLASS 3
#define FLOWS 8
#define RX 4096
#define TX 65536

/* A frame on its way to the NIC: its bytes in a buffer of exactly `have`. */
struct scripted {
	u8 *bytes;
	u32 have, len;
	u64 arrival;
};

struct sent {
	u64 start; /* of its transmission */
	u32 flow, psn, msn, n;
	u16 len;
	u8 opcode, syndrome;
	bool marked; /* an answer that carries a mark */
	bool pfc;
	u16 classes, quanta[FAB_CLASSES]; /* of a PFC frame */
};

static struct {
	struct flow flows[FLOWS];
	u32 src_index[FLOWS], dst_index[FLOWS];
	struct flow_result results[FLOWS];
	struct flow_table table;
	struct nic_params par;
	struct nic_io io;
	struct nic *nic;
	struct scripted rx[RX];
	u32 head, tail;
	struct sent tx[TX];
	u32 n_tx;
	int send_rc;
} h;

static inline u64 ser(u32 len)
{
	return (u64)wire_bytes(len) * PS;
}

static inline bool script_peek(void *ctx, struct rx_frame *f)
{
	const struct scripted *s = &h.rx[h.head % RX];

	if (h.head == h.tail)
		return false;
	*f = (struct rx_frame){ .arrival = s->arrival, .head = s->bytes, .have = s->have, .len = s->len };
	return true;
}

static inline void script_take(void *ctx, const struct rx_frame *f)
{
	assert_ptr_equal(f->head, h.rx[h.head % RX].bytes);
	free(h.rx[h.head++ % RX].bytes);
}

/* Everything sent is a packet of this lab; the times of the wire fit together. */
static inline int script_send(void *ctx, const struct tx_frame *f)
{
	struct sent *s = &h.tx[h.n_tx];
	u8 b[FRAME_MAX] = { 0 };
	struct rx_packet p = { 0 };
	struct frame pfc = { 0 };

	memcpy(b, f->head, f->head_len);
	if (get16(b + 12) == ETHERTYPE_MACC)
		assert_int_equal(parse_frame(b, f->len, &pfc), 0);
	else
		assert_int_equal(packet_parse(b, sizeof(b), f->len, &p), 0);
	assert_int_equal(f->flow, p.flow);
	*s = (struct sent){ .start = f->arrival - DELAY - ser(f->len),
			    .flow = f->flow,
			    .psn = p.number,
			    .msn = p.msn,
			    .len = f->len,
			    .opcode = p.opcode,
			    .syndrome = p.syndrome,
			    .marked = p.marked,
			    .pfc = pfc.flags & FRAME_PFC,
			    .classes = pfc.pfc_classes };
	memcpy(s->quanta, pfc.pfc_quanta, sizeof(s->quanta));
	s->n = (s->psn - h.par.rules.psn0) & PSN_MASK;
	if (h.n_tx)
		assert_true(s->start >= s[-1].start + ser(s[-1].len));
	assert_true(s->start == nic_clock(h.nic));
	assert_true(++h.n_tx < TX);
	return h.send_rc;
}

/* Set up with go-back-N or IRN; flows are added before start_nic(). */
static inline void prepare(const char *transport, u32 cap)
{
	memset(&h, 0, sizeof(h));
	h.table = (struct flow_table){
		.flows = h.flows, .src_index = h.src_index, .dst_index = h.dst_index, .results = h.results
	};
	h.par = (struct nic_params){
		.node = 1,
		.seed = 1,
		.ps_per_byte = PS,
		.delay = DELAY,
		.flows = &h.table,
		.qp = { .retry_cnt = RETRY_INFINITE, .rnr_retry = RETRY_INFINITE },
		.rules = { .psn0 = 0xfffffa,
			   .mtu = 1000,
			   .message = 1000000000,
			   .msg_packets = 1000000,
			   .ack_every = 1,
			   .ack_class = CLASS },
		.recovery = { .cap = cap ? cap : PSN_WINDOW_MAX - 1,
			      .rto_high = 320 * PS_PER_US,
			      .rto_low = 100 * PS_PER_US,
			      .rto_n = 3 },
		.ops = recovery_find(transport),
	};
	h.io = (struct nic_io){ .peek = script_peek, .take = script_take, .send = script_send };
}

static inline u32 add_flow(u32 src, u32 dst, u64 bytes, u64 start)
{
	u32 id = h.table.n++;

	h.flows[id] =
		(struct flow){ .id = id, .src = src, .dst = dst, .class = CLASS, .bytes = bytes, .start_ps = start };
	h.results[id].done_ps = TIME_NEVER;
	return id;
}

static inline void start_nic(void)
{
	h.nic = nic_new(&h.par, &h.io);
	assert_non_null(h.nic);
}

static inline void stop_nic(void)
{
	nic_free(h.nic);
	while (h.head != h.tail)
		free(h.rx[h.head++ % RX].bytes);
}

/* @have bytes of a frame of @len arrive. */
static inline void come(u64 time, const u8 *bytes, u32 have, u32 len)
{
	struct scripted *s = &h.rx[h.tail++ % RX];

	assert_true(h.tail - h.head <= RX);
	*s = (struct scripted){ .bytes = malloc(have ? have : 1), .have = have, .len = len, .arrival = time };
	assert_non_null(s->bytes);
	memcpy(s->bytes, bytes, have);
}

static inline void come_pfc(u64 time, u32 class, u16 quanta)
{
	u8 b[PFC_LEN];

	pfc_build(b, 1, quanta ? 1 << class : 0, quanta ? 0 : 1 << class, quanta);
	come(time, b, PFC_LEN, PFC_LEN);
}

/* An answer for @flow, as its destination's NIC writes it: @n a packet number of the flow. */
static inline void come_aeth(u64 time, u32 flow, u32 n, u8 syndrome, u32 msn)
{
	struct packet_ack a = { .n = n, .syndrome = syndrome, .msn = msn };
	struct tx_frame f;

	packet_build_ack(&h.par.rules, &f, &h.flows[flow], &a);
	come(time, f.head, HEAD_MAX, f.len);
}

static inline void come_ack(u64 time, u32 flow, u32 n)
{
	come_aeth(time, flow, n, AETH_ACK, 0);
}

static inline void come_data(u64 time, u32 flow, u32 n)
{
	struct tx_frame f;

	packet_build_data(&h.par.rules, &f, &h.flows[flow], n, false);
	come(time, f.head, HEAD_MAX, f.len);
}

static inline void advance(u64 until)
{
	assert_int_equal(nic_advance(h.nic, until), 0);
}

static inline void assert_sent(u32 i, u32 flow, u32 n, u64 start)
{
	assert_true(i < h.n_tx);
	assert_int_equal(h.tx[i].flow, flow);
	assert_int_equal(h.tx[i].n, n);
	assert_int_equal(h.tx[i].start, start);
}

/* A PFC frame, an answer or a packet, with up to two bytes wrong, or the length. */
static inline void come_mutated(struct rng *r, u64 t)
{
	u32 flow = rng_below(r, 3), have, len;
	struct tx_frame f;
	u8 b[2200] = { 0 };

	if (one_in(r, 6)) {
		pfc_build(b, 1, rng_next(r), rng_next(r), rng_below(r, 200));
		len = PFC_LEN;
	} else {
		if (one_in(r, 2))
			packet_build_ack(&h.par.rules, &f, &h.flows[flow],
					 &(struct packet_ack){ .n = rng_below(r, 60),
							       .syndrome = one_in(r, 2) ? AETH_ACK : AETH_NAK_SEQUENCE,
							       .msn = psn_add(h.par.rules.psn0, rng_below(r, 60)) });
		else
			packet_build_data(&h.par.rules, &f, &h.flows[flow], rng_below(r, 20), one_in(r, 2));
		memcpy(b, f.head, HEAD_MAX);
		len = f.len;
	}
	for (u32 m = rng_below(r, 3); m; m--)
		b[rng_below(r, HEAD_MAX)] = rng_next(r);
	if (one_in(r, 4))
		len = ETH_MIN + rng_below(r, 2000);
	have = len > HEAD_MAX && one_in(r, 2) ? HEAD_MAX : len;
	come(t, b, have, len);
}
