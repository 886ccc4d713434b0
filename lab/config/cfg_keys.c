// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of keys: a new key is a row here and a member of run_cfg. Keys of one congestion control or loss recovery
 * are rows of its own table (agent/alg/param.h) and nothing else.
 */
#include "lab/config/cfg_keys.h"

#include <string.h>

#include "agent/cc/cc.h"
#include "agent/nic/nic.h"
#include "agent/packet/packet.h"
#include "agent/recovery/recovery.h"
#include "bpf/buffer.h"
#include "bpf/abi.h"
#include "lab/workload/workload.h"

#define RETRY_MAX (RETRY_INFINITE - 1)
#define BUFFER_MAX (1ULL << 30) /* bytes; far beyond any switch, and every sum of buffers fits a u64 */

static const char *const on_off[] = { [CFG_OFF] = "off", [CFG_ON] = "on", NULL };
static const char *const engines[] = { [ENGINE_KERNEL] = "kernel", [ENGINE_TWIN] = "twin", NULL };
static const char *const ecn_words[] = { "off", "red", "step", "ib", "ib-input", "ib-output", NULL };
static const char *const buffers_words[] = { "static", "shared", NULL };
static const char *const fc_words[] = { "none", "pfc", "credit", NULL };
static const char *const arbiter_words[] = { "rr", "islip", NULL };
static const char *const queues_words[] = { "voq", "fifo", NULL };
static const char *const sched_words[] = { "strict", "wrr", NULL };
static const char *const until_words[] = { [UNTIL_DONE] = "done", [UNTIL_ARRIVALS] = "arrivals", NULL };

static const char *const reth_words[] = { "first", "all", NULL };

static const char *transport_word(u32 i)
{
	const struct recovery_ops *ops = recovery_at(i);

	return ops ? ops->name : NULL;
}

