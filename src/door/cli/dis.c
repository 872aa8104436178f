#include <stdio.h>
#include <stdlib.h>

#include "base/outfile.h"
#include "door/cli/commands.h"
#include "door/cli/fileuse.h"
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

static enum err dis_write(const char *text, const char *path, struct diag *d)
{
	struct outfile f;

	if (outfile_open(&f, path, d))
		return d->code;
	fputs(text, f.to);
	return outfile_close(&f, ERR_OK, d);
}

static int disassemble(const char *path, const struct dis_options *o,
		       const struct compile_options *compile)
{
	struct loaded_program p = { 0 };
	int code = EXIT_INPUT;
	struct diag d;
	char *text;

	if (file_check_pair(path, "PROGRAM", o->out, "-o", &d) ||
	    program_load(&p, path, compile, NULL, &d)) {
		if (interrupted())
			return interrupt_exit();
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	text = heddle_module_print(p.mod);
	if (!text)
		say_error("out of memory");
	else if (dis_write(text, o->out ? o->out : "-", &d))
		say_error("%s", d.text);
	else
		code = EXIT_OK;
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
