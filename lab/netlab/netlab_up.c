// SPDX-License-Identifier: GPL-2.0-or-later
/* Building a lab: namespaces, then all veth pairs through one connection, then addresses inside each namespace. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/addr.h"
#include "lab/netlab/caps.h"
#include "lab/limits.h"
#include "lab/netlab/netlab_impl.h"
#include "lab/netlab/rtnl.h"

#define SPARE_FDS 64
#define NAMES_TRIED 100 /* for a temporary lab */

struct build {
	const struct topo *t;
	const struct manifest *m;
	int *ns;   /* an fd for each node, and one for "ctl" */
	u32 *base; /* of each node: ifindex of its port 0 */
	int home;  /* the namespace that the caller is in */
	struct rtnl rt;
	struct err *err;
};

/*
 * Ctrl-C and the like are blocked while a lab is built, and checked between steps: no handler, no half step. A signal
 * that is ignored (nohup) would stay pending too, so it is left out.
 */
static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void stop_set(sigset_t *set)
{
	struct sigaction act;
	size_t i;

	sigemptyset(set);
	for (i = 0; i < sizeof(stop_signals) / sizeof(stop_signals[0]); i++)
		if (!sigaction(stop_signals[i], NULL, &act) && act.sa_handler != SIG_IGN)
			sigaddset(set, stop_signals[i]);
}

static bool stop_wanted(void)
{
	sigset_t stop, pending, both;

	stop_set(&stop);
	sigpending(&pending);
	sigandset(&both, &stop, &pending);
	return !sigisemptyset(&both);
}

static int interrupted(const struct build *b)
{
	return err_set(b->err, -EINTR, "lab %s: interrupted; nothing of it is left", b->m->name);
}

static int make_namespaces(struct build *b)
{
	char mark[NETNS_MARK_MAX];
	int mark_fd, ret = 0;
	u32 i;

	manifest_mark(b->m, mark);
	mark_fd = netns_mark_open(mark);
	if (mark_fd < 0)
		return err_set(b->err, mark_fd, "%s: unnamed file: %s", NETNS_DIR, strerror(-mark_fd));
	for (i = 0; i < b->m->n_ns && !ret; i++) {
		if (stop_wanted()) {
			ret = interrupted(b);
			break;
		}
		b->ns[i] = netns_create(b->m->ns[i], mark_fd);
		if (b->ns[i] == -EEXIST)
			ret = err_set(b->err, -EADDRINUSE, "namespace %s: was made meanwhile by somebody else",
				      b->m->ns[i]);
		else if (b->ns[i] < 0)
			ret = err_set(b->err, b->ns[i], "namespace %s: %s", b->m->ns[i], strerror(-b->ns[i]));
	}
	close(mark_fd);
	return ret;
}

/* ifindex of each node's port 0 (bpf/addr.h). */
static int number_ports(struct build *b)
{
	u32 *base = calloc(b->t->n_switches + 1, sizeof(*base));

	if (!base)
		return err_set(b->err, -ENOMEM, "out of memory");
	topo_port_bases(b->t, base);
	for (u32 i = 0; i < b->t->n_hosts; i++)
		b->base[b->t->hosts[i]] = HOST_IFINDEX_BASE + i;
	for (u32 i = 0; i < b->t->n_switches; i++)
		b->base[b->t->switches[i]] = SWITCH_IFINDEX_BASE + base[i];
	free(base);
	return 0;
}

static void describe_end(const struct build *b, const struct topo_link *l, int side, struct rtnl_end *e,
			 char ifname[16])
{
	const struct topo_node *n = &b->t->nodes[l->node[side]];
	bool host = n->kind == TOPO_HOST;

	e->ns_fd = b->ns[l->node[side]];
	e->ifindex = b->base[l->node[side]] + l->port[side];
	if (host)
		snprintf(ifname, 16, "eth0");
	else
		snprintf(ifname, 16, "p%u", l->port[side]);
	e->ifname = ifname;
	if (host)
		mac_put_host(e->mac, n->index);
	else
		mac_put_port(e->mac, e->ifindex - SWITCH_IFINDEX_BASE);
}

static int link_failed(const struct build *b, int ret)
{
	u32 i = b->rt.failed;

	if (i >= b->t->n_links)
		return err_set(b->err, ret, "veth ctl0-ctl1: %s", b->rt.why);
	return err_set(b->err, ret, "veth %s-%s: %s", b->t->nodes[b->t->links[i].node[0]].name,
		       b->t->nodes[b->t->links[i].node[1]].name, b->rt.why);
}

