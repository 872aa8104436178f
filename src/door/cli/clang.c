#include "door/cli/clang.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door/cli/interrupt.h"

#define HEADER "heddle_cuda.h"
#define LIBRARY "libcudart.so.13"

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

unsigned clang_arch(unsigned sm)
{
	static const unsigned known[] = { 80, 75, 72, 70, 62, 61, 60,
					  53, 52, 50, 37, 35, 30, 20 };

	for (size_t i = 0; i < COUNT(known); i++)
		if (!sm || sm >= known[i])
			return known[i];
	return known[COUNT(known) - 1];
}

bool find_program(char out[CLANG_PATH_SIZE], const char *program)
{
	const char *path = getenv("PATH");

	if (strchr(program, '/')) {
		return snprintf(out, CLANG_PATH_SIZE, "%s", program) <
			       CLANG_PATH_SIZE &&
		       access(out, X_OK) == 0;
	}
	while (path && *path) {
		size_t n = strcspn(path, ":");

		/* An empty one is the current folder. */
		if (snprintf(out, CLANG_PATH_SIZE, "%.*s/%s", n ? (int)n : 1,
			     n ? path : ".", program) < CLANG_PATH_SIZE &&
		    access(out, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static enum err find_clang(char out[CLANG_PATH_SIZE], const char *chosen,
			   struct diag *d)
{
	static const char *const names[] = { "clang",    "clang-19", "clang-18",
					     "clang-17", "clang-16", "clang-15",
					     "clang-14" };
	const char *env = getenv("HEDDLE_CLANG");
	const char *want = chosen ? chosen : env && *env ? env : NULL;

	if (want) {
		if (find_program(out, want))
			return ERR_OK;
		return fail(d, ERR_IO,
			    "compiler '%s' (from %s) not found; expected "
			    "clang 14 or newer",
			    want, chosen ? "--clang" : "$HEDDLE_CLANG");
	}
	for (size_t i = 0; i < COUNT(names); i++)
		if (find_program(out, names[i]))
			return ERR_OK;
	return fail(d, ERR_IO,
		    "a .cu file needs clang 14 or newer, which is not in PATH: "
		    "install the package 'clang', or set --clang or "
		    "$HEDDLE_CLANG");
}

static bool folder_holds(char out[CLANG_PATH_SIZE], const char *folder,
			 const char *below, const char *name)
{
	char file[CLANG_PATH_SIZE + 32];

	if (snprintf(out, CLANG_PATH_SIZE, "%s%s", folder, below) >=
		    CLANG_PATH_SIZE ||
	    snprintf(file, sizeof(file), "%s/%s", out, name) >=
		    (int)sizeof(file))
		return false;
	return access(file, R_OK) == 0;
}

enum err find_own_folder(char out[CLANG_PATH_SIZE], const char *variable,
			 const char *name, const char *const *below,
			 size_t count, struct diag *d)
{
	const char *env = getenv(variable);
	char folder[CLANG_PATH_SIZE];
	ssize_t n;

	if (env && *env) {
		if (folder_holds(out, env, "", name))
			return ERR_OK;
		return fail(d, ERR_IO, "$%s is '%s', which does not hold %s",
			    variable, env, name);
	}
	n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[n > 0 ? n : 0] = '\0';
	/* The deepest place of an executable is build/preset/heddle. */
	for (int up = 0; up < 4 && strrchr(folder, '/'); up++) {
		*strrchr(folder, '/') = '\0';
		for (size_t i = 0; i < count; i++)
			if (folder_holds(out, folder, below[i], name))
				return ERR_OK;
	}
	return fail(d, ERR_IO,
		    "cannot find Heddle's %s near the program; set $%s to its "
		    "folder",
		    name, variable);
}

enum err clang_find(struct clang *c, const char *chosen, struct diag *d)
{
	static const char *const below[] = { "/share/heddle/cuda",
					     "/share/heddle/cuda/include",
					     "/src/door/cuda/include" };

	if (find_clang(c->program, chosen, d))
		return d->code;
	return find_own_folder(c->headers, "HEDDLE_CUDA_INCLUDE", HEADER, below,
			       COUNT(below), d);
}

enum err clang_find_library(char out[CLANG_PATH_SIZE], struct diag *d)
{
	static const char *const below[] = {
		"/lib/cuda",
		"/lib/heddle/cuda",
#ifdef MULTIARCH
		"/lib/" MULTIARCH "/heddle/cuda",
#endif
		"/lib64/heddle/cuda",
	};

	return find_own_folder(out, "HEDDLE_CUDA_LIB", LIBRARY, below,
			       COUNT(below), d);
}

void command_line_free(struct command_line *l)
{
	words_free(&l->argv);
	arena_free(&l->arena);
}

enum err line_add(struct command_line *l, const char *word, struct diag *d)
{
	return words_add(&l->argv, word, d);
}

enum err line_add_all(struct command_line *l, const char *const *words,
		      size_t count, struct diag *d)
{
	for (size_t i = 0; i < count; i++)
		if (line_add(l, words[i], d))
			return d->code;
	return ERR_OK;
}

enum err line_add_split(struct command_line *l, const struct words *w,
			const char *at, struct diag *d)
{
	for (size_t i = 0; i < w->count; i++) {
		const char *p = w->at[i];

		while (*(p += strspn(p, at))) {
			size_t n = strcspn(p, at);

			if (line_printf(l, d, "%.*s", (int)n, p))
				return d->code;
			p += n;
		}
	}
	return ERR_OK;
}

enum err line_printf(struct command_line *l, struct diag *d, const char *fmt,
		     ...)
{
	va_list args, again;
	char *word;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	word = n < 0 ? NULL : arena_new(&l->arena, char, (size_t)n + 1);
	if (word)
		vsnprintf(word, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(args);
	if (!word)
		return fail(d, ERR_NOMEM, "out of memory");
	return line_add(l, word, d);
}

static enum err clang_begin(struct command_line *l, const struct clang *c,
			    struct diag *d)
{
	const char *const words[] = {
		c->program,
		"-x",
		"cuda",
		/* Do not search for an SDK, its headers or bitcode. */
		"--cuda-path=/nonexistent",
		"-nocudainc",
		"-nocudalib",
		"-fno-crash-diagnostics",
		"-I",
		c->headers,
		"-include",
		HEADER,
	};

	return line_add_all(l, words, COUNT(words), d);
}

enum err clang_begin_device(struct command_line *l, const struct clang *c,
			    unsigned arch, struct diag *d)
{
	static const char *const words[] = {
		"--cuda-device-only",
		"-S",
		/* As nvcc: clang alone looks at what complete unrolling makes
		 * of a loop only if it has at most 10 iterations. Arrays that
		 * nvcc keeps in registers would be in local memory. Functions
		 * that have become longer in this way are still inlined. */
		"-mllvm",
		"-unroll-max-iteration-count-to-analyze=256",
		"-mllvm",
		"-inline-threshold=2000",
		"-Xclang",
		"-target-feature",
		"-Xclang",
	};

	if (clang_begin(l, c, d) || line_add_all(l, words, COUNT(words), d) ||
	    line_printf(l, d, "+ptx%d%d", CLANG_PTX_MAJOR, CLANG_PTX_MINOR))
		return d->code;
	return line_printf(l, d, "--cuda-gpu-arch=sm_%u", arch);
}

enum err clang_add_lines(struct command_line *l, bool all, struct diag *d)
{
	/* Inlined calls are in the debugging information only. More of it would
	 * add labels, which change the order of instructions. */
	static const char *const lines[] = {
		"-gline-tables-only", "-Xclang",
		"-debug-info-kind=line-tables-only"
	};

	return all ? line_add(l, "-g", d) :
		     line_add_all(l, lines, COUNT(lines), d);
}

enum err clang_begin_host(struct command_line *l, const struct clang *c,
			  const char *fatbin, struct diag *d)
{
	static const char *const words[] = {
		"--cuda-host-only",
		/* Normally taken from the SDK. This is the first version whose
		 * launches and registrations are those of today's runtime. */
		"-Xclang",
		"-target-sdk-version=11.5",
	};
	const char *const holding[] = { "-Xclang", "-fcuda-include-gpubinary",
					"-Xclang", fatbin };

	if (clang_begin(l, c, d) || line_add_all(l, words, COUNT(words), d))
		return d->code;
	return fatbin ? line_add_all(l, holding, COUNT(holding), d) : ERR_OK;
}

static enum err clang_read_output(int fd, char **text, size_t *size,
				  struct diag *d)
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
		if (got == 0) {
			(*text)[*size] = '\0';
			return ERR_OK;
		}
		if (got < 0 && errno != EINTR)
			return fail(d, ERR_IO, "cannot read from clang: %s",
				    strerror(errno));
		if (got > 0)
			*size += (size_t)got;
	}
}

/* out: receives a file to read its standard output from; NULL: it inherits
 * ours. */
static pid_t clang_start(const struct words *argv, int *out, struct diag *d)
{
	int ends[2];
	pid_t pid;

	if (out && pipe(ends) < 0) {
		fail(d, ERR_IO, "pipe: %s", strerror(errno));
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (out) {
			dup2(ends[1], STDOUT_FILENO);
			close(ends[0]);
			close(ends[1]);
		}
		/* execv takes no const strings, for historical reasons. */
		execv(argv->at[0], (char *const *)argv->at);
		_exit(127);
	}
	if (out) {
		close(ends[1]);
		*out = ends[0];
	}
	if (pid < 0) {
		if (out)
			close(ends[0]);
		fail(d, ERR_IO, "fork: %s", strerror(errno));
	}
	return pid;
}

static enum err clang_wait(pid_t pid, const char *what, const char *program,
			   struct diag *d)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(d, ERR_IO, "waitpid: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return ERR_OK;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return fail(d, ERR_IO, "cannot run '%s'", program);
	if (WIFSIGNALED(status))
		return fail(d, ERR_IO, "%s was killed by signal %d", program,
			    WTERMSIG(status));
	return fail(d, ERR_SYNTAX, "%s", what);
}

enum err line_run(struct command_line *l, const char *what, char **text,
		  size_t *size, struct diag *d)
{
	enum err e = ERR_OK, ended;
	int out = -1;
	pid_t pid;

	if (text)
		*text = NULL;
	/* execv needs a NULL at the end, which is not part of the line. */
	if (line_add(l, NULL, d))
		return d->code;
	l->argv.count--;
	pid = clang_start(&l->argv, text ? &out : NULL, d);
	if (pid < 0)
		return d->code;
	interrupt_stops_child(pid);
	if (text) {
		e = clang_read_output(out, text, size, d);
		close(out);
	}
	ended = clang_wait(pid, what, l->argv.at[0], d);
	interrupt_stops_child(0);
	e = e ? e : ended;
	if (e && text) {
		free(*text);
		*text = NULL;
	}
	return e;
}

static void print_quoted(const char *word, FILE *to)
{
	if (*word && !strpbrk(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}")) {
		fputs(word, to);
		return;
	}
	putc('\'', to);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", to);
		else
			putc(*word, to);
	putc('\'', to);
}

void line_print(const struct command_line *l, FILE *to)
{
	for (size_t i = 0; i < l->argv.count; i++) {
		if (i)
			putc(' ', to);
		print_quoted(l->argv.at[i], to);
	}
	putc('\n', to);
}
