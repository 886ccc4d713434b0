/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seeded generator of everything random on the lab's side: a counter that walks by the golden ratio and a
 * 64-bit mixer (the splitmix64 scheme: Steele, Lea, Flood, OOPSLA 2014; mixer "variant 13" of D. Stafford: mix64()).
 * Streams of different (seed, purpose, index) do not affect each other: drawing more from one leaves the rest alone.
 */
#ifndef LOSSLAB_RNG_H
#define LOSSLAB_RNG_H

#include "bpf/hash.h"
#include "bpf/types.h"

/* What a stream is for. Numbers are part of every result: add at the end, never renumber. */
enum rng_purpose {
	RNG_ARRIVAL = 1,     /* gaps between the flows of one host */
	RNG_SIZE = 2,        /* bytes of the flows of one host */
	RNG_DESTINATION = 3, /* destinations of the flows of one host */
	RNG_PERMUTATION = 4, /* who sends to whom in a permutation */
	RNG_CLASS = 5,       /* traffic class of one flow */
	RNG_INCAST = 6,      /* receiver and senders of one incast of several */
};

struct rng {
	u64 state;
};

/* The next 64 uniform bits. */
static inline u64 rng_next(struct rng *r)
{
	r->state += 0x9e3779b97f4a7c15ULL; /* 2^64 / golden ratio, odd: a full period of 2^64 */
	return mix64(r->state);
}

/* Stream @index (a host, say) of @purpose under @seed. One mix per word: near seeds give unrelated streams. */
static inline struct rng rng_stream(u64 seed, enum rng_purpose purpose, u64 index)
{
	u64 z = mix64(seed + 0x9e3779b97f4a7c15ULL);

	z = mix64(z ^ ((u64)purpose * 0xd1b54a32d192ed03ULL)); /* any odd constant keeps the words apart */
	z = mix64(z + (index + 1) * 0x8cb92ba72f3d8dd7ULL);
	return (struct rng){ .state = z };
}

/*
 * A uniform integer in [0, n), n >= 1. The high word of draw * n, with the draws refused that would fall into the
 * 2^64 mod n places too many (Lemire, "Fast random integer generation in an interval", 2019): no bias at all.
 */
static inline u64 rng_below(struct rng *r, u64 n)
{
	u64 excess = (0 - n) % n; /* 2^64 mod n */
	unsigned __int128 wide;

	do
		wide = (unsigned __int128)rng_next(r) * n;
	while ((u64)wide < excess);
	return (u64)(wide >> 64);
}

#endif
