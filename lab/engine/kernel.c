// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel engine: switches are BPF programs in their namespaces, hosts are agents in theirs, and every frame
 * crosses a real veth. One window: wake the hosts that have something to do; meanwhile advance the switches and emit
 * their departures; then wait until every frame sent has been counted at the far end of its link.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bpf/addr.h"
#include "bpf/pfc.h"
#include "lab/engine/agents.h"
#include "lab/engine/bpf_load.h"
#include "lab/engine/chaos.h"
#include "lab/engine/engine.h"
#include "lab/netlab/netlab.h"

#define WAIT_SECONDS 10 /* of wall time for a frame to cross its veth */
#define EMIT_BATCH 64   /* frames per flush of the redirects: their pages stay in the cache (256 was 3 % slower) */

struct kernel {
	struct engine e;
	struct bpf_fabric bpf;
	struct agents agents;
	char lab[LAB_NAME_MAX];
	int home_ns;  /* where this process was before the run */
	u32 *sent;    /* per port: frames emitted, free-running */
	u8 *template; /* the bytes that emit overwrites */
	u32 template_len;
	bool *awake; /* hosts woken in this window */
};

static const char *link_name(const struct kernel *k, u32 port, char *buf, size_t n)
{
	const struct port_cfg *c = &k->e.plan->ports[port];
	const struct topo *t = k->e.plan->topo;
	char from[48], to[48];

	plan_port_name(k->e.plan, port, from, sizeof(from));
	if (c->peer & PEER_HOST)
		snprintf(to, sizeof(to), "%s", t->nodes[t->hosts[c->peer & ~PEER_HOST]].name);
	else
		plan_port_name(k->e.plan, c->peer, to, sizeof(to));
	snprintf(buf, n, "%s -> %s", from, to);
	return buf;
}

static u64 seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Wait until *@count has come up to @want. False if it does not within WAIT_SECONDS of standing still. */
static bool await32(const u32 *count, u32 want)
{
	u32 seen = __atomic_load_n(count, __ATOMIC_ACQUIRE), last = seen;
	u64 until = 0;

	for (u32 spins = 0; seen != want; spins++) {
		if (spins > 100)
			sched_yield(); /* softirq work may be left to ksoftirqd, which needs the processor */
		if (!until || seen != last)
			until = seconds() + WAIT_SECONDS;
		if (seconds() > until)
			return false;
		last = seen;
		seen = __atomic_load_n(count, __ATOMIC_ACQUIRE);
	}
	return true;
}

/* What a port's ingress has refused, in words; "" if nothing. */
static const char *refusals(const struct port_rx *rx)
{
	if (rx->no_slot)
		return ": its ingress had no free slot";
	if (rx->malformed)
		return ": frames were malformed";
	return "";
}

static int link_behind(struct kernel *k, u32 port, u64 have, u64 want)
{
	const struct port_cfg *c = &k->e.plan->ports[port];
	char name[100];

	return err_set(&k->e.err, -EPROTO, "link %s: %llu of %llu frames have arrived, and no more came within %d s%s",
		       link_name(k, port, name, sizeof(name)), have, want, WAIT_SECONDS,
		       c->peer & PEER_HOST ? "" : refusals(&k->e.mem.rx[c->peer]));
}

/* Wait until all frames emitted on @port have been counted at the far end. */
static int await_link(struct kernel *k, u32 port)
{
	const struct port_cfg *c = &k->e.plan->ports[port];
	const u32 *count;

	if (c->peer & PEER_HOST) /* a u64 in host byte order: its low half is first on the machines we build for */
		count = (const u32 *)&k->bpf.host_rx[c->peer & ~PEER_HOST] + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	else
		count = &k->e.mem.rx[c->peer].tail;
	return await32(count, k->sent[port]) ? 0 : link_behind(k, port, *count, k->sent[port]);
}

static int await_entries(struct kernel *k, u32 from, u32 to)
{
	int rc = 0;

	for (u32 i = from; !rc && i < to; i++)
		rc = await_link(k, k->e.mem.emissions[i].port);
	return rc;
}

