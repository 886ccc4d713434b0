// SPDX-License-Identifier: GPL-2.0-or-later
/* The NIC between a script and a list of what it sent: exact times, pauses, turns, timers, and hostile frames. */
#include <errno.h>

#include "tests/unit/scripted_nic.h"

#define FIRST 1074 /* with RETH */
#define MIDDLE 1058
#define END (TIME_LIMIT - 1)

/* Packet after packet at line rate, from the very start; the PSN wraps on the way. */
static void transmit__lone_flow(void **state)
{
	u64 at = 12345;

	prepare("roce", 0);
	add_flow(0, 1, 10001, 12345);
	start_nic();
	assert_true(nic_next(h.nic) == 12345);
	advance(END);
	assert_int_equal(h.n_tx, 11);
	for (u32 n = 0; n < 11; n++) {
		u32 len = n == 0 ? FIRST : n == 10 ? 62 : MIDDLE;

		assert_sent(n, 0, n, at);
		assert_int_equal(h.tx[n].len, len);
		assert_int_equal(h.tx[n].psn, (0xfffffa + n) & 0xffffff);
		at += ser(len);
	}
	assert_int_equal(nic_stats(h.nic)->tx_frames, 11);
	assert_int_equal(nic_stats(h.nic)->tx_data, 11);
	assert_int_equal(nic_stats(h.nic)->tx_bytes, FIRST + 9 * MIDDLE + 62);
	assert_true(nic_next(h.nic) == TIME_NEVER);
	stop_nic();
}

/* Nothing beyond the end of the window, and no difference where it is cut. */
static void advance__windows(void **state)
{
	prepare("roce", 0);
	add_flow(0, 1, 5000, 1000);
	start_nic();
	advance(1000);
	assert_int_equal(h.n_tx, 0);
	advance(1001);
	assert_int_equal(h.n_tx, 1);
	for (u64 until = 1001; until < 2 * PS_PER_US; until += 777)
		advance(until);
	assert_int_equal(h.n_tx, 5);
	for (u32 n = 1; n < 5; n++)
		assert_sent(n, 0, n, 1000 + ser(FIRST) + (n - 1) * ser(MIDDLE));
	stop_nic();
}

/* BDP-FC: the cap stops it; the ACK starts it at the picosecond of its arrival. */
static void transmit__cap(void **state)
{
	u64 at = 50 * PS_PER_US;

	prepare("irn", 4);
	add_flow(0, 1, 100000, 0);
	start_nic();
	come_ack(at, 0, 0);
	come_ack(at + 10, 0, 2);
	advance(at);
	assert_int_equal(h.n_tx, 4);
	advance(END);
	assert_int_equal(h.n_tx, 7);
	assert_sent(4, 0, 4, at);
	assert_sent(5, 0, 5, at + ser(MIDDLE));
	assert_sent(6, 0, 6, at + 2 * ser(MIDDLE));
	stop_nic();
}

/* One packet per connection and turn. */
static void transmit__round_robin(void **state)
{
	u32 seen[3] = { 0 };

	prepare("roce", 0);
	for (u32 i = 0; i < 3; i++)
		add_flow(0, 1 + i, 20000, 0);
	start_nic();
	advance(END);
	assert_int_equal(h.n_tx, 60);
	for (u32 i = 0; i < 60; i++) {
		assert_int_equal(h.tx[i].n, i / 3);
		assert_int_equal(h.tx[i].flow, h.tx[i % 3].flow);
		seen[h.tx[i].flow]++;
	}
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(seen[i], 20);
	stop_nic();
}

/* Of flows that start together each is first about as often. */
static void start__ties(void **state)
{
	u32 first = 0;

	for (u64 seed = 0; seed < 600; seed++) {
		prepare("roce", 0);
		h.par.seed = seed * 0x9e3779b97f4a7c15ULL;
		add_flow(0, 1, 10, 0);
		add_flow(0, 2, 10, 0);
		start_nic();
		advance(END);
		assert_int_equal(h.n_tx, 2);
		first += h.tx[0].flow == 0;
		stop_nic();
	}
	assert_binomial(first, 600, 0.5);
}

