// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run keeps its switches in BPF maps that can be mapped. The process that holds the lab's lock is the run; copies of
 * its map descriptors come from pidfd_getfd() and are only read, so the run is not disturbed.
 */
#include "lab/cmd/ports_live.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/netlab/netlab.h"
#include "lab/run/collect.h"

struct view {
	struct plan plan; /* only the topology, port_base and size.ports are set */
	struct plan_memory mem;
	struct topo *topo;
};

/*
 * If descriptor @fd of process @pidfd is the BPF map @name with @entries values of @size bytes, map it into memory at
 * *at; otherwise leave *at alone. 0, or -errno if this process lacks the permission.
 */
static int map_behind(int pidfd, int fd, const char *name, u32 size, u32 entries, void **at)
{
	struct bpf_map_info info = { 0 };
	u32 len = sizeof(info);
	int own = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	void *map = MAP_FAILED;

	if (own < 0)
		return errno == EPERM ? -EPERM : 0; /* else the process has closed it meanwhile */
	if (!bpf_obj_get_info_by_fd(own, &info, &len) && !strcmp(info.name, name) && info.value_size == size &&
	    info.max_entries == entries)
		map = mmap(NULL, ((size_t)size * entries + 4095) / 4096 * 4096, PROT_READ, MAP_SHARED, own, 0);
	close(own);
	if (map != MAP_FAILED)
		*at = map;
	return 0;
}

static bool is_map(pid_t pid, const char *fd)
{
	char path[64], to[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", (int)pid, fd);
	return readlink(path, to, sizeof(to) - 1) > 0 && !strcmp(to, "anon_inode:bpf-map");
}

/* Map descriptor @fd if it is one of the two maps. */
static int map_one(struct view *v, int pidfd, int fd)
{
	void *ports = v->mem.ports, *switches = v->mem.switches;
	int rc = 0;

	if (!ports)
		rc = map_behind(pidfd, fd, "ports", sizeof(*v->mem.ports), v->plan.size.ports, &ports);
	if (!rc && !switches)
		rc = map_behind(pidfd, fd, "switches", sizeof(*v->mem.switches), v->topo->n_switches, &switches);
	v->mem.ports = ports;
	v->mem.switches = switches;
	return rc;
}

/* Find the two maps among the descriptors of process @pid. */
static int map_switches(struct view *v, pid_t pid)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0), rc = pidfd < 0 ? -errno : 0;
	DIR *dir = NULL;
	struct dirent *e;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if (!rc) {
		dir = opendir(path);
		rc = dir ? 0 : -errno;
	}
	while (!rc && (e = readdir(dir)) && (!v->mem.ports || !v->mem.switches))
		if (is_map(pid, e->d_name))
			rc = map_one(v, pidfd, atoi(e->d_name));
	if (dir)
		closedir(dir);
	if (pidfd >= 0)
		close(pidfd);
	if (rc == -ESRCH) /* it has just ended */
		return -ENOENT;
	return rc ? rc : v->mem.ports && v->mem.switches ? 0 : -ENOENT;
}

/* Number the ports as plan_make() does. */
static int number_ports(struct view *v, const char *name, struct err *err)
{
	char path[LAB_PATH_MAX];
	FILE *in;
	int rc;

	if (netlab_path(name, "topology", path))
		return err_set(err, -ENAMETOOLONG, "LOSSLAB_RUN_DIR: too long");
	in = fopen(path, "re");
	if (!in)
		return err_set(err, -errno, "lab %s: %s", name, strerror(errno));
	rc = topo_parse(in, path, &v->topo, err);
	fclose(in);
	if (rc)
		return rc;
	v->plan.topo = v->topo;
	v->plan.port_base = calloc(v->topo->n_switches, sizeof(u32));
	if (!v->plan.port_base)
		return err_set(err, -ENOMEM, "out of memory");
	v->plan.size.ports = topo_port_bases(v->topo, v->plan.port_base);
	return 0;
}

static int write_csv(const struct view *v, FILE **csv)
{
	struct run_result r = { .n_ports = v->plan.size.ports };
	u64 now = 0;

	r.ports = calloc(r.n_ports + 1, sizeof(*r.ports));
	*csv = tmpfile();
	if (!r.ports || !*csv) {
		free(r.ports);
		return -ENOMEM;
	}
	for (u32 s = 0; s < v->topo->n_switches; s++)
		if (v->mem.switches[s].clock > now)
			now = v->mem.switches[s].clock;
	for (u32 n = 0; n < r.n_ports; n++)
		collect_port(&v->plan, &v->mem, n, now, &r.ports[n]);
	records_ports_csv(&r, *csv);
	rewind(*csv);
	free(r.ports);
	return 0;
}

int ports_live(const char *name, FILE **csv, struct err *err)
{
	pid_t pid = netlab_holder(name);
	struct view v = { 0 };
	int rc = number_ports(&v, name, err);

	*csv = NULL;
	if (!rc) {
		rc = pid > 0 ? map_switches(&v, pid) : -ENOENT;
		if (!rc)
			rc = write_csv(&v, csv);
		if (rc == -ENOENT)
			err_set(err, rc, "lab %s: no current run; losslab ports DIR shows a finished one", name);
		else if (rc == -EPERM || rc == -EACCES)
			err_set(err, rc, "lab %s: reading the counters of its run (process %d) needs root: use sudo",
				name, (int)pid);
		else if (rc)
			err_set(err, rc, "lab %s: its run (process %d): %s", name, (int)pid, strerror(-rc));
	}
	if (v.mem.ports)
		munmap(v.mem.ports, (sizeof(*v.mem.ports) * v.plan.size.ports + 4095) / 4096 * 4096);
	if (v.mem.switches)
		munmap(v.mem.switches, (sizeof(*v.mem.switches) * v.topo->n_switches + 4095) / 4096 * 4096);
	free(v.plan.port_base);
	if (v.topo)
		topo_free(v.topo);
	return rc;
}
