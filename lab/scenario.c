// SPDX-License-Identifier: GPL-2.0
/* Reading scenario files. */
#include "lab/scenario.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINE 1024

static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return s;
}

static int set_words(struct run_cfg *c, char **words, int n, char *err)
{
	for (int i = 0; i < n; i++)
		if (cfg_set(c, words[i], err))
			return -EINVAL;
	return 0;
}

static int begin_variant(struct scenario *s, const struct run_cfg *common, char *line, char *err)
{
	size_t n = strlen(line);

	if (n < 3 || line[n - 1] != ']' || n - 2 >= SCENARIO_LABEL) {
		snprintf(err, CFG_ERR_MAX, "a variant begins with [label], a label of 1 to %d bytes",
			 SCENARIO_LABEL - 1);
		return -EINVAL;
	}
	if (s->n == SCENARIO_VARIANTS) {
		snprintf(err, CFG_ERR_MAX, "too many variants, at most %d", SCENARIO_VARIANTS);
		return -EINVAL;
	}
	memcpy(s->label[s->n], line + 1, n - 2);
	s->label[s->n][n - 2] = '\0';
	s->cfg[s->n++] = *common;
	return 0;
}

/* Lines go to the variant begun last, or to what all have in common, where words given by hand come last. */
static int read_line(struct scenario *s, struct run_cfg *common, char *text, char **words, int n_words, char *err)
{
	char *hash = strchr(text, '#'), *line;

	if (hash)
		*hash = '\0';
	line = trim(text);
	if (!*line)
		return 0;
	if (*line != '[')
		return cfg_set(s->n ? &s->cfg[s->n - 1] : common, line, err);
	if (!s->n && set_words(common, words, n_words, err))
		return -EINVAL;
	return begin_variant(s, common, line, err);
}

static int read_file(struct scenario *s, struct run_cfg *common, FILE *in, const char *path, char **words, int n_words,
		     char *err)
{
	char text[LINE], what[CFG_ERR_MAX];

	for (u32 line = 1; fgets(text, sizeof(text), in); line++) {
		if (!strchr(text, '\n') && !feof(in)) {
			snprintf(err, CFG_ERR_MAX, "%.100s:%u: line too long or not text", path, line);
			return -EINVAL;
		}
		if (read_line(s, common, text, words, n_words, what)) {
			snprintf(err, CFG_ERR_MAX, "%.80s:%u: %.160s", path, line, what);
			return -EINVAL;
		}
	}
	return ferror(in) ? -EIO : 0;
}

static int read_path(struct scenario *s, struct run_cfg *common, const char *path, char **words, int n_words, char *err)
{
	char inner[PATH_MAX];
	struct stat st;
	FILE *in;
	int rc;

	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		snprintf(inner, sizeof(inner), "%s/scenario", path);
		path = inner;
	}
	in = fopen(path, "re");
	if (!in) {
		rc = -errno;
		snprintf(err, CFG_ERR_MAX, "scenario: %.160s: %s", path, strerror(-rc));
		return rc;
	}
	rc = read_file(s, common, in, path, words, n_words, err);
	fclose(in);
	return rc;
}

int scenario_read(struct scenario *s, const char *path, char **words, int n_words, char *err)
{
	struct run_cfg common;
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
		s->n = 1;
		snprintf(s->label[0], SCENARIO_LABEL, "%s", common.transport);
	}
	for (u32 i = 0; i < s->n; i++) {
		rc = cfg_finish(&s->cfg[i], err);
		if (rc)
			return rc;
	}
	return 0;
}
