/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory for output. Whoever runs as root writes with the same care into a directory that others may touch: no
 * name that is written follows a symbolic link, each file appears whole or not at all, and nobody else writes there
 * meanwhile. docs/running.md has the rules.
 */
#ifndef LOSSLAB_OUTDIR_H
#define LOSSLAB_OUTDIR_H

#include <stdbool.h>
#include <stdio.h>

#include "topo/err.h"

#define OUTDIR_PATH_MAX 288
#define OUTDIR_NAME_MAX 64

struct outdir {
	int fd, lock; /* -1: not open */
	char path[OUTDIR_PATH_MAX];
	size_t made; /* bytes of path that name the first directory that outdir_open() has made; 0: none */
};

/* A file on its way into the directory. */
struct outdir_file {
	FILE *out;
	char name[OUTDIR_NAME_MAX], temp[OUTDIR_NAME_MAX + 32];
};

/*
 * Make directory @path, with what leads to it, and lock it; remove what a killed process left half-written there. 0; or
 * -errno and err filled in: -EBUSY: another process writes there; -EPERM: others could interfere (its owner, its mode,
 * or a symbolic link of theirs on the way). outdir_close() in any case.
 */
int outdir_open(struct outdir *d, const char *path, struct err *err);
/* Unlock it. Directories that outdir_open() has made go again, as far as they are empty. */
void outdir_close(struct outdir *d);
/* Open a new file, which will be called @name. 0 or -errno; then outdir_written(). */
int outdir_create(struct outdir *d, const char *name, struct outdir_file *f);
/* Close it: 0, or -errno if anything could not be written. It has not got its name yet. */
int outdir_written(struct outdir_file *f);
/* Give it its name, in place of any other file of that name; or remove it again. 0 or -errno. */
int outdir_commit(struct outdir *d, struct outdir_file *f);
void outdir_discard(struct outdir *d, struct outdir_file *f);
/* Remove file @name, if it is there. */
void outdir_remove(struct outdir *d, const char *name);

#endif
