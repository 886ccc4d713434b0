// SPDX-License-Identifier: GPL-2.0-or-later
/* losslab headroom: the buffer that PFC needs above XOFF, term by term (bpf/pfc.h has the derivation). */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/packet/packet.h"
#include "bpf/pfc.h"
#include "lab/config/cfg.h"
#include "lab/cmd/cmd.h"
#include "topo/topo.h"

struct link {
	u32 ps_per_byte;
	u64 delay;
	u32 mtu;
};

static int read_words(char **words, struct link *l)
{
	char word[CFG_STR];
	struct err err;
	struct run_cfg cfg;

	if (unit_rate(words[0], &l->ps_per_byte, &err) || unit_time(words[1], &l->delay, &err))
		return cmd_fail(EXIT_USAGE, "headroom: %s", err.text);
	if (!l->delay || l->delay > 1000 * PS_PER_MS)
		return cmd_fail(EXIT_USAGE, "headroom: delay %.40s: must be above 0 and at most 1s", words[1]);
	cfg_defaults(&cfg);
	snprintf(word, sizeof(word), "mtu=%.40s", words[2]);
	if (cfg_set(&cfg, word, &err))
		return cmd_fail(EXIT_USAGE, "headroom: %s", err.text);
	l->mtu = cfg.mtu;
	return EXIT_DONE;
}

/* The terms in the order of events: their key in JSON, and their line in the text. gaps is subtracted. */
static void print_terms(const struct pfc_headroom *h, bool json)
{
	const struct {
		s64 bytes;
		const char *key, *meaning;
	} terms[] = {
		{ h->deciding, "deciding", "the frame that reaches xoff, less one byte" },
		{ h->back, "back", "a frame on the wire back, which the PAUSE cannot cut into" },
		{ h->pause, "pause", "the PAUSE" },
		{ (s64)h->flight, "flight", "the delay, both ways" },
		{ h->last, "last", "the frame begun just before the PAUSE takes effect" },
		{ -(s64)h->gaps, "gaps", "preambles, FCS and gaps between frames, which take no buffer" },
	};

	for (u32 i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
		if (json)
			printf("%s\"%s\": %lld", i ? ", " : "", terms[i].key, terms[i].bytes);
		else
			printf("%12lld  %s\n", terms[i].bytes, terms[i].meaning);
}

static void print(const struct link *l, bool json)
{
	u32 frame = packet_frame_max(l->mtu);
	struct pfc_headroom h = pfc_headroom_terms(l->ps_per_byte, l->delay, frame);
	u64 sum = pfc_headroom(l->ps_per_byte, l->delay, frame);
	char rate[32], delay[32];

	unit_print_rate(l->ps_per_byte, rate, sizeof(rate));
	unit_print_time(l->delay, delay, sizeof(delay));
	if (json)
		printf("{\n \"rate\": \"%s\", \"delay\": \"%s\", \"mtu\": %u, \"frame\": %u,\n \"terms\": {", rate,
		       delay, l->mtu, frame);
	else
		printf("PFC headroom at %s, %s, mtu %u (frames of up to %u bytes):\n", rate, delay, l->mtu, frame);
	print_terms(&h, json);
	printf(json ? "},\n \"headroom\": %llu\n}\n" : "%12llu  bytes above xoff\n", sum);
}

static int run_headroom(const struct cmd *cmd, int argc, char **argv)
{
	bool json = false;
	struct link l;
	int c, code;

	while ((c = cmd_getopt(cmd, argc, argv, &code)) != -1) {
		if (c != CMD_JSON)
			return code;
		json = true;
	}
	if (argc - optind < 3)
		return cmd_missing(cmd, (const char *[]){ "RATE", "DELAY", "MTU" }[argc - optind]);
	if (argc - optind > 3)
		return cmd_extra(cmd, argv[optind + 3]);
	code = read_words(argv + optind, &l);
	if (code == EXIT_DONE)
		print(&l, json);
	return code;
}

static const struct cmd_arg args[] = {
	{ "RATE DELAY", "of the link, as in topo/FORMAT.md: 40gbit 2us" },
	{ "MTU", "payload bytes of a packet, as the key mtu of run" },
	{ 0 },
};

static const struct cmd_option options[] = {
	{ CMD_JSON, "json", NULL, "an object: the link, the terms, and their sum as headroom" },
	{ 0 },
};

const struct cmd cmd_headroom = {
	.name = "headroom",
	.usage = "RATE DELAY MTU",
	.help = "compute the buffer that PFC needs above XOFF, term by term",
	.args = args,
	.options = options,
	.notes = "The result is in bytes, for each class, at the port that sends the PAUSE.",
	.run = run_headroom,
};
