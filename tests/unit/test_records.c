// SPDX-License-Identifier: GPL-2.0-or-later
/* Records: the bytes of every file for a small result made by hand, and its sums. */
#include "tests/unit/records_result.h"

#include <errno.h>
#include <stdlib.h>

#include <jansson.h>

/* Of flows_golden, by another program: printf ... | sha256sum */
static const char flows_sha256[] = "1e0cff47ac413f93e087ab070109e6a329e38139b5013a86411d8d71743bcc9e";

static void flows_csv__golden(void **state)
{
	struct run_result r = result();

	assert_string_equal(PRINTED(records_flows_csv(&r, out)), flows_golden);
}

/* A last column says the class, but only where flows differ in it. */
static void flows_csv__classes(void **state)
{
	struct flow_record f[3] = { { .flow = { .class = 5 } }, { .flow = { .id = 1, .class = 5 } } };
	struct run_result r = { .flows = f, .n_flows = 2 };

	assert_null(strstr(PRINTED(records_flows_csv(&r, out)), "class"));
	f[2].flow.class = 3;
	r.n_flows = 3;
	PRINTED(records_flows_csv(&r, out));
	assert_non_null(strstr(text, ",completed,class\n0,"));
	assert_non_null(strstr(text, ",0,5\n1,0,0,0,"));
	assert_memory_equal(text + strlen(text) - 5, ",0,3\n", 5);
}

static void flows_csv__rounding(void **state)
{
	static const struct {
		u64 fct, ideal;
		const char *slowdown;
	} cases[] = {
		{ 2000001, 2000000, ",1.000001," }, /* 1.0000005: half goes up */
		{ 2000001, 2000001, ",1.000000," },
		{ 10000004, 10000000, ",1.000000," },
		{ 2, 3, ",0.666667," },
	};
	struct flow_record f = { .completed = true };
	struct run_result r = { .flows = &f, .n_flows = 1 };

	for (u32 i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f.fct_ps = cases[i].fct;
		f.ideal_ps = cases[i].ideal;
		PRINTED(records_flows_csv(&r, out));
		if (!strstr(text, cases[i].slowdown))
			fail_msg("%s lacks %s", text, cases[i].slowdown);
	}
}

static void ports_csv__golden(void **state)
{
	struct run_result r = result();

	assert_string_equal(
		PRINTED(records_ports_csv(&r, out)),
		"node,port,peer,peer_port,rx_frames,rx_bytes,tx_frames,tx_bytes,drop_buffer,drop_loss,drop_no_route,"
		"drop_link,drop_fault,drop_watchdog,ecn_marks,pause_tx,pause_rx,resume_tx,resume_rx,paused_ns,max_"
		"queue_bytes,max_"
		"buffer_bytes,"
		"corrupted,watchdog,mark_red,mark_step,mark_input,mark_root,"
		"pause_tx_0,pause_tx_1,pause_tx_2,pause_tx_3,pause_tx_4,pause_tx_5,pause_tx_6,pause_tx_7,"
		"pause_rx_0,pause_rx_1,pause_rx_2,pause_rx_3,pause_rx_4,pause_rx_5,pause_rx_6,pause_rx_7,"
		"paused_ns_0,paused_ns_1,paused_ns_2,paused_ns_3,paused_ns_4,paused_ns_5,paused_ns_6,paused_ns_7,"
		"data_drop_buffer,data_drop_loss,data_drop_no_route,data_drop_link,data_drop_fault,data_drop_watchdog\n"
		"s0,0,h0,0,100,106200,90,5580,7,1,0,0,0,0,3,2,0,1,0,1.001,2124,240000,6,4,1,0,2,0,0,0,0,2,0,0,0,0,0,0,"
		"0,0,0,0,0,0,"
		"0.000,0.000,0.000,0.000,0.000,0.000,1.001,0.000,6,1,0,0,0,0\n"
		"h0,0,s0,0,90,5580,100,106200,0,0,2,0,0,0,0,0,2,0,1,5000.000,0,0,0,0,0,4,0,5,0,0,0,0,0,0,0,0,1,0,0,0,0,"
		"0,0,2,"
		"2000.000,0.000,0.000,0.000,0.000,0.000,0.000,3000.000,0,0,0,0,0,0\n");
}

