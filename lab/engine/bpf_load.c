// SPDX-License-Identifier: GPL-2.0
/* Loading: sizes first, then programs; the maps of the fabric's state are mapped into the conductor. */
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

/* What libbpf last complained of: the verifier's own words, for the error line. */
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

static int resize(struct bpf_object *o, const char *name, u64 entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(o, name);

	return map ? bpf_map__set_max_entries(map, entries ? entries : 1) : -ENOENT;
}

static int size_maps(struct bpf_object *o, const struct plan *f)
{
	const struct plan_sizes *z = &f->size;
	struct bpf_map *large = bpf_object__find_map_by_name(o, "large_slots");
	const struct {
		const char *name;
		u64 entries;
	} sizes[] = {
		{ "switches", z->switches },       { "ports", z->ports },
		{ "port_rx", z->ports },           { "nodes", z->switches + z->hosts },
		{ "frames", z->small + z->large }, { "voqs", z->voqs },
		{ "routes", z->routes },           { "arrivals", z->arrivals },
		{ "free_small", z->arrivals },     { "free_large", z->arrivals },
		{ "stack_small", z->small },       { "stack_large", z->large },
		{ "emissions", z->emissions },     { "todo", z->switches },
		{ "small_slots", z->small },       { "large_slots", z->large },
		{ "devices", z->ports },
	};
	int rc = large ? bpf_map__set_value_size(large, f->fab.slot_large) : -ENOENT;

	for (u32 i = 0; !rc && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		rc = resize(o, sizes[i].name, sizes[i].entries);
	return rc;
}

/*
 * Map an array map as a whole; its values lie 8-byte aligned, one after the other. Agents see of the fabric only how
 * many frames have arrived: keeping the rest out of fork() halves the start of a thousand agents.
 */
static int map_array(const struct bpf_map *map, void **at, bool for_agents)
{
	u64 stride, bytes;

	if (!map)
		return -ENOENT;
	stride = (bpf_map__value_size(map) + 7) / 8 * 8;
	bytes = (stride * bpf_map__max_entries(map) + 4095) / 4096 * 4096;
	*at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (*at == MAP_FAILED) {
		*at = NULL;
		return -errno;
	}
	if (!for_agents)
		madvise(*at, bytes, MADV_DONTFORK); /* a saving: failing is no harm */
	return 0;
}

/* libbpf's names of the data sections begin with a part of the object's; only their ends are sure. */
static struct bpf_map *find_section(struct bpf_object *o, const char *suffix)
{
	struct bpf_map *map;
	size_t n = strlen(suffix), len;

	bpf_object__for_each_map(map, o)
	{
		len = strlen(bpf_map__name(map));
		if (len >= n && !strcmp(bpf_map__name(map) + len - n, suffix))
			return map;
	}
	return NULL;
}

static int set_config(struct bpf_object *o, const struct fab_cfg *cfg)
{
	struct bpf_map *map = find_section(o, ".rodata");
	size_t size;
	void *data = map ? (void *)bpf_map__initial_value(map, &size) : NULL; /* const in older libbpf */

	if (!data || size < sizeof(*cfg))
		return -ENOENT;
	memcpy(data, cfg, sizeof(*cfg)); /* cfg is the section's only variable */
	return 0;
}

static int map_fabric(struct bpf_fabric *b, struct plan_memory *m)
{
	const struct {
		struct bpf_object *object;
		const char *name;
		void **at;
	} maps[] = {
		{ b->sw, "switches", (void **)&m->switches },
		{ b->sw, "ports", (void **)&m->ports },
		{ b->sw, "port_rx", (void **)&m->rx },
		{ b->sw, "nodes", (void **)&m->nodes },
		{ b->sw, "frames", (void **)&m->frames },
		{ b->sw, "voqs", (void **)&m->voqs },
		{ b->sw, "routes", (void **)&m->routes },
		{ b->sw, "emissions", (void **)&m->emissions },
		{ b->sw, "arrivals", (void **)&m->arrivals },
		{ b->sw, "free_small", (void **)&m->free_ring[0] },
		{ b->sw, "free_large", (void **)&m->free_ring[1] },
		{ b->sw, "stack_small", (void **)&m->stack[0] },
		{ b->sw, "stack_large", (void **)&m->stack[1] },
		{ b->sw, "todo", (void **)&m->todo },
		{ b->host, "host_rx", (void **)&b->host_rx },
	};
	int rc = map_array(find_section(b->sw, ".bss"), (void **)&m->state,
			   false); /* state is the section's only variable */

	for (u32 i = 0; !rc && i < sizeof(maps) / sizeof(maps[0]); i++)
		rc = map_array(bpf_object__find_map_by_name(maps[i].object, maps[i].name), maps[i].at,
			       maps[i].at == (void **)&m->rx);
	return rc;
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
	int rc;

	memset(b, 0, sizeof(*b));
	complaint[0] = '\0';
	libbpf_set_print(quiet);
	setrlimit(RLIMIT_MEMLOCK, &all); /* kernels before 5.11 count maps there; failing is no harm on later ones */
	b->sw = open_object(bpf_switch_start, bpf_switch_end);
	b->host = open_object(bpf_host_start, bpf_host_end);
	if (!b->sw || !b->host)
		return fail(err, -errno, "cannot open the built-in programs");
	rc = size_maps(b->sw, f);
	if (!rc)
		rc = resize(b->host, "host_rx", f->size.hosts);
	if (!rc)
		rc = set_config(b->sw, &f->fab);
	if (rc)
		return fail(err, rc, "cannot size the maps");
	rc = bpf_object__load(b->sw);
	if (!rc)
		rc = bpf_object__load(b->host);
	if (rc)
		return fail(err, rc, "cannot load the programs");
	rc = map_fabric(b, m);
	if (rc)
		return fail(err, rc, "cannot map the fabric's state");
	b->advance_fd = program_fd(b->sw, "advance");
	b->emit_fd = program_fd(b->sw, "emit");
	b->ingress_fd = program_fd(b->sw, "ingress");
	b->tapped_fd = program_fd(b->sw, "tapped");
	b->pass_fd = program_fd(b->host, "pass");
	b->count_fd = program_fd(b->host, "count");
	b->devices_fd = bpf_object__find_map_fd_by_name(b->sw, "devices");
	return 0;
}
