#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/words.h"
#include "cfg/param.h"
#include "door/cli/commands.h"
#include "door/cli/fileuse.h"
#include "door/cli/interrupt.h"
#include "door/cli/replay.h"
#include "door/cli/report.h"
#include "door/cli/run.h"
#include "door/cli/summary.h"
#include "door/cli/text.h"
#include "door/common/launch_json.h"
#include "door/common/progress.h"
#include "engine/engine.h"

struct run_options {
	const char *kernel;
	struct heddle_dim3 grid, block; /* x 0: not given */
	uint64_t shared;
	struct heddle_device_options device;
	struct words args, sets;
	struct output_options results;
	struct words sources;
	uint64_t seed, repeat;
	bool quiet, progress, no_progress, profile, partial;
	const char *json, *record, *launch;
	enum isa_choice isa;
	bool isa_given;
};

/* X, X,Y or X,Y,Z; 'x' is also a separator. */
enum err opt_dim(void *to, const char *value, struct diag *d)
{
	struct heddle_dim3 *dim = to;
	uint32_t *const side[] = { &dim->x, &dim->y, &dim->z };
	const char *p = value;
	uint64_t v;

	*dim = (struct heddle_dim3){ 1, 1, 1 };
	for (int i = 0; i < 3; i++) {
		/* The x of a hexadecimal number is not a separator. */
		size_t hex = p[0] == '0' && (p[1] | 0x20) == 'x' ? 2 : 0;
		size_t n = hex + strcspn(p + hex, ",x");

		if (number_parse_uint(&v, "size", p, n, UINT32_MAX, d) || !v)
			break;
		*side[i] = (uint32_t)v;
		p += n;
		if (!*p)
			return ERR_OK;
		p++;
	}
	return fail(d, ERR_SYNTAX,
		    "expected X[,Y[,Z]], each from 1 to %" PRIu32, UINT32_MAX);
}

/* 90, 9.0 and sm_90 are the same. */
static enum err opt_sm(void *to, const char *value, struct diag *d)
{
	struct heddle_device_options *o = to;
	const struct cfg_param *range = &cfg_params[CFG_ID_gpu_capability];
	const char *p = value + (strncmp(value, "sm_", 3) ? 0 : 3);
	const char *dot = strchr(p, '.');
	uint64_t v, minor = 0;

	if (number_parse_uint(&v, "--sm", p,
			      dot ? (size_t)(dot - p) : strlen(p), 999, d) ||
	    (dot &&
	     number_parse_uint(&minor, "--sm", dot + 1, strlen(dot + 1), 9, d)))
		v = 0;
	if (dot)
		v = 10 * v + minor;
	if (v < (uint64_t)range->min || v > (uint64_t)range->max)
		return fail(d, ERR_SYNTAX,
			    "expected a compute capability such as 90, from "
			    "%" PRId64 " to %" PRId64,
			    range->min, range->max);
	o->sm_major = (unsigned)(v / 10);
	o->sm_minor = (unsigned)(v % 10);
	return ERR_OK;
}

static enum err opt_isa(void *to, const char *value, struct diag *d)
{
	struct run_options *o = to;

	o->isa_given = true;
	return isa_choice_read(&o->isa, value, d);
}

static enum err opt_engine(void *to, const char *value, struct diag *d)
{
	struct engine found;

	if (engine_find(&found, value, d))
		return d->code;
	return opt_string(to, value, d);
}

static enum err opt_pin(void *to, const char *value, struct diag *d)
{
	struct heddle_device_options *o = to;

	(void)value, (void)d;
	o->pin = 1;
	return ERR_OK;
}

static enum err opt_divergence(void *to, const char *value, struct diag *d)
{
	static const struct {
		const char *name;
		enum heddle_divergence value;
	} known[] = {
		{ "auto", HEDDLE_DIVERGE_AUTO },
		{ "stack", HEDDLE_DIVERGE_STACK },
		{ "independent", HEDDLE_DIVERGE_INDEPENDENT },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(value, known[i].name)) {
			*(enum heddle_divergence *)to = known[i].value;
			return ERR_OK;
		}
	return fail(d, ERR_UNKNOWN, "expected auto, stack or independent");
}

