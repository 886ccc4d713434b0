// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loading the BPF programs for one run: set the maps' sizes, load, map the state into the conductor's memory.
 *
 * Not by a libbpf skeleton: that takes bpftool at build time. Debian 12 has it as a package of its own, but in Ubuntu
 * 24.04 /usr/sbin/bpftool is a wrapper of linux-tools-common that runs only with the tools of the very kernel that is
 * running (Launchpad bug 2007308), so in a container or on a foreign kernel nothing could be built. It would save
 * little: libbpf finds a data section by its name (".rodata"), and sizes are set by map in any case.
 */
#include "lab/engine/bpf_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PROGRAM_FILES 64 /* programs, maps and BTF of the two objects, and what libbpf opens while it loads them */

extern const char bpf_switch_start[], bpf_switch_end[], bpf_host_start[], bpf_host_end[];

/* The first warning of libbpf, for the error message. */
static char complaint[192];

static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char *end;

	if (level == LIBBPF_WARN && !complaint[0]) {
		vsnprintf(complaint, sizeof(complaint), fmt, args);
		end = strchr(complaint, '\n');
		if (end)
			*end = '\0';
	}
	return 0;
}

static int fail(struct err *err, int rc, const char *what)
{
	return err_set(err, rc, "bpf: %s: %s%s%.120s (losslab doctor says what this kernel lacks)", what, strerror(-rc),
		       complaint[0] ? ": " : "", complaint);
}

/*
 * The maps of the switches, by name: how many entries, and where to map them. A NULL has no place in the conductor's
 * memory. Agents see of them only how many frames have arrived (struct map's agents): keeping the rest out of fork()
 * halves the start of a thousand agents.
 */
struct map {
	const char *name;
	u64 entries;
	void **at;
	bool agents;
};

static int set_size(struct bpf_object *o, const struct map *m)
{
	struct bpf_map *map = bpf_object__find_map_by_name(o, m->name);

	return map ? bpf_map__set_max_entries(map, m->entries ? m->entries : 1) : -ENOENT;
}

/* Map an array map as a whole, or a data section. Values are 8-byte aligned, one after the other. */
static int map_array(struct bpf_object *o, const struct map *m)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(o, m->name);
	u64 stride, bytes;

	if (!map)
		return -ENOENT;
	stride = (bpf_map__value_size(map) + 7) / 8 * 8;
	bytes = (stride * bpf_map__max_entries(map) + 4095) / 4096 * 4096;
	*m->at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (*m->at == MAP_FAILED) {
		*m->at = NULL;
		return -errno;
	}
	if (!m->agents)
		madvise(*m->at, bytes, MADV_DONTFORK); /* a saving: failing is no harm */
	return 0;
}

/* The settings are the only variable of .rodata. */
static int set_config(struct bpf_object *o, const struct fab_cfg *cfg)
{
	struct bpf_map *map = bpf_object__find_map_by_name(o, ".rodata");
	size_t size;
	void *data = map ? (void *)bpf_map__initial_value(map, &size) : NULL; /* const in older libbpf */

	if (!data || size < sizeof(*cfg))
		return -ENOENT;
	memcpy(data, cfg, sizeof(*cfg));
	return 0;
}

static int set_large_slots(struct bpf_object *o, u32 bytes)
{
	struct bpf_map *map = bpf_object__find_map_by_name(o, "large_slots");

	return map ? bpf_map__set_value_size(map, bytes) : -ENOENT;
}

#define MAPS 17