static void start__in_order(void **state)
{
	prepare("roce", 0);
	add_flow(0, 1, 10, 3 * PS_PER_US);
	add_flow(5, 1, 10, 1 * PS_PER_US); /* another host's */
	add_flow(0, 2, 10, 2 * PS_PER_US);
	start_nic();
	assert_true(nic_next(h.nic) == 2 * PS_PER_US);
	advance(END);
	assert_int_equal(h.n_tx, 2);
	assert_sent(0, 2, 0, 2 * PS_PER_US);
	assert_sent(1, 0, 0, 3 * PS_PER_US);
	stop_nic();
}

/* A PAUSE lets the frame on the wire finish; a resume restarts at once. */
static void receive_pfc__stops_and_restarts(void **state)
{
	u64 at = 10 * PS_PER_US;

	prepare("roce", 0);
	add_flow(0, 1, 5000, 0);
	start_nic();
	come_pfc(ser(FIRST) + 1, CLASS, 65535);
	come_pfc(at, CLASS, 0);
	advance(END);
	assert_sent(1, 0, 1, ser(FIRST));
	assert_sent(2, 0, 2, at);
	assert_sent(3, 0, 3, at + ser(MIDDLE));
	assert_int_equal(nic_stats(h.nic)->pause_rx, 1);
	assert_int_equal(nic_stats(h.nic)->resume_rx, 1);
	assert_int_equal(pause_total(nic_pause(h.nic), END), at - ser(FIRST) - 1);
	stop_nic();
}

/* At the very time a packet is due the PAUSE comes first; it ends by itself; other classes mean nothing here. */
static void receive_pfc__expires(void **state)
{
	prepare("roce", 0);
	add_flow(0, 1, 3000, 0);
	start_nic();
	come_pfc(1, CLASS + 1, 65535);
	come_pfc(ser(FIRST), CLASS, 1000);
	advance(END);
	assert_int_equal(h.n_tx, 3);
	assert_sent(1, 0, 1, ser(FIRST) + 12800000);
	assert_sent(2, 0, 2, ser(FIRST) + 12800000 + ser(MIDDLE));
	stop_nic();
}

/* ACKs of a class of their own go on while data is paused. */
static void receive_pfc__per_class(void **state)
{
	prepare("roce", 0);
	h.par.rules.ack_class = 6;
	add_flow(0, 1, 3000, 0);
	add_flow(2, 0, 3000, 0);
	start_nic();
	come_pfc(0, CLASS, 1000);
	come_data(5000, 1, 0);
	come_pfc(6000, 6, 1000);
	come_data(7000, 1, 1);
	advance(END);
	assert_sent(0, 1, 0, 5000);
	assert_sent(1, 0, 0, 12800000);
	assert_sent(2, 1, 1, 12800000 + ser(FIRST)); /* free at 12806000, when the first is still being sent */
	assert_int_equal(nic_stats(h.nic)->pause_rx, 2);
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		bool paused = c == CLASS || c == 6;

		assert_int_equal(nic_stats(h.nic)->class_pause_rx[c], paused);
		assert_int_equal(pause_of_class(nic_pause(h.nic), c, END), paused ? 12800000 : 0);
	}
	stop_nic();
}

/* ACKs go before data, as soon as the port is free. */
static void transmit__acks_first(void **state)
{
	prepare("roce", 0);
	add_flow(0, 1, 10000, 0);
	add_flow(2, 0, 10000, 0);
	start_nic();
	come_data(100, 1, 0);
	come_data(200, 1, 1);
	advance(END);
	assert_sent(0, 0, 0, 0);
	assert_sent(1, 1, 0, ser(FIRST));
	assert_sent(2, 1, 1, ser(FIRST) + ser(62));
	assert_sent(3, 0, 1, ser(FIRST) + 2 * ser(62));
	assert_int_equal(h.tx[1].opcode, OP_ACK);
	assert_int_equal(h.tx[1].syndrome, AETH_ACK);
	assert_int_equal(nic_stats(h.nic)->acks_tx, 2);
	stop_nic();
}