/* Frames that a host has sent must have reached its switch. */
static int await_host(struct kernel *k, u32 h)
{
	const struct agent_cell *c = &k->agents.cells[h];
	u32 port = k->e.plan->host_port[h];
	char name[64];

	if (await32(&k->e.mem.rx[port].tail, (u32)c->sent))
		return 0;
	return err_set(&k->e.err, -EPROTO,
		       "link %s -> %s: %u of %llu frames have arrived, and no more came within %d s%s",
		       k->e.plan->topo->nodes[k->e.plan->topo->hosts[h]].name,
		       plan_port_name(k->e.plan, port, name, sizeof(name)), k->e.mem.rx[port].tail, c->sent,
		       WAIT_SECONDS, refusals(&k->e.mem.rx[port]));
}

static int run_program(struct kernel *k, int fd, struct bpf_test_run_opts *opts, const char *what)
{
	if (!bpf_prog_test_run_opts(fd, opts) || errno == EINTR)
		return 0; /* cut short by a signal: the caller looks at the cursor */
	return err_set(&k->e.err, -errno, "bpf: cannot run %s: %s", what, strerror(errno));
}

static int advance_switches(struct kernel *k, u64 until)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct fab_state *st = k->e.mem.state;
	u32 n = 0;

	for (u32 s = 0; s < k->e.plan->size.switches; s++)
		if (k->e.mem.nodes[s].next < until)
			k->e.mem.todo[n++] = s;
	st->n_todo = n;
	st->n_emit = st->emitted = st->n_chunks = 0;
	if (!n)
		return 0;
	st->until = until;
	if (run_program(k, k->bpf.advance_fd, &opts, "advance"))
		return -EIO;
	return st->error ? engine_state_error(&k->e) : 0;
}

/* Write out entries up to @end, and count them as sent. */
static int emit_chunk(struct kernel *k, u32 end)
{
	struct fab_state *st = k->e.mem.state;
	struct xdp_md ctx = { .data_end = k->template_len, .ingress_ifindex = CTL_IFINDEX };
	u32 from = st->emitted;

	while (st->emitted < end) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = k->template, .data_size_in = k->template_len,
			    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = end - st->emitted,
			    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = EMIT_BATCH);

		if (run_program(k, k->bpf.emit_fd, &opts, "emit"))
			return -EIO;
	}
	for (u32 i = from; i < end; i++)
		k->sent[k->e.mem.emissions[i].port]++;
	return 0;
}

static int emit_all(struct kernel *k)
{
	const struct fab_state *st = k->e.mem.state;
	u32 from = 0;
	int rc = 0;

	for (u32 c = 0; !rc && c < st->n_chunks; c++) {
		if (c)
			rc = await_entries(k, from, st->chunk_end[c - 1]);
		from = st->emitted;
		if (!rc)
			rc = emit_chunk(k, st->chunk_end[c]);
	}
	return rc;
}

static void wake_hosts(struct kernel *k, u64 until)
{
	const struct plan *f = k->e.plan;

	for (u32 h = 0; h < f->size.hosts; h++) {
		const struct node_cell *n = &k->e.mem.nodes[f->size.switches + h];
		struct agent_cell *c = &k->agents.cells[h];

		k->awake[h] = n->next < until;
		if (!k->awake[h])
			continue;
		c->until = until;
		c->expect = n->rx_total;
		agents_wake(&k->agents, h);
	}
}

/* Take over what the woken hosts have published. */
static int collect_hosts(struct kernel *k)
{
	const struct plan *f = k->e.plan;
	int rc = 0;

	for (u32 h = 0; !rc && h < f->size.hosts; h++) {
		const struct agent_cell *c = &k->agents.cells[h];
		struct node_cell *tor = &k->e.mem.nodes[f->ports[f->host_port[h]].sw];

		if (!k->awake[h])
			continue;
		k->e.mem.nodes[f->size.switches + h].next = c->next;
		k->e.hosts[h] = c->view;
		if (c->arrival < tor->arrival)
			tor->arrival = c->arrival;
		rc = await_host(k, h);
		if (!rc && plan_refill(&k->e.mem, f->host_port[h]))
			rc = engine_state_error(&k->e);
	}
	return rc;
}

