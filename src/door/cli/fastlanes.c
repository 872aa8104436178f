/*
 * heddle fastlanes: the tool chain and the model of FastLanes. Each subcommand is
 * a command of its own.
 */
#include "door/cli/fastlanes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/outfile.h"
#include "door/cli/commands.h"
#include "door/cli/fileuse.h"
#include "door/cli/interrupt.h"
#include "door/cli/program.h"
#include "door/cli/text.h"
#include "fastlanes/compile.h"

static const struct command *const subcommands[] = {
	&cmd_fastlanes_compile,
	&cmd_fastlanes_dis,
	&cmd_fastlanes_run,
	NULL,
};

const struct command cmd_fastlanes = {
	.name = "fastlanes",
	.summary = "Compile and run programs for FastLanes, a GPU on an FPGA",
	.usage = "COMMAND [OPTIONS]",
	.parts = subcommands,
};

/* ---- compile ----------------------------------------------------------- */

struct fastlanes_compile_options {
	const char *out, *kernel;
};

static const struct opt fastlanes_compile_opts[] = {
	OPT_HEADING("Options:"),
	{ "output", 'o', "FILE", "write to this file (required)", opt_string,
	  offsetof(struct fastlanes_compile_options, out) },
	{ "kernel", 'f', "NAME",
	  "only this kernel, by its symbol or name in the source (default: all)",
	  opt_string, offsetof(struct fastlanes_compile_options, kernel) },
	OPT_END
};

static enum err write_code(const struct fl_code *c, const char *path,
			   struct diag *d)
{
	struct outfile f;
	uint8_t *bytes;
	size_t size;
	enum err e = fl_code_write(c, &bytes, &size, d);

	if (e)
		return e;
	e = outfile_open(&f, path, d);
	if (!e) {
		fwrite(bytes, 1, size, f.to);
		e = outfile_close(&f, ERR_OK, d);
	}
	free(bytes);
	return e;
}

static enum err compile_file(const char *path,
			     const struct fastlanes_compile_options *o,
			     const struct compile_options *compile,
			     struct diag *d)
{
	struct fl_code *code = NULL;
	char *text = NULL;
	size_t size;
	enum err e = file_check_pair(path, "PROGRAM", o->out, "-o", d);

	if (!e)
		e = program_text(path, compile, &text, &size, d);
	if (!e)
		e = fl_compile(&code, path, text, size, o->kernel, d);
	if (!e)
		e = write_code(code, o->out, d);
	fl_code_free(code);
	free(text);
	return e;
}

static int fastlanes_compile_main(int argc, char **argv)
{
	struct compile_options compile = { 0 };
	struct fastlanes_compile_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o, &compile };
	int code = command_parse_program(&cmd_fastlanes_compile, to, argc, argv,
					 &files);
	struct diag d;

	if (code < 0 && !o.out) {
		say_error("no file to write: -o FILE is missing");
		code = EXIT_USAGE;
	}
	if (code < 0) {
		code = EXIT_OK;
		if (compile_file(files.at[0], &o, &compile, &d)) {
			code = interrupted() ? interrupt_exit() : EXIT_INPUT;
			if (!interrupted())
				say_error("%s", d.text);
		}
	}
	words_free(&files);
	compile_options_free(&compile);
	return code;
}

const struct command cmd_fastlanes_compile = {
	.name = "fastlanes compile",
	.summary = "Compile PTX to a CODE file of FastLanes",
	.usage = "PROGRAM -o FILE [OPTIONS]",
	.details =
		"PROGRAM is a .ptx file, or a .cu file that clang compiles "
		"first. The CODE file holds\nits kernels in the instruction set "
		"of FastLanes, with at most 32 registers a thread;\nvalues "
		"beyond that are in local memory. What FastLanes does not have "
		"(double and half\nprecision, atomics, textures, matrix units, "
		"calls, generic addresses) is an error that\nnames the "
		"instruction and its line; --kernel leaves other kernels out.\n\n"
		"Examples:\n"
		"  heddle fastlanes compile scan.ptx -o scan.code\n"
		"  heddle fastlanes compile fwt.cu --kernel modulate -o "
		"modulate.code\n",
	.tables = { fastlanes_compile_opts, compile_opts },
	.run = fastlanes_compile_main,
};

/* ---- dis --------------------------------------------------------------- */

struct fastlanes_dis_options {
	const char *out;
};

static const struct opt fastlanes_dis_opts[] = {
	OPT_HEADING("Options:"),
	{ "output", 'o', "FILE",
	  "write to this file (default: standard output)", opt_string,
	  offsetof(struct fastlanes_dis_options, out) },
	OPT_END
};

enum err fastlanes_read(struct fl_code **out, const char *path, struct diag *d)
{
	char *bytes = NULL;
	size_t size;
	enum err e = program_read_file(path, &bytes, &size, d);

	if (!e)
		e = fl_code_read(out, path, bytes, size, d);
	free(bytes);
	return e;
}

static enum err list_code(const char *path, const char *out, struct diag *d)
{
	struct fl_code *code = NULL;
	struct outfile f;
	char *text;
	enum err e;

	if (file_check_pair(path, "CODE", out, "-o", d) ||
	    fastlanes_read(&code, path, d))
		return d->code;
	text = fl_code_print(code);
	fl_code_free(code);
	if (!text)
		return fail(d, ERR_NOMEM, "out of memory");
	e = outfile_open(&f, out ? out : "-", d);
	if (!e) {
		fputs(text, f.to);
		e = outfile_close(&f, ERR_OK, d);
	}
	free(text);
	return e;
}

static int fastlanes_dis_main(int argc, char **argv)
{
	struct fastlanes_dis_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = command_parse_program(&cmd_fastlanes_dis, to, argc, argv,
					 &files);
	struct diag d;

	if (code < 0) {
		code = EXIT_OK;
		if (list_code(files.at[0], o.out, &d)) {
			say_error("%s", d.text);
			code = EXIT_INPUT;
		}
	}
	words_free(&files);
	return code;
}

const struct command cmd_fastlanes_dis = {
	.name = "fastlanes dis",
	.summary = "Print the instructions of a CODE file",
	.usage = "CODE [OPTIONS]",
	.details =
		"CODE is a file that 'heddle fastlanes compile' has written. A "
		"line is an instruction:\nits number in the kernel, which "
		"branches name, its word, its text. A branch names its\n"
		"target and the instruction at which its lanes "
		"reconverge.\n\n"
		"Example:\n"
		"  heddle fastlanes dis scan.code\n",
	.tables = { fastlanes_dis_opts },
	.run = fastlanes_dis_main,
};