/* 10300 bytes in 51501500 ps are 0.04 of 40 Gb/s, of which the paper's worst case takes 0.822 of a core. */
static void hosts_csv__golden(void **state)
{
	struct run_result r = result();

	assert_string_equal(
		PRINTED(records_hosts_csv(&r, out)),
		"host,rx_frames,tx_frames,tx_data,rx_data,acks_tx,naks_tx,cnps_tx,cnps_rx,discarded,pool_rx_peak_bits,"
		"pool_tx_peak_bits,pool_rx_bits,pool_tx_bits,copied_packets,copied_bytes,copy_cpu,drop_middle,"
		"drop_pool,drop_order,evictions,forgotten,new_bytes,"
		"connections,bytes_per_connection\n"
		"h0,1,2,3,4,5,6,7,8,9,16,24,8,32,10,10300,0.032879,11,12,13,14,15,16,17,17.18\n"
		"h1,100,200,300,400,500,600,700,800,900,8,1024,80,320,1000,51501,0.164398,1100,1200,1300,1400,1500,"
		"1600,1700,17.00\n");
	r.virtual_ps = 0; /* nothing has happened: no time, no share of it */
	assert_non_null(strstr(PRINTED(records_hosts_csv(&r, out)), ",51501,0.000000,"));
}

/* Every reason has a name, and only good queue pairs have none. */
static void flows_csv__errors(void **state)
{
	static const char *const want[QP_ERRORS] = { ",0,0,,0\n", ",0,0,retry,0\n", ",0,0,rnr,0\n", ",0,0,access,0\n" };
	struct flow_record f = { .packets_sent = 3 };
	struct run_result r = { .flows = &f, .n_flows = 1 };

	for (u32 e = QP_OK; e < QP_ERRORS; e++) {
		f.error = e;
		if (!strstr(PRINTED(records_flows_csv(&r, out)), want[e]))
			fail_msg("%s lacks %s", text, want[e]);
	}
}

static void totals__sums(void **state)
{
	struct run_result r = result();
	struct run_totals t = totals(&r);

	assert_string_equal(t.digest, flows_sha256);
	assert_int_equal(t.completed, 2);
	assert_int_equal(t.avg_slowdown_milli, 1750);
	assert_int_equal(t.avg_fct_ps, 27221203); /* 27221202.5, half up */
	assert_int_equal(t.stats.fct_ps.p99, 50000005);
	assert_true(t.ports.drops[FAB_DROP_BUFFER] == 7 && t.ports.drops[FAB_DROP_LOSS] == 1);
	assert_true(t.ports.marks[FAB_MARK_RED] == 1 && t.ports.marks[FAB_MARK_STEP] == 4);
	assert_true(t.ports.marks[FAB_MARK_INPUT] == 2 && t.ports.marks[FAB_MARK_ROOT] == 5);
	assert_int_equal(t.ports.drops[FAB_DROP_NO_ROUTE], 2);
	assert_true(t.ports.ecn_marks == 3 && t.ports.pause_tx == 2 && t.ports.resume_tx == 1);
	assert_true(t.flows.packets_sent == 76 && t.flows.retransmitted == 6 && t.flows.timeouts == 1);
	assert_true(t.flows.nacks == 2 && t.flows.cnps == 11 && t.flows.rnr_naks == 12 && t.qp_errors == 1);
	assert_int_equal(t.drop_ppm, 70000);       /* 7 of 100 data frames */
	assert_int_equal(t.drop_other_ppm, 33333); /* 3 of 90 others */
	assert_int_equal(t.packet_hops, 380);
}

static void totals__hosts(void **state)
{
	struct run_result r = result();
	struct run_totals t = totals(&r);
	const struct host_record *h = &t.hosts;

	assert_true(h->rx_frames == 101 && h->tx_frames == 202 && h->tx_data == 303 && h->rx_data == 404);
	assert_true(h->acks_tx == 505 && h->naks_tx == 606 && h->cnps_tx == 707 && h->cnps_rx == 808);
	assert_true(h->discarded == 909 && h->pool_rx_peak_bits == 16 && h->pool_tx_peak_bits == 1024);
	assert_true(h->pool_rx_bits == 88 && h->pool_tx_bits == 352);
	assert_true(h->copied_packets == 1010 && h->copied_bytes == 61801);
	assert_true(h->drop_middle == 1111 && h->drop_pool == 1212 && h->drop_order == 1313);
	assert_true(h->evictions == 1414 && h->forgotten == 1515);
	assert_int_equal(h->copy_cpu_ppm, 164398); /* of h1 alone */
}

