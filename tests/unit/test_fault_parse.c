// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules of faults: the events they stand for, which of two that overlap applies, the hosts' part, and what is refused.
 */
#include "tests/unit/fault_plan.h"

#include <unistd.h>

static void assert_fault(u32 n, u64 at, enum fault_kind kind, u32 port, u32 value)
{
	const struct fault *x = &w.f.faults.list[n];

	assert_true(n < w.f.faults.n);
	assert_int_equal(x->at, at);
	assert_int_equal(x->kind, kind);
	assert_int_equal(x->port, port);
	assert_int_equal(x->value, value);
}

static void none(void **state)
{
	planned("", NULL);
	assert_int_equal(w.f.faults.n, 0);
	assert_int_equal(w.f.nics[0].n_faults, 0);
	drop_plan();
}

static void events__in_order_of_time_then_of_rule(void **state)
{
	planned("30us-40us:down:s0:p1; 5us:drop=0.5:s1; 30us:corrupt=25%:s0:p0", "route_delay=2us");
	assert_int_equal(w.f.faults.n, 7);
	assert_fault(0, 5 * US, FAULT_DROP, 2, 1U << 31);
	assert_fault(1, 5 * US, FAULT_DROP, 3, 1U << 31);
	assert_fault(2, 30 * US, FAULT_DOWN, 1, 0);
	assert_fault(3, 30 * US, FAULT_CORRUPT, 0, 1U << 30);
	assert_fault(4, 32 * US, FAULT_ROUTES, 1, 1);
	assert_fault(5, 40 * US, FAULT_UP, 1, 0);
	assert_fault(6, 42 * US, FAULT_ROUTES, 1, 0);
	assert_false(w.f.faults.endless);
	drop_plan();
}

static void events__shares_and_pauses_end(void **state)
{
	planned("1us-2us:drop=1:s0:p1;1us-3us:pause=3:s0:p0;4us:pause=0:h1", "route_delay=never");
	assert_int_equal(w.f.faults.n, 5);
	assert_fault(0, US, FAULT_DROP, 1, ~0U);
	assert_fault(1, US, FAULT_PAUSE, 0, 3);
	assert_fault(2, 2 * US, FAULT_DROP, 1, 0);
	assert_fault(3, 3 * US, FAULT_RESUME, 0, 3);
	assert_fault(4, 4 * US, FAULT_PAUSE, FAULT_HOST | 1, 0);
	assert_true(w.f.faults.endless);
	drop_plan();
}

/* The rule that starts later replaces the other, whether that one has an end or not. */
static void overlap__the_later_replaces(void **state)
{
	planned("10us-30us:down:h1; 20us-70us:down:s1:p0", "route_delay=5us"); /* one link, by either name */
	assert_int_equal(w.f.faults.n, 6);
	assert_fault(0, 10 * US, FAULT_DOWN, 2, 0);
	assert_fault(1, 15 * US, FAULT_ROUTES, 2, 1);
	assert_fault(2, 20 * US, FAULT_DOWN, 2, 0);
	assert_fault(3, 25 * US, FAULT_ROUTES, 2, 1);
	assert_fault(4, 70 * US, FAULT_UP, 2, 0);
	assert_fault(5, 75 * US, FAULT_ROUTES, 2, 0);
	drop_plan();
	planned("20us-30us:down:s0:p1; 10us-90us:flap=4us/4us:s1:p1",
		"route_delay=never"); /* starts later, stated first */
	assert_int_equal(w.f.faults.n, 5);
	assert_fault(2, 18 * US, FAULT_DOWN, 3, 0);
	assert_fault(3, 20 * US, FAULT_DOWN, 1, 0);
	assert_fault(4, 30 * US, FAULT_UP, 1, 0);
	drop_plan();
	planned("1us-5us:drop=1:s0; 3us-7us:drop=0.5:s0:p1; 3us-9us:corrupt=1:s0:p1", NULL);
	assert_int_equal(w.f.faults.n, 7);
	assert_fault(2, 3 * US, FAULT_DROP, 1, 1U << 31);
	assert_fault(4, 5 * US, FAULT_DROP, 0, 0); /* the switch's other port */
	assert_fault(5, 7 * US, FAULT_DROP, 1, 0);
	assert_fault(6, 9 * US, FAULT_CORRUPT, 1, 0);
	drop_plan();
	planned("10us-20us:down:h0; 20us-30us:down:h0",
		"route_delay=never"); /* one after the other: nothing overlaps */
	assert_int_equal(w.f.faults.n, 4);
	drop_plan();
}

