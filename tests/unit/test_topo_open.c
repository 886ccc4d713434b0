// SPDX-License-Identifier: GPL-2.0-or-later
/* Topologies by name: files, the generators as shipped, and scripts that misbehave. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "topo/topo.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))
#define GENERATORS "topo" /* tests run from the root of the tree */

static struct err err;
static char dir[] = "/tmp/losslab-test-XXXXXX";

static struct topo *open_ok(const char *spec)
{
	struct topo *t;

	if (topo_open(spec, GENERATORS, &t, &err))
		fail_msg("%s: %s", spec, err.text);
	return t;
}

static void open_refused(const char *spec, const char *generators, int code, const char *message)
{
	struct topo *t = (void *)1;
	int rc = topo_open(spec, generators, &t, &err);

	if (rc != code || strcmp(err.text, message))
		fail_msg("'%s': %d, '%s' instead of %d, '%s'", spec, rc, err.text, code, message);
	assert_null(t);
}

/* Node index of the neighbour of switch @s at port @p. */
static u32 neighbour(const struct topo *t, u32 s, u32 p)
{
	struct topo_port port = t->nodes[t->switches[s]].ports[p];

	return t->links[port.link].node[!port.end];
}

static void check_fat_tree(const struct topo *t, u32 k)
{
	u32 half = k / 2, edges = k * half;
	char title[32];

	snprintf(title, sizeof(title), "fat-tree k=%u", k);
	assert_string_equal(t->title, title);
	assert_int_equal(t->n_hosts, k * k * k / 4);
	assert_int_equal(t->n_switches, 5 * k * k / 4);
	assert_int_equal(t->n_links, 3 * k * k * k / 4);
	for (u32 s = 0; s < t->n_switches; s++)
		assert_int_equal(t->nodes[t->switches[s]].n_ports, k);
	for (u32 h = 0; h < t->n_hosts; h++)
		assert_int_equal(neighbour(t, h / half, h % half), t->hosts[h]);
	for (u32 e = 0; e < edges; e++)
		for (u32 a = 0; a < half; a++)
			assert_int_equal(neighbour(t, e, half + a), t->switches[edges + e / half * half + a]);
	for (u32 c = 0; c < half * half; c++)
		for (u32 pod = 0; pod < k; pod++)
			assert_int_equal(neighbour(t, 2 * edges + c, pod), t->switches[edges + pod * half + c / half]);
}

static void fat_tree__shape(void **state)
{
	static const u32 ks[] = { 2, 4, 6, 8, 10, 12, 14, 16 };
	char spec[32];

	for (size_t i = 0; i < N(ks); i++) {
		struct topo *t;

		snprintf(spec, sizeof(spec), "fat-tree:k=%u", ks[i]);
		t = open_ok(spec);
		check_fat_tree(t, ks[i]);
		topo_free(t);
	}
}

static void fat_tree__default_is_the_papers(void **state)
{
	struct topo *t = open_ok("fat-tree");

	assert_int_equal(t->n_hosts, 54);
	assert_int_equal(t->n_switches, 45);
	assert_int_equal(t->n_links, 162);
	for (u32 l = 0; l < t->n_links; l++) {
		assert_int_equal(t->links[l].ps_per_byte, 200);
		assert_int_equal(t->links[l].delay_ps, 2000000);
		assert_int_equal(t->links[l].loss_ppb, 0);
	}
	topo_free(t);
}

static void fat_tree__prints_and_reads_back(void **state)
{
	struct topo *t = open_ok("fat-tree:k=6,rate=100gbit,delay=1.5us"), *again;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_int_equal(topo_print(t, f), 0);
	fclose(f);
	f = fmemopen(text, n, "r");
	assert_int_equal(topo_parse(f, "again", &again, &err), 0);
	fclose(f);
	check_fat_tree(again, 6);
	assert_int_equal(again->links[7].ps_per_byte, 80);
	assert_int_equal(again->links[7].delay_ps, 1500000);
	assert_memory_equal(t->nodes, again->nodes, t->n_nodes * sizeof(*t->nodes));
	assert_memory_equal(t->hosts, again->hosts, t->n_hosts * sizeof(*t->hosts));
	assert_memory_equal(t->switches, again->switches, t->n_switches * sizeof(*t->switches));
	topo_free(t);
	topo_free(again);
	free(text);
}

