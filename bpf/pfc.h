/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Priority flow control, IEEE 802.1Qbb: when to pause the sender, what a received PAUSE means, and how much
 * buffer it takes to lose nothing.
 */
#ifndef LOSSLAB_PFC_H
#define LOSSLAB_PFC_H

#include "bpf/abi.h"
#include "bpf/addr.h"
#include "bpf/wire.h"

/* How long @quanta last on a link: a quantum is 512 bit times of that link. */
static inline u64 pfc_quanta_time(u32 quanta, u32 ps_per_byte)
{
	return (u64)quanta * PFC_QUANTUM_BYTES * ps_per_byte;
}

/* Close the account of a pause of @class that ended at or before @now. */
static inline void pause_account(struct pause_state *s, u32 class, u64 now)
{
	u64 end = s->until[class] < now ? s->until[class] : now;

	if (s->since[class] != TIME_NEVER && end > s->since[class])
		s->accounted[class] += end - s->since[class];
	s->since[class] = TIME_NEVER;
}

/*
 * A PFC frame for @class arrived: @quanta > 0 starts the pause or starts it anew, 0 ends it at once.
 * A frame already on the wire is not touched (the caller's busy time stands).
 */
static inline void pause_receive(struct pause_state *s, u32 class, u32 quanta, u32 ps_per_byte, u64 now)
{
	pause_account(s, class, now);
	s->until[class] = now;
	if (quanta) {
		s->until[class] = now + pfc_quanta_time(quanta, ps_per_byte);
		s->since[class] = now;
	}
}

/* The time paused, summed over classes, up to the last account. */
static inline u64 pause_accounted(const struct pause_state *s)
{
	u64 sum = 0;

	for (u32 c = 0; c < FAB_CLASSES; c++)
		sum += s->accounted[c];
	return sum;
}

/* The same up to @now. */
static inline u64 pause_total(const struct pause_state *s, u64 now)
{
	struct pause_state copy = *s;

	for (u32 c = 0; c < FAB_CLASSES; c++)
		pause_account(&copy, c, now);
	return pause_accounted(&copy);
}

/* The time that @class was paused up to @now. */
static inline u64 pause_of_class(const struct pause_state *s, u32 class, u64 now)
{
	struct pause_state copy = *s;

	pause_account(&copy, class, now);
	return copy.accounted[class];
}

static inline void pause_init(struct pause_state *s)
{
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		s->until[c] = 0;
		s->since[c] = TIME_NEVER;
		s->accounted[c] = 0;
	}
}

/* The bytes of a PFC frame from switch port @port: classes to pause for @quanta, classes to resume. */
static inline void pfc_build(u8 *b, u32 port, u8 pause, u8 resume, u16 quanta)
{
	__builtin_memset(b, 0, PFC_LEN);
	put32(b, 0x0180c200); /* 01:80:c2:00:00:01, never forwarded */
	put16(b + 4, 0x0001);
	mac_put_port(b + 6, port);
	put16(b + 12, ETHERTYPE_MACC);
	put16(b + ETH_LEN, PFC_OPCODE);
	b[PFC_VECTOR_OFF + 1] = pause | resume;
	for (u32 c = 0; c < FAB_CLASSES; c++)
		if (pause >> c & 1)
			put16(b + PFC_QUANTA_OFF + 2 * c, quanta);
}

/* The buffer of a class has grown to @occ: must the sender upstream be paused now? */
static inline int pfc_must_pause(u32 occ, u32 xoff)
{
	return occ >= xoff;
}

/* The buffer of a paused class has shrunk to @occ: may the sender go on? */
static inline int pfc_may_resume(u32 occ, u32 xon)
{
	return occ <= xon;
}

/* The bytes that a class needs above XOFF to lose nothing, term by term; gaps is to be taken off. */
struct pfc_headroom {
	u32 deciding; /* what the frame that reaches XOFF adds to the last byte below it */
	u32 back;     /* a frame on the wire back, begun just before, which the PAUSE cannot cut into */
	u32 pause;    /* the PAUSE itself */
	u64 flight;   /* the delay, both ways */
	u32 last;     /* the frame that the sender upstream begins just before the PAUSE takes effect */
	u64 gaps;     /* preambles, FCS and gaps: they take time on the wire, but no buffer */
};

/*
 * The worst case. A link of @ps_per_byte and @delay (ps, above 0), frames of 60 to @max_frame = M bytes, W = M + 24 of
 * them on the wire. At t0 a frame arrives that reaches XOFF: there was one byte less than that, and now there are at
 * most M - 1 more. Arrivals come before departures of the same moment, so the frame on the wire back was begun by
 * t0 - 1 ps. The PAUSE follows it and takes effect upstream at
 *
 *   T = t0 - 1 + (W + 84) * ps_per_byte + delay
 *
 * There the deciding frame ended at t0 - delay, other frames may follow at once, and PFC comes before departures too,
 * so the last one begins by T - 1. Those between these two have
 *
 *   K = floor((T - 1 - (t0 - delay)) / ps_per_byte) = W + 84 + floor((2 * delay - 2) / ps_per_byte)
 *
 * bytes on the wire at most, of which 24 of each frame take no buffer. So the most is had from as few frames as can
 * fill K: floor(K / W) of the longest, and one frame more if it adds something (more than its own 24 bytes are left)
 * and is one (all can be at least 84 long: some of the longest give way). Then comes the last, M.
 * tests/unit/test_headroom.c plays it through: one byte less loses a frame. (802.1Qbb annex O has these terms, rounded
 * up, plus delays of interfaces that this fabric does not have.)
 */
static inline struct pfc_headroom pfc_headroom_terms(u32 ps_per_byte, u64 delay, u32 max_frame)
{
	u64 wire = wire_bytes(max_frame);
	struct pfc_headroom h = {
		.deciding = max_frame - 1,
		.back = wire,
		.pause = wire_bytes(PFC_LEN),
		.flight = (2 * delay - 2) / ps_per_byte,
		.last = max_frame,
	};
	u64 span = h.back + h.pause + h.flight, full = span / wire, rest = span % wire;

	if (rest > ETH_WIRE_EXTRA && (full + 1) * wire_bytes(ETH_MIN) <= span)
		h.gaps = (full + 1) * ETH_WIRE_EXTRA;
	else
		h.gaps = full * ETH_WIRE_EXTRA + rest;
	return h;
}

static inline u64 pfc_headroom(u32 ps_per_byte, u64 delay, u32 max_frame)
{
	struct pfc_headroom h = pfc_headroom_terms(ps_per_byte, delay, max_frame);

	return h.deciding + h.back + h.pause + h.flight + h.last - h.gaps;
}

#endif
