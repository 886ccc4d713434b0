// SPDX-License-Identifier: GPL-2.0-or-later
/* The text format: what is read, each refusal with its line, and hostile input. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/topo.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))

static struct err err;

static int parse_bytes(const char *text, size_t n, struct topo **t)
{
	FILE *in = fmemopen((void *)text, n, "r");
	int rc;

	assert_non_null(in);
	memset(&err, 0x55, sizeof(err));
	rc = topo_parse(in, "f", t, &err);
	fclose(in);
	return rc;
}

static struct topo *parse_ok(const char *text)
{
	struct topo *t;

	if (parse_bytes(text, strlen(text), &t))
		fail_msg("%s", err.text);
	return t;
}

static void parse_refused(const char *text, size_t n, const char *message)
{
	struct topo *t = (void *)1;
	int rc = parse_bytes(text, n, &t);

	assert_int_equal(rc, -EINVAL);
	assert_null(t);
	assert_string_equal(err.text, message);
}

static char *print(const struct topo *t)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(topo_print(t, out), 0);
	fclose(out);
	return text;
}

static const char two_racks[] = "# a comment\r\n"
				"title  two racks \t# and another\n"
				"\n"
				"host h0\n"
				"default 40gbit 2us loss 0.5\n"
				"switch s0\n"
				"  host\th1  \n"
				"switch tor_2-b\n"
				"link h0 s0 # caf\xc3\xa9\n"
				"link s0 tor_2-b 100gbit 1.5us loss 1e-9\n"
				"link tor_2-b s0 10gbit loss 0\n"
				"default 1gbit 1ps\n"
				"link tor_2-b h1\r\n"
				"route tor_2-b\th1 p2\n"
				"link s0 tor_2-b loss 100%\n"
				"route s0 h1 p3 p1 # not p2"; /* no newline at the end */

static void check_two_racks(const struct topo *t)
{
	static const struct topo_link links[] = {
		{ { 0, 1 }, { 0, 0 }, 200, 2000000, 500000000, 9 }, { { 1, 3 }, { 1, 0 }, 80, 1500000, 1, 10 },
		{ { 3, 1 }, { 1, 2 }, 800, 2000000, 0, 11 },        { { 3, 2 }, { 2, 0 }, 8000, 1, 0, 13 },
		{ { 1, 3 }, { 3, 3 }, 8000, 1, 1000000000, 15 },
	};

	assert_string_equal(t->title, "two racks");
	assert_int_equal(t->n_nodes, 4);
	assert_int_equal(t->n_hosts, 2);
	assert_int_equal(t->n_switches, 2);
	assert_int_equal(t->hosts[1], 2);
	assert_int_equal(t->switches[0], 1);
	assert_int_equal(t->switches[1], 3);
	assert_string_equal(t->nodes[3].name, "tor_2-b");
	assert_int_equal(t->nodes[3].kind, TOPO_SWITCH);
	assert_int_equal(t->nodes[3].index, 1);
	assert_int_equal(t->nodes[3].n_ports, 4);
	assert_int_equal(t->nodes[2].n_ports, 1);
	assert_int_equal(t->n_links, N(links));
	for (size_t l = 0; l < N(links); l++) {
		assert_memory_equal(t->links[l].node, links[l].node, sizeof(links[l].node));
		assert_memory_equal(t->links[l].port, links[l].port, sizeof(links[l].port));
		assert_int_equal(t->links[l].ps_per_byte, links[l].ps_per_byte);
		assert_int_equal(t->links[l].delay_ps, links[l].delay_ps);
		assert_int_equal(t->links[l].loss_ppb, links[l].loss_ppb);
	}
	/* by switch and host, however they came */
	assert_int_equal(t->n_routes, 2);
	assert_int_equal(t->routes[0].sw, 0);
	assert_int_equal(t->routes[0].host, 1);
	assert_true(t->routes[0].ports == (1 << 1 | 1 << 3));
	assert_int_equal(t->routes[1].sw, 1);
	assert_int_equal(t->routes[1].host, 1);
	assert_true(t->routes[1].ports == 1 << 2);
}

