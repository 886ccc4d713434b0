// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All shortest paths, by number of links, from every switch to every host, but where the
 * topology gives a route by hand. Hosts never forward, so the search runs over switches
 * only, from the switch the host hangs on.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "topo/err.h"
#include "topo/topo.h"

#define ROUTES_MAX (16u << 20) /* entries of the table: 128 MB */
#define FAR UINT32_MAX
#define ALL_HOSTS UINT32_MAX

/* One breadth-first search over the switches, in order of their distance from a root. */
struct bfs {
	u32 *dist;        /* [switch] links to the root, FAR if there is no way */
	u32 *order;       /* switches by distance, the root first */
	u32 n;            /* switches reached */
	const bool *dead; /* [link] those that are down; NULL: none */
};

static int bfs_init(struct bfs *b, const struct topo *t)
{
	b->dist = calloc(t->n_switches, sizeof(*b->dist));
	b->order = calloc(t->n_switches, sizeof(*b->order));
	b->n = 0;
	return b->dist && b->order ? 0 : -ENOMEM;
}

static void bfs_free(struct bfs *b)
{
	free(b->dist);
	free(b->order);
}

static const struct topo_node *switch_node(const struct topo *t, u32 s)
{
	return &t->nodes[t->switches[s]];
}

static const struct topo_node *peer(const struct topo *t, const struct topo_port *port)
{
	return &t->nodes[t->links[port->link].node[!port->end]];
}

/* The port of host @h, and the number of the switch at its far end. */
static const struct topo_port *host_port(const struct topo *t, u32 h)
{
	return &t->nodes[t->hosts[h]].ports[0];
}

static u32 edge_switch(const struct topo *t, u32 h)
{
	return peer(t, host_port(t, h))->index;
}

static bool is_dead(const struct bfs *b, const struct topo_port *port)
{
	return b->dead && b->dead[port->link];
}

static void bfs_run(struct bfs *b, const struct topo *t, u32 root)
{
	for (u32 s = 0; s < t->n_switches; s++)
		b->dist[s] = FAR;
	b->dist[root] = 0;
	b->order[0] = root;
	b->n = 1;
	for (u32 i = 0; i < b->n; i++) {
		u32 s = b->order[i];
		const struct topo_node *node = switch_node(t, s);

		for (u32 p = 0; p < node->n_ports; p++) {
			const struct topo_node *next = peer(t, &node->ports[p]);

			if (next->kind == TOPO_HOST || b->dist[next->index] != FAR || is_dead(b, &node->ports[p]))
				continue;
			b->dist[next->index] = b->dist[s] + 1;
			b->order[b->n++] = next->index;
		}
	}
}

/* The ports of switch @s that lead one step closer to the root of @b. */
static u64 closer_ports(const struct topo *t, const struct bfs *b, u32 s)
{
	const struct topo_node *node = switch_node(t, s);
	u64 mask = 0;

	for (u32 p = 0; p < node->n_ports; p++) {
		const struct topo_node *next = peer(t, &node->ports[p]);

		if (next->kind == TOPO_SWITCH && b->dist[next->index] == b->dist[s] - 1 && !is_dead(b, &node->ports[p]))
			mask |= 1ULL << p;
	}
	return mask;
}

/* Fill in the columns of the hosts that hang on switch @root, or of host @only; b is the search from there. */
static void fill_routes(struct routes *r, const struct topo *t, const struct bfs *b, u32 root, u32 only)
{
	const struct topo_node *edge = switch_node(t, root);

	for (u32 i = 0; i < b->n; i++) {
		u32 s = b->order[i];
		u64 mask = s == root ? 0 : closer_ports(t, b, s);

		for (u32 p = 0; p < edge->n_ports; p++) {
			const struct topo_node *host = peer(t, &edge->ports[p]);

			if (host->kind == TOPO_HOST && !is_dead(b, &edge->ports[p]) &&
			    (only == ALL_HOSTS || only == host->index))
				r->mask[(size_t)s * r->n_hosts + host->index] = s == root ? 1ULL << p : mask;
		}
	}
}

/*
 * Links work both ways, so all pairs of hosts have a path if and only if all hosts
 * have one to host 0.
 */
