// SPDX-License-Identifier: GPL-2.0
/* The parameters of every host: packets, queue pairs, loss recovery, congestion control. What "auto" means is here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/cc/ib_tables.h"
#include "agent/packet/psn.h"
#include "lab/plan/plan_impl.h"

#define GBIT 1000000000ULL
#define MBIT 1000000ULL

/* What a TCP receiver holds: the largest window that scaled offers commonly reach by default on servers. */
#define TCP_WINDOW_BYTES (4U << 20)
#define SAMPLE 64    /* packets that tell how long those of a message are */
#define IB_LEVELS 64 /* InfiniBand: the least rate is a 64th of the line; room for an incast of as many */

static u64 or_auto(u64 given, u64 automatic)
{
	return given ? given : automatic;
}

static void plan_rules(const struct run_cfg *c, struct packet_rules *r)
{
	*r = (struct packet_rules){
		.format = strcmp(c->transport, "iwarp") ? FORMAT_ROCE : FORMAT_TCP,
		.psn0 = c->psn0,
		.mtu = c->mtu,
		.message = or_auto(c->message, MESSAGE_MAX / c->mtu * c->mtu),
		.ack_every = c->ack_every,
		.reth_all = c->reth_all,
		.ack_class = c->ack_class == CFG_CLASS_SAME ? CLASS_OF_FLOW : c->ack_class,
	};
	r->msg_packets = (r->message + r->mtu - 1) / r->mtu;
}

static void plan_qp(const struct run_cfg *c, struct qp_params *q)
{
	*q = (struct qp_params){
		.retry_cnt = c->retry_cnt,
		.rnr_retry = c->rnr_retry,
		.rnr_timer = c->rnr_timer,
		.rq = c->rq,
		.rq_delay = c->rq_delay,
		.region = c->region,
	};
}

/*
 * BDP-FC's cap: as many packets as one flow alone needs to keep its link busy over the longest path. Packet 0 is the
 * longest (it has a RETH); its ACK must be back when packet `cap` is due.
 */
static u32 bdp_packets(const struct plan *f, u32 fastest_ps, const struct packet_rules *r)
{
	u64 first = (u64)wire_bytes(f->frame_max) * fastest_ps, middle = 0, packets;
	struct flow endless = { .bytes = 1ULL << 40 };
	u32 n = r->msg_packets < SAMPLE ? r->msg_packets : SAMPLE;

	for (u32 i = 1; i <= n; i++) /* messages may be short: what packets take on average */
		middle += (u64)wire_bytes(packet_frame_len(r, &endless, i)) * fastest_ps;
	middle /= n;
	packets = 1 + (f->max_rtt - first + middle - 1) / middle;
	return packets < PSN_WINDOW_MAX - 1 ? packets : PSN_WINDOW_MAX - 1;
}

/* The most packets in flight, by what bounds them: BDP-FC, a reorder buffer, a receive window, or the PSNs. */
static u32 plan_cap(const struct run_cfg *c, u32 bdp)
{
	if (c->cap)
		return c->cap;
	if (!strcmp(c->transport, "irn") || !strcmp(c->transport, "irn-gbn"))
		return bdp;
	if (!strcmp(c->transport, "melo")) /* a reorder buffer of as many packets as the pool has bits (MELO 3.2.2) */
		return max64(c->melo_bits, bdp);
	if (!strcmp(c->transport, "iwarp"))
		return max64(TCP_WINDOW_BYTES / c->mtu, bdp);
	return PSN_WINDOW_MAX - 1;
}

static void plan_recovery(const struct plan *f, u32 bdp, struct recovery_params *r)
{
	const struct run_cfg *c = f->cfg;

	*r = (struct recovery_params){
		.cap = plan_cap(c, bdp),
		.rto_high = c->rto_high,
		.rto_low = strncmp(c->transport, "irn", 3) ? c->rto_high : c->rto_low,
		.rto_n = c->rto_n,
		.timeouts = c->timeouts == CFG_ON || (c->timeouts == CFG_AUTO && f->classes & ~f->fab.pfc),
		.backoff = c->backoff,
		.backoff_window = bdp,
		.melo_bits = c->melo_bits,
		.melo_cache = c->melo_cache,
		.melo_holes = c->melo_holes,
		.init_window = c->init_window,
	};
}

/* REFERENCE 4.1: the paper's column at 40 Gb/s (R_HAI and Rmin, which it does not give: NS3-MS's sample). */
static void plan_dcqcn(const struct run_cfg *c, u64 line, struct dcqcn_params *d)
{
	*d = (struct dcqcn_params){
		.cnp_interval = or_auto(c->cnp_interval, 50 * PS_PER_US),
		.g = or_auto(c->dcqcn_g, 256),
		.alpha_timer = or_auto(c->dcqcn_alpha_timer, 55 * PS_PER_US),
		.rate_timer = or_auto(c->dcqcn_rate_timer, 55 * PS_PER_US),
		.byte_counter = or_auto(c->dcqcn_bytes, 10000000),
		.f = or_auto(c->dcqcn_f, 5),
		.rai = or_auto(c->dcqcn_rai, 40 * MBIT),
		.rhai = or_auto(c->dcqcn_rhai, 200 * MBIT),
		.rmin = or_auto(c->rmin, min64(100 * MBIT, line / 100)),
	};
}

