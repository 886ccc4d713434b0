/* SPDX-License-Identifier: GPL-2.0 */
/* What a run leaves: flows.csv, ports.csv, hosts.csv, summary.json, the digest and the table on the terminal. */
#ifndef LOSSLAB_RECORDS_H
#define LOSSLAB_RECORDS_H

#include <stdio.h>

#include "lab/config/cfg.h"
#include "lab/outdir.h"
#include "lab/workload/workload.h"
#include "topo/topo.h"

/* Why a frame died. The names in drop_names[] are the keys of summary.json and columns of ports.csv. */
enum drop_reason { DROP_BUFFER, DROP_LOSS, DROP_NO_ROUTE, DROP_LINK, DROP_FAULT, DROP_WATCHDOG, DROP_REASONS };
extern const char *const drop_names[DROP_REASONS]; /* "buffer", "loss", "no_route", "link", "fault", "watchdog" */

/* Why a frame was marked. Names likewise: "red", "step", "input", "root". */
enum mark_cause { MARK_RED, MARK_STEP, MARK_INPUT, MARK_ROOT, MARK_CAUSES };
extern const char *const mark_names[MARK_CAUSES];

/* Why a queue pair stopped in error, by enum qp_error; "" for QP_OK. */
extern const char *const qp_error_names[QP_ERRORS]; /* "retry", "rnr", "access" */

/* One row of flows.csv; in the order of flow ids. */
struct flow_record {
	struct flow flow;
	bool completed;
	u64 fct_ps;   /* from the flow's start to the arrival of its last missing byte; 0 if not completed */
	u64 ideal_ps; /* the same on an empty network */
	u64 packets_sent, retransmitted, timeouts, nacks;
	u64 cnps, rnr_naks; /* that reached src */
	u64 received_bytes; /* in order, at dst */
	enum qp_error error;
};

/* One row of ports.csv; switch ports in order, then host ports. */
struct port_record {
	const char *node; /* name of the node the port belongs to */
	u32 port;
	const char *peer;
	u32 peer_port;
	u64 rx_frames, rx_bytes, tx_frames, tx_bytes; /* without PFC frames, bytes of frame without stamp and FCS */
	u64 drops[DROP_REASONS];
	u64 ecn_marks;
	u64 pause_tx, pause_rx;   /* PFC frames that ask to stop / any class quanta > 0 */
	u64 resume_tx, resume_rx; /* PFC frames whose quanta are all 0 */
	u64 paused_ps;            /* time this port's transmitter was paused, summed over classes */
	u64 max_queue;            /* largest sum of VOQs bound for this port, bytes */
	u64 max_buffer;           /* largest occupancy of this input port's buffer, bytes */
	u64 corrupted;            /* frames sent with a bit changed by a fault */
	u64 watchdog;             /* times that the PFC watchdog has stopped a class */
	u64 marks[MARK_CAUSES];   /* ecn_marks by cause */
	/* by class; a PFC frame that asks several classes to stop counts for each */
	u64 class_pause_tx[CFG_CLASSES], class_pause_rx[CFG_CLASSES], class_paused_ps[CFG_CLASSES];
};

/* One row of hosts.csv, in the order of hosts. What a transport does not have is 0. */
struct host_record {
	const char *host;                           /* its name */
	u64 rx_frames, tx_frames, tx_data, rx_data; /* frames without PFC frames; those that carry data */
	u64 acks_tx, naks_tx, cnps_tx, cnps_rx;
	u64 discarded; /* received and thrown away: not ours, or broken */
	/* melo: bits in use of the pools for receiving and for sending: the most at any time, and at the end */
	u64 pool_rx_peak_bits, pool_tx_peak_bits;
	u64 pool_rx_bits, pool_tx_bits;
	u64 copied_packets, copied_bytes; /* melo: from the reorder buffer to the application */
	u64 drop_middle, drop_pool;       /* melo: arrivals dropped: neither at front nor end; no free block */
	u64 drop_order;                   /* arrivals dropped for being out of order: go-back-N */
	u64 swaps, forgotten; /* melo: connections put out of the chip; packets whose bits found no room on return */
};

/* A text of @n bytes that the run was given, to be kept with its records; NULL: it was given none. */
struct record_input {
	char *text;
	size_t n;
};

