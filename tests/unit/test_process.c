// SPDX-License-Identifier: GPL-2.0-or-later
/* Which process is meant: alive, ended, and a later one of the same pid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/netlab/process.h"

static void alive(void **state)
{
	struct process_id self;

	assert_int_equal(process_self(&self), 0);
	assert_int_equal(self.pid, getpid());
	assert_true(self.start > 0);
	assert_false(process_gone(&self));
}

/* The command in /proc/PID/stat may look like the end of its own field. */
static void strange_command(void **state)
{
	struct process_id before, after;

	assert_int_equal(process_self(&before), 0);
	assert_int_equal(prctl(PR_SET_NAME, "a) R 1 2 (b"), 0);
	assert_int_equal(process_self(&after), 0);
	assert_int_equal(after.start, before.start);
	assert_false(process_gone(&before));
}

static void ended(void **state)
{
	struct process_id child = { 0 };
	pid_t pid;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		process_self(&child);
		_exit(write(fd[1], &child, sizeof(child)) != sizeof(child));
	}
	assert_int_equal(read(fd[0], &child, sizeof(child)), sizeof(child));
	assert_int_equal(child.pid, pid);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(process_gone(&child));
	close(fd[0]);
	close(fd[1]);
}

static void recycled_pid(void **state)
{
	struct process_id earlier;

	assert_int_equal(process_self(&earlier), 0);
	earlier.start--;
	assert_true(process_gone(&earlier));
}

static void other_pid_namespace(void **state)
{
	struct process_id other;

	assert_int_equal(process_self(&other), 0);
	other.start--;
	other.pid_ns++;
	assert_false(process_gone(&other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alive),        cmocka_unit_test(strange_command),     cmocka_unit_test(ended),
		cmocka_unit_test(recycled_pid), cmocka_unit_test(other_pid_namespace),
	};

	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
