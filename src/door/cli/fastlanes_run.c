/*
 * heddle fastlanes run: a kernel of a CODE file, on the model or on the circuit. Arrays
 * are made, filled, printed and compared as by heddle run: they are in the memory
 * of a device of the library before and after the launch. The lower words of
 * their addresses there are their addresses in FastLanes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/demangle.h"
#include "base/outfile.h"
#include "door/cli/circuit.h"
#include "door/cli/commands.h"
#include "door/cli/fastlanes.h"
#include "door/cli/interrupt.h"
#include "door/cli/jsonfile.h"
#include "door/cli/output.h"
#include "door/cli/run.h"
#include "door/cli/text.h"
#include "explore/machine.h"
#include "fastlanes/model.h"
#include "fastlanes/performance.h"

struct fastlanes_options {
	const char *kernel, *gpu, *json, *events;
	bool on_rtl;
	unsigned memory_latency, memory_interval; /* of the circuit's memory */
	struct heddle_dim3 grid, block;           /* x 0: not given */
	uint64_t shared, seed, max_cycles, slice;
	struct words args, sets, config;
	struct output_options results;
	bool quiet, predict;
};

static enum err opt_on_what(void *to, const char *value, struct diag *d)
{
	bool rtl = !strcmp(value, "rtl");

	if (!rtl && strcmp(value, "model"))
		return fail(d, ERR_UNKNOWN, "expected model or rtl");
	*(bool *)to = rtl;
	return ERR_OK;
}

#define AT(field) offsetof(struct fastlanes_options, field)

static const struct opt fastlanes_run_opts[] = {
	OPT_HEADING("What to run:"),
	{ "on", 0, "model|rtl",
	  "the reference model, or the circuit, which Verilator makes a program "
	  "of, once (model)",
	  opt_on_what, AT(on_rtl) },
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
	  "the next parameter of the kernel, as 'heddle help run' explains it",
	  opt_words, AT(args) },
	{ "set", 0, "NAME=SPEC", "fill a global or constant variable",
	  opt_words, AT(sets) },
	{ "seed", 0, "N", "seed of random values (1)", opt_u64, AT(seed) },
	OPT_HEADING("What to do with the results:"),
	OUTPUT_OPTS(struct fastlanes_options, results),
	{ "json", 0, "FILE",
	  "write the statistics as JSON; - is standard output", opt_string,
	  AT(json) },
	{ "events", 0, "FILE",
	  "write a line for each instruction that is issued: cycle, "
	  "multiprocessor, warp, number, lanes; - is standard output",
	  opt_string, AT(events) },
	{ "quiet", 'q', NULL, "print no statistics", opt_on, AT(quiet) },
	OPT_HEADING("The GPU:"),
	{ "gpu", 0, "NAME|FILE", "its parameters: a name or a file (fastlanes)",
	  opt_string, AT(gpu) },
	{ NULL, 'o', "KEY=VALUE", "set a parameter of the GPU; may be repeated",
	  opt_words, AT(config) },
	{ "slice", 0, "CYCLES",
	  "cycles of a multiprocessor before the next one has its turn (100 "
	  "for each warp)",
	  opt_count, AT(slice) },
	{ "max-cycles", 0, "N", "stop after this many cycles; exit code 3",
	  opt_count, AT(max_cycles) },
	OPT_HEADING("The circuit:"),
	{ "predict", 0, NULL,
	  "with the model: how many of its cycles the circuit would take",
	  opt_on, AT(predict) },
	{ "memory-latency", 0, "CYCLES",
	  "cycles of the circuit from a request to external memory to its "
	  "answer (8)",
	  opt_count32, AT(memory_latency) },
	{ "memory-interval", 0, "CYCLES",
	  "cycles of the circuit for each line of 128 bytes of it (1)",
	  opt_count32, AT(memory_interval) },
	OPT_END
};
#undef AT

