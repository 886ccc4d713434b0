// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host's side of its link: a veth takes redirected frames only if an XDP program is attached. The TC program
 * counts the lab's frames after every packet socket has its copy, and keeps them from the host's IP stack, which would
 * reply with ICMP.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include "bpf/addr.h"
#include "bpf/wire.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} host_rx SEC(".maps");

SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("tc")
int count(struct __sk_buff *skb)
{
	u32 host = skb->ifindex - HOST_IFINDEX_BASE;
	u64 *n = bpf_map_lookup_elem(&host_rx, &host);
	u8 stamp[STAMP_LEN];

	if (!n || skb->len < ETH_MIN + STAMP_LEN || bpf_skb_load_bytes(skb, skb->len - STAMP_LEN, stamp, STAMP_LEN) ||
	    !stamp_valid(stamp, skb->len))
		return TC_ACT_OK;
	__sync_fetch_and_add(n, 1);
	return TC_ACT_SHOT;
}

char LICENSE[] SEC("license") = "GPL";
