/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows as a workload file, for tests that read it back. */
#ifndef LOSSLAB_TESTS_WORKLOAD_CSV_H
#define LOSSLAB_TESTS_WORKLOAD_CSV_H

#include <errno.h>
#include <stdio.h>

#include "lab/workload/workload.h"

/* With all columns that workload=file: reads. 0, or -EIO. */
static inline int workload_write_csv(const struct flow *flows, u32 n, FILE *out)
{
	fputs("id,src,dst,bytes,start_ns,op,class\n", out);
	for (u32 i = 0; i < n; i++) {
		const struct flow *f = &flows[i];
		u64 ps = f->start_ps % PS_PER_NS;

		fprintf(out, "%u,%u,%u,%llu,%llu", f->id, f->src, f->dst, f->bytes, f->start_ps / PS_PER_NS);
		if (ps)
			fprintf(out, ".%03llu", ps);
		fprintf(out, ",%s,%u\n", flow_op_names[f->op], f->class);
	}
	return ferror(out) ? -EIO : 0;
}

#endif
