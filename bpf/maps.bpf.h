/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All maps of the switch programs. The loader sets their sizes (lab/engine/bpf_load.c); here they are 1. */
#ifndef LOSSLAB_MAPS_BPF_H
#define LOSSLAB_MAPS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/abi.h"

struct small_slot {
	u8 bytes[SLOT_SMALL];
};

/* Values are multiples of 8 bytes: the kernel rounds them up, and the mapped memory has that layout. */
#define ARRAY(name, value_type)                                                                                        \
	struct {                                                                                                       \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                                      \
		__uint(map_flags, BPF_F_MMAPABLE);                                                                     \
		__uint(max_entries, 1);                                                                                \
		__type(key, u32);                                                                                      \
		__type(value, value_type);                                                                             \
	} name SEC(".maps")

ARRAY(switches, struct sw);
ARRAY(ports, struct port);
ARRAY(port_rx, struct port_rx);
ARRAY(nodes, struct node_cell); /* switches, then hosts */
ARRAY(frames, struct frame);
ARRAY(voqs, struct voq);
ARRAY(routes, u64);     /* [switch][host] */
ARRAY(arrivals, u64);   /* arrival queues: frames in order of arrival */
ARRAY(free_small, u64); /* per port, free slots for its ingress; laid out like arrivals */
ARRAY(free_large, u64);
ARRAY(stack_small, u64); /* the lab's free slots */
ARRAY(stack_large, u64);
ARRAY(emissions, struct emission);
ARRAY(todo, u64); /* switches to advance in this window */
ARRAY(small_slots, struct small_slot);

/* Large slots: value_size is set by the loader from the mtu. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, SLOT_LARGE);
} large_slots SEC(".maps");

/* Output port -> its veth, resolved in the port's namespace when the entry was written. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} devices SEC(".maps");

/* The run's settings, read through fab_cfg(); written by the loader before the programs load. */
const volatile struct fab_cfg settings = {};
struct fab_state state = {};

#endif