/* A size, or what accesses outside of allocations do. */
static enum err opt_memory(void *to, const char *value, struct diag *d)
{
	struct heddle_device_options *o = to;

	if (!strcmp(value, "strict"))
		o->memory_mode = HEDDLE_MEMORY_STRICT;
	else if (!strcmp(value, "hardware"))
		o->memory_mode = HEDDLE_MEMORY_HARDWARE;
	else if (opt_count(&o->memory, value, d))
		return fail(d, ERR_SYNTAX,
			    "expected a number of at least 1 (bytes), strict "
			    "or hardware");
	return ERR_OK;
}

#define AT(field) offsetof(struct run_options, field)

static const struct opt run_opts[] = {
	OPT_HEADING("What to run:"),
	{ "kernel", 0, "NAME",
	  "the kernel's symbol or name in the source (default: the only kernel)",
	  opt_string, AT(kernel) },
	{ "grid", 0, "X[,Y[,Z]]", "blocks in the grid (1)", opt_dim, AT(grid) },
	{ "block", 0, "X[,Y[,Z]]",
	  "threads per block (what the kernel requires, else 1)", opt_dim,
	  AT(block) },
	{ "shared", 0, "BYTES",
	  "dynamic shared memory per block; K and M are suffixes (0)", opt_u64,
	  AT(shared) },
	{ "arg", 0, "[NAME:]SPEC",
	  "the next parameter of the kernel; see below", opt_words, AT(args) },
	{ "set", 0, "NAME=SPEC",
	  "fill a global or constant variable, or bind a texture reference",
	  opt_words, AT(sets) },
	{ "seed", 0, "N", "seed of random values (1)", opt_u64, AT(seed) },
	{ "launch", 0, "N",
	  "replay only this launch of a trace ('heddle trace info' lists "
	  "them)",
	  opt_string, AT(launch) },
	{ "partial", 0, NULL,
	  "replay the complete launches of a trace that is cut or damaged",
	  opt_on, AT(partial) },
	{ "repeat", 0, "N", "launch N times on the same memory (1)", opt_count,
	  AT(repeat) },
	OPT_HEADING("What to do with the results:"),
	OUTPUT_OPTS(struct run_options, results),
	{ "profile", 0, NULL,
	  "show the instruction mix, memory accesses and hottest lines; "
	  "slower",
	  opt_on, AT(profile) },
	{ "source", 0, "DIR",
	  "also show lines of sources below this folder; may be repeated (the "
	  "program's folder)",
	  opt_words, AT(sources) },
	{ "json", 0, "FILE", "write a summary as JSON; - is standard output",
	  opt_string, AT(json) },
	{ "record", 0, "FILE",
	  "record a trace, to be timed later on any GPU: heddle run FILE",
	  opt_string, AT(record) },
	{ "quiet", 'q', NULL, "print no summary and no progress", opt_on,
	  AT(quiet) },
	{ "progress", 0, NULL, "show progress even if stderr is not a terminal",
	  opt_on, AT(progress) },
	{ "no-progress", 0, NULL, "do not show progress", opt_on,
	  AT(no_progress) },
	OPT_HEADING("The GPU:"),
	{ "sm", 0, "NN",
	  "compute capability (90; of machine code alone, its own)", opt_sm,
	  AT(device) },
	{ "isa", 0, "auto|sass|ptx",
	  "which code runs: what a driver takes, machine code that fits the "
	  "GPU, else PTX (auto); machine code, which ptxas makes of PTX where "
	  "there is none (sass); PTX (ptx) (auto)",
	  opt_isa, 0 },
	{ "threads", 0, "N", "host threads (all cores; with --gpu: 1)",
	  opt_count32, AT(device.threads) },
	{ "engine", 0, "NAME",
	  "how to simulate with --gpu: serial (one thread), exact (--threads, "
	  "or all cores) or cycle (the same, in step every cycle), which give "
	  "the same result; slack:K (slack:10, ...) or workgroup, which do not "
	  "and are for comparison",
	  opt_engine, AT(device.engine) },
	{ "pin", 0, NULL, "with --gpu: pin each of these threads to a core",
	  opt_pin, AT(device) },
	{ "divergence", 0, "MODE", "auto, stack or independent (auto)",
	  opt_divergence, AT(device.divergence) },
	{ "max-instructions", 0, "N",
	  "stop when a warp has executed this many instructions "
	  "(4,000,000,000)",
	  opt_count, AT(device.max_warp_instructions) },
	{ "memory", 0, "BYTES|MODE",
	  "size of global memory (64G), or what accesses outside of "
	  "allocations do: fault (strict), or as a GPU, which does not notice "
	  "them in mapped pages of 2 MiB, with a warning for each line "
	  "(hardware); may be repeated (strict)",
	  opt_memory, AT(device) },
	{ "local-bytes", 0, "BYTES", "local memory per thread (64K)", opt_count,
	  AT(device.local_bytes) },
	{ "heap-bytes", 0, "BYTES", "heap of the device's malloc (8M)",
	  opt_count, AT(device.heap_bytes) },
	{ "sm-count", 0, "N", "multiprocessors, as %nsmid reports (132)",
	  opt_count32, AT(device.sm_count) },
	OPT_END
};

