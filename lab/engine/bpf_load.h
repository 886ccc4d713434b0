/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading the switch and host programs for one run, and attaching them to a lab's ports. */
#ifndef LOSSLAB_BPF_LOAD_H
#define LOSSLAB_BPF_LOAD_H

#include "lab/plan/plan.h"

struct bpf_object;

struct bpf_fabric {
	struct bpf_object *sw, *host;
	int advance_fd, emit_fd;                      /* programs to run */
	int ingress_fd, tapped_fd, pass_fd, count_fd; /* programs to attach */
	int devices_fd;
	u64 *host_rx; /* lab frames received, per host: counted once every socket has its copy */
	int *links;   /* what is attached; closing detaches */
	u32 n_links;
};

/* Files that all of this keeps open for a run of @f: programs, maps, and a link per port. */
u32 bpf_fabric_files(const struct plan *f);
/*
 * Load fresh programs and maps, sized for @f, and map the fabric's state into @m. 0 or -errno with one line in
 * err.
 */
int bpf_fabric_load(struct bpf_fabric *b, const struct plan *f, struct plan_memory *m, struct err *err);
/* Attach to every port of lab @lab and enter its control namespace. */
int bpf_fabric_attach(struct bpf_fabric *b, const struct plan *f, const char *lab, struct err *err);
/* Detach, unload, unmap. The calling process is in the control namespace still. */
void bpf_fabric_free(struct bpf_fabric *b, const struct plan *f, const char *lab);

#endif
