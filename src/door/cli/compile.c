#include "door/cli/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "door/cli/clang.h"
#include "door/cli/inlined.h"

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
	OPT_HEADING("Compiling a .cu or .cl file:"),
	{ "clang", 0, "PROGRAM",
	  "the compiler (default: $HEDDLE_CLANG, else the first clang in PATH)",
	  opt_string, AT(clang) },
	{ NULL, 'D', "NAME[=VALUE]", "define a macro", opt_define, AT(flags) },
	{ NULL, 'I', "FOLDER", "search this folder for headers", opt_include,
	  AT(flags) },
	{ NULL, 'O', "LEVEL", "optimisation: 0 to 3 (3)", opt_string,
	  AT(level) },
	{ NULL, 'g', NULL, "full debug information, not only lines", opt_on,
	  AT(debug) },
	{ "cflags", 0, "FLAGS", "more flags for clang, separated by spaces",
	  opt_words, AT(cflags) },
	OPT_END
};

void compile_options_free(struct compile_options *o)
{
	words_free(&o->flags);
	words_free(&o->cflags);
}

static enum err make_command(struct command_line *l, const struct clang *c,
			     const struct compile_options *o, const char *path,
			     struct diag *d)
{
	if (clang_begin_device(l, c, clang_arch(o->sm), d) ||
	    line_printf(l, d, "-O%.8s", o->level ? o->level : "3") ||
	    /* .loc lines, like those of nvcc -lineinfo */
	    clang_add_lines(l, o->debug, d) ||
	    line_add_all(l, o->flags.at, o->flags.count, d) ||
	    line_add_split(l, &o->cflags, " \t\n", d))
		return d->code;

	const char *const end[] = { path, "-o", "-" };

	return line_add_all(l, end, sizeof(end) / sizeof(end[0]), d);
}

enum err compile_cuda(const struct compile_options *o, const char *path,
		      char **ptx, size_t *size, struct diag *d)
{
	struct command_line line = { 0 };
	struct clang *c = malloc(sizeof(*c));
	char what[256];
	enum err e;

	*ptx = NULL;
	if (!c)
		return fail(d, ERR_NOMEM, "out of memory");
	snprintf(what, sizeof(what), "%.200s: does not compile", path);
	e = clang_find(c, o->clang, d);
	if (!e)
		e = make_command(&line, c, o, path, d);
	if (!e)
		e = line_run(&line, what, ptx, size, d);
	if (!e)
		e = ptx_add_callers(ptx, size, o->debug, d);
	command_line_free(&line);
	free(c);
	return e;
}

/* ---- OpenCL ------------------------------------------------------------ */

#define LIBCLC "amdgcn--amdhsa.bc"

static enum err find_bitcode(char out[CLANG_PATH_SIZE], struct diag *d)
{
	static const char *const folders[] = { "/usr/lib/clc", "/usr/share/clc",
					       "/usr/lib64/clc",
					       "/usr/local/lib/clc",
					       "/usr/local/share/clc" };
	const char *own = getenv("HEDDLE_LIBCLC");
	size_t count = own ? 1 : sizeof(folders) / sizeof(folders[0]);

	for (size_t i = 0; i < count; i++) {
		snprintf(out, CLANG_PATH_SIZE, "%s/" LIBCLC,
			 own ? own : folders[i]);
		if (!access(out, R_OK))
			return ERR_OK;
	}
	return fail(d, ERR_IO,
		    "OpenCL C needs libclc, whose " LIBCLC " is not in %.200s: "
		    "install the package libclc-VERSION of clang's version, or "
		    "set $HEDDLE_LIBCLC to its folder",
		    own ? own : folders[0]);
}

static enum err find_compiler(char out[CLANG_PATH_SIZE],
			      const struct compile_options *o, struct diag *d)
{
	const char *name = o->clang ? o->clang : getenv("HEDDLE_CLANG");

	if (find_program(out, name && *name ? name : "clang"))
		return ERR_OK;
	return fail(d, ERR_IO,
		    "a .cl file needs clang 14 or newer, which is not in PATH: "
		    "install the package 'clang'");
}

static enum err make_opencl_command(struct command_line *l,
				    const struct compile_options *o,
				    const char *clang, const char *bitcode,
				    const char *path, struct diag *d)
{
	const char *const begin[] = { clang,
				      "-target",
				      "amdgcn--amdhsa",
				      "-mcpu=tahiti",
				      "-x",
				      "cl",
				      "-cl-std=CL1.2",
				      "-Xclang",
				      "-finclude-default-header",
				      "-nogpulib",
				      "-cl-kernel-arg-info",
				      "-Xclang",
				      "-mlink-builtin-bitcode",
				      "-Xclang",
				      bitcode,
				      "-c" };
	const char *const end[] = { path, "-o", "-" };

	if (line_add_all(l, begin, sizeof(begin) / sizeof(begin[0]), d) ||
	    line_printf(l, d, "-O%.8s", o->level ? o->level : "3") ||
	    line_add_all(l, o->flags.at, o->flags.count, d) ||
	    line_add_split(l, &o->cflags, " \t\n", d))
		return d->code;
	return line_add_all(l, end, sizeof(end) / sizeof(end[0]), d);
}

enum err compile_opencl(const struct compile_options *o, const char *path,
			char **object, size_t *size, struct diag *d)
{
	struct command_line line = { 0 };
	char clang[CLANG_PATH_SIZE], bitcode[CLANG_PATH_SIZE];
	char what[256];
	enum err e;

	*object = NULL;
	snprintf(what, sizeof(what), "%.200s: does not compile", path);
	e = find_compiler(clang, o, d);
	if (!e)
		e = find_bitcode(bitcode, d);
	if (!e)
		e = make_opencl_command(&line, o, clang, bitcode, path, d);
	if (!e)
		e = line_run(&line, what, object, size, d);
	command_line_free(&line);
	return e;
}