/* Many ACKs in wait, the first few gone already: the queue grows, the order stays. */
static void transmit__many_acks(void **state)
{
	u64 pause = PS_PER_US, end = pause + 65535 * 12800ULL;

	prepare("roce", 0);
	add_flow(2, 0, 1000000, 0);
	start_nic();
	for (u32 n = 0; n < 10; n++)
		come_data(n, 0, n);
	come_pfc(pause, CLASS, 65535);
	for (u32 n = 10; n < 1000; n++)
		come_data(pause + n, 0, n);
	advance(END);
	assert_int_equal(h.n_tx, 1000);
	for (u32 n = 0; n < 1000; n++)
		assert_sent(n, 0, n, n < 10 ? n * ser(62) : end + (n - 10) * ser(62));
	assert_int_equal(h.results[0].done_ps, pause + 999);
	assert_int_equal(nic_stats(h.nic)->completed, 1);
	assert_int_equal(nic_stats(h.nic)->fresh, 1000);
	stop_nic();
}

/* The responder's answers on the wire: cumulative PSN, MSN, the sack in a NACK's MSN. */
static void receive_data__irn_answers(void **state)
{
	prepare("irn", 20);
	h.par.rules.msg_packets = 2;
	h.par.rules.message = 2000;
	add_flow(2, 0, 4000, 0);
	start_nic();
	come_data(1, 0, 0);
	come_data(100000, 0, 3);
	come_data(200000, 0, 3);
	come_data(300000, 0, 1);
	come_data(400000, 0, 2);
	advance(END);
	assert_int_equal(h.n_tx, 5);
	assert_true(h.tx[0].n == 0 && h.tx[0].syndrome == AETH_ACK && h.tx[0].msn == 0);
	assert_true(h.tx[1].n == 1 && h.tx[1].syndrome == AETH_NAK_SEQUENCE &&
		    h.tx[1].msn == psn_add(h.par.rules.psn0, 3));
	assert_true(h.tx[2].n == 1 && h.tx[2].syndrome == AETH_NAK_SEQUENCE &&
		    h.tx[2].msn == psn_add(h.par.rules.psn0, 3));
	assert_true(h.tx[3].n == 1 && h.tx[3].syndrome == AETH_ACK && h.tx[3].msn == 1);
	assert_true(h.tx[4].n == 3 && h.tx[4].syndrome == AETH_ACK && h.tx[4].msn == 2);
	assert_int_equal(h.results[0].done_ps, 400000); /* the last missing byte's arrival */
	assert_int_equal(nic_stats(h.nic)->naks_tx, 2);
	assert_int_equal(nic_stats(h.nic)->fresh, 4);
	assert_int_equal(nic_stats(h.nic)->rx_data, 5);
	stop_nic();
}

/* A NAK sends go-back-N back; what the sender counts is reported. */
static void receive_ack__gbn_nak(void **state)
{
	u64 at = 20 * PS_PER_US;

	prepare("roce", 0);
	add_flow(0, 1, 8000, 0);
	start_nic();
	come_aeth(at, 0, 5, AETH_NAK_SEQUENCE, 0);
	come_ack(at + PS_PER_US, 0, 7);
	advance(END);
	nic_report(h.nic);
	assert_int_equal(h.n_tx, 11);
	for (u32 n = 5; n < 8; n++)
		assert_sent(3 + n, 0, n, at + (n - 5) * ser(MIDDLE));
	assert_true(h.results[0].acked && h.results[0].packets_sent == 11 && h.results[0].retransmitted == 3);
	assert_true(h.results[0].nacks == 1 && h.results[0].timeouts == 0);
	stop_nic();
}

/* Timers, to the picosecond: rto_low after a lone packet, again and again. rto_high for many. None if switched off. */
static void timer__fires(void **state)
{
	for (u32 many = 0; many < 2; many++) {
		u64 sent = many ? ser(FIRST) + 3 * ser(MIDDLE) : 0, rto = (many ? 320 : 100) * PS_PER_US;

		prepare("irn", 20);
		h.par.recovery.timeouts = true;
		add_flow(0, 1, many ? 5000 : 1000, 0);
		start_nic();
		advance(sent + 2 * rto + 1);
		nic_report(h.nic);
		assert_int_equal(h.n_tx, many ? 7 : 3);
		assert_sent(h.n_tx - 2, 0, 0, sent + rto);
		assert_sent(h.n_tx - 1, 0, 0, sent + 2 * rto);
		assert_int_equal(h.results[0].timeouts, 2);
		assert_int_equal(h.results[0].retransmitted, 2);
		stop_nic();
	}
	prepare("irn", 20);
	add_flow(0, 1, 1000, 0);
	start_nic();
	advance(END);
	assert_int_equal(h.n_tx, 1);
	stop_nic();
}