static int kernel_window(struct engine *e, u64 until)
{
	struct kernel *k = (struct kernel *)e;
	int rc;

	wake_hosts(k, until);
	chaos_delay(0);
	rc = advance_switches(k, until);
	if (!rc)
		rc = emit_all(k);
	if (!rc)
		rc = agents_wait(&k->agents, &e->err);
	if (!rc)
		rc = collect_hosts(k);
	return rc ? rc : await_entries(k, 0, e->mem.state->n_emit);
}

static int kernel_finish(struct engine *e, u64 now, struct host_report *reports)
{
	struct kernel *k = (struct kernel *)e;
	int rc = agents_finish(&k->agents, &e->err);

	for (u32 h = 0; h < e->plan->size.hosts; h++) {
		reports[h].stats = k->agents.cells[h].stats;
		reports[h].recovery = k->agents.cells[h].recovery;
		reports[h].pause = k->agents.cells[h].pause;
		reports[h].credit = k->agents.cells[h].credit;
		reports[h].clock = k->agents.cells[h].clock;
		e->foreign += k->agents.cells[h].foreign;
	}
	for (u32 p = 0; p < e->plan->size.ports; p++)
		e->foreign += e->mem.rx[p].foreign;
	return rc;
}

static void kernel_destroy(struct engine *e)
{
	struct kernel *k = (struct kernel *)e;

	agents_stop(&k->agents);
	bpf_fabric_free(&k->bpf, e->plan, k->lab);
	if (k->home_ns >= 0) {
		if (setns(k->home_ns, CLONE_NEWNET))
			perror("losslab: cannot return to the first namespace");
		close(k->home_ns);
	}
	free(k->sent);
	free(k->template);
	free(k->awake);
	free(e->hosts);
	free(k);
}

static const struct engine_ops kernel_ops = { kernel_window, kernel_finish, kernel_destroy };

static int allocate(struct kernel *k, const struct plan *f)
{
	k->template_len = f->frame_max + STAMP_LEN;
	k->sent = calloc(f->size.ports, sizeof(u32));
	k->template = calloc(1, k->template_len);
	k->awake = calloc(f->size.hosts, sizeof(bool));
	k->e.hosts = calloc(f->size.hosts, sizeof(*k->e.hosts));
	k->home_ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return k->sent && k->template && k->awake && k->e.hosts && k->home_ns >= 0 ? 0 : -ENOMEM;
}

/* Agents first: what they inherit must not keep the programs attached when the conductor is gone. */
static int start(struct kernel *k, const struct plan *f, struct err *err)
{
	int rc = allocate(k, f);

	if (rc) {
		return err_set(err, rc, "kernel engine: out of memory");
	}
	rc = bpf_fabric_load(&k->bpf, f, &k->e.mem, err);
	if (rc)
		return rc;
	plan_memory_init(f, &k->e.mem, false);
	rc = agents_start(&k->agents, f, k->lab, k->e.mem.rx, err);
	if (rc)
		return rc;
	for (u32 h = 0; h < f->size.hosts; h++)
		k->e.mem.nodes[f->size.switches + h].next = k->agents.cells[h].next;
	return bpf_fabric_attach(&k->bpf, f, k->lab, err);
}

struct engine *kernel_new(const struct plan *f, const char *lab, int *rc, struct err *err)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k) {
		*rc = -ENOMEM;
		err_set(err, -ENOMEM, "kernel engine: out of memory");
		return NULL;
	}
	k->e.plan = f;
	k->e.ops = &kernel_ops;
	k->home_ns = -1;
	snprintf(k->lab, sizeof(k->lab), "%s", lab);
	*rc = start(k, f, err);
	if (!*rc)
		return &k->e;
	kernel_destroy(&k->e);
	return NULL;
}
