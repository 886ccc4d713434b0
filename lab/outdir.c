// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing into a directory: by its descriptor, under a lock, through files that nobody else can have made. */
#include "lab/outdir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME ".losslab.lock"
#define TEMP_PREFIX ".losslab-" /* then the final name, '-', and TEMP_DIGITS hexadecimal digits */
#define TEMP_DIGITS 16
#define LINKS_MAX 40 /* symbolic links on the way, as in the kernel */

static int refuse(struct err *err, int code, const char *path, const char *why)
{
	return err_set(err, code, "out: %.160s: %s", path, why);
}

/* Whose directories and links we go by: root's, our own, and as root those of the user who called sudo. */
static bool is_trusted(uid_t uid)
{
	const char *sudo = getenv("SUDO_UID");
	char *end;
	unsigned long caller;

	if (uid == 0 || uid == geteuid())
		return true;
	if (geteuid() || !sudo || !isdigit((unsigned char)*sudo))
		return false;
	errno = 0;
	caller = strtoul(sudo, &end, 10);
	return !errno && !*end && caller == uid;
}

#define DIRECTORY (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) /* to go on from, or to make files in */

static int enter(int at, const char *path, unsigned *links, size_t *made);

/* The directory that link @name in @at points to. Who made the link chose the place, so -EPERM for others' links. */
static int enter_link(int at, const char *name, unsigned *links)
{
	int link = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc;
	char target[PATH_MAX];
	struct stat st;
	ssize_t n = 0;

	if (link < 0)
		return -errno;
	rc = fstat(link, &st) ? -errno : !S_ISLNK(st.st_mode) ? -ENOTDIR : !is_trusted(st.st_uid) ? -EPERM : 0;
	if (!rc)
		n = readlinkat(link, "", target, sizeof(target) - 1);
	if (n < 0)
		rc = -errno;
	close(link);
	if (rc)
		return rc;
	if (++*links > LINKS_MAX)
		return -ELOOP;
	target[n] = '\0';
	return enter(at, target, links, NULL);
}

/* The directory @name in @at; @name has no slash. */
static int enter_one(int at, const char *name, unsigned *links)
{
	int fd = openat(at, name, DIRECTORY);

	if (fd >= 0)
		return fd;
	return errno == ENOTDIR || errno == ELOOP ? enter_link(at, name, links) : -errno;
}

/* The same, made if it is not there; *made: it was. */
static int enter_or_make(int at, const char *name, unsigned *links, bool *made)
{
	int fd = enter_one(at, name, links);

	if (fd != -ENOENT)
		return fd;
	*made = !mkdirat(at, name, 0777);
	return *made || errno == EEXIST ? enter_one(at, name, links) : -errno;
}

/*
 * The directory @path, seen from @at, step by step: a descriptor or -errno. @made: NULL, or directories are made that
 * are not there, and it is as outdir's.
 */
static int enter(int at, const char *path, unsigned *links, size_t *made)
{
	int fd = *path == '/' ? open("/", DIRECTORY) : openat(at, ".", DIRECTORY), next;
	const char *p = path;

	if (!*path || fd < 0) {
		next = *path ? -errno : -ENOENT;
		if (fd >= 0)
			close(fd);
		return next;
	}
	while (fd >= 0 && *(p += strspn(p, "/"))) {
		size_t len = strcspn(p, "/");
		bool is_new = false;
		char name[NAME_MAX + 1];

		if (len > NAME_MAX) {
			close(fd);
			return -ENAMETOOLONG;
		}
		snprintf(name, sizeof(name), "%.*s", (int)len, p);
		p += len;
		next = made ? enter_or_make(fd, name, links, &is_new) : enter_one(fd, name, links);
		if (is_new && !*made)
			*made = (size_t)(p - path);
		close(fd);
		fd = next;
	}
	return fd;
}

/* May we write there, and can others not interfere? */
static int check_directory(const struct outdir *d, struct err *err)
{
	struct stat st;

	if (fstat(d->fd, &st))
		return refuse(err, -errno, d->path, strerror(errno));
	if (!is_trusted(st.st_uid))
		return err_set(err, -EPERM,
			       "out: %.160s: belongs to user %u, who could interfere; allowed: a directory of root or "
			       "of your own",
			       d->path, st.st_uid);
	if (st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX))
		return refuse(
			err, -EPERM, d->path,
			"everybody may write there and rename files; allowed: without o+w, or with the sticky bit");
	if (faccessat(d->fd, ".", W_OK | X_OK, AT_EACCESS))
		return refuse(err, -errno, d->path, strerror(errno));
	return 0;
}

