#define _GNU_SOURCE
#include "door/common/ptxas.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/elf.h"
#include "base/sha256.h"
#include "door/common/cache.h"

extern char **environ;

enum {
	KEY_SIZE = 2 * SHA256_BYTES + 1,
	MAX_ARGUMENTS = 8,
	MESSAGE_SIZE = 2048, /* of ptxas: more is dropped */
	FILE_SIZE = PATH_MAX + KEY_SIZE + 16,
};

/* ---- finding it ---- */

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool find_in_path(char out[PATH_MAX])
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (snprintf(out, PATH_MAX, "%.*s/ptxas", n ? (int)n : 1,
			     n ? path : ".") < PATH_MAX &&
		    is_executable(out))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static enum err find_ptxas(char out[PATH_MAX], struct diag *d)
{
	const char *named = getenv("HEDDLE_PTXAS");
	const char *home = getenv("CUDA_HOME");

	if (named && *named) {
		snprintf(out, PATH_MAX, "%s", named);
		if (is_executable(out))
			return ERR_OK;
		return fail(d, ERR_UNKNOWN,
			    "HEDDLE_PTXAS=%.200s: not a program that can be "
			    "executed",
			    named);
	}
	if (find_in_path(out))
		return ERR_OK;
	if (home && *home &&
	    snprintf(out, PATH_MAX, "%s/bin/ptxas", home) < PATH_MAX &&
	    is_executable(out))
		return ERR_OK;
	return fail(d, ERR_UNKNOWN,
		    "machine code of a program that has only PTX needs ptxas "
		    "of NVIDIA's CUDA toolkit, which is not in PATH or "
		    "$CUDA_HOME/bin: install it, or set HEDDLE_PTXAS to it, or "
		    "run the PTX with --isa ptx");
}

/* ---- running it ---- */

/* The environment without what `heddle exec` adds for the program. */
static char **child_environment(void)
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

