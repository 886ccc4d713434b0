// SPDX-License-Identifier: GPL-2.0-or-later
/* The lab's manifest: made, written atomically, and read with suspicion. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "lab/netlab/manifest.h"

#define FORMAT 2
#define SIZE_MAX_BYTES (4 << 20) /* enough for 65,536 names of 32 bytes */
/* What to do about a manifest that names nothing which could be removed safely. */
#define DAMAGED ": restore it, or remove by hand the lab's namespaces (ip netns) and directory (docs/running.md)"
#define NODE_CHARS "abcdefghijklmnopqrstuvwxyz0123456789_-"

void manifest_mark(const struct manifest *m, char mark[NETNS_MARK_MAX])
{
	snprintf(mark, NETNS_MARK_MAX, "losslab %s %s\n", m->name, m->id);
}

void manifest_free(struct manifest *m)
{
	free(m->ns);
	m->ns = NULL;
	m->n_ns = 0;
}

static int draw_id(char id[MANIFEST_ID_MAX])
{
	u8 raw[(MANIFEST_ID_MAX - 1) / 2];
	unsigned int i;

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return -EIO;
	for (i = 0; i < sizeof(raw); i++)
		snprintf(id + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

int manifest_make(struct manifest *m, const char *name, const struct topo *t)
{
	u32 i;

	memset(m, 0, sizeof(*m));
	snprintf(m->name, sizeof(m->name), "%s", name);
	snprintf(m->title, sizeof(m->title), "%s", t->title);
	m->n_hosts = t->n_hosts;
	m->n_switches = t->n_switches;
	m->n_links = t->n_links;
	if (draw_id(m->id))
		return -EIO;
	m->n_ns = t->n_nodes + 1;
	m->ns = calloc(m->n_ns, sizeof(*m->ns));
	if (!m->ns)
		return -ENOMEM;
	for (i = 0; i < t->n_nodes; i++)
		snprintf(m->ns[i], NETNS_NAME_MAX, "%s-%s", m->name, t->nodes[i].name);
	snprintf(m->ns[t->n_nodes], NETNS_NAME_MAX, "%s-ctl", m->name);
	return 0;
}

static json_t *owner_to_json(const struct process_id *p)
{
	if (!p->pid)
		return json_null();
	return json_pack("{s:i, s:I, s:I}", "pid", (int)p->pid, "start", (json_int_t)p->start, "pid_ns",
			 (json_int_t)p->pid_ns);
}

static int owner_from_json(struct process_id *p, json_t *owner, struct err *err)
{
	json_int_t start, pid_ns;
	json_error_t e;
	int pid;

	if (json_is_null(owner))
		return 0;
	if (json_unpack_ex(owner, &e, JSON_STRICT, "{s:i, s:I, s:I}", "pid", &pid, "start", &start, "pid_ns", &pid_ns))
		return err_set(err, -EBADMSG, "owner: %.150s", e.text);
	if (pid <= 0 || start <= 0 || pid_ns <= 0)
		return err_set(err, -EBADMSG, "owner: out of range");
	*p = (struct process_id){ pid, (u64)start, (u64)pid_ns };
	return 0;
}

static json_t *to_json(const struct manifest *m)
{
	json_t *names = json_array();
	u32 i;

	for (i = 0; names && i < m->n_ns; i++) {
		/* a manifest without one of its names would leave that namespace behind */
		if (json_array_append_new(names, json_string(m->ns[i]))) {
			json_decref(names);
			return NULL;
		}
	}
	return json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:i, s:b, s:o, s:o}", "losslab-manifest", FORMAT, "name",
			 m->name, "id", m->id, "title", m->title, "hosts", (int)m->n_hosts, "switches",
			 (int)m->n_switches, "links", (int)m->n_links, "complete", m->complete, "owner",
			 owner_to_json(&m->owner), "namespaces", names);
}

/* The text onto the disk under a temporary name. */
static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t done = 0, len = strlen(text);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0600)) /* whatever the umask */
		ret = -errno;
	while (done < len && !ret) {
		ssize_t n = write(fd, text + done, len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			ret = -errno;
	}
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/* The new name itself must be on the disk before the first object is made. */
static int sync_parent(const char *path)
{
	char dir[512];
	int fd, ret;

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(path, '/') - path), path);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = fsync(fd) && errno != EINVAL ? -errno : 0; /* EINVAL: a file system that has nothing to sync */
	close(fd);
	return ret;
}

