// SPDX-License-Identifier: GPL-2.0-or-later
/* From topology, configuration and flows to a fabric that an engine can run. */
#include "lab/plan/plan_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bpf/wire.h"
#include "lab/interrupt.h"
#include "lab/plan/plan_workload.h"

#define SMALL_BUDGET (64 << 20) /* bytes of small slots up to which the worst case is simply provided for */

static int fail(struct err *err, int code, const char *what)
{
	return err_set(err, code, "%s", what);
}

static u32 link_rate(const struct plan *f, const struct topo_link *l)
{
	return f->cfg->rate_ps ? f->cfg->rate_ps : l->ps_per_byte;
}

static u64 link_delay(const struct plan *f, const struct topo_link *l)
{
	return f->cfg->delay_ps ? f->cfg->delay_ps : l->delay_ps;
}

static const struct topo_link *port_link(const struct plan *f, const struct topo_node *n, u32 port)
{
	return &f->topo->links[n->ports[port].link];
}

/* The chance that one of two independent losses happens. */
static u64 loss_join(u64 a, u64 b)
{
	return a + b - a * b / 1000000000ULL;
}

/*
 * Losses on links between switches and from hosts to switches happen where the frame arrives; on the way to a host,
 * at the departure from its switch. loss=P@NODE is about arrivals at that switch only.
 */
static void plan_loss(const struct plan *f, const struct topo_node *sw, const struct topo_link *l, struct port_cfg *p)
{
	u64 in = l->loss_ppb, out = l->loss_ppb;

	if (!f->cfg->loss_at[0]) {
		in = loss_join(in, f->cfg->loss_ppb);
		out = in;
	} else if (!strcmp(f->cfg->loss_at, sw->name)) {
		in = loss_join(in, f->cfg->loss_ppb);
	}
	p->loss_in = prob32(in);
	p->loss_out = p->peer & PEER_HOST ? prob32(out) : 0;
}

#define IN_FLIGHT_MAX (1U << 22) /* frames on one link: arrival queues are made for as many */

/* How many frames of at least @len bytes a link can hold that have been sent and not yet handled, over two windows. */
static u64 in_flight(const struct plan *f, const struct port_cfg *p, u32 len)
{
	return (p->delay + 2 * f->window) / ((u64)wire_bytes(len) * p->ps_per_byte) + 8;
}

static int plan_port(struct plan *f, u32 s, u32 port, struct err *err)
{
	const struct topo_node *n = &f->topo->nodes[f->topo->switches[s]];
	const struct topo_link *l = port_link(f, n, port);
	u32 far_end = !n->ports[port].end;
	const struct topo_node *far = &f->topo->nodes[l->node[far_end]];
	u32 number = f->port_base[s] + port;
	struct port_cfg *p = &f->ports[number];

	p->sw = s;
	p->number = number;
	p->ps_per_byte = link_rate(f, l);
	p->delay = link_delay(f, l);
	if (far->kind == TOPO_HOST) {
		p->peer = PEER_HOST | far->index;
		p->peer_node = f->size.switches + far->index;
		f->host_port[far->index] = number;
	} else {
		p->peer = f->port_base[far->index] + l->port[far_end];
		p->peer_node = far->index;
	}
	plan_loss(f, n, l, p);
	if (in_flight(f, p, ETH_MIN) > IN_FLIGHT_MAX) {
		char name[64];

		return err_set(
			err, -EINVAL,
			"delay: at its rate the link at port %s would hold %llu frames; allowed: %u: less delay, or a "
			"lower rate",
			plan_port_name(f, number, name, sizeof(name)), in_flight(f, p, ETH_MIN), IN_FLIGHT_MAX);
	}
	return plan_thresholds(f, p, err);
}