/* One `heddle fastlanes run`. */
struct fastlanes_session {
	struct fastlanes_options o;
	struct fl_code *code;
	const struct fl_kernel *kernel;
	struct fl_config config;
	struct loaded_program program;
	heddle_ptr base; /* of the device's memory */
	struct heddle_param *params;
	struct memory memory;
	struct outputs outputs;
	uint8_t *bytes; /* of FastLanes' memory */
	struct circuit circuit;
	struct fl_launch launch;
	struct fl_stats stats;
	struct fl_counters counters; /* of the circuit */
	struct fl_fault fault;
	double seconds; /* of the simulation */
	struct fl_external external;
	struct fl_rates rates; /* for a prediction */
};

/* ---- the kernel -------------------------------------------------------- */

static enum err find_kernel(struct fastlanes_session *s, struct diag *d)
{
	const char *name = s->o.kernel;
	size_t found = 0;

	for (uint32_t i = 0; i < s->code->kernel_count; i++) {
		const struct fl_kernel *k = &s->code->kernels[i];

		if (name && !demangle_matches(k->name, name))
			continue;
		s->kernel = k;
		found++;
	}
	if (found == 1)
		return ERR_OK;
	return found ? fail(d, ERR_UNKNOWN,
			    "%zu kernels match; choose one with --kernel ('heddle "
			    "fastlanes dis' lists them)",
			    found) :
		       fail(d, ERR_UNKNOWN, "no kernel named '%s'",
			    name ? name : "");
}

/* Bytes of a PTX type by its name: what follows the letter counts its bits. */
static uint32_t type_bytes(const char *type)
{
	return (uint32_t)strtoul(type + strcspn(type, "0123456789"), NULL, 10) /
	       8;
}

static enum err bind_params(struct fastlanes_session *s, struct diag *d)
{
	const struct fl_kernel *k = s->kernel;
	struct heddle_kernel as = { .name = k->name,
				    .param_count = k->param_count,
				    .param_bytes = k->param_bytes,
				    .isa = "ptx" };

	s->params = calloc(k->param_count + 1, sizeof(*s->params));
	if (!s->params)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < k->param_count; i++) {
		const struct fl_param *p = &s->code->params[k->first_param + i];

		s->params[i] = (struct heddle_param){
			.name = p->name,
			.type = p->type,
			.size = p->size,
			.align = p->align,
			.offset = p->offset,
			.kind = p->size != type_bytes(p->type) ?
					HEDDLE_PARAM_BYTES :
				p->type[0] == 'f' ? HEDDLE_PARAM_FLOAT :
						    HEDDLE_PARAM_INT,
		};
	}
	as.params = s->params;
	return memory_bind(&s->memory, &as, &s->o.args, d);
}

/* ---- memory ------------------------------------------------------------ */

static bool find_variable(void *ctx, const char *name, heddle_ptr *at,
			  uint64_t *bytes)
{
	const struct fastlanes_session *s = ctx;

	for (uint32_t i = 0; i < s->code->var_count; i++)
		if (!strcmp(s->code->vars[i].name, name)) {
			*at = s->base + s->code->vars[i].address;
			*bytes = s->code->vars[i].bytes;
			return true;
		}
	return false;
}

/* The first allocation holds the variables and what is below them. */
static enum err place_data(struct fastlanes_session *s, struct diag *d)
{
	const struct heddle_device_options options = {
		.memory = FL_MEMORY_BYTES, .heap_bytes = 1, .threads = 1
	};
	struct heddle_error he = { 0 };
	uint64_t size = (uint64_t)FL_DATA_BASE + s->code->data_bytes;

	if (heddle_device_new(&s->program.dev, &options, &he) ||
	    heddle_alloc(s->program.dev, size, &s->base, &he) ||
	    (s->code->init_bytes &&
	     heddle_write(s->program.dev, s->base + FL_DATA_BASE, s->code->init,
			  s->code->init_bytes, &he)))
		return fail_api(d, &he);
	s->base &= ~(heddle_ptr)UINT32_MAX;
	return ERR_OK;
}

/* Calls `move` for each part of memory that is in use: variables, arrays. */
static enum err move_all(struct fastlanes_session *s,
			 int (*move)(struct heddle_device *, uint8_t *,
				     heddle_ptr, size_t, struct heddle_error *),
			 struct diag *d)
{
	struct heddle_error he = { 0 };