static const char run_details[] =
	"PROGRAM is a .ptx file, a .cu or .cl file that clang compiles first, machine\n"
	"code (a cubin, a fat binary, or a code object of an AMD GPU of GFX6), or a\n"
	"trace, whose launches are replayed: 'heddle help trace'. A trace may be one of Accel-Sim: a kernelslist.g, or the .traceg\n"
	"of a kernel, also compressed by xz, zstd or gzip.\n"
	"\n"
	"A SPEC is one of\n"
	"  42  -1  0x10  64K  3.5  1e-3   a number; 1.5:f16 has a type\n"
	"  TYPE[SIZES]=INIT               device memory; its address is passed\n"
	"  @FILE.npy                      the same, with the file's type and sizes\n"
	"  bytes:HEX  bytes:@FILE         a struct by value\n"
	"  tex2d:TYPE[SIZES]=INIT,FLAG,.. a texture (tex1d, tex2d, tex3d)\n"
	"  surf2d:TYPE[SIZES]=INIT        a surface (surf1d, surf2d, surf3d)\n"
	"where\n"
	"  TYPE   is" ELEM_NAMES "; of a\n"
	"         texture also f32x2 or f32x4, for two or four channels\n"
	"  SIZES  is N, or NxM and so on, the last varies fastest; 1K is 1024;\n"
	"         empty for the size of the file or list\n"
	"  INIT   is zero (the default), iota[:START[:STEP]], random[:LO:HI],\n"
	"         fill:VALUE, list:V,V,..., or @FILE (.npy, else raw bytes)\n"
	"  FLAG   is nearest linear wrap clamp mirror border normalized float\n"
	"NAME: in front of a SPEC names an array for --print, --out, --expect\n"
	"and --hash; the default names are arg0, arg1, ...\n"
	"\n"
	"Examples:\n"
	"  heddle run saxpy.ptx --grid 4 --block 256 --arg 1024 --arg 2.5 \\\n"
	"      --arg x:f32[1024]=iota --arg y:f32[1024]=fill:1 --print y:16\n"
	"  heddle run matmul.cu --kernel matmul --grid 32,32 --block 16,16 \\\n"
	"      --arg A:f32[512x512]=random --arg B:f32[512x512]=random \\\n"
	"      --arg C:f32[512x512] --arg 512 --out C=C.npy\n"
	"  heddle run saxpy.cu --gpu h200 --grid 4K --block 256 --arg 1M \\\n"
	"      --arg 2.5 --arg x:f32[1M]=iota --arg y:f32[1M]\n"
	"  heddle run scan.cu --block 1K --arg d:s32[1K]=fill:1 \\\n"
	"      --expect d=iota:1\n"
	"\n"
	"Exit codes: 0 success, 1 invalid input, 2 invalid usage, 3 the kernel\n"
	"faulted, 4 a comparison failed, 70 a bug in Heddle, 130 interrupted,\n"
	"143 terminated.\n";

