/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The topology: a graph of hosts and switches, and its routes. No effects: nothing
 * here opens a socket or knows about namespaces. Format: topo/FORMAT.md.
 */
#ifndef LOSSLAB_TOPO_H
#define LOSSLAB_TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bpf/types.h"
#include "topo/err.h"

#define TOPO_NAME_MAX 16  /* bytes of a node's name, with the final NUL */
#define TOPO_PORTS_MAX 64 /* ports of one switch */

enum topo_kind { TOPO_HOST, TOPO_SWITCH };

/* One end of a link as seen from its node. */
struct topo_port {
	u32 link; /* index into topo.links */
	u32 end;  /* 0: this port is the link's a side, 1: its b side */
};

struct topo_node {
	char name[TOPO_NAME_MAX];
	enum topo_kind kind;
	u32 index;   /* the host's or the switch's number, from 0, in order of declaration */
	u32 n_ports; /* a host has exactly 1; a switch 1..TOPO_PORTS_MAX */
	struct topo_port ports[TOPO_PORTS_MAX];
};

/* A full-duplex link; both directions have the same rate, delay and loss. */
struct topo_link {
	u32 node[2];     /* indices into topo.nodes */
	u32 port[2];     /* port number at each end */
	u32 ps_per_byte; /* serialisation: 200 at 40 Gb/s */
	u64 delay_ps;    /* propagation, > 0 */
	u32 loss_ppb;    /* loss probability in parts per 1e9 (0..1e9) */
	u32 line;        /* line of the file it was declared on, for messages */
};

/* A route given by hand: to @host, switch @sw uses exactly these ports, shortest path or not. */
struct topo_route {
	u32 sw, host; /* their numbers */
	u64 ports;    /* bit p set = port p; not 0 */
	u32 line;     /* line of the file it was given on, for messages */
};

struct topo {
	struct topo_node *nodes;
	u32 n_nodes;
	struct topo_link *links;
	u32 n_links;
	u32 *hosts; /* node index of host number h */
	u32 n_hosts;
	u32 *switches; /* node index of switch number s */
	u32 n_switches;
	struct topo_route *routes; /* by hand; by switch, then by host, no pair twice */
	u32 n_routes;
	char title[64]; /* what it is, e.g. "fat-tree k=6"; from the file's "title" line, or "" */
};

/*
 * Read a topology from text. @name is used in messages ("name:line: what").
 * Returns 0 and a topology to be freed with topo_free(), or -EINVAL/-ENOMEM/-EIO
 * with err filled in.
 */
int topo_parse(FILE *in, const char *name, struct topo **out, struct err *err);
void topo_free(struct topo *t);

/*
 * Number the switches' ports lab-wide: those of switch 0 first, then those of switch 1, and so on. @base[n_switches]
 * gets the number of each switch's port 0. Returns how many ports there are.
 */
u32 topo_port_bases(const struct topo *t, u32 *base);

/*
 * Like topo_parse(), from a specification as users give it: a path to a file, or
 * "GENERATOR[:k=v,k=v...]" (fat-tree, leaf-spine, melo, ring, star, dumbbell), which
 * runs the script GENERATOR.sh found in @generators (a directory) with the words k=v.
 * A spec with a '/' or an existing file is a file. -ENOENT if neither fits.
 */
int topo_open(const char *spec, const char *generators, struct topo **out, struct err *err);

/* Whether topo_open() would take @spec for a file's path, not for a generator. */
bool topo_is_file(const char *spec);

/* Write @t in the text format; reading it back gives the same topology. */
int topo_print(const struct topo *t, FILE *out);

/*
 * Routes: for each (switch, destination host) the set of ports that lie on a shortest
 * path (fewest links), or those given by hand, as a bit mask: bit p set = port p.
 * 0 = unreachable.
 */
struct routes {
	u32 n_switches, n_hosts;
	u64 *mask; /* [switch * n_hosts + host] */
};

/*
 * 0; -EINVAL and err filled in if hosts have no path between them, or if
 * routes given by hand could send a frame round in a loop or to where no route goes on;
 * -ENOMEM. r->mask is to be freed with routes_free() if it succeeds.
 */
int routes_compute(const struct topo *t, struct routes *r, struct err *err);
/*
 * Compute @r anew, which routes_compute() has made of @t, without the links l whose dead[l] is set. Routes by hand keep
 * the ports that are left; where none is, or where frames to a host would then go round, the shortest ways take their
 * place (in the latter case all routes by hand to this host are given up). What is cut off has no ports. 0 or -ENOMEM.
 */
int routes_around(const struct topo *t, const bool *dead, struct routes *r);
void routes_free(struct routes *r);

/*
 * The longest base round trip between any two hosts over any of the routes, in ps:
 * a frame of @fwd_wire bytes one way and one of @rev_wire bytes back, store and
 * forward, empty network: sum over links of (wire * ps_per_byte + delay), both ways.
 * 0, which no real round trip is, when there is no memory.
 */
u64 routes_max_rtt(const struct topo *t, const struct routes *r, u32 fwd_wire, u32 rev_wire);
/* The most links that a frame crosses between two hosts by any of the routes; 0 when there is no memory. */
u32 routes_max_hops(const struct topo *t, const struct routes *r);

/*
 * Units. All return 0 or -EINVAL with a message in err.
 * rate: "40gbit", "100gbit", "10mbit" -> ps per byte; refused if not a whole number.
 * time: "2us", "500ns", "1.5ms", "3s", "250ps" -> ps (u64).
 * size: "240000", "240KB" (1000), "1KiB" (1024), "3MB" -> bytes.
 * prob: "0.001", "1e-5", "0.1%" -> parts per 1e9, 0..1e9.
 */
int unit_rate(const char *s, u32 *ps_per_byte, struct err *err);
int unit_time(const char *s, u64 *ps, struct err *err);
int unit_size(const char *s, u64 *bytes, struct err *err);
int unit_prob(const char *s, u32 *ppb, struct err *err);
/* Print a time or rate in the unit that needs no fraction ("2us", "40gbit"); returns buf. */
const char *unit_print_rate(u32 ps_per_byte, char *buf, size_t n);
const char *unit_print_time(u64 ps, char *buf, size_t n);

#endif