static void leaf_spine__shape(void **state)
{
	struct topo *t = open_ok("leaf-spine:leaves=3,spines=2,hosts=4,rate=25gbit,uplink=100gbit,delay=500ns");

	assert_int_equal(t->n_hosts, 12);
	assert_int_equal(t->n_switches, 5);
	assert_int_equal(t->n_links, 12 + 6);
	assert_int_equal(neighbour(t, 2, 1), t->hosts[9]);
	assert_int_equal(neighbour(t, 2, 5), t->switches[4]);
	assert_int_equal(neighbour(t, 3, 2), t->switches[2]);
	assert_int_equal(t->links[0].ps_per_byte, 320);
	assert_int_equal(t->links[17].ps_per_byte, 80);
	assert_int_equal(t->links[17].delay_ps, 500000);
	topo_free(t);
	t = open_ok("leaf-spine:leaves=64,spines=4,hosts=60,rate=25gbit");
	assert_int_equal(t->n_hosts, 3840);
	assert_int_equal(t->links[t->n_links - 1].ps_per_byte, 320);
	topo_free(t);
	t = open_ok("leaf-spine:leaves=2,spines=2,hosts=3,uplinks=2,uplink=100gbit,uplink_delay=5us");
	assert_string_equal(t->title, "leaf-spine leaves=2 spines=2 hosts=3 uplinks=2");
	assert_int_equal(t->n_links, 6 + 8);
	assert_int_equal(neighbour(t, 1, 4), t->switches[2]);
	assert_int_equal(neighbour(t, 1, 5), t->switches[3]);
	assert_int_equal(neighbour(t, 3, 1), t->switches[0]);
	assert_int_equal(neighbour(t, 3, 2), t->switches[1]);
	assert_int_equal(t->links[5].delay_ps, 2000000);
	assert_int_equal(t->links[6].delay_ps, 5000000);
	assert_int_equal(t->links[6].ps_per_byte, 80);
	topo_free(t);
}

/* A line of what a generator prints, by its beginning; empty if there is none. */
static void printed_line(const char *command, const char *start, char *line, int size)
{
	FILE *in = popen(command, "r");

	assert_non_null(in);
	while (fgets(line, size, in))
		if (!strncmp(line, start, strlen(start)))
			break;
	if (strncmp(line, start, strlen(start)))
		*line = '\0';
	pclose(in);
}

static void leaf_spine__says_its_oversubscription(void **state)
{
	static const char *const rows[][2] = {
		{ "", "# of a leaf: hosts 160 Gb/s, uplinks 80 Gb/s: oversubscription 2\n" },
		{ "hosts=12 uplink=100gbit", "# of a leaf: hosts 480 Gb/s, uplinks 200 Gb/s: oversubscription 2.4\n" },
		{ "hosts=3 rate=400mbit spines=1 uplinks=3 uplink=100mbit",
		  "# of a leaf: hosts 1.2 Gb/s, uplinks 0.3 Gb/s: oversubscription 4\n" },
	};
	char command[120], line[120];

	for (size_t i = 0; i < N(rows); i++) {
		snprintf(command, sizeof(command), "topo/leaf-spine.sh %s", rows[i][0]);
		printed_line(command, "#", line, sizeof(line));
		assert_string_equal(line, rows[i][1]);
	}
}

static void melo__shape(void **state)
{
	struct topo *t = open_ok("melo");

	assert_int_equal(t->n_hosts, 320);
	assert_int_equal(t->n_switches, 36);
	assert_int_equal(t->n_links, 320 + 128);
	for (u32 l = 0; l < t->n_links; l++) {
		assert_int_equal(t->links[l].ps_per_byte, l < 320 ? 200 : 80);
		assert_int_equal(t->links[l].delay_ps, 2000000);
	}
	topo_free(t);
	t = open_ok("melo:leaves=2,spines=1,hosts=3,rate=10gbit,uplink=40gbit,rtt=16.1us");
	assert_int_equal(t->n_hosts, 6);
	assert_int_equal(t->links[7].ps_per_byte, 200);
	assert_int_equal(t->links[0].delay_ps, 2012500);
	topo_free(t);
}