static int check_connected(const struct topo *t, const struct routes *r, struct err *err)
{
	for (u32 h = 1; h < t->n_hosts; h++)
		if (!r->mask[(size_t)edge_switch(t, h) * r->n_hosts])
			return err_set(err, -EINVAL, "hosts %s and %s: no path between them",
				       t->nodes[t->hosts[0]].name, t->nodes[t->hosts[h]].name);
	return 0;
}

/* A walk along the routes to one host, depth first, from every switch that has one. */
struct walk {
	u8 *seen;   /* [switch] enum seen */
	u64 *left;  /* [switch] its ports still to be followed */
	u32 *stack; /* the way from where the walk began to where it is */
	u32 depth;
	u32 *order; /* switches walked: each after all the next ones on its routes */
	u32 n;
};

enum seen { UNSEEN, ON_THE_WAY, WALKED };

static int walk_init(struct walk *w, const struct topo *t)
{
	*w = (struct walk){
		.seen = calloc(t->n_switches, sizeof(*w->seen)),
		.left = calloc(t->n_switches, sizeof(*w->left)),
		.stack = calloc(t->n_switches, sizeof(*w->stack)),
		.order = calloc(t->n_switches, sizeof(*w->order)),
	};
	return w->seen && w->left && w->stack && w->order ? 0 : -ENOMEM;
}

static void walk_free(struct walk *w)
{
	free(w->seen);
	free(w->left);
	free(w->stack);
	free(w->order);
}

static void walk_enter(struct walk *w, u32 s, u64 ports)
{
	w->seen[s] = ON_THE_WAY;
	w->left[s] = ports;
	w->stack[w->depth++] = s;
}

/* Walk on from the switch at the end of the way; false with *s = the switch that cannot follow it. */
static bool walk_step(struct walk *w, const struct topo *t, const struct routes *r, u32 host, u32 *s)
{
	u32 here = w->stack[w->depth - 1];
	const struct topo_node *next;

	if (!w->left[here]) {
		w->seen[here] = WALKED;
		w->order[w->n++] = here;
		w->depth--;
		return true;
	}
	next = peer(t, &switch_node(t, here)->ports[__builtin_ctzll(w->left[here])]);
	w->left[here] &= w->left[here] - 1;
	if (next->kind == TOPO_HOST || w->seen[next->index] == WALKED)
		return true;
	*s = next->index;
	if (w->seen[*s] == ON_THE_WAY || !r->mask[(size_t)*s * r->n_hosts + host])
		return false;
	walk_enter(w, *s, r->mask[(size_t)*s * r->n_hosts + host]);
	return true;
}

/* Fill in w->order; false at a loop or a dead end: it ends at *s, and w->stack is the way there. */
static bool walk_run(struct walk *w, const struct topo *t, const struct routes *r, u32 host, u32 *s)
{
	memset(w->seen, UNSEEN, t->n_switches);
	w->n = w->depth = 0;
	for (u32 from = 0; from < t->n_switches; from++) {
		u64 mask = r->mask[(size_t)from * r->n_hosts + host];

		if (!mask || w->seen[from] != UNSEEN)
			continue;
		walk_enter(w, from, mask);
		while (w->depth)
			if (!walk_step(w, t, r, host, s))
				return false;
	}
	return true;
}

/* The walk to @host came to switch @s, which is on its way already, or from which there is no way. */
static int walk_error(const struct walk *w, const struct topo *t, u32 host, u32 s, struct err *err)
{
	const char *to = t->nodes[t->hosts[host]].name, *name = switch_node(t, s)->name;
	char way[120] = "";
	size_t used = 0;
	u32 i = 0;

	if (w->seen[s] != ON_THE_WAY)
		return err_set(err, -EINVAL, "route: %s to host %s: leads to %s, which has no path there",
			       switch_node(t, w->stack[w->depth - 1])->name, to, name);
	while (w->stack[i] != s)
		i++;
	for (; i < w->depth && used < sizeof(way) - 2 * TOPO_NAME_MAX; i++)
		used += snprintf(way + used, sizeof(way) - used, "%s ", switch_node(t, w->stack[i])->name);
	return err_set(err, -EINVAL, "route: to host %s: frames could go round: %s%s%s", to, way,
		       i < w->depth ? "... " : "", name);
}

