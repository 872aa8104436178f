/*
 * heddle cc: compiles CUDA programs with clang alone.
 *
 *	x.cu --clang, device--> PTX, one for each architecture
 *	     --fatbin_write---> x.fatbin
 *	     --clang, host----> x.o, which holds x.fatbin and registers it
 *	x.cpp, x.c -----------> x.o
 *	all of them --link----> a.out, with our libcudart
 *
 * Device code is not linked: a kernel can only call functions of its own file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/cli/cc_args.h"
#include "door/cli/clang.h"
#include "door/cli/commands.h"
#include "door/cli/fatbin_write.h"
#include "door/cli/fileuse.h"
#include "door/cli/inlined.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"
#include "isa/sass/cubin.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct cc {
	struct cc_args args;
	struct clang clang;
	unsigned arch[CC_ARCHS];
	size_t archs;
	struct arena arena;  /* for names of files */
	const char *scratch; /* folder of temporary files; NULL: none yet */
	struct words temporaries; /* files to remove, then the folder */
	struct diag d;
};

static char *cc_format(struct cc *cc, const char *fmt, const char *a,
		       const char *b, const char *c)
{
	const int n = snprintf(NULL, 0, fmt, a, b, c);
	char *text = arena_new(&cc->arena, char, (size_t)n + 1);

	if (text)
		snprintf(text, (size_t)n + 1, fmt, a, b, c);
	else
		fail(&cc->d, ERR_NOMEM, "out of memory");
	return text;
}

/* --- names */

/* FOLDER/x of the source PATH/x.cu, with another suffix. */
static char *name_in(struct cc *cc, const char *folder, const char *source,
		     const char *suffix)
{
	const char *base = strrchr(source, '/');
	const char *dot;
	char *stem;

	base = base ? base + 1 : source;
	dot = strrchr(base, '.');
	stem = arena_strndup(&cc->arena, base,
			     dot ? (size_t)(dot - base) : strlen(base));
	if (!stem) {
		fail(&cc->d, ERR_NOMEM, "out of memory");
		return NULL;
	}
	if (!folder)
		return cc_format(cc, "%s%s%s", stem, suffix, "");
	folder = cc_format(cc, "%s/%s%s", folder, stem, "");
	return folder ? cc_format(cc, "%s%s%s", folder, suffix, "") : NULL;
}

static char *result_name(struct cc *cc, const char *source, const char *suffix)
{
	if (cc->args.output)
		return cc_format(cc, "%s%s%s", cc->args.output, "", "");
	return name_in(cc, cc->args.folder, source, suffix);
}

static enum err make_scratch(struct cc *cc)
{
	const char *tmp = getenv("TMPDIR");
	char *name = cc_format(cc, "%s/heddle-cc-%s%s",
			       tmp && *tmp ? tmp : "/tmp", "XXXXXX", "");

	if (!name)
		return cc->d.code;
	if (!cc->args.dryrun && !mkdtemp(name))
		return fail(&cc->d, ERR_IO, "cannot create '%s': %s", name,
			    strerror(errno));
	cc->scratch = name;
	return ERR_OK;
}

/* An intermediate file: in the scratch folder, where a number makes its name
 * unique, or with --keep beside the results. */
static char *cc_step_file(struct cc *cc, const char *source, const char *suffix)
{
	char number[32], *name;

	if (cc->args.keep)
		return name_in(cc, cc->args.folder, source, suffix);
	if (!cc->scratch && make_scratch(cc))
		return NULL;
	snprintf(number, sizeof(number), "-%zu", cc->temporaries.count);
	name = name_in(cc, cc->scratch, source, "");
	name = name ? cc_format(cc, "%s%s%s", name, number, suffix) : NULL;
	if (!name || words_add(&cc->temporaries, name, &cc->d))
		return NULL;
	return name;
}

static void remove_temporaries(struct cc *cc)
{
	if (cc->args.dryrun || !cc->scratch)
		return;
	for (size_t i = 0; i < cc->temporaries.count; i++)
		unlink(cc->temporaries.at[i]);
	rmdir(cc->scratch);
}

