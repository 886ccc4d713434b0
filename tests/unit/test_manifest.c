// SPDX-License-Identifier: GPL-2.0-or-later
/* The manifest: what is written reads back, and what cannot be trusted is refused whole. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/netlab/manifest.h"

#define ID "0123456789abcdef0123456789abcdef"
#define HEAD "\"losslab-manifest\":2,\"name\":\"lab\",\"id\":\"" ID "\",\"title\":\"\""
#define COUNTS "\"hosts\":1,\"switches\":1,\"links\":1,\"complete\":true,\"owner\":null"

static char dir[] = "/tmp/test_manifest.XXXXXX";
static char path[64];

static int setup(void **state)
{
	strcpy(dir, "/tmp/test_manifest.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/manifest.json", dir);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	return rmdir(dir);
}

static void put(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Refused: nothing to act on comes back, and one line says why. */
static void assert_refused(const char *text)
{
	struct err err = { 0 };
	struct manifest m;

	put(text, strlen(text));
	assert_int_equal(manifest_read(&m, path, "lab", &err), -EBADMSG);
	assert_null(m.ns);
	assert_int_equal(m.n_ns, 0);
	assert_non_null(strstr(err.text, "lab lab: manifest.json: "));
	assert_null(strchr(err.text, '\n'));
}

static struct topo *small_topo(void)
{
	static const char text[] =
		"title a pair\ndefault 40gbit 2us\nhost h0\nhost h1\nswitch s0\nlink h0 s0\nlink h1 s0\n";
	FILE *in = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct err err = { 0 };
	struct topo *t = NULL;

	assert_non_null(in);
	if (topo_parse(in, "small", &t, &err))
		fail_msg("%s", err.text);
	fclose(in);
	return t;
}

static void manifest_make__lists_every_node_and_ctl(void **state)
{
	struct topo *t = small_topo();
	struct manifest m, again;

	assert_int_equal(manifest_make(&m, "lab", t), 0);
	assert_int_equal(m.n_ns, 4);
	assert_string_equal(m.ns[0], "lab-h0");
	assert_string_equal(m.ns[2], "lab-s0");
	assert_string_equal(m.ns[3], "lab-ctl");
	assert_int_equal(strlen(m.id), MANIFEST_ID_MAX - 1);
	assert_false(m.complete);
	assert_int_equal(manifest_make(&again, "lab", t), 0);
	assert_string_not_equal(m.id, again.id);
	manifest_free(&m);
	manifest_free(&again);
	topo_free(t);
}

static void manifest_write__reads_back(void **state)
{
	struct topo *t = small_topo();
	struct manifest m, back;
	char a[NETNS_MARK_MAX], b[NETNS_MARK_MAX], tmp[80];
	struct err err;
	struct stat st;
	u32 i;

	assert_int_equal(manifest_make(&m, "lab", t), 0);
	m.complete = true;
	assert_int_equal(process_self(&m.owner), 0);
	assert_int_equal(manifest_write(&m, path), 0);
	assert_int_equal(manifest_read(&back, path, "lab", &err), 0);
	assert_string_equal(back.name, "lab");
	assert_string_equal(back.title, "a pair");
	assert_int_equal(back.n_hosts, 2);
	assert_int_equal(back.n_switches, 1);
	assert_int_equal(back.n_links, 2);
	assert_true(back.complete);
	assert_memory_equal(&back.owner, &m.owner, sizeof(m.owner));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(back.n_ns, m.n_ns);
	for (i = 0; i < m.n_ns; i++)
		assert_string_equal(back.ns[i], m.ns[i]);
	manifest_mark(&m, a);
	manifest_mark(&back, b);
	assert_string_equal(a, b);
	snprintf(tmp, sizeof(tmp), "%s.tmp", path);
	assert_int_equal(stat(tmp, &st), -1);
	manifest_free(&m);
	manifest_free(&back);
	topo_free(t);
}

static void manifest_read__none(void **state)
{
	struct err err;
	struct manifest m;

	assert_int_equal(manifest_read(&m, path, "lab", &err), -ENOENT);
	assert_null(m.ns);
}

/* Every prefix of a good manifest: none is taken for a manifest, none crashes. */
static void manifest_read__truncated(void **state)
{
	static const char good[] = "{" HEAD "," COUNTS ",\"namespaces\":[\"lab-h0\",\"lab-ctl\"]}";
	struct err err;
	struct manifest m;
	size_t len;

	for (len = 0; len < sizeof(good) - 1; len++) {
		put(good, len);
		assert_int_equal(manifest_read(&m, path, "lab", &err), -EBADMSG);
		assert_null(m.ns);
	}
	put(good, len);
	assert_int_equal(manifest_read(&m, path, "lab", &err), 0);
	manifest_free(&m);
}

