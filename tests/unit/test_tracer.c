// SPDX-License-Identifier: GPL-2.0-or-later
/* From buffers of events to rows: their order, their cells, and buffers that are full or have been scribbled on. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "lab/records/records.h"
#include "lab/run/tracer.h"

#define NS PS_PER_NS

static const char text[] =
	"default 40gbit 2us\nhost h0\nhost h1\nhost h2\nswitch s0\nlink h0 s0\nlink h1 s0\nlink h2 s0\n";

static struct {
	struct run_cfg cfg;
	struct topo *topo;
	struct plan f;
	struct tracer t;
	struct err err;
} w;

/* Flows 0 and 1 come from h1 and h2, both go to h0. */
static int set_up_for(const char *trace)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	char dir[] = "/tmp/losslab-tracer-XXXXXX", word[64];
	int rc;

	memset(&w, 0, sizeof(w));
	cfg_defaults(&w.cfg);
	if (!in || !mkdtemp(dir))
		return -1;
	snprintf(word, sizeof(word), "out=%s", dir);
	rc = topo_parse(in, "one", &w.topo, &w.err) || cfg_set(&w.cfg, "workload=incast", &w.err) ||
		cfg_set(&w.cfg, "psn0=16777215", &w.err) || cfg_set(&w.cfg, trace, &w.err) ||
		cfg_set(&w.cfg, word, &w.err) || cfg_finish(&w.cfg, &w.err);
	fclose(in);
	if (!rc)
		rc = plan_make(&w.f, &w.cfg, w.topo, &w.err);
	if (!rc)
		rc = tracer_start(&w.t, &w.f);
	rmdir(dir); /* the file in it has no name */
	return rc;
}

static void tear_down(void)
{
	tracer_free(&w.t);
	plan_free(&w.f);
	topo_free(w.topo);
}

static struct trace_buffer *at(u32 host)
{
	return w.f.nics[host].trace.buffer;
}

static void put(u32 host, struct trace_event e)
{
	assert_true(at(host)->n < w.f.nics[host].trace.size);
	at(host)->events[at(host)->n++] = e;
}

/* Who has a buffer, and which flows it is for. */
static void chosen(void **state)
{
	static const struct {
		const char *trace;
		u32 hosts; /* a bit each */
		u64 flows; /* a bit each; 0: all */
	} cases[] = {
		{ "trace=", 0, 0 },           { "trace=all", 7, 0 },      { "trace=host:h1", 2, 0 },
		{ "trace=host:h2,h0", 5, 0 }, { "trace=flow:0", 3, 1 },   { "trace=flow:1", 5, 2 },
		{ "trace=flow:0-1", 7, 3 },   { "trace=flow:1,0", 7, 3 },
	};
	static const char *const bad[] = { "trace=flow:2",  "trace=flow:0-2", "trace=flow:1-0",
					   "trace=flow:",   "trace=flow:0,",  "trace=flow:h0",
					   "trace=host:h3", "trace=host:",    "trace=host:s0",
					   "trace=h0",      "trace=flow",     "trace=flow:-1",
					   "trace=flow:0-", "trace=all,all",  "trace=flow:99999999999999999999" };

	for (u32 i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(set_up_for(cases[i].trace), 0);
		assert_int_equal(!w.t.out, !cases[i].hosts);
		assert_int_equal(w.f.trace.flows ? w.f.trace.flows[0] : 0, cases[i].flows);
		for (u32 h = 0; h < 3; h++)
			assert_int_equal(!!at(h), cases[i].hosts >> h & 1);
		tear_down();
	}
	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(set_up_for(bad[i]), -EINVAL);
		assert_memory_equal(w.err.text, "trace: '", 8);
		tear_down();
	}
}

/* By time, then host, then as the host did it; a second window comes behind the first. Cells by hand. */
static void rows(void **state)
{
	static const char want[] =
		"time_ns,host,flow,event,packet,psn,bytes,cum,sack,rate_bps,window,in_flight,rtt_ns,rto_ns\n"
		"1.500,h1,0,send,0,16777215,1000,,,40000000000,7,1,,\n"
		"2.000,h0,0,timer_stop,,,,,,,,,,\n"
		"2.000,h1,0,timer_start,1,0,,,,,,,,100.000\n"
		"2.000,h1,0,timeout,1,0,,,,,,,,\n"
		"9.000,h2,1,ack,2,1,,3,,,7,4,5.001,\n"
		"9.000,h2,1,nack,,,,3,4,,7,4,,\n";
	char is[1024];
	size_t n;

	assert_int_equal(set_up_for("trace=all"), 0);
	put(1,
	    (struct trace_event){ .time = 1500,
				  .kind = TRACE_SEND,
				  .bytes = 1000,
				  .rate = 40000000000ULL,
				  .window = 7,
				  .in_flight = 1 });
	put(1, (struct trace_event){ .time = 2 * NS, .kind = TRACE_TIMER_START, .packet = 1, .rto = 100 * NS });
	put(1, (struct trace_event){ .time = 2 * NS, .kind = TRACE_TIMEOUT, .packet = 1 });
	put(0, (struct trace_event){ .time = 2 * NS, .kind = TRACE_TIMER_STOP });
	assert_int_equal(tracer_take(&w.t, &w.f, 3 * NS, &w.err), 0);
	assert_true(!at(0)->n && !at(1)->n);
	put(2,
	    (struct trace_event){ .time = 9 * NS,
				  .flow = 1,
				  .kind = TRACE_ACK,
				  .packet = 2,
				  .cum = 3,
				  .window = 7,
				  .in_flight = 4,
				  .rtt = 5001 });
	put(2,
	    (struct trace_event){ .time = 9 * NS,
				  .flow = 1,
				  .kind = TRACE_NACK,
				  .packet = TRACE_NONE,
				  .cum = 3,
				  .sack = 4,
				  .window = 7,
				  .in_flight = 4 });
	assert_int_equal(tracer_take(&w.t, &w.f, 10 * NS, &w.err), 0);
	rewind(w.t.out);
	n = fread(is, 1, sizeof(is) - 1, w.t.out);
	is[n] = '\0';
	assert_string_equal(is, want);
	tear_down();
}

/* One thing wrong at a time: an error that names the host, and nothing is read out of bounds. */
static void corrupt(void **state)
{
	for (u32 i = 0; i < 6; i++) {
		assert_int_equal(set_up_for("trace=all"), 0);
		put(1, (struct trace_event){ .time = 5 * NS, .kind = TRACE_SEND });
		put(1,
		    (struct trace_event){ .time = i == 0   ? 4 * NS
						  : i == 1 ? 10 * NS
							   : 6 * NS,
					  .flow = i == 2 ? 2 : 1,
					  .kind = i == 3 ? TRACE_N : TRACE_SEND });
		at(1)->full = i == 4;
		if (i == 5)
			at(1)->n = ~0U;
		assert_int_equal(tracer_take(&w.t, &w.f, 10 * NS, &w.err), i == 4 ? -ENOBUFS : -EFAULT);
		assert_memory_equal(w.err.text, "trace: host h1: ", 16);
		tear_down();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen),
		cmocka_unit_test(rows),
		cmocka_unit_test(corrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