static int queue_links(struct build *b)
{
	char name[2][16] = { "ctl0", "ctl1" };
	int ctl = b->ns[b->t->n_nodes];
	struct rtnl_end end[2];
	int ret;
	u32 i;

	for (i = 0; i < b->t->n_links; i++) {
		if (i % RTNL_BATCH == 0 && stop_wanted())
			return interrupted(b);
		describe_end(b, &b->t->links[i], 0, &end[0], name[0]);
		describe_end(b, &b->t->links[i], 1, &end[1], name[1]);
		ret = rtnl_veth(&b->rt, end, LAB_MTU, i);
		if (ret)
			return link_failed(b, ret);
	}
	end[0] = (struct rtnl_end){ ctl, CTL_IFINDEX, "ctl0", { 0 } };
	end[1] = (struct rtnl_end){ ctl, CTL_IFINDEX + 1, "ctl1", { 0 } };
	mac_put(end[0].mac, MAC_CTL, 0);
	mac_put(end[1].mac, MAC_CTL, 1);
	ret = rtnl_veth(&b->rt, end, LAB_MTU, i);
	if (!ret)
		ret = rtnl_flush(&b->rt);
	return ret ? link_failed(b, ret) : 0;
}

/* All pairs through one connection. It is opened in "ctl", where no port's ifindex is taken (lab/netlab/rtnl.h). */
static int make_links(struct build *b)
{
	int ret;

	if (setns(b->ns[b->t->n_nodes], CLONE_NEWNET))
		return err_set(b->err, -errno, "setns: %s", strerror(errno));
	ret = rtnl_open(&b->rt);
	if (ret)
		return err_set(b->err, ret, "rtnetlink: %s", strerror(-ret));
	ret = queue_links(b);
	rtnl_close(&b->rt);
	return ret;
}

static int queue_node(struct build *b, u32 node)
{
	const struct topo_node *n = &b->t->nodes[node];
	int ret = 0;
	u32 p;

	if (node == b->t->n_nodes)
		return rtnl_set_up(&b->rt, CTL_IFINDEX + 1, 0);
	for (p = 0; p < n->n_ports && !ret; p++)
		if (n->ports[p].end == 1) /* the other end was made up (rtnl_veth) */
			ret = rtnl_set_up(&b->rt, b->base[node] + p, p);
	if (!ret && n->kind == TOPO_HOST)
		ret = rtnl_addr(&b->rt, b->base[node], host_addr(n->index), HOST_NET_PREFIX, 0);
	return ret;
}

/* What must be requested from inside a node's namespace. */
static int finish_node(struct build *b, u32 node)
{
	int ret;

	if (setns(b->ns[node], CLONE_NEWNET))
		return err_set(b->err, -errno, "setns: %s", strerror(errno));
	ret = rtnl_open(&b->rt);
	if (ret)
		return err_set(b->err, ret, "rtnetlink: %s", strerror(-ret));
	ret = queue_node(b, node);
	if (!ret)
		ret = rtnl_flush(&b->rt);
	rtnl_close(&b->rt);
	return ret ? err_set(b->err, ret, "%s: interface %u: %s", b->m->ns[node], b->rt.failed, b->rt.why) : 0;
}

static int build_all(struct build *b)
{
	int ret;
	u32 i;

	ret = make_namespaces(b);
	if (!ret)
		ret = number_ports(b);
	if (!ret)
		ret = make_links(b);
	for (i = 0; i < b->m->n_ns && !ret; i++)
		ret = stop_wanted() ? interrupted(b) : finish_node(b, i);
	return ret;
}

/* Build the lab, then return to the caller's namespace. */
static int build(const struct topo *t, const struct manifest *m, struct err *err)
{
	struct build b = { .t = t, .m = m, .err = err };
	int ret;
	u32 i;

	b.home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	b.ns = malloc(m->n_ns * sizeof(*b.ns));
	b.base = calloc(m->n_ns, sizeof(*b.base));
	if (b.home < 0 || !b.ns || !b.base) {
		ret = err_set(err, -ENOMEM, "lab %s: out of memory", m->name);
	} else {
		for (i = 0; i < m->n_ns; i++)
			b.ns[i] = -1;
		ret = build_all(&b);
		for (i = 0; i < m->n_ns; i++)
			if (b.ns[i] >= 0)
				close(b.ns[i]);
		if (setns(b.home, CLONE_NEWNET) && !ret)
			ret = err_set(err, -errno, "setns: %s", strerror(errno));
	}
	if (b.home >= 0)
		close(b.home);
	free(b.ns);
	free(b.base);
	return ret;
}

