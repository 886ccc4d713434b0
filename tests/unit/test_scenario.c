// SPDX-License-Identifier: GPL-2.0-or-later
/* Scenario files: sections, overrides, errors that say where, and rubbish. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/config/scenario.h"

static struct err err;
static char dir[64], path[128];
static struct scenario sc;

static int make_dir(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/test_scenario.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/scenario", dir);
	return 0;
}

static int remove_dir(void **state)
{
	unlink(path);
	return rmdir(dir);
}

static void write_bytes(const char *bytes, size_t n)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

static int read_text(const char *text, char **words, int n_words)
{
	memset(&err, 0, sizeof(err));
	write_bytes(text, strlen(text));
	return scenario_read(&sc, path, words, n_words, &err);
}

/* The one line of a refusal: "file:line: ..." with @what in it. */
static void assert_refused(const char *text, u32 line, const char *what)
{
	char place[160];

	snprintf(place, sizeof(place), "%s:%u: ", path, line);
	assert_int_equal(read_text(text, NULL, 0), -EINVAL);
	if (strncmp(err.text, place, strlen(place)) || !strstr(err.text, what) || strchr(err.text, '\n'))
		fail_msg("'%s' is not '%s...%s...'", err.text, place, what);
}

static void read__sections(void **state)
{
	assert_int_equal(read_text("# what for\nseed=7\nmtu=512 # bytes\n\n[ roce ]\n transport=roce "
				   "\n[irn]\ntransport=irn\nmtu=1024\n"
				   "[irn-pfc]\ntransport=irn\nfc=pfc",
				   NULL, 0),
			 0);
	assert_int_equal(sc.n, 3);
	assert_string_equal(sc.label[0], " roce ");
	assert_string_equal(sc.label[1], "irn");
	assert_string_equal(sc.label[2], "irn-pfc");
	assert_string_equal(sc.cfg[0].transport, "roce");
	assert_true(sc.cfg[0].fc == CFG_FC_PFC && sc.cfg[0].mtu == 512 && sc.cfg[0].seed == 7);
	assert_true(sc.cfg[1].fc != CFG_FC_PFC && sc.cfg[1].mtu == 1024 && sc.cfg[1].seed == 7);
	assert_true(sc.cfg[2].fc == CFG_FC_PFC && sc.cfg[2].mtu == 512);
	assert_int_equal(sc.cfg[1].timeouts, CFG_ON); /* finished */
	assert_int_equal(sc.cfg[2].timeouts, CFG_OFF);
}

static void read__without_sections(void **state)
{
	assert_int_equal(read_text("transport=irn\nseed=3\n", NULL, 0), 0);
	assert_int_equal(sc.n, 1);
	assert_string_equal(sc.label[0], "irn");
	assert_int_equal(sc.cfg[0].seed, 3);
	assert_int_equal(read_text("", NULL, 0), 0);
	assert_int_equal(sc.n, 1);
	assert_string_equal(sc.label[0], "roce");
}

/* Words by hand win over what all have in common, not over a variant's own lines. */
static void read__words(void **state)
{
	char *words[] = { "seed=99", "mtu=256" };

	assert_int_equal(read_text("seed=1\n[a]\n[b]\nmtu=512\n", words, 2), 0);
	assert_true(sc.n == 2 && sc.cfg[0].seed == 99 && sc.cfg[1].seed == 99);
	assert_true(sc.cfg[0].mtu == 256 && sc.cfg[1].mtu == 512);
	assert_int_equal(read_text("seed=1\n", words, 2), 0);
	assert_true(sc.n == 1 && sc.cfg[0].seed == 99 && sc.cfg[0].mtu == 256);
}