static u32 round_up_pow2(u64 n)
{
	u32 p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* How many frames of at least @len bytes a link can begin to send in one window. */
static u64 in_window(const struct plan *f, const struct port_cfg *p, u32 len)
{
	return f->window / ((u64)wire_bytes(len) * p->ps_per_byte) + 2;
}

/*
 * Slots: those held ready for hosts to send, those of frames on the wire, and those of frames in buffers. Buffers full
 * of the smallest frames everywhere would take too much, so beyond a budget the pool is sized for the mixture that
 * flows make, and a run that needs more says so.
 */
static void plan_slots(struct plan *f)
{
	struct plan_sizes *z = &f->size;
	u64 buffers = (u64)f->cfg->buffer * (f->cfg->shared ? z->switches : z->ports * plan_classes(f));
	u64 small = buffers / ETH_MIN, ready[2] = { 0, 0 }, wire = 0;

	z->arrivals = 0;
	for (u32 i = 0; i < z->ports; i++) {
		struct port_cfg *p = &f->ports[i];

		p->arrq_base = z->arrivals;
		p->arrq_mask = round_up_pow2(in_flight(f, p, ETH_MIN)) - 1;
		if (p->peer & PEER_HOST) {
			p->free_size[0] = in_window(f, p, ETH_MIN);
			p->free_size[1] = in_window(f, p, SLOT_SMALL + 1);
		}
		wire += in_flight(f, p, ETH_MIN);
		z->arrivals += p->arrq_mask + 1;
		ready[0] += p->free_size[0];
		ready[1] += p->free_size[1];
		z->emissions += in_window(f, p, ETH_MIN);
	}
	if (small * (SLOT_SMALL + sizeof(struct frame)) > SMALL_BUDGET && small > buffers / 480)
		small = buffers / 480;
	z->small = ready[0] + wire + small;
	z->large = ready[1] + wire / 4 + buffers / f->frame_max * 5 / 4 + 16 * z->ports;
	f->fab.n_small = z->small;
	f->fab.slot_large = (f->frame_max + 63) / 64 * 64;
	if (f->fab.slot_large < 2 * SLOT_SMALL)
		f->fab.slot_large = 2 * SLOT_SMALL;
}

static int plan_switches(struct plan *f, struct err *err)
{
	struct plan_sizes *z = &f->size;
	int rc;

	z->ports = topo_port_bases(f->topo, f->port_base);
	for (u32 s = 0; s < z->switches; s++)
		z->voqs += plan_voqs(f->topo->nodes[f->topo->switches[s]].n_ports);
	f->ports = calloc(z->ports, sizeof(*f->ports));
	if (!f->ports)
		return fail(err, -ENOMEM, "out of memory");
	for (u32 s = 0; s < z->switches; s++) {
		for (u32 p = 0; p < f->topo->nodes[f->topo->switches[s]].n_ports; p++) {
			rc = plan_port(f, s, p, err);
			if (rc)
				return rc;
		}
	}
	return 0;
}

/* Memory that agents, which are child processes, share with the conductor. */
static void *shared(size_t bytes)
{
	void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int compare_ids(const void *a, const void *b)
{
	u32 x = ((const struct flow *)a)->id, y = ((const struct flow *)b)->id;

	return x < y ? -1 : x > y;
}

/* A flow's number is its place: so it is already, unless a file says otherwise. */
static bool in_order(const struct flow *flows, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (flows[i].id != i)
			return false;
	return true;
}

/* What a flow's operation rules out; a workload file may name one per flow. */
static int check_flow(const struct plan *f, const struct flow *flow, struct err *err)
{
	const struct packet_rules *r = &f->nics[0].rules;

	if (!packet_count(r, flow->bytes))
		return fail(err, -EINVAL, "workload: a flow has more than 2^31 packets: raise mtu or message");
	if (flow->op == FLOW_WRITE || (r->format == FORMAT_ROCE && !r->reth_all))
		return 0;
	if (r->reth_all)
		return err_set(err, -EINVAL,
			       "workload: flow %u is no WRITE: reth=all is about WRITEs; allowed: op write", flow->id);
	return err_set(err, -EINVAL,
		       "workload: flow %u is no WRITE: transport=%s carries nothing else; allowed: op write", flow->id,
		       f->cfg->transport);
}

/* A bit each: the classes of what answers data of @class. */
static u32 answer_classes(const struct run_cfg *c, u32 class)
{
	u32 ack = c->ack_class == CFG_CLASS_SAME ? class : c->ack_class;
	u32 cnp = c->cnp_class == CFG_CLASS_SAME ? ack : c->cnp_class;

	return 1U << ack | 1U << cnp;
}

/* The flows themselves. How much memory the switches need depends on their classes. */
static int make_flows(struct plan *f, struct err *err)
{
	struct workload_spec spec = plan_workload(f->cfg);
	u32 *host_ps = calloc(f->size.hosts, sizeof(*host_ps)), n;
	const char **names = calloc(f->size.hosts, sizeof(*names));
	int rc = host_ps && names ? 0 : fail(err, -ENOMEM, "out of memory");

	for (u32 h = 0; h < f->size.hosts && !rc; h++) {
		host_ps[h] = f->ports[f->host_port[h]].ps_per_byte;
		names[h] = f->topo->nodes[f->topo->hosts[h]].name;
	}
	spec.host_names = names;
	if (!rc)
		rc = workload_make(&spec, f->size.hosts, host_ps, &f->flow_list, &n, err);
	free(host_ps);
	free(names);
	if (rc)
		return rc;
	if (!in_order(f->flow_list, n))
		qsort(f->flow_list, n, sizeof(*f->flow_list), compare_ids);
	f->flows.flows = f->flow_list;
	f->flows.n = n;
	for (u32 i = 0; i < n; i++) {
		u32 class = f->flow_list[i].class;

		f->classes |= 1 << class | answer_classes(f->cfg, class);
	}
	return 0;
}

/* What becomes of the flows. The hosts are planned already. */
static int plan_flows(struct plan *f, struct err *err)
{
	struct flow_table *t = &f->flows;
	int rc;

	t->results = shared(t->n * sizeof(*t->results));
	t->src_index = shared(t->n * sizeof(u32));
	t->dst_index = shared(t->n * sizeof(u32));
	f->ideal = calloc(t->n + 1, sizeof(u64));
	if (!t->results || !t->src_index || !t->dst_index || !f->ideal)
		return fail(err, -ENOMEM, "out of memory");
	for (u32 i = 0; i < t->n && !interrupted(); i++) {
		rc = check_flow(f, &t->flows[i], err);
		if (rc)
			return rc;
		t->results[i].done_ps = TIME_NEVER;
	}
	for (u32 i = 0; i < t->n && !interrupted(); i++)
		f->ideal[i] = plan_ideal(f, &t->flows[i]);
	return interrupted() ? fail(err, -EINTR, "interrupted") : 0;
}

static void plan_window(struct plan *f)
{
	f->window = TIME_NEVER;
	for (u32 i = 0; i < f->topo->n_links; i++)
		if (link_delay(f, &f->topo->links[i]) < f->window)
			f->window = link_delay(f, &f->topo->links[i]);
}

/* A copy of the topology's rates and delays as the run has them, for routes_max_rtt(). */
static int plan_rtt(struct plan *f, struct err *err)
{
	struct topo t = *f->topo;

	t.links = malloc(t.n_links * sizeof(*t.links));
	if (!t.links)
		return fail(err, -ENOMEM, "out of memory");
	for (u32 i = 0; i < t.n_links; i++) {
		t.links[i] = f->topo->links[i];
		t.links[i].ps_per_byte = link_rate(f, &t.links[i]);
		t.links[i].delay_ps = link_delay(f, &t.links[i]);
	}
	f->max_rtt = routes_max_rtt(&t, &f->routes, wire_bytes(f->frame_max), wire_bytes(ACK_LEN));
	f->propagation = routes_max_rtt(&t, &f->routes, 0, 0);
	free(t.links);
	if (f->max_rtt && f->fab.iterations)
		f->max_rtt += (routes_max_hops(f->topo, &f->routes) - 1) * plan_crossbar_rtt(f);
	return f->max_rtt ? 0 : fail(err, -ENOMEM, "out of memory");
}

#define STUCK_LEAST (100 * PS_PER_MS)
#define STUCK_MOST (TIME_LIMIT / 16) /* 20 hours: leaves virtual time for the rest of the run */
#define RESENDS 8                    /* in a row that are lost, before a run counts as stuck */
#define BACKOFF 64                   /* iWARP doubles its timeout up to this factor */
#define SLOWEST_SHARE 1000           /* congestion control slows a flow down to about a thousandth of its link */

u32 plan_slowest_port(const struct plan *f)
{
	u32 ps = 0;

	for (u32 p = 0; p < f->size.ports; p++)
		if (f->ports[p].ps_per_byte > ps)
			ps = f->ports[p].ps_per_byte;
	return ps;
}

u32 plan_most_ports(const struct plan *f)
{
	u32 n = 0;

	for (u32 s = 0; s < f->size.switches; s++)
		if (f->topo->nodes[f->topo->switches[s]].n_ports > n)
			n = f->topo->nodes[f->topo->switches[s]].n_ports;
	return n;
}

/* How long a PAUSE holds if its end is lost, at @ps per byte, and a watchdog that steps in. */
static u64 longest_pause(const struct plan *f, u32 ps)
{
	u64 watchdog = f->fab.watchdog ? f->fab.watchdog + f->fab.restore : 0;

	return f->fab.pfc ? (u64)f->fab.quanta * PFC_QUANTUM_BYTES * ps + watchdog : 0;
}

u64 plan_stuck_after(const struct plan *f)
{
	const struct run_cfg *c = f->cfg;
	u32 slowest = plan_slowest_port(f), queues = c->shared ? 1 : plan_most_ports(f) * plan_classes(f);
	/* 128 bits: with 2 kbit/s one buffer takes a quarter of an hour, and there may be thousands on a path */
	__uint128_t timer = max64(f->nics[0].recovery.rto_high, f->max_rtt), sum = f->max_rtt;

	sum += (__uint128_t)c->buffer * queues * slowest * routes_max_hops(f->topo, &f->routes);
	sum += longest_pause(f, slowest);
	if (f->nics[0].cc_ops)
		sum += (u64)wire_bytes(f->frame_max) * slowest * (__uint128_t)SLOWEST_SHARE;
	if (c->rq)
		sum += RESENDS * (nic_rnr_time(c->rnr_timer) + c->rq_delay);
	sum += timer * RESENDS * (f->nics[0].rules.format == FORMAT_TCP ? BACKOFF : 1);
	return sum > STUCK_MOST ? STUCK_MOST : max64((u64)sum, STUCK_LEAST);
}

/* What plan_ideal() can follow. A clockwise ring of 63 switches just fits. */
static int check_hops(const struct plan *f, struct err *err)
{
	u32 hops = routes_max_hops(f->topo, &f->routes);

	if (!hops)
		return fail(err, -ENOMEM, "out of memory");
	if (hops <= PLAN_HOPS_MAX)
		return 0;
	return err_set(err, -EINVAL, "topology: a route of %u links between two hosts: allowed: %u", hops,
		       PLAN_HOPS_MAX);
}

static int check_node(const struct plan *f, struct err *err)
{
	if (!f->cfg->loss_at[0])
		return 0;
	for (u32 s = 0; s < f->size.switches; s++)
		if (!strcmp(f->topo->nodes[f->topo->switches[s]].name, f->cfg->loss_at))
			return 0;
	return err_set(err, -EINVAL, "loss: %.64s: no switch of that name in this topology", f->cfg->loss_at);
}

/* Does one word of a tap list, "s0", "s0:p1" or "all", mean port @p? */
static bool tap_matches(const struct plan *f, const char *word, const struct port_cfg *p)
{
	char name[64];

	return !strcmp(word, "all") || !strcmp(word, f->topo->nodes[f->topo->switches[p->sw]].name) ||
		!strcmp(word, plan_port_name(f, p->number, name, sizeof(name)));
}

static int plan_taps(struct plan *f, struct err *err)
{
	char list[CFG_STR], *save = NULL;

	snprintf(list, sizeof(list), "%s", f->cfg->tap);
	for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		bool found = false;

		for (u32 i = 0; i < f->size.ports; i++) {
			if (!tap_matches(f, word, &f->ports[i]))
				continue;
			f->ports[i].tap = 1;
			found = true;
		}
		if (found)
			continue;
		return err_set(err, -EINVAL, "tap: %.64s: no such switch or port: name a SWITCH, a SWITCH:pN, or all",
			       word);
	}
	return 0;
}

int plan_make(struct plan *f, const struct run_cfg *cfg, const struct topo *topo, struct err *err)
{
	int rc;

	memset(f, 0, sizeof(*f));
	f->cfg = cfg;
	f->topo = topo;
	f->size.switches = topo->n_switches;
	f->size.hosts = topo->n_hosts;
	f->size.routes = topo->n_switches * topo->n_hosts;
	f->frame_max = packet_frame_max(cfg->mtu);
	rc = routes_compute(topo, &f->routes, err);
	if (!rc)
		rc = check_hops(f, err);
	if (!rc)
		rc = check_node(f, err);
	if (rc)
		return rc;
	f->port_base = calloc(f->size.switches, sizeof(u32));
	f->host_port = calloc(f->size.hosts, sizeof(u32));
	f->nics = calloc(f->size.hosts, sizeof(*f->nics));
	if (!f->port_base || !f->host_port || !f->nics)
		return fail(err, -ENOMEM, "out of memory");
	plan_cfg(f);
	plan_window(f);
	rc = plan_switches(f, err);
	if (!rc)
		rc = make_flows(f, err);
	if (!rc)
		rc = plan_check_pools(f, err);
	if (!rc)
		rc = plan_taps(f, err);
	if (!rc)
		rc = plan_rtt(f, err);
	if (rc)
		return rc;
	if (cfg->fc == CFG_FC_PFC &&
	    cfg->quanta < 2 * (wire_bytes(f->frame_max) + wire_bytes(PFC_LEN)) / PFC_QUANTUM_BYTES + 1) {
		return err_set(
			err, -EINVAL,
			"quanta: %u: a pause must outlast two full frames, or it ends before it can be repeated: at "
			"least %u",
			cfg->quanta, 2 * (wire_bytes(f->frame_max) + wire_bytes(PFC_LEN)) / PFC_QUANTUM_BYTES + 1);
	}
	plan_slots(f);
	rc = plan_hosts(f, err);
	f->stuck_after = cfg->stuck_after ? cfg->stuck_after : plan_stuck_after(f);
	if (!rc)
		rc = faults_plan(f, err);
	if (!rc)
		rc = plan_trace(f, err);
	return rc ? rc : plan_flows(f, err);
}

void plan_free(struct plan *f)
{
	struct flow_table *t = &f->flows;

	if (t->results)
		munmap(t->results, t->n ? t->n * sizeof(*t->results) : 1);
	if (t->src_index)
		munmap(t->src_index, t->n ? t->n * sizeof(u32) : 1);
	if (t->dst_index)
		munmap(t->dst_index, t->n ? t->n * sizeof(u32) : 1);
	routes_free(&f->routes);
	faults_free(&f->faults);
	plan_trace_free(f);
	free(f->flow_list);
	free(f->ideal);
	free(f->ports);
	free(f->port_base);
	free(f->host_port);
	free(f->nics);
}

u32 plan_port_link(const struct plan *f, u32 number)
{
	u32 s = f->ports[number].sw;

	return f->topo->nodes[f->topo->switches[s]].ports[number - f->port_base[s]].link;
}

const char *plan_port_name(const struct plan *f, u32 number, char *buf, size_t n)
{
	const struct port_cfg *p = &f->ports[number];

	snprintf(buf, n, "%s:p%u", f->topo->nodes[f->topo->switches[p->sw]].name, number - f->port_base[p->sw]);
	return buf;
}