/* One `heddle run`. */
struct run_session {
	const char *path;
	struct run_options o;
	struct compile_options compile;
	struct loaded_program program;
	struct memory memory;
	struct outputs outputs;
	struct heddle_launch launch;
	struct progress progress;
	struct heddle_profile *counts; /* of --profile, else NULL */
	struct profile profile;
	struct timing timing;
	struct summary summary;
};

static struct heddle_dim3 block_size(const struct run_options *o,
				     const struct heddle_kernel *k)
{
	if (o->block.x)
		return o->block;
	if (k->required[0])
		return (struct heddle_dim3){
			k->required[0],
			k->required[1] ? k->required[1] : 1,
			k->required[2] ? k->required[2] : 1,
		};
	return (struct heddle_dim3){ 1, 1, 1 };
}

static enum err prepare_outputs(struct run_session *r, struct diag *d)
{
	r->outputs.memory = &r->memory;
	return outputs_add_all(&r->outputs, &r->o.results, d);
}

/* The sources whose lines may be shown: those of the user. */
static enum err run_allow_sources(struct run_session *r, struct diag *d)
{
	struct sources *s = &r->timing.sources;

	for (size_t i = 0; i < r->o.sources.count; i++)
		if (sources_add(s, r->o.sources.at[i], d))
			return d->code;
	return sources_add_program(s, r->path, d);
}

/* Does everything that can fail before the kernel starts. */
static enum err run_prepare(struct run_session *r, struct diag *d)
{
	const struct heddle_kernel *k;
	struct heddle_error he;

	if (run_allow_sources(r, d))
		return d->code;
	if (r->timing.o.gpu) {
		if (timing_configure(&r->timing, &r->o.device, d))
			return d->code;
		r->compile.sm = (unsigned)r->timing.sheet.cfg.gpu.capability;
	}
	if (r->o.device.sm_major)
		r->compile.sm =
			10 * r->o.device.sm_major + r->o.device.sm_minor;
	r->compile.isa = r->o.isa;
	r->program.record = r->o.record;
	if (program_load(&r->program, r->path, &r->compile, &r->o.device, d))
		return d->code;
	k = program_kernel(&r->program, r->o.kernel, d);
	if (!k)
		return d->code;
	if (k->refused)
		return fail(d, ERR_UNSUPP, "%s", k->refused);
	r->memory.program = &r->program;
	r->memory.seed = r->o.seed;
	if (memory_bind(&r->memory, program_typed_kernel(&r->program, k),
			&r->o.args, d))
		return d->code;
	for (size_t i = 0; i < r->o.sets.count; i++)
		if (memory_set(&r->memory, r->o.sets.at[i], d))
			return d->code;
	if (prepare_outputs(r, d))
		return d->code;
	r->launch = (struct heddle_launch){
		.kernel = k->name,
		.grid = r->o.grid.x ? r->o.grid :
				      (struct heddle_dim3){ 1, 1, 1 },
		.block = block_size(&r->o, k),
		.shared_bytes = r->o.shared + r->memory.shared_bytes,
		.params = r->memory.params,
		.param_bytes = r->memory.param_bytes,
		.print = progress_print,
		.progress = progress_report,
		.warn = progress_warn,
		.hazard = progress_warn,
		.ctx = &r->progress,
	};
	if (r->o.profile && heddle_profile_new(&r->counts, &he))
		return fail_api(d, &he);
	r->launch.profile = r->counts;
	if (r->timing.o.gpu && timing_open(&r->timing, r->o.json, d))
		return d->code;
	r->summary.kernel = k;
	return ERR_OK;
}

