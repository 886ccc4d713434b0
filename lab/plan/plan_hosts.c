// SPDX-License-Identifier: GPL-2.0-or-later
/* The parameters of every host: packets, queue pairs, loss recovery, congestion control. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/cc/cc.h"
#include "agent/packet/psn.h"
#include "agent/recovery/recovery.h"
#include "lab/config/cfg_keys.h"
#include "lab/plan/plan_impl.h"
#include "lab/plan/plan_workload.h"

#define SAMPLE 64 /* packets that tell how long those of a message are */

static void plan_rules(const struct run_cfg *c, struct packet_rules *r)
{
	*r = (struct packet_rules){
		.format = recovery_find(c->transport)->format,
		.psn0 = c->psn0,
		.mtu = c->mtu,
		.message = plan_message(c),
		.ack_every = c->ack_every,
		.reth_all = c->reth_all,
		.ack_class = c->ack_class == CFG_CLASS_SAME ? CLASS_OF_FLOW : c->ack_class,
		.cnp_class = c->cnp_class == CFG_CLASS_SAME ? 0 : c->cnp_class + 1,
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
		.retx_fetch = c->retx_fetch,
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

#define RTO_MOST (10 * PS_PER_S) /* as the key's */

/*
 * IRN's RTO_high: the longest round trip with one congested link. Propagation there and back, and the buffers of the
 * largest switch, one per input, all for that link: the slowest one.
 */
u64 plan_rto_high(const struct plan *f)
{
	u32 buffers = f->cfg->shared ? 1 : plan_most_ports(f);
	__uint128_t sum = (__uint128_t)f->cfg->buffer * buffers * plan_slowest_port(f) + f->propagation;

	return sum < RTO_MOST ? (u64)sum : RTO_MOST;
}

static void plan_recovery(const struct plan *f, u32 bdp, const struct recovery_ops *ops, struct recovery_params *r)
{
	const struct run_cfg *c = f->cfg;

	*r = (struct recovery_params){
		.bdp = bdp,
		.mtu = c->mtu,
		.rto_high = c->rto_high,
		.cc_backs_off = cc_find(c->cc) && cc_find(c->cc)->lost,
		.timeouts = c->timeouts == CFG_ON || (c->timeouts == CFG_AUTO && f->classes & ~f->fab.pfc),
	};
	cfg_alg_store(c, &ops->params, r);
	if (!r->rto_high)
		r->rto_high = plan_rto_high(f) > r->rto_low ? plan_rto_high(f) : r->rto_low;
	ops->resolve(r);
}

static void plan_cc(const struct plan *f, u32 ps_per_byte, u32 bdp, const struct cc_ops *ops, struct cc_params *p)
{
	*p = (struct cc_params){
		.line = 8 * PS_PER_S / ps_per_byte,
		.ps_per_byte = ps_per_byte,
		.window_max = bdp,
	};
	if (!ops)
		return;
	cfg_alg_store(f->cfg, &ops->params, p);
	if (ops->resolve)
		ops->resolve(p);
}

/* Key number @i is a rate: a least rate that is no less than the line would leave congestion control without effect. */
static int check_below_line(const struct plan *f, u32 i, struct err *err)
{
	const struct cfg_key *k = cfg_alg_key(i);
	u64 rate = cfg_get(f->cfg, k);

	for (u32 h = 0; rate && h < f->size.hosts; h++) {
		u64 line = 8 * PS_PER_S / f->ports[f->host_port[h]].ps_per_byte;

		if (rate < line)
			continue;
		return err_set(err, -EINVAL,
			       "%s: %llu bit/s: not below the %llu bit/s of host %s's link; allowed: less", k->name,
			       rate, line, f->topo->nodes[f->topo->hosts[h]].name);
	}
	return 0;
}

static int check_lines(const struct plan *f, struct err *err)
{
	int rc = 0;

	for (u32 i = 0; cfg_alg_key(i) && !rc; i++) {
		const struct param *row = cfg_alg_row(f->cfg, i);

		if (row && row->below_line)
			rc = check_below_line(f, i, err);
	}
	return rc;
}

/* As cfg_check.c has it for a time that is given. */
static int check_stuck(const struct plan *f, const struct recovery_params *r, struct err *err)
{
	char wait[32], stuck[32];

	if (f->cfg->rto_high || !r->timeouts || !f->cfg->stuck_after || r->rto_high < f->cfg->stuck_after)
		return 0;
	return err_set(err, -EINVAL,
		       "rto_high=auto: waits for %s, and stuck_after=%s ends a run; allowed: rto_high less than that",
		       unit_print_time(r->rto_high, wait, sizeof(wait)),
		       unit_print_time(f->cfg->stuck_after, stuck, sizeof(stuck)));
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
	plan_recovery(f, bdp, common.ops, &common.recovery);
	rc = check_lines(f, err);
	if (!rc)
		rc = check_stuck(f, &common.recovery, err);
	for (u32 h = 0; !rc && h < f->size.hosts; h++) {
		const struct port_cfg *p = &f->ports[f->host_port[h]];

		f->nics[h] = common;
		f->nics[h].host = h;
		f->nics[h].node = f->size.switches + h;
		f->nics[h].ps_per_byte = p->ps_per_byte;
		f->nics[h].delay = p->delay;
		f->nics[h].credits = f->fab.credits;
		f->nics[h].frame_max = f->frame_max;
		plan_cc(f, p->ps_per_byte, bdp, common.cc_ops, &f->nics[h].cc);
	}
	return rc;
}