	if (move(s->program.dev, s->bytes + FL_DATA_BASE,
		 s->base + FL_DATA_BASE, s->code->data_bytes, &he))
		return fail_api(d, &he);
	for (size_t i = 0; i < s->memory.count; i++) {
		const struct array *a = &s->memory.arrays[i];
		uint32_t at = (uint32_t)(a->at - s->base);

		if (move(s->program.dev, s->bytes + at, a->at,
			 a->count * elem_info[a->type].bytes, &he))
			return fail_api(d, &he);
	}
	return ERR_OK;
}

static int move_in(struct heddle_device *dev, uint8_t *at, heddle_ptr from,
		   size_t size, struct heddle_error *he)
{
	return size ? heddle_read(dev, at, from, size, he) : 0;
}

static int move_out(struct heddle_device *dev, uint8_t *at, heddle_ptr to,
		    size_t size, struct heddle_error *he)
{
	return size ? heddle_write(dev, to, at, size, he) : 0;
}

/* The end of what is in use; an array beyond the memory fails. */
static enum err find_end(struct fastlanes_session *s, uint32_t *end,
			 struct diag *d)
{
	uint64_t top = (uint64_t)FL_DATA_BASE + s->code->data_bytes;

	for (size_t i = 0; i < s->memory.count; i++) {
		const struct array *a = &s->memory.arrays[i];
		uint64_t last =
			a->at - s->base + a->count * elem_info[a->type].bytes;

		top = last > top ? last : top;
	}
	if (top > FL_MEMORY_BYTES)
		return fail(d, ERR_RANGE, "the arrays need more than 512 MiB");
	*end = (uint32_t)(top + FL_SEGMENT - 1) & ~(uint32_t)(FL_SEGMENT - 1);
	return ERR_OK;
}

static enum err make_memory(struct fastlanes_session *s, struct diag *d)
{
	void *at;

	if (s->o.on_rtl) {
		if (circuit_open(&s->circuit, d))
			return d->code;
		s->bytes = s->circuit.memory;
		return find_end(s, &s->launch.local_base, d);
	}
	at = mmap(NULL, FL_MEMORY_BYTES, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return fail(d, ERR_NOMEM, "no 512 MiB of addresses");
	s->bytes = at;
	return find_end(s, &s->launch.local_base, d);
}

/* ---- the launch -------------------------------------------------------- */

static enum err load_config(struct fastlanes_session *s, struct diag *d)
{
	const char *name = s->o.gpu ? s->o.gpu : "fastlanes";
	struct cfg_sheet sheet;
	enum err e;

	if (s->o.slice > UINT32_MAX)
		return fail(d, ERR_RANGE, "--slice: at most %u", UINT32_MAX);
	cfg_sheet_init(&sheet);
	e = machine_load(&sheet, name, s->o.config.at, s->o.config.count, d);
	if (!e)
		e = fl_config_from(&s->config, &sheet.cfg, (uint32_t)s->o.slice,
				   d);
	cfg_sheet_free(&sheet);
	return e;
}

static void set_shape(struct fastlanes_session *s)
{
	const uint32_t *r = s->kernel->required;
	const struct heddle_dim3 *g = &s->o.grid, *b = &s->o.block;
	struct fl_launch *l = &s->launch;

	for (int i = 0; i < 3; i++)
		l->grid[i] = l->block[i] = 1;
	if (g->x)
		memcpy(l->grid, (uint32_t[]){ g->x, g->y, g->z },
		       sizeof(l->grid));
	for (int i = 0; i < 3 && r[0]; i++)
		l->block[i] = r[i] ? r[i] : 1;
	if (b->x)
		memcpy(l->block, (uint32_t[]){ b->x, b->y, b->z },
		       sizeof(l->block));
}

static enum err prepare_launch(struct fastlanes_session *s, struct diag *d)
{
	s->memory.program = &s->program;
	s->memory.seed = s->o.seed;
	s->memory.find = find_variable;
	s->memory.ctx = s;
	if (load_config(s, d) || find_kernel(s, d) || place_data(s, d) ||
	    bind_params(s, d))
		return d->code;
	for (size_t i = 0; i < s->o.sets.count; i++)
		if (memory_set(&s->memory, s->o.sets.at[i], d))
			return d->code;
	s->outputs.memory = &s->memory;
	if (outputs_add_all(&s->outputs, &s->o.results, d))
		return d->code;
	if (s->o.shared > UINT32_MAX)
		return fail(d, ERR_RANGE, "--shared: at most %u", UINT32_MAX);
	set_shape(s);
	return make_memory(s, d);
}

static void write_event(void *ctx, const struct fl_event *e)
{
	fprintf(ctx, "%" PRIu64 " %u %u %u %08x\n", e->cycle, e->sm, e->warp,
		e->pc, e->lanes);
}

/* A configuration that does not fit is refused before the circuit is built. */
static enum err start_circuit(struct fastlanes_session *s, struct diag *d)
{
	const struct fastlanes_options *o = &s->o;
	char program[CLANG_PATH_SIZE];

