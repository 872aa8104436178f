#include "door/cli/compile.h"

#include <stdio.h>
#include <stdlib.h>

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
	OPT_HEADING("Compiling a .cu file:"),
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
