// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of a NIC: those of a lone flow, of one loss, of a timeout and of a receiver, each by hand; a buffer that is
 * full; and over all algorithms, that a trace has as many events as the counters say and changes nothing.
 */
#include <stdlib.h>

#include "bpf/ecn.h"
#include "bpf/hash.h"
#include "bpf/parse.h"

#include "tests/unit/nic_world.h"
#include "tests/unit/scripted_nic.h"

#define FIRST 1074 /* with RETH */
#define MIDDLE 1058
#define US PS_PER_US
#define END (TIME_LIMIT - 1)
#define SIZE 64

static struct trace_buffer *b;
static u32 seen;

static struct trace_buffer *buffer(u32 size)
{
	struct trace_buffer *new = calloc(1, 64 + (size_t)size * sizeof(struct trace_event));

	assert_non_null(new);
	return new;
}

static void prepare_traced(const char *transport, u32 cap)
{
	b = buffer(SIZE);
	seen = 0;
	prepare(transport, cap);
	h.par.trace = (struct trace_params){ .buffer = b, .size = SIZE };
	h.par.recovery.timeouts = true;
}

static void stop_traced(void)
{
	assert_int_equal(seen, b->n);
	assert_false(b->full);
	stop_nic();
	free(b);
}

/* The next event; the caller looks at what is its kind's alone. */
static const struct trace_event *event(u64 time, enum trace_kind kind)
{
	const struct trace_event *e = &b->events[seen++];

	assert_true(seen <= b->n);
	if (e->time != time || e->kind != kind)
		fail_msg("event %u: kind %u at %llu, expected kind %u at %llu", seen - 1, e->kind, e->time, kind, time);
	assert_int_equal(e->flow, 0);
	return e;
}

static void sent(u64 time, enum trace_kind kind, u32 packet, u32 in_flight, u32 bytes)
{
	const struct trace_event *e = event(time, kind);

	assert_true(e->packet == packet && e->in_flight == in_flight && e->bytes == bytes && e->window == 10);
	assert_true(!e->rate && !e->rtt);
}

static void timer(u64 time, u32 packet, u64 rto)
{
	const struct trace_event *e = event(time, TRACE_TIMER_START);

	assert_true(e->packet == packet && e->rto == rto);
}

static void answer(u64 time, enum trace_kind kind, u32 packet, u32 cum, u32 sack, u64 rtt)
{
	const struct trace_event *e = event(time, kind);

	assert_true(e->packet == packet && e->cum == cum && e->rtt == rtt && (kind == TRACE_ACK || e->sack == sack));
}

/* Start of packet @n of a flow that began at @start. */
static u64 leaves(u64 start, u32 n)
{
	return n ? start + ser(FIRST) + (n - 1) * ser(MIDDLE) : start;
}

/* Three packets of IRN and their ACKs. The timer starts anew with each packet and each ACK, and stops with the last. */
static void lone_flow(void **state)
{
	u64 ack[3];

	prepare_traced("irn", 10);
	add_flow(0, 1, 2500, 1000);
	start_nic();
	for (u32 n = 0; n < 3; n++) {
		ack[n] = leaves(1000, n) + 5 * US;
		come_ack(ack[n], 0, n);
	}
	advance(END);
	for (u32 n = 0; n < 3; n++) {
		sent(leaves(1000, n), TRACE_SEND, n, n + 1, n == 2 ? 500 : 1000);
		timer(leaves(1000, n), 0, 100 * US);
	}
	for (u32 n = 0; n < 3; n++) {
		answer(ack[n], TRACE_ACK, n, n + 1, 0, 5 * US);
		if (n < 2)
			timer(ack[n], n + 1, 100 * US);
	}
	event(ack[2], TRACE_TIMER_STOP);
	stop_traced();
}