static void manifest_read__hostile_names(void **state)
{
	static const char *const names[] = {
		"\"\"",
		"\"lab\"",
		"\"lab-\"",
		"\"other-h0\"",
		"\"lab-../../etc/passwd\"",
		"\"lab-h0/..\"",
		"\"/lab-h0\"",
		"\"../lab-h0\"",
		"\"..\"",
		"\"lab-.\"",
		"\"lab-h0\\n\"",
		"\"lab-h0\\u0000x\"",
		"\"lab-H0\"",
		"\"labx-h0\"",
		"7",
		"null",
		"{}",
		"[\"lab-h0\"]",
		"\"lab-0123456789012345678901234567890123456789\"",
	};
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text), "{" HEAD "," COUNTS ",\"namespaces\":[\"lab-h0\",%s]}", names[i]);
		assert_refused(text);
	}
}

static void manifest_read__wrong_types(void **state)
{
	static const char names[] = ",\"namespaces\":[\"lab-h0\"]}";
	static const char *const heads[] = {
		"{" HEAD ",\"hosts\":\"1\",\"switches\":1,\"links\":1,\"complete\":true,\"owner\":null",
		"{" HEAD ",\"hosts\":-1,\"switches\":1,\"links\":1,\"complete\":true,\"owner\":null",
		"{" HEAD ",\"hosts\":1,\"switches\":1,\"links\":1,\"complete\":\"yes\",\"owner\":null",
		"{" HEAD ",\"hosts\":1,\"switches\":1,\"links\":1",
		"{" HEAD "," COUNTS ",\"more\":1",
		"{" HEAD ",\"hosts\":1,\"switches\":1,\"links\":1,\"complete\":true",
		"{" HEAD ",\"hosts\":1,\"switches\":1,\"links\":1,\"complete\":true,\"owner\":7",
		"{" HEAD ",\"hosts\":1,\"switches\":1,\"links\":1,\"complete\":true,\"owner\":{\"pid\":1}",
		"{" HEAD ",\"hosts\":1,\"switches\":1,\"links\":1,\"complete\":true,\"owner\":{\"pid\":-1,"
		"\"start\":1,\"pid_ns\":1}",
		"{" HEAD ",\"name\":\"lab\"," COUNTS,
		"{\"losslab-manifest\":1,\"name\":\"lab\",\"id\":\"" ID "\",\"title\":\"\"," COUNTS,
		"{\"losslab-manifest\":2,\"name\":\"bal\",\"id\":\"" ID "\",\"title\":\"\"," COUNTS,
		"{\"losslab-manifest\":2,\"name\":\"lab\",\"id\":\"\",\"title\":\"\"," COUNTS,
		"{\"losslab-manifest\":2,\"name\":\"lab\",\"id\":\"0123456789abcdef0123456789abcdeg\",\"title\":"
		"\"\"," COUNTS,
		"{\"losslab-manifest\":2,\"name\":[],\"id\":\"" ID "\",\"title\":\"\"," COUNTS,
	};
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", heads[i], names);
		assert_refused(text);
	}
	assert_refused("[]");
	assert_refused("null");
	assert_refused("{" HEAD "," COUNTS ",\"namespaces\":[]}");
	assert_refused("{" HEAD "," COUNTS ",\"namespaces\":\"lab-h0\"}");
	assert_refused("{" HEAD "," COUNTS ",\"namespaces\":{\"0\":\"lab-h0\"}}");
}

/* What is not a plain file of a sane size is not read: a FIFO must not hang it, a link must not lead it astray. */
static void manifest_read__not_a_file(void **state)
{
	struct err err;
	struct manifest m;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(manifest_read(&m, path, "lab", &err), -EBADMSG);
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_not_equal(manifest_read(&m, path, "lab", &err), 0);
	unlink(path);
	put("x", 1);
	assert_int_equal(truncate(path, 1L << 30), 0);
	assert_int_equal(manifest_read(&m, path, "lab", &err), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(manifest_make__lists_every_node_and_ctl),
		cmocka_unit_test_setup_teardown(manifest_write__reads_back, setup, teardown),
		cmocka_unit_test_setup_teardown(manifest_read__truncated, setup, teardown),
		cmocka_unit_test_setup_teardown(manifest_read__hostile_names, setup, teardown),
		cmocka_unit_test_setup_teardown(manifest_read__wrong_types, setup, teardown),
		cmocka_unit_test_setup_teardown(manifest_read__not_a_file, setup, teardown),
		cmocka_unit_test_setup_teardown(manifest_read__none, setup, teardown),
	};

	return cmocka_run_group_tests_name("manifest", tests, NULL, NULL);
}
