// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories for output: nobody else's file is written, nobody else writes meanwhile, nothing half-done stays. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/outdir.h"

#define OTHER 12345 /* a user who is neither root nor ours */

static char root[] = "/tmp/losslab-test-outdir-XXXXXX";
static struct err err;

static const char *in_root(const char *name)
{
	static char path[4][200];
	static u32 turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", root, name);
	return path[turn];
}

static void make_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static const char *contents(const char *path)
{
	static char text[100];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static u32 entries(const char *path)
{
	DIR *d = opendir(path);
	u32 n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void put(struct outdir *d, const char *name, const char *text)
{
	struct outdir_file f;

	assert_int_equal(outdir_create(d, name, &f), 0);
	fputs(text, f.out);
	assert_int_equal(outdir_written(&f), 0);
	assert_int_equal(outdir_commit(d, &f), 0);
}

static int open_close(const char *path)
{
	struct outdir d;
	int rc = outdir_open(&d, path, &err);

	outdir_close(&d);
	return rc;
}

/* Directories are made; those not used go again, those used stay; no lock file and no temporary file stays. */
static void outdir__makes_and_removes(void **state)
{
	struct outdir_file f;
	struct outdir d;

	assert_int_equal(open_close(in_root("a//b/c/")), 0);
	assert_int_equal(access(in_root("a"), F_OK), -1);
	assert_int_equal(outdir_open(&d, in_root("a/b"), &err), 0);
	put(&d, "x", "text");
	assert_int_equal(outdir_create(&d, "y", &f), 0);
	assert_int_equal(outdir_written(&f), 0);
	outdir_discard(&d, &f);
	outdir_close(&d);
	assert_int_equal(entries(in_root("a/b")), 1);
	assert_string_equal(contents(in_root("a/b/x")), "text");
}

/* A link in the place of a file is replaced; what it points to stays as it is. */
static void outdir__replaces_links(void **state)
{
	struct outdir d;
	struct stat st;

	make_file(in_root("victim"), "precious");
	assert_int_equal(mkdir(in_root("links"), 0755), 0);
	assert_int_equal(symlink(in_root("victim"), in_root("links/x")), 0);
	assert_int_equal(outdir_open(&d, in_root("links"), &err), 0);
	put(&d, "x", "text");
	outdir_close(&d);
	assert_string_equal(contents(in_root("victim")), "precious");
	assert_int_equal(lstat(in_root("links/x"), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	/* nor does the lock file follow one */
	assert_int_equal(symlink(in_root("victim"), in_root("links/.losslab.lock")), 0);
	assert_int_equal(open_close(in_root("links")), -ELOOP);
	assert_string_equal(contents(in_root("victim")), "precious");
}

static void outdir__refuses_what_others_may_change(void **state)
{
	assert_int_equal(mkdir(in_root("open"), 0755), 0);
	assert_int_equal(chmod(in_root("open"), 0777), 0);
	assert_int_equal(open_close(in_root("open")), -EPERM);
	assert_non_null(strstr(err.text, "sticky bit"));
	assert_int_equal(chmod(in_root("open"), 01777), 0);
	assert_int_equal(open_close(in_root("open")), 0);
	if (geteuid())
		skip();
	assert_int_equal(mkdir(in_root("theirs"), 0755), 0);
	assert_int_equal(chown(in_root("theirs"), OTHER, OTHER), 0);
	assert_int_equal(open_close(in_root("theirs")), -EPERM);
	assert_non_null(strstr(err.text, "belongs to user 12345"));
	assert_int_equal(entries(in_root("theirs")), 0);
	/* their link to a directory of root's is no better */
	assert_int_equal(mkdir(in_root("ours"), 0755), 0);
	assert_int_equal(symlink("ours", in_root("link")), 0);
	assert_int_equal(open_close(in_root("link")), 0);
	assert_int_equal(lchown(in_root("link"), OTHER, OTHER), 0);
	assert_int_equal(open_close(in_root("link")), -EPERM);
	assert_int_equal(open_close(in_root("link/made")), -EPERM);
	assert_int_equal(entries(in_root("ours")), 0);
	/* who calls sudo may keep the results at home */
	setenv("SUDO_UID", "12345", 1);
	assert_int_equal(open_close(in_root("theirs")), 0);
	assert_int_equal(open_close(in_root("link")), 0);
	setenv("SUDO_UID", "12345x", 1);
	assert_int_equal(open_close(in_root("theirs")), -EPERM);
	unsetenv("SUDO_UID");
}

static void outdir__fails_by_name(void **state)
{
	char longer[600];

	make_file(in_root("file"), "");
	assert_int_equal(symlink("loop", in_root("loop")), 0);
	assert_int_equal(symlink("nowhere", in_root("dangling")), 0);
	assert_int_equal(open_close(in_root("file")), -ENOTDIR);
	assert_int_equal(open_close(in_root("file/x")), -ENOTDIR);
	assert_int_equal(open_close(in_root("loop")), -ELOOP);
	assert_int_equal(open_close(in_root("loop/x")), -ELOOP);
	assert_int_equal(open_close(in_root("dangling")), -ENOENT);
	assert_int_equal(open_close(""), -ENOENT);
	assert_int_equal(open_close("/proc/losslab"), -ENOENT);
	memset(longer, 'x', sizeof(longer));
	longer[270] = '\0';
	assert_int_equal(open_close(longer), -ENAMETOOLONG);
	longer[270] = 'x';
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(open_close(longer), -ENAMETOOLONG);
}

/* One process at a time; when it is killed, the next one removes what it left, and nothing else. */
static void outdir__locks(void **state)
{
	static const char *const others[] = { ".losslab-mine", ".losslab-x-0123456789ABCDEF",
					      "losslab-x-0123456789abcdef" };
	int ready[2], status;
	struct outdir d;
	char c;
	pid_t pid;

	assert_int_equal(mkdir(in_root("locked"), 0755), 0);
	for (u32 i = 0; i < 3; i++) {
		char name[100];

		snprintf(name, sizeof(name), "locked/%s", others[i]);
		make_file(in_root(name), "");
	}
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		struct outdir_file f;

		if (outdir_open(&d, in_root("locked"), &err) || outdir_create(&d, "x", &f))
			_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(entries(in_root("locked")), 5); /* with the lock, and the file half written */
	assert_int_equal(open_close(in_root("locked")), -EBUSY);
	assert_non_null(strstr(err.text, "another run writes there"));
	assert_int_equal(entries(in_root("locked")), 5);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(outdir_open(&d, in_root("locked"), &err), 0);
	assert_int_equal(entries(in_root("locked")), 4);
	outdir_close(&d);
	assert_int_equal(entries(in_root("locked")), 3);
	close(ready[0]);
	close(ready[1]);
}

static int setup(void **state)
{
	umask(022);
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
		cmocka_unit_test(outdir__makes_and_removes),
		cmocka_unit_test(outdir__replaces_links),
		cmocka_unit_test(outdir__refuses_what_others_may_change),
		cmocka_unit_test(outdir__fails_by_name),
		cmocka_unit_test(outdir__locks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
