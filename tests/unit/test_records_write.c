// SPDX-License-Identifier: GPL-2.0-or-later
/* Records in a directory: what is written, and what is left when writing fails. */
#include "tests/unit/records_result.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/losslab-test-records-XXXXXX";

static const char *slurp(const char *dir, const char *name)
{
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

/* How many entries a directory has, "." and ".." aside. */
static u32 entries(const char *dir)
{
	DIR *d = opendir(dir);
	u32 n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* Write records as a run does. */
static int write_to(const char *dir, const struct run_result *r, const struct run_totals *t)
{
	struct outdir out;
	int rc = outdir_open(&out, dir, &err);

	if (!rc)
		rc = records_write(r, t, &out, &err);
	outdir_close(&out);
	return rc;
}

static void write__directory(void **state)
{
	struct run_result r = result();
	struct run_totals t = totals(&r);
	char dir[256], expected[16384];

	snprintf(dir, sizeof(dir), "%s/a//b/c/", root);
	for (u32 twice = 0; twice < 2; twice++) {
		assert_int_equal(write_to(dir, &r, &t), 0);
		assert_int_equal(entries(dir), 5);
		assert_string_equal(slurp(dir, "flows.csv"), flows_golden);
		strcpy(expected, PRINTED(records_ports_csv(&r, out)));
		assert_string_equal(slurp(dir, "ports.csv"), expected);
		strcpy(expected, PRINTED(records_hosts_csv(&r, out)));
		assert_string_equal(slurp(dir, "hosts.csv"), expected);
		strcpy(expected, PRINTED(assert_int_equal(records_json(&r, &t, out), 0)));
		assert_string_equal(slurp(dir, "summary.json"), expected);
		strcpy(expected, PRINTED(cfg_print(&cfg, out)));
		assert_string_equal(slurp(dir, "config.txt"), expected);
	}
}

/* What the run was given is there, config.txt names it, and a run without it removes it. */
static void write__inputs(void **state)
{
	char star[] = "host h0\n", nothing[] = "";
	struct record_inputs in = { .topology = { star, strlen(star) }, .faults = { nothing, 0 } };
	struct run_result r = result_with("workload=cdf:/etc/hosts");
	struct run_totals t = totals(&r);
	char dir[256];

	snprintf(dir, sizeof(dir), "%s/inputs", root);
	assert_int_equal(cfg_set(&cfg, "out=here", &err), 0);
	r.inputs = &in;
	r.topology = "a star";
	assert_int_equal(write_to(dir, &r, &t), 0);
	assert_int_equal(entries(dir), 7);
	assert_string_equal(slurp(dir, "topology"), star);
	assert_string_equal(slurp(dir, "faults"), "");
	assert_non_null(strstr(slurp(dir, "config.txt"), "\ntopology=topology\n"));
	assert_non_null(strstr(text, "\nfault_file=faults\n"));
	assert_non_null(strstr(text, "\nworkload=cdf:/etc/hosts\n"));
	assert_non_null(strstr(text, "\nout=\n"));
	assert_non_null(strstr(slurp(dir, "summary.json"), "\"topology\": \"a star\",\n"));
	in = (struct record_inputs){ .workload = { star, strlen(star) } };
	assert_int_equal(write_to(dir, &r, &t), 0);
	assert_int_equal(entries(dir), 6);
	assert_string_equal(slurp(dir, "workload"), star);
	assert_non_null(strstr(slurp(dir, "config.txt"), "\nworkload=cdf:workload\n"));
	assert_non_null(strstr(text, "\ntopology=fat-tree:k=4\n"));
}

/* In the way of flows.csv stands a directory: nothing half-done stays, and no summary vouches for the rest. */
static void write__fails_clean(void **state)
{
	struct run_result r = result();
	struct run_totals t = totals(&r);
	char dir[256], blocked[512];

	snprintf(dir, sizeof(dir), "%s/blocked", root);
	assert_int_equal(write_to(dir, &r, &t), 0);
	snprintf(blocked, sizeof(blocked), "%s/flows.csv", dir);
	assert_int_equal(unlink(blocked), 0);
	assert_int_equal(mkdir(blocked, 0777), 0);
	assert_int_equal(write_to(dir, &r, &t), -EISDIR);
	assert_non_null(strstr(err.text, "Is a directory"));
	assert_int_equal(entries(dir), 4); /* config.txt, ports.csv, hosts.csv of before, and what stands in the way */
	snprintf(blocked, sizeof(blocked), "%s/summary.json", dir);
	assert_int_equal(access(blocked, F_OK), -1);

	snprintf(dir, sizeof(dir), "%s/blocked/config.txt/x", root);
	assert_int_equal(write_to(dir, &r, &t), -ENOTDIR);
	assert_int_equal(write_to("", &r, &t), -ENOENT);
	assert_int_equal(write_to("/proc/losslab", &r, &t), -ENOENT);
	assert_non_null(strstr(err.text, "/proc/losslab: "));
}

static int setup(void **state)
{
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write__directory),
		cmocka_unit_test(write__inputs),
		cmocka_unit_test(write__fails_clean),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
