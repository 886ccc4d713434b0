/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NIC's way to a real interface: an AF_PACKET ring in, sendmmsg out. Frames that leave are complete RoCEv2:
 * payload filled in, ICRC, pad to 60, stamp. Frames that come are checked the same way.
 */
#ifndef LOSSLAB_IO_PACKET_H
#define LOSSLAB_IO_PACKET_H

#include "agent/nic/nic.h"

#define IO_ERR_MAX 160

struct io_packet;

struct io_params {
	u32 ifindex;
	u32 frame_max;        /* bytes of the longest frame, without stamp */
	u32 ring_frames;      /* frames that may wait at once */
	u32 wait_ms;          /* deadline for frames that should be there already (agent/deadline.h) */
	const u32 *far_count; /* frames that the far end has received from us, free-running; shared memory */
};

/* In the current network namespace. NULL with *rc = -errno and one line in err. */
struct io_packet *io_packet_open(const struct io_params *par, int *rc, char *err);
void io_packet_close(struct io_packet *io);

/* The four calls of struct nic_io with this as their ctx. */
void io_packet_bind(struct io_packet *io, struct nic_io *nic_io);

/* From now on, @total stamped frames may be taken since the start: all of them have been counted in. */
void io_packet_expect(struct io_packet *io, u64 total);
/* Write out what has been sent so far. 0 or -errno with io_packet_error(). */
int io_packet_flush(struct io_packet *io);
/* Frames sent since the start; the earliest arrival of those sent since the last call of this function, or TIME_NEVER.
 */
u64 io_packet_sent(const struct io_packet *io);
u64 io_packet_first_arrival(struct io_packet *io);
/* Frames without a stamp that were passed over. */
u64 io_packet_foreign(const struct io_packet *io);
const char *io_packet_error(const struct io_packet *io);

#endif