static void totals__nothing_completed(void **state)
{
	struct run_result r = result();
	struct run_totals t;

	r.n_flows = 0;
	r.sent = r.dropped = r.sent_data = r.dropped_data = 0;
	t = totals(&r);
	assert_true(!t.completed && !t.avg_slowdown_milli && !t.avg_fct_ps && !t.stats.fct_ps.p99 && !t.drop_ppm);
	/* sha256sum of the header alone */
	assert_string_equal(t.digest, "e1f7fb3214c93659450f96f529c6dbd7ed14f4962035fd935232fe2f3329d028");
	assert_non_null(strstr(PRINTED(records_json(&r, &t, out)), "\"avg_slowdown\": null,\n"));
}

/* The digest sees a picosecond, and not what lies outside flows.csv. */
static void digest__sensitivity(void **state)
{
	struct run_result r = result();
	struct run_totals t;

	r.wall_us++;
	r.foreign++;
	r.status = "done";
	t = totals(&r);
	assert_string_equal(t.digest, flows_sha256);
	flows[1].fct_ps++;
	t = totals(&r);
	flows[1].fct_ps--;
	assert_string_not_equal(t.digest, flows_sha256);
}

/* Nearest rank: of up to 99 values the last, of 100..199 the last but one; unfinished flows do not count. */
static void p99__nearest_rank(void **state)
{
	static struct flow_record many[250];
	struct run_result r = { .flows = many };

	for (u32 n = 1; n <= 200; n++) {
		/* 211 is prime and above every n: each value 1000..1000 n once, out of order. Row n did not complete.
		 */
		for (u32 i = 0; i < n; i++)
			many[i] = (struct flow_record){ .completed = true,
							.fct_ps = 1000 * (i * 211 % n + 1),
							.ideal_ps = 1 };
		r.n_flows = n + 1;
		assert_int_equal(totals(&r).stats.fct_ps.p99, 1000 * (n - n / 100));
	}
}

static void check__conservation(void **state)
{
	struct run_result r = result();
	struct run_totals t = totals(&r);

	assert_int_equal(records_check(&r, &t, &err), 0);
	r.queued = 3;
	assert_int_equal(records_check(&r, &t, &err), -EINVAL);
	assert_string_equal(err.text, "frames: 190 sent, but 178 delivered + 10 dropped + 3 queued");
	r.queued = 1;
	r.dropped = 11;
	assert_int_equal(records_check(&r, &t, &err), -EINVAL);
	assert_string_equal(err.text, "drops: 11 in all, but the ports' reasons add up to 10");
	r.queued = 2;
	r.dropped = 10;
	r.dropped_data = 8;
	assert_int_equal(records_check(&r, &t, &err), -EINVAL);
	assert_string_equal(err.text, "drops: 8 data frames in all, but the ports' reasons add up to 7 of 10");
}

