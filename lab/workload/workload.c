// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of workloads, and what they have in common. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/interrupt.h"
#include "lab/text.h"
#include "lab/workload/workload_impl.h"

const char *const flow_op_names[] = { [FLOW_WRITE] = "write", [FLOW_SEND] = "send", [FLOW_READ] = "read", NULL };

static const char path_arg[] = "PATH";

static const struct workload {
	const char *name; /* if it ends in ':', @arg follows */
	enum workload_kind kind;
	int (*make)(const struct workload_args *a, struct flow_list *out);
	const char *arg; /* what stands for it in messages; path_arg: a file */
} workloads[] = {
	{ "heavy-tailed", WORKLOAD_POISSON, workload_heavy_tailed, NULL },
	{ "websearch", WORKLOAD_POISSON, workload_websearch, NULL },
	{ "uniform:", WORKLOAD_POISSON, workload_uniform, "MIN-MAX" },
	{ "incast", WORKLOAD_INCAST, workload_incast, NULL },
	{ "permutation", WORKLOAD_BURST, workload_permutation, NULL },
	{ "file:", WORKLOAD_FILE, workload_file, path_arg },
	{ "cdf:", WORKLOAD_POISSON, workload_cdf, path_arg },
};
#define N_WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))

/* The row of @text, and in *arg what follows the colon. */
static const struct workload *find(const char *text, const char **arg)
{
	for (u32 i = 0; i < N_WORKLOADS; i++) {
		const char *name = workloads[i].name;
		size_t len = strlen(name);
		if (strncmp(text, name, len) || !workloads[i].arg != !text[len])
			continue;
		*arg = text + len;
		return &workloads[i];
	}
	return NULL;
}

enum workload_kind workload_kind(const char *text)
{
	const char *arg;
	const struct workload *w = find(text, &arg);

	return w ? w->kind : WORKLOAD_UNKNOWN;
}

const char *workload_path(const char *text)
{
	const char *arg;
	const struct workload *w = find(text, &arg);

	return w && w->arg == path_arg ? arg : NULL;
}

struct wire_cut workload_cut(const struct workload_spec *w)
{
	return (struct wire_cut){ .mtu = w->mtu, .message = w->message };
}

const char *workload_list(char *buf, size_t n)
{
	size_t used = 0;

	buf[0] = '\0';
	for (u32 i = 0; i < N_WORKLOADS && used < n; i++) {
		const char *arg = workloads[i].arg;

		used += (size_t)snprintf(buf + used, n - used, "%s%s%s", i ? "|" : "", workloads[i].name,
					 arg ? arg : "");
	}
	return buf;
}

int flow_list_add(struct flow_list *list, const struct flow *f)
{
	if (list->n == WORKLOAD_MAX)
		return -E2BIG;
	if (interrupted())
		return -EINTR;
	if (list->n == list->room) {
		u32 room = list->room ? list->room * 2 : 1024;
		struct flow *grown = realloc(list->flows, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		list->flows = grown;
		list->room = room;
	}
	list->flows[list->n] = *f;
	list->flows[list->n].id = list->n;
	list->n++;
	return 0;
}

/* The class of flow @id. Each flow has a stream of its own, so that no other draw depends on this one. */
static u16 draw_class(const struct workload_spec *w, u32 id)
{
	struct rng r = rng_stream(w->seed, RNG_CLASS, id);
	u32 left = w->class_mix;

	if (!left)
		return (u16)w->class;
	for (u64 skip = rng_below(&r, (u64)__builtin_popcount(left)); skip; skip--)
		left &= left - 1;
	return (u16)__builtin_ctz(left);
}

/* What workload @w came to, in words, unless they have been found already. */
static int fail(const struct workload_spec *w, int code, struct err *err)
{
	if (err->code)
		return code;
	return err_set(err, code, "workload=%s: %s", text_quote(w->text).s,
		       code == -E2BIG           ? "more than 4194304 flows"
			       : code == -EINTR ? "interrupted"
						: strerror(-code));
}

int workload_make(const struct workload_spec *w, u32 n_hosts, const u32 *host_ps, struct flow **flows, u32 *n,
		  struct err *err)
{
	struct workload_args args = { .spec = w, .n_hosts = n_hosts, .host_ps = host_ps, .err = err };
	const struct workload *row = find(w->text, &args.arg);
	struct flow_list list = { 0 };
	int rc;

	*flows = NULL;
	*n = 0;
	if (!row)
		return err_set(err, -EINVAL, "workload=%s: unknown", text_quote(w->text).s);
	if (n_hosts < 2)
		return err_set(err, -EINVAL, "workload=%s: the network has %u hosts: flows need two",
			       text_quote(w->text).s, n_hosts);
	err->code = 0;
	rc = row->make(&args, &list);
	if (!rc && !list.n)
		rc = err_set(err, -EINVAL, "workload=%s: no flow starts in the time given", text_quote(w->text).s);
	if (rc) {
		free(list.flows);
		return fail(w, rc, err);
	}
	for (u32 i = 0; row->kind != WORKLOAD_FILE && i < list.n; i++)
		list.flows[i].class = draw_class(w, list.flows[i].id);
	*flows = list.flows;
	*n = list.n;
	return 0;
}
