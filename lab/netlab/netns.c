// SPDX-License-Identifier: GPL-2.0-or-later
/* Named network namespaces: claim, make, mount, and remove only what bears the lab's mark. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/netlab/netns.h"

#define PATH_LEN (sizeof(NETNS_DIR) + 1 + NETNS_NAME_MAX)

static void path_of(const char *name, char path[PATH_LEN])
{
	snprintf(path, PATH_LEN, "%s/%.*s", NETNS_DIR, NETNS_NAME_MAX - 1, name);
}

/* How the mount of NETNS_DIR propagates, from /proc/self/mountinfo, see proc(5); the topmost one is the last listed. */
struct propagation {
	bool mounted, shared, slave;
};

static bool read_propagation(const char *dir, struct propagation *p)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char line[1024], at[256];

	memset(p, 0, sizeof(*p));
	if (!in)
		return false;
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%*s %*s %*s %*s %255s", at) != 1 || strcmp(at, dir))
			continue;
		p->mounted = true;
		p->shared = strstr(line, " shared:");
		p->slave = strstr(line, " master:");
	}
	fclose(in);
	return true;
}

/* In the mount namespace of process 1 names are never hidden. A process with few capabilities may not look. */
static bool in_first_mount_ns(bool *known)
{
	struct stat first, own;

	*known = !stat("/proc/1/ns/mnt", &first) && !stat("/proc/self/ns/mnt", &own);
	return *known && first.st_ino == own.st_ino && first.st_dev == own.st_dev;
}

bool netns_hidden(void)
{
	struct propagation dir, above;
	bool known;

	if (in_first_mount_ns(&known) || !read_propagation(NETNS_DIR, &dir))
		return false;
	if (dir.mounted)
		return dir.slave || !dir.shared;
	/* Not mounted yet: a new mount propagates as the one that it is made on. */
	if (!read_propagation("/run", &above) || (!above.mounted && !read_propagation("/", &above)))
		return false;
	return above.slave || (known && !above.shared);
}

int netns_prepare(void)
{
	int fd, ret = 0;

	if (!mkdir(NETNS_DIR, 0755))
		chmod(NETNS_DIR, 0755); /* whatever the umask: `ip netns` lists it for every user */
	else if (errno != EEXIST)
		return -errno;
	if (netns_hidden())
		return 0;
	fd = open(NETNS_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* iproute2 takes this lock too: two at once would mount the directory onto itself twice. */
	flock(fd, LOCK_EX);
	if (mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL)) {
		/* EINVAL: not a mount point yet. Shared, so that `umount` of a name reaches every mount namespace. */
		if (errno != EINVAL || mount(NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL) ||
		    mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
			ret = -errno;
	}
	close(fd);
	return ret;
}

bool netns_name_taken(const char *name)
{
	char path[PATH_LEN];
	struct stat st;

	path_of(name, path);
	return !lstat(path, &st) || errno != ENOENT;
}

bool netns_exists(const char *name)
{
	char path[PATH_LEN];
	struct statfs fs;

	path_of(name, path);
	return !statfs(path, &fs) && fs.f_type == NSFS_MAGIC;
}

int netns_open(const char *name)
{
	char path[PATH_LEN];
	struct statfs fs;
	int fd;

	path_of(name, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &fs) || fs.f_type != NSFS_MAGIC) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

int netns_mark_open(const char *mark)
{
	int fd = open(NETNS_DIR, O_TMPFILE | O_RDWR | O_CLOEXEC, 0400);
	ssize_t len = (ssize_t)strlen(mark);

	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0400) || write(fd, mark, (size_t)len) != len) {
		close(fd);
		return -EIO;
	}
	return fd;
}

/* No neighbour discovery, no MLD: the only frames on a lab link are the lab's. */
static int ipv6_off(void)
{
	static const char *const path[] = {
		"/proc/sys/net/ipv6/conf/all/disable_ipv6",
		"/proc/sys/net/ipv6/conf/default/disable_ipv6",
	};
	unsigned int i;

	for (i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		int fd = open(path[i], O_WRONLY | O_CLOEXEC);
		int bad;

		if (fd < 0 && errno == ENOENT) /* a kernel without IPv6 */
			continue;
		if (fd < 0)
			return -errno;
		bad = write(fd, "1", 1) == 1 ? 0 : -errno;
		close(fd);
		if (bad)
			return bad;
	}
	return 0;
}

/* The calling thread's new namespace onto @path; returns its fd or -errno. */
static int create_at(const char *path)
{
	int fd, ret;

	if (unshare(CLONE_NEWNET))
		return -errno;
	ret = ipv6_off();
	if (ret)
		return ret;
	if (mount("/proc/thread-self/ns/net", path, "none", MS_BIND, NULL))
		return -errno;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		umount2(path, MNT_DETACH);
		return ret;
	}
	return fd;
}

int netns_create(const char *name, int mark_fd)
{
	char path[PATH_LEN], mark[32];
	int fd;

	path_of(name, path);
	snprintf(mark, sizeof(mark), "/proc/self/fd/%d", mark_fd);
	if (linkat(AT_FDCWD, mark, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return -errno;
	fd = create_at(path);
	if (fd < 0)
		unlink(path);
	return fd;
}

int netns_below(void)
{
	/* Without AT_RECURSIVE: the clone has the directory's files and none of the mounts on them. */
	int fd = (int)syscall(SYS_open_tree, AT_FDCWD, NETNS_DIR, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static bool bears_mark(int fd, const char *mark)
{
	char have[NETNS_MARK_MAX];
	ssize_t n = read(fd, have, sizeof(have));

	return n == (ssize_t)strlen(mark) && !memcmp(have, mark, (size_t)n);
}

/* 0, -EPERM if the file is not marked, or -errno. */
static int check_mark(int below_fd, const char *name, const char *mark)
{
	bool ours;
	int fd;

	/* O_NONBLOCK: whatever lies there, a FIFO included, opening it must not hang. */
	fd = openat(below_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	ours = bears_mark(fd, mark);
	close(fd);
	return ours ? 0 : -EPERM;
}

bool netns_marked(int below_fd, const char *name, const char *mark)
{
	return !check_mark(below_fd, name, mark);
}

int netns_remove(int below_fd, const char *name, const char *mark)
{
	int ret = check_mark(below_fd, name, mark);
	char path[PATH_LEN];

	if (ret)
		return ret;
	path_of(name, path);
	/* EINVAL: not mounted, or no longer; a kill between link() and mount() leaves it so. */
	while (!umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW))
		;
	if (errno != EINVAL)
		return -errno;
	return unlink(path) ? -errno : 0;
}