static const char *cc_word(u32 i)
{
	const struct cc_ops *ops = i ? cc_at(i - 1) : NULL;

	return !i ? "none" : ops ? ops->name : NULL;
}

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
	{ .name = "seed",
	  .kind = CFG_NUM,
	  CFG_MEMBER(seed),
	  .max = ~0ULL,
	  .def = "1",
	  .help = "seed of everything random" },
	{ .name = "ecmp_seed",
	  .kind = CFG_NUM,
	  CFG_MEMBER(ecmp_seed),
	  .max = ~0ULL - 1,
	  .special = { "seed", CFG_SEED_SAME },
	  .def = "seed",
	  .advanced = true,
	  .help = "seed of the switches' choice among equal paths" },
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
	  .help = "bytes per input port and class of a switch; buffer_mode=shared: per switch" },
	{ .name = "buffer_mode",
	  .kind = CFG_WORD,
	  CFG_MEMBER(shared),
	  .words = buffers_words,
	  .def = "static",
	  .help = "each port and class has its own buffer, or all ports of a switch share one" },
	{ .name = "alpha",
	  .kind = CFG_FRAC,
	  CFG_MEMBER(alpha),
	  .min = 1,
	  .max = 64 << ALPHA_SHIFT,
	  .def = "1/8",
	  .help = "buffer_mode=shared: share of the free buffer that a port and class may take" },
	{ .name = "reserve",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(reserve),
	  .max = BUFFER_MAX,
	  .def = "4096",
	  .help = "buffer_mode=shared: bytes reserved per port and class" },
	{ .name = "headroom",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(headroom),
	  .min = 1,
	  .max = BUFFER_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .help = "buffer_mode=shared: bytes per port and class for what arrives after a PAUSE; auto = no loss" },
	{ .name = "xoff",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(xoff),
	  .min = 1,
	  .max = BUFFER_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .help = "buffer fill that triggers PAUSE; auto = buffer - headroom" },
	{ .name = "xon",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(xon),
	  .min = 1,
	  .max = BUFFER_MAX,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .help = "buffer fill that ends it; auto = two frames below xoff" },
	{ .name = "fc",
	  .kind = CFG_WORD,
	  CFG_MEMBER(fc),
	  .words = fc_words,
	  .special = { "auto", CFG_FC_AUTO },
	  .def = "auto",
	  .help = "link-level flow control: PFC or InfiniBand credits; auto = pfc for roce, none for others" },
	{ .name = "pfc_classes",
	  .kind = CFG_LIST,
	  CFG_MEMBER(pfc_classes),
	  .min = 1,
	  .max = CFG_ALL_CLASSES,
	  .special = { "all", CFG_ALL_CLASSES },
	  .def = "all",
	  .help = "fc=pfc: classes under PFC; the others are lossy" },
	{ .name = "quanta",
	  .kind = CFG_NUM,
	  CFG_MEMBER(quanta),
	  .min = 1,
	  .max = 65535,
	  .def = "65535",
	  .advanced = true,
	  .help = "duration that a PAUSE requests, in times of 512 bits" },
	{ .name = "ecn",
	  .kind = CFG_WORD,
	  CFG_MEMBER(ecn),
	  .words = ecn_words,
	  .special = { "auto", CFG_ECN_AUTO },
	  .def = "auto",
	  .help = "marking by queue length, or by HP's rule for InfiniBand; auto = red if cc requires marks, else "
		  "off" },
	{ .name = "kmin",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(kmin),
	  .max = BUFFER_MAX,
	  .def = "5000",
	  .help = "shorter queues are never marked; ecn=step: longer ones always" },
	{ .name = "kmax",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(kmax),
	  .max = BUFFER_MAX,
	  .def = "200000",
	  .help = "longer queues are always marked" },
	{ .name = "pmax",
	  .kind = CFG_PROB,
	  CFG_MEMBER(pmax_ppb),
	  .max = 1000000000,
	  .def = "0.01",
	  .help = "probability of a mark at kmax" },
	{ .name = "sched",
	  .kind = CFG_WORD,
	  CFG_MEMBER(wrr),
	  .words = sched_words,
	  .def = "strict",
	  .help = "between classes at an output: highest first, or weighted round-robin" },
	{ .name = "weights",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(weights),
	  .def = "1,1,1,1,1,1,1,1",
	  .help = "sched=wrr: weights of classes 0 to 7, 1..100 each" },
	{ .name = "queues",
	  .kind = CFG_WORD,
	  CFG_MEMBER(fifo),
	  .words = queues_words,
	  .def = "voq",
	  .help = "per input and class: a virtual output queue per output, or one FIFO" },
	{ .name = "arbiter",
	  .kind = CFG_WORD,
	  CFG_MEMBER(islip),
	  .words = arbiter_words,
	  .def = "rr",
	  .help = "per-output round-robin, or a crossbar with iSLIP: one output per input at a time" },
	{ .name = "iterations",
	  .kind = CFG_NUM,
	  CFG_MEMBER(iterations),
	  .min = 1,
	  .max = XBAR_ITERATIONS,
	  .def = "4",
	  .advanced = true,
	  .help = "arbiter=islip: iterations of request, grant and accept per slot" },
	{ .name = "speedup",
	  .kind = CFG_LOAD,
	  CFG_MEMBER(speedup),
	  .min = 100,
	  .max = 1600,
	  .def = "1.00",
	  .help = "arbiter=islip: speed of the crossbar relative to the fastest port of the switch" },
	{ .name = "output_buffer",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(output_buffer),
	  .min = 1,
	  .max = BUFFER_MAX,
	  .def = "16384",
	  .advanced = true,
	  .help = "arbiter=islip: bytes per class behind the crossbar" },
	{ .name = "loss",
	  .kind = CFG_LOSS,
	  CFG_MEMBER(loss_ppb),
	  .max = 1000000000,
	  .def = "0",
	  .help = "random loss of frames on every link; P@SWITCH: only of those that arrive there" },
};
static const struct cfg_group switch_group = { "Switches", switch_keys, CFG_ROWS(switch_keys) };