/* REFERENCE 4.1: the column NS3-HPCC `dcqcn`, steps in proportion to the line; no byte counter. */
static void plan_connectx(const struct run_cfg *c, u64 line, struct dcqcn_params *d)
{
	*d = (struct dcqcn_params){
		.cnp_interval = or_auto(c->cnp_interval, 4 * PS_PER_US),
		.g = or_auto(c->dcqcn_g, 256),
		.alpha_timer = or_auto(c->dcqcn_alpha_timer, PS_PER_US),
		.rate_timer = or_auto(c->dcqcn_rate_timer, 300 * PS_PER_US),
		.byte_counter = c->dcqcn_bytes,
		.f = or_auto(c->dcqcn_f, 1),
		.rai = or_auto(c->dcqcn_rai, line / (25 * GBIT / (5 * MBIT))),
		.rhai = or_auto(c->dcqcn_rhai, line / (25 * GBIT / (50 * MBIT))),
		.rmin = or_auto(c->rmin, min64(GBIT, line / 40)),
		.cut_timer = 4 * PS_PER_US,
	};
}

/*
 * REFERENCE 4.2. The step of 10 Mb/s is the paper's for 10 Gb/s, and here in proportion to the line: at 40 Gb/s the
 * plain number starves long flows.
 */
static void plan_timely(const struct run_cfg *c, u64 line, struct timely_params *t)
{
	bool patched = !strcmp(c->cc, "timely-patched");

	*t = (struct timely_params){
		.t_low = c->timely_tlow,
		.t_high = c->timely_thigh,
		.min_rtt = c->timely_min_rtt,
		.delta = or_auto(c->timely_delta, line / 1000),
		.beta_ppm = or_auto(c->timely_beta / 1000, patched ? 8000 : 800000),
		.alpha_ppm = c->timely_alpha / 1000,
		.hai = c->timely_hai,
		.segment = c->timely_segment,
		.rmin = or_auto(c->rmin, line / 100),
		.patched = patched,
	};
}

static void plan_cc(const struct plan *f, u32 ps_per_byte, u32 bdp, struct cc_params *p)
{
	const struct run_cfg *c = f->cfg;

	*p = (struct cc_params){
		.line = 8 * PS_PER_S / ps_per_byte,
		.ps_per_byte = ps_per_byte,
		.window_max = bdp,
		.ib = &f->ib,
	};
	if (!strcmp(c->cc, "dcqcn-connectx"))
		plan_connectx(c, p->line, &p->dcqcn);
	else
		plan_dcqcn(c, p->line, &p->dcqcn);
	plan_timely(c, p->line, &p->timely);
}

static int plan_ib(struct plan *f, u32 bdp, struct err *err)
{
	static const struct {
		const char *cc;
		enum ib_function function;
	} functions[] = { { "ib-aimd", IB_AIMD }, { "ib-lipd", IB_LIPD }, { "ib-fimd", IB_FIMD } };
	u32 levels = or_auto(f->cfg->ib_levels, IB_LEVELS);

	for (u32 i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strcmp(f->cfg->cc, functions[i].cc))
			continue;
		switch (ib_tables_make(&f->ib, functions[i].function, levels, bdp)) {
		case 0:
			return 0;
		case -EINVAL:
			return err_set(err, -EINVAL,
				       "ib_levels=%u: %s halves the rate at each level; allowed: a power of two",
				       levels, f->cfg->cc);
		default:
			return err_set(err, -ENOMEM, "out of memory");
		}
	}
	return 0;
}

/* A least rate that is no less than the line would leave congestion control without effect. */
static int check_rmin(const struct plan *f, struct err *err)
{
	for (u32 h = 0; f->cfg->rmin && h < f->size.hosts; h++) {
		u64 line = 8 * PS_PER_S / f->ports[f->host_port[h]].ps_per_byte;

		if (f->cfg->rmin < line)
			continue;
		return err_set(err, -EINVAL,
			       "rmin: %llu bit/s: not below the %llu bit/s of host %s's link; allowed: less",
			       f->cfg->rmin, line, f->topo->nodes[f->topo->hosts[h]].name);
	}
	return 0;
}

int plan_hosts(struct plan *f, struct err *err)
{
	const struct run_cfg *c = f->cfg;
	struct nic_params common = {
		.seed = c->seed,
		.ops = recovery_find(c->transport),
		.cc_ops = cc_find(c->cc),
		.flows = &f->flows,
	};
	u32 fastest = ~0U, bdp;
	int rc;

	for (u32 h = 0; h < f->size.hosts; h++) {
		const struct port_cfg *p = &f->ports[f->host_port[h]];

		if (p->ps_per_byte < fastest)
			fastest = p->ps_per_byte;
	}
	plan_rules(c, &common.rules);
	plan_qp(c, &common.qp);
	bdp = bdp_packets(f, fastest, &common.rules);
	plan_recovery(f, bdp, &common.recovery);
	rc = check_rmin(f, err);
	if (!rc)
		rc = plan_ib(f, bdp, err);
	for (u32 h = 0; !rc && h < f->size.hosts; h++) {
		const struct port_cfg *p = &f->ports[f->host_port[h]];

		f->nics[h] = common;
		f->nics[h].host = h;
		f->nics[h].node = f->size.switches + h;
		f->nics[h].ps_per_byte = p->ps_per_byte;
		f->nics[h].delay = p->delay;
		f->nics[h].credits = f->fab.credits;
		f->nics[h].frame_max = f->frame_max;
		plan_cc(f, p->ps_per_byte, bdp, &f->nics[h].cc);
	}
	return rc;
}
