// SPDX-License-Identifier: GPL-2.0-or-later
/* A topology under construction: names, ports and every rule about the graph itself. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "topo/err.h"
#include "topo/parse.h"

#define NAME_SHOWN 96 /* of a file's name in a message; more would push out the message */

static const char *const kind_names[] = { [TOPO_HOST] = "host", [TOPO_SWITCH] = "switch" };

int build_error(struct builder *b, const char *fmt, ...)
{
	size_t n = strlen(b->name);
	char what[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(b->err, -EINVAL, "%s%s:%u: %s", n > NAME_SHOWN ? "..." : "",
		       b->name + (n > NAME_SHOWN ? n - NAME_SHOWN : 0), b->line, what);
}

static int no_memory(struct builder *b)
{
	build_error(b, "out of memory");
	return -ENOMEM;
}

/* The slot that holds @name, or the free one where it belongs (FNV-1a, linear probing). */
static u32 *find_slot(const struct builder *b, const char *name)
{
	u32 mask = 2 * b->nodes_cap - 1, h = 2166136261u;

	for (const char *c = name; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619u;
	h ^= h >> 15; /* the low bits alone would see little of the first characters */
	while (b->slots[h & mask] && strcmp(b->t->nodes[b->slots[h & mask] - 1].name, name))
		h++;
	return &b->slots[h & mask];
}

/* Double the room for nodes, and the table of names with it, so that it stays half empty. */
static int grow_nodes(struct builder *b)
{
	u32 cap = b->nodes_cap ? 2 * b->nodes_cap : 16;
	struct topo_node *nodes;
	u32 *lines;

	nodes = reallocarray(b->t->nodes, cap, sizeof(*nodes));
	if (!nodes)
		return no_memory(b);
	b->t->nodes = nodes;
	lines = reallocarray(b->node_line, cap, sizeof(*lines));
	if (!lines)
		return no_memory(b);
	b->node_line = lines;
	free(b->slots);
	b->slots = calloc(2 * (size_t)cap, sizeof(*b->slots));
	if (!b->slots)
		return no_memory(b);
	b->nodes_cap = cap;
	for (u32 n = 0; n < b->t->n_nodes; n++)
		*find_slot(b, nodes[n].name) = n + 1;
	return 0;
}

static int check_name(struct builder *b, const char *name)
{
	size_t n = strlen(name);

	if (n >= TOPO_NAME_MAX)
		return build_error(b, "name %.40s: longer than %d characters", name, TOPO_NAME_MAX - 1);
	if (*name < 'a' || *name > 'z' || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != n)
		return build_error(b,
				   "name %s: must be a small letter, then small letters, "
				   "digits, '_' or '-'",
				   name);
	if (!strcmp(name, "ctl"))
		return build_error(b, "name ctl: reserved for the lab itself");
	return 0;
}

int build_node(struct builder *b, enum topo_kind kind, const char *name)
{
	struct topo *t = b->t;
	struct topo_node *node;
	u32 *slot;
	int rc;

	rc = check_name(b, name);
	if (rc)
		return rc;
	if (t->n_nodes == TOPO_NODES_MAX)
		return build_error(b, "node %s: more than %u nodes", name, TOPO_NODES_MAX);
	if (t->n_nodes == b->nodes_cap) {
		rc = grow_nodes(b);
		if (rc)
			return rc;
	}
	slot = find_slot(b, name);
	if (*slot)
		return build_error(b, "node %s: already declared on line %u", name, b->node_line[*slot - 1]);
	node = &t->nodes[t->n_nodes];
	*node = (struct topo_node){ .kind = kind };
	strcpy(node->name, name); /* check_name() made sure that it fits */
	node->index = kind == TOPO_HOST ? t->n_hosts++ : t->n_switches++;
	b->node_line[t->n_nodes] = b->line;
	*slot = ++t->n_nodes;
	return 0;
}

static int find_node(struct builder *b, const char *stmt, const char *name, u32 *index)
{
	u32 slot = b->nodes_cap ? *find_slot(b, name) : 0;

	if (!slot)
		return build_error(b, "%s: unknown node %.40s: declare it on a line above", stmt, name);
	*index = slot - 1;
	return 0;
}

/* Find the node at one end of a link, and make sure that it has a port left. */
static int find_end(struct builder *b, const char *name, u32 *index)
{
	const struct topo_node *node;
	int rc = find_node(b, "link", name, index);

	if (rc)
		return rc;
	node = &b->t->nodes[*index];
	if (node->kind == TOPO_HOST && node->n_ports)
		return build_error(b, "link: host %s: already linked on line %u: a host has one link", name,
				   b->t->links[node->ports[0].link].line);
	if (node->n_ports == TOPO_PORTS_MAX)
		return build_error(b, "link: switch %s: more than %d ports", name, TOPO_PORTS_MAX);
	return 0;
}

int build_link(struct builder *b, const char *from, const char *to, struct topo_link link)
{
	const char *const names[2] = { from, to };
	struct topo *t = b->t;
	int rc;

	for (u32 end = 0; end < 2; end++) {
		rc = find_end(b, names[end], &link.node[end]);
		if (rc)
			return rc;
	}
	if (link.node[0] == link.node[1])
		return build_error(b, "link: %s: linked to itself", from);
	/* Traffic between them could be neither switched nor marked: not a lab. */
	if (t->nodes[link.node[0]].kind == TOPO_HOST && t->nodes[link.node[1]].kind == TOPO_HOST)
		return build_error(b, "link: %s %s: two hosts: one end must be a switch", from, to);
	if (t->n_links == b->links_cap) {
		u32 cap = b->links_cap ? 2 * b->links_cap : 16;
		struct topo_link *links = reallocarray(t->links, cap, sizeof(*links));

		if (!links)
			return no_memory(b);
		t->links = links;
		b->links_cap = cap;
	}
	link.line = b->line;
	for (u32 end = 0; end < 2; end++) {
		struct topo_node *node = &t->nodes[link.node[end]];

		link.port[end] = node->n_ports;
		node->ports[node->n_ports++] = (struct topo_port){ t->n_links, end };
	}
	t->links[t->n_links++] = link;
	return 0;
}

/* Add the port that @word names to the set. It must be there by now, and lead to a switch or to @host itself. */
static int add_port(struct builder *b, const struct topo_node *sw, const struct topo_node *host, const char *word,
		    u64 *ports)
{
	const struct topo_node *next;
	u32 number, n;

	if (*word != 'p' || !word[1] || word[1 + strspn(word + 1, "0123456789")] || strlen(word) > 3 ||
	    (word[1] == '0' && word[2]))
		return build_error(b, "route: port '%.40s': say p0, p1, ...", word);
	number = atoi(word + 1);
	if (number >= sw->n_ports)
		return build_error(b, "route: port %s: switch %s has %u ports by this line, from p0", word, sw->name,
				   sw->n_ports);
	n = sw->ports[number].link;
	next = &b->t->nodes[b->t->links[n].node[!sw->ports[number].end]];
	if (next->kind == TOPO_HOST && next != host)
		return build_error(b, "route: port %s: leads to host %s, and hosts do not forward", word, next->name);
	if (*ports >> number & 1)
		return build_error(b, "route: port %s: given twice", word);
	*ports |= 1ULL << number;
	return 0;
}

static int store_route(struct builder *b, struct topo_route route)
{
	struct topo *t = b->t;

	if (t->n_routes == b->routes_cap) {
		u32 cap = b->routes_cap ? 2 * b->routes_cap : 16;
		struct topo_route *routes = reallocarray(t->routes, cap, sizeof(*routes));

		if (!routes)
			return no_memory(b);
		t->routes = routes;
		b->routes_cap = cap;
	}
	t->routes[t->n_routes++] = route;
	return 0;
}

int build_route(struct builder *b, const char *sw, const char *host, char *ports)
{
	const struct topo_node *nodes;
	struct topo_route route = { .line = b->line };
	u32 from = 0, to = 0;
	char *rest;
	int rc;

	rc = find_node(b, "route", sw, &from);
	if (!rc)
		rc = find_node(b, "route", host, &to);
	if (rc)
		return rc;
	nodes = b->t->nodes;
	if (nodes[from].kind != TOPO_SWITCH)
		return build_error(b, "route: %s: not a switch", sw);
	if (nodes[to].kind != TOPO_HOST)
		return build_error(b, "route: %s: not a host", host);
	route.sw = nodes[from].index;
	route.host = nodes[to].index;
	for (char *word = strtok_r(ports, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		rc = add_port(b, &nodes[from], &nodes[to], word, &route.ports);
		if (rc)
			return rc;
	}
	return store_route(b, route);
}

static int compare_routes(const void *a, const void *b)
{
	const struct topo_route *x = a, *y = b;

	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int finish_routes(struct builder *b)
{
	struct topo *t = b->t;

	if (t->n_routes)
		qsort(t->routes, t->n_routes, sizeof(*t->routes), compare_routes);
	for (u32 i = 1; i < t->n_routes; i++) {
		const struct topo_route *last = &t->routes[i - 1], *route = &t->routes[i];

		if (last->sw != route->sw || last->host != route->host)
			continue;
		b->line = route->line;
		return build_error(b, "route: %s %s: already given on line %u", t->nodes[t->switches[route->sw]].name,
				   t->nodes[t->hosts[route->host]].name, last->line);
	}
	return 0;
}

int build_finish(struct builder *b)
{
	struct topo *t = b->t;

	if (t->n_hosts < 2)
		return build_error(b, "%s: a lab needs two or more", t->n_hosts ? "only one host" : "no hosts");
	for (u32 n = 0; n < t->n_nodes; n++) {
		if (t->nodes[n].n_ports)
			continue;
		b->line = b->node_line[n];
		return build_error(b, "%s %s: has no link", kind_names[t->nodes[n].kind], t->nodes[n].name);
	}
	t->hosts = calloc(t->n_hosts, sizeof(*t->hosts));
	t->switches = calloc(t->n_switches, sizeof(*t->switches));
	if (!t->hosts || !t->switches)
		return no_memory(b);
	for (u32 n = 0; n < t->n_nodes; n++)
		(t->nodes[n].kind == TOPO_HOST ? t->hosts : t->switches)[t->nodes[n].index] = n;
	return finish_routes(b);
}

u32 topo_port_bases(const struct topo *t, u32 *base)
{
	u32 n = 0;

	for (u32 s = 0; s < t->n_switches; s++) {
		base[s] = n;
		n += t->nodes[t->switches[s]].n_ports;
	}
	return n;
}
