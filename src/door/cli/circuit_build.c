#define _GNU_SOURCE /* mkdtemp */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "door/cli/circuit.h"
#include "door/cli/interrupt.h"
#include "door/cli/program.h"
#include "door/common/cache.h"
#include "explore/files.h"

enum { KEY_SIZE = 2 * SHA256_BYTES + 1, NAME_ROOM = KEY_SIZE + 32 };

/* What is built of what. */
struct circuit_build {
	char verilator[CLANG_PATH_SIZE];
	char sources[CLANG_PATH_SIZE]; /* the folder */
	char cache[PATH_MAX];
	char folder[PATH_MAX + NAME_ROOM]; /* for this build only */
	struct dirent **names;
	int count;
};

/* Changes whenever the command line does, so that the old program is not used.
 * OPT_FAST comes last on the compiler's command line, and is -Os unless told. */
static const char build_script[] =
	"unset MAKEFLAGS MFLAGS MAKELEVEL; folder=$1; shift; exec \"$@\" "
	"-Wno-fatal --cc --exe --build --hierarchical -O3 -j 0 "
	"-MAKEFLAGS OPT_FAST=-O2 --prefix Vfl_top --top-module fl_top --Mdir \"$folder/work\" "
	"-o fl_sim >\"$folder/log\" 2>&1 </dev/null";

/* ---- the tools and the sources ------------------------------------------ */

static enum err find_tools(struct circuit_build *b, struct diag *d)
{
	static const char *const below[] = { "/share/heddle/rtl" };
	char other[CLANG_PATH_SIZE];

	if (!find_program(b->verilator, "verilator"))
		return fail(d, ERR_IO,
			    "'--on rtl' needs Verilator, which is not in PATH: "
			    "install the package 'verilator', or use '--on "
			    "model'");
	if (!find_program(other, "g++") && !find_program(other, "c++"))
		return fail(d, ERR_IO,
			    "'--on rtl' needs a C++ compiler, and there is no "
			    "g++ in PATH: install the package 'g++', or use "
			    "'--on model'");
	if (!find_program(other, "make"))
		return fail(d, ERR_IO,
			    "'--on rtl' needs make, which is not in PATH: "
			    "install the package 'make', or use '--on model'");
	return find_own_folder(b->sources, "HEDDLE_RTL", "fl_pkg.sv", below, 1,
			       d);
}

static int is_source(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && dot != e->d_name &&
	       (!strcmp(dot, ".sv") || !strcmp(dot, ".cpp") ||
		!strcmp(dot, ".h"));
}

static enum err list_sources(struct circuit_build *b, struct diag *d)
{
	b->count = scandir(b->sources, &b->names, is_source, alphasort);
	if (b->count < 0)
		return fail(d, ERR_IO, "%s: %s", b->sources, strerror(errno));
	return ERR_OK;
}

/* ---- the key -------------------------------------------------------------- */

static enum err add_source(struct sha256 *h, const char *folder,
			   const char *name, struct diag *d)
{
	char path[CLANG_PATH_SIZE + sizeof(((struct dirent *)0)->d_name) + 1];
	char *bytes = NULL;
	size_t size;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (program_read_file(path, &bytes, &size, d))
		return d->code;
	sha256_add(h, name, strlen(name) + 1);
	sha256_add(h, &size, sizeof(size));
	sha256_add(h, bytes, size);
	free(bytes);
	return ERR_OK;
}

static enum err add_version(struct sha256 *h, const char *verilator,
			    struct diag *d)
{
	struct command_line l = { 0 };
	char *text = NULL;
	size_t size = 0;
	enum err e = line_add(&l, verilator, d);

	if (!e)
		e = line_add(&l, "--version", d);
	if (!e)
		e = line_run(&l, "'verilator --version' failed", &text, &size,
			     d);
	if (!e)
		sha256_add(h, text, size);
	free(text);
	command_line_free(&l);
	return e;
}

static enum err make_key(char key[KEY_SIZE], const struct circuit_build *b,
			 struct diag *d)
{
	unsigned char digest[SHA256_BYTES];
	struct sha256 h;

	sha256_init(&h);
	sha256_add(&h, build_script, sizeof(build_script));
	for (int i = 0; i < b->count; i++)
		if (add_source(&h, b->sources, b->names[i]->d_name, d))
			return d->code;
	if (add_version(&h, b->verilator, d))
		return d->code;
	sha256_end(&h, digest);
	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(key + 2 * i, 3, "%02x", digest[i]);
	return ERR_OK;
}

