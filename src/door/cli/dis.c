#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/commands.h"
#include "door/cli/interrupt.h"
#include "door/cli/program.h"
#include "door/cli/text.h"

struct dis_options {
	const char *out;
};

static const struct opt dis_opts[] = {
	OPT_HEADING("Options:"),
	{ "output", 'o', "FILE",
	  "write to this file (default: standard output)", opt_string,
	  offsetof(struct dis_options, out) },
	OPT_END
};

static int dis_write(const char *text, const char *path)
{
	FILE *to = path ? fopen(path, "w") : stdout;

	if (!to) {
		say_error("cannot create '%s': %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	fputs(text, to);
	if ((path ? fclose(to) : fflush(to)) != 0) {
		say_error("cannot write '%s': %s",
			  path ? path : "standard output", strerror(errno));
		return EXIT_INPUT;
	}
	return EXIT_OK;
}

static int disassemble(const char *path, const struct dis_options *o,
		       const struct compile_options *compile)
{
	struct loaded_program p = { 0 };
	struct diag d;
	char *text;
	int code;

	if (program_load(&p, path, compile, NULL, &d)) {
		if (interrupted())
			return EXIT_INTERRUPTED;
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	text = heddle_module_print(p.mod);
	if (text) {
		code = dis_write(text, o->out);
	} else {
		say_error("out of memory");
		code = EXIT_INPUT;
	}
	free(text);
	program_unload(&p);
	return code;
}

static int dis_main(int argc, char **argv)
{
	struct compile_options compile = { 0 };
	struct dis_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o, &compile };
	int code = command_parse_program(&cmd_dis, to, argc, argv, &files);

	if (code < 0)
		code = disassemble(files.at[0], &o, &compile);
	words_free(&files);
	compile_options_free(&compile);
	return code;
}

const struct command cmd_dis = {
	.name = "dis",
	.summary = "Print a program as PTX, as Heddle has read it",
	.usage = "PROGRAM [OPTIONS]",
	.details = "PROGRAM is a .ptx file, or a .cu file that clang compiles "
		   "first. The output can\nbe run again.\n\n"
		   "Examples:\n"
		   "  heddle dis saxpy.ptx\n"
		   "  heddle dis matmul.cu -O1 -o matmul.ptx\n",
	.tables = { dis_opts, compile_opts },
	.run = dis_main,
};
