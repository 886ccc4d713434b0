/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run leaves: flows.csv, ports.csv, hosts.csv, summary.json, the digest and the table on the terminal. */
#ifndef LOSSLAB_RECORDS_H
#define LOSSLAB_RECORDS_H

#include <stdio.h>

#include "agent/nic/trace.h"
#include "bpf/abi.h"
#include "lab/config/cfg.h"
#include "lab/records/columns.h"
#include "lab/records/stats.h"
#include "lab/outdir.h"
#include "lab/workload/workload.h"
#include "topo/topo.h"

/* The counters of the records: their rows are in flows.def, ports.def and hosts.def. */
#define MEMBER(...)
#define VALUE(...)
#define COUNTER(field, ...) u64 field;
#define ARRAY(field, name, n, ...) u64 field[n];

/* One row of flows.csv; in the order of flow ids. Times in ps. */
struct flow_record {
	struct flow flow;
	bool completed;
	u64 fct_ps;   /* from the flow's start to the arrival of its last missing byte; 0 if not completed */
	u64 ideal_ps; /* the same on an empty network */
	enum qp_error error;
#include "lab/records/flows.def"
};

/*
 * One row of ports.csv; switch ports in order, then host ports. Frames without PFC and credit frames, bytes of the
 * frame without stamp and FCS.
 */
struct port_record {
	const char *node; /* name of the node the port belongs to */
	u32 port;
	const char *peer;
	u32 peer_port;
	u32 ps_per_byte, tier; /* of its link; tier: lab/plan/plan.h. In no column */
#include "lab/records/ports.def"
};

/* One row of hosts.csv, in the order of hosts. What a transport does not have is 0. */
struct host_record {
	const char *host; /* its name */
#include "lab/records/hosts.def"
};

/* One row of trace.csv. */
struct trace_record {
	u64 time_ps;
	const char *host; /* its name */
	u32 psn;
	struct trace_event e;
};

#undef MEMBER
#undef VALUE
#undef COUNTER
#undef ARRAY

/* An input file of the run, @n bytes, to be kept with its records; NULL: the run had none. */
struct record_input {
	char *text;
	size_t n;
};

/* They become DIR/topology, DIR/faults and DIR/workload. config.txt refers to these copies, so DIR can be moved. */
struct record_inputs {
	struct record_input topology; /* of a file or of an existing lab; none for a generator */
	struct record_input faults;   /* fault_file=FILE */
	struct record_input workload; /* workload=file:PATH or cdf:PATH */
};

#define COMPUTED_MAX (CFG_ALG_MAX + 8)

/* A number that a run went by, under the name of its key and in the form of config.txt. */
struct computed {
	const char *name;
	char value[48];
};

struct run_result {
	const struct run_cfg *cfg;
	const char *label;                  /* of a scenario's variant; NULL for a single run */
	const char *topology;               /* its name in the summary; NULL: as configured */
	const struct record_inputs *inputs; /* NULL: none */
	struct flow_record *flows;
	u32 n_flows;
	struct port_record *ports;
	u32 n_ports;
	struct host_record *hosts;
	u32 n_hosts;
	u64 sent, delivered, dropped, queued; /* frames, PFC not counted; sent = delivered + dropped + queued */
	u64 sent_data, dropped_data;          /* those that carry data */
	u64 hops_data, hops_ack;              /* frames sent over a link: those that carry data, and all others */
	u64 windows;
	u64 virtual_ps;
	u64 foreign; /* foreign frames seen on the lab's links; not part of the digest */
	u64 wall_us, cpu_us;
	u64 peak_kb;        /* peak resident memory */
	const char *status; /* "done", "arrivals", "stopped", "stuck", "deadlock" */
	FILE *samples;      /* the text of samples.csv; NULL: none were taken */
	FILE *goodput;      /* that of goodput.csv, likewise */
	struct computed computed[COMPUTED_MAX];
	u32 n_computed;
	FILE *trace; /* the text of trace.csv; NULL: nothing was traced */
	/* status deadlock: the cycle of switch ports, as indices of ports[]; each waits for the next one */
	const u32 *deadlock;
	u32 n_deadlock, deadlock_class;
};

struct run_totals {
	char digest[65];
	u32 completed;
	u64 avg_slowdown_milli; /* average slowdown x 1000, rounded */
	u64 avg_fct_ps;
	struct flow_stats stats;
	u32 qp_errors; /* flows with an error */
	/* of the columns that add up: sums, of maxima the largest */
	struct flow_record flows;
	struct port_record ports;
	struct host_record hosts;
	u64 drop_ppm, drop_other_ppm; /* dropped / sent: of data frames, and of all others */
	u64 packet_hops;
};

/* Sum up a run: averages over completed flows, integers only. 0 or -ENOMEM. */
int records_totals(const struct run_result *r, struct run_totals *t);
/*
 * Write config.txt, topology, faults, workload, flows.csv, ports.csv, hosts.csv, samples.csv, trace.csv and
 * summary.json to
 * @dir, and remove those of them that this run does not have. An earlier run's files stay until all of these are
 * written; then its summary.json is removed first. -errno and err filled in.
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
 * Check conservation: sent = delivered + dropped + queued, and the ports' drops add up to dropped. 0, or -EINVAL and
 * err filled in.
 */
int records_check(const struct run_result *r, const struct run_totals *t, struct err *err);
/* summary.json's text to @out. */
int records_json(const struct run_result *r, const struct run_totals *t, FILE *out);
/* A short summary of one run for people, in lines of at most 80 columns. */
void records_print(const struct run_result *r, const struct run_totals *t, FILE *out);
/*
 * The table that compares @n runs, a row each, and lines on those that hang or have queue pairs in error. At most 80
 * columns: a label of more than 24 bytes is cut to 21 and "...", and wide numbers leave fewer digits to the digest (6
 * to 12).
 */
void records_table(const struct run_result *const *runs, const struct run_totals *totals, const char *const *labels,
		   u32 n, FILE *out);
/* Which cycle of ports a run with status deadlock ended in. */
void records_deadlock(const struct run_result *r, FILE *out);
/*
 * The other runs' average slowdown divided by the first's, a line each: over the flows that completed in all of them,
 * and if some did not, also with each unfinished flow counted from its start to the end of its run. Where one of the
 * two says slower and the other faster, the line says "undecided". Runs without completed flows are left out.
 */
void records_reading(const struct run_result *const *runs, const struct run_totals *totals, const char *const *labels,
		     u32 n, FILE *out);
/* flows.csv, ports.csv and hosts.csv as text. */
void records_flows_csv(const struct run_result *r, FILE *out);
void records_ports_csv(const struct run_result *r, FILE *out);
void records_hosts_csv(const struct run_result *r, FILE *out);

#endif