/* --- running */

static enum err cc_run_line(struct cc *cc, struct command_line *l,
			    const char *what, char **text, size_t *size)
{
	enum err e = ERR_OK;

	if (cc->args.dryrun || cc->args.verbose)
		line_print(l, stderr);
	if (cc->args.dryrun) {
		if (text) {
			*text = calloc(1, 1);
			*size = 0;
		}
	} else {
		e = line_run(l, what, text, size, &cc->d);
	}
	command_line_free(l);
	return e;
}

static enum err cc_run_on(struct cc *cc, struct command_line *l,
			  const char *source, char **text, size_t *size)
{
	char what[256];

	snprintf(what, sizeof(what), "%.200s: does not compile", source);
	return cc_run_line(cc, l, what, text, size);
}

/* --- command lines */

static enum err add_common(struct cc *cc, struct command_line *l,
			   enum cc_kind kind)
{
	const struct cc_args *a = &cc->args;
	struct diag *d = &cc->d;

	if (kind != CC_C &&
	    line_printf(l, d, "-std=%s", a->standard ? a->standard : "gnu++17"))
		return d->code;
	if (kind == CC_CUDA && line_add(l, "-DHEDDLE_CC", d))
		return d->code;
	if (kind == CC_CUDA && a->fast_math &&
	    line_add(l, "-D__USE_FAST_MATH__", d))
		return d->code;
	return line_add_all(l, a->all.at, a->all.count, d);
}

static enum err begin_device(struct cc *cc, struct command_line *l,
			     unsigned arch, const char *source)
{
	const struct cc_args *a = &cc->args;
	const enum cc_stage stage = cc_stage(a);
	struct diag *d = &cc->d;
	const char *const end[] = { source, "-o", "-" };

	if (clang_begin_device(l, &cc->clang, arch, d) ||
	    line_add(l, "-O3", d) || clang_add_lines(l, a->device_debug, d) ||
	    add_common(cc, l, CC_CUDA))
		return d->code;
	/* The host pass over the same source prints the same warnings. */
	if ((stage == CC_STAGE_LINK || stage == CC_STAGE_OBJECT) &&
	    line_add(l, "-w", d))
		return d->code;
	if (a->fmad && !strcmp(a->fmad, "false") &&
	    line_add(l, "-ffp-contract=off", d))
		return d->code;
	if (line_add_split(l, &a->xdevice, ", ", d))
		return d->code;
	return line_add_all(l, end, COUNT(end), d);
}

/* The command line before -c, -E, ... */
static enum err begin_host(struct cc *cc, struct command_line *l,
			   enum cc_kind kind, const char *fatbin)
{
	const struct cc_args *a = &cc->args;
	struct diag *d = &cc->d;
	const bool debug = a->debug || a->device_debug;
	const char *const plain[] = { cc->clang.program, "-x",
				      kind == CC_C ? "c" : "c++", "-I",
				      cc->clang.headers };

	if (kind == CC_CUDA) {
		if (clang_begin_host(l, &cc->clang, fatbin, d))
			return d->code;
	} else if (line_add_all(l, plain, COUNT(plain), d)) {
		return d->code;
	}
	if (line_printf(l, d, "-O%s",
			a->level ? a->level :
			debug    ? "0" :
				   "2") ||
	    (debug && line_add(l, "-g", d)) || add_common(cc, l, kind) ||
	    line_add_all(l, a->host.at, a->host.count, d))
		return d->code;
	return line_add_split(l, &a->xcompiler, ", ", d);
}

/* --- steps */

static enum err cc_save(struct cc *cc, const char *name, const char *text,
			size_t size)
{
	FILE *to = fopen(name, "w");
	bool ok = to && fwrite(text, 1, size, to) == size;

	ok = (!to || fclose(to) == 0) && ok;
	return ok ? ERR_OK :
		    fail(&cc->d, ERR_IO, "cannot write '%s': %s", name,
			 strerror(errno));
}