/* Let the routes given by hand take the place of the shortest, and see that every frame still gets there. */
static int override_routes(const struct topo *t, struct routes *r, struct err *err)
{
	bool *changed = calloc(t->n_hosts, sizeof(*changed));
	struct walk w;
	int rc = walk_init(&w, t);
	u32 s;

	if (rc || !changed)
		rc = err_set(err, -ENOMEM, "routes: out of memory");
	for (u32 i = 0; !rc && i < t->n_routes; i++) {
		const struct topo_route *route = &t->routes[i];

		r->mask[(size_t)route->sw * r->n_hosts + route->host] = route->ports;
		changed[route->host] = true;
	}
	for (u32 h = 0; !rc && h < t->n_hosts; h++)
		if (changed[h] && !walk_run(&w, t, r, h, &s))
			rc = walk_error(&w, t, h, s, err);
	walk_free(&w);
	free(changed);
	return rc;
}

/* All the shortest ways, into a table of zeros. */
static void compute(const struct topo *t, struct bfs *b, struct routes *r)
{
	for (u32 h = 0; h < t->n_hosts; h++) {
		u32 root = edge_switch(t, h);

		/* A host on the same switch as one before it was filled in with that one. */
		if (r->mask[(size_t)root * r->n_hosts + h])
			continue;
		bfs_run(b, t, root);
		fill_routes(r, t, b, root, ALL_HOSTS);
	}
}

int routes_compute(const struct topo *t, struct routes *r, struct err *err)
{
	size_t n = (size_t)t->n_switches * t->n_hosts;
	struct bfs b = { 0 };
	int rc;

	*r = (struct routes){ .n_switches = t->n_switches, .n_hosts = t->n_hosts };
	if (n > ROUTES_MAX)
		return err_set(err, -EINVAL, "routes: %u switches times %u hosts: above %u", t->n_switches, t->n_hosts,
			       ROUTES_MAX);
	r->mask = calloc(n, sizeof(*r->mask));
	rc = bfs_init(&b, t);
	if (rc || !r->mask) {
		rc = err_set(err, -ENOMEM, "routes: out of memory");
		goto out;
	}
	compute(t, &b, r);
	rc = check_connected(t, r, err);
	if (!rc && t->n_routes)
		rc = override_routes(t, r, err);
out:
	bfs_free(&b);
	if (rc)
		routes_free(r);
	return rc;
}

/* The ports of a route by hand that are left. */
static u64 live_ports(const struct topo *t, const struct bfs *b, const struct topo_route *route)
{
	u64 live = 0;

	for (u64 ports = route->ports; ports; ports &= ports - 1)
		if (!is_dead(b, &switch_node(t, route->sw)->ports[__builtin_ctzll(ports)]))
			live |= ports & -ports;
	return live;
}

/* Give the routes of @host up that were given by hand: all its shortest ways again. */
static void shortest_again(const struct topo *t, struct bfs *b, struct routes *r, u32 host)
{
	u32 root = edge_switch(t, host);

	bfs_run(b, t, root);
	for (u32 s = 0; s < t->n_switches; s++)
		r->mask[(size_t)s * r->n_hosts + host] = 0;
	fill_routes(r, t, b, root, host);
}

/* The routes by hand again, as far as links are left and frames do not go round. */
static int keep_overrides(const struct topo *t, struct bfs *b, struct routes *r)
{
	bool *changed = calloc(t->n_hosts, sizeof(*changed));
	struct walk w;
	int rc = walk_init(&w, t);
	u32 s;

	if (!changed)
		rc = -ENOMEM;
	for (u32 i = 0; !rc && i < t->n_routes; i++) {
		const struct topo_route *route = &t->routes[i];
		u64 *mask = &r->mask[(size_t)route->sw * r->n_hosts + route->host], live = live_ports(t, b, route);

		if (!*mask || !live) /* cut off, or nothing left of it */
			continue;
		*mask = live;
		changed[route->host] = true;
	}
	for (u32 h = 0; !rc && h < t->n_hosts; h++)
		if (changed[h] && !walk_run(&w, t, r, h, &s))
			shortest_again(t, b, r, h);
	walk_free(&w);
	free(changed);
	return rc;
}