static void json__golden(void **state)
{
	struct run_result r = result();
	struct run_totals t = totals(&r);
	char want[8192];

	snprintf(want, sizeof(want),
		 "{\n  \"digest\": \"%s\",\n  \"engine\": \"twin\",\n  \"status\": \"stuck\",\n  \"seed\": 1,\n"
		 "  \"topology\": \"fat-tree:k=4\",\n  \"preset\": \"\",\n  \"transport\": \"roce\",\n  \"cc\": "
		 "\"none\",\n"
		 "  \"fc\": \"pfc\",\n  \"pfc_classes\": \"all\",\n  \"buffer_mode\": \"static\",\n  "
		 "\"ecn\": \"off\",\n"
		 "  \"sched\": \"strict\",\n  \"queues\": \"voq\",\n  "
		 "\"arbiter\": \"rr\",\n  \"op\": \"write\",\n  \"workload\": \"heavy-tailed\",\n"
		 "  \"load\": 0.7,\n  \"load_of\": \"wire\",\n  "
		 "\"computed\": {\n    \"cap\": 110,\n    \"rto_low\": \"100us\"\n  },\n  \"flows\": 3,\n  "
		 "\"completed\": 2,\n  \"avg_slowdown\": 1.750,\n"
		 "  \"p50_slowdown\": 1.000000,\n  \"p95_slowdown\": 2.500000,\n  \"p99_slowdown\": 2.500000,\n"
		 "  \"p999_slowdown\": 2.500000,\n"
		 "  \"avg_fct_ns\": 27221.203,\n  \"p50_fct_ns\": 4442.400,\n  \"p95_fct_ns\": 50000.005,\n"
		 "  \"p99_fct_ns\": 50000.005,\n  \"p999_fct_ns\": 50000.005,\n"
		 "  \"slowdown_by_size\": [\n"
		 "    {\n      \"from_bytes\": 1000,\n      \"to_bytes\": 1000,\n      \"flows\": 1,\n"
		 "      \"completed\": 1,\n      \"avg_slowdown\": 1.000,\n      \"p50_slowdown\": 1.000000,\n"
		 "      \"p95_slowdown\": 1.000000,\n      \"p99_slowdown\": 1.000000,\n"
		 "      \"p999_slowdown\": 1.000000\n    },\n"
		 "    {\n      \"from_bytes\": 64000,\n      \"to_bytes\": 64000,\n      \"flows\": 1,\n"
		 "      \"completed\": 1,\n      \"avg_slowdown\": 2.500,\n      \"p50_slowdown\": 2.500000,\n"
		 "      \"p95_slowdown\": 2.500000,\n      \"p99_slowdown\": 2.500000,\n"
		 "      \"p999_slowdown\": 2.500000\n    },\n"
		 "    {\n      \"from_bytes\": 1099511627776,\n      \"to_bytes\": 1099511627776,\n"
		 "      \"flows\": 1,\n      \"completed\": 0,\n      \"avg_slowdown\": null,\n"
		 "      \"p50_slowdown\": null,\n      \"p95_slowdown\": null,\n"
		 "      \"p99_slowdown\": null,\n      \"p999_slowdown\": null\n    }\n  ],\n"
		 "  \"fairness\": null,\n  \"requests\": null,\n  \"frames\": {\n    \"sent\": 190,\n"
		 "    \"delivered\": 178,\n    \"dropped\": 10,\n    \"queued\": 2,\n"
		 "    \"sent_data\": 100,\n    \"dropped_data\": 7\n  },\n  \"drop_rate\": 0.070000,\n"
		 "  \"drop_rate_other\": 0.033333,\n  \"drops\": {\n"
		 "    \"buffer\": 7,\n    \"loss\": 1,\n    \"no_route\": 2,\n    \"link\": 0,\n    \"fault\": 0,\n    "
		 "\"watchdog\": 0\n  "
		 "},\n"
		 "  \"ecn_marks\": 3,\n  \"pause_frames\": 2,\n  \"resume_frames\": 1,\n  \"marks\": {\n    \"red\": "
		 "1,\n"
		 "    \"step\": 4,\n    \"input\": 2,\n    \"root\": 5\n  },\n  \"packets_sent\": 76,\n"
		 "  \"retransmitted\": 6,\n  \"timeouts\": 1,\n  \"nacks\": 2,\n  \"cnps\": 11,\n  \"rnr_naks\": 12,\n"
		 /* (5580 + 90 x 24 + 3 x 84) and (106200 + 100 x 24) bytes of 1 ps each, in 99 ns */
		 "  \"utilisation\": {\n    \"over_ns\": 99.000,\n    \"tiers\": [\n      {\n        \"tier\": 0,\n"
		 "        \"ports\": 2,\n        \"mean\": 0.588848,\n        \"busiest\": 1.096970\n      }\n    ]\n  "
		 "},\n"
		 "  \"qp_errors\": 1,\n  \"packet_hops\": 380,\n"
		 "  \"hops_data\": 200,\n  \"hops_ack\": 180,\n  \"windows\": 42,\n"
		 "  \"virtual_ns\": 51501.500,\n  \"foreign_frames\": 4,\n  \"wall_s\": 1.234567,\n  \"cpu_s\": "
		 "0.000095,\n"
		 "  \"peak_rss_kb\": 2048,\n  \"hops_per_cpu_s\": 4000000\n}\n",
		 flows_sha256);
	assert_string_equal(PRINTED(assert_int_equal(records_json(&r, &t, out), 0)), want);
}

/* MELO's part is there with MELO only. */
static void json__melo(void **state)
{
	struct run_result r = result_with("preset=melo");
	struct run_totals t = totals(&r);

	assert_non_null(strstr(PRINTED(assert_int_equal(records_json(&r, &t, out), 0)),
			       "  \"qp_errors\": 1,\n  \"melo\": {\n    \"pool_rx_peak_bits\": 16,\n"
			       "    \"pool_tx_peak_bits\": 1024,\n    \"pool_rx_bits\": 88,\n"
			       "    \"pool_tx_bits\": 352,\n    \"copied_packets\": 1010,\n"
			       "    \"copied_bytes\": 61801,\n    \"copy_cpu_max\": 0.164398,\n"
			       "    \"drop_middle\": 1111,\n    \"drop_pool\": 1212,\n    \"evictions\": 1414,\n"
			       "    \"forgotten\": 1515,\n    \"connections\": 1717,\n"
			       "    \"bytes_per_connection_max\": 17.18\n  },\n  \"packet_hops\": 380,\n"));
	assert_non_null(strstr(text, "  \"preset\": \"melo\",\n  \"transport\": \"melo\",\n"));
}