/* Compiles for the device; *text is NULL with --dryrun. */
static enum err run_device(struct cc *cc, struct command_line *l,
			   const char *source, char **text, size_t *size)
{
	*text = NULL;
	if (cc_run_on(cc, l, source, text, size))
		return cc->d.code;
	return *text ? ptx_add_callers(text, size, cc->args.device_debug,
				       &cc->d) :
		       ERR_OK;
}

static enum err write_ptx(struct cc *cc, const char *source)
{
	struct command_line l = { 0 };
	char *name = result_name(cc, source, ".ptx"), *text;
	size_t size;
	enum err e;

	if (cc->archs > 1)
		return fail(&cc->d, ERR_RANGE,
			    "-ptx: expected one architecture");
	if (!name || begin_device(cc, &l, cc->arch[0], source) ||
	    run_device(cc, &l, source, &text, &size))
		return cc->d.code;
	e = cc->args.dryrun ? ERR_OK : cc_save(cc, name, text, size);
	free(text);
	return e;
}

static enum err keep_ptx(struct cc *cc, const struct code_image *p,
			 const char *source)
{
	char suffix[32], *name;

	snprintf(suffix, sizeof(suffix), ".sm_%u.ptx", p->sm);
	name = name_in(cc, cc->args.folder, source, suffix);
	return name ? cc_save(cc, name, p->bytes, p->size) : cc->d.code;
}

static enum err save_fatbin(struct cc *cc, const char *name, const char *source,
			    const struct code_image *images, size_t count)
{
	const char *base = strrchr(source, '/');
	FILE *to;
	enum err e;

	if (cc->args.dryrun || cc->args.verbose)
		fprintf(stderr, "# %s: a fat binary of the PTX above\n", name);
	if (cc->args.dryrun)
		return ERR_OK;
	to = fopen(name, "w");
	if (!to)
		return fail(&cc->d, ERR_IO, "cannot create '%s': %s", name,
			    strerror(errno));
	e = fatbin_write(to, base ? base + 1 : source, images, count, &cc->d);
	if (fclose(to) != 0 && !e)
		e = fail(&cc->d, ERR_IO, "cannot write '%s': %s", name,
			 strerror(errno));
	return e;
}

/* Reads a file into the arena. */
static enum err cc_load(struct cc *cc, const char *path, char **bytes,
			size_t *size)
{
	FILE *from = fopen(path, "r");
	struct stat st;
	bool ok = from && fstat(fileno(from), &st) == 0;

	*size = ok ? (size_t)st.st_size : 0;
	*bytes = arena_new(&cc->arena, char, *size + 1);
	ok = ok && *bytes && fread(*bytes, 1, *size, from) == *size;
	if (from)
		fclose(from);
	return ok ? ERR_OK :
		    fail(&cc->d, ERR_IO, "cannot read '%s': %s", path,
			 strerror(errno));
}

/* Machine code that was compiled elsewhere. */
static enum err add_cubin(struct cc *cc, const char *path,
			  struct code_image *out)
{
	struct arena a = { 0 };
	struct sass_cubin cubin;
	char *bytes;
	enum err e = cc_load(cc, path, &bytes, &out->size);

	if (!e)
		e = sass_cubin_read(&cubin, &a, bytes, out->size, &cc->d);
	if (!e)
		*out = (struct code_image){ .bytes = bytes,
					    .size = out->size,
					    .is_cubin = true,
					    .sm = cubin.sm,
					    .major = 1,
					    .minor = 7 };
	arena_free(&a);
	return e;
}

static enum err add_ptx(struct cc *cc, const char *source, unsigned arch,
			struct code_image *out)
{
	struct command_line l = { 0 };
	char *text = NULL;
	enum err e;

	*out = (struct code_image){ .sm = arch,
				    .major = CLANG_PTX_MAJOR,
				    .minor = CLANG_PTX_MINOR };
	e = begin_device(cc, &l, arch, source);
	if (!e)
		e = run_device(cc, &l, source, &text, &out->size);
	out->bytes = text;
	if (!e && cc->args.keep && !cc->args.dryrun)
		e = keep_ptx(cc, out, source);
	return e;
}