int routes_around(const struct topo *t, const bool *dead, struct routes *r)
{
	struct bfs b = { 0 };
	int rc = bfs_init(&b, t);

	if (!rc) {
		b.dead = dead;
		memset(r->mask, 0, (size_t)r->n_switches * r->n_hosts * sizeof(*r->mask));
		compute(t, &b, r);
		if (t->n_routes)
			rc = keep_overrides(t, &b, r);
	}
	bfs_free(&b);
	return rc;
}

void routes_free(struct routes *r)
{
	free(r->mask);
	r->mask = NULL;
}

/* The longest time of a frame and of its answer over some links, store and forward, and the most links. */
struct trip {
	u64 fwd, rev;
	u32 links;
};

static struct trip add_link(struct trip a, const struct topo_link *link, struct trip wire)
{
	a.fwd += wire.fwd * link->ps_per_byte + link->delay_ps;
	a.rev += wire.rev * link->ps_per_byte + link->delay_ps;
	a.links++;
	return a;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

static struct trip longest(struct trip a, struct trip b)
{
	return (struct trip){ larger(a.fwd, b.fwd), larger(a.rev, b.rev), larger(a.links, b.links) };
}

/* Fill in trips[switch * n_hosts + host]: the longest way from there to @host over the routes. */
static void longest_to(const struct topo *t, const struct routes *r, struct walk *w, u32 host, struct trip wire,
		       struct trip *trips)
{
	u32 unused;

	walk_run(w, t, r, host, &unused); /* routes_compute() has seen to it that nothing goes round */
	for (u32 i = 0; i < w->n; i++) {
		u32 s = w->order[i];
		u64 mask = r->mask[(size_t)s * r->n_hosts + host];
		struct trip *trip = &trips[(size_t)s * r->n_hosts + host];

		for (; mask; mask &= mask - 1) {
			const struct topo_port *port = &switch_node(t, s)->ports[__builtin_ctzll(mask)];
			const struct topo_node *next = peer(t, port);
			struct trip way = { 0 };

			if (next->kind == TOPO_SWITCH)
				way = trips[(size_t)next->index * r->n_hosts + host];
			*trip = longest(*trip, add_link(way, &t->links[port->link], wire));
		}
	}
}

/* The longest ways from every switch to every host: [switch * n_hosts + host]. NULL without memory. */
static struct trip *all_trips(const struct topo *t, const struct routes *r, struct trip wire)
{
	struct trip *trips = calloc((size_t)t->n_switches * t->n_hosts, sizeof(*trips));
	struct walk w;

	if (walk_init(&w, t) || !trips) {
		free(trips);
		trips = NULL;
	}
	for (u32 h = 0; trips && h < t->n_hosts; h++)
		longest_to(t, r, &w, h, wire, trips);
	walk_free(&w);
	return trips;
}

/* From host to host: over the first link, and on from the switch there. */
static struct trip host_trip(const struct topo *t, const struct trip *trips, u32 from, u32 to, struct trip wire)
{
	struct trip way = trips[(size_t)edge_switch(t, from) * t->n_hosts + to];

	return add_link(way, &t->links[host_port(t, from)->link], wire);
}

/* The frame and its answer are hashed apart, so each may take its own longest path. */
u64 routes_max_rtt(const struct topo *t, const struct routes *r, u32 fwd_wire, u32 rev_wire)
{
	struct trip wire = { fwd_wire, rev_wire, 0 };
	struct trip *trips = all_trips(t, r, wire);
	u64 max = 0;

	for (u32 from = 0; trips && from < t->n_hosts; from++)
		for (u32 to = 0; to < t->n_hosts; to++)
			if (from != to)
				max = larger(max,
					     host_trip(t, trips, from, to, wire).fwd +
						     host_trip(t, trips, to, from, wire).rev);
	free(trips);
	return max;
}

u32 routes_max_hops(const struct topo *t, const struct routes *r)
{
	struct trip *trips = all_trips(t, r, (struct trip){ 0 });
	u32 max = 0;

	for (u32 from = 0; trips && from < t->n_hosts; from++)
		for (u32 to = 0; to < t->n_hosts; to++)
			if (from != to)
				max = larger(max, host_trip(t, trips, from, to, (struct trip){ 0 }).links);
	free(trips);
	return max;
}
