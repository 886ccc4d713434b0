// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One system call fails: LD_PRELOAD of this library and CHAOS_FAIL=N:ERRNO. Of the calls below, counted over a process
 * and all that it forks, number N returns -1 with this errno (memory: NULL). CHAOS_COUNT=FILE writes down, at the end
 * of the first process, how many calls there have been.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_malloc(size_t size);

static unsigned long *calls; /* shared by all processes */
static unsigned long which;
static int code;
static pid_t first;

__attribute__((constructor)) static void prepare(void)
{
	const char *fail = getenv("CHAOS_FAIL");
	char *rest = NULL;
	/* by number, so that the library's own mmap() does not count */
	void *page =
		(void *)syscall(SYS_mmap, NULL, 4096UL, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0L);

	if (page == MAP_FAILED)
		_exit(99);
	if (fail)
		which = strtoul(fail, &rest, 10);
	code = rest && *rest == ':' ? atoi(rest + 1) : EIO;
	unsetenv("LD_PRELOAD"); /* what it executes is not meant */
	first = getpid();
	calls = page;
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("CHAOS_COUNT");
	char text[32];
	int fd, n;

	if (!path || getpid() != first)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	n = snprintf(text, sizeof(text), "%lu\n", *calls);
	if (fd < 0 || syscall(SYS_write, fd, text, (size_t)n) != n)
		_exit(99);
}

/* Is this the call that fails? */
static int fails(void)
{
	if (!calls || __atomic_add_fetch(calls, 1, __ATOMIC_RELAXED) != which)
		return 0;
	errno = code;
	return 1;
}

/* A wrapper of @name: fails, or goes on to the next definition. */
#define WRAP(type, bad, name, arguments, ...)                                                                          \
	type name arguments;                                                                                           \
	type name arguments                                                                                            \
	{                                                                                                              \
		static type(*next) arguments;                                                                          \
                                                                                                                       \
		if (fails())                                                                                           \
			return bad;                                                                                    \
		if (!next)                                                                                             \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                                     \
		return next(__VA_ARGS__);                                                                              \
	}

WRAP(int, -1, socket, (int domain, int type, int protocol), domain, type, protocol)
WRAP(int, -1, bind, (int fd, const struct sockaddr *at, socklen_t n), fd, at, n)
WRAP(int, -1, setsockopt, (int fd, int level, int name, const void *v, socklen_t n), fd, level, name, v, n)
WRAP(ssize_t, -1, sendto, (int fd, const void *b, size_t n, int flags, const struct sockaddr *to, socklen_t tn), fd, b,
     n, flags, to, tn)
WRAP(ssize_t, -1, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m, flags)
WRAP(int, -1, sendmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags), fd, m, n, flags)
WRAP(ssize_t, -1, recvmsg, (int fd, struct msghdr *m, int flags), fd, m, flags)
WRAP(int, -1, setns, (int fd, int type), fd, type)
WRAP(int, -1, unshare, (int flags), flags)
WRAP(int, -1, mount, (const char *s, const char *t, const char *type, unsigned long flags, const void *data), s, t,
     type, flags, data)
WRAP(int, -1, mkdir, (const char *path, mode_t mode), path, mode)
WRAP(int, -1, rename, (const char *from, const char *to), from, to)
WRAP(int, -1, pipe2, (int fds[2], int flags), fds, flags)
WRAP(int, -1, linkat, (int d, const char *from, int e, const char *to, int flags), d, from, e, to, flags)
WRAP(int, -1, mkostemp, (char *path, int flags), path, flags)
WRAP(int, -1, umount2, (const char *path, int flags), path, flags)
WRAP(pid_t, -1, fork, (void), )
WRAP(int, -1, ftruncate, (int fd, off_t n), fd, n)
WRAP(int, -1, memfd_create, (const char *name, unsigned flags), name, flags)
WRAP(FILE *, NULL, fopen, (const char *path, const char *mode), path, mode)
WRAP(int, -1, fclose, (FILE * f), f)
WRAP(int, -1, fflush, (FILE * f), f)
WRAP(void *, MAP_FAILED, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t off), at, n, prot, flags, fd,
     off)

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

/* With further arguments: as many words as any of their callers gives. */
#define REST(last, a)                                                                                                  \
	do {                                                                                                           \
		va_list va;                                                                                            \
		va_start(va, last);                                                                                    \
		for (int i = 0; i < 6; i++)                                                                            \
			a[i] = va_arg(va, long);                                                                       \
		va_end(va);                                                                                            \
	} while (0)

long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6];

	REST(number, a);
	if (number == SYS_bpf && fails())
		return -1;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int open(const char *path, int flags, ...)
{
	long a[6];

	REST(flags, a);
	return fails() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, (mode_t)a[0]);
}

int openat(int dir, const char *path, int flags, ...)
{
	long a[6];

	REST(flags, a);
	return fails() ? -1 : (int)syscall(SYS_openat, dir, path, flags, (mode_t)a[0]);
}

int ioctl(int fd, unsigned long request, ...)
{
	long a[6];

	REST(request, a);
	return fails() ? -1 : (int)syscall(SYS_ioctl, fd, request, a[0]);
}