/* Why the launches did not run to their end; NULL: they did. */
static const char *run_cut(const struct summary *s, bool interrupted)
{
	enum heddle_fault_kind kind = s->result.fault.kind;

	return interrupted || kind == HEDDLE_FAULT_STOPPED ? "interrupted" :
	       kind                                        ? fault_name(kind) :
							     NULL;
}

static enum err run_launch(struct run_session *r, struct diag *d)
{
	struct summary *s = &r->summary;
	struct heddle_error he = { 0 };
	int e = HEDDLE_OK;

	for (; !e && s->done < s->repeat && !interrupted(); s->done += !e) {
		if (s->timing)
			timing_attach(s->timing, &r->launch, r->program.dev,
				      &r->progress, s->done + 1 == s->repeat);
		progress_start(&r->progress);
		e = heddle_launch(r->program.dev, r->program.mod, &r->launch,
				  &s->result, &he);
		progress_end(&r->progress);
		fflush(stdout);
		s->seconds += s->result.seconds;
		s->warp_instructions += s->result.warp_instructions;
		s->cycles += s->result.cycles;
	}
	if (s->timing &&
	    timing_finish(s->timing, r->path, run_cut(s, interrupted()), d))
		return d->code;
	if (r->counts && (!e || e == HEDDLE_FAULT)) {
		if (profile_read(&r->profile, r->counts, &r->timing.sources, d))
			return d->code;
		s->profile = &r->profile;
	}
	return e ? fail_api(d, &he) : ERR_OK;
}

/* Prints how the run ended; returns the exit code. */
static int run_conclude(struct run_session *r, enum err e, struct diag *d)
{
	struct summary *s = &r->summary;
	bool stopped = interrupted() ||
		       (s->result.fault.kind == HEDDLE_FAULT_STOPPED &&
			!r->timing.unwritten);

	fflush(stdout);
	if (stopped || (e && e != ERR_FAULT && e != ERR_MISMATCH)) {
		s->status = stopped ? "interrupted" : "error";
		if (stopped)
			fputs("heddle: interrupted\n", stderr);
		else
			say_error("%s", d->text);
		if ((stopped || r->timing.result) && s->kernel && !r->o.quiet)
			summary_print(s);
		return stopped ? interrupt_exit() : EXIT_INPUT;
	}
	if (!r->o.quiet)
		summary_print(s);
	if (e == ERR_FAULT) {
		s->status = "fault";
		summary_fault(s);
		return EXIT_FAULT;
	}
	outputs_report(&r->outputs, !r->o.quiet);
	s->status = e ? "different" : "ok";
	if (r->timing.result && r->timing.info.law) {
		report_bug(&r->timing);
		s->status = "bug";
		return EXIT_BUG;
	}
	return e ? EXIT_DIFFERS : EXIT_OK;
}

/* Frees everything and completes the trace. refused: the launch never began.
 * Returns the exit code. */
static int run_release(struct run_session *r, bool refused, int code)
{
	struct diag d;

	progress_free(&r->progress);
	profile_clear(&r->profile);
	heddle_profile_free(r->counts);
	outputs_free(&r->outputs);
	memory_free(&r->memory);
	if (program_end_trace(&r->program, !refused, &d)) {
		say_error("%s", d.text);
		code = code ? code : EXIT_INPUT;
	}
	/* Its results belong to the device, which is freed next. */
	timing_free(&r->timing);
	sources_free(&r->timing.sources);
	program_unload(&r->program);
	return code;
}

