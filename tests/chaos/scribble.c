// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Noise in a BPF map of another process: scribble PID MAP SEED. Only maps that the process holds open are looked at, by
 * the identifiers in its /proc/PID/fdinfo, so nobody else's is touched.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACES 64 /* values written */

static uint64_t state;

static uint32_t draw(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 32);
}

/* The map that a descriptor of the process stands for, or 0. */
static unsigned map_of(const char *pid, const char *fd)
{
	char path[300], line[128];
	unsigned id = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, fd);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "map_id: %u", &id) == 1)
			break;
	if (f)
		fclose(f);
	return id;
}

static int scribble(int fd, const struct bpf_map_info *info)
{
	unsigned char *value = malloc(info->value_size);
	int written = 0;

	for (unsigned i = 0; value && i < PLACES; i++) {
		uint32_t key = draw() % (i % 2 ? info->max_entries : (info->max_entries < 64 ? info->max_entries : 64));

		for (uint32_t b = 0; b < info->value_size; b++)
			value[b] = (unsigned char)draw();
		written += !bpf_map_update_elem(fd, &key, value, BPF_ANY);
	}
	free(value);
	return written;
}

int main(int argc, char **argv)
{
	struct dirent *e;
	char path[64];
	DIR *d;

	if (argc != 4) {
		fprintf(stderr, "scribble: usage: scribble PID MAP SEED\n");
		return 2;
	}
	state = strtoull(argv[3], NULL, 10);
	snprintf(path, sizeof(path), "/proc/%.20s/fdinfo", argv[1]);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		struct bpf_map_info info = { 0 };
		unsigned size = sizeof(info), id = map_of(argv[1], e->d_name);
		int fd = id ? bpf_map_get_fd_by_id(id) : -1;

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &size) && !strcmp(info.name, argv[2])) {
			printf("%d values of map %s written\n", scribble(fd, &info), argv[2]);
			closedir(d);
			return 0;
		}
		close(fd);
	}
	fprintf(stderr, "scribble: process %s has no map %s: %s\n", argv[1], argv[2],
		d ? "none of that name" : strerror(errno));
	return 1;
}
