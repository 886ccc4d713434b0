// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AF_PACKET. TPACKET_V2, since V3 hands over blocks by the wall clock. No PACKET_QDISC_BYPASS: it would hide sent
 * frames from tcpdump. The ring is complete up to the expected count before a window starts (TC counts a frame
 * only after this socket has its copy), so the waits here are for a kernel that has lost a frame.
 */
#include "agent/io_packet.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>

#include "agent/deadline.h"
#include "bpf/hash.h"

#define BLOCK_SIZE 65536
#define BATCH 64          /* frames of one sendmmsg() */
#define UNCOUNTED_MAX 128 /* frames on the link that the far end has not counted: its ring holds 256 */
#define PATTERN (1 << 16)

struct io_packet {
	struct io_params par;
	int rx_fd, tx_fd;
	u8 *ring;
	size_t ring_bytes;
	u32 frame_size, per_block, frames, at;
	u64 taken, expected; /* stamped frames */
	u64 foreign;
	u64 sent, first_arrival;
	u8 *pattern; /* payload: PATTERN bytes, repeated to any packet's length */
	u8 *out;     /* BATCH frames */
	u32 out_size, n_out;
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	char err[IO_ERR_MAX];
};

static int fail(struct io_packet *io, int rc, const char *what)
{
	snprintf(io->err, sizeof(io->err), "%s: %s", what, strerror(-rc));
	return rc;
}

/* The payload of a packet: bytes that depend on flow and PSN or sequence number, so that a misplaced one is seen. */
static const u8 *payload_of(const struct io_packet *io, u32 flow, u32 number)
{
	return io->pattern + (mix64((u64)flow << 32 | number) & (PATTERN - 1));
}

static int open_ring(struct io_packet *io)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = io->par.ifindex };
	int version = TPACKET_V2, one = 1;
	struct tpacket_req req;

	io->frame_size = TPACKET_ALIGN(TPACKET_ALIGN(TPACKET2_HDRLEN) + io->par.frame_max + STAMP_LEN + 32);
	io->per_block = BLOCK_SIZE / io->frame_size;
	req.tp_block_size = BLOCK_SIZE;
	req.tp_block_nr = (io->par.ring_frames + io->per_block - 1) / io->per_block;
	req.tp_frame_size = io->frame_size;
	req.tp_frame_nr = io->frames = req.tp_block_nr * io->per_block;
	io->rx_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (io->rx_fd < 0)
		return fail(io, -errno, "packet socket");
	if (setsockopt(io->rx_fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(io->rx_fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) ||
	    setsockopt(io->rx_fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)))
		return fail(io, -errno, "packet ring");
	io->ring_bytes = (size_t)BLOCK_SIZE * req.tp_block_nr;
	io->ring = mmap(NULL, io->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, io->rx_fd, 0);
	if (io->ring == MAP_FAILED) {
		io->ring = NULL;
		return fail(io, -errno, "packet ring");
	}
	return bind(io->rx_fd, (struct sockaddr *)&at, sizeof(at)) ? fail(io, -errno, "packet socket on its interface")
								   : 0;
}

