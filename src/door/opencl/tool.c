#define _GNU_SOURCE /* pipe2, environ */
#include "door/opencl/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum err tool_folder_make(struct tool_folder *f, struct diag *d)
{
	const char *base = getenv("TMPDIR");

	if (!base || *base != '/' || strlen(base) > PATH_MAX / 2)
		base = "/tmp";
	snprintf(f->path, sizeof(f->path), "%s/heddle-opencl.XXXXXX", base);
	return mkdtemp(f->path) ?
		       ERR_OK :
		       fail(d, ERR_IO, "cannot make a folder in %s: %s", base,
			    strerror(errno));
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

void tool_folder_remove(const struct tool_folder *f)
{
	nftw(f->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Makes the folders of a path below the first `from` characters. */
static void make_folders(char *path, size_t from)
{
	for (char *p = path + from; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

enum err tool_write(const struct tool_folder *f, const char *name,
		    const void *bytes, size_t size, struct diag *d)
{
	char path[PATH_MAX + 256];
	FILE *to;
	bool ok;

	if (snprintf(path, sizeof(path), "%s/%s", f->path, name) >=
	    (int)sizeof(path))
		return fail(d, ERR_RANGE, "the name %.60s... is too long",
			    name);
	make_folders(path, strlen(f->path) + 1);
	to = fopen(path, "we");
	if (!to)
		return fail(d, ERR_IO, "cannot write %s: %s", path,
			    strerror(errno));
	ok = fwrite(bytes, 1, size, to) == size;
	ok = !fclose(to) && ok;
	return ok ? ERR_OK :
		    fail(d, ERR_IO, "cannot write %s: %s", path,
			 strerror(errno));
}

enum err tool_read(const char *path, char **bytes, size_t *size, struct diag *d)
{
	struct text t = { 0 };
	char piece[16384];
	FILE *from = fopen(path, "re");
	size_t n;

	if (!from)
		return fail(d, ERR_IO, "cannot read %s: %s", path,
			    strerror(errno));
	text_add(&t, "", 0);
	while ((n = fread(piece, 1, sizeof(piece), from)))
		text_add(&t, piece, n);
	t.bad |= ferror(from) != 0;
	fclose(from);
	if (t.bad) {
		text_free(&t);
		return fail(d, ERR_IO, "cannot read %s", path);
	}
	*bytes = t.at;
	*size = t.size;
	return ERR_OK;
}

bool tool_find(char out[PATH_MAX], const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(out, PATH_MAX, "%s", name);
		return !access(out, X_OK);
	}
	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n + strlen(name) + 2 < PATH_MAX) {
			snprintf(out, PATH_MAX, "%.*s/%s", n ? (int)n : 1,
				 n ? path : ".", name);
			if (!access(out, X_OK))
				return true;
		}
		path += n + (path[n] == ':');
	}
	return false;
}

/* The environment without what `heddle exec` preloads for the program alone. */
static char **tool_environment(void)
{
	size_t n = 0, k = 0;
	char **copy;

	while (environ[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			copy[k++] = environ[i];
	return copy;
}

static int tool_spawn(pid_t *pid, char *const *argv, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char **env = tool_environment();
	sigset_t none;
	int e = ENOMEM;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);
	if (env)
		e = posix_spawn(pid, argv[0], &actions, &attributes, argv, env);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(env);
	return e;
}

static void tool_listen(int from, struct text *log)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(from, piece, sizeof(piece))) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0)
			text_add(log, piece, (size_t)n);
}

enum err tool_run(const struct word_list *argv, struct text *log,
		  struct diag *d)
{
	int pipes[2], e, status = 0;
	pid_t pid, got;

	if (argv->bad || !argv->count)
		return fail(d, ERR_NOMEM, "out of memory");
	if (pipe2(pipes, O_CLOEXEC))
		return fail(d, ERR_IO, "cannot run '%.200s': %s", argv->at[0],
			    strerror(errno));
	e = tool_spawn(&pid, argv->at, pipes[1]);
	close(pipes[1]);
	if (!e)
		tool_listen(pipes[0], log);
	close(pipes[0]);
	if (e)
		return fail(d, ERR_IO, "cannot run '%.200s': %s", argv->at[0],
			    strerror(e));
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	/* A program that ignores its children does not learn how they end:
	 * then the result decides. */
	return got < 0 || (WIFEXITED(status) && !WEXITSTATUS(status)) ?
		       ERR_OK :
		       fail(d, ERR_SYNTAX, "%.200s failed", argv->at[0]);
}
