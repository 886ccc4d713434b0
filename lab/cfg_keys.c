// SPDX-License-Identifier: GPL-2.0
/* The table of keys: a new key is a row here, a member of run_cfg, and nothing else. */
#include "lab/cfg_keys.h"
#include "lab/workload.h"

#define F(member) .off = offsetof(struct run_cfg, member), .size = sizeof(((struct run_cfg *)0)->member)
#define GIVEN(member) .given = offsetof(struct run_cfg, member)

#define PS_PER_S (1000 * PS_PER_MS)
#define BUFFER_MAX (1ULL << 30) /* bytes; far beyond any switch, and every sum of buffers fits a u64 */
#define CAP_MAX (1U << 20)      /* packets */

static const char *const engines[] = { [ENGINE_KERNEL] = "kernel", [ENGINE_TWIN] = "twin", NULL };
static const char *const on_off[] = { [CFG_OFF] = "off", [CFG_ON] = "on", NULL };
static const char *const auto_on_off[] = { [CFG_OFF] = "off", [CFG_ON] = "on", [CFG_AUTO] = "auto", NULL };
static const char *const ecn_words[] = { [CFG_ECN_OFF] = "off", [CFG_ECN_RED] = "red", NULL };
static const char *const reth_words[] = { "first", "all", NULL };
static const char *const until_words[] = { [UNTIL_DONE] = "done", [UNTIL_ARRIVALS] = "arrivals", NULL };
static const char *const transports[] = { "roce", "irn", NULL };
static const char *const ccs[] = { "none", NULL };

