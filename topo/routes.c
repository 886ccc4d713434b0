// SPDX-License-Identifier: GPL-2.0
/*
 * All shortest paths, by number of links, from every switch to every host. Hosts never
 * forward, so the search runs over switches only, from the switch the host hangs on.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "topo/err.h"
#include "topo/topo.h"

#define ROUTES_MAX (16u << 20) /* entries of the table: 128 MB */
#define FAR UINT32_MAX

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

/* Fill in the column of the hosts that hang on switch @root; b is the search from there. */
static void fill_routes(struct routes *r, const struct topo *t, const struct bfs *b, u32 root)
{
	const struct topo_node *edge = switch_node(t, root);

	for (u32 i = 0; i < b->n; i++) {
		u32 s = b->order[i];
		u64 mask = s == root ? 0 : closer_ports(t, b, s);

		for (u32 p = 0; p < edge->n_ports; p++) {
			const struct topo_node *host = peer(t, &edge->ports[p]);

			if (host->kind == TOPO_HOST && !is_dead(b, &edge->ports[p]))
				r->mask[(size_t)s * r->n_hosts + host->index] = s == root ? 1ULL << p : mask;
		}
	}
}

/*
 * Links work both ways, so all pairs of hosts have a path if and only if all hosts
 * have one to host 0.
 */
static int check_connected(const struct topo *t, const struct routes *r, char *err)
{
	for (u32 h = 1; h < t->n_hosts; h++)
		if (!r->mask[(size_t)edge_switch(t, h) * r->n_hosts])
			return topo_fail(EINVAL, err, "hosts %s and %s: no path between them",
					 t->nodes[t->hosts[0]].name, t->nodes[t->hosts[h]].name);
	return 0;
}

static void compute(const struct topo *t, struct bfs *b, struct routes *r)
{
	for (u32 h = 0; h < t->n_hosts; h++) {
		u32 root = edge_switch(t, h);

		/* A host on the same switch as one before it was filled in with that one. */
		if (r->mask[(size_t)root * r->n_hosts + h])
			continue;
		bfs_run(b, t, root);
		fill_routes(r, t, b, root);
	}
}

int routes_compute(const struct topo *t, struct routes *r, char *err)
{
	size_t n = (size_t)t->n_switches * t->n_hosts;
	struct bfs b = { 0 };
	int rc;

	*r = (struct routes){ .n_switches = t->n_switches, .n_hosts = t->n_hosts };
	if (n > ROUTES_MAX)
		return topo_fail(EINVAL, err, "routes: %u switches times %u hosts: above %u", t->n_switches, t->n_hosts,
				 ROUTES_MAX);
	r->mask = calloc(n, sizeof(*r->mask));
	rc = bfs_init(&b, t);
	if (rc || !r->mask) {
		rc = topo_fail(ENOMEM, err, "routes: out of memory");
		goto out;
	}
	compute(t, &b, r);
	rc = check_connected(t, r, err);
out:
	bfs_free(&b);
	if (rc)
		routes_free(r);
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
	}
	bfs_free(&b);
	return rc;
}

void routes_free(struct routes *r)
{
	free(r->mask);
	r->mask = NULL;
}

/* The time of a frame and of its answer over some links, store and forward. */
struct trip {
	u64 fwd, rev;
};

static struct trip add_link(struct trip a, const struct topo_link *link, struct trip wire)
{
	a.fwd += wire.fwd * link->ps_per_byte + link->delay_ps;
	a.rev += wire.rev * link->ps_per_byte + link->delay_ps;
	return a;
}

static struct trip longest(struct trip a, struct trip b)
{
	return (struct trip){ a.fwd > b.fwd ? a.fwd : b.fwd, a.rev > b.rev ? a.rev : b.rev };
}

/*
 * Fill in cost[switch]: the longest way from there to @host over the routes. A switch
 * comes after all its next hops in order of distance, so one pass does it.
 */
static void longest_to(const struct topo *t, const struct routes *r, const struct bfs *b, u32 host, struct trip wire,
		       struct trip *cost)
{
	for (u32 i = 0; i < b->n; i++) {
		u32 s = b->order[i];
		const struct topo_node *node = switch_node(t, s);
		u64 mask = r->mask[(size_t)s * r->n_hosts + host];

		cost[s] = (struct trip){ 0 };
		for (; mask; mask &= mask - 1) {
			const struct topo_port *port = &node->ports[__builtin_ctzll(mask)];
			const struct topo_node *next = peer(t, port);
			struct trip way = { 0 };

			if (next->kind == TOPO_SWITCH)
				way = cost[next->index];
			cost[s] = longest(cost[s], add_link(way, &t->links[port->link], wire));
		}
	}
}

/*
 * The frame and its answer are hashed apart, so each may take its own longest path. Both
 * are measured towards the destination: a link, and so a path, is the same both ways.
 * Returns 0, which no real round trip is, when there is no memory.
 */
u64 routes_max_rtt(const struct topo *t, const struct routes *r, u32 fwd_wire, u32 rev_wire)
{
	struct trip wire = { fwd_wire, rev_wire };
	struct trip *cost = calloc(t->n_switches, sizeof(*cost));
	struct bfs b = { 0 };
	u64 max = 0;
	u32 last = FAR;

	if (bfs_init(&b, t) || !cost)
		goto out;
	for (u32 to = 0; to < t->n_hosts; to++) {
		u32 root = edge_switch(t, to);

		if (root != last)
			bfs_run(&b, t, root);
		last = root;
		longest_to(t, r, &b, to, wire, cost);
		for (u32 from = 0; from < t->n_hosts; from++) {
			const struct topo_link *link = &t->links[host_port(t, from)->link];
			struct trip way = add_link(cost[edge_switch(t, from)], link, wire);

			if (from != to && way.fwd + way.rev > max)
				max = way.fwd + way.rev;
		}
	}
out:
	free(cost);
	bfs_free(&b);
	return max;
}

/* Like routes_max_rtt(), 0 when there is no memory. */
u32 routes_max_hops(const struct topo *t, const struct routes *r)
{
	struct bfs b = { 0 };
	u32 max = 0, last = FAR;

	if (bfs_init(&b, t))
		goto out;
	for (u32 to = 0; to < t->n_hosts; to++) {
		u32 root = edge_switch(t, to);

		if (root != last)
			bfs_run(&b, t, root);
		last = root;
		for (u32 from = 0; from < t->n_hosts; from++) {
			u32 hops = b.dist[edge_switch(t, from)] + 2; /* and the two hosts' links */

			if (from != to && hops > max)
				max = hops;
		}
	}
out:
	bfs_free(&b);
	return max;
}
