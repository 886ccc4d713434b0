/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A train of packets through store-and-forward stages in a row, on an empty network: when does the last one arrive? The
 * time this takes does not depend on how many packets there are.
 */
#ifndef LOSSLAB_PIPELINE_H
#define LOSSLAB_PIPELINE_H

#include <stdbool.h>

#include "bpf/types.h"

/* A link is a stage, and so is a crossbar. @speedup in hundredths: ps of a packet are bytes * ps_per_byte * 100 / it.
 */
struct stage {
	u32 ps_per_byte;
	u32 speedup; /* of a crossbar; 0: a link, exactly ps_per_byte */
	u64 delay;   /* of a packet after the stage, ps */
	u64 free;    /* when the stage has finished the packet before, ps */
};

#define PIPELINE_STAGES_MAX 128u

struct pipeline {
	u32 n;
	struct stage stage[PIPELINE_STAGES_MAX];
};

/*
 * Bytes on the wire of a train's packets. All messages but the last are alike: a first packet, middle packets of one
 * length, and a last packet. A message of one packet has only its first.
 */
struct train_message {
	u32 packets; /* >= 1 */
	u32 first, middle, last;
};

struct train {
	u64 full; /* messages like @each */
	struct train_message each;
	struct train_message tail; /* the last message; packets = 0: there is none */
};

/* The arrival of one packet of @wire bytes that is ready at @at behind the last stage. Packets go in order. */
u64 pipeline_packet(struct pipeline *p, u32 wire, u64 at);
/*
 * The arrival of the last packet of @t (at least one) behind the last stage, where all are ready at @at. Exactly what
 * pipeline_packet() gives, packet by packet. It must be below 2^63.
 */
u64 pipeline_train(struct pipeline *p, const struct train *t, u64 at);

#endif
