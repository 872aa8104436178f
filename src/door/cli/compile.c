#include "door/cli/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "door/cli/interrupt.h"

#define PATH_SIZE 4096
#define HEADER "heddle_cuda.h"

static enum err opt_define(void *to, const char *value, struct diag *d)
{
	return words_add(to, "-D", d) ? d->code : words_add(to, value, d);
}

static enum err opt_include(void *to, const char *value, struct diag *d)
{
	return words_add(to, "-I", d) ? d->code : words_add(to, value, d);
}

#define AT(field) offsetof(struct compile_options, field)

const struct opt compile_opts[] = {
	OPT_HEADING("Compiling a .cu file:"),
	{ "clang", 0, "PROGRAM",
	  "the compiler; else $HEDDLE_CLANG, else the first clang in PATH",
	  opt_string, AT(clang) },
	{ NULL, 'D', "NAME[=VALUE]", "define a macro", opt_define, AT(flags) },
	{ NULL, 'I', "FOLDER", "look for headers there", opt_include,
	  AT(flags) },
	{ NULL, 'O', "LEVEL", "optimisation: 0 to 3 (3)", opt_string,
	  AT(level) },
	{ NULL, 'g', NULL, "full debug information, not lines alone", opt_on,
	  AT(debug) },
	{ "cflags", 0, "FLAGS", "more flags for clang, split at spaces",
	  opt_words, AT(cflags) },
	OPT_END
};

void compile_options_free(struct compile_options *o)
{
	words_free(&o->flags);
	words_free(&o->cflags);
}

/*
 * The newest architecture every clang from 14 on can compile for, and older
 * ones for older GPUs.
 */
static unsigned clang_arch(unsigned sm)
{
	static const unsigned known[] = { 80, 75, 72, 70, 62, 61, 60,
					  53, 52, 50, 37, 35, 30, 20 };
	const size_t count = sizeof(known) / sizeof(known[0]);

	for (size_t i = 0; i < count; i++)
		if (!sm || sm >= known[i])
			return known[i];
	return known[count - 1];
}

/* Where `program` is in PATH; a name with a slash stands for itself. */
static bool find_program(char out[PATH_SIZE], const char *program)
{
	const char *path = getenv("PATH");

	if (strchr(program, '/')) {
		snprintf(out, PATH_SIZE, "%s", program);
		return access(out, X_OK) == 0;
	}
	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n + strlen(program) + 2 < PATH_SIZE) {
			snprintf(out, PATH_SIZE, "%.*s/%s", n ? (int)n : 1,
				 n ? path : ".", program);
			if (access(out, X_OK) == 0)
				return true;
		}
		path += n + (path[n] == ':');
	}
	return false;
}

static enum err find_clang(char out[PATH_SIZE], const struct compile_options *o,
			   struct diag *d)
{
	static const char *const names[] = { "clang",    "clang-19", "clang-18",
					     "clang-17", "clang-16", "clang-15",
					     "clang-14" };
	const char *env = getenv("HEDDLE_CLANG");
	const char *chosen = o->clang ? o->clang : env && *env ? env : NULL;

	if (chosen) {
		if (find_program(out, chosen))
			return ERR_OK;
		return fail(d, ERR_IO,
			    "no compiler '%s' (chosen by %s); expected the "
			    "path of clang 14 or newer",
			    chosen, o->clang ? "--clang" : "$HEDDLE_CLANG");
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (find_program(out, names[i]))
			return ERR_OK;
	return fail(d, ERR_IO,
		    "a .cu file needs clang 14 or newer, and there is none in "
		    "PATH: install the package 'clang', or name it with "
		    "--clang or $HEDDLE_CLANG");
}

static bool has_header(char out[PATH_SIZE], const char *folder,
		       const char *below)
{
	char file[PATH_SIZE + 32];

	if (strlen(folder) + strlen(below) >= PATH_SIZE)
		return false;
	snprintf(out, PATH_SIZE, "%s%s", folder, below);
	snprintf(file, sizeof(file), "%s/%s", out, HEADER);
	return access(file, R_OK) == 0;
}

/* Our headers, relative to the executable: installed, or in a build tree. */
static enum err find_headers(char out[PATH_SIZE], struct diag *d)
{
	static const char *const below[] = { "/share/heddle/cuda",
					     "/share/heddle/cuda/include",
					     "/src/door/cuda/include" };
	const char *env = getenv("HEDDLE_CUDA_INCLUDE");
	char folder[PATH_SIZE];
	ssize_t n;

