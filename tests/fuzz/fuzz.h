/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the libFuzzer targets share. A target fails by ASAN, by UBSAN, or by CHECK(): what is read must also be in the
 * ranges that its callers rely on, and what is written back must read the same.
 */
#ifndef LOSSLAB_TESTS_FUZZ_H
#define LOSSLAB_TESTS_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/types.h"

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition);                         \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* In memory: a file system on a disk takes milliseconds per input. */
static char fuzz_path[] = "/dev/shm/losslab-fuzz-XXXXXX";

static inline void fuzz_unlink(void)
{
	unlink(fuzz_path);
}

/* The input as a file, for what takes a path; the same path each time. */
static inline const char *fuzz_file(const u8 *data, size_t size)
{
	static FILE *file;

	if (!file) {
		int fd = mkstemp(fuzz_path);

		CHECK(fd >= 0);
		file = fdopen(fd, "w");
		CHECK(file && !atexit(fuzz_unlink));
	}
	rewind(file);
	CHECK(!ftruncate(fileno(file), 0) && fwrite(data, 1, size, file) == size && !fflush(file));
	return fuzz_path;
}

/* The input as a stream; fmemopen() takes no empty one. */
static inline FILE *fuzz_stream(const void *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");

	CHECK(in);
	return in;
}

#endif