/* A later storm replaces one without an end. Another class, or a port instead of its host, is another subject. */
static void overlap__storms(void **state)
{
	planned("1us:pause=3:h1; 2us-3us:pause=3:h1", NULL);
	assert_int_equal(w.f.faults.n, 3);
	assert_false(w.f.faults.endless);
	drop_plan();
	planned("1us-4us:pause=3:h1; 2us-3us:pause=4:h1; 3us:pause=3:s1:p0", NULL);
	assert_int_equal(w.f.faults.n, 5);
	assert_true(w.f.faults.endless);
	drop_plan();
}

static void flap__ends_up(void **state)
{
	planned("10us-20us:flap=3us/2us:s1:p1", "route_delay=never");
	assert_int_equal(w.f.faults.n, 4);
	assert_fault(0, 10 * US, FAULT_DOWN, 3, 0);
	assert_fault(1, 13 * US, FAULT_UP, 3, 0);
	assert_fault(2, 15 * US, FAULT_DOWN, 3, 0);
	assert_fault(3, 18 * US, FAULT_UP, 3, 0);
	drop_plan();
	planned("10us-17us:flap=3us/2us:s1:p1", "route_delay=never"); /* the end cuts a break short */
	assert_fault(3, 17 * US, FAULT_UP, 3, 0);
	drop_plan();
}

static void hosts__know_their_part(void **state)
{
	const struct nic_params *p;

	planned("1us-2us:down:h1;3us:down:s0:p1;4us-5us:pause=3:h1;6us:up:s1:p0", NULL);
	assert_int_equal(w.f.nics[0].n_faults, 0);
	p = &w.f.nics[1];
	assert_int_equal(p->n_faults, 5);
	assert_int_equal(p->n_storms, 4);
	assert_int_equal(p->quanta, 65535);
	assert_true(p->faults[0].at == US && p->faults[0].kind == NIC_LINK_DOWN);
	assert_true(p->faults[1].at == 2 * US && p->faults[1].kind == NIC_LINK_UP);
	assert_true(p->faults[2].at == 4 * US && p->faults[2].kind == NIC_STORM_ON && p->faults[2].class == 3);
	assert_true(p->faults[3].at == 5 * US && p->faults[3].kind == NIC_STORM_OFF && p->faults[3].class == 3);
	assert_true(p->faults[4].at == 6 * US && p->faults[4].kind == NIC_LINK_UP);
	drop_plan();
}

