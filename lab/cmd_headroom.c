// SPDX-License-Identifier: GPL-2.0
/* losslab headroom: what PFC needs above XOFF on a link to lose nothing, term by term (bpf/pfc.h has the derivation).
 */
#include <stdio.h>
#include <stdlib.h>

#include "agent/packet.h"
#include "bpf/pfc.h"
#include "lab/cfg.h"
#include "lab/cmd_priv.h"
#include "topo/topo.h"

static const char options_help[] =
	"  RATE DELAY   of the link, as in topo/FORMAT.md: 40gbit 2us\n"
	"  MTU          payload bytes of a packet, as the key mtu of run\n"
	"\n"
	"Bytes of buffer per class that must lie above xoff at the port that sends the PAUSE.\n";

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct link {
	u32 ps_per_byte;
	u64 delay;
	u32 mtu;
};

static int read_words(char **words, struct link *l)
{
	char err[TOPO_ERR_MAX], word[CFG_STR];
	struct run_cfg cfg;

	if (unit_rate(words[0], &l->ps_per_byte, err) || unit_time(words[1], &l->delay, err))
		return cmd_fail(EXIT_USAGE, "headroom: %s", err);
	if (!l->delay || l->delay > 1000 * PS_PER_MS)
		return cmd_fail(EXIT_USAGE, "headroom: delay %.40s: must be above 0 and at most 1s", words[1]);
	cfg_defaults(&cfg);
	snprintf(word, sizeof(word), "mtu=%.40s", words[2]);
	if (cfg_set(&cfg, word, err))
		return cmd_fail(EXIT_USAGE, "headroom: %s", err);
	l->mtu = cfg.mtu;
	return EXIT_DONE;
}

static void print(const struct link *l)
{
	u32 frame = packet_frame_max(l->mtu);
	struct pfc_headroom h = pfc_headroom_terms(l->ps_per_byte, l->delay, frame);
	char rate[32], delay[32];

	printf("PFC headroom at %s, %s, mtu %u (frames of up to %u bytes):\n",
	       unit_print_rate(l->ps_per_byte, rate, sizeof(rate)), unit_print_time(l->delay, delay, sizeof(delay)),
	       l->mtu, frame);
	printf("%12u  the frame that reaches xoff, less one byte\n", h.deciding);
	printf("%12u  a frame on the wire back, which the PAUSE cannot cut into\n", h.back);
	printf("%12u  the PAUSE\n", h.pause);
	printf("%12llu  the delay, both ways\n", h.flight);
	printf("%12u  the frame begun just before the PAUSE takes effect\n", h.last);
	printf("%12lld  preambles, FCS and gaps between frames, which take no buffer\n", -(s64)h.gaps);
	printf("%12llu  bytes above xoff\n", pfc_headroom(l->ps_per_byte, l->delay, frame));
}

int cmd_headroom(int argc, char **argv)
{
	struct link l;
	int c, code;

	while ((c = cmd_getopt(argc, argv, options)) != -1)
		return c == 'h' ? cmd_help(argv[0], options_help) : EXIT_USAGE;
	if (optind + 3 != argc)
		return cmd_bad_args(argv[0]);
	code = read_words(argv + optind, &l);
	if (code == EXIT_DONE)
		print(&l);
	return code;
}
