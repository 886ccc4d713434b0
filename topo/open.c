// SPDX-License-Identifier: GPL-2.0-or-later
/* A topology by its name: a file, or what a generator script prints. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topo/err.h"
#include "topo/topo.h"

#define SPEC_MAX 512         /* bytes of a specification */
#define WORDS_MAX 16         /* arguments of a generator */
#define DRAIN_MAX (16 << 20) /* bytes of output read after an error in it */
#define SUFFIX ".sh"
#define SMALL "abcdefghijklmnopqrstuvwxyz"
#define ALNUM SMALL "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* A generator to be run: its script, and its arguments as execv() wants them. */
struct command {
	char spec[SPEC_MAX]; /* cut up in place into the words of argv */
	char path[SPEC_MAX * 2];
	char *argv[WORDS_MAX + 2];
};

static int open_file(const char *path, struct topo **out, struct err *err)
{
	struct stat st;
	FILE *in;
	int rc;

	in = fopen(path, "re");
	if (!in)
		return err_set(err, errno == ENOENT || errno == ENOMEM ? -errno : -EINVAL, "topology %.150s: %s", path,
			       strerror(errno));
	if (fstat(fileno(in), &st) || S_ISDIR(st.st_mode))
		rc = err_set(err, -EINVAL, "topology %.150s: a directory, not a file", path);
	else
		rc = topo_parse(in, path, out, err);
	fclose(in);
	return rc;
}

static int is_generator(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > strlen(SUFFIX) && !strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX);
}

/* Say what there is, since @spec is neither a file nor one of these. */
static int unknown_generator(const char *spec, const char *dir, struct err *err)
{
	struct dirent **entries;
	char list[160] = "";
	size_t used = 0;
	int n;

	n = scandir(dir, &entries, is_generator, alphasort);
	if (n < 0)
		return err_set(err, -ENOENT, "topology %.60s: no such file, and no generators in %.90s: %s", spec, dir,
			       strerror(errno));
	for (int i = 0; i < n; i++) {
		char *name = entries[i]->d_name;
		size_t len = strlen(name) - strlen(SUFFIX);

		if (used + len + 3 < sizeof(list))
			used += snprintf(list + used, sizeof(list) - used, "%s%.*s", used ? ", " : "", (int)len, name);
		free(entries[i]);
	}
	free(entries);
	return err_set(err, -ENOENT, "topology %.60s: no such file or generator (generators: %s)", spec,
		       *list ? list : "none");
}

/* KEY=VALUE, of characters that no script can take for anything else. */
static bool word_ok(const char *word)
{
	size_t key = strspn(word, SMALL "_");

	return key && word[key] == '=' && word[key + 1] && !word[key + 1 + strspn(word + key + 1, ALNUM "._-")];
}

/* An argument before argv[n] with the key of @word, or NULL. */
static const char *given_before(const struct command *c, int n, const char *word)
{
	for (int i = 1; i < n; i++)
		if (!strncmp(c->argv[i], word, strcspn(word, "=") + 1))
			return c->argv[i];
	return NULL;
}

/* "NAME:k=v,k=v" into a path and words; refuses whatever could name another file. */
static int read_spec(struct command *c, const char *spec, const char *dir, struct err *err)
{
	size_t len = strlen(spec);
	char *rest = NULL, *word;
	int n = 0;

	if (len >= sizeof(c->spec) || strlen(dir) >= sizeof(c->path) - sizeof(c->spec))
		return err_set(err, -EINVAL, "topology %.60s...: too long", spec);
	memcpy(c->spec, spec, len + 1);
	c->argv[n++] = c->path;
	word = strchr(c->spec, ':');
	if (word) {
		*word++ = '\0';
		rest = word;
	}
	if (!*c->spec || c->spec[strspn(c->spec, SMALL "0123456789-")] || *c->spec == '-')
		return unknown_generator(spec, dir, err);
	snprintf(c->path, sizeof(c->path), "%s/%s" SUFFIX, dir, c->spec);
	if (access(c->path, F_OK))
		return unknown_generator(c->spec, dir, err);
	while (rest) {
		word = strsep(&rest, ",");
		if (n > WORDS_MAX)
			return err_set(err, -EINVAL, "topology %s: more than %d arguments", c->spec, WORDS_MAX);
		if (!word_ok(word))
			return err_set(err, -EINVAL, "topology %s: argument '%.40s': not KEY=VALUE", c->spec, word);
		c->argv[n++] = word;
	}
	for (int i = 1; i < n; i++)
		if (given_before(c, i, c->argv[i]))
			return err_set(err, -EINVAL,
				       "topology %s: %.40s: given before, as %.40s; allowed: each key once", c->spec,
				       c->argv[i], given_before(c, i, c->argv[i]));
	c->argv[n] = NULL;
	return 0;
}

