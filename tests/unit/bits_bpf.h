/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf/bits.h and bpf/route.h a second time, as clang sees them when it builds for BPF: bpf_popcount64() and so on. */
#ifndef LOSSLAB_TESTS_BITS_BPF_H
#define LOSSLAB_TESTS_BITS_BPF_H

#include "bpf/route.h"

#undef LOSSLAB_BITS_H
#undef LOSSLAB_ROUTE_H
#define __bpf__ 1
#define popcount64 bpf_popcount64
#define ctz64 bpf_ctz64
#define select64 bpf_select64
#define route_flow_key bpf_route_flow_key
#define route_pick bpf_route_pick
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "bpf/route.h"
#pragma GCC diagnostic pop
#undef __bpf__
#undef popcount64
#undef ctz64
#undef select64
#undef route_flow_key
#undef route_pick

#endif