static const struct cfg_key host_keys[] = {
	{ .name = "preset",
	  .kind = CFG_PRESET,
	  CFG_MEMBER(preset),
	  .def = "",
	  .help = "a scheme by name; other keys override it; losslab run --presets lists them" },
	{ .name = "transport",
	  .kind = CFG_NAME,
	  CFG_MEMBER(transport),
	  .word = transport_word,
	  .def = "roce",
	  .help = "loss recovery; losslab run --list transport explains them" },
	{ .name = "rto_high",
	  .kind = CFG_TIME,
	  CFG_MEMBER(rto_high),
	  .min = PS_PER_NS,
	  .max = 10 * CFG_PS_PER_S,
	  .def = "320us",
	  .help = "retransmission timeout" },
	{ .name = "timeouts",
	  .kind = CFG_WORD,
	  CFG_MEMBER(timeouts),
	  .special = { "auto", CFG_AUTO },
	  .words = on_off,
	  .def = "auto",
	  .help = "auto = on if any flow or ACK uses a class without PFC or credits" },
	{ .name = "retry_cnt",
	  .kind = CFG_NUM,
	  CFG_MEMBER(retry_cnt),
	  .max = RETRY_MAX,
	  .special = { "infinite", RETRY_INFINITE },
	  .def = "infinite",
	  .help = "consecutive timeouts without progress that a queue pair survives" },
	{ .name = "rnr_retry",
	  .kind = CFG_NUM,
	  CFG_MEMBER(rnr_retry),
	  .max = RETRY_MAX,
	  .special = { "infinite", RETRY_INFINITE },
	  .def = "infinite",
	  .advanced = true,
	  .help = "op=send: consecutive RNR NAKs without progress that a queue pair survives" },
	{ .name = "rnr_timer",
	  .kind = CFG_NUM,
	  CFG_MEMBER(rnr_timer),
	  .max = 31,
	  .def = "1",
	  .advanced = true,
	  .help = "op=send: code of the delay that an RNR NAK requests (IBTA); 1 = 10 us" },
	{ .name = "rq",
	  .kind = CFG_NUM,
	  CFG_MEMBER(rq),
	  .min = 1,
	  .max = 65536,
	  .why_less = "no message could ever be received",
	  .special = { "unlimited", 0 },
	  .def = "unlimited",
	  .help = "op=send: receives posted per connection" },
	{ .name = "rq_delay",
	  .kind = CFG_TIME,
	  CFG_MEMBER(rq_delay),
	  .max = CFG_PS_PER_S,
	  .def = "1us",
	  .advanced = true,
	  .help = "op=send: delay from the completion of a message until its receive is posted again" },
	{ .name = "region",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(region),
	  .min = 1,
	  .max = WORKLOAD_BYTES_MAX,
	  .special = { "flow", 0 },
	  .def = "flow",
	  .advanced = true,
	  .help = "op=write|read: bytes of memory that a flow may access; flow = all that it needs" },
	{ .name = "ack_every",
	  .kind = CFG_NUM,
	  CFG_MEMBER(ack_every),
	  .min = 1,
	  .max = 64,
	  .special = { "message", 0 },
	  .def = "1",
	  .help = "packets per ACK; message = one per message" },
	{ .name = "reth",
	  .kind = CFG_WORD,
	  CFG_MEMBER(reth_all),
	  .words = reth_words,
	  .def = "first",
	  .advanced = true,
	  .help = "packets of a message that carry a RETH" },
	{ .name = "class",
	  .kind = CFG_NUM,
	  CFG_MEMBER(data_class),
	  .max = 7,
	  .def = "3",
	  .help = "priority of data packets; a workload file may set it per flow" },
	{ .name = "class_mix",
	  .kind = CFG_LIST,
	  CFG_MEMBER(classes),
	  .min = 1,
	  .max = CFG_ALL_CLASSES,
	  .special = { "none", 0 },
	  .def = "none",
	  .help = "generated flows draw their priority from these, each equally likely; none = class" },
	{ .name = "ack_class",
	  .kind = CFG_NUM,
	  CFG_MEMBER(ack_class),
	  .max = 7,
	  .special = { "class", CFG_CLASS_SAME },
	  .def = "class",
	  .help = "priority of ACKs, NACKs, CNPs and READ requests; class = that of the flow" },
	{ .name = "cnp_class",
	  .kind = CFG_NUM,
	  CFG_MEMBER(cnp_class),
	  .max = 7,
	  .special = { "ack_class", CFG_CLASS_SAME },
	  .def = "ack_class",
	  .advanced = true,
	  .help = "priority of CNPs and CN packets; ack_class = that of ACKs" },
	{ .name = "psn0",
	  .kind = CFG_NUM,
	  CFG_MEMBER(psn0),
	  .max = (1 << 24) - 1,
	  .def = "0",
	  .advanced = true,
	  .help = "first packet sequence number of every queue pair" },
	{ .name = "cc",
	  .kind = CFG_NAME,
	  CFG_MEMBER(cc),
	  .word = cc_word,
	  .def = "none",
	  .help = "congestion control; losslab run --list cc explains them" },
};
static const struct cfg_group host_group = { "Hosts", host_keys, CFG_ROWS(host_keys) };