/* DIR holds them as DIR/topology, DIR/faults and DIR/workload, and config.txt names these: so DIR can be moved. */
struct record_inputs {
	struct record_input topology; /* of a file or of a standing lab; a generator's name says all by itself */
	struct record_input faults;   /* fault_file=FILE */
	struct record_input workload; /* workload=file:PATH or cdf:PATH */
};

struct run_result {
	const struct run_cfg *cfg;
	const char *label;                  /* of a scenario's variant; NULL: the run is none */
	const char *topology;               /* what the summary calls it; NULL: as configured */
	const struct record_inputs *inputs; /* NULL: none */
	struct flow_record *flows;
	u32 n_flows;
	struct port_record *ports;
	u32 n_ports;
	struct host_record *hosts;
	u32 n_hosts;
	u64 sent, delivered, dropped, queued; /* frames, PFC not counted; sent = delivered + dropped + queued */
	u64 crossings_data, crossings_ack;    /* link crossings of delivered or forwarded frames */
	u64 windows;
	u64 virtual_ps;
	u64 foreign; /* frames that were not the lab's; not part of the digest */
	u64 wall_us, cpu_us;
	u64 peak_kb;        /* peak resident memory */
	const char *status; /* "done", "arrivals", "stopped", "stuck", "deadlock" */
	FILE *samples;      /* the text of samples.csv; NULL: none were taken */
	/* status deadlock: the cycle of switch ports, as places in ports[]; each waits for the next one */
	const u32 *deadlock;
	u32 n_deadlock, deadlock_class;
};

struct run_totals {
	char digest[65];
	u32 completed;
	u64 avg_slowdown_milli; /* average slowdown x 1000, rounded */
	u64 avg_fct_ps, p99_fct_ps;
	u64 drops[DROP_REASONS], marks[MARK_CAUSES], ecn_marks, pause_frames, resume_frames, retransmitted, timeouts,
		nacks;
	u64 packets_sent, cnps, rnr_naks;
	u32 qp_errors;            /* flows with an error */
	struct host_record hosts; /* sums; of the peaks the largest; no name */
	u64 copy_cpu_ppm;         /* of the host that copies most */
	u64 drop_ppm;             /* dropped / sent */
	u64 packet_hops;
};

/* Sum up a run: averages over completed flows, integers only. */
void records_totals(const struct run_result *r, struct run_totals *t);
/*
 * Write config.txt, topology, faults, workload, flows.csv, ports.csv, hosts.csv, samples.csv and summary.json to @dir,
 * and remove those of them that this run does not have. An earlier run's files stay until all of these are written;
 * then its summary.json is removed first. -errno and err filled in.
 */
int records_write(const struct run_result *r, const struct run_totals *t, struct outdir *dir, struct err *err);
/*
 * Keep the files that @c names, and the topology @t unless it is NULL. Files that are not regular texts of at most
 * TEXT_FILE_MAX bytes are not kept; then a relative path in @c becomes absolute. 0 or -errno; record_inputs_free() in
 * any case.
 */
int record_inputs_keep(struct record_inputs *in, struct run_cfg *c, const struct topo *t);
void record_inputs_free(struct record_inputs *in);
/*
 * Nothing lost silently: sent = delivered + dropped + queued, and the ports' drops add up to dropped. 0, or -EINVAL and
 * err filled in.
 */
int records_check(const struct run_result *r, const struct run_totals *t, struct err *err);
/* summary.json's text to @out. */
int records_json(const struct run_result *r, const struct run_totals *t, FILE *out);
/* A short human summary of one run. */
void records_print(const struct run_result *r, const struct run_totals *t, FILE *out);
/* The table that compares @n runs, a row each. */
void records_table(const struct run_result *const *runs, const struct run_totals *totals, const char *const *labels,
		   u32 n, FILE *out);
/* One sentence that compares the other runs' average slowdown with the first's. */
void records_reading(const struct run_totals *totals, const char *const *labels, u32 n, FILE *out);
/* flows.csv, ports.csv and hosts.csv as text. */
void records_flows_csv(const struct run_result *r, FILE *out);
void records_ports_csv(const struct run_result *r, FILE *out);
void records_hosts_csv(const struct run_result *r, FILE *out);

#endif