	if (fl_circuit_fits(&s->config, &s->launch, d) ||
	    circuit_find(program, d))
		return d->code;
	return circuit_start(&s->circuit, program, o->memory_latency,
			     o->memory_interval, d);
}

static enum err run_kernel(struct fastlanes_session *s, struct diag *d)
{
	double start = clock_seconds();
	enum err e;

	if (s->o.on_rtl)
		e = fl_circuit_run(&s->circuit.link, &s->config, &s->launch,
				   &s->stats, &s->counters, &s->fault, d);
	else if (s->o.predict)
		e = fl_measure_rates(&s->rates, &s->config, &s->launch,
				     &s->external, &s->stats, &s->fault, d);
	else
		e = fl_model_run(&s->config, &s->launch, &s->stats, &s->fault,
				 d);
	s->seconds = clock_seconds() - start;
	return e;
}

/* Runs the kernel, with a file of events if one is asked for. */
static enum err run_with_events(struct fastlanes_session *s, struct diag *d)
{
	struct outfile f;
	enum err e;

	if (s->o.on_rtl && s->o.predict)
		return fail(d, ERR_UNSUPP,
			    "--predict is the model's; --on rtl counts");
	if (s->o.on_rtl && start_circuit(s, d))
		return d->code;
	s->external = (struct fl_external){ s->o.memory_latency,
					    s->o.memory_interval };
	if (!s->o.events)
		return run_kernel(s, d);
	if (outfile_open(&f, s->o.events, d))
		return d->code;
	s->launch.event = write_event;
	s->launch.ctx = f.to;
	e = run_kernel(s, d);
	return outfile_close(&f, e, d);
}

static enum err fastlanes_launch(struct fastlanes_session *s, struct diag *d)
{
	struct fl_launch *l = &s->launch;

