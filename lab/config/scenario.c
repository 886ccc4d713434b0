// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading scenario files. */
#include "lab/config/scenario.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/config/cfg_keys.h"
#include "lab/text.h"
#include "lab/workload/workload.h"

/* What reading has come to: lines go to the variant begun last, or to what all have in common. */
struct reading {
	struct scenario *s;
	struct run_cfg *common;
	u32 seen[CFG_KEYS_MAX];
	char **words; /* given by hand: they override what all have in common, not the variants */
	int n_words;
	const char *dir; /* where its file is, without a '/' at the end; NULL: here */
};

static int set_words(struct run_cfg *c, char **words, int n, struct err *err)
{
	for (int i = 0; i < n; i++)
		if (cfg_set(c, words[i], err))
			return -EINVAL;
	return 0;
}

static int begin_variant(struct reading *r, struct text_in *csv, const char *line)
{
	struct scenario *s = r->s;
	size_t n = strlen(line);

	if (n < 3 || line[n - 1] != ']' || n - 2 >= SCENARIO_LABEL)
		return text_fail(csv, "a variant begins with [label], a label of 1 to %d bytes", SCENARIO_LABEL - 1);
	if (s->n == SCENARIO_VARIANTS)
		return text_fail(csv, "too many variants, at most %d", SCENARIO_VARIANTS);
	if (!s->n && set_words(r->common, r->words, r->n_words, csv->err))
		return -EINVAL;
	memset(r->seen, 0, sizeof(r->seen));
	memcpy(s->label[s->n], line + 1, n - 2);
	s->label[s->n][n - 2] = '\0';
	err_printable(s->label[s->n]);
	for (u32 i = 0; i < s->n; i++)
		if (!strcmp(s->label[i], s->label[s->n]))
			return text_fail(csv, "%s: variant %u has this label already; allowed: one of its own for each",
					 text_quote(line).s, i + 1);
	s->cfg[s->n++] = *r->common;
	return 0;
}

/* The keys whose values may be paths: in a file they are from where it is, unless they begin with '/'. */
static const struct path_key {
	const char *name;
	size_t off; /* of its member of run_cfg, CFG_STR bytes */
} path_keys[] = {
	{ "topology", offsetof(struct run_cfg, topology) },
	{ "fault_file", offsetof(struct run_cfg, fault_file) },
	{ "workload", offsetof(struct run_cfg, workload) },
};
#define PATH_KEYS (sizeof(path_keys) / sizeof(path_keys[0]))

/* The path in @value, where it is not from '/' on; NULL: there is none. */
static char *relative_path(const struct path_key *k, char *value)
{
	char *path = value;

	if (!strcmp(k->name, "workload")) {
		const char *after = workload_path(value);

		path = after ? value + (after - value) : NULL;
	}
	return path && *path && *path != '/' ? path : NULL;
}

static int put_beside(const struct reading *r, struct text_in *csv, const struct path_key *k, struct run_cfg *c)
{
	char *value = (char *)c + k->off, *path = relative_path(k, value), name[CFG_STR + PATH_MAX];
	struct stat st;
	int n;

	if (!path)
		return 0;
	n = snprintf(name, sizeof(name), "%.*s%s/%s", (int)(path - value), value, r->dir, path);
	/* A topology without a '/' may be a generator. */
	if (!strcmp(k->name, "topology") && !strchr(path, '/') && (stat(name, &st) || S_ISDIR(st.st_mode)))
		return 0;
	if (n >= CFG_STR)
		return text_fail(csv, "%s: with the scenario's folder before it longer than %d bytes", k->name,
				 CFG_STR - 1);
	memcpy(value, name, n + 1);
	return 0;
}

