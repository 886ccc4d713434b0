// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The switch programs themselves, under BPF_PROG_TEST_RUN: a frame in, the verdict and the maps' state out. Needs root
 * and a kernel that can; skipped by name otherwise. The lab is a star of two hosts.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/packet/packet.h"
#include "bpf/pfc.h"
#include "lab/engine/bpf_load.h"
#include "bpf/addr.h"
#include "lab/netlab/netlab.h"

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct plan plan;
	struct plan_memory mem;
	struct bpf_fabric bpf;
	char lab[LAB_NAME_MAX];
	struct err err;
	bool up;
} w;

static const char star[] = "default 40gbit 2us\nhost h0\nhost h1\nswitch s0\nlink h0 s0\nlink h1 s0\n";

static int set_up(void **state)
{
	FILE *in = fmemopen((void *)star, strlen(star), "r");
	char word[] = "workload=incast";

	if (geteuid())
		return 0;
	cfg_defaults(&w.cfg);
	snprintf(w.lab, sizeof(w.lab), "b%d", (int)getpid());
	if (!in || topo_parse(in, "star", &w.topo, &w.err) || cfg_set(&w.cfg, word, &w.err) ||
	    cfg_finish(&w.cfg, &w.err) || plan_make(&w.plan, &w.cfg, w.topo, &w.err) ||
	    netlab_up(w.lab, w.topo, &w.err)) {
		print_error("%s\n", w.err.text);
		return -1;
	}
	fclose(in);
	w.up = true;
	return 0;
}

static int tear_down(void **state)
{
	if (w.up && netlab_down(w.lab, NETLAB_DOWN_ANYWAY, &w.err))
		print_error("%s\n", w.err.text);
	if (w.topo) {
		plan_free(&w.plan);
		topo_free(w.topo);
	}
	return 0;
}

/* Fresh programs and maps, attached, with this process in the switch's namespace. */
static int load(void **state)
{
	int fd;

	if (!w.up)
		return 0;
	memset(&w.mem, 0, sizeof(w.mem));
	if (bpf_fabric_load(&w.bpf, &w.plan, &w.mem, &w.err))
		goto fail;
	plan_memory_init(&w.plan, &w.mem, false);
	if (bpf_fabric_attach(&w.bpf, &w.plan, w.lab, &w.err))
		goto fail;
	fd = netlab_ns_fd(w.lab, "s0");
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		goto fail;
	close(fd);
	return 0;
fail:
	print_error("%s\n", w.err.text);
	return -1;
}

static int unload(void **state)
{
	if (w.up)
		bpf_fabric_free(&w.bpf, &w.plan, w.lab);
	return 0;
}

#define NEED_ROOT()                                                                                                    \
	do {                                                                                                           \
		if (!w.up)                                                                                             \
			skip();                                                                                        \
	} while (0)

/* What ingress says to @len bytes that come in at port @port. */
static u32 ingress(u32 port, u8 *bytes, u32 len)
{
	struct xdp_md ctx = { .data_end = len, .ingress_ifindex = SWITCH_IFINDEX_BASE + port };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = bytes, .data_size_in = len, .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .repeat = 1);

	assert_int_equal(bpf_prog_test_run_opts(w.bpf.ingress_fd, &opts), 0);
	return opts.retval;
}

/* Packet 0 of flow 0 (h1 -> h0) of @bytes, complete but for its payload and ICRC; returns its length with stamp. */
static u32 packet(u8 *out, u64 bytes, u64 arrival)
{
	struct tx_frame f;

	memset(out, 0x5a, FRAME_MAX + STAMP_LEN);
	packet_build_data(&w.plan.nics[1].rules, &f, &(struct flow){ .src = 1, .class = 3, .bytes = bytes }, 0, false);
	memcpy(out, f.head, f.head_len);
	stamp_put(out + f.len, f.len, arrival);
	return f.len + STAMP_LEN;
}

static const struct frame *arrived(u32 port, u32 n)
{
	const struct port_cfg *c = &w.plan.ports[port];

	return &w.mem.frames[w.mem.arrivals[c->arrq_base + (n & c->arrq_mask)]];
}