	if (prepare_launch(s, d) || move_all(s, move_in, d))
		return d->code;
	l->code = s->code;
	l->kernel = s->kernel;
	l->dynamic_shared = (uint32_t)s->o.shared;
	l->params = s->memory.params;
	l->memory = s->bytes;
	l->max_cycles = s->o.max_cycles;
	l->stop = interrupted;
	if (run_with_events(s, d))
		return d->code;
	return s->fault.kind ? ERR_OK : move_all(s, move_out, d);
}

/* ---- results ----------------------------------------------------------- */

static void print_prediction(const struct fastlanes_session *s)
{
	struct fl_speed v = fl_predict_speed(&s->rates, &s->external);
	char a[GROUPED_TEXT];

	fprintf(stderr,
		"predicted of the circuit:\n"
		"  %-18s %15s  its own cycles\n"
		"  %-18s %15.2f  instructions of threads in each of them\n"
		"  %-18s %15.2f  share of them in which it simulates\n",
		"host_cycles", grouped(a, (uint64_t)v.host_cycles),
		"throughput", v.throughput, "lambda", v.lambda);
}

static void print_stats(const struct fastlanes_session *s)
{
	char name[256], a[GROUPED_TEXT];
	const struct fl_launch *l = &s->launch;

	demangle(name, sizeof(name), s->kernel->name);
	fprintf(stderr, "%s%s%s: grid %ux%ux%u, block %ux%ux%u\n",
		tint(stderr, TINT_BOLD), name, tint(stderr, TINT_OFF),
		l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
		l->block[2]);
#define X(field, about)                               \
	fprintf(stderr, "  %-18s %15s  %s\n", #field, \
		grouped(a, s->stats.field), about);
	FL_STATS(X)
#undef X
	if (s->o.predict)
		print_prediction(s);
	if (!s->o.on_rtl)
		return;
	fputs("of the circuit:\n", stderr);
#define FL_COUNTER(field, about)                      \
	fprintf(stderr, "  %-18s %15s  %s\n", #field, \
		grouped(a, s->counters.field), about);
#include "fastlanes/circuit.def"
}

static void circuit_json(const struct fastlanes_session *s, struct json *j)
{
	json_open(j, "circuit", '{');
#define FL_COUNTER(field, about) json_uint(j, #field, s->counters.field);
#include "fastlanes/circuit.def"
	json_close(j, '{');
}

/* What the equations say, after a run of the model that was watched. */
static void json_prediction(struct json *j, const struct fastlanes_session *s)
{
	const struct fl_rates *r = &s->rates;
	struct fl_speed v = fl_predict_speed(r, &s->external);

	json_open(j, "performance", '{');
#define R(field) json_real(j, #field, r->field)
	R(turns);
	R(operations);
	R(cycle_fm);
	R(longer);
	R(eta);
	R(ipc);
	R(beta);
	R(p_ls);
	R(D);
	R(R);
	R(W);
	R(L);
#undef R
	json_real(j, "cycle_switch", v.cycle_switch);
	json_real(j, "lambda", v.lambda);
	json_real(j, "throughput", v.throughput);
	json_real(j, "host_cycles", v.host_cycles);
	json_close(j, '{');
}

struct fastlanes_ended {
	const struct fastlanes_session *session;
	const char *file;
};

static enum err fastlanes_json(struct json *j, void *ctx, struct diag *d)
{
	const struct fastlanes_ended *e = ctx;
	const struct fastlanes_session *s = e->session;

