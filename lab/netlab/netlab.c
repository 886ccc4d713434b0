// SPDX-License-Identifier: GPL-2.0-or-later
/* An existing lab: its name, whether it is there, opening it for a run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/netlab/netlab_impl.h"

int netlab_check_name(const char *name, struct err *err)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

	if (*name < 'a' || *name > 'z' || name[strspn(name, chars)])
		return err_set(err, -EINVAL,
			       "lab name '%.40s': must be a small letter, then small letters, digits, '_' or '-'",
			       name);
	if (strlen(name) >= LAB_NAME_MAX)
		return err_set(err, -EINVAL, "lab name '%.40s': longer than %d characters", name, LAB_NAME_MAX - 1);
	return 0;
}

bool netlab_exists(const char *name)
{
	char path[LAB_PATH_MAX];
	struct err err;
	struct stat st;

	return !netlab_check_name(name, &err) && !netlab_path(name, "manifest.json", path) && !lstat(path, &st);
}

int netlab_check_access(struct err *err)
{
	if (!access(netlab_run_dir(), R_OK | X_OK) || errno != EACCES)
		return 0;
	return err_set(err, -EACCES, "labs belong to root (%.120s): run with sudo", netlab_run_dir());
}

int manifest_of(struct manifest *m, const char *name, struct err *err)
{
	char path[LAB_PATH_MAX];

	if (!netlab_path(name, "manifest.json", path))
		return manifest_read(m, path, name, err);
	memset(m, 0, sizeof(*m));
	return err_set(err, -ENAMETOOLONG, "LOSSLAB_RUN_DIR: too long");
}

int netlab_ns_fd(const char *name, const char *node)
{
	char ns[NETNS_NAME_MAX];
	struct err err;

	if (netlab_check_name(name, &err) || strchr(node, '/'))
		return -EINVAL;
	if (snprintf(ns, sizeof(ns), "%s-%s", name, node) >= (int)sizeof(ns))
		return -ENOENT;
	return netns_open(ns);
}

/* The lab must be whole: everything a run relies on is checked here, once. */
static int check_whole(const struct manifest *m, struct err *err)
{
	u32 i;

	if (!m->complete)
		return err_set(err, -ENOENT, "lab %s: up did not finish: losslab down --name %s removes it", m->name,
			       m->name);
	for (i = 0; i < m->n_ns; i++)
		if (!netns_exists(m->ns[i]))
			return err_set(err, -ENOENT,
				       "lab %s: namespace %s: is gone: losslab down --name %s, then up again", m->name,
				       m->ns[i], m->name);
	return 0;
}

static int load(struct netlab *lab, struct err *err)
{
	char path[LAB_PATH_MAX];
	struct manifest m;
	int ret;

	ret = manifest_of(&m, lab->name, err);
	if (ret == -ENOENT)
		return err_set(err, ret, "lab %s: no such lab: losslab up builds one", lab->name);
	if (ret)
		return ret;
	ret = check_whole(&m, err);
	manifest_free(&m);
	if (ret)
		return ret;
	netlab_path(lab->name, "topology", path);
	return topo_open(path, "", &lab->topo, err);
}

int netlab_open(const char *name, struct netlab *lab, struct err *err)
{
	int ret = netlab_check_name(name, err);

	memset(lab, 0, sizeof(*lab));
	lab->lock_fd = -1;
	if (ret)
		return ret;
	strcpy(lab->name, name); /* netlab_check_name() made sure that it fits */
	ret = netlab_lock(name, false, err);
	if (ret < 0)
		return ret;
	lab->lock_fd = ret;
	ret = load(lab, err);
	if (ret)
		netlab_close(lab);
	return ret;
}

void netlab_close(struct netlab *lab)
{
	if (lab->topo)
		topo_free(lab->topo);
	if (lab->lock_fd >= 0)
		close(lab->lock_fd);
	lab->topo = NULL;
	lab->lock_fd = -1;
}