/*
 * RoCE: the timer is the oldest unacknowledged packet's (C9-139), so only progress restarts it. timer_restart=send:
 * each packet sent and each answer does. Five packets, an ACK of packet 0 after 100 us, and its duplicate after 200.
 */
static void timer__roce(void **state)
{
	for (u32 acks = 0; acks < 3; acks++) {
		for (u32 send = 0; send < 2; send++) {
			u64 sent = ser(FIRST) + 3 * ser(MIDDLE), rto = 320 * PS_PER_US, start;

			prepare("roce", 0);
			h.par.recovery.timeouts = true;
			h.par.recovery.rto_low = rto;
			h.par.recovery.restart_on_send = send;
			add_flow(0, 1, 5000, 0);
			start_nic();
			if (acks)
				come_ack(100 * PS_PER_US, 0, 0);
			if (acks == 2)
				come_ack(200 * PS_PER_US, 0, 0);
			start = !acks && send ? sent : (acks == 2 && send ? 200 : acks ? 100 : 0) * PS_PER_US;
			advance(start + rto);
			assert_int_equal(h.n_tx, 5);
			advance(start + rto + 1);
			assert_int_equal(h.n_tx, 6);
			assert_sent(5, 0, !!acks, start + rto);
			stop_nic();
		}
	}
}

/* A NAK that is no progress goes back, and does not restart RoCE's timer either. */
static void timer__roce_nak(void **state)
{
	prepare("roce", 0);
	h.par.recovery.timeouts = true;
	h.par.recovery.rto_low = 320 * PS_PER_US;
	add_flow(0, 1, 1000, 0);
	start_nic();
	come_aeth(100 * PS_PER_US, 0, 0, AETH_NAK_SEQUENCE, 0);
	advance(320 * PS_PER_US + 1);
	assert_int_equal(h.n_tx, 3);
	assert_sent(1, 0, 0, 100 * PS_PER_US);
	assert_sent(2, 0, 0, 320 * PS_PER_US);
	stop_nic();
}

/* An ACK puts the timer off; the last one stops it. */
static void timer__restarts(void **state)
{
	u64 ack = 90 * PS_PER_US;

	prepare("irn", 20);
	h.par.recovery.timeouts = true;
	add_flow(0, 1, 2000, 0);
	start_nic();
	come_ack(ack, 0, 0);
	advance(ack + 100 * PS_PER_US);
	assert_int_equal(h.n_tx, 2);
	advance(ack + 100 * PS_PER_US + 1);
	assert_int_equal(h.n_tx, 3);
	assert_sent(2, 0, 1, ack + 100 * PS_PER_US);
	come_ack(ack + 150 * PS_PER_US, 0, 1);
	advance(END);
	nic_report(h.nic);
	assert_int_equal(h.n_tx, 3);
	assert_true(h.results[0].acked && h.results[0].timeouts == 1);
	assert_true(nic_next(h.nic) == TIME_NEVER);
	stop_nic();
}

/* Go-back-N's timer is on the oldest packet: sending does not put it off, ACKs do. */
static void timer__gbn(void **state)
{
	for (u32 acks = 0; acks < 2; acks++) {
		u64 due = 320 * PS_PER_US + acks * PS_PER_US / 2;

		prepare("roce", 0);
		h.par.recovery.timeouts = true;
		add_flow(0, 1, 3000000, 0);
		start_nic();
		if (acks)
			come_ack(PS_PER_US / 2, 0, 0);
		advance(due);
		for (u32 i = 0; i < h.n_tx; i++)
			assert_int_equal(h.tx[i].n, i);
		advance(due + ser(MIDDLE));
		assert_int_equal(h.tx[h.n_tx - 1].n, acks);
		stop_nic();
	}
}

