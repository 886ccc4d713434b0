// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long the NIC's core takes for a data packet, all included: built, taken apart, answered, the answer built and
 * taken apart, timers and congestion control. Two NICs on one wire in memory, no I/O, no payload. Part of make bench.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/nic/nic.h"
#include "agent/packet/psn.h"
#include "tests/unit/algorithms.h"

#define RING (1 << 16)
#define PS 200
#define DELAY 2000000ULL
#define ROUNDS 5

struct bench_frame {
	u64 arrival;
	u16 len;
	u8 head[HEAD_MAX];
};

struct end {
	struct nic *nic;
	struct nic_params par;
	struct nic_io io;
	struct bench_frame *ring; /* on its way to this end */
	u32 head, tail;
	u32 lose; /* one data frame in so many sent from here */
	u64 sent;
};

static struct end ends[2];
static struct flow *flows;
static struct flow_table table;

static bool peek(void *ctx, struct rx_frame *f)
{
	struct end *e = ctx;
	const struct bench_frame *b = &e->ring[e->head % RING];

	if (e->head == e->tail)
		return false;
	*f = (struct rx_frame){ b->arrival, b->head, HEAD_MAX, b->len, NULL };
	return true;
}

static void take(void *ctx, const struct rx_frame *f)
{
	((struct end *)ctx)->head++;
}

static int send(void *ctx, const struct tx_frame *f)
{
	struct end *e = ctx, *to = e == ends ? &ends[1] : &ends[0];
	struct bench_frame *b;

	if (f->data && e->lose && ++e->sent % e->lose == 0)
		return 0;
	if (to->tail - to->head == RING)
		return -1;
	b = &to->ring[to->tail++ % RING];
	b->arrival = f->arrival;
	b->len = f->len;
	memcpy(b->head, f->head, f->head_len);
	return 0;
}

static void die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

static void make_flows(u32 n, u64 bytes)
{
	flows = calloc(n, sizeof(*flows));
	table = (struct flow_table){ .flows = flows,
				     .n = n,
				     .src_index = calloc(n, sizeof(u32)),
				     .dst_index = calloc(n, sizeof(u32)),
				     .results = calloc(n, sizeof(struct flow_result)) };
	if (!flows || !table.src_index || !table.dst_index || !table.results)
		die("out of memory");
	for (u32 i = 0; i < n; i++) {
		flows[i] = (struct flow){ .id = i, .dst = 1, .class = 3, .bytes = bytes };
		table.results[i].done_ps = TIME_NEVER;
	}
}

static void free_flows(void)
{
	free(flows);
	free(table.src_index);
	free(table.dst_index);
	free(table.results);
}

static struct nic_params params(u32 host, const char *transport, const char *cc)
{
	struct nic_params p = {
		.host = host,
		.node = host,
		.seed = 1,
		.ps_per_byte = PS,
		.delay = DELAY,
		.rules = { .mtu = 1000, .message = 1000000000, .msg_packets = 1000000, .ack_every = 1, .ack_class = 3 },
		.qp = { .retry_cnt = RETRY_INFINITE, .rnr_retry = RETRY_INFINITE },
		.recovery = { .timeouts = true },
		.flows = &table,
	};

	algorithms_set(&p, transport, cc, 118, NULL);
	if (p.recovery.cap > 4000)
		p.recovery.cap = 4000;
	return p;
}

static u64 cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void open_ends(const char *transport, const char *cc, u32 lose)
{
	for (u32 i = 0; i < 2; i++) {
		struct end *e = &ends[i];

		e->head = e->tail = 0;
		e->sent = 0;
		e->lose = i ? 0 : lose;
		e->par = params(i, transport, cc);
		e->io = (struct nic_io){ .ctx = e, .peek = peek, .take = take, .send = send };
		e->nic = nic_new(&e->par, &e->io);
		if (!e->nic)
			die("out of memory");
	}
}

/* Runs to the end; ns of CPU per data packet sent. */
static double run(u64 *packets)
{
	u64 t0 = cpu_ns(), next;

	while ((next = nic_next(ends[0].nic) < nic_next(ends[1].nic) ? nic_next(ends[0].nic) : nic_next(ends[1].nic)) !=
	       TIME_NEVER)
		for (u32 i = 0; i < 2; i++)
			if (nic_advance(ends[i].nic, next + DELAY))
				die("the wire is full");
	*packets = nic_stats(ends[0].nic)->tx_data;
	t0 = cpu_ns() - t0;
	for (u32 i = 0; i < table.n; i++)
		if (table.results[i].done_ps == TIME_NEVER)
			die("a flow is not complete");
	return (double)t0 / *packets;
}

static int compare(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

static double median_of_runs(const char *transport, const char *cc, u32 lose, u64 *memory)
{
	double ns[ROUNDS];
	u64 packets;

	for (u32 i = 0; i < ROUNDS; i++) {
		for (u32 f = 0; f < table.n; f++)
			table.results[f].done_ps = TIME_NEVER;
		open_ends(transport, cc, lose);
		ns[i] = run(&packets);
		*memory = nic_memory(ends[0].nic) + nic_memory(ends[1].nic);
		nic_free(ends[0].nic);
		nic_free(ends[1].nic);
		algorithms_free(&ends[0].par);
		algorithms_free(&ends[1].par);
	}
	qsort(ns, ROUNDS, sizeof(*ns), compare);
	return ns[ROUNDS / 2];
}

int main(void)
{
	const struct recovery_ops *ops;
	u64 memory;

	for (u32 i = 0; i < 2; i++) {
		ends[i].ring = calloc(RING, sizeof(*ends[i].ring));
		if (!ends[i].ring)
			die("out of memory");
	}
	printf("ns per data packet in the NIC's core, both ends (medians of %d; in brackets with one packet in 1,000 "
	       "lost); "
	       "bytes per connection, both ends\n",
	       ROUNDS);
	make_flows(1, 50000000);
	for (u32 t = 0; (ops = recovery_at(t)); t++) {
		for (u32 c = 0; cc_name(c) && (!c || !ops->own_cc); c++) {
			double clean = median_of_runs(ops->name, cc_name(c), 0, &memory);
			double lossy = median_of_runs(ops->name, cc_name(c), 1000, &memory);

			printf("  %-10s %-15s %6.0f (%.0f)  %llu B\n", ops->name, cc_name(c), clean, lossy, memory);
		}
	}
	free_flows();
	make_flows(10000, 20000);
	printf("10,000 connections of one host, 20 packets each\n");
	for (u32 t = 0; (ops = recovery_at(t)); t++) {
		double ns = median_of_runs(ops->name, "none", 0, &memory);

		printf("  %-10s %6.0f ns per data packet, %llu B per connection\n", ops->name, ns, memory / 10000);
	}
	free_flows();
	for (u32 i = 0; i < 2; i++)
		free(ends[i].ring);
	return 0;
}