static void read__words_alone(void **state)
{
	char *words[] = { "transport=irn", "seed=5" }, *bad[] = { "sed=5" };

	assert_int_equal(scenario_read(&sc, NULL, words, 2, &err), 0);
	assert_true(sc.n == 1 && sc.cfg[0].seed == 5);
	assert_string_equal(sc.label[0], "irn");
	assert_int_equal(scenario_read(&sc, NULL, NULL, 0, &err), 0);
	assert_int_equal(scenario_read(&sc, NULL, bad, 1, &err), -EINVAL);
	assert_non_null(strstr(err.text, "did you mean seed"));
}

/* One variant is called after its preset, if it has one. */
static void read__label_of_a_preset(void **state)
{
	char *words[] = { "preset=irn-dcqcn", "seed=5" };

	assert_int_equal(scenario_read(&sc, NULL, words, 2, &err), 0);
	assert_string_equal(sc.label[0], "irn-dcqcn");
	assert_string_equal(sc.cfg[0].transport, "irn");
	assert_int_equal(read_text("preset=melo\n", NULL, 0), 0);
	assert_string_equal(sc.label[0], "melo");
	assert_int_equal(read_text("[a]\npreset=melo\n", NULL, 0), 0);
	assert_string_equal(sc.label[0], "a");
	assert_refused("[a]\npreset=melon\n", 2, "did you mean melo?");
}

/* A word by hand that is wrong is not a line's fault. */
static void read__bad_word_is_not_the_files(void **state)
{
	char *bad[] = { "sed=5" };

	assert_int_equal(read_text("seed=1\n[a]\n", bad, 1), -EINVAL);
	assert_non_null(strstr(err.text, "sed"));
	assert_null(strstr(err.text, path));
}

static void read__folder(void **state)
{
	write_bytes("seed=12\n", 8);
	assert_int_equal(scenario_read(&sc, dir, NULL, 0, &err), 0);
	assert_int_equal(sc.cfg[0].seed, 12);
}

/* A folder's own flows are found from anywhere, by its file's name too; words by hand mean what they say. */
static void read__folder_workload(void **state)
{
	char *words[] = { "workload=cdf:mine" };
	const char text[] =
		"workload = file:flows.csv\n[a]\n[b]\nworkload=cdf:/sizes\n[c]\nmtu=512\nworkload=cdf:sizes\nseed=2\n";
	char beside[256];

	write_bytes(text, strlen(text));
	assert_int_equal(scenario_read(&sc, dir, NULL, 0, &err), 0);
	snprintf(beside, sizeof(beside), "file:%s/flows.csv", dir);
	assert_string_equal(sc.cfg[0].workload, beside);
	assert_string_equal(sc.cfg[1].workload, "cdf:/sizes");
	snprintf(beside, sizeof(beside), "cdf:%s/sizes", dir);
	assert_string_equal(sc.cfg[2].workload, beside);
	assert_int_equal(scenario_read(&sc, path, NULL, 0, &err), 0);
	snprintf(beside, sizeof(beside), "file:%s/flows.csv", dir);
	assert_string_equal(sc.cfg[0].workload, beside);
	assert_int_equal(scenario_read(&sc, dir, words, 1, &err), 0);
	assert_string_equal(sc.cfg[0].workload, "cdf:mine");
	write_bytes("workload=incast\n", 16);
	assert_int_equal(scenario_read(&sc, dir, NULL, 0, &err), 0);
	assert_string_equal(sc.cfg[0].workload, "incast");
}

/* So are its faults and its topology; a word that is no file there is a generator. */
static void read__beside(void **state)
{
	const char text[] = "topology=star:n=3\nfault_file=mine\n[a]\n[b]\ntopology=scenario\nfault_file=/there\n[c]\n"
			    "topology=sub/net\nfault_file=\nworkload=incast\n[d]\ntopology=/net\n";
	char beside[256];

	write_bytes(text, strlen(text));
	assert_int_equal(scenario_read(&sc, path, NULL, 0, &err), 0);
	snprintf(beside, sizeof(beside), "%s/mine", dir);
	assert_string_equal(sc.cfg[0].topology, "star:n=3");
	assert_string_equal(sc.cfg[0].fault_file, beside);
	assert_string_equal(sc.cfg[1].topology, path);
	assert_string_equal(sc.cfg[1].fault_file, "/there");
	snprintf(beside, sizeof(beside), "%s/sub/net", dir);
	assert_string_equal(sc.cfg[2].topology, beside);
	assert_string_equal(sc.cfg[2].fault_file, "");
	assert_string_equal(sc.cfg[2].workload, "incast");
	assert_string_equal(sc.cfg[3].topology, "/net");
}