static void ring__shape(void **state)
{
	struct topo *t = open_ok("ring:n=5,hosts=2,ring=100gbit");

	assert_string_equal(t->title, "ring n=5 hosts=2 clockwise");
	assert_int_equal(t->n_hosts, 10);
	assert_int_equal(t->n_switches, 5);
	assert_int_equal(t->n_links, 15);
	assert_int_equal(t->n_routes, 5 * 8);
	for (u32 s = 0; s < 5; s++) {
		assert_int_equal(neighbour(t, s, 1), t->hosts[2 * s + 1]);
		assert_int_equal(neighbour(t, s, s ? 3 : 2), t->switches[(s + 1) % 5]);
		assert_int_equal(t->links[10 + s].ps_per_byte, 80);
	}
	topo_free(t);
	t = open_ok("ring:routes=shortest");
	assert_int_equal(t->n_hosts, 8);
	assert_int_equal(t->n_routes, 0);
	topo_free(t);
}

static void star_and_dumbbell__shape(void **state)
{
	struct topo *t = open_ok("star:n=64,rate=400gbit");

	assert_int_equal(t->n_hosts, 64);
	assert_int_equal(t->n_switches, 1);
	assert_int_equal(t->links[63].ps_per_byte, 20);
	topo_free(t);
	t = open_ok("dumbbell:left=3,right=1,bottleneck=10gbit");
	assert_int_equal(t->n_hosts, 4);
	assert_int_equal(t->n_switches, 2);
	assert_int_equal(t->n_links, 5);
	assert_int_equal(neighbour(t, 0, 2), t->hosts[2]);
	assert_int_equal(neighbour(t, 1, 0), t->hosts[3]);
	assert_int_equal(neighbour(t, 1, 1), t->switches[0]);
	assert_int_equal(t->links[0].ps_per_byte, 200);
	assert_int_equal(t->links[4].ps_per_byte, 800);
	topo_free(t);
}

static void generators__refuse_bad_arguments(void **state)
{
	static const char *const rows[][2] = {
		{ "fat-tree:k=5", "topology fat-tree: fat-tree: k=5: must be even" },
		{ "fat-tree:k=18", "topology fat-tree: fat-tree: k=18: not from 2 to 16" },
		{ "fat-tree:k=0", "topology fat-tree: fat-tree: k=0: not from 2 to 16" },
		{ "fat-tree:k=x", "topology fat-tree: fat-tree: k=x: not a whole number from 2 to 16" },
		{ "fat-tree:k=08", "topology fat-tree: fat-tree: k=08: not a whole number from 2 to 16" },
		{ "fat-tree:k=99999999999999999999",
		  "topology fat-tree: fat-tree: k=99999999999999999999: not a whole number from 2 to 16" },
		{ "fat-tree:n=4", "topology fat-tree: fat-tree: n: unknown key: say k rate delay" },
		{ "fat-tree:rate=40", "topology fat-tree: fat-tree: rate=40: not like 40gbit" },
		{ "fat-tree:delay=2gbit", "topology fat-tree: fat-tree: delay=2gbit: not like 2us" },
		{ "leaf-spine:hosts=60,spines=5",
		  "topology leaf-spine: leaf-spine: hosts=60 spines=5 uplinks=1: a leaf has at most 64 ports" },
		{ "leaf-spine:hosts=5,uplinks=30",
		  "topology leaf-spine: leaf-spine: hosts=5 spines=2 uplinks=30: a leaf has at most 64 ports" },
		{ "leaf-spine:leaves=33,uplinks=2",
		  "topology leaf-spine: leaf-spine: leaves=33 uplinks=2: a spine has at most 64 ports" },
		{ "leaf-spine:uplink_delay=5", "topology leaf-spine: leaf-spine: uplink_delay=5: not like 2us" },
		{ "melo:rtt=1ps", "topology melo: melo: rtt=1ps: an eighth of it is not a whole number of ps" },
		{ "melo:rtt=16", "topology melo: melo: rtt=16: not like 2us" },
		{ "melo:delay=2us",
		  "topology melo: melo: delay: unknown key: say spines leaves hosts rate uplink rtt" },
		{ "melo:leaves=65", "topology melo: leaf-spine: leaves=65: not from 1 to 64" },
		{ "ring:n=2", "topology ring: ring: n=2: not from 3 to 63" },
		{ "ring:hosts=63", "topology ring: ring: hosts=63: not from 1 to 62" },
		{ "ring:routes=left", "topology ring: ring: routes=left: say clockwise or shortest" },
		{ "leaf-spine:leaves=1,hosts=1", "topology leaf-spine: leaf-spine: leaves=1 hosts=1: only one host" },
		{ "leaf-spine:leaves=65", "topology leaf-spine: leaf-spine: leaves=65: not from 1 to 64" },
		{ "star:n=1", "topology star: star: n=1: not from 2 to 64" },
		{ "star:n=65", "topology star: star: n=65: not from 2 to 64" },
		{ "dumbbell:left=0", "topology dumbbell: dumbbell: left=0: not from 1 to 63" },
		{ "dumbbell:bottleneck=fast", "topology dumbbell: dumbbell: bottleneck=fast: not like 40gbit" },
		/* What only the parser can tell comes with the line of the script's output. */
		{ "star:rate=60gbit",
		  "star:rate=60gbit:2: rate 60gbit: not a whole number of ps per byte: "
		  "the nearest are 50gbit and 62500mbit" },
		{ "star:delay=0us", "star:delay=0us:2: delay 0us: must be above 0" },
	};

	for (size_t i = 0; i < N(rows); i++)
		open_refused(rows[i][0], GENERATORS, -EINVAL, rows[i][1]);
}

