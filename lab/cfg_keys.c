// SPDX-License-Identifier: GPL-2.0
/* The table of keys: a new key is a row here or in cfg_keys_host.c, a member of run_cfg, and nothing else. */
#include "lab/cfg_keys.h"

#include <string.h>

#include "agent/packet.h"
#include "lab/workload.h"

#define BUFFER_MAX (1ULL << 30) /* bytes; far beyond any switch, and every sum of buffers fits a u64 */

const char *const cfg_on_off[] = { [CFG_OFF] = "off", [CFG_ON] = "on", NULL };
static const char *const engines[] = { [ENGINE_KERNEL] = "kernel", [ENGINE_TWIN] = "twin", NULL };
static const char *const ecn_words[] = { [CFG_ECN_OFF] = "off", [CFG_ECN_RED] = "red", NULL };
static const char *const until_words[] = { [UNTIL_DONE] = "done", [UNTIL_ARRIVALS] = "arrivals", NULL };

static const struct cfg_key run_keys[] = {
	{ .name = "engine",
	  .kind = CFG_WORD,
	  CFG_MEMBER(engine),
	  .words = engines,
	  .def = "kernel",
	  .help = "real frames through the kernel, or one process without root; the results are the same" },
	{ .name = "topology",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(topology),
	  .def = "fat-tree:k=4",
	  .help = "a file, or a generator with its parameters" },
	{ .name = "rate",
	  .kind = CFG_RATE,
	  CFG_MEMBER(rate_ps),
	  .min = 1,
	  .max = ~0U,
	  .special = { "topology", 0 },
	  .def = "topology",
	  .help = "rate of every link" },
	{ .name = "delay",
	  .kind = CFG_TIME,
	  CFG_MEMBER(delay_ps),
	  .min = 1,
	  .max = CFG_PS_PER_S,
	  .special = { "topology", 0 },
	  .def = "topology",
	  .help = "propagation delay of every link" },
	{ .name = "seed", .kind = CFG_NUM, CFG_MEMBER(seed), .max = ~0ULL, .def = "1", .help = "of everything random" },
	{ .name = "ecmp_seed",
	  .kind = CFG_NUM,
	  CFG_MEMBER(ecmp_seed),
	  .max = ~0ULL - 1,
	  .special = { "seed", CFG_SEED_SAME },
	  .def = "seed",
	  .help = "of the switches' choice among equal paths" },
};
static const struct cfg_group run_group = { "The run", run_keys, CFG_ROWS(run_keys) };

static const struct cfg_key switch_keys[] = {
	{ .name = "mtu",
	  .kind = CFG_NUM,
	  CFG_MEMBER(mtu),
	  .min = 64,
	  .max = 2048,
	  .def = "1000",
	  .help = "payload bytes of a packet" },
	{ .name = "buffer",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(buffer),
	  .min = 1,
	  .max = BUFFER_MAX,
	  .def = "240000",
	  .help = "of each input port and class of a switch" },
	{ .name = "xoff",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(xoff),
	  .min = 1,
	  .max = BUFFER_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .help = "a buffer this full sends PAUSE; auto = buffer - headroom" },
	{ .name = "xon",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(xon),
	  .min = 1,
	  .max = BUFFER_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .help = "a buffer emptied to this resumes; auto = two frames below xoff" },
	{ .name = "pfc",
	  .kind = CFG_WORD,
	  CFG_MEMBER(pfc),
	  .words = cfg_on_off,
	  .special = { "auto", CFG_OFF },
	  .def = "auto",
	  .help = "priority flow control; auto = on for roce, off for others" },
	{ .name = "quanta",
	  .kind = CFG_NUM,
	  CFG_MEMBER(quanta),
	  .min = 1,
	  .max = 65535,
	  .def = "65535",
	  .help = "what a PAUSE asks for, in times of 512 bits" },
	{ .name = "ecn",
	  .kind = CFG_WORD,
	  CFG_MEMBER(ecn),
	  .words = ecn_words,
	  .special = { "auto", CFG_ECN_AUTO },
	  .def = "auto",
	  .help = "marking in the switches; auto = red if congestion control goes by marks, else off" },
	{ .name = "kmin",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(kmin),
	  .max = BUFFER_MAX,
	  .def = "5000",
	  .help = "a queue below this is never marked" },
	{ .name = "kmax",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(kmax),
	  .max = BUFFER_MAX,
	  .def = "200000",
	  .help = "a queue above this is always marked" },
	{ .name = "pmax",
	  .kind = CFG_PROB,
	  CFG_MEMBER(pmax_ppb),
	  .max = 1000000000,
	  .def = "0.01",
	  .help = "probability of a mark at kmax" },
	{ .name = "loss",
	  .kind = CFG_LOSS,
	  CFG_MEMBER(loss_ppb),
	  .max = 1000000000,
	  .def = "0",
	  .help = "random loss of frames on every link; P@SWITCH: only of those that arrive there" },
};
static const struct cfg_group switch_group = { "Switches", switch_keys, CFG_ROWS(switch_keys) };