static void topo_parse__every_statement(void **state)
{
	static const u32 lines[] = { 9, 10, 11, 13, 15 };
	struct topo *t = parse_ok(two_racks);

	check_two_racks(t);
	for (size_t l = 0; l < N(lines); l++)
		assert_int_equal(t->links[l].line, lines[l]);
	/* Each port points back at its own end of its link. */
	for (u32 n = 0; n < t->n_nodes; n++)
		for (u32 p = 0; p < t->nodes[n].n_ports; p++) {
			struct topo_port port = t->nodes[n].ports[p];

			assert_int_equal(t->links[port.link].node[port.end], n);
			assert_int_equal(t->links[port.link].port[port.end], p);
		}
	topo_free(t);
	topo_free(NULL);
}

static void topo_print__is_read_back(void **state)
{
	struct topo *t = parse_ok(two_racks), *again;
	char *text = print(t), *text2;

	assert_non_null(strstr(text, "title two racks\nhost h0\nswitch s0\nhost h1\n"));
	assert_non_null(strstr(text, "link s0 tor_2-b 100gbit 1500ns loss 0.000000001\n"));
	assert_non_null(strstr(text, "link s0 tor_2-b 1gbit 1ps loss 1\nroute s0 h1 p1 p3\nroute tor_2-b h1 p2\n"));
	again = parse_ok(text);
	check_two_racks(again);
	text2 = print(again);
	assert_string_equal(text, text2);
	topo_free(t);
	topo_free(again);
	free(text);
	free(text2);
}

#define HEAD "host h0\nhost h1\nswitch s0\n"
#define LINKS "link h0 s0 40gbit 2us\nlink h1 s0 40gbit 2us\n"