	(void)d;
	json_open(j, NULL, '{');
	json_string(j, "code", e->file);
	json_string(j, "kernel", s->kernel->name);
	json_uints(j, "grid", s->launch.grid, 3);
	json_uints(j, "block", s->launch.block, 3);
	json_uint(j, "slice", s->config.slice);
	json_string(j, "on", s->o.on_rtl ? "rtl" : "model");
	json_real(j, "seconds", s->seconds);
	json_open(j, "statistics", '{');
#define X(field, about) json_uint(j, #field, s->stats.field);
	FL_STATS(X)
#undef X
	json_close(j, '{');
	if (s->o.on_rtl)
		circuit_json(s, j);
	if (s->o.predict)
		json_prediction(j, s);
	json_close(j, '{');
	return ERR_OK;
}

static const char *fl_fault_name(enum fl_fault_kind kind)
{
	switch (kind) {
	case FL_FAULT_ADDRESS:
		return "an illegal address";
	case FL_FAULT_MISALIGNED:
		return "a misaligned address";
	case FL_FAULT_TRAP:
		return "a trap";
	default:
		return "the cycles of --max-cycles have passed";
	}
}

static int say_fault(const struct fastlanes_session *s)
{
	const struct fl_fault *f = &s->fault;
	struct fl_inst in;
	char text[128];

	if (f->kind == FL_FAULT_STOPPED)
		return interrupt_exit();
	if (f->kind == FL_FAULT_LIMIT) {
		say_error("%s: %s", s->kernel->name, fl_fault_name(f->kind));
		return EXIT_FAULT;
	}
	if (fl_decode(&in, s->code->words[s->kernel->first + f->pc]))
		BUG("a word that cannot be decoded");
	fl_print(text, sizeof(text), &in);
	say_error("%s: %s: block %u,%u,%u, warp %u, lane %u, instruction %u, "
		  "%s%s 0x%x",
		  s->kernel->name, fl_fault_name(f->kind), f->block[0],
		  f->block[1], f->block[2], f->warp, f->lane, f->pc, text,
		  f->kind == FL_FAULT_TRAP ? ";" : ": address", f->address);
	return EXIT_FAULT;
}

static int fastlanes_conclude(struct fastlanes_session *s, const char *file,
			      enum err e, struct diag *d)
{
	if (e && interrupted())
		return interrupt_exit();
	if (e) {
		say_error("%s", d->text);
		return EXIT_INPUT;
	}
	if (!s->o.quiet)
		print_stats(s);
	if (json_file(s->o.json, fastlanes_json,
		      &(struct fastlanes_ended){ s, file }, d)) {
		say_error("%s", d->text);
		return EXIT_INPUT;
	}
	if (s->fault.kind)
		return say_fault(s);
	e = outputs_finish(&s->outputs, d);
	if (e && e != ERR_MISMATCH) {
		say_error("%s", d->text);
		return EXIT_INPUT;
	}
	outputs_report(&s->outputs, !s->o.quiet);
	return e ? EXIT_DIFFERS : EXIT_OK;
}

static void fastlanes_release(struct fastlanes_session *s)
{
	outputs_free(&s->outputs);
	memory_free(&s->memory);
	program_unload(&s->program);
	fl_code_free(s->code);
	free(s->params);
	if (s->o.on_rtl)
		circuit_close(&s->circuit);
	else if (s->bytes)
		munmap(s->bytes, FL_MEMORY_BYTES);
	words_free(&s->o.args);
	words_free(&s->o.sets);
	output_options_free(&s->o.results);
	words_free(&s->o.config);
}

static int fastlanes_run_main(int argc, char **argv)
{
	struct fastlanes_session s = {
		.o = { .seed = 1, .memory_latency = 8, .memory_interval = 1 },
		.circuit = { .to = -1, .from = -1, .memory_file = -1 },
	};
	struct words files = { 0 };
	void *const to[] = { &s.o };
	int code = command_parse_program(&cmd_fastlanes_run, to, argc, argv,
					 &files);
	struct diag d = { 0 };
	enum err e;

	if (code < 0) {
		e = fastlanes_read(&s.code, files.at[0], &d);
		if (!e)
			e = fastlanes_launch(&s, &d);
		code = fastlanes_conclude(&s, files.at[0], e, &d);
	}
	fastlanes_release(&s);
	words_free(&files);
	return code;
}

const struct command cmd_fastlanes_run = {
	.name = "fastlanes run",
	.summary = "Run a kernel of a CODE file",
	.usage = "CODE [OPTIONS]",
	.details =
		"CODE is a file that 'heddle fastlanes compile' has written. "
		"The model computes what the\nkernel leaves in memory, and the "
		"cycles that the simulated GPU takes; docs/fastlanes.md\nstates "
		"its rules. The circuit gives the same, and counts its own "
		"cycles. The first\n'--on rtl' builds it with Verilator and "
		"keeps it in ~/.cache/heddle/circuit. Arguments,\narrays and "
		"results are those of 'heddle run'.\n\n"
		"Examples:\n"
		"  heddle fastlanes run saxpy.code --grid 4 --block 256 --arg "
		"1024 --arg 2.5 \\\n"
		"      --arg x:f32[1024]=iota --arg y:f32[1024]=fill:1 --print "
		"y:16\n"
		"  heddle fastlanes run scan.code --kernel add_offsets --gpu "
		"fastlanes -o sm.count=4 ...\n"
		"  heddle fastlanes run saxpy.code --on rtl --block 32 ...\n\n"
		"Exit codes: 0 success, 1 invalid input, 2 invalid usage, 3 the "
		"kernel faulted, 4 a\ncomparison failed, 130 interrupted, 143 "
		"terminated.\n",
	.tables = { fastlanes_run_opts },
	.run = fastlanes_run_main,
};
