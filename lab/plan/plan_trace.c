// SPDX-License-Identifier: GPL-2.0-or-later
/* trace=: which flows and hosts are traced, and the memory that a window's events take. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lab/plan/plan_impl.h"
#include "lab/text.h"

#define ALLOWED "allowed: flow:ID or FIRST-LAST, with commas between; host:NAME, with commas between; all"

/* Events that a frame brings about, sent or received: it itself, timers, marks, requests. */
#define PER_FRAME 8
/* ... and in a window each flow of the host besides: its start, its timer. */
#define PER_FLOW 8

static int fail(struct err *err, const char *word, const char *why)
{
	return err_set(err, -EINVAL, "trace: '%s': %s; " ALLOWED, text_quote(word).s, why);
}

/* "7" or "5-9" */
static int add_flows(struct plan *f, char *word, struct err *err)
{
	char whole[CFG_STR], *dash = strchr(word, '-');
	u64 first, last;

	snprintf(whole, sizeof(whole), "%s", word);
	if (dash)
		*dash++ = '\0';
	if (text_u64(word, ~0ULL, &first) || text_u64(dash ? dash : word, ~0ULL, &last))
		return fail(err, whole, "no flow's number");
	if (first > last)
		return fail(err, whole, "ends before it begins");
	if (last >= f->flows.n)
		return err_set(err, -EINVAL, "trace: '%s': no such flow; allowed: 0..%u", text_quote(whole).s,
			       f->flows.n - 1);
	for (u64 i = first; i <= last; i++)
		f->trace.flows[i / 64] |= 1ULL << i % 64;
	return 0;
}

static int add_host(const struct plan *f, const char *word, bool *hosts, struct err *err)
{
	for (u32 h = 0; h < f->size.hosts; h++) {
		if (strcmp(f->topo->nodes[f->topo->hosts[h]].name, word))
			continue;
		hosts[h] = true;
		return 0;
	}
	return err_set(err, -EINVAL, "trace: '%s': no host of that name in this topology", text_quote(word).s);
}

/* Both ends of the flows traced. */
static void add_ends(const struct plan *f, bool *hosts)
{
	for (u32 i = 0; i < f->flows.n; i++)
		if (f->trace.flows[i / 64] >> i % 64 & 1)
			hosts[f->flows.flows[i].src] = hosts[f->flows.flows[i].dst] = true;
}

/* trace= in words: f->trace.flows, and whether each host is concerned. */
static int parse(struct plan *f, bool *hosts, struct err *err)
{
	char list[CFG_STR], *rest = list, *word;
	bool flows;
	int rc = 0;

	snprintf(list, sizeof(list), "%s", f->cfg->trace);
	if (!strcmp(list, "all")) {
		memset(hosts, true, f->size.hosts * sizeof(*hosts));
		return 0;
	}
	flows = !strncmp(list, "flow:", 5);
	if (!flows && strncmp(list, "host:", 5))
		return fail(err, list, "neither flows nor hosts");
	rest += 5;
	if (flows) {
		f->trace.flows = calloc(f->flows.n / 64 + 1, sizeof(*f->trace.flows));
		if (!f->trace.flows)
			return err_set(err, -ENOMEM, "out of memory");
	}
	while (!rc && (word = strsep(&rest, ",")))
		rc = flows ? add_flows(f, word, err) : add_host(f, word, hosts, err);
	if (!rc && flows)
		add_ends(f, hosts);
	return rc;
}

/* Events of host @h in one window, at most. @flows: that it takes part in. */
static u32 room(const struct plan *f, u32 h, u32 flows)
{
	const struct port_cfg *p = &f->ports[f->host_port[h]];
	u64 frames = 2 * (f->window / ((u64)wire_bytes(ETH_MIN) * p->ps_per_byte) + 2);
	u64 events = frames * PER_FRAME + (u64)flows * PER_FLOW;

	return events < 1U << 30 ? (u32)events : 1U << 30;
}

/* A buffer for every host concerned. Only pages that get events take memory. */
static int make_buffers(struct plan *f, const bool *hosts, u32 *count, struct err *err)
{
	u8 *at;

	for (u32 i = 0; i < f->flows.n; i++) {
		count[f->flows.flows[i].src]++;
		count[f->flows.flows[i].dst]++;
	}
	for (u32 h = 0; h < f->size.hosts; h++)
		if (hosts[h])
			f->trace.bytes += 64 + (size_t)room(f, h, count[h]) * sizeof(struct trace_event);
	at = mmap(NULL, f->trace.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return err_set(err, -ENOMEM, "trace: out of memory");
	f->trace.memory = at;
	for (u32 h = 0; h < f->size.hosts; h++) {
		struct trace_buffer *b = (struct trace_buffer *)at;

		if (!hosts[h])
			continue;
		f->nics[h].trace =
			(struct trace_params){ .buffer = b, .size = room(f, h, count[h]), .flows = f->trace.flows };
		at += 64 + (size_t)f->nics[h].trace.size * sizeof(struct trace_event);
	}
	return 0;
}

int plan_trace(struct plan *f, struct err *err)
{
	bool *hosts;
	u32 *count;
	int rc;

	if (!f->cfg->trace[0])
		return 0;
	hosts = calloc(f->size.hosts + 1, sizeof(*hosts));
	count = calloc(f->size.hosts + 1, sizeof(*count));
	rc = hosts && count ? parse(f, hosts, err) : err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = make_buffers(f, hosts, count, err);
	free(hosts);
	free(count);
	return rc;
}

void plan_trace_free(struct plan *f)
{
	if (f->trace.memory)
		munmap(f->trace.memory, f->trace.bytes);
	free(f->trace.flows);
}