static void topo_parse__refused(void **state)
{
	static const char *const rows[][2] = {
		{ "", "f:1: no hosts: a lab needs two or more" },
		{ "# nothing\n\n", "f:2: no hosts: a lab needs two or more" },
		{ "host h0\nswitch s0\nlink h0 s0 40gbit 2us\n", "f:3: only one host: a lab needs two or more" },
		{ "hots h0\n", "f:1: unknown word 'hots': say title, default, host, switch, link or route" },
		{ "Host h0\n", "f:1: unknown word 'Host': say title, default, host, switch, link or route" },
		{ "host\n", "f:1: host: name missing" },
		{ "\nswitch\n", "f:2: switch: name missing" },
		{ "host h0 h1\n", "f:1: host: unexpected word 'h1'" },
		{ "host h0\nhost h0\n", "f:2: node h0: already declared on line 1" },
		{ "host x\nhost y\nswitch x\n", "f:3: node x: already declared on line 1" },
		{ "host abcdefghijklmnop\n", "f:1: name abcdefghijklmnop: longer than 15 characters" },
		{ "host H0\n", "f:1: name H0: must be a small letter, then small letters, digits, '_' or '-'" },
		{ "host 0h\n", "f:1: name 0h: must be a small letter, then small letters, digits, '_' or '-'" },
		{ "host -h\n", "f:1: name -h: must be a small letter, then small letters, digits, '_' or '-'" },
		{ "switch a/b\n", "f:1: name a/b: must be a small letter, then small letters, digits, '_' or '-'" },
		{ "switch ..\n", "f:1: name ..: must be a small letter, then small letters, digits, '_' or '-'" },
		{ "host ctl\n", "f:1: name ctl: reserved for the lab itself" },
		{ HEAD "route s0 h1\n", "f:4: route: a switch, a host and one port or more needed" },
		{ HEAD "route\n", "f:4: route: a switch, a host and one port or more needed" },
		{ HEAD LINKS "route s9 h1 p1\n", "f:6: route: unknown node s9: declare it on a line above" },
		{ HEAD LINKS "route s0 h9 p1\n", "f:6: route: unknown node h9: declare it on a line above" },
		{ HEAD LINKS "route h0 h1 p0\n", "f:6: route: h0: not a switch" },
		{ HEAD LINKS "route s0 s0 p0\n", "f:6: route: s0: not a host" },
		{ HEAD LINKS "route s0 h1 p2\n", "f:6: route: port p2: switch s0 has 2 ports by this line, from p0" },
		{ HEAD "route s0 h1 p0\n" LINKS, "f:4: route: port p0: switch s0 has 0 ports by this line, from p0" },
		{ HEAD LINKS "route s0 h1 1\n", "f:6: route: port '1': say p0, p1, ..." },
		{ HEAD LINKS "route s0 h1 p\n", "f:6: route: port 'p': say p0, p1, ..." },
		{ HEAD LINKS "route s0 h1 p01\n", "f:6: route: port 'p01': say p0, p1, ..." },
		{ HEAD LINKS "route s0 h1 p-1\n", "f:6: route: port 'p-1': say p0, p1, ..." },
		{ HEAD LINKS "route s0 h1 p4294967297\n", "f:6: route: port 'p4294967297': say p0, p1, ..." },
		{ HEAD LINKS "route s0 h1 p1 h0\n", "f:6: route: port 'h0': say p0, p1, ..." },
		{ HEAD LINKS "route s0 h1 p1 p1\n", "f:6: route: port p1: given twice" },
		{ HEAD LINKS "route s0 h1 p0\n", "f:6: route: port p0: leads to host h0, and hosts do not forward" },
		{ HEAD LINKS "route s0 h1 p1\nroute s0 h0 p0\nroute s0 h1 p1\n",
		  "f:8: route: s0 h1: already given on line 6" },
		{ HEAD "link\n", "f:4: link: two nodes needed" },
		{ HEAD "link h0\n", "f:4: link: two nodes needed" },
		{ HEAD "link h0 s0\n", "f:4: link: rate missing, and there is no default line above" },
		{ HEAD "link h0 s0 40gbit\n", "f:4: link: delay missing, and there is no default line above" },
		{ HEAD "link h0 s0 40gbit 2us 3\n", "f:4: link: unexpected word '3'" },
		{ HEAD "link h0 s0 40gbit 2us loss\n", "f:4: loss: probability missing" },
		{ HEAD "link h0 s0 40gbit 2us loss 0.1 x\n", "f:4: link: unexpected word 'x'" },
		{ HEAD "link h0 s0 40gbit 2us loss 2\n", "f:4: probability 2: above 1" },
		{ HEAD "link h0 s0 0gbit 2us\n", "f:4: rate 0gbit: must be above 0" },
		{ HEAD "link h0 s0 60gbit 2us\n",
		  "f:4: rate 60gbit: not a whole number of ps per byte: "
		  "the nearest are 50gbit and 62500mbit" },
		{ HEAD "link h0 s0 40 2us\n", "f:4: rate 40: no unit: say bit, kbit, mbit, gbit or tbit" },
		{ HEAD "link h0 s0 2us 40gbit\n",
		  "f:4: rate 2us: unknown unit 'us': say bit, kbit, mbit, gbit or tbit" },
		{ HEAD "link h0 s0 40gbit 0us\n", "f:4: delay 0us: must be above 0" },
		{ HEAD "link h0 s0 40gbit 1001ms\n", "f:4: delay 1001ms: above 1s" },
		{ HEAD "link h0 s0 40gbit 0.1ps\n", "f:4: time 0.1ps: finer than 1 ps" },
		{ HEAD "link h0 s9 40gbit 2us\n", "f:4: link: unknown node s9: declare it on a line above" },
		{ "link h0 s9 40gbit 2us\n", "f:1: link: unknown node h0: declare it on a line above" },
		{ HEAD "link s0 s0 40gbit 2us\n", "f:4: link: s0: linked to itself" },
		{ HEAD "link h0 h0 40gbit 2us\n", "f:4: link: h0: linked to itself" },
		{ HEAD "link h0 h1 40gbit 2us\n", "f:4: link: h0 h1: two hosts: one end must be a switch" },
		{ HEAD LINKS "link s0 h0 40gbit 2us\n",
		  "f:6: link: host h0: already linked on line 4: a host has one link" },
		{ HEAD "link h0 s0 40gbit 2us\n", "f:2: host h1: has no link" },
		{ HEAD "switch s1\n" LINKS, "f:4: switch s1: has no link" },
		{ "host h0\nhost h1\n", "f:1: host h0: has no link" },
		{ "title\n", "f:1: title: text missing" },
		{ "title   # x\n", "f:1: title: text missing" },
		{ "title a\ntitle b\n", "f:2: title: given twice" },
		{ "title 0123456789012345678901234567890123456789012345678901234567890123\n",
		  "f:1: title: longer than 63 bytes" },
		{ "default\n", "f:1: default: rate missing" },
		{ "default 40gbit\n", "f:1: default: delay missing" },
		{ "default 40gbit loss 1\n", "f:1: default: delay missing" },
		{ "default 40gbit 2us 5\n", "f:1: default: unexpected word '5'" },
		{ "default 40gbit 0s\n", "f:1: delay 0s: must be above 0" },
		{ "host h\x01\n", "f:1: byte 0x01: only ASCII text outside comments" },
		{ "host h\r0\n", "f:1: byte 0x0d: only ASCII text outside comments" },
		{ "host caf\xc3\xa9\n", "f:1: byte 0xc3: only ASCII text outside comments" },
		{ "host h\x7f\n", "f:1: byte 0x7f: only ASCII text outside comments" },
	};

	for (size_t i = 0; i < N(rows); i++)
		parse_refused(rows[i][0], strlen(rows[i][0]), rows[i][1]);
}

