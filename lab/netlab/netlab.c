// SPDX-License-Identifier: GPL-2.0
/* A standing lab: its name, whether it is there, opening it for a run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/netlab/netlab_priv.h"

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
		return err_set(err, -ENOENT, "lab %s: was never finished: losslab down --name %s removes it", m->name,
			       m->name);
	for (i = 0; i < m->n_ns; i++)
		if (!netns_stands(m->ns[i]))
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

	netlab_path(lab->name, "manifest.json", path);
	ret = manifest_read(&m, path, lab->name, err);
	if (ret == -ENOENT)
		return err_set(err, ret, "lab %s: there is no such lab: losslab up", lab->name);
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