/* The order is that of cfg_print(). */
const struct cfg_key cfg_keys[] = {
	{ .name = "engine", .kind = CFG_WORD, F(engine), .words = engines, .def = "kernel",
	  .help = "real frames through the kernel, or one process without root; the results are the same" },
	{ .name = "topology", .kind = CFG_TEXT, F(topology), GIVEN(topology_set), .def = "fat-tree:k=4",
	  .help = "a file, or a generator with its parameters" },
	{ .name = "rate", .kind = CFG_RATE, F(rate_ps), .min = 1, .max = ~0U, .special = { "topology", 0 },
	  .def = "topology", .help = "rate of every link" },
	{ .name = "delay", .kind = CFG_TIME, F(delay_ps), .min = 1, .max = PS_PER_S, .special = { "topology", 0 },
	  .def = "topology", .help = "propagation delay of every link" },
	{ .name = "seed", .kind = CFG_NUM, F(seed), .max = ~0ULL, .def = "1", .help = "of everything random" },
	{ .name = "ecmp_seed", .kind = CFG_NUM, F(ecmp_seed), .max = ~0ULL - 1, .special = { "seed", CFG_SEED_SAME },
	  .def = "seed", .help = "of the switches' choice among equal paths" },

	{ .name = "mtu", .kind = CFG_NUM, F(mtu), .min = 64, .max = 2048, .def = "1000",
	  .help = "payload bytes of a packet" },
	{ .name = "buffer", .kind = CFG_SIZE, F(buffer), .min = 1, .max = BUFFER_MAX, .def = "240000",
	  .help = "of each input port and class of a switch" },
	{ .name = "xoff", .kind = CFG_SIZE, F(xoff), GIVEN(xoff_set), .min = 1, .max = BUFFER_MAX,
	  .special = { "auto", 0 }, .def = "auto", .help = "a buffer this full sends PAUSE; auto = buffer - headroom" },
	{ .name = "xon", .kind = CFG_SIZE, F(xon), .min = 1, .max = BUFFER_MAX, .special = { "auto", 0 }, .def = "auto",
	  .help = "a buffer emptied to this resumes; auto = two frames below xoff" },
	{ .name = "pfc", .kind = CFG_WORD, F(pfc), GIVEN(pfc_set), .words = on_off, .special = { "auto", CFG_OFF },
	  .def = "auto", .help = "priority flow control; auto = on for roce, off for irn" },
	{ .name = "quanta", .kind = CFG_NUM, F(quanta), .min = 1, .max = 65535, .def = "65535",
	  .help = "what a PAUSE asks for, in times of 512 bits" },
	{ .name = "ecn", .kind = CFG_WORD, F(ecn), .words = ecn_words, .def = "off", .help = "marking in the switches" },
	{ .name = "kmin", .kind = CFG_SIZE, F(kmin), .max = BUFFER_MAX, .def = "5000",
	  .help = "a queue below this is never marked" },
	{ .name = "kmax", .kind = CFG_SIZE, F(kmax), .max = BUFFER_MAX, .def = "200000",
	  .help = "a queue above this is always marked" },
	{ .name = "pmax", .kind = CFG_PROB, F(pmax_ppb), .max = 1000000000, .def = "0.01",
	  .help = "probability of a mark at kmax" },
	{ .name = "loss", .kind = CFG_LOSS, F(loss_ppb), .max = 1000000000, .def = "0",
	  .help = "random loss of frames on every link; P@SWITCH: only of those that arrive there" },

	{ .name = "transport", .kind = CFG_NAME, F(transport), .words = transports, .def = "roce",
	  .help = "loss recovery: go-back-N, or IRN's" },
	{ .name = "cc", .kind = CFG_NAME, F(cc), .words = ccs, .def = "none", .help = "congestion control" },
	{ .name = "cap", .kind = CFG_NUM, F(cap), .min = 1, .max = CAP_MAX, .special = { "auto", 0 }, .def = "auto",
	  .help = "irn: most packets in flight; auto = fills the longest path" },
	{ .name = "rto_high", .kind = CFG_TIME, F(rto_high), .min = PS_PER_NS, .max = 10 * PS_PER_S, .def = "320us",
	  .help = "retransmission timeout" },
	{ .name = "rto_low", .kind = CFG_TIME, F(rto_low), .min = PS_PER_NS, .max = 10 * PS_PER_S, .def = "100us",
	  .help = "irn: the timeout while few packets are in flight" },
	{ .name = "rto_n", .kind = CFG_NUM, F(rto_n), .max = CAP_MAX, .def = "3", .help = "irn: how many are few" },
	{ .name = "timeouts", .kind = CFG_WORD, F(timeouts), .words = auto_on_off, .def = "auto",
	  .help = "auto = on without PFC, off with it" },
	{ .name = "ack_every", .kind = CFG_NUM, F(ack_every), .min = 1, .max = 64, .def = "1",
	  .help = "roce: packets per ACK" },
	{ .name = "reth", .kind = CFG_WORD, F(reth_all), .words = reth_words, .def = "first",
	  .help = "which packets of a message carry its address" },
	{ .name = "class", .kind = CFG_NUM, F(data_class), .max = 7, .def = "3", .help = "priority of data packets" },
	{ .name = "ack_class", .kind = CFG_NUM, F(ack_class), .max = 7, .special = { "class", CFG_CLASS_SAME },
	  .def = "class", .help = "priority of ACKs and NACKs" },
	{ .name = "psn0", .kind = CFG_NUM, F(psn0), .max = (1 << 24) - 1, .def = "0",
	  .help = "first packet sequence number of every queue pair" },

	{ .name = "workload", .kind = CFG_WORKLOAD, F(workload), .def = "heavy-tailed", .help = "the flows" },
	{ .name = "load", .kind = CFG_LOAD, F(load_pct), .min = 1, .max = 100, .def = "0.7",
	  .help = "payload sent, as a share of each host's link" },
	{ .name = "flows", .kind = CFG_NUM, F(flows), GIVEN(flows_set), .min = 1, .max = WORKLOAD_MAX,
	  .special = { "none", 0 }, .def = "none", .help = "how many flows; 2000 if neither flows nor duration is given" },
	{ .name = "duration", .kind = CFG_TIME, F(duration), .min = PS_PER_NS, .max = 1000 * PS_PER_S,
	  .special = { "none", 0 }, .def = "none", .help = "flows start for this long" },
	{ .name = "senders", .kind = CFG_NUM, F(senders), .min = 1, .max = 1 << 24, .special = { "all", 0 },
	  .def = "all", .help = "incast: how many hosts send" },
	{ .name = "bytes", .kind = CFG_SIZE, F(bytes), .min = 1, .max = WORKLOAD_BYTES_MAX, .special = { "default", 0 },
	  .def = "default", .help = "incast, permutation: size of each flow; default = 1 MB" },
	{ .name = "until", .kind = CFG_WORD, F(until), .words = until_words, .def = "done",
	  .help = "end with the last flow, or when the last flow has started" },
	{ .name = "stuck_after", .kind = CFG_TIME, F(stuck_after), .min = PS_PER_US, .max = 1000 * PS_PER_S,
	  .def = "100ms", .help = "virtual time without progress that ends a run" },
	{ .name = "tap", .kind = CFG_TEXT, F(tap), .def = "",
	  .help = "switch ports where tcpdump sees what arrives: SWITCH or SWITCH:pN, with commas between; or all" },
	{ .name = "out", .kind = CFG_TEXT, F(out), .def = "", .help = "directory for the records; empty = none" },
};

const u32 cfg_n_keys = sizeof(cfg_keys) / sizeof(cfg_keys[0]);