	if (env && *env) {
		if (has_header(out, env, ""))
			return ERR_OK;
		return fail(
			d, ERR_IO,
			"$HEDDLE_CUDA_INCLUDE is '%s', which holds no " HEADER,
			env);
	}
	n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[n > 0 ? n : 0] = '\0';
	/* build/preset/heddle is as deep as an executable lies. */
	for (int up = 0; up < 4 && strrchr(folder, '/'); up++) {
		*strrchr(folder, '/') = '\0';
		for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
			if (has_header(out, folder, below[i]))
				return ERR_OK;
	}
	return fail(d, ERR_IO,
		    "cannot find Heddle's CUDA headers (" HEADER
		    ") near the program; name their folder with "
		    "$HEDDLE_CUDA_INCLUDE");
}

static enum err add_cflags(struct words *argv, struct arena *a,
			   const struct words *cflags, struct diag *d)
{
	for (size_t i = 0; i < cflags->count; i++) {
		const char *p = cflags->at[i];

		while (*(p += strspn(p, " \t\n"))) {
			size_t n = strcspn(p, " \t\n");
			char *word = arena_strndup(a, p, n);

			if (!word)
				return fail(d, ERR_NOMEM, "out of memory");
			if (words_add(argv, word, d))
				return d->code;
			p += n;
		}
	}
	return ERR_OK;
}

/* Strings of the command line that live until clang has ended. */
struct command_line {
	char clang[PATH_SIZE], headers[PATH_SIZE];
	char arch[32], level[32];
	struct arena arena;
	struct words argv;
};

static enum err add_all(struct words *to, const char *const *from, size_t count,
			struct diag *d)
{
	for (size_t i = 0; i < count; i++)
		if (words_add(to, from[i], d))
			return d->code;
	return ERR_OK;
}

/* The one place that knows how clang is called. */
static enum err make_command(struct command_line *c,
			     const struct compile_options *o, const char *path,
			     struct diag *d)
{
	if (find_clang(c->clang, o, d) || find_headers(c->headers, d))
		return d->code;
	snprintf(c->arch, sizeof(c->arch), "--cuda-gpu-arch=sm_%u",
		 clang_arch(o->sm));
	snprintf(c->level, sizeof(c->level), "-O%.8s",
		 o->level ? o->level : "3");

	const char *const before[] = {
		c->clang,
		"-x",
		"cuda",
		"--cuda-device-only",
		"--cuda-path=/nonexistent",
		"-nocudainc",
		"-nocudalib",
		c->arch,
		"-Xclang",
		"-target-feature",
		"-Xclang",
		"+ptx72",
		c->level,
		/* .loc lines, as nvcc -lineinfo gives them */
		o->debug ? "-g" : "-gline-tables-only",
		"-fno-crash-diagnostics",
		"-I",
		c->headers,
		"-include",
		HEADER,
	};
	const char *const after[] = { "-S", path, "-o", "-", NULL };

	if (add_all(&c->argv, before, sizeof(before) / sizeof(before[0]), d) ||
	    add_all(&c->argv, o->flags.at, o->flags.count, d) ||
	    add_cflags(&c->argv, &c->arena, &o->cflags, d))
		return d->code;
	return add_all(&c->argv, after, sizeof(after) / sizeof(after[0]), d);
}

static enum err read_all(int fd, char **text, size_t *size, struct diag *d)
{
	size_t room = 0;

	*text = NULL;
	*size = 0;
	for (;;) {
		ssize_t got;

		if (*size == room) {
			char *more = realloc(*text, room = 2 * room + 65536);

			if (!more)
				return fail(d, ERR_NOMEM, "out of memory");
			*text = more;
		}
		got = read(fd, *text + *size, room - *size);
		if (got == 0)
			return ERR_OK;
		if (got < 0 && errno != EINTR)
			return fail(d, ERR_IO, "cannot read from clang: %s",
				    strerror(errno));
		if (got > 0)
			*size += (size_t)got;
	}
}

static pid_t start(const struct words *argv, int *out, struct diag *d)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends) < 0) {
		fail(d, ERR_IO, "pipe: %s", strerror(errno));
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		/* The const of execv's strings is lost for history's sake. */
		execv(argv->at[0], (char *const *)argv->at);
		_exit(127);
	}
	close(ends[1]);
	*out = ends[0];
	if (pid < 0) {
		close(ends[0]);
		fail(d, ERR_IO, "fork: %s", strerror(errno));
	}
	return pid;
}

static enum err await(pid_t pid, const char *path, const char *clang,
		      struct diag *d)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(d, ERR_IO, "waitpid: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return ERR_OK;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return fail(d, ERR_IO, "cannot run '%s'", clang);
	if (WIFSIGNALED(status))
		return fail(d, ERR_IO, "%s was killed by signal %d", clang,
			    WTERMSIG(status));
	return fail(d, ERR_SYNTAX, "%s: does not compile", path);
}

enum err compile_cuda(const struct compile_options *o, const char *path,
		      char **ptx, size_t *size, struct diag *d)
{
	struct command_line *c = calloc(1, sizeof(*c));
	enum err e, ended;
	int out = -1;
	pid_t pid;

	*ptx = NULL;
	if (!c)
		return fail(d, ERR_NOMEM, "out of memory");
	e = make_command(c, o, path, d);
	if (!e && (pid = start(&c->argv, &out, d)) < 0)
		e = d->code;
	if (!e) {
		interrupt_stops_child(pid);
		e = read_all(out, ptx, size, d);
		close(out);
		ended = await(pid, path, c->clang, d);
		interrupt_stops_child(0);
		e = e ? e : ended;
	}
	if (e) {
		free(*ptx);
		*ptx = NULL;
	}
	words_free(&c->argv);
	arena_free(&c->arena);
	free(c);
	return e;
}
