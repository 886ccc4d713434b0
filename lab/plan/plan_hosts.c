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

static void plan_recovery(const struct plan *f, u32 bdp, const struct recovery_ops *ops, struct recovery_params *r)
{
	const struct run_cfg *c = f->cfg;

	*r = (struct recovery_params){
		.bdp = bdp,
		.mtu = c->mtu,
		.rto_high = c->rto_high,
		.timeouts = c->timeouts == CFG_ON || (c->timeouts == CFG_AUTO && f->classes & ~f->fab.pfc),
	};
	cfg_alg_store(c, &ops->params, r);
	ops->resolve(r);
}

static void plan_cc(const struct plan *f, u32 ps_per_byte, u32 bdp, const struct cc_ops *ops, struct cc_params *p)
{
	*p = (struct cc_params){
		.line = 8 * PARAM_PS_PER_S / ps_per_byte,
		.ps_per_byte = ps_per_byte,
		.window_max = bdp,
	};
	if (!ops)
		return;
	cfg_alg_store(f->cfg, &ops->params, p);
	if (ops->resolve)
		ops->resolve(p);
}

/* What congestion control shares among the hosts. */
static int plan_cc_shared(struct plan *f, const struct cc_ops *ops, struct err *err)
{
	if (!ops || !ops->shared_new || !f->size.hosts)
		return 0;
	f->cc_shared = ops->shared_new(&f->nics[0].cc);
	if (!f->cc_shared)
		return err_set(err, -ENOMEM, "out of memory");
	for (u32 h = 0; h < f->size.hosts; h++)
		f->nics[h].cc.shared = f->cc_shared;
	return 0;
}

void plan_hosts_free(struct plan *f)
{
	if (f->cc_shared)
		f->nics[0].cc_ops->shared_free(f->cc_shared);
	f->cc_shared = NULL;
}

/* Key number @i is a rate: a least rate that is no less than the line would leave congestion control without effect. */
static int check_below_line(const struct plan *f, u32 i, struct err *err)
{
	const struct cfg_key *k = cfg_alg_key(i);
	u64 rate = cfg_get(f->cfg, k);

	for (u32 h = 0; rate && h < f->size.hosts; h++) {
		u64 line = 8 * PARAM_PS_PER_S / f->ports[f->host_port[h]].ps_per_byte;

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
	return rc ? rc : plan_cc_shared(f, common.cc_ops, err);
}
