// SPDX-License-Identifier: GPL-2.0-or-later
/* Presets: each is complete, can be printed and read again, gives way to what is given, and is found by name. */
#include "tests/unit/cfg_words.h"

#include "agent/cc/cc.h"
#include "lab/config/preset.h"
#include "lab/config/scenario.h"

static struct run_cfg with_preset(const char *name, const char *word)
{
	char preset[64];

	snprintf(preset, sizeof(preset), "preset=%s", name);
	return word ? SET(preset, word) : SET(preset);
}

/* The schemes that the IRN, MELO and HP papers compare, by what distinguishes them. */
static void apply__schemes(void **state)
{
	static const struct {
		const char *name, *transport, *cc;
		bool pfc;
	} want[] = {
		{ "roce", "roce", "none", true },
		{ "roce-nopfc", "roce", "none", false },
		{ "roce-backoff", "roce", "none", false },
		{ "resilient-roce", "roce", "dcqcn", false },
		{ "roce-dcqcn", "roce", "dcqcn", true },
		{ "roce-timely", "roce", "timely", true },
		{ "dcqcn-connectx", "roce", "dcqcn-connectx", true },
		{ "timely-patched", "roce", "timely-patched", true },
		{ "ib-aimd", "roce", "ib-aimd", false },
		{ "ib-lipd", "roce", "ib-lipd", false },
		{ "ib-fimd", "roce", "ib-fimd", false },
		{ "irn", "irn", "none", false },
		{ "irn-pfc", "irn", "none", true },
		{ "irn-gbn", "irn-gbn", "none", false },
		{ "irn-nobdp", "irn-nobdp", "none", false },
		{ "irn-dcqcn", "irn", "dcqcn", false },
		{ "irn-timely", "irn", "timely", false },
		{ "irn-aimd", "irn", "aimd", false },
		{ "irn-dctcp", "irn", "dctcp", false },
		{ "irn-pfc-dcqcn", "irn", "dcqcn", true },
		{ "irn-pfc-timely", "irn", "timely", true },
		{ "melo", "melo", "none", false },
		{ "melo-dcqcn", "melo", "dcqcn", false },
		{ "iwarp", "iwarp", "none", false },
	};
	u32 i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct run_cfg c = finish(with_preset(want[i].name, NULL));

		assert_string_equal(preset_at(i)->name, want[i].name);
		assert_string_equal(c.preset, want[i].name);
		assert_string_equal(c.transport, want[i].transport);
		assert_string_equal(c.cc, want[i].cc);
		assert_true((c.fc == CFG_FC_PFC) == want[i].pfc &&
			    ALG(c, "backoff") == !strcmp(c.preset, "roce-backoff"));
		/* MELO's figure 5(a), 99.0 % of the line at 1 % of loss (REFERENCE 3.4) */
		assert_int_equal(ALG(c, "melo_resend"), !strcmp(c.transport, "melo"));
		assert_true(strcmp(c.transport, "melo") || c.rto_high == 50 * PS_PER_US);
		assert_int_equal(c.timeouts, c.fc == CFG_FC_NONE ? CFG_ON : CFG_OFF);
		assert_int_equal(c.fc == CFG_FC_CREDIT, cc_find(c.cc) && cc_find(c.cc)->credits);
	}
	assert_null(preset_at(i));
}