/* Whatever the paths hold, the text is JSON and gives them back; bytes that are not UTF-8 become '?'. */
static void json__parses(void **state)
{
	struct run_result r = result();
	struct run_totals t = totals(&r);
	json_t *j;

	snprintf(cfg.topology, sizeof(cfg.topology), "a\"b\\c/\xc3\xa9.topo");
	snprintf(cfg.workload, sizeof(cfg.workload), "file:\xff\xfe.csv");
	j = json_loads(PRINTED(records_json(&r, &t, out)), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(j);
	assert_string_equal(json_string_value(json_object_get(j, "topology")), "a\"b\\c/\xc3\xa9.topo");
	assert_string_equal(json_string_value(json_object_get(j, "workload")), "file:?\?.csv");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "frames"), "sent")), 190);
	json_decref(j);
}

static void print__golden(void **state)
{
	struct run_result r = result();
	struct run_totals t = totals(&r);
	char want[2048];

	snprintf(want, sizeof(want),
		 "fat-tree:k=4, roce, cc none, PFC on, heavy-tailed, seed 1, engine twin\n"
		 "  flows        3, 2 completed (stuck)\n"
		 "  slowdown     1.750 average, 50 %% 1.000, 95 %% 2.500, 99 %% 2.500, 99.9 %% 2.500\n"
		 "  completion   0.0272 ms average, 50 %% 0.0044, 95 %% 0.0500, 99 %% 0.0500,\n"
		 "               99.9 %% 0.0500\n"
		 "  load         0.7 of the wire, links of hosts 58.88 %% busy\n"
		 "  packets      76 sent, 6 retransmitted, 1 timeouts, 2 NACKs, 11 CNPs,\n"
		 "               12 RNR NAKs\n"
		 "  errors       1 flow, flow 2 rnr\n"
		 "  frames       190 sent, 178 delivered, 10 dropped, 2 queued\n"
		 "  drops        7.000 %% of data, 3.333 %% of others, buffer 7, loss 1, no_route 2\n"
		 "  fabric       2 PAUSE, 1 resume, 3 ECN marks\n"
		 "  time         0.0515 ms virtual in 42 windows, 1.235 s wall, 0.000 s CPU\n"
		 "  speed        380 hops, 4000000 per CPU second, 2048 KB memory\n"
		 "  ignored      4 foreign frames\n"
		 "  digest       %s\n",
		 flows_sha256);
	assert_string_equal(PRINTED(records_print(&r, &t, out)), want);
}

/* The first few errors by name; no more words than there is news. */
static void print__errors(void **state)
{
	struct flow_record many[9] = { 0 };
	struct run_result r = result();
	struct run_totals t;

	r.flows = many;
	r.n_flows = 9;
	for (u32 i = 0; i < 9; i++)
		many[i].flow.id = i;
	t = totals(&r);
	assert_non_null(strstr(PRINTED(records_print(&r, &t, out)), "0 timeouts, 0 NACKs\n  frames "));
	for (u32 i = 1; i <= 4; i++)
		many[i].error = QP_RETRY;
	many[3].error = QP_ACCESS;
	t = totals(&r);
	assert_non_null(strstr(PRINTED(records_print(&r, &t, out)),
			       "\n  errors       4 flows, flow 1 retry, flow 2 retry, flow 3 access, flow 4 retry\n"));
	many[8].error = QP_RNR;
	t = totals(&r);
	assert_non_null(strstr(PRINTED(records_print(&r, &t, out)), " errors       5 flows, flow 1 retry,"));
	assert_non_null(strstr(text, ", flow 4 retry,\n               ...\n"));
}

static void print__melo(void **state)
{
	struct run_result r = result_with("transport=melo");
	struct run_totals t = totals(&r);

	assert_non_null(strstr(PRINTED(records_print(&r, &t, out)),
			       "\n  melo         pools of 1024 bits, peak 16 receiving, 1024 sending,\n"
			       "               dropped 1212 pool, 1111 middle, 1010 packets copied,\n"
			       "               at most 16.4398 % of a core, 1414 evictions, 1515 forgotten,\n"
			       "               17.18 bytes per connection at most,\n"
			       "               a timeout resends all from the first hole, the paper's text\n"));
}