static void topo_open__bad_specs(void **state)
{
	static const char known[] =
		"no such file or generator (generators: dumbbell, fat-tree, leaf-spine, melo, ring, star)";
	static const char *const names[] = {
		"fat-tre", "", "..", "generator.inc", "fat tree", "-star", "Star", "$(id)"
	};
	char spec[1000];
	char message[ERR_TEXT_MAX];

	for (size_t i = 0; i < N(names); i++) {
		snprintf(message, sizeof(message), "topology %s: %s", names[i], known);
		open_refused(names[i], GENERATORS, -ENOENT, message);
	}
	open_refused(
		"no-such-thing", "/nonexistent", -ENOENT,
		"topology no-such-thing: no such file, and no generators in /nonexistent: No such file or directory");
	open_refused("star:", GENERATORS, -EINVAL, "topology star: argument '': not KEY=VALUE");
	open_refused("star:n=4,", GENERATORS, -EINVAL, "topology star: argument '': not KEY=VALUE");
	open_refused("star:n=4,n=5", GENERATORS, -EINVAL,
		     "topology star: n=5: given before, as n=4; allowed: each key once");
	open_refused("star:--help", GENERATORS, -EINVAL, "topology star: argument '--help': not KEY=VALUE");
	open_refused("star:n=$(id)", GENERATORS, -EINVAL, "topology star: argument 'n=$(id)': not KEY=VALUE");
	open_refused("star:n=", GENERATORS, -EINVAL, "topology star: argument 'n=': not KEY=VALUE");
	open_refused("star:n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4,n=4", GENERATORS, -EINVAL,
		     "topology star: more than 16 arguments");
	memset(spec, 's', sizeof(spec));
	spec[sizeof(spec) - 1] = '\0';
	snprintf(message, sizeof(message), "topology %.60s...: too long", spec);
	open_refused(spec, GENERATORS, -EINVAL, message);
}