static const struct cfg_key traffic_keys[] = {
	{ .name = "op",
	  .kind = CFG_WORD,
	  CFG_MEMBER(op),
	  .words = flow_op_names,
	  .def = "write",
	  .help = "operation of the flows; of a READ, the receiver of the data requests it" },
	{ .name = "message",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(message),
	  .min = 1,
	  .max = MESSAGE_MAX,
	  .special = { "flow", 0 },
	  .def = "flow",
	  .help = "flows are cut into messages of this size; flow = one each, of up to 1 GiB" },
	{ .name = "workload",
	  .kind = CFG_WORKLOAD,
	  CFG_MEMBER(workload),
	  .def = "heavy-tailed",
	  .help = "which flows there are" },
	{ .name = "load",
	  .kind = CFG_LOAD,
	  CFG_MEMBER(load_pct),
	  .min = 1,
	  .max = 100,
	  .def = "0.7",
	  .help = "payload sent, as a share of each host's link rate" },
	{ .name = "flows",
	  .kind = CFG_NUM,
	  CFG_MEMBER(flows),
	  .min = 1,
	  .max = WORKLOAD_MAX,
	  .special = { "none", 0 },
	  .def = "none",
	  .help = "number of flows; 2000 if neither flows nor duration is given" },
	{ .name = "duration",
	  .kind = CFG_TIME,
	  CFG_MEMBER(duration),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "none", 0 },
	  .def = "none",
	  .help = "time in which flows start" },
	{ .name = "senders",
	  .kind = CFG_NUM,
	  CFG_MEMBER(senders),
	  .min = 1,
	  .max = 1 << 24,
	  .special = { "all", 0 },
	  .def = "all",
	  .help = "workload=incast: number of hosts that send" },
	{ .name = "bytes",
	  .kind = CFG_SIZE,
	  CFG_MEMBER(bytes),
	  .min = 1,
	  .max = WORKLOAD_BYTES_MAX,
	  .special = { "default", 0 },
	  .def = "default",
	  .help = "workload=incast|permutation: size of each flow; default = 1 MB" },
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
	  .help = "end at this virtual time, even if flows are unfinished" },
	{ .name = "stuck_after",
	  .kind = CFG_TIME,
	  CFG_MEMBER(stuck_after),
	  .min = PS_PER_US,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .help = "virtual time without a new packet that ends a run; auto = 100ms, or more where paths, buffers or "
		  "timers take longer" },
};
static const struct cfg_group traffic_group = { "Traffic", traffic_keys, CFG_ROWS(traffic_keys) };

static const struct cfg_key fault_keys[] = {
	{ .name = "fault",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(fault),
	  .def = "",
	  .help = "TIME[-TIME]:WHAT:WHERE, with ';' between: down, up, flap=D/U, drop=P, corrupt=P, pause=CLASS" },
	{ .name = "fault_file",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(fault_file),
	  .def = "",
	  .help = "a file of faults, one per line" },
	{ .name = "route_delay",
	  .kind = CFG_TIME,
	  CFG_MEMBER(route_delay),
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "never", TIME_NEVER },
	  .def = "1ms",
	  .help = "routes follow links that go down or come up after this time" },
	{ .name = "pfc_watchdog",
	  .kind = CFG_TIME,
	  CFG_MEMBER(pfc_watchdog),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "off", 0 },
	  .def = "off",
	  .help = "a port paused for this long with frames waiting drops them and ignores PAUSE (SONiC: 200ms)" },
	{ .name = "pfc_restore",
	  .kind = CFG_TIME,
	  CFG_MEMBER(pfc_restore),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "auto", 0 },
	  .def = "auto",
	  .advanced = true,
	  .help = "the watchdog ends this long after the last PAUSE has expired; auto = twice pfc_watchdog" },
};
static const struct cfg_group fault_group = { "Faults", fault_keys, CFG_ROWS(fault_keys) };

static const struct cfg_key output_keys[] = {
	{ .name = "tap",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(tap),
	  .def = "",
	  .help = "switch ports whose arrivals tcpdump sees: SWITCH or SWITCH:pN, with commas between; or all" },
	{ .name = "sample",
	  .kind = CFG_TIME,
	  CFG_MEMBER(sample),
	  .min = PS_PER_NS,
	  .max = 1000 * CFG_PS_PER_S,
	  .special = { "off", 0 },
	  .def = "off",
	  .help = "sampling interval for samples.csv, which needs out=" },
	{ .name = "out",
	  .kind = CFG_TEXT,
	  CFG_MEMBER(out),
	  .def = "",
	  .help = "directory for the records; empty = none" },
};
static const struct cfg_group output_group = { "Output", output_keys, CFG_ROWS(output_keys) };

const struct cfg_group *cfg_group(u32 i)
{
	switch (i) {
	case 0:
		return &run_group;
	case 1:
		return &switch_group;
	case 2:
		return &host_group;
	case 3:
	case 4:
		return cfg_alg_group(i - 3);
	case 5:
		return &traffic_group;
	case 6:
		return &fault_group;
	case 7:
		return &output_group;
	default:
		return NULL;
	}
}

const struct cfg_key *cfg_key(u32 i)
{
	const struct cfg_group *group;

	for (u32 g = 0; (group = cfg_group(g)); g++) {
		if (i < group->n)
			return &group->keys[i];
		i -= group->n;
	}
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
