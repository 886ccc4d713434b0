/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a lab leaves on disk, so that it can be removed whatever happened: RUN_DIR/NAME/manifest.json.
 *
 * It is written before the first object exists. So a name in it is only a name that *may* be ours; what is
 * ours is what bears the mark as well (lab/netlab/netns.h). The mark holds an id that is drawn for each `up`: a
 * namespace that somebody else makes under a listed name, at whatever moment, is not taken down.
 */
#ifndef LOSSLAB_MANIFEST_H
#define LOSSLAB_MANIFEST_H

#include <stdbool.h>

#include "lab/netlab/netlab.h"
#include "lab/netlab/netns.h"

#define MANIFEST_ID_MAX 33 /* 32 hexadecimal digits and the final NUL */
#define MANIFEST_NS_MAX 65536

struct manifest {
	char name[LAB_NAME_MAX];
	char id[MANIFEST_ID_MAX];
	char title[64]; /* of the topology */
	u32 n_hosts, n_switches, n_links;
	bool complete; /* `up` came to its end */
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
/* Write it so that a reader, also after a crash, finds the old or the new one, never a half. 0 or -errno. */
int manifest_write(const struct manifest *m, const char *path);
void manifest_free(struct manifest *m);

/* The mark of this lab's namespaces. */
void manifest_mark(const struct manifest *m, char mark[NETNS_MARK_MAX]);

#endif
