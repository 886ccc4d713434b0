// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaching the programs, namespace by namespace. XDP hangs on links that end with this process, whatever ends it. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/engine/bpf_load.h"
#include "bpf/addr.h"
#include "lab/netlab/netlab.h"

static int enter(const char *lab, const char *node)
{
	int fd = netlab_ns_fd(lab, node), rc;

	if (fd < 0)
		return fd;
	rc = setns(fd, CLONE_NEWNET) ? -errno : 0;
	close(fd);
	return rc;
}

static int attach_xdp(struct bpf_fabric *b, int prog, u32 ifindex)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int fd = bpf_link_create(prog, ifindex, BPF_XDP, &opts);

	if (fd < 0)
		return fd;
	b->links[b->n_links++] = fd;
	return 0;
}

/* A TC program on ingress, the only one there: the next run replaces what a killed one left. */
static int attach_tc(int prog, u32 ifindex)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = prog, .handle = 1, .priority = 1, .flags = BPF_TC_F_REPLACE);
	int rc = bpf_tc_hook_create(&hook);

	if (rc && rc != -EEXIST)
		return rc;
	return bpf_tc_attach(&hook, &opts);
}

static void detach_tc(u32 ifindex)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex, .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);

	bpf_tc_hook_destroy(&hook); /* the whole clsact: it was ours */
}

static int attach_switch(struct bpf_fabric *b, const struct plan *f, const char *lab, u32 s)
{
	const struct topo_node *n = &f->topo->nodes[f->topo->switches[s]];
	int rc = enter(lab, n->name);

	for (u32 i = 0; !rc && i < n->n_ports; i++) {
		u32 port = f->port_base[s] + i, ifindex = SWITCH_IFINDEX_BASE + port;

		rc = bpf_map_update_elem(b->devices_fd, &port, &ifindex, BPF_ANY) ? -errno : 0;
		if (!rc)
			rc = attach_xdp(b, b->ingress_fd, ifindex);
		if (!rc && f->ports[port].tap)
			rc = attach_tc(b->tapped_fd, ifindex);
	}
	return rc;
}

/*
 * XDP switches GRO on for a veth, which would look into every frame for a stream to merge it with; there is none. A
 * saving of time, so failing is no harm.
 */
static void gro_off(const char *name)
{
	struct ethtool_value off = { .cmd = ETHTOOL_SGRO, .data = 0 };
	struct ifreq req = { .ifr_data = (char *)&off };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	ioctl(fd, SIOCETHTOOL, &req);
	close(fd);
}

static int attach_host(struct bpf_fabric *b, const struct plan *f, const char *lab, u32 h)
{
	int rc = enter(lab, f->topo->nodes[f->topo->hosts[h]].name);

	if (!rc)
		rc = attach_xdp(b, b->pass_fd, HOST_IFINDEX_BASE + h);
	if (!rc)
		rc = attach_tc(b->count_fd, HOST_IFINDEX_BASE + h);
	if (!rc)
		gro_off("eth0");
	return rc;
}

/* BPF_PROG_RUN finds emit in the dispatcher at once if it is attached somewhere: to the control namespace's own veth.
 */
static int attach_control(struct bpf_fabric *b, const char *lab)
{
	int rc = enter(lab, "ctl");

	return rc ? rc : attach_xdp(b, b->emit_fd, CTL_IFINDEX);
}

static int fail(struct err *err, int rc, const char *node)
{
	return err_set(err, rc, "bpf: cannot attach to the ports of %s: %s", node, strerror(-rc));
}

int bpf_fabric_attach(struct bpf_fabric *b, const struct plan *f, const char *lab, struct err *err)
{
	int rc;

	b->links = calloc(f->size.ports + f->size.hosts + 1, sizeof(int));
	if (!b->links)
		return fail(err, -ENOMEM, "the lab");
	for (u32 s = 0; s < f->size.switches; s++) {
		rc = attach_switch(b, f, lab, s);
		if (rc)
			return fail(err, rc, f->topo->nodes[f->topo->switches[s]].name);
	}
	for (u32 h = 0; h < f->size.hosts; h++) {
		rc = attach_host(b, f, lab, h);
		if (rc)
			return fail(err, rc, f->topo->nodes[f->topo->hosts[h]].name);
	}
	rc = attach_control(b, lab);
	return rc ? fail(err, rc, "ctl") : 0;
}

void bpf_fabric_free(struct bpf_fabric *b, const struct plan *f, const char *lab)
{
	for (u32 h = 0; b->links && h < f->size.hosts; h++)
		if (!enter(lab, f->topo->nodes[f->topo->hosts[h]].name))
			detach_tc(HOST_IFINDEX_BASE + h);
	for (u32 p = 0; b->links && p < f->size.ports; p++)
		if (f->ports[p].tap && !enter(lab, f->topo->nodes[f->topo->switches[f->ports[p].sw]].name))
			detach_tc(SWITCH_IFINDEX_BASE + p);
	for (u32 i = 0; i < b->n_links; i++)
		close(b->links[i]);
	free(b->links);
	if (b->sw)
		bpf_object__close(b->sw);
	if (b->host)
		bpf_object__close(b->host);
	memset(b, 0, sizeof(*b));
}
