// SPDX-License-Identifier: GPL-2.0-or-later
/* The lab's directory, what is in it, and its lock. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/netlab/netlab_impl.h"

const char *netlab_run_dir(void)
{
	const char *dir = getenv("LOSSLAB_RUN_DIR");

	return dir && *dir ? dir : "/run/losslab";
}

int netlab_path(const char *name, const char *file, char path[LAB_PATH_MAX])
{
	int n = snprintf(path, LAB_PATH_MAX, "%s/%s%s%s", netlab_run_dir(), name, *file ? "/" : "", file);

	return n < LAB_PATH_MAX ? 0 : -ENAMETOOLONG;
}

/*
 * A directory of ours alone, whatever the umask: who can write there could put another lab's files in place, and who
 * can open the lock there could hold it and so keep `down` and `run` out.
 */
static int make_dir(const char *path, struct err *err)
{
	struct stat st;
	int fd, ret = 0;

	if (mkdir(path, 0700) && errno != EEXIST)
		return err_set(err, -errno, "%.200s: %s", path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(err, -errno, "%.200s: %s", path, strerror(errno));
	if (fstat(fd, &st) || st.st_uid != geteuid())
		ret = err_set(err, -EACCES, "%.200s: belongs to another user", path);
	else if ((st.st_mode & 07777) != 0700 && fchmod(fd, 0700))
		ret = err_set(err, -errno, "%.200s: %s", path, strerror(errno));
	close(fd);
	return ret;
}

static int make_dirs(const char *name, struct err *err)
{
	char path[LAB_PATH_MAX];
	int ret;

	ret = make_dir(netlab_run_dir(), err);
	netlab_path(name, "", path);
	return ret ? ret : make_dir(path, err);
}

/* All files that losslab makes in a lab's directory, the lock last: until it goes, the lab is ours. */
static const char *const own_files[] = { "manifest.json", "manifest.json.tmp", "topology", "lock" };
#define N_OWN_FILES (sizeof(own_files) / sizeof(own_files[0]))

/* A directory without any of our files is no lab. */
static bool has_own_file(const char *name)
{
	char path[LAB_PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < N_OWN_FILES; i++)
		if (!netlab_path(name, own_files[i], path) && !lstat(path, &st))
			return true;
	return false;
}

static struct flock whole_file(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

/* Does the name still lead to the file that was locked? `down` removes both. */
static bool still_there(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static int busy(const char *name, int fd, struct err *err)
{
	struct flock l = whole_file();
	pid_t pid = fcntl(fd, F_GETLK, &l) || l.l_type == F_UNLCK ? 0 : l.l_pid;

	close(fd);
	if (pid > 0)
		return err_set(err, -EBUSY, "lab %s: in use by process %d", name, (int)pid);
	return err_set(err, -EBUSY, "lab %s: in use by another process", name);
}

int netlab_lock(const char *name, bool create, struct err *err)
{
	char path[LAB_PATH_MAX];
	struct flock l;
	int fd, ret;

	if (netlab_path(name, "lock", path))
		return err_set(err, -ENAMETOOLONG, "LOSSLAB_RUN_DIR: too long");
	for (;;) {
		if (create) {
			ret = make_dirs(name, err);
			if (ret)
				return ret;
		} else if (!has_own_file(name)) {
			return err_set(err, -ENOENT, "lab %s: no such lab", name);
		}
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno == ENOENT && create)
			continue; /* a `down` has just removed the directory */
		if (fd < 0 && errno == ENOENT)
			return err_set(err, -ENOENT, "lab %s: no such lab", name);
		if (fd < 0)
			return err_set(err, -errno, "%.200s: %s", path, strerror(errno));
		fchmod(fd, 0600); /* whatever the umask */
		l = whole_file();
		if (fcntl(fd, F_SETLK, &l))
			return errno == EAGAIN || errno == EACCES
				? busy(name, fd, err)
				: err_set(err, -errno, "%.200s: lock: %s", path, strerror(errno));
		if (still_there(fd, path))
			return fd;
		close(fd);
	}
}

pid_t netlab_holder(const char *name)
{
	struct flock l = whole_file();
	char path[LAB_PATH_MAX];
	pid_t pid = 0;
	int fd;

	if (netlab_path(name, "lock", path))
		return 0;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!fcntl(fd, F_GETLK, &l) && l.l_type != F_UNLCK)
		pid = l.l_pid > 0 ? l.l_pid : -1;
	close(fd);
	return pid;
}

int netlab_forget(const char *name, struct err *err)
{
	char path[LAB_PATH_MAX];

	for (size_t i = 0; i < N_OWN_FILES; i++) {
		netlab_path(name, own_files[i], path);
		if (unlink(path) && errno != ENOENT)
			return err_set(err, -errno, "%.200s: %s", path, strerror(errno));
	}
	netlab_path(name, "", path);
	if (rmdir(path) && errno != ENOENT && errno != ENOTEMPTY)
		return err_set(err, -errno, "%.200s: %s", path, strerror(errno));
	return 0;
}

static int is_lab(const struct dirent *e)
{
	struct err why;

	return !netlab_check_name(e->d_name, &why) && has_own_file(e->d_name);
}

int netlab_each(int (*fn)(const char *name, void *arg), void *arg)
{
	struct dirent **labs;
	int i, n, ret = 0;

	n = scandir(netlab_run_dir(), &labs, is_lab, alphasort);
	for (i = 0; i < n; i++) {
		if (!ret)
			ret = fn(labs[i]->d_name, arg);
		free(labs[i]);
	}
	if (n >= 0)
		free(labs);
	return ret;
}