/*
 * Packet 0 of four is lost: two NACKs name what has arrived, packet 0 leaves again, and the ACK of all four reports an
 * arrival of packet 3. Packet 0 gives no RTT, since it has left twice. More than three packets in flight: rto_high.
 */
static void one_loss(void **state)
{
	u64 at = 10 * US;

	prepare_traced("irn", 10);
	add_flow(0, 1, 4000, 1000);
	start_nic();
	for (u32 n = 1; n < 3; n++)
		come_aeth(at + (n - 1) * US, 0, 0, AETH_NAK_SEQUENCE, psn_add(h.par.rules.psn0, n));
	come_ack(at + 5 * US, 0, 3);
	advance(END);
	for (u32 n = 0; n < 4; n++) {
		sent(leaves(1000, n), TRACE_SEND, n, n + 1, 1000);
		timer(leaves(1000, n), 0, n < 3 ? 100 * US : 320 * US);
	}
	answer(at, TRACE_NACK, 1, 0, 1, at - leaves(1000, 1));
	timer(at, 0, 320 * US);
	sent(at, TRACE_RESEND, 0, 4, 1000);
	timer(at, 0, 320 * US);
	answer(at + US, TRACE_NACK, 2, 0, 2, at + US - leaves(1000, 2));
	timer(at + US, 0, 320 * US);
	answer(at + 5 * US, TRACE_ACK, 3, 4, 0, at + 5 * US - leaves(1000, 3));
	event(at + 5 * US, TRACE_TIMER_STOP);
	stop_traced();
}

/* The timer runs out, the packet leaves again; its ACK is no RTT sample (Karn). */
static void timeout(void **state)
{
	u64 at = 1000 + 100 * US;

	prepare_traced("irn", 10);
	add_flow(0, 1, 1000, 1000);
	start_nic();
	come_ack(at + 5 * US, 0, 0);
	advance(END);
	sent(1000, TRACE_SEND, 0, 1, 1000);
	timer(1000, 0, 100 * US);
	assert_int_equal(event(at, TRACE_TIMEOUT)->packet, 0);
	assert_in_range(event(at, TRACE_TIMER_START)->rto, 100 * US, 100 * US + 100 * US / 8);
	sent(at, TRACE_RESEND, 0, 1, 1000);
	timer(at, 0, 100 * US);
	answer(at + 5 * US, TRACE_ACK, 0, 1, 0, 0);
	event(at + 5 * US, TRACE_TIMER_STOP);
	stop_traced();
}

static void arrives(u64 time, enum trace_kind kind, u32 packet, u32 cum)
{
	const struct trace_event *e = event(time, kind);

	assert_true(e->packet == packet && e->cum == cum && e->bytes == 1000);
}

/* A receiver: in order, ahead of a hole, and a duplicate. */
static void receiver(void **state)
{
	static const u32 packets[] = { 0, 2, 0, 1 };

	prepare_traced("irn", 10);
	add_flow(1, 0, 3000, 0);
	start_nic();
	for (u32 i = 0; i < 4; i++)
		come_data((i + 1) * US, 0, packets[i]);
	advance(END);
	arrives(US, TRACE_RECEIVE, 0, 1);
	assert_int_equal(event(US, TRACE_SEND_ACK)->cum, 1);
	arrives(2 * US, TRACE_RECEIVE, 2, 1);
	assert_int_equal(event(2 * US, TRACE_SEND_NACK)->cum, 1);
	arrives(3 * US, TRACE_DISCARD, 0, 1);
	assert_int_equal(event(3 * US, TRACE_SEND_ACK)->cum, 1);
	arrives(4 * US, TRACE_RECEIVE, 1, 3);
	assert_int_equal(event(4 * US, TRACE_SEND_ACK)->cum, 3);
	stop_traced();
}