static int open_sender(struct io_packet *io)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_ifindex = io->par.ifindex };
	int bytes = 16 << 20;

	io->tx_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (io->tx_fd < 0)
		return fail(io, -errno, "packet socket");
	if (setsockopt(io->tx_fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		return fail(io, -errno, "send buffer");
	return bind(io->tx_fd, (struct sockaddr *)&at, sizeof(at)) ? fail(io, -errno, "packet socket on its interface")
								   : 0;
}

static int make_buffers(struct io_packet *io)
{
	io->out_size = io->par.frame_max + STAMP_LEN;
	io->out = calloc(BATCH, io->out_size);
	io->pattern = malloc(PATTERN + MTU_MAX);
	if (!io->out || !io->pattern)
		return fail(io, -ENOMEM, "buffers");
	for (u32 i = 0; i < PATTERN; i++)
		io->pattern[i] = mix64(i) >> 56;
	memcpy(io->pattern + PATTERN, io->pattern, MTU_MAX);
	for (u32 i = 0; i < BATCH; i++) {
		io->iov[i].iov_base = io->out + (size_t)i * io->out_size;
		io->msgs[i].msg_hdr.msg_iov = &io->iov[i];
		io->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

struct io_packet *io_packet_open(const struct io_params *par, int *rc, char *err)
{
	struct io_packet *io = calloc(1, sizeof(*io));

	*rc = -ENOMEM;
	if (!io) {
		snprintf(err, IO_ERR_MAX, "out of memory");
		return NULL;
	}
	io->par = *par;
	io->rx_fd = io->tx_fd = -1;
	io->first_arrival = TIME_NEVER;
	*rc = open_ring(io);
	if (!*rc)
		*rc = open_sender(io);
	if (!*rc)
		*rc = make_buffers(io);
	if (!*rc)
		return io;
	snprintf(err, IO_ERR_MAX, "%s", io->err);
	io_packet_close(io);
	return NULL;
}

void io_packet_close(struct io_packet *io)
{
	if (io->ring)
		munmap(io->ring, io->ring_bytes);
	if (io->rx_fd >= 0)
		close(io->rx_fd);
	if (io->tx_fd >= 0)
		close(io->tx_fd);
	free(io->out);
	free(io->pattern);
	free(io);
}

static struct tpacket2_hdr *ring_slot(const struct io_packet *io)
{
	return (struct tpacket2_hdr *)(io->ring + (size_t)(io->at / io->per_block) * BLOCK_SIZE +
				       (size_t)(io->at % io->per_block) * io->frame_size);
}

static void next_slot(struct io_packet *io, struct tpacket2_hdr *h)
{
	__atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	io->at = (io->at + 1) % io->frames;
}

static bool is_filled(const struct tpacket2_hdr *h)
{
	return __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER;
}

/* Wait until the kernel has filled slot @h; false if it does not come. */
static bool await(struct io_packet *io, const struct tpacket2_hdr *h)
{
	struct deadline d = { .limit = io->par.wait_ms };

	while (!is_filled(h)) {
		if (deadline_passed(&d))
			return is_filled(h);
		sched_yield();
	}
	return true;
}

/* The lab's frame in ring slot @h, without its stamp; false if it is foreign: stamp_valid(). */
static bool read_slot(struct tpacket2_hdr *h, struct rx_frame *f)
{
	const u8 *frame = (const u8 *)h + h->tp_mac, *stamp = frame + h->tp_len - STAMP_LEN;

	if (h->tp_snaplen != h->tp_len || h->tp_len < ETH_MIN + STAMP_LEN || !stamp_valid(stamp, h->tp_len))
		return false;
	f->arrival = get64(stamp + 8);
	f->head = frame;
	f->have = f->len = h->tp_len - STAMP_LEN;
	f->cookie = h;
	return true;
}

static bool io_peek(void *ctx, struct rx_frame *f)
{
	struct io_packet *io = ctx;

	while (io->taken < io->expected && !io->err[0]) {
		struct tpacket2_hdr *h = ring_slot(io);

		if (!await(io, h)) {
			snprintf(io->err, sizeof(io->err),
				 "frame %llu of %llu is not in the receive ring: the kernel lost it", io->taken + 1,
				 io->expected);
			return false;
		}
		if (read_slot(h, f))
			return true;
		io->foreign++;
		next_slot(io, h);
	}
	return false;
}

static void io_take(void *ctx, const struct rx_frame *f)
{
	struct io_packet *io = ctx;

	io->taken++;
	next_slot(io, f->cookie);
}

/* The checksums, and the payload that belongs to this flow and number. */
static int io_check(void *ctx, const struct rx_frame *f, const struct rx_packet *p)
{
	struct io_packet *io = ctx;

	if (p->payload > MTU_MAX || !packet_intact(f->head, p))
		return -1;
	return p->payload ? memcmp(f->head + p->payload_off, payload_of(io, p->flow, p->number), p->payload) : 0;
}

/* Frames of ours that the far end has not counted yet; below 0: it has counted more than we have sent. */
static s32 uncounted(const struct io_packet *io)
{
	return (s32)((u32)io->sent - __atomic_load_n(io->par.far_count, __ATOMIC_ACQUIRE));
}

/* Wait until no more than UNCOUNTED_MAX - BATCH frames of ours are on the link. */
static int await_far_end(struct io_packet *io)
{
	struct deadline d = { .limit = io->par.wait_ms };

	while (uncounted(io) > UNCOUNTED_MAX - BATCH) {
		if (deadline_passed(&d) && uncounted(io) > UNCOUNTED_MAX - BATCH)
			return fail(io, -ETIMEDOUT, "frames sent do not reach the switch");
		sched_yield();
	}
	return 0;
}

int io_packet_flush(struct io_packet *io)
{
	u32 done = 0;
	int n, rc;

	while (done < io->n_out) {
		rc = await_far_end(io);
		if (rc)
			return rc;
		n = sendmmsg(io->tx_fd, io->msgs + done, io->n_out - done, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(io, -errno, "send");
		done += n;
		io->sent += n;
	}
	io->n_out = 0;
	return 0;
}

static int io_send(void *ctx, const struct tx_frame *f)
{
	struct io_packet *io = ctx;
	u8 *b = io->iov[io->n_out].iov_base;
	u32 end = f->head_len;

	memcpy(b, f->head, f->head_len);
	if (f->payload)
		memcpy(b + end, payload_of(io, f->flow, f->number), f->payload);
	end += f->payload;
	memset(b + end, 0, f->pad);
	if (get16(b + 12) == ETHERTYPE_IP) /* a PFC frame is complete */
		end = packet_seal(b, end + f->pad, b[IP_OFF + 9] == IP_TCP ? FORMAT_TCP : FORMAT_ROCE);
	memset(b + end, 0, f->len - end);
	stamp_put(b + f->len, f->len, f->arrival);
	io->iov[io->n_out].iov_len = f->len + STAMP_LEN;
	if (f->arrival < io->first_arrival)
		io->first_arrival = f->arrival;
	return ++io->n_out == BATCH ? io_packet_flush(io) : 0;
}

void io_packet_bind(struct io_packet *io, struct nic_io *nic_io)
{
	*nic_io = (struct nic_io){ .ctx = io, .peek = io_peek, .take = io_take, .check = io_check, .send = io_send };
}

void io_packet_expect(struct io_packet *io, u64 total)
{
	io->expected = total;
}

u64 io_packet_sent(const struct io_packet *io)
{
	return io->sent;
}

u64 io_packet_first_arrival(struct io_packet *io)
{
	u64 first = io->first_arrival;

	io->first_arrival = TIME_NEVER;
	return first;
}

u64 io_packet_foreign(const struct io_packet *io)
{
	return io->foreign;
}

const char *io_packet_error(const struct io_packet *io)
{
	return io->err;
}
