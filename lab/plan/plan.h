/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of a run: the topology, the configuration and the flows turned into the structs of bpf/abi.h and the
 * parameters of every host. Engine-independent: both engines start from the same bytes.
 */
#ifndef LOSSLAB_PLAN_H
#define LOSSLAB_PLAN_H

#include "agent/nic/nic.h"
#include "bpf/abi.h"
#include "bpf/hash.h"
#include "lab/config/cfg.h"
#include "lab/plan/fault.h"
#include "lab/workload/workload.h"
#include "topo/topo.h"

#define PLAN_HOPS_MAX 64u /* links of the longest route between two hosts */

/* How many of everything; the sizes of the maps. */
struct plan_sizes {
	u32 switches, hosts, ports, voqs, routes;
	u32 arrivals;     /* entries of all arrival queues together */
	u32 small, large; /* frame slots */
	u32 emissions;    /* departures of one window */
};

/* Where the state of all switches lives: BPF maps or plain memory. Zeroed at first. */
struct plan_memory {
	struct sw *switches;
	struct port *ports;
	struct port_rx *rx;
	struct node_cell *nodes; /* switches, then hosts */
	struct frame *frames;
	struct voq *voqs;
	u64 *routes;
	u64 *arrivals; /* numbers of frames, ports, switches are u64 here: see bpf/maps.bpf.h */
	u64 *free_ring[2];
	u64 *stack[2];
	struct fab_state *state;
	struct emission *emissions; /* kernel engine only, as todo */
	u64 *todo;
};

/* trace=: who is traced. The hosts' buffers lie in memory that child processes share, and are in their parameters. */
struct plan_trace {
	u64 *flows; /* a bit per flow; NULL: of the hosts that have a buffer, all */
	void *memory;
	size_t bytes;
};

struct plan {
	const struct run_cfg *cfg;
	const struct topo *topo;
	struct routes routes;
	struct fab_cfg fab;
	struct plan_sizes size;
	struct port_cfg *ports;  /* [size.ports] */
	u32 *port_base;          /* first port of each switch */
	struct nic_params *nics; /* [hosts] */
	u32 *host_port;          /* the switch port that each host hangs on */
	u64 window;              /* W: the shortest delay of any link */
	u64 max_rtt;             /* longest base round trip of a full packet and its ACK */
	u64 propagation;         /* ... of nothing but propagation */
	u64 stuck_after;         /* virtual time without a new packet that ends a run */
	u32 frame_max;
	struct flow *flow_list;
	u8 classes; /* a bit per class that data or ACKs of some flow use */
	struct flow_table flows;
	u64 *ideal; /* per flow, ps */
	struct faults faults;
	struct plan_trace trace;
};

/*
 * Plan a run. The flows' results and indices lie in memory that child processes share. 0, or -errno and one line in
 * err; plan_free() in any case.
 */
int plan_make(struct plan *f, const struct run_cfg *cfg, const struct topo *topo, struct err *err);
void plan_free(struct plan *f);
/* Write the initial state of a run into @m. @one_pool: all frames come from the small slots (the twin). */
void plan_memory_init(const struct plan *f, struct plan_memory *m, bool one_pool);
/*
 * Make up for the slots that a host's frames have taken at port @number, so that the next window finds a window's worth
 * again. 0, or -1 with state->error. Not while the host is sending.
 */
int plan_refill(const struct plan *f, struct plan_memory *m, u32 number);
/* buffer_mode=shared: bytes of switch @s that its ports have for themselves: reserves and headrooms. */
u64 plan_own_memory(const struct plan *f, u32 s);
/* The ps per byte of the fastest port of switch @s, which is what its crossbar goes by. */
u32 plan_fastest(const struct plan *f, u32 s);
/*
 * arbiter=islip: what a crossbar adds to the round trip of a full packet and its ACK, at most, in ps: both cross, and
 * the ACK may have to wait for the end of a slot.
 */
u64 plan_crossbar_rtt(const struct plan *f);
/*
 * stuck_after=auto: longer than a run that goes on can be without a new packet, in ps: a round trip behind full
 * buffers, pauses, and timers that go off several times in a row. At least 100 ms.
 */
u64 plan_stuck_after(const struct plan *f);
/* The time each flow takes alone on an empty network, in ps (lab/plan/ideal.c). */
u64 plan_ideal(const struct plan *f, const struct flow *flow);
/* The hash seed of switch @s for ECMP: its own, so that tiers do not follow each other's choices. */
static inline u64 plan_switch_seed(const struct plan *f, u32 s)
{
	return mix64(mix64(f->cfg->ecmp_seed ^ 0x65636d70ULL) + s);
}

/* The queues of a switch of @ports ports: bpf/voq.h. */
static inline u32 plan_voqs(u32 ports)
{
	return ports * (ports + 1) * FAB_CLASSES;
}

/* Frame slot @id of a run's memory; NULL if there is none: FAB_NONE, or what a scribbled map says. */
static inline const struct frame *plan_frame(const struct plan *f, const struct plan_memory *m, u64 id)
{
	return id < (u64)f->size.small + f->size.large ? &m->frames[id] : NULL;
}

/* Frame number @at, free-running, of those that have been sent to port @n; NULL as above. */
static inline const struct frame *plan_arrival(const struct plan *f, const struct plan_memory *m, u32 n, u32 at)
{
	return plan_frame(f, m, m->arrivals[f->ports[n].arrq_base + (at & f->ports[n].arrq_mask)]);
}

/*
 * Does some port have less room above XOFF, or in its headroom of a shared buffer, than PFC needs to lose nothing
 * (bpf/pfc.h)? If so, one line that names the port that lacks most, what it has and what it needs, in @line of
 * @n bytes.
 */
bool plan_headroom_short(const struct plan *f, char *line, size_t n);

/*
 * fc=credit: is the buffer of some port too small to keep its link busy until credits come back? If so, one line that
 * names the port that needs most, in @line of @n bytes.
 */
bool plan_credits_short(const struct plan *f, char *line, size_t n);
/*
 * The tier of each switch port's link, to @tier[size.ports]: how many links its nearer end is from the nearest host. 0:
 * links of hosts; 1: of a switch with hosts to another; 2: from there on, and so forth. 0, or -1 without memory.
 */
int plan_tiers(const struct plan *f, u32 *tier);

/* The topology's link at switch port @number. */
u32 plan_port_link(const struct plan *f, u32 number);
/* Name of switch port @number as "s3:p1", into buf; returns buf. */
const char *plan_port_name(const struct plan *f, u32 number, char *buf, size_t n);

#endif