static enum err make_fatbin(struct cc *cc, const char *source, const char *name)
{
	const struct words *cubins = &cc->args.cubins;
	size_t count = cc->archs + cubins->count;
	struct code_image *images =
		arena_new(&cc->arena, struct code_image, count);
	enum err e = images ? ERR_OK : fail(&cc->d, ERR_NOMEM, "out of memory");

	for (size_t i = 0; !e && i < cc->archs; i++)
		e = add_ptx(cc, source, cc->arch[i], &images[i]);
	for (size_t i = 0; !e && i < cubins->count; i++)
		e = add_cubin(cc, cubins->at[i], &images[cc->archs + i]);
	if (!e)
		e = save_fatbin(cc, name, source, images, count);
	for (size_t i = 0; images && i < cc->archs; i++)
		free((char *)images[i].bytes);
	return e;
}

static enum err make_object(struct cc *cc, const struct cc_input *in,
			    const char *object)
{
	const char *const end[] = { "-c", in->text, "-o", object };
	struct command_line l = { 0 };
	const char *fatbin = NULL;

	if (in->kind == CC_CUDA) {
		fatbin = cc_step_file(cc, in->text, ".fatbin");
		if (!fatbin || make_fatbin(cc, in->text, fatbin))
			return cc->d.code;
	}
	if (begin_host(cc, &l, in->kind, fatbin) ||
	    line_add_all(&l, end, COUNT(end), &cc->d))
		return cc->d.code;
	return cc_run_on(cc, &l, in->text, NULL, NULL);
}

static enum err cc_preprocess(struct cc *cc, const struct cc_input *in)
{
	const struct cc_args *a = &cc->args;
	const char *const end[] = { a->depend      ? "-M" :
				    a->depend_user ? "-MM" :
						     "-E",
				    in->text, "-o",
				    a->output ? a->output : "-" };
	struct command_line l = { 0 };

	if (begin_host(cc, &l, in->kind, NULL) ||
	    line_add_all(&l, end, COUNT(end), &cc->d))
		return cc->d.code;
	return cc_run_on(cc, &l, in->text, NULL, NULL);
}

static enum err cc_compile(struct cc *cc, const struct cc_input *in)
{
	const enum cc_stage stage = cc_stage(&cc->args);
	char *name;

	if (!cc_is_source(in->kind))
		return ERR_OK;
	if (stage == CC_STAGE_PREPROCESS)
		return cc_preprocess(cc, in);
	if (stage == CC_STAGE_OBJECT) {
		name = result_name(cc, in->text, ".o");
		return name ? make_object(cc, in, name) : cc->d.code;
	}
	if (in->kind != CC_CUDA)
		return fail(&cc->d, ERR_UNSUPP, "'%s' has no device code",
			    in->text);
	if (stage == CC_STAGE_PTX)
		return write_ptx(cc, in->text);
	name = result_name(cc, in->text, ".fatbin");
	return name ? make_fatbin(cc, in->text, name) : cc->d.code;
}

/* The inputs in their order, with objects in place of sources. */
static enum err add_inputs(struct cc *cc, struct command_line *l,
			   const char *folder)
{
	const struct cc_inputs *in = &cc->args.inputs;

	for (size_t i = 0; i < in->count; i++) {
		const char *name = in->at[i].text;

		if (in->at[i].kind == CC_DRIVER) {
			name = cc_format(cc, "%s/libcuda.so.1%s%s", folder, "",
					 "");
		} else if (cc_is_source(in->at[i].kind)) {
			name = cc_step_file(cc, name, ".o");
			if (name && make_object(cc, &in->at[i], name))
				return cc->d.code;
		}
		if (!name || line_add(l, name, &cc->d))
			return cc->d.code;
	}
	return ERR_OK;
}