static int write_topology(const char *name, const struct topo *t, struct err *err)
{
	char path[LAB_PATH_MAX];
	int bad, fd, ret;
	FILE *out;

	netlab_path(name, "topology", path);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	out = fd < 0 || fchmod(fd, 0600) ? NULL : fdopen(fd, "w");
	if (!out) {
		ret = err_set(err, -errno, "%.200s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	bad = topo_print(t, out) || fflush(out) || fsync(fileno(out));
	if (fclose(out) || bad)
		return err_set(err, -EIO, "%.200s: cannot be written", path);
	return 0;
}

/* With the lock held: are the names free? A lab without any namespace left (after a reboot) gives way to the new one.
 */
static int check_free(const struct manifest *m, const char *manifest, struct err *err)
{
	struct manifest old;
	bool exists = false;
	int ret;
	u32 i;

	ret = manifest_read(&old, manifest, m->name, err);
	if (ret && ret != -ENOENT)
		return ret;
	if (!ret) {
		for (i = 0; i < old.n_ns; i++)
			exists |= netns_exists(old.ns[i]);
		if (exists)
			ret = err_set(err, -EEXIST, "lab '%s' is already up: losslab down --name %s removes it",
				      m->name, m->name);
		else if (netlab_remove(&old, err))
			ret = -EEXIST;
		manifest_free(&old);
		if (ret)
			return ret;
	}
	for (i = 0; i < m->n_ns; i++)
		if (netns_name_taken(m->ns[i]))
			return err_set(err, -EADDRINUSE, "namespace %s: exists and is not this lab's; nothing was made",
				       m->ns[i]);
	return 0;
}

/* Remove what was made; if that fails too, the manifest stays for `losslab down`. */
static void undo(const struct manifest *m)
{
	struct err why;

	if (!netlab_remove(m, &why))
		netlab_forget(m->name, &why);
}

/* With the lock held and the names free: write the manifest, build, mark the manifest as complete. */
static int create(struct manifest *m, const struct topo *t, const char *manifest, struct err *err)
{
	int ret;

	ret = write_topology(m->name, t, err);
	if (ret)
		return ret;
	ret = manifest_write(m, manifest);
	if (!ret) {
		ret = build(t, m, err);
		if (ret)
			return ret == -EEXIST ? -EADDRINUSE : ret; /* -EEXIST means: the lab exists */
		m->complete = true;
		ret = manifest_write(m, manifest);
	}
	return ret ? err_set(err, ret, "%.200s: %s", manifest, strerror(-ret)) : 0;
}

/* Before anything of the lab is made. A temporary lab is used by this process only, so its names may be hidden. */
static int prepare(const char *name, bool temporary, struct err *err)
{
	int ret;

	if (!temporary && netns_hidden())
		return err_set(
			err, -EXDEV,
			"lab %s: mounts made here stay hidden from other processes: run up outside of this mount "
			"namespace (unshare -m, ip netns exec, losslab exec, a service with mounts of its own)",
			name);
	ret = netns_prepare();
	return ret ? err_set(err, ret, "%s: %s", NETNS_DIR, strerror(-ret)) : 0;
}

static int up_locked(struct manifest *m, const struct topo *t, struct err *err)
{
	char manifest[LAB_PATH_MAX];
	sigset_t stop, old;
	int ret;

	netlab_path(m->name, "manifest.json", manifest);
	stop_set(&stop);
	sigprocmask(SIG_BLOCK, &stop, &old);
	ret = check_free(m, manifest, err);
	if (!ret)
		ret = create(m, t, manifest, err);
	/* An existing lab (-EEXIST), and one whose manifest cannot be read (-EBADMSG), stays as it is. */
	if (ret && ret != -EEXIST && ret != -EBADMSG)
		undo(m);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

static int up(const char *name, const struct topo *t, const struct process_id *owner, struct err *err)
{
	struct manifest m;
	int ret, lock;

	ret = netlab_check_name(name, err);
	if (ret)
		return ret;
	ret = caps_check(CAPS_LAB, ", or use --engine twin with run", err);
	if (!ret)
		ret = limit_open_files(t->n_nodes + SPARE_FDS, err);
	if (!ret)
		ret = prepare(name, owner->pid, err);
	if (ret)
		return ret;
	lock = netlab_lock(name, true, err);
	if (lock < 0)
		return lock;
	ret = manifest_make(&m, name, t);
	if (ret)
		err_set(err, ret, "lab %s: %s", name, strerror(-ret));
	m.owner = *owner;
	if (!ret)
		ret = up_locked(&m, t, err);
	manifest_free(&m);
	close(lock);
	return ret;
}

int netlab_up(const char *name, const struct topo *t, struct err *err)
{
	static const struct process_id user;

	return up(name, t, &user, err);
}

int netlab_up_temporary(const struct topo *t, char name[LAB_NAME_MAX], struct err *err)
{
	struct process_id self;
	int ret;

	ret = process_self(&self);
	if (ret)
		return err_set(err, ret, "/proc: %s: mount it", strerror(-ret));
	/* The pid makes a good guess; any lab may have that name, so go on until one is free. */
	for (u32 i = 0; i < NAMES_TRIED; i++) {
		snprintf(name, LAB_NAME_MAX, i ? "run%d-%u" : "run%d", (int)self.pid, i);
		ret = up(name, t, &self, err);
		if (ret != -EEXIST && ret != -EADDRINUSE && ret != -EBUSY && ret != -EBADMSG)
			break;
	}
	return ret;
}