static void advance__late(void **state)
{
	prepare("roce", 0);
	add_flow(0, 1, 10, 0);
	add_flow(1, 0, 3000, 0);
	start_nic();
	come_data(50000, 1, 0);
	advance(60000);
	come_data(50000, 1, 1); /* as old as the clock, at most */
	advance(60000);
	come_data(nic_clock(h.nic) - 1, 1, 2);
	assert_int_equal(nic_advance(h.nic, 70000), -ETIME);
	stop_nic();
}

static void advance__send_fails(void **state)
{
	prepare("roce", 0);
	add_flow(0, 1, 10, 0);
	start_nic();
	h.send_rc = -ENOBUFS;
	assert_int_equal(nic_advance(h.nic, END), -ENOBUFS);
	stop_nic();
}

static int check_nothing(void *ctx, const struct rx_frame *f, const struct rx_packet *p)
{
	return -1;
}

/* What fails the engine's check (ICRC, payload) changes nothing. */
static void receive__check(void **state)
{
	prepare("irn", 4);
	h.io.check = check_nothing;
	add_flow(0, 1, 100000, 0);
	add_flow(1, 0, 1000, 0);
	start_nic();
	come_ack(10 * PS_PER_US, 0, 3);
	come_data(11 * PS_PER_US, 1, 0);
	advance(END);
	assert_int_equal(h.n_tx, 4);
	assert_true(h.results[1].done_ps == TIME_NEVER);
	assert_int_equal(nic_stats(h.nic)->discarded, 2);
	assert_int_equal(nic_stats(h.nic)->rx_frames, 2);
	stop_nic();
}

/* Answers to what was never sent, to nobody, or in no known form: all discarded, the cap stays shut. */
static void receive_ack__hostile(void **state)
{
	static const u8 syndromes[] = { 0x00, 0x61, 0x63, 0x7f, 0x80, 0xff };
	u64 t = 10 * PS_PER_US;
	u32 bad = 0;

	prepare("irn", 4);
	add_flow(0, 1, 100000, 0);
	add_flow(2, 1, 100000, 0);     /* not ours */
	add_flow(0, 1, 1000, END - 1); /* not begun */
	start_nic();
	for (u32 n = 4; n < 10; n++, bad++)
		come_ack(t += 1000, 0, n);
	come_ack(t += 1000, 0, PSN_WINDOW_MAX - 1), bad++;
	come_aeth(t += 1000, 0, 5, AETH_NAK_SEQUENCE, h.par.rules.psn0), bad++; /* expects what was not sent */
	come_ack(t += 1000, 1, 0), bad++;
	come_ack(t += 1000, 2, 0), bad++;
	for (u32 i = 0; i < sizeof(syndromes); i++, bad++)
		come_aeth(t += 1000, 0, 3, syndromes[i], 0);
	for (u32 i = 0; i < 5; i++, bad++) { /* queue pairs that are none, or the responder's */
		static const u32 qpns[] = { 0, 1, 3, 2 * FLOWS + 2, 0xfffffe };
		struct tx_frame f;

		packet_build_ack(&h.par.rules, &f, &h.flows[0], &(struct packet_ack){ .n = 3, .syndrome = AETH_ACK });
		put24(f.head + BTH_OFF + 5, qpns[i]);
		come(t += 1000, f.head, HEAD_MAX, f.len);
	}
	advance(END - 2);
	assert_int_equal(nic_stats(h.nic)->discarded, bad);
	assert_int_equal(h.n_tx, 4);
	stop_nic();
}

/* A NACK whose sack was never sent, or is old, still acknowledges, and makes nothing be resent. */
static void receive_ack__impossible_sack(void **state)
{
	u64 t = 10 * PS_PER_US;

	prepare("irn", 4);
	add_flow(0, 1, 100000, 0);
	start_nic();
	come_aeth(t, 0, 0, AETH_NAK_SEQUENCE, psn_add(h.par.rules.psn0, 4));
	come_aeth(t + 1000, 0, 0, AETH_NAK_SEQUENCE, psn_add(h.par.rules.psn0, PSN_MASK)); /* -1 */
	come_aeth(t + 2000, 0, 1, AETH_NAK_SEQUENCE, psn_add(h.par.rules.psn0, 1000));
	advance(END);
	assert_int_equal(h.n_tx, 5);
	assert_sent(4, 0, 4, t + 2000);
	stop_nic();
}

