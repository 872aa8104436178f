#define _GNU_SOURCE /* pipe2, environ */
#include "door/common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool process_find(char out[PATH_MAX], const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(out, PATH_MAX, "%s", name);
		return is_program(out);
	}
	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (snprintf(out, PATH_MAX, "%.*s/%s", n ? (int)n : 1,
			     n ? path : ".", name) < PATH_MAX &&
		    is_program(out))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static char **process_environment(void)
{
	size_t n = 0, k = 0;
	char **copy;

	while (environ && environ[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			copy[k++] = environ[i];
	return copy;
}

static int process_spawn(pid_t *pid, char *const *argv, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char **env = process_environment();
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

static void process_listen(int from, process_take *take, void *ctx)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(from, piece, sizeof(piece))) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0)
			take(ctx, piece, (size_t)n);
}

enum err process_run(char *const *argv, process_take *take, void *ctx, bool *ok,
		     struct diag *d)
{
	int pipes[2], e, status = 0;
	pid_t pid, got;

	if (pipe2(pipes, O_CLOEXEC))
		return fail(d, ERR_IO, "cannot run '%.200s': %s", argv[0],
			    strerror(errno));
	e = process_spawn(&pid, argv, pipes[1]);
	close(pipes[1]);
	if (!e)
		process_listen(pipes[0], take, ctx);
	close(pipes[0]);
	if (e)
		return fail(d, ERR_IO, "cannot run '%.200s': %s", argv[0],
			    strerror(e));
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	*ok = got < 0 || (WIFEXITED(status) && !WEXITSTATUS(status));
	return ERR_OK;
}
