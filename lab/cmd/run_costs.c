// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * losslab run --costs. Header bytes are counted on packets that packet.c builds. State by the papers is what each
 * transport declares (recovery_ops.costs); ours is the memory of a connection that has just been opened.
 */
#include "lab/cmd/run_costs.h"

#include <errno.h>

#include "agent/nic/nic.h"
#include "agent/recovery/recovery.h"
#include "lab/config/cfg_keys.h"

#define BDP 111 /* packets: IRN's default case, where cap=auto takes what fills the path (REFERENCE 1.1) */

static struct flow write_of(u32 packets, u32 mtu)
{
	return (struct flow){ .dst = 1, .op = FLOW_WRITE, .bytes = (u64)packets * mtu };
}

static struct packet_rules rules_of(const struct run_cfg *c, const struct recovery_ops *ops, bool reth_all)
{
	return (struct packet_rules){
		.format = ops->format,
		.mtu = c->mtu,
		.message = MESSAGE_MAX / c->mtu * c->mtu,
		.msg_packets = MESSAGE_MAX / c->mtu,
		.ack_every = 1,
		.reth_all = reth_all,
	};
}

/* Of packet @n of @packets. */
static u32 overhead(const struct packet_rules *r, u32 packets, u32 n)
{
	struct flow flow = write_of(packets, r->mtu);

	return packet_frame_len(r, &flow, n) - packet_payload(r, flow.bytes, n);
}

/* An answer with all the holes or SACK blocks that one can have, if it is a NACK. */
static u32 answer(const struct packet_rules *r, const struct recovery_ops *ops, bool nack)
{
	struct packet_ack a = { .syndrome = nack ? AETH_NAK_SEQUENCE : AETH_ACK };
	struct flow flow = write_of(100, r->mtu);
	struct tx_frame f;

	if (nack && (ops->acks == ACK_HOLES || ops->acks == ACK_TCP))
		for (; a.n_ranges < RANGES_MAX; a.n_ranges++) {
			a.ranges[a.n_ranges].from = 2 * a.n_ranges + 1;
			a.ranges[a.n_ranges].to = 2 * a.n_ranges + 2;
		}
	packet_build_ack(r, &f, &flow, &a);
	return f.len;
}

static void print_headers(const struct run_cfg *c, const struct recovery_ops *ops, bool reth_all, FILE *out)
{
	struct packet_rules r = rules_of(c, ops, reth_all);
	const u32 columns[] = { overhead(&r, 3, 0), overhead(&r, 3, 1),     overhead(&r, 3, 2),
				overhead(&r, 1, 0), answer(&r, ops, false), answer(&r, ops, true) };

	fprintf(out, "%-14s", reth_all ? "  reth=all" : ops->name);
	for (u32 i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		fprintf(out, "%8u", columns[i]);
	fputc('\n', out);
}

static bool no_frame(void *ctx, struct rx_frame *f)
{
	return false;
}

/* What one connection takes, both ends. 0 without memory. */
static u64 our_state(const struct run_cfg *c, const struct recovery_ops *ops)
{
	struct packet_rules r = rules_of(c, ops, false);
	struct flow flow = write_of(1U << 20, c->mtu);
	struct flow_result result = { 0 };
	u32 src = 0, dst = 0;
	struct flow_table table = { .flows = &flow, .n = 1, .src_index = &src, .dst_index = &dst, .results = &result };
	struct nic_params p = { .ps_per_byte = 200, .rules = r, .ops = ops, .flows = &table };
	struct nic_io io = { .peek = no_frame };
	u64 sum = 0;

	p.recovery = (struct recovery_params){ .bdp = BDP, .mtu = c->mtu, .rto_high = c->rto_high };
	cfg_alg_store(c, &ops->params, &p.recovery);
	ops->resolve(&p.recovery);
	for (p.host = 0; p.host < 2; p.host++) {
		struct nic *nic = nic_new(&p, &io);

		if (!nic)
			return 0;
		sum += nic_memory(nic);
		nic_free(nic);
	}
	return sum;
}

static int print_state(const struct run_cfg *c, const struct recovery_ops *ops, FILE *out)
{
	u64 ours = our_state(c, ops);
	u32 bits = 0, i;

	if (!ours)
		return -ENOMEM;
	fprintf(out, "%-14s", ops->name);
	for (i = 0; i < RECOVERY_COSTS && ops->costs[i].what; i++) {
		fprintf(out, "%8u  %s%s\n%14s", ops->costs[i].bits, ops->costs[i].what,
			ops->costs[i].unverified ? " (unverified)" : "", "");
		bits += ops->costs[i].bits;
	}
	if (i)
		fprintf(out, "%8u  in all: %u bytes; here %llu bytes\n", bits, (bits + 7) / 8, ours);
	else
		fprintf(out, "%8s  %s; here %llu bytes\n", "-", ops->lossless ? "nothing more" : "not stated", ours);
	return 0;
}

int run_costs(const struct run_cfg *c, FILE *out)
{
	const struct recovery_ops *ops;
	int rc = 0;

	fprintf(out,
		"Bytes of a WRITE's packets beyond their payload (mtu=%u), and of answers: from\n"
		"Ethernet's header to the ICRC, without preamble, FCS and gap\n\n"
		"transport        first  middle    last    only     ACK    NACK\n",
		c->mtu);
	for (u32 i = 0; (ops = recovery_at(i)); i++) {
		print_headers(c, ops, false, out);
		if (ops->format == FORMAT_ROCE)
			print_headers(c, ops, true, out);
	}
	fprintf(out,
		"\nState per queue pair beyond RoCE's, in bits: what hardware needs by the papers;\n"
		"here: memory of both ends of a connection, all that RoCE has included\n\n"
		"transport         bits\n");
	for (u32 i = 0; (ops = recovery_at(i)) && !rc; i++)
		rc = print_state(c, ops, out);
	return rc;
}