/* An old NAK, overtaken, does not send go-back-N back; an old ACK changes nothing. */
static void receive_ack__overtaken(void **state)
{
	u64 t = 10 * PS_PER_US;

	prepare("roce", 0);
	add_flow(0, 1, 4000, 0);
	start_nic();
	come_ack(t, 0, 2);
	come_aeth(t + 1000, 0, 1, AETH_NAK_SEQUENCE, 0);
	come_ack(t + 2000, 0, 0);
	advance(END);
	nic_report(h.nic);
	assert_int_equal(h.n_tx, 4);
	assert_int_equal(h.results[0].nacks, 0);
	assert_false(h.results[0].acked);
	stop_nic();
}

/* Data of no flow of ours, beyond its end, of the wrong size: discarded without an answer. */
static void receive_data__hostile(void **state)
{
	u64 t = 1000;

	prepare("irn", 20);
	add_flow(2, 0, 2500, 0);
	add_flow(2, 3, 2500, 0);
	start_nic();
	come_data(t += 1000, 1, 0); /* another host's */
	h.flows[0].bytes = 2600;    /* the sender is wrong about the size */
	come_data(t += 1000, 0, 2);
	h.flows[0].bytes = 9000;
	come_data(t += 1000, 0, 3);
	come_data(t += 1000, 0, PSN_WINDOW_MAX); /* half the cycle away */
	come_data(t += 1000, 0, PSN_MASK);       /* -1 */
	h.flows[0].bytes = 2500;
	advance(END);
	assert_int_equal(nic_stats(h.nic)->discarded, 5);
	assert_int_equal(nic_stats(h.nic)->rx_frames, 5);
	assert_int_equal(nic_stats(h.nic)->rx_data, 0);
	assert_int_equal(h.n_tx, 0);
	stop_nic();
}

/* 30,000 lying frames to either transport: no byte read beyond a frame, nothing sent that is not in a flow. */
static void receive__fuzz(void **state)
{
	for (u32 round = 0; round < 6; round++) {
		struct rng r = { .state = round };
		u64 t = 0;

		prepare(round % 2 ? "irn" : "roce", 16);
		h.par.recovery.timeouts = round >= 2;
		add_flow(0, 1, 700000, 0);
		add_flow(1, 0, 20000, 0);
		add_flow(0, 2, 50000, PS_PER_US);
		start_nic();
		for (u32 i = 0; i < 5000; i++) {
			come_mutated(&r, t += rng_below(&r, 300000));
			if (i % 50 == 49)
				advance(t);
			if (i % 50 == 49 && h.n_tx > TX / 2)
				h.n_tx = 0;
		}
		advance(t + PS_PER_MS);
		for (u32 i = 0; i < h.n_tx; i++)
			assert_true(h.tx[i].opcode == OP_ACK || h.tx[i].n < (h.tx[i].flow ? 50 : 700));
		assert_true(nic_stats(h.nic)->discarded > 500);
		assert_int_equal(h.head, h.tail);
		stop_nic();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transmit__lone_flow),
		cmocka_unit_test(advance__windows),
		cmocka_unit_test(transmit__cap),
		cmocka_unit_test(transmit__round_robin),
		cmocka_unit_test(start__ties),
		cmocka_unit_test(start__in_order),
		cmocka_unit_test(receive_pfc__stops_and_restarts),
		cmocka_unit_test(receive_pfc__expires),
		cmocka_unit_test(receive_pfc__per_class),
		cmocka_unit_test(transmit__acks_first),
		cmocka_unit_test(transmit__many_acks),
		cmocka_unit_test(receive_data__irn_answers),
		cmocka_unit_test(receive_ack__gbn_nak),
		cmocka_unit_test(timer__fires),
		cmocka_unit_test(timer__roce),
		cmocka_unit_test(timer__roce_nak),
		cmocka_unit_test(timer__restarts),
		cmocka_unit_test(timer__gbn),
		cmocka_unit_test(advance__late),
		cmocka_unit_test(advance__send_fails),
		cmocka_unit_test(receive__check),
		cmocka_unit_test(receive_ack__hostile),
		cmocka_unit_test(receive_ack__impossible_sack),
		cmocka_unit_test(receive_ack__overtaken),
		cmocka_unit_test(receive_data__hostile),
		cmocka_unit_test(receive__fuzz),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
