// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Batches of rtnetlink requests, against the kernel, in a network namespace that dies with this process: as root, or as
 * root of a user namespace. Where neither may be had the tests skip.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/netlab/rtnl.h"

#define MANY (3 * RTNL_BATCH + 5)

static struct rtnl r;
static int ns = -1;

static int setup(void **state)
{
	ns = -1;
	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return 0;
	ns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return rtnl_open(&r);
}

static int teardown(void **state)
{
	if (ns < 0)
		return 0;
	rtnl_close(&r);
	return close(ns);
}

static int pair(u32 i, u32 cookie)
{
	char name[2][IFNAMSIZ];
	struct rtnl_end end[2] = {
		{ ns, 1000 + i, name[0], { 2, 0, 0, 0, 0, 1 } },
		{ ns, 5000 + i, name[1], { 2, 0, 0, 0, 0, 2 } },
	};

	snprintf(name[0], IFNAMSIZ, "a%u", i);
	snprintf(name[1], IFNAMSIZ, "b%u", i);
	return rtnl_veth(&r, end, 2300, cookie);
}

static bool makes_veths(void)
{
	bool ok = ns >= 0 && !pair(0, 0) && !rtnl_flush(&r);

	if (!ok)
		print_message("no veth to be had here\n");
	return ok;
}

static void rtnl_flush__nothing_queued(void **state)
{
	if (ns < 0)
		skip();
	assert_int_equal(rtnl_flush(&r), 0);
}

/* More than one message holds: the rest goes out by itself. */
static void rtnl_veth__many(void **state)
{
	char name[IFNAMSIZ];
	u32 i;

	if (!makes_veths())
		skip();
	for (i = 1; i < MANY; i++)
		assert_int_equal(pair(i, i), 0);
	assert_int_equal(rtnl_flush(&r), 0);
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "a%u", i);
		assert_int_equal(if_nametoindex(name), 1000 + i);
		snprintf(name, sizeof(name), "b%u", i);
		assert_int_equal(if_nametoindex(name), 5000 + i);
	}
}

static void rtnl_flush__names_the_one_that_failed(void **state)
{
	if (!makes_veths())
		skip();
	assert_int_equal(pair(1, 41), 0);
	assert_int_equal(pair(0, 42), 0); /* exists */
	assert_int_equal(pair(2, 43), 0);
	assert_int_equal(rtnl_flush(&r), -EEXIST);
	assert_int_equal(r.failed, 42);
	assert_true(r.why[0]);
	/* The connection goes on afterwards, and the others were made. */
	assert_int_equal(if_nametoindex("a2"), 1002);
	assert_int_equal(pair(3, 44), 0);
	assert_int_equal(rtnl_flush(&r), 0);
}

/* A whole batch of failures still comes to its end. */
static void rtnl_flush__all_fail(void **state)
{
	u32 i;

	if (!makes_veths())
		skip();
	for (i = 0; i < RTNL_BATCH; i++)
		assert_int_equal(pair(0, i), 0);
	assert_int_equal(rtnl_flush(&r), -EEXIST);
	assert_int_equal(r.failed, 0);
}

static void rtnl_addr__and_up(void **state)
{
	if (!makes_veths())
		skip();
	assert_int_equal(rtnl_set_up(&r, 5000, 1), 0);
	assert_int_equal(rtnl_addr(&r, 1000, 0x0a000001, 8, 2), 0);
	assert_int_equal(rtnl_flush(&r), 0);
	assert_int_equal(rtnl_set_up(&r, 77, 3), 0);
	assert_int_equal(rtnl_flush(&r), -ENODEV);
	assert_int_equal(r.failed, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rtnl_flush__nothing_queued, setup, teardown),
		cmocka_unit_test_setup_teardown(rtnl_veth__many, setup, teardown),
		cmocka_unit_test_setup_teardown(rtnl_flush__names_the_one_that_failed, setup, teardown),
		cmocka_unit_test_setup_teardown(rtnl_flush__all_fail, setup, teardown),
		cmocka_unit_test_setup_teardown(rtnl_addr__and_up, setup, teardown),
	};

	return cmocka_run_group_tests_name("rtnl", tests, NULL, NULL);
}