/* Reads all of what it prints; keeps what fits. */
static void read_output(int from, char *to, size_t room)
{
	size_t used = 0;
	char rest[512];
	ssize_t n;

	for (;;) {
		bool full = used + 1 >= room;

		n = full ? read(from, rest, sizeof(rest)) :
			   read(from, to + used, room - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += full ? 0 : (size_t)n;
	}
	to[used] = '\0';
}

static int spawn_child(pid_t *pid, char *const *argv, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char **env = child_environment();
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

/* Runs it and waits for its end. *ok: it exited with 0. A program that ignores
 * its children does not learn that: then the result decides. */
static enum err run_child(char *const *argv, char *message, size_t room,
			  bool *ok, struct diag *d)
{
	int pipes[2], e, status = 0;
	pid_t pid, got;

	if (pipe2(pipes, O_CLOEXEC))
		return fail(d, ERR_IO, "cannot run '%.200s': %s", argv[0],
			    strerror(errno));
	e = spawn_child(&pid, argv, pipes[1]);
	close(pipes[1]);
	if (!e)
		read_output(pipes[0], message, room);
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

/* ---- files ---- */

static enum err read_whole(const char *path, void **bytes, size_t *size,
			   struct diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	char *p = NULL;
	size_t n = 0;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		p = malloc((size_t)st.st_size + 1);
	while (p && n < (size_t)st.st_size) {
		ssize_t got = read(fd, p + n, (size_t)st.st_size - n);

		if (got <= 0 && !(got < 0 && errno == EINTR))
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (!p || n < (size_t)st.st_size) {
		free(p);
		return fail(d, ERR_IO, "cannot read '%.300s': %s", path,
			    strerror(errno));
	}
	*bytes = p;
	*size = n;
	return ERR_OK;
}

/* Whether all of a cubin is there. */
static bool is_whole(const void *bytes, size_t size)
{
	struct elf_part part;
	struct elf f;
	struct diag d;

	if (elf_open(&f, bytes, size, &d) || f.head.e_machine != EM_CUDA ||
	    !f.sections.count)
		return false;
	for (size_t i = 0; i < f.sections.count; i++)
		if (elf_part(&f, i, &part, &d))
			return false;
	return true;
}

static bool write_whole(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* ---- the folder of results ---- */

/* A folder for this time only. */
static bool passing_folder(char out[PATH_MAX])
{
	const char *base = getenv("TMPDIR");
	int n = snprintf(out, PATH_MAX, "%s/heddle-XXXXXX",
			 base && *base == '/' ? base : "/tmp");

	return n < PATH_MAX - 2 * KEY_SIZE && mkdtemp(out);
}

/* ---- compiling ---- */

/* One call of ptxas_compile. */
struct ptxas_job {
	const struct ptxas_source *s;
	char ptxas[PATH_MAX];
	char arch[24];
	char folder[PATH_MAX];
	bool passing; /* the folder */
	char key[KEY_SIZE];
	char kept[FILE_SIZE];
	/* In the folder, until the result is complete. */
	char in[FILE_SIZE], out[FILE_SIZE];
};

/* Lines of the source cost nothing. */
static const char lines_option[] = "-lineinfo";

static enum err make_key(struct ptxas_job *j, struct diag *d)
{
	static char version[MESSAGE_SIZE], of[PATH_MAX];
	unsigned char digest[SHA256_BYTES];
	struct sha256 h;
	bool ok = true;

	/* A process asks each ptxas once. */
	if (strcmp(of, j->ptxas) != 0) {
		char *const argv[] = { j->ptxas, "--version", NULL };
		enum err e = run_child(argv, version, sizeof(version), &ok, d);

		if (e)
			return e;
		if (!ok)
			return fail(d, ERR_IO, "'%.200s --version' fails",
				    j->ptxas);
		snprintf(of, sizeof(of), "%s", j->ptxas);
	}
	sha256_init(&h);
	sha256_add(&h, version, strlen(version) + 1);
	sha256_add(&h, j->arch, strlen(j->arch) + 1);
	sha256_add(&h, lines_option, sizeof(lines_option));
	sha256_add(&h, j->s->text, j->s->size);
	sha256_end(&h, digest);
	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(j->key + 2 * i, 3, "%02x", digest[i]);
	return ERR_OK;
}

/* Creates an empty file with a name of its own; returns it open, or -1. */
static int own_file(char name[FILE_SIZE], const char *folder,
		    const char *suffix)
{
	snprintf(name, FILE_SIZE, "%s/XXXXXX%s", folder, suffix);
	return mkostemps(name, (int)strlen(suffix), O_CLOEXEC);
}

static enum err write_input(struct ptxas_job *j, struct diag *d)
{
	int fd = own_file(j->in, j->folder, ".ptx.tmp");
	bool ok = fd >= 0 && write_whole(fd, j->s->text, j->s->size);

	if (fd >= 0 && close(fd))
		ok = false;
	if (!ok)
		return fail(d, ERR_IO, "cannot write '%.200s': %s", j->in,
			    strerror(errno));
	fd = own_file(j->out, j->folder, ".cubin.tmp");
	if (fd < 0)
		return fail(d, ERR_IO, "cannot write '%.200s': %s", j->out,
			    strerror(errno));
	close(fd);
	return ERR_OK;
}

/* ptxas names the file that it was given; the user knows another. */
static enum err refuse(const struct ptxas_job *j, char *message, struct diag *d)
{
	const char *file, *rest;

	message[strcspn(message, "\n")] = '\0';
	file = strstr(message, j->in);
	if (!file)
		return fail(d, ERR_SYNTAX, "%.100s: ptxas %s: %.300s",
			    j->s->name, j->arch,
			    *message ? message : "fails without a message");
	rest = file + strlen(j->in);
	return fail(d, ERR_SYNTAX, "%.100s: ptxas %s: %.*s%.100s%.250s",
		    j->s->name, j->arch, (int)(file - message), message,
		    j->s->name, rest);
}

static enum err run_ptxas(struct ptxas_job *j, void **cubin, size_t *size,
			  struct diag *d)
{
	char *const argv[MAX_ARGUMENTS] = {
		j->ptxas, j->arch, (char *)lines_option, j->in, "-o", j->out
	};
	char message[MESSAGE_SIZE];
	bool ok;
	enum err e = run_child(argv, message, sizeof(message), &ok, d);

	if (e)
		return e;
	if (!ok)
		return refuse(j, message, d);
	e = read_whole(j->out, cubin, size, d);
	if (e)
		return e;
	if (is_whole(*cubin, *size))
		return ERR_OK;
	free(*cubin);
	return refuse(j, message, d);
}

/* Looks for the result of an earlier call. */
static bool find_kept(struct ptxas_job *j, void **cubin, size_t *size)
{
	struct diag d;

	if (read_whole(j->kept, cubin, size, &d))
		return false;
	if (is_whole(*cubin, *size))
		return true;
	free(*cubin);
	return false;
}

static enum err compile_in_folder(struct ptxas_job *j, void **cubin,
				  size_t *size, struct diag *d)
{
	enum err e;

	snprintf(j->kept, sizeof(j->kept), "%s/%s.cubin", j->folder, j->key);
	if (!j->passing && find_kept(j, cubin, size))
		return ERR_OK;
	e = write_input(j, d);
	if (!e)
		e = run_ptxas(j, cubin, size, d);
	unlink(j->in);
	/* That it cannot be kept is no reason to fail. */
	if (e || j->passing || rename(j->out, j->kept))
		unlink(j->out);
	return e;
}

enum err ptxas_compile(const struct ptxas_source *s, void **cubin, size_t *size,
		       struct diag *d)
{
	struct ptxas_job j = { .s = s };
	char variant[2] = { s->variant };
	enum err e = find_ptxas(j.ptxas, d);

	snprintf(j.arch, sizeof(j.arch), "-arch=sm_%u%s", s->sm, variant);
	if (!e)
		e = make_key(&j, d);
	if (e)
		return e;
	j.passing = !cache_folder(j.folder, "ptxas", 2 * KEY_SIZE);
	if (j.passing && !passing_folder(j.folder))
		return fail(d, ERR_IO,
			    "no folder for the files of ptxas: neither "
			    "$XDG_CACHE_HOME, $HOME/.cache nor $TMPDIR can be "
			    "written");
	e = compile_in_folder(&j, cubin, size, d);
	if (j.passing)
		rmdir(j.folder);
	return e;
}