static const struct cfg_key traffic_keys[] = {
	{ .name = "op",
	  .kind = CFG_WORD,
	  CFG_MEMBER(op),
	  .words = flow_op_names,
	  .def = "write",
	  .help = "how flows travel; of a read, the receiver of the data asks for it" },
	{ .name = "message",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(message),
	  .min = 1,
	  .max = MESSAGE_MAX,
	  .special = { "flow", 0 },
	  .def = "flow",
	  .help = "flows are cut into messages of this; flow = one each, of up to 1 GiB" },
	{ .name = "workload", .kind = CFG_WORKLOAD, CFG_MEMBER(workload), .def = "heavy-tailed", .help = "the flows" },
	{ .name = "load",
	  .kind = CFG_LOAD,
	  CFG_MEMBER(load_pct),
	  .min = 1,
	  .max = 100,
	  .def = "0.7",
	  .help = "payload sent, as a share of each host's link" },
	{ .name = "flows",
	  .kind = CFG_NUM,
	  CFG_MEMBER(flows),
	  .min = 1,
	  .max = WORKLOAD_MAX,
	  .special = { "none", 0 },
	  .def = "none",
	  .help = "how many flows; 2000 if neither flows nor duration is given" },
	{ .name = "duration",
	  .kind = CFG_TIME,
	  CFG_MEMBER(duration),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "none", 0 },
	  .def = "none",
	  .help = "flows start for this long" },
	{ .name = "senders",
	  .kind = CFG_NUM,
	  CFG_MEMBER(senders),
	  .min = 1,
	  .max = 1 << 24,
	  .special = { "all", 0 },
	  .def = "all",
	  .help = "incast: how many hosts send" },
	{ .name = "bytes",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(bytes),
	  .min = 1,
	  .max = WORKLOAD_BYTES_MAX,
	  .special = { "default", 0 },
	  .def = "default",
	  .help = "incast, permutation: size of each flow; default = 1 MB" },
	{ .name = "until",
	  .kind = CFG_WORD,
	  CFG_MEMBER(until),
	  .words = until_words,
	  .def = "done",
	  .help = "end with the last flow, or when the last flow has started" },
	{ .name = "stop_at",
	  .kind = CFG_TIME,
	  CFG_MEMBER(stop_at),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "never", 0 },
	  .def = "never",
	  .help = "end at this virtual time, whatever is still on its way" },
	{ .name = "stuck_after",
	  .kind = CFG_TIME,
	  CFG_MEMBER(stuck_after),
	  .min = PS_PER_US,
	  .max = 1000 * CFG_PS_PER_S,
	  .def = "100ms",
	  .help = "virtual time without progress that ends a run" },
};
static const struct cfg_group traffic_group = { "Traffic", traffic_keys, CFG_ROWS(traffic_keys) };

static const struct cfg_key output_keys[] = {
	{ .name = "tap",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(tap),
	  .def = "",
	  .help = "switch ports where tcpdump sees what arrives: SWITCH or SWITCH:pN, with commas between; or all" },
	{ .name = "sample",
	  .kind = CFG_TIME,
	  CFG_MEMBER(sample),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "off", 0 },
	  .def = "off",
	  .help = "so often a row for every busy switch port in samples.csv, in the directory of out" },
	{ .name = "out",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(out),
	  .def = "",
	  .help = "directory for the records; empty = none" },
};
static const struct cfg_group output_group = { "Output", output_keys, CFG_ROWS(output_keys) };

const struct cfg_group *const cfg_groups[] = {
	&run_group, &switch_group, &cfg_host_group, &cfg_cc_group, &traffic_group, &cfg_fault_group, &output_group,
};
const u32 cfg_n_groups = sizeof(cfg_groups) / sizeof(cfg_groups[0]);

const struct cfg_key *cfg_key(u32 i)
{
	for (u32 g = 0; g < cfg_n_groups; i -= cfg_groups[g++]->n)
		if (i < cfg_groups[g]->n)
			return &cfg_groups[g]->keys[i];
	return NULL;
}

int cfg_key_number(const char *name)
{
	const struct cfg_key *k;

	for (u32 i = 0; (k = cfg_key(i)); i++)
		if (!strcmp(name, k->name))
			return (int)i;
	return -1;
}