static int run_kernel(struct run_session *r)
{
	const struct run_options *o = &r->o;
	bool refused;
	struct diag d;
	enum err e;
	int code;

	progress_init(&r->progress,
		      !o->quiet && !o->no_progress &&
			      (o->progress || isatty(STDERR_FILENO)));
	r->summary.program = r->path;
	r->summary.seed = o->seed;
	r->summary.repeat = o->repeat;
	r->summary.launch = &r->launch;
	r->summary.outputs = &r->outputs;
	r->summary.timing = r->timing.o.gpu ? &r->timing : NULL;
	e = run_prepare(r, &d);
	if (!e)
		e = run_launch(r, &d);
	refused = e && e != ERR_FAULT && !r->summary.done &&
		  !r->timing.result && !interrupted();
	if (!e && !interrupted())
		e = outputs_finish(&r->outputs, &d);
	code = run_conclude(r, e, &d);
	if (o->json && r->summary.kernel &&
	    summary_json(&r->summary, o->json, &d)) {
		say_error("%s", d.text);
		code = code ? code : EXIT_INPUT;
	}
	return run_release(r, refused, code);
}

static void options_free(struct run_session *r)
{
	words_free(&r->timing.o.set);
	words_free(&r->o.args);
	words_free(&r->o.sets);
	output_options_free(&r->o.results);
	words_free(&r->o.sources);
	compile_options_free(&r->compile);
}

int run_compile(int argc, char **argv, unsigned sm, char **ptx, size_t *size,
		struct diag *d)
{
	struct run_session r = { .o = { .seed = 1, .repeat = 1 },
				 .timing = { .number = 1 } };
	struct words files = { 0 };
	void *const to[] = { &r.o, &r.timing.o, &r.compile };
	int code = command_parse_program(&cmd_run, to, argc, argv, &files);

	*ptx = NULL;
	if (code >= 0)
		fail(d, ERR_SYNTAX, "invalid command line for 'heddle run'");
	if (code < 0 && program_is_source(files.at[0])) {
		r.compile.sm =
			r.o.device.sm_major ?
				10 * r.o.device.sm_major + r.o.device.sm_minor :
				sm;
		if (program_text(files.at[0], &r.compile, ptx, size, d)) {
			free(*ptx);
			*ptx = NULL;
			code = EXIT_INPUT;
		}
	}
	words_free(&files);
	options_free(&r);
	return code;
}

/* An option that is not allowed with a trace; NULL: none was given. */
static const char *program_option(const struct run_options *o, unsigned regs)
{
	return o->kernel                ? "--kernel" :
	       o->grid.x                ? "--grid" :
	       o->block.x               ? "--block" :
	       o->shared                ? "--shared" :
	       o->args.count            ? "--arg" :
	       o->sets.count            ? "--set" :
	       o->results.prints.count  ? "--print" :
	       o->results.outs.count    ? "--out" :
	       o->results.expects.count ? "--expect" :
	       o->results.hashes.count  ? "--hash" :
	       o->sources.count         ? "--source" :
	       o->profile               ? "--profile" :
	       o->repeat > 1            ? "--repeat" :
	       o->record                ? "--record" :
	       o->isa_given             ? "--isa" :
	       regs                     ? "--registers" :
					  NULL;
}

/* Adds the file of a SPEC, if it has one. A SPEC that is wrong is reported when
 * it is used. */
static enum err run_add_spec(struct file_uses *u, const char *option,
			     const char *text, struct diag *d)
{
	struct arg_spec spec;
	struct diag ignored;
	const char *path;

	if (spec_parse(&spec, text, &ignored) || spec.init.kind != INIT_FILE)
		return ERR_OK;
	path = arena_strndup(&u->arena, spec.init.text, spec.init.length);
	return path ? file_uses_add(u, option, path, false, d) :
		      fail(d, ERR_NOMEM, "out of memory");
}

/* What follows the = of NAME=FILE; NULL: nothing. */
static const char *run_value(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals && equals[1] ? equals + 1 : NULL;
}

static enum err run_add_words(struct file_uses *u, const struct run_options *o,
			      struct diag *d)
{
	enum err e = ERR_OK;