/* Only flow 1 of two; what finds no room is said, and written nowhere. */
static void selected_and_full(void **state)
{
	static const u64 second = 2;

	prepare_traced("irn", 10);
	h.par.trace.flows = &second;
	add_flow(0, 1, 1000, 0);
	add_flow(0, 1, 5000, 0);
	h.par.trace.size = 3;
	start_nic();
	advance(50 * US);
	assert_true(b->n == 3 && b->full);
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(b->events[i].flow, 1);
	assert_int_equal(b->events[3].time, 0);
	assert_true(b->events[0].kind == TRACE_SEND && b->events[2].kind == TRACE_SEND && b->events[2].packet == 1);
	stop_nic();
	free(b);
}

#define MANY (1U << 16)

/* Three NICs on a lossy wire, traced or not: what becomes of the flows. */
static void run_world(u64 seed, const char *transport, const char *cc, bool traced, struct flow_result *results)
{
	world_prepare(seed, 3, transport, cc);
	w.loss = 40;
	w.reorder = 30;
	w.mark = 10;
	for (u32 i = 0; i < 3; i++) {
		w.hosts[i].par.rules.message = 7000;
		w.hosts[i].par.rules.msg_packets = 7;
		w.hosts[i].par.trace.size = MANY;
		w.hosts[i].par.trace.buffer = traced ? buffer(MANY) : NULL;
		world_flow(i, (i + 1) % 3, 60000, i * US,
			   recovery_find(transport)->format == FORMAT_TCP ? FLOW_WRITE : (enum flow_op)i);
	}
	world_open();
	world_run(TIME_LIMIT);
	memcpy(results, w.results, sizeof(w.results));
}

/* Events against counters. */
static void compare_counts(void)
{
	u64 n[WORLD_FLOWS][TRACE_N] = { { 0 } };

	for (u32 i = 0; i < 3; i++) {
		struct trace_buffer *t = w.hosts[i].par.trace.buffer;
		u64 kept = 0, acks = 0;

		assert_true(!t->full && t->n);
		for (u32 k = 0; k < t->n; k++) {
			const struct trace_event *e = &t->events[k];

			assert_true(!k || e->time >= e[-1].time);
			assert_true(!e->rtt || e->rtt >= 2 * WORLD_DELAY);
			n[e->flow][e->kind]++;
			kept += e->kind == TRACE_RECEIVE;
			acks += e->kind == TRACE_SEND_ACK || e->kind == TRACE_SEND_NACK;
		}
		assert_int_equal(kept, nic_stats(w.hosts[i].nic)->fresh);
		assert_int_equal(acks, nic_stats(w.hosts[i].nic)->acks_tx);
		free(t);
	}
	for (u32 i = 0; i < w.table.n; i++) {
		const struct flow_result *r = &w.results[i];

		assert_int_equal(n[i][TRACE_SEND] + n[i][TRACE_RESEND], r->packets_sent);
		assert_int_equal(n[i][TRACE_RESEND], r->retransmitted);
		assert_int_equal(n[i][TRACE_NACK], r->nacks);
		assert_int_equal(n[i][TRACE_TIMEOUT], r->timeouts + r->requester_timeouts);
		assert_int_equal(n[i][TRACE_CNP], r->cnps);
	}
}

static void changes_nothing(void **state)
{
	for (u32 t = 0; recovery_at(t); t++)
		for (u32 c = 0; cc_name(c); c++)
			for (u64 seed = 1; seed <= 2; seed++) {
				const char *transport = recovery_at(t)->name;
				struct flow_result plain[WORLD_FLOWS], traced[WORLD_FLOWS];

				if (recovery_at(t)->own_cc && c)
					continue;
				run_world(seed, transport, cc_name(c), false, plain);
				world_close();
				run_world(seed, transport, cc_name(c), true, traced);
				assert_memory_equal(plain, traced, sizeof(plain));
				compare_counts();
				world_close();
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lone_flow), cmocka_unit_test(one_loss),          cmocka_unit_test(timeout),
		cmocka_unit_test(receiver),  cmocka_unit_test(selected_and_full), cmocka_unit_test(changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
