/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file for records that grow during a run: records_write() copies it when the run is over. */
#ifndef LOSSLAB_SCRATCH_H
#define LOSSLAB_SCRATCH_H

#include <stdio.h>

/* Open a file in directory @dir for writing and reading; it has no name any more. @name: for a moment it is part of it.
 * 0 or -errno. */
int scratch_file(const char *dir, const char *name, FILE **out);

#endif
