#include <stdio.h>
#include <stdlib.h>

#include "base/outfile.h"
#include "door/cli/commands.h"
#include "door/cli/fileuse.h"
#include "door/cli/gcnlist.h"
#include "door/cli/interrupt.h"
#include "door/cli/program.h"
#include "door/cli/sasslist.h"
#include "door/cli/text.h"
#include "isa/gcn/object.h"

struct dis_options {
	const char *out, *gpu, *kernel, *arch;
	bool control, hazards;
};

static const struct opt dis_opts[] = {
	OPT_HEADING("Options:"),
	{ "output", 'o', "FILE",
	  "write to this file (default: standard output)", opt_string,
	  offsetof(struct dis_options, out) },
	OPT_HEADING("Of PTX:"),
	{ "gpu", 0, "NAME|FILE",
	  "in the order in which this GPU executes it, see sm.compiled",
	  opt_string, offsetof(struct dis_options, gpu) },
	OPT_HEADING("Of machine code:"),
	{ "kernel", 'f', "NAME", "only this function, by its name in the file",
	  opt_string, offsetof(struct dis_options, kernel) },
	{ "arch", 0, "SM",
	  "only code for this architecture, such as sm_90 (default: all)",
	  opt_string, offsetof(struct dis_options, arch) },
	{ "control", 0, NULL, "with control words, as [B------:R-:W0:Y:S04]",
	  opt_on, offsetof(struct dis_options, control) },
	{ "hazards", 0, NULL,
	  "instead of the code, list registers of kernels that are read before "
	  "they are written",
	  opt_on, offsetof(struct dis_options, hazards) },
	OPT_END
};

/* What the GPU's estimate of the registers of each kernel is. */
static void dis_write_registers(FILE *to, const struct heddle_module *m)
{
	for (size_t i = 0; i < heddle_module_kernel_count(m); i++) {
		const struct heddle_kernel *k = heddle_module_kernel(m, i);

		fprintf(to, "// %s: %u registers a thread\n", k->name,
			(unsigned)k->registers_estimate);
	}
}

static enum err dis_write(const char *text, const struct heddle_module *m,
			  const struct dis_options *o, struct diag *d)
{
	struct outfile f;

	if (outfile_open(&f, o->out ? o->out : "-", d))
		return d->code;
	fputs(text, f.to);
	if (o->gpu)
		dis_write_registers(f.to, m);
	return outfile_close(&f, ERR_OK, d);
}

/* Loads the program, for a GPU if one is named. */
static enum err dis_load(struct loaded_program *p, const char *path,
			 const struct dis_options *o,
			 const struct compile_options *compile, struct diag *d)
{
	struct heddle_device_options device = { 0 };
	struct heddle_config *config = NULL;
	struct heddle_error err;
	enum err e;

	if (o->gpu && heddle_config_load(&config, o->gpu, &err))
		return fail(d, ERR_UNKNOWN, "%s", err.text);
	device.config = config;
	e = program_load(p, path, compile, &device, d);
	heddle_config_free(config);
	return e;
}