int manifest_write(const struct manifest *m, const char *path)
{
	json_t *root = to_json(m);
	char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	char tmp[512];
	int ret;

	json_decref(root);
	if (!text)
		return -ENOMEM;
	if (snprintf(tmp, sizeof(tmp), "%s.tmp", path) >= (int)sizeof(tmp))
		ret = -ENAMETOOLONG;
	else
		ret = write_file(tmp, text);
	free(text);
	if (!ret && rename(tmp, path))
		ret = -errno;
	return ret ? ret : sync_parent(path);
}

/* LAB-NODE of this very lab, of characters that can name nothing outside NETNS_DIR. */
static bool ns_name_ok(const char *ns, const char *lab)
{
	size_t n = strlen(lab);
	const char *node = ns + n + 1;

	return strlen(ns) < NETNS_NAME_MAX && !strncmp(ns, lab, n) && ns[n] == '-' && *node &&
		node[strspn(node, NODE_CHARS)] == '\0';
}

static int read_names(struct manifest *m, json_t *names, struct err *err)
{
	size_t i, n = json_array_size(names);

	if (n < 1 || n > MANIFEST_NS_MAX)
		return err_set(err, -EBADMSG, "namespaces: %zu of them", n);
	m->ns = calloc(n, sizeof(*m->ns));
	if (!m->ns)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		const char *ns = json_string_value(json_array_get(names, i));

		if (!ns || !ns_name_ok(ns, m->name))
			return err_set(err, -EBADMSG, "namespaces[%zu]: not a namespace of lab %s", i, m->name);
		strcpy(m->ns[i], ns); /* ns_name_ok() made sure that it fits */
	}
	m->n_ns = (u32)n;
	return 0;
}

static int from_json(struct manifest *m, json_t *root, const char *name, struct err *err)
{
	const char *has_name, *id, *title;
	int format, hosts, switches, links, complete;
	json_t *names, *owner;
	json_error_t e;

	if (json_unpack_ex(root, &e, JSON_STRICT, "{s:i, s:s, s:s, s:s, s:i, s:i, s:i, s:b, s:o, s:o}",
			   "losslab-manifest", &format, "name", &has_name, "id", &id, "title", &title, "hosts", &hosts,
			   "switches", &switches, "links", &links, "complete", &complete, "owner", &owner, "namespaces",
			   &names))
		return err_set(err, -EBADMSG, "%.150s", e.text);
	if (format != FORMAT)
		return err_set(err, -EBADMSG, "losslab-manifest: version %d, not %d", format, FORMAT);
	if (strcmp(has_name, name) || strlen(name) >= sizeof(m->name))
		return err_set(err, -EBADMSG, "name: '%.40s' is another lab's", has_name);
	if (strlen(id) != MANIFEST_ID_MAX - 1 || id[strspn(id, "0123456789abcdef")])
		return err_set(err, -EBADMSG, "id: not %d hexadecimal digits", MANIFEST_ID_MAX - 1);
	if (hosts < 0 || switches < 0 || links < 0 || strlen(title) >= sizeof(m->title))
		return err_set(err, -EBADMSG, "counts or title: out of range");
	if (!json_is_array(names))
		return err_set(err, -EBADMSG, "namespaces: not an array");
	if (owner_from_json(&m->owner, owner, err))
		return -EBADMSG;
	strcpy(m->name, has_name);
	strcpy(m->id, id);
	strcpy(m->title, title);
	m->n_hosts = (u32)hosts;
	m->n_switches = (u32)switches;
	m->n_links = (u32)links;
	m->complete = complete;
	return read_names(m, names, err);
}

/* The whole content of a regular file of at most SIZE_MAX_BYTES, or NULL with an error. */
static json_t *load(const char *path, int *ret, struct err *err)
{
	json_t *root = NULL;
	json_error_t e;
	struct stat st;
	int fd;

	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		*ret = -errno;
		err_set(err, *ret, "%s", strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > SIZE_MAX_BYTES) {
		*ret = err_set(err, -EBADMSG, "not a file of at most %d bytes", SIZE_MAX_BYTES);
	} else {
		root = json_loadfd(fd, JSON_REJECT_DUPLICATES, &e);
		if (!root)
			*ret = err_set(err, -EBADMSG, "line %d: %.150s", e.line, e.text);
	}
	close(fd);
	return root;
}

int manifest_read(struct manifest *m, const char *path, const char *name, struct err *err)
{
	struct err why;
	json_t *root;
	int ret = 0;

	memset(m, 0, sizeof(*m));
	root = load(path, &ret, &why);
	if (root)
		ret = from_json(m, root, name, &why);
	json_decref(root);
	if (ret) {
		manifest_free(m);
		err_set(err, ret, "lab %.15s: manifest.json: %.120s%s", name, why.text, ret == -EBADMSG ? DAMAGED : "");
	}
	return ret;
}