static void topo_parse__nul_byte(void **state)
{
	parse_refused("host h0\nho\0st h1\n", 16, "f:2: a NUL byte: not a text file");
	parse_refused("#\0", 2, "f:1: a NUL byte: not a text file");
}

static void topo_parse__line_length(void **state)
{
	char text[400];
	struct topo *t;
	int n;

	n = snprintf(text, sizeof(text), "#%0254d\n" HEAD LINKS, 0);
	assert_int_equal(parse_bytes(text, n, &t), 0);
	topo_free(t);
	n = snprintf(text, sizeof(text), "#%0255d\n" HEAD LINKS, 0);
	parse_refused(text, n, "f:1: line longer than 255 bytes");
}

static void topo_parse__names_of_15_characters(void **state)
{
	struct topo *t = parse_ok("host abcdefghijklmno\nhost abcdefghijklmnp\nswitch s\n"
				  "link abcdefghijklmno s 40gbit 2us\nlink abcdefghijklmnp s 40gbit 2us\n");

	assert_string_equal(t->nodes[1].name, "abcdefghijklmnp");
	topo_free(t);
}

/* A switch s0 with @n hosts. */
static char *star(u32 n)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	fputs("default 40gbit 2us\nswitch s0\n", out);
	for (u32 h = 0; h < n; h++)
		fprintf(out, "host h%u\nlink h%u s0\n", h, h);
	fclose(out);
	return text;
}

static void topo_parse__ports_of_a_switch(void **state)
{
	char *text = star(64);
	struct topo *t = parse_ok(text);

	assert_int_equal(t->nodes[0].n_ports, 64);
	assert_int_equal(t->links[63].port[1], 63);
	topo_free(t);
	free(text);
	text = star(65);
	parse_refused(text, strlen(text), "f:132: link: switch s0: more than 64 ports");
	free(text);
}