static u32 advance(u64 until)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	w.mem.todo[0] = 0;
	w.mem.state->n_todo = 1;
	w.mem.state->until = until;
	assert_int_equal(bpf_prog_test_run_opts(w.bpf.advance_fd, &opts), 0);
	return opts.retval;
}

static void ingress__puts_frames_away(void **state)
{
	u8 bytes[FRAME_MAX + STAMP_LEN] = { 0 };
	const struct frame *f;
	u32 len;

	NEED_ROOT();
	for (u32 i = 0; i < 2; i++) {
		len = packet(bytes, i ? 32 : 1000, 5000000 + i);
		assert_int_equal(ingress(1, bytes, len), XDP_DROP);
		assert_int_equal(w.mem.rx[1].tail, i + 1);
		f = arrived(1, i);
		assert_int_equal(f->arrival, 5000000 + i);
		assert_int_equal(f->len, len - STAMP_LEN);
		assert_int_equal(f->dst, 0);
		assert_int_equal(f->class, 3);
		assert_int_equal(f->flags, FRAME_ECT | FRAME_DATA | (i ? 0 : FRAME_LARGE));
	}
	assert_int_equal(w.mem.rx[1].free_head[0], 1);
	assert_int_equal(w.mem.rx[1].free_head[1], 1);
}

static void ingress__refuses(void **state)
{
	u8 bytes[FRAME_MAX + STAMP_LEN];
	u32 len;

	NEED_ROOT();
	len = packet(bytes, 1000, 5000000);
	bytes[len - STAMP_LEN] ^= 1; /* no stamp */
	assert_int_equal(ingress(1, bytes, len), XDP_DROP);
	assert_int_equal(w.mem.rx[1].foreign, 1);
	len = packet(bytes, 1000, 5000000);
	stamp_put(bytes + len - STAMP_LEN, len, 5000000); /* a stamp that belies the length */
	assert_int_equal(ingress(1, bytes, len), XDP_DROP);
	assert_int_equal(w.mem.rx[1].foreign, 2);
	len = packet(bytes, 1000, 5000000);
	put16(bytes + IP_OFF + 2, 2000); /* IP claims more than there is */
	assert_int_equal(ingress(1, bytes, len), XDP_DROP);
	put16(bytes + 12, 0x86dd);
	assert_int_equal(ingress(1, bytes, len), XDP_DROP);
	assert_int_equal(w.mem.rx[1].malformed, 2);
	assert_int_equal(w.mem.rx[1].tail, 0);
	assert_int_equal(w.mem.rx[1].free_head[1], 0); /* no slot was lost over them */
}

static void advance__forwards_at_the_exact_time(void **state)
{
	u8 bytes[FRAME_MAX + STAMP_LEN];
	u32 len;
	const struct emission *e;

	NEED_ROOT();
	len = packet(bytes, 1000, 5000000);
	ingress(1, bytes, len);
	assert_int_equal(advance(5000000), 0); /* the window ends before it */
	assert_int_equal(w.mem.state->n_emit, 0);
	assert_int_equal(w.mem.nodes[0].next, 5000000);
	assert_int_equal(advance(7000000), 0);
	assert_int_equal(w.mem.state->n_emit, 1);
	e = &w.mem.emissions[0];
	assert_int_equal(e->port, 0);
	assert_int_equal(e->len, len - STAMP_LEN);
	assert_int_equal(e->arrival, 5000000 + wire_bytes(e->len) * 200 + 2000000);
	assert_int_equal(w.mem.nodes[1].arrival, e->arrival); /* host 0's cell */
	assert_int_equal(w.mem.nodes[1].rx_total, 1);
	assert_int_equal(w.mem.ports[1].occ[3], 0);
}