/* ---- building --------------------------------------------------------------- */

static enum err build_line(struct command_line *l,
			   const struct circuit_build *b, struct diag *d)
{
	const char *const words[] = { "/bin/sh", "-c",      build_script,
				      "sh",      b->folder, b->verilator };

	if (line_add_all(l, words, sizeof(words) / sizeof(words[0]), d) ||
	    line_printf(l, d, "%s/fl_pkg.sv", b->sources))
		return d->code;
	for (int i = 0; i < b->count; i++) {
		const char *name = b->names[i]->d_name;
		const char *dot = strrchr(name, '.');

		if (!strcmp(dot, ".h") || !strcmp(name, "fl_pkg.sv"))
			continue;
		if (line_printf(l, d, "%s/%s", b->sources, name))
			return d->code;
	}
	return ERR_OK;
}

/* The end of what the tools have said. */
static void print_log(const struct circuit_build *b)
{
	enum { END = 3000 };
	char path[PATH_MAX + NAME_ROOM + 8], *text = NULL;
	struct diag d;
	size_t size;

	snprintf(path, sizeof(path), "%s/log", b->folder);
	if (!program_read_file(path, &text, &size, &d))
		fputs(text + (size > END ? size - END : 0), stderr);
	free(text);
}

static enum err run_build(const struct circuit_build *b, struct diag *d)
{
	struct command_line l = { 0 };
	enum err e = build_line(&l, b, d);

	if (!e) {
		e = line_run(&l, "the circuit could not be built", NULL, NULL,
			     d);
		if (e && !interrupted())
			print_log(b);
	}
	command_line_free(&l);
	return interrupted() ? fail(d, ERR_IO, "interrupted") : e;
}

/* Others may build the same at the same time: each has a folder of its own, and what
 * is complete gets its name at once. */
static enum err build_circuit(struct circuit_build *b, const char *out,
			      struct diag *d)
{
	char made[PATH_MAX + NAME_ROOM + 16];
	enum err e;

	snprintf(b->folder, sizeof(b->folder), "%s/build-XXXXXX", b->cache);
	if (!mkdtemp(b->folder))
		return fail(d, ERR_IO, "%s: %s", b->folder, strerror(errno));
	fputs("heddle: building the circuit with Verilator; this takes some "
	      "minutes, once\n",
	      stderr);
	e = run_build(b, d);
	snprintf(made, sizeof(made), "%s/work/fl_sim", b->folder);
	if (!e && rename(made, out))
		e = fail(d, ERR_IO, "%s: %s", out, strerror(errno));
	file_remove(b->folder);
	return e;
}

/* ---- finding ------------------------------------------------------------------ */

static enum err find_given(char out[CLANG_PATH_SIZE], const char *given,
			   struct diag *d)
{
	if (access(given, X_OK))
		return fail(d, ERR_IO, "$HEDDLE_CIRCUIT is '%s': %s", given,
			    strerror(errno));
	if (snprintf(out, CLANG_PATH_SIZE, "%s", given) >= CLANG_PATH_SIZE)
		return fail(d, ERR_RANGE, "$HEDDLE_CIRCUIT is too long");
	return ERR_OK;
}

static enum err find_kept(char out[CLANG_PATH_SIZE], struct circuit_build *b,
			  struct diag *d)
{
	char key[KEY_SIZE];

	if (find_tools(b, d) || list_sources(b, d) || make_key(key, b, d))
		return d->code;
	if (!cache_folder(b->cache, "circuit", NAME_ROOM))
		return fail(d, ERR_IO,
			    "'--on rtl' keeps the circuit it builds, but "
			    "neither $XDG_CACHE_HOME nor $HOME/.cache can be "
			    "written");
	if (snprintf(out, CLANG_PATH_SIZE, "%s/%s", b->cache, key) >=
	    CLANG_PATH_SIZE)
		return fail(d, ERR_RANGE, "'%s' is too long", b->cache);
	return access(out, X_OK) ? build_circuit(b, out, d) : ERR_OK;
}

enum err circuit_find(char out[CLANG_PATH_SIZE], struct diag *d)
{
	const char *given = getenv("HEDDLE_CIRCUIT");
	struct circuit_build b = { 0 };
	enum err e;

	if (given && *given)
		return find_given(out, given, d);
	e = find_kept(out, &b, d);
	for (int i = 0; i < b.count; i++)
		free(b.names[i]);
	free(b.names);
	return e;
}
