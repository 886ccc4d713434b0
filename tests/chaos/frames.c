// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames that are not the lab's, out of an interface of this network namespace: frames INTERFACE COUNT GAP_US SEED.
 * Of all lengths; noise, ARP, RoCE and PFC frames with noise in them. None has the lab's stamp at its end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LENGTH_MAX 2000
#define STAMP_LEN 16 /* as in bpf/wire.h */

static uint64_t state;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33) % below;
}

static size_t make_frame(unsigned char *b)
{
	static const uint16_t types[] = { 0x0800, 0x0800, 0x0806, 0x8808, 0x88b5, 0x86dd };
	static const unsigned char pfc[] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };
	size_t len = 14 + draw(LENGTH_MAX - 14);
	uint16_t type = draw(8) ? types[draw(sizeof(types) / sizeof(types[0]))] : draw(65536);

	for (size_t i = 0; i < len; i++)
		b[i] = (unsigned char)draw(256);
	b[0] = 0x02;
	if (type == 0x8808 && len >= 60) {
		memcpy(b, pfc, sizeof(pfc));
		memset(b + 14, 0, 46);
		b[14] = b[15] = 0x01; /* opcode of PFC */
		b[17] = 0xff;
		memset(b + 18, 0xff, 16);
	}
	b[12] = (unsigned char)(type >> 8);
	b[13] = (unsigned char)type;
	if (type == 0x0800 && len >= 60) { /* UDP to RoCE's port, between hosts of a lab */
		static const unsigned char ip[] = {
			0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2
		};

		memcpy(b + 14, ip, sizeof(ip));
		b[36] = 4791 >> 8;
		b[37] = 4791 & 0xff;
	}
	if (len >= STAMP_LEN)
		b[len - STAMP_LEN] = 0; /* no stamp begins with this */
	return len;
}

int main(int argc, char **argv)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET };
	unsigned char frame[LENGTH_MAX];
	unsigned long sent = 0, failed = 0;
	int fd;

	if (argc != 5) {
		fprintf(stderr, "frames: usage: frames INTERFACE COUNT GAP_US SEED\n");
		return 2;
	}
	state = strtoull(argv[4], NULL, 10);
	at.sll_ifindex = (int)if_nametoindex(argv[1]);
	fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	if (!at.sll_ifindex || fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at))) {
		fprintf(stderr, "frames: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (unsigned long n = strtoul(argv[2], NULL, 10); n; n--) {
		if (send(fd, frame, make_frame(frame), 0) < 0)
			failed++;
		else
			sent++;
		usleep((useconds_t)strtoul(argv[3], NULL, 10));
	}
	printf("%lu frames sent, %lu refused\n", sent, failed);
	return 0;
}