static int disassemble(const char *path, const struct dis_options *o,
		       const struct compile_options *compile)
{
	struct loaded_program p = { 0 };
	int code = EXIT_INPUT;
	struct diag d;
	char *text;

	if (file_check_pair(path, "PROGRAM", o->out, "-o", &d) ||
	    dis_load(&p, path, o, compile, &d)) {
		if (interrupted())
			return interrupt_exit();
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	text = o->gpu ? heddle_module_print_executed(p.mod) :
			heddle_module_print(p.mod);
	if (!text)
		say_error("out of memory");
	else if (dis_write(text, p.mod, o, &d))
		say_error("%s", d.text);
	else
		code = EXIT_OK;
	free(text);
	program_unload(&p);
	return code;
}

/* Machine code: 0 and 1 as for PTX, 1 also if an instruction is not known or reads
 * a register too early. */
static int list_machine(const char *data, size_t size,
			const struct dis_options *o)
{
	struct sass_listing l = { .kernel = o->kernel,
				  .control = o->control,
				  .hazards = o->hazards };
	struct outfile f;
	struct diag d;

	if (o->arch && !(l.sm = sass_list_arch(o->arch))) {
		say_error("--arch %s: not an architecture, such as sm_90",
			  o->arch);
		return EXIT_USAGE;
	}
	if (outfile_open(&f, o->out ? o->out : "-", &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	l.to = f.to;
	if (outfile_close(&f, sass_list(&l, data, size, &d), &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (l.unknown && o->hazards)
		say_error("%llu instructions are not known; they are not "
			  "checked",
			  (unsigned long long)l.unknown);
	else if (l.unknown)
		say_error("%llu instructions are not known, the first at %s; "
			  "they are printed as .inst",
			  (unsigned long long)l.unknown, l.first_unknown);
	if (l.partial)
		say_error("%llu instructions have bits that are not known, the "
			  "first at %s; the text does not say what they mean",
			  (unsigned long long)l.partial, l.first_partial);
	if (l.early)
		say_error("%llu registers are read too early",
			  (unsigned long long)l.early);
	return l.unknown || l.partial || l.early ? EXIT_INPUT : EXIT_OK;
}

/* Code for an AMD GPU. Of the options, some are NVIDIA's only. */
static int list_amd(const char *data, size_t size, const struct dis_options *o)
{
	struct gcn_listing l = { .kernel = o->kernel };
	struct outfile f;
	struct diag d;

	if (o->arch || o->control || o->hazards) {
		say_error("--arch, --control and --hazards are for machine "
			  "code of NVIDIA GPUs; this file holds code of an AMD "
			  "GPU");
		return EXIT_USAGE;
	}
	if (outfile_open(&f, o->out ? o->out : "-", &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	l.to = f.to;
	if (outfile_close(&f, gcn_list(&l, data, size, &d), &d)) {
		say_error("%s", d.text);
		return EXIT_INPUT;
	}
	if (l.unknown)
		say_error("%llu words are no instructions, the first at %s; "
			  "they are printed as .long",
			  (unsigned long long)l.unknown, l.first_unknown);
	return l.unknown ? EXIT_INPUT : EXIT_OK;
}

/* -1: the file holds no machine code. */
static int disassemble_machine(const char *path, const struct dis_options *o)
{
	int code = -1;
	size_t size;
	struct diag d;
	char *data;

	if (!program_read_file(path, &data, &size, &d) &&
	    sass_list_matches(data, size))
		code = file_check_pair(path, "PROGRAM", o->out, "-o", &d) ?
			       EXIT_INPUT :
		       gcn_object_matches(data, size) ?
			       list_amd(data, size, o) :
			       list_machine(data, size, o);
	if (code == EXIT_INPUT && d.code)
		say_error("%s", d.text);
	free(data);
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
		code = disassemble_machine(files.at[0], &o);
	if (code < 0)
		code = disassemble(files.at[0], &o, &compile);
	words_free(&files);
	compile_options_free(&compile);
	return code;
}

const struct command cmd_dis = {
	.name = "dis",
	.summary = "Print a program as PTX, or its machine code",
	.usage = "PROGRAM [OPTIONS]",
	.details =
		"PROGRAM is a .ptx file, or a .cu file that clang compiles "
		"first: it is printed as\nPTX, as Heddle has read it, and "
		"can be run again. Of a cubin, a fat binary, or a\nprogram "
		"or object file that holds such, the machine code is printed, "
		"as\ncuobjdump -sass does it.\n\n"
		"Examples:\n"
		"  heddle dis saxpy.ptx\n"
		"  heddle dis matmul.cu -O1 -o matmul.ptx\n"
		"  heddle dis matmul.cu --gpu h200\n"
		"  heddle dis matmul.cubin --control\n"
		"  heddle dis ./program --arch sm_90 --kernel _Z6matmulPf\n",
	.tables = { dis_opts, compile_opts },
	.run = dis_main,
};