static void read__folder_workload_too_long(void **state)
{
	char text[CFG_STR + 32], place[256];

	snprintf(text, sizeof(text), "seed=1\nworkload=file:%0*d\n", CFG_STR - 16, 1);
	write_bytes(text, strlen(text));
	assert_int_equal(scenario_read(&sc, path, NULL, 0, &err), -EINVAL);
	assert_int_equal(scenario_read(&sc, dir, NULL, 0, &err), -EINVAL);
	snprintf(place, sizeof(place), "%s:2: workload: with the scenario's folder before it longer than", path);
	assert_memory_equal(err.text, place, strlen(place));
}

static void read__missing(void **state)
{
	unlink(path);
	assert_int_equal(scenario_read(&sc, path, NULL, 0, &err), -ENOENT);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(scenario_read(&sc, dir, NULL, 0, &err), -ENOENT);
	assert_non_null(strstr(err.text, dir));
	assert_non_null(strstr(err.text, "a folder without a file named \"scenario\""));
}

static void read__errors(void **state)
{
	assert_refused("seed=1\n\nsed=2\n", 3, "sed");
	assert_refused("seed=many\n", 1, "seed=many");
	assert_refused("seed=1\n[a]\nmtu=1\n", 3, "mtu=1");
	assert_refused("seed\n", 1, "KEY=VALUE");
	assert_refused("[]\n", 1, "label");
	assert_refused("seed=1\n[a\n", 2, "label");
	assert_refused("[", 1, "label");
	assert_refused("[a]\n[b]\n[a]\n", 3, "[a]: variant 1 has this label already; allowed: one of its own");
	assert_refused("[abc\n", 1, "label");
	assert_refused("\n[this-label-is-one-byte-longer-than-a-label-may-be]\n", 2, "label");
	assert_int_equal(strlen("this-label-is-one-byte-longer-than-a-label-may-be"), SCENARIO_LABEL + 1);
}

/* Contradictions are found once the whole variant is known; the message names the key. */
static void read__contradiction(void **state)
{
	assert_int_equal(read_text("", (char *[]){ "kmin=9000", "kmax=8000", "ecn=red" }, 3), -EINVAL);
	assert_int_equal(read_text("", (char *[]){ "xon=2000", "xoff=3000" }, 2), 0);
	assert_int_equal(read_text("ecn=red\n[a]\n[b]\nkmin=9000\nkmax=8000\n", NULL, 0), -EINVAL);
	assert_non_null(strstr(err.text, "kmin"));
	assert_int_equal(read_text("ecn=red\nkmax=8000\n[a]\nkmin=7000\n", NULL, 0), 0);
}

static void read__too_many(void **state)
{
	char text[SCENARIO_VARIANTS * 8 + 16] = "", *end = text;

	for (u32 i = 0; i < SCENARIO_VARIANTS; i++)
		end += sprintf(end, "[v%u]\n", i);
	assert_int_equal(read_text(text, NULL, 0), 0);
	assert_int_equal(sc.n, SCENARIO_VARIANTS);
	strcpy(end, "[more]\n");
	assert_refused(text, SCENARIO_VARIANTS + 1, "too many");
}

