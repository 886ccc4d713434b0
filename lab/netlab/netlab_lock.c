// SPDX-License-Identifier: GPL-2.0
/* The lab's directory and its lock. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/netlab/netlab_priv.h"

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

static int make_dirs(const char *name, struct err *err)
{
	char path[LAB_PATH_MAX];

	if (mkdir(netlab_run_dir(), 0755) && errno != EEXIST)
		return err_set(err, -errno, "%.150s: %s", netlab_run_dir(), strerror(errno));
	netlab_path(name, "", path);
	if (mkdir(path, 0755) && errno != EEXIST)
		return err_set(err, -errno, "%.200s: %s", path, strerror(errno));
	return 0;
}

static struct flock whole_file(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

/* Is the file that was locked still the one that its name leads to? `down` removes both. */
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
		}
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd < 0 && errno == ENOENT && create)
			continue; /* a `down` has just removed the directory */
		if (fd < 0 && errno == ENOENT)
			return err_set(err, -ENOENT, "lab %s: there is no such lab", name);
		if (fd < 0)
			return err_set(err, -errno, "%.200s: %s", path, strerror(errno));
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
	struct dirent *e;
	DIR *dir;
	int ret = 0;

	netlab_path(name, "", path);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : err_set(err, -errno, "%.200s: %s", path, strerror(errno));
	/* The lock is the last to go: until then the lab is ours. */
	while ((e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, "lock"))
			unlinkat(dirfd(dir), e->d_name, 0);
	if ((unlinkat(dirfd(dir), "lock", 0) && errno != ENOENT) ||
	    (rmdir(path) && errno != ENOENT && errno != ENOTEMPTY))
		ret = err_set(err, -errno, "%.200s: %s", path, strerror(errno));
	closedir(dir);
	return ret;
}

static int is_lab(const struct dirent *e)
{
	struct err why;

	return e->d_type != DT_REG && !netlab_check_name(e->d_name, &why);
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
