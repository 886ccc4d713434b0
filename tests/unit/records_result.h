/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small result of a run, made by hand, for the tests of records. */
#include "tests/unit/unit.h"

#include "lab/records/records.h"

static struct err err;
static char text[16384];

/* Three flows: slowdowns 1, 2.5 and none. */
static struct flow_record flows[] = {
	{ .flow = { .id = 0, .src = 0, .dst = 1, .bytes = 1000, .start_ps = 0 },
	  .completed = true,
	  .fct_ps = 4442400,
	  .ideal_ps = 4442400,
	  .packets_sent = 1,
	  .received_bytes = 1000 },
	{ .flow = { .id = 1, .src = 2, .dst = 0, .bytes = 64000, .start_ps = 1500 },
	  .completed = true,
	  .fct_ps = 50000005,
	  .ideal_ps = 20000002,
	  .packets_sent = 70,
	  .retransmitted = 6,
	  .timeouts = 1,
	  .nacks = 2,
	  .cnps = 11,
	  .rnr_naks = 3,
	  .received_bytes = 64000 },
	{ .flow = { .id = 2, .src = 1, .dst = 2, .bytes = 1099511627776, .start_ps = 99000 },
	  .completed = false,
	  .ideal_ps = 123,
	  .packets_sent = 5,
	  .rnr_naks = 9,
	  .error = QP_RNR },
};

static struct port_record ports[] = {
	{ .node = "s0",
	  .port = 0,
	  .peer = "h0",
	  .peer_port = 0,
	  .ps_per_byte = 1,
	  .rx_frames = 100,
	  .rx_bytes = 106200,
	  .tx_frames = 90,
	  .tx_bytes = 5580,
	  .drops = { 7, 1, 0 },
	  .ecn_marks = 3,
	  .pause_tx = 2,
	  .resume_tx = 1,
	  .paused_ps = 1001,
	  .max_queue = 2124,
	  .max_buffer = 240000,
	  .corrupted = 6,
	  .watchdog = 4,
	  .marks = { 1, 0, 2, 0 },
	  .class_pause_tx = { [3] = 2 },
	  .data_drops = { 6, 1 },
	  .class_paused_ps = { [6] = 1001 } },
	{ .node = "h0",
	  .port = 0,
	  .peer = "s0",
	  .peer_port = 0,
	  .ps_per_byte = 1,
	  .rx_frames = 90,
	  .rx_bytes = 5580,
	  .tx_frames = 100,
	  .tx_bytes = 106200,
	  .drops = { 0, 0, 2 },
	  .pause_rx = 2,
	  .resume_rx = 1,
	  .paused_ps = 5000000,
	  .marks = { 0, 4, 0, 5 },
	  .class_pause_rx = { 1, [7] = 2 },
	  .class_paused_ps = { 2000000, [7] = 3000000 } },
};

static struct host_record hosts[] = {
	{ .host = "h0",
	  .rx_frames = 1,
	  .tx_frames = 2,
	  .tx_data = 3,
	  .rx_data = 4,
	  .acks_tx = 5,
	  .naks_tx = 6,
	  .cnps_tx = 7,
	  .cnps_rx = 8,
	  .discarded = 9,
	  .pool_rx_peak_bits = 16,
	  .pool_tx_peak_bits = 24,
	  .pool_rx_bits = 8,
	  .pool_tx_bits = 32,
	  .copied_packets = 10,
	  .copied_bytes = 10300,
	  .drop_middle = 11,
	  .drop_pool = 12,
	  .drop_order = 13,
	  .evictions = 14,
	  .forgotten = 15,
	  .new_bytes = 16,
	  .connections = 17,
	  .connection_bytes_x100 = 1718 },
	{ .host = "h1",
	  .rx_frames = 100,
	  .tx_frames = 200,
	  .tx_data = 300,
	  .rx_data = 400,
	  .acks_tx = 500,
	  .naks_tx = 600,
	  .cnps_tx = 700,
	  .cnps_rx = 800,
	  .discarded = 900,
	  .pool_rx_peak_bits = 8,
	  .pool_tx_peak_bits = 1024,
	  .pool_rx_bits = 80,
	  .pool_tx_bits = 320,
	  .copied_packets = 1000,
	  .copied_bytes = 51501,
	  .drop_middle = 1100,
	  .drop_pool = 1200,
	  .drop_order = 1300,
	  .evictions = 1400,
	  .forgotten = 1500,
	  .new_bytes = 1600,
	  .connections = 1700,
	  .connection_bytes_x100 = 1700 },
};

static struct run_cfg cfg;

/* Its flows.csv. */
static const char flows_golden[] =
	"id,src,dst,bytes,start_ns,fct_ns,ideal_ns,slowdown,packets_sent,retransmitted,timeouts,nacks,cnps,rnr_naks,"
	"received_bytes,error,completed\n"
	"0,0,1,1000,0.000,4442.400,4442.400,1.000000,1,0,0,0,0,0,1000,,1\n"
	"1,2,0,64000,1.500,50000.005,20000.002,2.500000,70,6,1,2,11,3,64000,,1\n"
	"2,1,2,1099511627776,99.000,,0.123,,5,0,0,0,0,9,0,rnr,0\n";

static inline struct run_result result_with(const char *word)
{
	cfg_defaults(&cfg);
	assert_int_equal(cfg_set(&cfg, "engine=twin", &err), 0);
	assert_int_equal(cfg_set(&cfg, word, &err), 0);
	assert_int_equal(cfg_finish(&cfg, &err), 0);
	return (struct run_result){ .cfg = &cfg,
				    .flows = flows,
				    .n_flows = 3,
				    .ports = ports,
				    .n_ports = 2,
				    .hosts = hosts,
				    .n_hosts = 2,
				    .sent = 190,
				    .delivered = 178,
				    .dropped = 10,
				    .queued = 2,
				    .sent_data = 100,
				    .dropped_data = 7,
				    .hops_data = 200,
				    .hops_ack = 180,
				    .windows = 42,
				    .virtual_ps = 51501500,
				    .foreign = 4,
				    .wall_us = 1234567,
				    .cpu_us = 95,
				    .peak_kb = 2048,
				    .status = "stuck",
				    .computed = { { "cap", "110" }, { "rto_low", "100us" } },
				    .n_computed = 2 };
}

static inline struct run_result result(void)
{
	return result_with("seed=1");
}

static inline struct run_totals totals(const struct run_result *r)
{
	struct run_totals t;

	assert_int_equal(records_totals(r, &t), 0);
	return t;
}

/* What a function prints, as a string in text[]. */
#define PRINTED(call)                                                                                                  \
	({                                                                                                             \
		FILE *out = fmemopen(text, sizeof(text), "w");                                                         \
		call;                                                                                                  \
		fclose(out);                                                                                           \
		text;                                                                                                  \
	})
