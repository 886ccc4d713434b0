// SPDX-License-Identifier: GPL-2.0-or-later
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
#include <unistd.h>

#include "agent/deadline.h"
#include "bpf/addr.h"
#include "bpf/pfc.h"
#include "lab/engine/agents.h"
#include "lab/engine/bpf_load.h"
#include "lab/engine/chaos.h"
#include "lab/engine/engine.h"
#include "lab/interrupt.h"
#include "lab/limits.h"
#include "lab/netlab/netlab.h"

#define CROSSING_MS 10000 /* of wall time for a frame to cross its veth */
#define SPARE_FILES 64    /* open besides programs, maps and links: standard streams, locks, records */
#define EMIT_BATCH 64     /* frames per flush of the redirects: their pages stay in the cache (256 was 3 % slower) */

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

/* Says "interrupted" if that was asked for. */
static int look_for_interrupt(struct kernel *k)
{
	return interrupted() ? err_set(&k->e.err, -EINTR, "run: interrupted") : 0;
}

/*
 * Wait until *@count has come up to @want. 1, 0 if it stands still below or has gone beyond (link_error() says which),
 * or -EINTR.
 */
static int await32(struct kernel *k, const u32 *count, u32 want)
{
	struct deadline d = { .limit = chaos_deadline(CROSSING_MS) };
	u32 seen = __atomic_load_n(count, __ATOMIC_ACQUIRE), last = seen;

	for (u32 spins = 0; (s32)(want - seen) > 0; spins++) {
		bool over = deadline_passed(&d);

		if (spins > 100)
			sched_yield(); /* softirq work may be left to ksoftirqd, which needs the processor */
		if (look_for_interrupt(k))
			return -EINTR;
		seen = __atomic_load_n(count, __ATOMIC_ACQUIRE);
		if (seen != last)
			deadline_restart(&d);
		else if (over)
			break;
		last = seen;
	}
	return seen == want;
}

/* What a port's ingress has refused, in words; "" if nothing. */
static const char *refusals(const struct port_rx *rx)
{
	if (!rx)
		return "";
	if (rx->no_slot)
		return ": its ingress had no free slot";
	if (rx->malformed)
		return ": frames were malformed";
	return "";
}

/* Why link @name, which has carried @want of our frames, has counted @have. @rx: of a switch's ingress, or NULL. */
static int link_error(struct kernel *k, const char *name, u32 have, u32 want, const struct port_rx *rx)
{
	if ((s32)(have - want) > 0)
		return err_set(&k->e.err, -EPROTO,
			       "link %s: more frames than sent: %u foreign or repeated ones with the lab's stamp", name,
			       have - want);
	return err_set(&k->e.err, -EPROTO, "link %s: %u of %u frames have arrived, and no more for %u ms%s", name, have,
		       want, chaos_deadline(CROSSING_MS), refusals(rx));
}

/* The count of frames that have arrived at the far end of @port. */
static const u32 *far_count(const struct kernel *k, u32 port)
{
	u32 peer = k->e.plan->ports[port].peer;

	if (peer & PEER_HOST) /* a u64 in host byte order: its low half is first on the machines we build for */
		return (const u32 *)&k->bpf.host_rx[peer & ~PEER_HOST] + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return &k->e.mem.rx[peer].tail;
}

/* Wait until all frames emitted on @port have been counted at the far end. */
static int await_link(struct kernel *k, u32 port)
{
	u32 peer = k->e.plan->ports[port].peer;
	const u32 *count = far_count(k, port);
	int rc = await32(k, count, k->sent[port]);
	char name[100];

	if (rc)
		return rc < 0 ? rc : 0;
	return link_error(k, link_name(k, port, name, sizeof(name)), *count, k->sent[port],
			  peer & PEER_HOST ? NULL : &k->e.mem.rx[peer]);
}

static int host_link_error(struct kernel *k, u32 h, u64 sent)
{
	u32 port = k->e.plan->host_port[h];
	const struct port_rx *rx = &k->e.mem.rx[port];
	char to[64], name[128];

	plan_port_name(k->e.plan, port, to, sizeof(to));
	snprintf(name, sizeof(name), "%s -> %s", k->e.plan->topo->nodes[k->e.plan->topo->hosts[h]].name, to);
	return link_error(k, name, rx->tail, (u32)sent, rx);
}

/* Host @h has sent @sent frames: they must have reached its switch. */
static int await_host(struct kernel *k, u32 h, u64 sent)
{
	int rc = await32(k, &k->e.mem.rx[k->e.plan->host_port[h]].tail, (u32)sent);

	return rc < 0 ? rc : rc ? 0 : host_link_error(k, h, sent);
}

/*
 * A node has failed with @rc. If a link has counted more frames than were sent, that is why: say so instead. What the
 * node says of a forged frame, such as that it came late, would lead astray.
 */
