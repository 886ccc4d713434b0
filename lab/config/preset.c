// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of presets. A new one is a row here, and nothing else. */
#include "lab/config/preset.h"

#include <errno.h>
#include <string.h>

#include "lab/config/cfg_keys.h"
#include "lab/text.h"

#define SETTINGS_MAX 128 /* bytes of a row's settings, with the final NUL */

/*
 * IRN paper: Mittal et al., SIGCOMM 2018; REFERENCE 1.7 lists its variations. "ECN or Delay": Zhu et al., CoNEXT 2016
 * (REFERENCE 4.2). MELO: Lu et al., APNet 2017 (REFERENCE 3). ib-*: HP's proposal for InfiniBand (REFERENCE 5).
 */
static const struct preset presets[] = {
	{ "roce", "transport=roce fc=pfc cc=none", "go-back-N over PFC" },
	{ "roce-nopfc", "transport=roce fc=none cc=none", "go-back-N on a lossy network" },
	{ "roce-backoff", "transport=roce fc=none cc=none backoff=on",
	  "go-back-N on a lossy network, halving a window on loss" },
	{ "resilient-roce", "transport=roce fc=none cc=dcqcn",
	  "go-back-N on a lossy network, DCQCN (IRN paper, footnote 3)" },
	{ "roce-dcqcn", "transport=roce fc=pfc cc=dcqcn", "go-back-N over PFC, DCQCN" },
	{ "roce-timely", "transport=roce fc=pfc cc=timely", "go-back-N over PFC, TIMELY" },
	{ "dcqcn-connectx", "transport=roce fc=pfc cc=dcqcn-connectx",
	  "go-back-N over PFC, DCQCN as in ConnectX adapters" },
	{ "timely-patched", "transport=roce fc=pfc cc=timely-patched",
	  "go-back-N over PFC, TIMELY as corrected in \"ECN or Delay\"" },
	{ "ib-aimd", "transport=roce fc=credit ecn=ib cc=ib-aimd",
	  "go-back-N over credits, InfiniBand's rate and window: AIMD" },
	{ "ib-lipd", "transport=roce fc=credit ecn=ib cc=ib-lipd",
	  "go-back-N over credits, InfiniBand's rate and window: LIPD" },
	{ "ib-fimd", "transport=roce fc=credit ecn=ib cc=ib-fimd",
	  "go-back-N over credits, InfiniBand's rate and window: FIMD" },
	{ "irn", "transport=irn fc=none cc=none", "IRN: selective retransmission, BDP-FC, no PFC" },
	{ "irn-pfc", "transport=irn fc=pfc cc=none", "IRN over PFC" },
	{ "irn-gbn", "transport=irn-gbn fc=none cc=none", "IRN with go-back-N for its loss recovery" },
	{ "irn-nobdp", "transport=irn-nobdp fc=none cc=none", "IRN without BDP-FC" },
	{ "irn-dcqcn", "transport=irn fc=none cc=dcqcn", "IRN, DCQCN" },
	{ "irn-timely", "transport=irn fc=none cc=timely", "IRN, TIMELY" },
	{ "irn-aimd", "transport=irn fc=none cc=aimd", "IRN, TCP's AIMD (IRN paper, 4.4)" },
	{ "irn-dctcp", "transport=irn fc=none ecn=step kmin=20000 cc=dctcp", "IRN, DCTCP (IRN paper, 4.4)" },
	{ "irn-pfc-dcqcn", "transport=irn fc=pfc cc=dcqcn", "IRN over PFC, DCQCN" },
	{ "irn-pfc-timely", "transport=irn fc=pfc cc=timely", "IRN over PFC, TIMELY" },
	/* what the paper's figure 5(a) needs; its text is melo_resend=front and names no time */
	{ "melo", "transport=melo fc=none cc=none melo_resend=holes rto_high=50us",
	  "MELO as in its figures; its text: melo_resend=front" },
	{ "melo-dcqcn", "transport=melo fc=none cc=dcqcn melo_resend=holes rto_high=50us",
	  "MELO as in its figures, DCQCN; its text: melo_resend=front" },
	{ "iwarp", "transport=iwarp fc=none cc=none", "iWARP: RDMA over TCP" },
};

const struct preset *preset_at(u32 i)
{
	return i < sizeof(presets) / sizeof(presets[0]) ? &presets[i] : NULL;
}

const struct preset *preset_find(const char *name)
{
	const struct preset *p;

	for (u32 i = 0; (p = preset_at(i)); i++)
		if (!strcmp(name, p->name))
			return p;
	return NULL;
}

int preset_unknown(const char *name, struct err *err)
{
	const char *nearest = NULL;
	const struct preset *p;

	for (u32 i = 0; (p = preset_at(i)); i++)
		nearest = cfg_nearer(name, nearest, p->name);
	return err_set(err, -EINVAL, "preset=%s: no such preset; %s%s%slosslab run --presets lists them",
		       text_quote(name).s, nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "? " : "");
}

int preset_apply(struct run_cfg *c, struct err *err)
{
	const struct preset *p = preset_find(c->preset);
	char settings[SETTINGS_MAX], *rest, *word;

	if (!*c->preset)
		return 0;
	if (!p)
		return preset_unknown(c->preset, err);
	snprintf(settings, sizeof(settings), "%s", p->settings);
	for (word = strtok_r(settings, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char key[SETTINGS_MAX];

		snprintf(key, sizeof(key), "%.*s", (int)strcspn(word, "="), word);
		if (!cfg_given(c, key) && cfg_set(c, word, err))
			return -EINVAL;
	}
	return 0;
}

/* Two lines each: both together are longer than a terminal is wide. */
void preset_list(FILE *out)
{
	const struct preset *p;

	for (u32 i = 0; (p = preset_at(i)); i++)
		fprintf(out, "%-16s %s\n%-16s %s\n", p->name, p->settings, "", p->what);
}