static void topo_open__files(void **state)
{
	char path[64];
	char message[ERR_TEXT_MAX];
	struct topo *t;
	FILE *f;

	snprintf(path, sizeof(path), "%s/two.topo", dir);
	f = fopen(path, "w");
	fputs("default 40gbit 2us\nhost h0\nhost h1\nswitch s0\nlink h0 s0\nlink h1 s0\n", f);
	fclose(f);
	t = open_ok(path);
	assert_int_equal(t->n_hosts, 2);
	topo_free(t);
	f = fopen(path, "a");
	fputs("link h1 s1\n", f);
	fclose(f);
	snprintf(message, sizeof(message), "%s:7: link: host h1: already linked on line 6: a host has one link", path);
	open_refused(path, GENERATORS, -EINVAL, message);
	open_refused("./nowhere", GENERATORS, -ENOENT, "topology ./nowhere: No such file or directory");
	open_refused("topo/", GENERATORS, -EINVAL, "topology topo/: a directory, not a file");
	/* A file that is there comes before a generator; a directory ("topo") does not count. */
	assert_int_equal(topo_open("Makefile", GENERATORS, &t, &err), -EINVAL);
	assert_memory_equal(err.text, "Makefile:", 9);
	open_refused("topo", GENERATORS, -ENOENT,
		     "topology topo: no such file or generator (generators: dumbbell, fat-tree, leaf-spine, melo, "
		     "ring, star)");
}

static void write_script(const char *name, const char *text, mode_t mode)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.sh", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

static void topo_open__scripts_that_fail(void **state)
{
	char message[ERR_TEXT_MAX];

	write_script("silent", "#!/bin/sh\nexit 3\n", 0755);
	open_refused("silent", dir, -EINVAL, "topology silent: the generator failed with exit code 3");
	write_script("killed", "#!/bin/sh\nkill -9 $$\n", 0755);
	open_refused("killed", dir, -EIO, "topology killed: the generator was ended by signal 9");
	write_script("lines", "#!/bin/sh\nprintf 'first\\033[1m\\nsecond\\n' >&2\nexit 1\n", 0755);
	open_refused("lines", dir, -EINVAL, "topology lines: first?[1m");
	write_script("empty", "#!/bin/sh\n", 0755);
	open_refused("empty", dir, -EINVAL, "empty:1: no hosts: a lab needs two or more");
	/* More on stderr than any pipe holds, before the output. */
	write_script("chatty", "#!/bin/sh\nhead -c 300000 /dev/zero | tr '\\0' x >&2\necho bad\n", 0755);
	open_refused("chatty", dir, -EINVAL,
		     "chatty:1: unknown word 'bad': say title, default, host, switch, link or route");
	write_script("endless", "#!/bin/sh\nexec yes\n", 0755);
	open_refused("endless", dir, -EINVAL,
		     "endless:1: unknown word 'y': say title, default, host, switch, link or route");
	write_script("plain", "#!/bin/sh\n", 0644);
	snprintf(message, sizeof(message), "topology plain: %s/plain.sh: cannot run: Permission denied", dir);
	open_refused("plain", dir, -EINVAL, message);
	/* A correct topology from a script that then fails is still a failure. */
	write_script("late", "#!/bin/sh\ntopo/star.sh\nexit 9\n", 0755);
	open_refused("late", dir, -EINVAL, "topology late: the generator failed with exit code 9");
	write_script("stdin", "#!/bin/sh\ncat\nexec topo/star.sh \"$@\"\n", 0755);
	snprintf(message, sizeof(message), "topology stdin: star: n=3000: not from 2 to 64");
	open_refused("stdin:n=3000", dir, -EINVAL, message);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	static const char *const names[] = { "two.topo",  "silent.sh",  "killed.sh", "lines.sh", "empty.sh",
					     "chatty.sh", "endless.sh", "plain.sh",  "late.sh",  "stdin.sh" };
	char path[64];

	for (size_t i = 0; i < N(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fat_tree__shape),
		cmocka_unit_test(fat_tree__default_is_the_papers),
		cmocka_unit_test(fat_tree__prints_and_reads_back),
		cmocka_unit_test(leaf_spine__shape),
		cmocka_unit_test(leaf_spine__says_its_oversubscription),
		cmocka_unit_test(melo__shape),
		cmocka_unit_test(ring__shape),
		cmocka_unit_test(star_and_dumbbell__shape),
		cmocka_unit_test(generators__refuse_bad_arguments),
		cmocka_unit_test(topo_open__bad_specs),
		cmocka_unit_test(topo_open__files),
		cmocka_unit_test(topo_open__scripts_that_fail),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