/* A lock file of ours, opened and locked: a descriptor; -EAGAIN: it has just gone, try again; or -errno. */
static int try_lock(const struct outdir *d)
{
	int fd = openat(d->fd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600), rc = 0;
	struct stat st, now;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode) || !is_trusted(st.st_uid))
		rc = -EPERM;
	else if (flock(fd, LOCK_EX | LOCK_NB))
		rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (fstatat(d->fd, LOCK_NAME, &now, AT_SYMLINK_NOFOLLOW) || now.st_ino != st.st_ino ||
		 now.st_dev != st.st_dev)
		rc = -EAGAIN; /* its owner has removed it before we locked it */
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

static int lock_directory(struct outdir *d, struct err *err)
{
	int rc;

	do
		rc = try_lock(d);
	while (rc == -EAGAIN);
	if (rc == -EBUSY)
		return refuse(err, rc, d->path, "another run writes there; wait for it, or name another directory");
	if (rc < 0)
		return err_set(err, rc, "out: %.160s/" LOCK_NAME ": %s", d->path, strerror(-rc));
	d->lock = rc;
	return 0;
}

/* TEMP_PREFIX, a name, '-', TEMP_DIGITS digits. */
static bool is_temporary(const char *name)
{
	size_t len = strlen(name), least = strlen(TEMP_PREFIX) + 1 + TEMP_DIGITS;

	return len > least && !strncmp(name, TEMP_PREFIX, strlen(TEMP_PREFIX)) && name[len - TEMP_DIGITS - 1] == '-' &&
		strspn(name + len - TEMP_DIGITS, "0123456789abcdef") == TEMP_DIGITS;
}

/* Nobody else holds the lock, so temporary files have no owner any more. */
static void remove_leftovers(const struct outdir *d)
{
	int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	struct stat st;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return; /* a directory that we may not list */
	}
	while ((e = readdir(dir)))
		if (is_temporary(e->d_name) && !fstatat(d->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			unlinkat(d->fd, e->d_name, 0);
	closedir(dir);
}

int outdir_open(struct outdir *d, const char *path, struct err *err)
{
	unsigned links = 0;
	int rc;

	*d = (struct outdir){ .fd = -1, .lock = -1 };
	if (strlen(path) >= sizeof(d->path))
		return refuse(err, -ENAMETOOLONG, path, strerror(ENAMETOOLONG));
	snprintf(d->path, sizeof(d->path), "%s", path);
	rc = enter(AT_FDCWD, path, &links, &d->made);
	if (rc == -EPERM)
		return refuse(err, rc, path, "a symbolic link on the way belongs to another user");
	if (rc < 0)
		return refuse(err, rc, path, strerror(-rc));
	d->fd = rc;
	rc = check_directory(d, err);
	if (!rc)
		rc = lock_directory(d, err);
	if (!rc)
		remove_leftovers(d);
	return rc;
}

/* Remove the directories made, the innermost first. */
static void remove_made(struct outdir *d)
{
	size_t len = strlen(d->path);

	while (d->made && len >= d->made) {
		d->path[len] = '\0';
		if (rmdir(d->path) && errno != ENOENT)
			return;
		while (len && d->path[len - 1] == '/')
			len--;
		while (len && d->path[len - 1] != '/')
			len--;
		while (len && d->path[len - 1] == '/')
			len--;
	}
}

void outdir_close(struct outdir *d)
{
	if (d->lock >= 0) {
		unlinkat(d->fd, LOCK_NAME, 0);
		close(d->lock);
	}
	if (d->fd >= 0)
		close(d->fd);
	d->fd = d->lock = -1;
	remove_made(d);
	d->made = 0;
}

/* A name that nobody can foresee. */
static int draw_temp(struct outdir_file *f)
{
	unsigned long long r;

	if (getrandom(&r, sizeof(r), 0) != sizeof(r))
		return -EIO;
	snprintf(f->temp, sizeof(f->temp), TEMP_PREFIX "%s-%0*llx", f->name, TEMP_DIGITS, r);
	return 0;
}

int outdir_create(struct outdir *d, const char *name, struct outdir_file *f)
{
	int rc, fd;

	f->out = NULL;
	f->temp[0] = '\0';
	if (strlen(name) >= sizeof(f->name))
		return -ENAMETOOLONG;
	snprintf(f->name, sizeof(f->name), "%s", name);
	rc = draw_temp(f);
	if (rc)
		return rc;
	fd = openat(d->fd, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	f->out = fdopen(fd, "w");
	if (f->out)
		return 0;
	rc = -errno;
	close(fd);
	outdir_discard(d, f);
	return rc;
}

int outdir_written(struct outdir_file *f)
{
	int rc = ferror(f->out) ? -EIO : 0;

	if (fclose(f->out) && !rc)
		rc = -errno;
	f->out = NULL;
	return rc;
}

int outdir_commit(struct outdir *d, struct outdir_file *f)
{
	return renameat(d->fd, f->temp, d->fd, f->name) ? -errno : 0;
}

void outdir_discard(struct outdir *d, struct outdir_file *f)
{
	unlinkat(d->fd, f->temp, 0);
}

void outdir_remove(struct outdir *d, const char *name)
{
	unlinkat(d->fd, name, 0);
}
