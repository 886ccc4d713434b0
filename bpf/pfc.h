/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Priority flow control, IEEE 802.1Qbb: when to ask for a pause, what a PAUSE received means,
 * and how much buffer it takes to lose nothing.
 */
#ifndef LOSSLAB_PFC_H
#define LOSSLAB_PFC_H

#include "bpf/fabric.h"
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
		s->total += end - s->since[class];
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

/* The time paused up to @now, summed over classes. */
static inline u64 pause_total(const struct pause_state *s, u64 now)
{
	struct pause_state copy = *s;

	for (u32 c = 0; c < FAB_CLASSES; c++)
		pause_account(&copy, c, now);
	return copy.total;
}

static inline void pause_init(struct pause_state *s)
{
	for (u32 c = 0; c < FAB_CLASSES; c++) {
		s->until[c] = 0;
		s->since[c] = TIME_NEVER;
	}
	s->total = 0;
}

/* The bytes of a PFC frame from port @port: classes to pause for @quanta, classes to resume. */
static inline void pfc_build(u8 *b, u32 port, u8 pause, u8 resume, u16 quanta)
{
	__builtin_memset(b, 0, PFC_LEN);
	put32(b, 0x0180c200); /* 01:80:c2:00:00:01, never forwarded */
	put16(b + 4, 0x0001);
	put32(b + 6, 0x02010000); /* 02:01:00:pp:pp:pp, the port */
	put24(b + 9, port + 1);
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

/*
 * Bytes that can still arrive after the decision to pause, plus what the deciding frame may overshoot:
 *   the frame being sent in the reverse direction, which a PAUSE cannot cut into   wire_bytes(max)
 *   the PAUSE itself                                                              wire_bytes(60)
 *   its propagation, and that of the last frame back                              2 delays' worth of bytes
 *   the frame that the sender upstream has just started                           wire_bytes(max)
 *   the frame whose arrival reached XOFF: it may have started one byte below      max - 1
 * Frames that arrive within a time span never hold more bytes than the span has on the wire. (802.1Qbb
 * annex O has the same terms, plus interface delays that this fabric does not have.)
 */
static inline u64 pfc_headroom(u32 ps_per_byte, u64 delay, u32 max_frame)
{
	u64 flight = (2 * delay + ps_per_byte - 1) / ps_per_byte;

	return 2 * (u64)wire_bytes(max_frame) + wire_bytes(PFC_LEN) + flight + max_frame - 1;
}

#endif