/* The longest label and the longest line; one byte more is refused, and so is a NUL. */
static void read__long_lines(void **state)
{
	char text[3000], label[SCENARIO_LABEL + 1];

	memset(label, 'x', SCENARIO_LABEL);
	label[SCENARIO_LABEL] = '\0';
	snprintf(text, sizeof(text), "[%s]\n", label);
	assert_refused(text, 1, "label");
	label[SCENARIO_LABEL - 1] = '\0';
	snprintf(text, sizeof(text), "[%s]\n", label);
	assert_int_equal(read_text(text, NULL, 0), 0);
	assert_string_equal(sc.label[0], label);
	memset(text, '#', sizeof(text));
	strcpy(text + 1000, "\nseed=4\n");
	assert_int_equal(read_text(text, NULL, 0), 0);
	assert_int_equal(sc.cfg[0].seed, 4);
	memset(text, '#', sizeof(text));
	strcpy(text + 2000, "\n");
	assert_refused(text, 1, "longer than");
	memset(text, ' ', sizeof(text));
	memcpy(text + 2000, "seed=4\n", 8);
	assert_refused(text, 1, "longer than");
	write_bytes("seed=1\nse\0ed=2\n", 15);
	assert_int_equal(scenario_read(&sc, path, NULL, 0, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":2: "));
	write_bytes("seed=1\nmtu=512\0 no", 18); /* in a last line without a newline, too */
	assert_int_equal(scenario_read(&sc, path, NULL, 0, &err), -EINVAL);
}

/* A path may hold a '#'; only after a blank, or first on its line, does one begin a comment, as in cfg_read(). */
static void read__hash_in_a_path(void **state)
{
	assert_int_equal(read_text("out=run#3 # the third\n#seed=2\n", NULL, 0), 0);
	assert_string_equal(sc.cfg[0].out, "run#3");
	assert_int_equal(sc.cfg[0].seed, 1);
}

/* Pieces of scenarios and rubbish: an answer, and one line of it when it is no. */
static void read__fuzz(void **state)
{
	static const char *const pieces[] = { "seed=1\n",
					      "[a]\n",
					      "[",
					      "]",
					      "\n",
					      "=",
					      "#",
					      "transport=irn\n",
					      "fc=pfc\n",
					      "mtu=",
					      "64\n",
					      " ",
					      "\t",
					      "loss=0.1@s0\n",
					      "buffer=1KiB\n",
					      "\xff\xfe",
					      "%n%s",
					      "[v]\nloss=0\n" };
	struct rng r = { .state = 21 };
	u32 good = 0, bad = 0;
	char text[4096];

	for (u32 i = 0; i < 5000; i++) {
		size_t n = 0;

		for (u32 k = rng_below(&r, 40); k; k--) {
			const char *p = pieces[rng_below(&r, sizeof(pieces) / sizeof(pieces[0]))];

			if (one_in(&r, 12))
				text[n++] = rng_next(&r);
			memcpy(text + n, p, strlen(p));
			n += strlen(p);
		}
		write_bytes(text, n);
		memset(&err, 0, sizeof(err));
		if (scenario_read(&sc, path, NULL, 0, &err)) {
			bad++;
			assert_true(err.text[0] && strlen(err.text) < ERR_TEXT_MAX && !strchr(err.text, '\n'));
		} else {
			good++;
			assert_in_range(sc.n, 1, SCENARIO_VARIANTS);
		}
	}
	assert_true(good > 50 && bad > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read__sections),
		cmocka_unit_test(read__without_sections),
		cmocka_unit_test(read__words),
		cmocka_unit_test(read__words_alone),
		cmocka_unit_test(read__label_of_a_preset),
		cmocka_unit_test(read__bad_word_is_not_the_files),
		cmocka_unit_test(read__folder),
		cmocka_unit_test(read__folder_workload),
		cmocka_unit_test(read__beside),
		cmocka_unit_test(read__folder_workload_too_long),
		cmocka_unit_test(read__missing),
		cmocka_unit_test(read__errors),
		cmocka_unit_test(read__contradiction),
		cmocka_unit_test(read__too_many),
		cmocka_unit_test(read__long_lines),
		cmocka_unit_test(read__hash_in_a_path),
		cmocka_unit_test(read__fuzz),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
