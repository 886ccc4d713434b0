/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP's estimate of the round trip and its time-out (RFC 6298), for schemes whose time-out follows what they measure.
 * One packet at a time is timed; never one that was resent (Karn's rule, RFC 6298, 3).
 */
#ifndef LOSSLAB_RTT_H
#define LOSSLAB_RTT_H

#include "agent/recovery/recovery.h"

#define RTT_BACKOFF_MAX 6 /* the time-out at most 64 times as long (RFC 6298, 2.5) */

struct rtt {
	u32 timed;    /* the packet whose round trip is being measured, or NO_PACKET */
	u32 backoff;  /* time-outs since the last measurement: so often has the time-out doubled */
	u64 timed_at; /* when it was sent */
	u64 srtt;     /* ps, smoothed; 0 before the first measurement */
	u64 rttvar;   /* ps */
};

static inline void rtt_open(struct rtt *s)
{
	*s = (struct rtt){ .timed = NO_PACKET };
}

/* Packet @n leaves; @is_new: it was never sent before. */
static inline void rtt_sent(struct rtt *s, u32 n, bool is_new, u64 now)
{
	if (n == s->timed) {
		s->timed = NO_PACKET; /* its acknowledgement could be for either */
	} else if (is_new && s->timed == NO_PACKET) {
		s->timed = n;
		s->timed_at = now;
	}
}

/* RFC 6298, 2.2 and 2.3, alpha 1/8 and beta 1/4, granularity far below 4 RTTVAR: the timed packet is acknowledged. */
static inline void rtt_measured(struct rtt *s, u64 now)
{
	u64 rtt = now - s->timed_at, off = s->srtt > rtt ? s->srtt - rtt : rtt - s->srtt;

	if (s->srtt) {
		s->rttvar = (3 * s->rttvar + off) / 4;
		s->srtt = (7 * s->srtt + rtt) / 8;
	} else {
		s->srtt = rtt;
		s->rttvar = rtt / 2;
	}
	s->backoff = 0; /* the computation collapses the time-out again (section 5, at its end) */
	s->timed = NO_PACKET;
}

/* A time-out: the next one is twice as long (5.5), and what is under way says nothing of the round trip. */
static inline void rtt_timeout(struct rtt *s)
{
	s->timed = NO_PACKET;
	if (s->backoff < RTT_BACKOFF_MAX)
		s->backoff++;
}

/* The time-out: @first before any measurement, never less than @least (2.1 to 2.4). */
static inline u64 rtt_rto(const struct rtt *s, u64 first, u64 least)
{
	u64 rto = s->srtt ? s->srtt + 4 * s->rttvar : first;

	return (rto > least ? rto : least) << s->backoff;
}

#endif