static void table__golden(void **state)
{
	struct run_result r = result(), none = result();
	const struct run_result *runs[] = { &r, &none };
	static const char *const labels[] = { "RoCE + PFC", "IRN" };
	struct run_totals t[2];

	none.n_flows = 0;
	r.status = none.status = "done";
	t[0] = totals(&r);
	t[1] = totals(&none);
	assert_string_equal(PRINTED(records_table(runs, t, labels, 2, out)),
			    "scheme            slowdown   avg FCT  99 % FCT   drops   PAUSE  digest\n"
			    "                                  ms        ms       %\n"
			    "RoCE + PFC           1.750    0.0272    0.0500   7.000       2  1e0cff47ac41\n"
			    "IRN                      -         -         -   7.000       2  e1f7fb3214c9\n"
			    "RoCE + PFC: 1 of 3 flows stopped in error\n"
			    "The averages are over completed flows only.\n");
}

/* Labels of up to 24 bytes are whole, longer ones cut; wide numbers take digits from the digest, and no row is wider.
 */
static void table__fits(void **state)
{
	struct run_result r = result();
	const struct run_result *runs[] = { &r, &r };
	static const char *const labels[] = { "twenty-four bytes, no mo", "twenty-five bytes, no more than that" };
	struct run_totals t[2];

	r.status = "done";
	t[0] = t[1] = totals(&r);
	t[0].qp_errors = t[1].qp_errors = 0;
	PRINTED(records_table(runs, t, labels, 2, out));
	assert_non_null(strstr(text,
			       "\ntwenty-four bytes, no mo     1.750    0.0272    0.0500   7.000       2  1e0cff47\n"
			       "twenty-five bytes, no..."));
	t[1].ports.pause_tx = 12345678;
	PRINTED(records_table(runs, t, labels, 2, out));
	assert_non_null(strstr(text, "  12345678  1e0cff\n"));
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_true(strchr(line, '\n') - line <= 80);
}

/* Runs that have no end: the lines say why, and a deadlock's where. */
static void table__of_runs_that_hang(void **state)
{
	static const u32 cycle[] = { 0, 1 };
	struct run_result dead = result(), stuck = result();
	const struct run_result *runs[] = { &dead, &stuck };
	static const char *const labels[] = { "dead", "stuck" };
	const char *said;
	struct run_totals t[2];

	dead.status = "deadlock";
	dead.deadlock = cycle;
	dead.n_deadlock = 2;
	dead.deadlock_class = 3;
	stuck.status = "stuck";
	t[0] = totals(&dead);
	t[1] = totals(&stuck);
	t[0].completed = t[0].qp_errors = 0;
	t[1].completed = t[1].qp_errors = 1;
	said = strchr(PRINTED(records_table(runs, t, labels, 2, out)), '\n');
	assert_non_null(strstr(said,
			       "\ndead: deadlock, 3 of 3 flows unfinished\n"
			       "  cycle of class 3, each port waits for the next one:\n"
			       "    s0:p0, h0:p0, s0:p0\n"
			       "stuck: stuck, 1 of 3 flows unfinished\n"
			       "stuck: 1 of 3 flows stopped in error\n"
			       "The averages are over completed flows only.\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_csv__golden),
		cmocka_unit_test(flows_csv__classes),
		cmocka_unit_test(flows_csv__rounding),
		cmocka_unit_test(flows_csv__errors),
		cmocka_unit_test(ports_csv__golden),
		cmocka_unit_test(hosts_csv__golden),
		cmocka_unit_test(totals__sums),
		cmocka_unit_test(totals__hosts),
		cmocka_unit_test(totals__nothing_completed),
		cmocka_unit_test(digest__sensitivity),
		cmocka_unit_test(p99__nearest_rank),
		cmocka_unit_test(check__conservation),
		cmocka_unit_test(json__golden),
		cmocka_unit_test(json__melo),
		cmocka_unit_test(json__parses),
		cmocka_unit_test(print__golden),
		cmocka_unit_test(print__errors),
		cmocka_unit_test(print__melo),
		cmocka_unit_test(table__golden),
		cmocka_unit_test(table__fits),
		cmocka_unit_test(table__of_runs_that_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