static int read_line(struct reading *r, struct text_in *csv)
{
	struct run_cfg *c = r->s->n ? &r->s->cfg[r->s->n - 1] : r->common;
	bool was_seen[PATH_KEYS];
	char *line = cfg_text(csv->buf);
	int rc;

	if (*line == '[')
		return begin_variant(r, csv, line);
	for (u32 i = 0; i < PATH_KEYS; i++)
		was_seen[i] = r->seen[cfg_key_number(path_keys[i].name)];
	rc = cfg_read_line(c, csv, r->seen);
	for (u32 i = 0; i < PATH_KEYS && r->dir && !rc; i++)
		if (!was_seen[i] && r->seen[cfg_key_number(path_keys[i].name)])
			rc = put_beside(r, csv, &path_keys[i], c);
	return rc;
}

static int read_file(struct reading *r, FILE *in, const char *path, struct err *err)
{
	struct text_in csv = { .in = in, .name = path, .err = err };
	int rc;

	while ((rc = text_line(&csv)) > 0) {
		rc = read_line(r, &csv);
		if (rc)
			return rc;
	}
	return rc;
}

/* Is this entry of the folder @path a scenario's folder? */
static bool holds_scenario(const char *path, const char *entry)
{
	char inner[PATH_MAX];
	int n = snprintf(inner, sizeof(inner), "%s/%s/scenario", path, entry);

	return n < (int)sizeof(inner) && !access(inner, F_OK);
}

/* Say why there is no scenario at @path, and which are in it if it is a folder of them. */
static int no_scenario(const char *path, bool folder, int code, struct err *err)
{
	struct dirent **entries;
	char list[120] = "";
	size_t used = 0;
	int n = folder ? scandir(path, &entries, NULL, alphasort) : -1;

	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.' && holds_scenario(path, entries[i]->d_name) &&
		    used + strlen(entries[i]->d_name) + 3 < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
						 entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (*list)
		err_set(err, -EINVAL, "scenario %.60s: a folder of scenarios; allowed: one of them: %s", path, list);
	else if (folder)
		err_set(err, -EINVAL, "scenario %.100s: a folder without a file named \"scenario\": %s", path,
			strerror(code));
	else
		err_set(err, -EINVAL, "scenario %.100s: %s; settings are KEY=VALUE, losslab run --help lists the keys",
			path, strerror(code));
	return -code;
}

static int read_path(struct scenario *s, struct run_cfg *common, const char *path, char **words, int n_words,
		     struct err *err)
{
	struct reading r = { .s = s, .common = common, .words = words, .n_words = n_words };
	char inner[PATH_MAX], dir[PATH_MAX], *slash;
	const char *asked = path;
	struct stat st;
	bool folder;
	FILE *in;
	int rc;

	folder = !stat(path, &st) && S_ISDIR(st.st_mode);
	if (folder) {
		snprintf(inner, sizeof(inner), "%s/scenario", path);
		path = inner;
	}
	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash) {
		*slash = '\0';
		r.dir = dir;
	}
	in = fopen(path, "re");
	if (!in) {
		rc = -errno;
		return no_scenario(asked, folder, -rc, err);
	}
	rc = read_file(&r, in, path, err);
	fclose(in);
	return rc;
}

int scenario_read(struct scenario *s, const char *path, char **words, int n_words, struct err *err)
{
	struct run_cfg common;
	struct err why;
	int rc = 0;

	s->n = 0;
	cfg_defaults(&common);
	if (path)
		rc = read_path(s, &common, path, words, n_words, err);
	if (rc)
		return rc;
	if (!s->n) {
		if (set_words(&common, words, n_words, err))
			return -EINVAL;
		s->cfg[0] = common;
		s->label[0][0] = '\0';
		s->n = 1;
	}
	for (u32 i = 0; i < s->n; i++) {
		rc = cfg_finish(&s->cfg[i], &why);
		if (rc) {
			return err_set(err, rc, "%s%.48s%s%.190s", s->n > 1 ? "[" : "", s->n > 1 ? s->label[i] : "",
				       s->n > 1 ? "] " : "", why.text);
		}
	}
	if (!*s->label[0])
		snprintf(s->label[0], SCENARIO_LABEL, "%s", *s->cfg[0].preset ? s->cfg[0].preset : s->cfg[0].transport);
	return 0;
}