static enum err link_program(struct cc *cc)
{
	const struct cc_args *a = &cc->args;
	struct diag *d = &cc->d;
	struct command_line l = { 0 };
	char folder[CLANG_PATH_SIZE];
	bool failed;

	if (clang_find_library(folder, d))
		return d->code;
	/* Our folder comes first: -L may name that of another libcudart. */
	failed = line_add(&l, cc->clang.program, d) ||
		 line_add(&l, "--driver-mode=g++", d) ||
		 line_printf(&l, d, "-L%s", folder) ||
		 add_inputs(cc, &l, folder) ||
		 line_printf(&l, d, "%s/libcudart.so.13", folder) ||
		 line_printf(&l, d, "-Wl,--enable-new-dtags,-rpath,%s",
			     folder) ||
		 line_add(&l, "-pthread", d) || line_add(&l, "-ldl", d) ||
		 (a->shared && line_add(&l, "-shared", d)) ||
		 ((a->debug || a->device_debug) && line_add(&l, "-g", d)) ||
		 line_add_all(&l, a->host.at, a->host.count, d) ||
		 line_add_split(&l, &a->xcompiler, ", ", d) ||
		 line_add(&l, "-o", d) ||
		 line_add(&l, a->output ? a->output : "a.out", d);
	for (size_t i = 0; !failed && i < a->xlinker.count; i++)
		failed = line_printf(&l, d, "-Wl,%s", a->xlinker.at[i]);
	if (failed) {
		command_line_free(&l);
		return d->code;
	}
	return cc_run_line(cc, &l, "the program cannot be linked", NULL, NULL);
}

static enum err cc_check_output(struct cc *cc)
{
	const struct cc_inputs *in = &cc->args.inputs;

	for (size_t i = 0; i < in->count; i++)
		if (file_check_pair(in->at[i].text, "FILE", cc->args.output,
				    "-o", &cc->d))
			return cc->d.code;
	return ERR_OK;
}

static enum err cc_make_all(struct cc *cc)
{
	const struct cc_inputs *in = &cc->args.inputs;
	enum err e = cc_archs(&cc->args, cc->arch, &cc->archs, &cc->d);

	if (!e)
		e = cc_check_output(cc);
	if (!e)
		e = clang_find(&cc->clang, cc->args.clang, &cc->d);
	if (!e && cc_stage(&cc->args) == CC_STAGE_LINK)
		return link_program(cc);
	for (size_t i = 0; !e && i < in->count; i++)
		e = cc_compile(cc, &in->at[i]);
	return e;
}

static int cc_main(int argc, char **argv)
{
	struct cc *cc = calloc(1, sizeof(*cc));
	int code;

	if (!cc) {
		say_error("out of memory");
		return EXIT_INPUT;
	}
	code = cc_args_read(&cc->args, &cmd_cc, argc, argv);
	if (code < 0) {
		code = cc_make_all(cc) ? EXIT_INPUT : EXIT_OK;
		remove_temporaries(cc);
		if (interrupted()) {
			fputs("heddle: interrupted\n", stderr);
			code = interrupt_exit();
		} else if (code) {
			say_error("%s", cc->d.text);
		}
	}
	words_free(&cc->temporaries);
	arena_free(&cc->arena);
	cc_args_free(&cc->args);
	free(cc);
	return code;
}

const struct command cmd_cc = {
	.name = "cc",
	.summary = "Compile CUDA sources into a program for the simulated GPU",
	.usage = "[OPTIONS] FILE...",
	.details =
		"Sources are .cu, .cpp, .cc, .cxx and .c files; objects and "
		"libraries are\nlinked. Options are those of nvcc, with one "
		"dash or two: a Makefile with\nNVCC='heddle cc' works. Options "
		"that have no effect here are accepted silently\n(-Xptxas, "
		"-lineinfo, -cudart, -maxrregcount, ...); the manual lists "
		"them.\n\n"
		"The program runs on its own, or under 'heddle exec' with "
		"options:\n"
		"  heddle cc -O2 -o app app.cu util.cpp && ./app\n",
	.tables = { cc_opts },
	.run = cc_main,
};
