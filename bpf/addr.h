/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of a lab, each a pure function of a number: what the switches' programs, the NIC and the lab agree on.
 *
 *            interface index              MAC                    IPv4
 *   host h   HOST_IFINDEX_BASE + h        02:00:nn:nn:nn:nn      10.0.0.0/8 + n, where n = h + 1
 *   port g   SWITCH_IFINDEX_BASE + g      06:00:gg:gg:gg:gg      none
 *   ctl0, 1  CTL_IFINDEX, + 1             0a:00:00:00:00:00, 01  none
 *
 * Hosts are numbered as in the topology. Ports of switches are numbered lab-wide: first those of switch 0, in order,
 * then those of switch 1, and so on (topo_port_bases()). Interface indices are set when an interface is created, so one
 * BPF program serves every port without a look-up. All MACs are locally administered, and no prefix is one that
 * Wireshark resolves to a vendor: 02:01 to 02:20 are Microsoft's.
 */
#ifndef LOSSLAB_ADDR_H
#define LOSSLAB_ADDR_H

#include "bpf/wire.h"

#define CTL_IFINDEX 9000
#define SWITCH_IFINDEX_BASE 10000
#define HOST_IFINDEX_BASE 100000

#define HOST_NET 0x0a000000U
#define HOST_NET_PREFIX 8

#define MAC_HOST 0x0200
#define MAC_PORT 0x0600
#define MAC_CTL 0x0a00
#define MAC_LEN 6

static inline u32 host_addr(u32 host)
{
	return HOST_NET + host + 1;
}

/* Can @addr be a host's? */
static inline int addr_is_host(u32 addr)
{
	return addr > HOST_NET && addr <= (HOST_NET | 0xffffff);
}

/* The host that has @addr. */
static inline u32 addr_host(u32 addr)
{
	return addr - HOST_NET - 1;
}

static inline void mac_put(u8 *p, u16 prefix, u32 number)
{
	put16(p, prefix);
	put32(p + 2, number);
}

static inline void mac_put_host(u8 *p, u32 host)
{
	mac_put(p, MAC_HOST, host + 1);
}

/* @port: its lab-wide number. */
static inline void mac_put_port(u8 *p, u32 port)
{
	mac_put(p, MAC_PORT, port);
}

#endif