static int blame_link(struct kernel *k, int rc)
{
	struct err unused;

	/* the others are waited for, unless one has died or hangs: that is why, and nothing better will be known */
	if (rc == -EINTR || rc == -ECHILD || rc == -ETIMEDOUT || agents_wait(&k->agents, &unused) == -EINTR)
		return rc;
	for (u32 p = 0; p < k->e.plan->size.ports; p++)
		if ((s32)(*far_count(k, p) - k->sent[p]) > 0)
			return await_link(k, p);
	for (u32 h = 0; h < k->e.plan->size.hosts; h++)
		if ((s32)(k->e.mem.rx[k->e.plan->host_port[h]].tail - (u32)k->agents.cells[h].sent) > 0)
			return host_link_error(k, h, k->agents.cells[h].sent);
	return rc;
}

/*
 * Programs and processes that are not ours to trust write into the same memory. What is an index there is looked at
 * before it is used: a scribbled one ends the run, not the conductor.
 */
static int corrupt(struct kernel *k, const char *what, u64 value)
{
	return err_set(&k->e.err, -EFAULT, "bpf: %s %llu is out of range: something wrote into the lab's maps", what,
		       value);
}

/* The port of entry @i of the emission list, or -errno. */
static int emission_port(struct kernel *k, u32 i)
{
	u32 port = __atomic_load_n(&k->e.mem.emissions[i].port, __ATOMIC_RELAXED);

	return port < k->e.plan->size.ports ? (int)port : corrupt(k, "emission to port", port);
}

static int await_entries(struct kernel *k, u32 from, u32 to)
{
	int rc = 0;

	for (u32 i = from; !rc && i < to; i++) {
		rc = emission_port(k, i);
		if (rc >= 0)
			rc = await_link(k, (u32)rc);
	}
	return rc;
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

/* Write out entries @from to @end - 1, and count them as sent. */
static int emit_chunk(struct kernel *k, u32 from, u32 end)
{
	struct fab_state *st = k->e.mem.state;
	struct xdp_md ctx = { .data_end = k->template_len, .ingress_ifindex = CTL_IFINDEX };
	u32 emitted = from;
	int port, rc = 0;

	while (!rc && emitted < end) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = k->template, .data_size_in = k->template_len,
			    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = end - emitted,
			    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = EMIT_BATCH);
		u32 before = emitted;

		if (run_program(k, k->bpf.emit_fd, &opts, "emit"))
			return -EIO;
		emitted = __atomic_load_n(&st->emitted, __ATOMIC_RELAXED);
		if (emitted < before || emitted > end)
			return corrupt(k, "emission", emitted);
		rc = look_for_interrupt(k);
	}
	for (u32 i = from; !rc && i < end; i++) {
		port = emission_port(k, i);
		if (port < 0)
			return port;
		k->sent[port]++;
	}
	return rc;
}

/* Send all departures of the window, @n_emit; chunk by chunk, so that no veth ring overflows. */
static int emit_all(struct kernel *k, u32 n_emit)
{
	const struct fab_state *st = k->e.mem.state;
	u32 n_chunks = __atomic_load_n(&st->n_chunks, __ATOMIC_RELAXED), before = 0, from = 0;
	int rc = 0;

	if (n_chunks > FAB_CHUNKS)
		return corrupt(k, "number of chunks", n_chunks);
	for (u32 c = 0; !rc && c < n_chunks; c++) {
		u32 end = __atomic_load_n(&st->chunk_end[c], __ATOMIC_RELAXED);

		if (end < from || end > n_emit)
			return corrupt(k, "end of a chunk", end);
		rc = await_entries(k, before, from);
		if (!rc)
			rc = emit_chunk(k, from, end);
		before = from;
		from = end;
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
		rc = await_host(k, h, c->sent);
		if (!rc && plan_refill(f, &k->e.mem, f->host_port[h]))
			rc = engine_state_error(&k->e);
	}
	return rc;
}

static int kernel_window(struct engine *e, u64 until)
{
	struct kernel *k = (struct kernel *)e;
	u32 n_emit;
	int rc;

	wake_hosts(k, until);
	chaos_delay(0);
	rc = advance_switches(k, until);
	if (rc)
		return blame_link(k, rc);
	n_emit = __atomic_load_n(&e->mem.state->n_emit, __ATOMIC_RELAXED);
	if (n_emit > e->plan->size.emissions)
		return corrupt(k, "number of emissions", n_emit);
	rc = emit_all(k, n_emit);
	if (!rc) {
		rc = agents_wait(&k->agents, &e->err);
		if (rc)
			return blame_link(k, rc);
	}
	if (!rc)
		rc = collect_hosts(k);
	return rc ? rc : await_entries(k, 0, n_emit);
}

/* At the end no link has carried a frame more or less than was sent. */
static int check_counts(struct kernel *k)
{
	int rc = 0;

	for (u32 p = 0; !rc && p < k->e.plan->size.ports; p++)
		rc = await_link(k, p);
	for (u32 h = 0; !rc && h < k->e.plan->size.hosts; h++)
		rc = await_host(k, h, k->agents.cells[h].sent);
	return rc;
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
	return rc ? rc : check_counts(k);
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

	if (rc)
		return err_set(err, rc, "kernel engine: out of memory");
	rc = limit_open_files(bpf_fabric_files(f) + SPARE_FILES, err);
	if (!rc)
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