static void list_maps(const struct plan_sizes *z, struct plan_memory *m, struct map maps[MAPS])
{
	const struct map list[MAPS] = {
		{ "switches", z->switches, (void **)&m->switches, false },
		{ "ports", z->ports, (void **)&m->ports, false },
		{ "port_rx", z->ports, (void **)&m->rx, true },
		{ "nodes", z->switches + z->hosts, (void **)&m->nodes, false },
		{ "frames", z->small + z->large, (void **)&m->frames, false },
		{ "voqs", z->voqs, (void **)&m->voqs, false },
		{ "routes", z->routes, (void **)&m->routes, false },
		{ "emissions", z->emissions, (void **)&m->emissions, false },
		{ "arrivals", z->arrivals, (void **)&m->arrivals, false },
		{ "free_small", z->arrivals, (void **)&m->free_ring[0], false },
		{ "free_large", z->arrivals, (void **)&m->free_ring[1], false },
		{ "stack_small", z->small, (void **)&m->stack[0], false },
		{ "stack_large", z->large, (void **)&m->stack[1], false },
		{ "todo", z->switches, (void **)&m->todo, false },
		{ "small_slots", z->small, NULL, false },
		{ "large_slots", z->large, NULL, false },
		{ "devices", z->ports, NULL, false },
	};

	memcpy(maps, list, sizeof(list));
}

static int set_sizes(struct bpf_fabric *b, const struct plan *f, const struct map maps[MAPS], const struct map *host_rx)
{
	int rc = set_large_slots(b->sw, f->fab.slot_large);

	for (u32 i = 0; !rc && i < MAPS; i++)
		rc = set_size(b->sw, &maps[i]);
	return rc ? rc : set_size(b->host, host_rx);
}

static int map_all(struct bpf_fabric *b, struct plan_memory *m, const struct map maps[MAPS], const struct map *host_rx)
{
	const struct map state = { ".bss", 1, (void **)&m->state, false }; /* the state is its only variable */
	int rc = map_array(b->sw, &state);

	for (u32 i = 0; !rc && i < MAPS; i++)
		if (maps[i].at)
			rc = map_array(b->sw, &maps[i]);
	return rc ? rc : map_array(b->host, host_rx);
}

/* Set sizes and settings, load both objects, map the state. On failure *@what says which of these failed. */
static int load(struct bpf_fabric *b, const struct plan *f, struct plan_memory *m, const char **what)
{
	const struct map host_rx = { "host_rx", f->size.hosts, (void **)&b->host_rx, false };
	struct map maps[MAPS];
	int rc;

	list_maps(&f->size, m, maps);
	*what = "cannot size the maps";
	rc = set_sizes(b, f, maps, &host_rx);
	if (!rc)
		rc = set_config(b->sw, &f->fab);
	if (rc)
		return rc;
	*what = "cannot load the programs";
	rc = bpf_object__load(b->sw);
	if (!rc)
		rc = bpf_object__load(b->host);
	if (rc)
		return rc;
	*what = "cannot map the fabric's state";
	return map_all(b, m, maps, &host_rx);
}

static int program_fd(struct bpf_object *o, const char *name)
{
	struct bpf_program *p = bpf_object__find_program_by_name(o, name);

	return p ? bpf_program__fd(p) : -ENOENT;
}

static struct bpf_object *open_object(const char *start, const char *end)
{
	return bpf_object__open_mem(start, end - start, NULL);
}

u32 bpf_fabric_files(const struct plan *f)
{
	return f->size.ports + f->size.hosts + 1 + PROGRAM_FILES;
}

int bpf_fabric_load(struct bpf_fabric *b, const struct plan *f, struct plan_memory *m, struct err *err)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	const char *what;
	int rc;

	memset(b, 0, sizeof(*b));
	complaint[0] = '\0';
	libbpf_set_print(quiet);
	setrlimit(RLIMIT_MEMLOCK, &all); /* kernels before 5.11 count maps there; failing is no harm on later ones */
	b->sw = open_object(bpf_switch_start, bpf_switch_end);
	b->host = open_object(bpf_host_start, bpf_host_end);
	if (!b->sw || !b->host)
		return fail(err, -errno, "cannot open the built-in programs");
	rc = load(b, f, m, &what);
	if (rc)
		return fail(err, rc, what);
	b->advance_fd = program_fd(b->sw, "advance");
	b->emit_fd = program_fd(b->sw, "emit");
	b->ingress_fd = program_fd(b->sw, "ingress");
	b->tapped_fd = program_fd(b->sw, "tapped");
	b->pass_fd = program_fd(b->host, "pass");
	b->count_fd = program_fd(b->host, "count");
	b->devices_fd = bpf_object__find_map_fd_by_name(b->sw, "devices");
	return 0;
}
