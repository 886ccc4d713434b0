/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab's record on disk, by which it can be removed whatever happened: RUN_DIR/NAME/manifest.json.
 *
 * It is written before the first object exists. So a name in it only may be ours; a namespace is ours if it also bears
 * the lab's mark (lab/netlab/netns.h). The mark holds an id that is drawn for each `up`: `down` leaves alone a
 * namespace that somebody else made under a listed name.
 */
#ifndef LOSSLAB_MANIFEST_H
#define LOSSLAB_MANIFEST_H

#include <stdbool.h>

#include "lab/netlab/netlab.h"
#include "lab/netlab/netns.h"
#include "lab/netlab/process.h"

#define MANIFEST_ID_MAX 33 /* 32 hexadecimal digits and the final NUL */
#define MANIFEST_NS_MAX 65536

struct manifest {
	char name[LAB_NAME_MAX];
	char id[MANIFEST_ID_MAX];
	char title[64]; /* of the topology */
	u32 n_hosts, n_switches, n_links;
	bool complete; /* `up` has finished */
	/* The process of a temporary lab, which `run` brings up for itself; pid 0: a lab that the user brought up. */
	struct process_id owner;
	u32 n_ns;
	char (*ns)[NETNS_NAME_MAX];
};

/* The manifest of a lab to be built: draws the id, lists a namespace for each node and one for "ctl". 0 or -errno. */
int manifest_make(struct manifest *m, const char *name, const struct topo *t);
/*
 * Read and check one. -ENOENT if there is none; -EBADMSG with one line in err if it is not to be trusted: then
 * nothing of it is to be acted on.
 */
int manifest_read(struct manifest *m, const char *path, const char *name, struct err *err);
/* The manifest of lab @name, from its place; as manifest_read(). */
int manifest_of(struct manifest *m, const char *name, struct err *err);
/* Write it so that a reader finds the old or the new one, whole, also after a crash. 0 or -errno. */
int manifest_write(const struct manifest *m, const char *path);
void manifest_free(struct manifest *m);

/* The mark of this lab's namespaces. */
void manifest_mark(const struct manifest *m, char mark[NETNS_MARK_MAX]);

#endif