static void refused(void **state)
{
	static const char *const bad[][2] = {
		{ "down:s0:p0", "fault down:s0:p0: down: not a time like 1.5ms" },
		{ ":down:h0", "fault :down:h0: '': not a time like 1.5ms" },
		{ "1us::h0", "'': no such fault" },
		{ "1us:down:", "'': no such node" },
		{ "1us:pause=:h0", "'': not a class" },
		{ "1000000s:down:h0", "1000000s: too late; allowed: up to 576460s" },
		{ "1us-576461s:down:h0", "576461s: too late; allowed: up to 576460s" },
		{ ";", "fault=;: contains no rule; allowed: TIME[-TIME]:WHAT:WHERE" },
		{ ";; ;", "contains no rule" },
		{ "1us:down", "not of the form TIME[-TIME]:WHAT:WHERE" },
		{ "1us:broken:s0:p0", "broken: no such fault; allowed: down|up|flap=D/U|drop=P|corrupt=P|pause=CLASS" },
		{ "1us:down:s0", "s0: a switch; allowed: one of its ports, like s0:p1" },
		{ "1us:down:s0:p2", "p2: not a port of this switch" },
		{ "1us:down:s0:1", "1: not a port of this switch" },
		{ "1us:down:s7:p0", "s7: no such node" },
		{ "1us:down:h0:p0", "h0: a host; allowed: its name without a port" },
		{ "1us:drop=0.1:h0", "h0: a host; allowed: a switch, or a port of one" },
		{ "1us:drop:s0", "not a share of frames; allowed: above 0, up to 1" },
		{ "1us:drop=0:s0", "0: not a share of frames; allowed: above 0, up to 1" },
		{ "1us:corrupt=1.1:s0", "1.1: not a share of frames" },
		{ "1us:down=5:h0", "5: not allowed: this fault takes no value" },
		{ "1us:pause=8:h0", "8: not a class; allowed: 0..7" },
		{ "1us:pause:h0", "not a class; allowed: 0..7" },
		{ "2us-1us:down:h0", "1us: not after the start; allowed: FROM-TO with FROM < TO" },
		{ "1us-1us:down:h0", "1us: not after the start; allowed: FROM-TO with FROM < TO" },
		{ "1us-2us:up:h0", "up: takes one time, not a range" },
		{ "1us:flap=1us/1us:h0", "flap: needs a range: FROM-TO" },
		{ "1us-2us:flap=1us:h0", "1us: not DOWN/UP, like 50us/100us" },
		{ "1us-2us:flap=0us/1us:h0", "0us: DOWN and UP must be above 0" },
		{ "0us-100ms:flap=1ns/1ns:h0", "more than 65536 events" },
	};

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(plan(bad[i][0], NULL), -EINVAL);
		if (!strstr(w.err.text, bad[i][1]) || strchr(w.err.text, '\n'))
			fail_msg("%s: '%s' does not say '%s'", bad[i][0], w.err.text, bad[i][1]);
		drop_plan();
	}
	assert_int_equal(plan("1us:pause=3:h0", "fc=none"), -EINVAL);
	assert_non_null(strstr(w.err.text, "PFC is off"));
	drop_plan();
	assert_int_equal(plan("1us:pause=4:s0:p1", "pfc_classes=3,5"), -EINVAL);
	assert_non_null(strstr(w.err.text, "4: PFC does not cover this class; allowed: those of pfc_classes="));
	drop_plan();
	assert_int_equal(plan("1us:pause=5:s0:p1", "pfc_classes=3,5"), 0);
	drop_plan();
	assert_int_equal(plan("1us:pause=3:s0:p1", "fc=credit"), -EINVAL);
	assert_non_null(strstr(w.err.text, "3: credit flow control has no PAUSE; needs fc=pfc"));
	drop_plan();
}

static void file__lines_and_comments(void **state)
{
	char path[] = "/tmp/losslab-faults-XXXXXX", key[64];
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");

	fputs("# a link\n\n1us:down:h0   # and so on\r\n", out);
	fclose(out);
	snprintf(key, sizeof(key), "fault_file=%s", path);
	planned("2us:up:h0", key);
	assert_int_equal(w.f.nics[0].n_faults, 2);
	drop_plan();
	out = fopen(path, "a");
	fputs("1us:down:h9\n", out);
	fclose(out);
	assert_int_equal(plan("", key), -EINVAL);
	assert_non_null(strstr(w.err.text, ":4: fault 1us:down:h9: h9: no such node"));
	drop_plan();
	out = fopen(path, "w");
	fputs("1ms:down:h0; 2ms:up:h0\n", out);
	fclose(out);
	assert_int_equal(plan("", key), -EINVAL);
	assert_non_null(strstr(w.err.text, ":1: 1ms:down:h0; 2ms:up:h0: contains ';'; allowed: one rule per line"));
	drop_plan();
	unlink(path);
	assert_int_equal(plan("", key), -EINVAL);
	assert_non_null(strstr(w.err.text, "No such file"));
	drop_plan();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none),
		cmocka_unit_test(events__in_order_of_time_then_of_rule),
		cmocka_unit_test(events__shares_and_pauses_end),
		cmocka_unit_test(overlap__the_later_replaces),
		cmocka_unit_test(overlap__storms),
		cmocka_unit_test(flap__ends_up),
		cmocka_unit_test(hosts__know_their_part),
		cmocka_unit_test(refused),
		cmocka_unit_test(file__lines_and_comments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