static void topo_parse__number_of_nodes(void **state)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (u32 h = 0; h <= 65535; h++)
		fprintf(out, "host h%u\n", h);
	fclose(out);
	parse_refused(text, len, "f:65536: node h65535: more than 65535 nodes");
	text[strlen(text) - strlen("host h65535\n")] = '\0';
	parse_refused(text, strlen(text), "f:1: host h0: has no link");
	free(text);
}

static void topo_parse__long_file_name(void **state)
{
	char name[600];
	FILE *in = fmemopen((void *)"x\n", 2, "r");
	struct topo *t;

	memset(name, 'd', sizeof(name));
	strcpy(name + sizeof(name) - 8, "/x.topo");
	assert_int_equal(topo_parse(in, name, &t, &err), -EINVAL);
	assert_memory_equal(err.text, "...ddd", 6);
	assert_non_null(strstr(err.text, "/x.topo:1: unknown word 'x': say title"));
	fclose(in);
}

static void topo_parse__read_error(void **state)
{
	FILE *in = fopen("/", "r");
	struct topo *t;

	assert_non_null(in);
	assert_int_equal(topo_parse(in, "/", &t, &err), -EIO);
	assert_string_equal(err.text, "/:1: cannot read: Is a directory");
	fclose(in);
}

/* xorshift64: the same mutations on every machine. */
static u64 next_random(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Change one to eight bytes of buf[*n]: flip, delete, insert, or copy a piece elsewhere. */
static void mutate(char *buf, size_t *n, size_t cap, u64 *x)
{
	for (u64 k = 1 + next_random(x) % 8; k && *n; k--) {
		size_t at = next_random(x) % *n, from = next_random(x) % *n, len;

		switch (next_random(x) % 5) {
		case 0:
			buf[at] ^= 1 << (next_random(x) % 8);
			break;
		case 1:
			memmove(buf + at, buf + at + 1, --*n - at);
			break;
		case 2:
			if (*n == cap)
				break;
			memmove(buf + at + 1, buf + at, (*n)++ - at);
			buf[at] = next_random(x);
			break;
		case 3:
			buf[at] = "\n 09a#.-\t%es"[next_random(x) % 12];
			break;
		default:
			len = next_random(x) % 40;
			if (from + len <= *n && at + len <= *n)
				memmove(buf + at, buf + from, len);
		}
	}
}

static void topo_parse__hostile_text(void **state)
{
	char buf[1024], *text;
	u32 good = 0, bad = 0;
	u64 x = 20240607;

	for (u32 i = 0; i < 20000; i++) {
		size_t n = sizeof(two_racks) - 1;
		struct topo *t, *again;
		int rc;

		memcpy(buf, two_racks, n);
		mutate(buf, &n, sizeof(buf), &x);
		if (!n)
			continue;
		rc = parse_bytes(buf, n, &t);
		if (rc) {
			assert_int_equal(rc, -EINVAL);
			assert_null(t);
			assert_true(memcmp(err.text, "f:", 2) == 0 && strlen(err.text) > 6);
			for (const char *c = err.text; *c; c++)
				assert_in_range(*c, ' ', '~');
			bad++;
			continue;
		}
		text = print(t);
		again = parse_ok(text);
		topo_free(again);
		free(text);
		topo_free(t);
		good++;
	}
	/* Both ends are reached, or the mutations say nothing. */
	assert_true(good > 500 && bad > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(topo_parse__every_statement),   cmocka_unit_test(topo_print__is_read_back),
		cmocka_unit_test(topo_parse__refused),           cmocka_unit_test(topo_parse__nul_byte),
		cmocka_unit_test(topo_parse__line_length),       cmocka_unit_test(topo_parse__names_of_15_characters),
		cmocka_unit_test(topo_parse__ports_of_a_switch), cmocka_unit_test(topo_parse__number_of_nodes),
		cmocka_unit_test(topo_parse__long_file_name),    cmocka_unit_test(topo_parse__read_error),
		cmocka_unit_test(topo_parse__hostile_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