	for (size_t i = 0; !e && i < o->args.count; i++)
		e = run_add_spec(u, "--arg", o->args.at[i], d);
	for (size_t i = 0; !e && i < o->sets.count; i++)
		if (run_value(o->sets.at[i]))
			e = run_add_spec(u, "--set", run_value(o->sets.at[i]),
					 d);
	for (size_t i = 0; !e && i < o->results.expects.count; i++) {
		const char *path = run_value(o->results.expects.at[i]);

		e = file_uses_add(u, "--expect",
				  path && *path == '@' ? path + 1 : path, false,
				  d);
	}
	for (size_t i = 0; !e && i < o->results.outs.count; i++)
		e = file_uses_add(u, "--out", run_value(o->results.outs.at[i]),
				  true, d);
	return e;
}

/* Refuses files that cannot be written, or that are also read, before anything
 * is simulated. Returns -1 to continue, or an exit code. */
static int run_check_files(const struct run_session *r)
{
	const struct timing_options *t = &r->timing.o;
	struct file_uses u = { 0 };
	struct diag d;
	enum err e = file_uses_add(&u, "PROGRAM", r->path, false, &d);

	if (!e && t->gpu &&
	    (strchr(t->gpu, '/') || word_ends_with(t->gpu, ".cfg")))
		e = file_uses_add(&u, "--gpu", t->gpu, false, &d);
	if (!e)
		e = run_add_words(&u, &r->o, &d);
	if (!e)
		e = file_uses_add(&u, "--json", r->o.json, true, &d);
	if (!e)
		e = file_uses_add(&u, "--record", r->o.record, true, &d);
	if (!e)
		e = file_uses_add(&u, "--csv", t->csv, true, &d);
	if (!e)
		e = file_uses_add(&u, "--timeline", t->timeline, true, &d);
	if (!e)
		e = file_uses_check(&u, &d);
	file_uses_free(&u);
	if (!e)
		return -1;
	say_error("%s", d.text);
	return EXIT_INPUT;
}

static int run_trace(struct run_session *r)
{
	const struct run_options *o = &r->o;
	const char *wrong = program_option(o, r->timing.o.registers);
	int code;

	if (wrong) {
		say_error("%s cannot be used with a trace, '%s'", wrong,
			  r->path);
		return EXIT_USAGE;
	}
	code = replay_trace(&(struct replay_request){
		.path = r->path,
		.device = &r->o.device,
		.timing = &r->timing,
		.json = o->json,
		.launch = o->launch,
		.partial = o->partial,
		.quiet = o->quiet,
		.progress = !o->quiet && !o->no_progress &&
			    (o->progress || isatty(STDERR_FILENO)) });
	timing_free(&r->timing);
	return code;
}

static int run_file(struct run_session *r)
{
	if (heddle_replay_is(r->path))
		return run_trace(r);
	if (!r->o.launch && !r->o.partial)
		return run_kernel(r);
	say_error("--%s: '%s' is not a trace",
		  r->o.launch ? "launch" : "partial", r->path);
	return EXIT_USAGE;
}

static int run_main(int argc, char **argv)
{
	struct run_session r = { .o = { .seed = 1, .repeat = 1 },
				 .timing = { .number = 1 } };
	struct words files = { 0 };
	void *const to[] = { &r.o, &r.timing.o, &r.compile };
	int code = command_parse_program(&cmd_run, to, argc, argv, &files);

	if (code < 0)
		code = timing_check(&r.timing.o, r.o.json);
	if (code < 0 && r.timing.o.gpu && r.o.profile) {
		say_error("--profile cannot be combined with --gpu, whose "
			  "summary shows more");
		code = EXIT_USAGE;
	}
	if (code < 0) {
		r.path = files.at[0];
		code = run_check_files(&r);
	}
	if (code < 0) {
		code = run_file(&r);
	}
	words_free(&files);
	options_free(&r);
	return code;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "Run a kernel and show what it computed",
	.usage = "PROGRAM [OPTIONS]",
	.details = run_details,
	.tables = { run_opts, timing_opts, compile_opts },
	.run = run_main,
};
