/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Building a topology node by node: what parse.c reads, build.c checks and stores. */
#ifndef LOSSLAB_TOPO_PARSE_H
#define LOSSLAB_TOPO_PARSE_H

#include "topo/topo.h"

#define TOPO_NODES_MAX 65535u
#define TOPO_DELAY_MAX (1000 * PS_PER_MS) /* sums over any path stay far inside a u64 */

struct builder {
	const char *name; /* of the file, for messages */
	u32 line;         /* being read */
	struct err *err;
	struct topo *t;
	u32 nodes_cap, links_cap, routes_cap;
	u32 *node_line; /* where node n was declared; nodes_cap of them */
	u32 *slots;     /* hash of names: node index + 1, or 0; 2 * nodes_cap of them */
};

/* All return 0, or a negative code with "name:line: what" in b->err. */
int build_error(struct builder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int build_node(struct builder *b, enum topo_kind kind, const char *name);
/* @link has its rate, delay and loss; build_link() fills in the rest. */
int build_link(struct builder *b, const char *from, const char *to, struct topo_link link);
/* @ports: one word "p0", "p1"... or more, cut up in place. */
int build_route(struct builder *b, const char *sw, const char *host, char *ports);
/* What can only be said at the end of the file; fills in t->hosts and t->switches, sorts t->routes. */
int build_finish(struct builder *b);

#endif