/* A preset leaves nothing of its kind to chance, and nothing that a printed configuration would lose. */
static void apply__complete(void **state)
{
	const struct preset *p;

	for (u32 i = 0; (p = preset_at(i)); i++) {
		struct run_cfg c = finish(with_preset(p->name, NULL)), by_hand = SET("seed=1");
		char settings[256], *rest, *word;

		assert_true(cfg_given(&c, "transport") && cfg_given(&c, "fc") && cfg_given(&c, "cc"));
		assert_ptr_equal(preset_find(p->name), p);
		assert_in_range(strlen(p->name), 1, 16); /* the list's column */
		assert_in_range(strlen(p->what), 1, 60);
		assert_int_equal((int)c.ecn, cc_find(c.cc) ? cc_find(c.cc)->marking : ECN_OFF);
		assert_in_range(snprintf(settings, sizeof(settings), "%s", p->settings), 1, 127);
		for (word = strtok_r(settings, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			assert_int_equal(cfg_set(&by_hand, word, &err), 0);
		by_hand = finish(by_hand);
		memcpy(by_hand.preset, c.preset, sizeof(c.preset));
		memcpy(by_hand.given, c.given, sizeof(c.given));
		assert_memory_equal(&by_hand, &c, sizeof(c));
	}
}

/* With a few other keys on top, as runs have them. */
static void apply__round_trip(void **state)
{
	static const char *const words[] = { NULL,          "ecn=red", "fc=pfc",   "timeouts=on", "op=read",
					     "message=4KB", "seed=5",  "reth=all", "region=1KB",  "stop_at=1ms",
					     "ecn=auto",    "fc=auto", "class=0",  "mtu=256",     "workload=incast" };
	static const char *const not_iwarp[] = { "op=read", "reth=all", "region=1KB" };
	const struct preset *p;

	for (u32 i = 0; (p = preset_at(i)); i++) {
		for (u32 w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
			struct run_cfg c = with_preset(p->name, words[w]);

			bool refused = false;

			for (u32 k = 0; k < sizeof(not_iwarp) / sizeof(not_iwarp[0]); k++)
				refused |= words[w] && !strcmp(p->name, "iwarp") && !strcmp(words[w], not_iwarp[k]);
			if (refused)
				continue;
			c = finish(c);
			round_trip(&c);
		}
	}
}

/* Wherever it stands, and also where the value is what the key would be by default. */
static void apply__explicit_wins(void **state)
{
	struct run_cfg c = finish(SET("preset=irn-dcqcn", "fc=pfc", "cc=timely"));

	assert_string_equal(c.transport, "irn");
	assert_string_equal(c.cc, "timely");
	assert_true(c.fc == CFG_FC_PFC && c.ecn == CFG_ECN_OFF);
	c = finish(SET("cc=none", "transport=roce", "preset=irn-pfc-dcqcn"));
	assert_string_equal(c.transport, "roce");
	assert_string_equal(c.cc, "none");
	assert_true(c.fc == CFG_FC_PFC);
	c = finish(SET("preset=roce-backoff", "backoff=off"));
	assert_true(!ALG(c, "backoff") && c.fc != CFG_FC_PFC);
	c = finish(SET("fc=none", "fc=auto", "preset=irn-pfc")); /* taken back: not given */
	assert_true(c.fc == CFG_FC_PFC);
	c = finish(SET("preset=irn", "preset="));
	assert_string_equal(c.transport, "roce");
	assert_true(c.fc == CFG_FC_PFC);
}

/* A contradiction with a preset is refused as any other, and the key is named. */
static void apply__contradiction(void **state)
{
	struct run_cfg c = SET("preset=irn-dcqcn", "ecn=off");

	assert_true(cfg_finish(&c, &err) < 0);
	assert_says("ecn=off: cc=dcqcn requires");
	c = SET("preset=roce-backoff", "transport=irn");
	assert_true(cfg_finish(&c, &err) < 0);
	assert_says("backoff=on: transport=irn does not go back N");
	c = SET("preset=irn-nobdp", "cap=5");
	assert_true(cfg_finish(&c, &err) < 0);
	assert_says("cap=5: transport=irn-nobdp has no cap");
}

static void unknown__refused(void **state)
{
	static const char *const bad[][2] = {
		{ "preset=irm", "preset=irm: no such preset; did you mean irn? losslab run --presets lists them" },
		{ "preset=rocedcqcn", "did you mean roce-dcqcn?" },
		{ "preset=IRN", "preset=IRN: no such preset; losslab run --presets lists them" },
		{ "preset=irn ", "blank" },
		{ "preset=a-name-that-is-longer-than-any-preset", "preset=a-name" },
	};
	struct run_cfg c = SET("seed=1");

	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(cfg_set(&c, bad[i][0], &err) < 0);
		assert_says(bad[i][1]);
		assert_false(*c.preset || cfg_given(&c, "preset"));
	}
	snprintf(c.preset, sizeof(c.preset), "iran"); /* not by cfg_set() */
	assert_true(cfg_finish(&c, &err) < 0);
	assert_says("preset=iran: no such preset; did you mean irn?");
	assert_null(preset_find(""));
}

/* In a scenario a variant's preset works on top of what all have in common, and gives way to that. */
static void scenario__common_settings_win(void **state)
{
	static const char text[] = "fc=pfc\ncc=dcqcn\n[a]\npreset=irn\n[b]\npreset=melo\ncc=none\n"
				   "[c]\npreset=roce-timely\ntransport=irn-gbn\n";
	char path[] = "/tmp/losslab-test-preset-XXXXXX";
	static struct scenario sc;
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	if (scenario_read(&sc, path, NULL, 0, &err))
		fail_msg("%s", err.text);
	remove(path);
	assert_int_equal(sc.n, 3);
	for (u32 i = 0; i < 3; i++)
		assert_true(sc.cfg[i].fc == CFG_FC_PFC);
	assert_string_equal(sc.cfg[0].transport, "irn");
	assert_string_equal(sc.cfg[0].cc, "dcqcn");
	assert_string_equal(sc.cfg[1].transport, "melo");
	assert_string_equal(sc.cfg[1].cc, "none");
	assert_string_equal(sc.cfg[2].transport, "irn-gbn");
	assert_string_equal(sc.cfg[2].cc, "dcqcn");
}

static void list__two_lines_each(void **state)
{
	char text[8192], *line = text;
	FILE *f = fmemopen(text, sizeof(text), "w");
	const struct preset *p;

	preset_list(f);
	fclose(f);
	for (u32 i = 0; (p = preset_at(i)); i++) {
		char *end = strchr(line, '\n');

		assert_non_null(end);
		*end = '\0';
		assert_memory_equal(line, p->name, strlen(p->name));
		assert_int_equal(line[strlen(p->name)], ' ');
		assert_true(strstr(line, p->settings) && strlen(line) <= 80);
		line = end + 1;
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		assert_true(line[0] == ' ' && strstr(line, p->what) && strlen(line) <= 80);
		line = end + 1;
	}
	assert_string_equal(line, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apply__schemes),
		cmocka_unit_test(apply__complete),
		cmocka_unit_test(apply__round_trip),
		cmocka_unit_test(apply__explicit_wins),
		cmocka_unit_test(apply__contradiction),
		cmocka_unit_test(unknown__refused),
		cmocka_unit_test(scenario__common_settings_win),
		cmocka_unit_test(list__two_lines_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