/* A frame that is older than what the switch has done already stops the run. */
static void advance__late_frame(void **state)
{
	u8 bytes[FRAME_MAX + STAMP_LEN];

	NEED_ROOT();
	ingress(1, bytes, packet(bytes, 1000, 5000000));
	assert_int_equal(advance(7000000), 0);
	ingress(1, bytes, packet(bytes, 1000, 4000000));
	assert_int_equal(advance(9000000), FAB_LATE);
	assert_int_equal(w.mem.state->error_port, 1);
}

/* Frames that a paused output cannot send fill the buffer of their input: PAUSE upstream at XOFF, a drop at the limit.
 */
static void advance__pfc(void **state)
{
	u8 bytes[FRAME_MAX + STAMP_LEN], pfc[PFC_LEN + STAMP_LEN];
	u32 n, len = packet(bytes, 1000, 0), size = len - STAMP_LEN, pauses = 0;
	u64 at = 5000000, gap = wire_bytes(size) * 200;

	NEED_ROOT();
	pfc_build(pfc, 7, 1 << 3, 0, 0xffff);
	stamp_put(pfc + PFC_LEN, PFC_LEN, at - gap);
	assert_int_equal(ingress(0, pfc, sizeof(pfc)), XDP_DROP); /* the way out, to host 0, is paused for 838.8 us */
	for (n = 1; n * size <= w.cfg.buffer + 2 * size; n++) {
		struct port *p = &w.mem.ports[1];

		packet(bytes, 1000, at);
		ingress(1, bytes, len);
		assert_int_equal(plan_refill(&w.plan, &w.mem, 1), 0);
		assert_int_equal(advance(at + gap), 0);
		for (u32 i = 0; i < w.mem.state->n_emit; i++) {
			assert_int_equal(w.mem.emissions[i].flags & FRAME_PFC, FRAME_PFC);
			assert_int_equal(w.mem.emissions[i].port, 1);
			assert_int_equal(w.mem.emissions[i].note.pause, 1 << 3);
			pauses++;
		}
		assert_int_equal(pauses, n * size >= p->cfg.xoff);
		at += gap;
	}
	assert_int_equal(pauses, 1);
	assert_true(w.mem.ports[1].occ[3] <= w.cfg.buffer);
	assert_true(w.mem.ports[1].stats.drops[FAB_DROP_BUFFER] > 0);
}

/*
 * The verifier knows the run's configuration and leaves out what it rules out: each combination is a program of its
 * own.
 */
static void load__every_configuration(void **state)
{
	struct fab_cfg keep = w.plan.fab;

	NEED_ROOT();
	for (u32 i = 0; i < 5 * 6 * 5; i++) {
		struct fab_cfg *c = &w.plan.fab;
		struct plan_memory mem = { 0 };
		u32 flow_control = i / 30, turns = i / 6 % 5; /* none, PFC, credits; none and PFC of a shared buffer */

		c->ecn = i % 6;
		c->wrr = turns == 1;
		c->fifo = turns == 2 || turns == 4;
		c->iterations = turns > 2 ? XBAR_ITERATIONS : 0;
		c->speedup = 150;
		c->watchdog = i % 2 ? PS_PER_MS : 0;
		c->pfc = flow_control == 1 || flow_control == 4 ? 0xff : 0;
		c->credits = flow_control == 2 ? c->buffer / CREDIT_BLOCK : 0;
		c->credit_step = c->credits / 8;
		c->shared = flow_control > 2;
		c->alpha = 8192;
		if (bpf_fabric_load(&w.bpf, &w.plan, &mem, &w.err))
			fail_msg("flow control %u, ecn %u, turns %u: %s", flow_control, c->ecn, turns, &w.err);
		bpf_fabric_free(&w.bpf, &w.plan, w.lab);
	}
	w.plan.fab = keep;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load__every_configuration),
		cmocka_unit_test_setup_teardown(ingress__puts_frames_away, load, unload),
		cmocka_unit_test_setup_teardown(ingress__refuses, load, unload),
		cmocka_unit_test_setup_teardown(advance__forwards_at_the_exact_time, load, unload),
		cmocka_unit_test_setup_teardown(advance__late_frame, load, unload),
		cmocka_unit_test_setup_teardown(advance__pfc, load, unload),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