/* In the child: become the script. What goes wrong is said on stderr, as the script would. */
static void __attribute__((noreturn)) exec_script(const struct command *c, int out, int errors)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	/* The lab blocks signals; a script without SIGPIPE might never end. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(errors, 2) < 0)
		_exit(126);
	execv(c->path, c->argv);
	dprintf(2, "%s: cannot run: %s\n", c->path, strerror(errno));
	_exit(127);
}

/* Returns the stream of the script's output, or NULL with errno set. */
static FILE *start_script(const struct command *c, int errors, pid_t *pid)
{
	int fds[2];
	FILE *in;

	if (pipe2(fds, O_CLOEXEC))
		return NULL;
	in = fdopen(fds[0], "r");
	*pid = in ? fork() : -1;
	if (!*pid)
		exec_script(c, fds[1], errors);
	close(fds[1]);
	if (*pid > 0)
		return in;
	if (in)
		fclose(in);
	else
		close(fds[0]);
	return NULL;
}

/* Read what is left, so that the script ends by itself; false if it goes on and on. */
static bool drain(FILE *in)
{
	static char sink[65536];
	size_t n, total = 0;

	while (total < DRAIN_MAX && (n = fread(sink, 1, sizeof(sink), in)))
		total += n;
	return total < DRAIN_MAX;
}

/* The script failed: its own first line on stderr says why. */
static int script_error(const char *name, int status, int errors, struct err *err)
{
	char line[160];
	ssize_t n = pread(errors, line, sizeof(line) - 1, 0);

	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (*line && WIFEXITED(status))
		return err_set(err, -EINVAL, "topology %s: %s", name, line);
	if (WIFEXITED(status))
		return err_set(err, -EINVAL, "topology %s: the generator failed with exit code %d", name,
			       WEXITSTATUS(status));
	return err_set(err, -EIO, "topology %s: the generator was ended by signal %d", name, WTERMSIG(status));
}

static int run_generator(const struct command *c, const char *spec, struct topo **out, struct err *err)
{
	int status = 0, rc, errors;
	bool ended;
	pid_t pid;
	FILE *in;

	/* A file in memory, not a pipe: nobody reads it while the output is being read. */
	errors = memfd_create("generator-stderr", MFD_CLOEXEC);
	in = errors < 0 ? NULL : start_script(c, errors, &pid);
	if (!in) {
		rc = err_set(err, -errno, "topology %s: cannot start the generator: %s", c->spec, strerror(errno));
		goto out;
	}
	rc = topo_parse(in, spec, out, err);
	ended = drain(in);
	fclose(in);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* A failed script also prints too little: then the script's own word explains more. */
	if (status && (ended || !rc)) {
		topo_free(*out);
		*out = NULL;
		rc = script_error(c->spec, status, errors, err);
	}
out:
	if (errors >= 0)
		close(errors);
	return rc;
}

bool topo_is_file(const char *spec)
{
	struct stat st;

	return strchr(spec, '/') || (!stat(spec, &st) && !S_ISDIR(st.st_mode));
}

int topo_open(const char *spec, const char *generators, struct topo **out, struct err *err)
{
	struct command c;
	int rc;

	*out = NULL;
	if (topo_is_file(spec))
		return open_file(spec, out, err);
	rc = read_spec(&c, spec, generators, err);
	return rc ? rc : run_generator(&c, spec, out, err);
}
